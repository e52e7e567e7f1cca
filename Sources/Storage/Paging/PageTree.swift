import Columnar

/// A page of something versioned: shared between versions until a writer touches it.
///
/// - Invariant: only the writer whose epoch is `owner` changes the page, and only before publishing it.
protocol VersionedPage: AnyObject, Sendable {
  /// What readers need of the page, as plain bytes.
  associatedtype Slot: BitwiseCopyable
  var owner: Epoch { get }
  /// The page as readers see it now.
  var slot: Slot { get }
  /// A page with the same content that `owner` may change.
  func copy(owner: Epoch) -> Self
}

/// Up to 64 consecutive pages.
final class PageGroup<Page: VersionedPage>: @unchecked Sendable {
  static var capacity: Int { 64 }

  // Sendable by the rule of `VersionedPage`, which holds for groups as well.
  let owner: Epoch
  fileprivate(set) var pages: [Page]
  fileprivate let slots: Buffer<Page.Slot>
  /// Whether the group is as it was read from disk, or will be.
  fileprivate let isOriginal: Bool
  /// How many of the pages have memory apart from the others', as far as their owners have told.
  fileprivate var strayCount = 0

  fileprivate init(
    owner: Epoch, pages: [Page], slots: Buffer<Page.Slot>, isOriginal: Bool = false
  ) {
    self.owner = owner
    self.pages = pages
    self.slots = slots
    self.isOriginal = isOriginal
  }

  /// Puts the pages of a group in place that had none.
  fileprivate func fill(_ pages: [Page]) {
    for (index, page) in pages.enumerated() { slots[index] = page.slot }
    self.pages = pages
  }

  fileprivate func copy(owner: Epoch) -> PageGroup {
    let copied = Buffer<Page.Slot>(uninitialized: Self.capacity)
    copied.copy(slots, count: pages.count, to: 0)
    var pages = pages
    pages.reserveCapacity(min(Self.capacity, pages.count + 1))
    let group = PageGroup(owner: owner, pages: pages, slots: copied)
    group.strayCount = strayCount
    return group
  }
}

/// A versioned array of pages in two levels: 64 pages to a group, groups in an array.
///
/// Copies share everything. The first change of a page under an epoch copies the page, its group's table
/// of 64 entries, and the table of groups; later changes under the same epoch copy nothing. Readers go
/// through `directory`, two loads of plain memory without reference counting.
///
/// Groups of a tree that was opened from disk are filled when they are first touched. Access to a single page sees to
/// that; who walks the directory asks for what he will touch beforehand, by `require(_:)` or `lazy`.
struct PageTree<Page: VersionedPage>: Sendable {
  private(set) var groups: [PageGroup<Page>] = []
  /// The slots of each group: of one that is not filled yet they are senseless.
  private(set) var directory: Buffer<PagePointer<Page.Slot>> = Buffer(uninitialized: 0)
  private var directoryOwner: Epoch?
  /// The number of pages.
  private(set) var count = 0
  /// What is still to be filled; nil for a tree that never was on disk.
  private(set) var lazy: LazyGroups?
  /// Whether all pages are as they were read from disk, or will be.
  private(set) var isUnchanged = false

  init() {}

  /// A tree of pages that are made, a group at a time, when they are first touched.
  ///
  /// - Parameters:
  ///   - pageCount: the number of pages.
  ///   - origin: where the groups stand on disk, if each has a section there.
  ///   - make: the pages of a group, from any thread; all of them.
  init(
    pageCount: Int, origin: SectionOrigin? = nil, make: @escaping @Sendable (Int) -> [Page]
  ) {
    count = pageCount
    isUnchanged = origin != nil
    let groupCount = (pageCount + 63) / 64
    if groupCount == 0 { return }
    let epoch = Epoch.next()
    let slots = Buffer<Page.Slot>(uninitialized: groupCount * PageGroup<Page>.capacity)
    directory = Buffer(uninitialized: groupCount)
    groups.reserveCapacity(groupCount)
    for index in 0..<groupCount {
      let own = slots.slice(
        (index * PageGroup<Page>.capacity)..<((index + 1) * PageGroup<Page>.capacity))
      directory[index] = PagePointer(own)
      groups.append(PageGroup(owner: epoch, pages: [], slots: own, isOriginal: origin != nil))
    }
    let made = groups
    lazy = LazyGroups(count: groupCount, origin: origin) { index in
      let pages = make(index)
      precondition(pages.count == min(64, pageCount - index * 64), "a group has all its pages")
      made[index].fill(pages)
    }
  }

  /// What a reader needs of page `index`.
  #if DEBUG
    @_transparent
  #else
    @inline(__always)
  #endif
  func slot(_ index: Int) -> Page.Slot {
    if let lazy { lazy.require(index &>> 6) }
    return directory[index &>> 6][index & 63]
  }

  /// Page `index`.
  subscript(index: Int) -> Page {
    if let lazy { lazy.require(index &>> 6) }
    return groups[index &>> 6].pages[index & 63]
  }

  /// The directory, once all groups are filled.
  var wholeDirectory: Buffer<PagePointer<Page.Slot>> {
    lazy?.requireAll()
    return directory
  }

  /// The section that a group stands in as it is, if nobody has changed it since it was read.
  func section(ofGroup index: Int) -> (source: any SectionSource, section: Int)? {
    guard groups[index].isOriginal, let origin = lazy?.origin else { return nil }
    return (origin.source, origin.first + index)
  }

  /// Whether a page's group is in place.
  func isInPlace(_ index: Int) -> Bool { lazy?.isFilled(index >> 6) ?? true }

  /// Whether a page may be read without its group being put in place.
  func mayPass(_ index: Int) -> Bool {
    let group = index >> 6
    return lazy?.mayPass(group, pageCount: min(64, count - group << 6)) ?? false
  }

  /// The section that a page's group stands in as it is, if the group is not in place.
  func missingSection(ofPage index: Int) -> (source: any SectionSource, section: Int)? {
    guard let lazy, !lazy.isFilled(index >> 6) else { return nil }
    return section(ofGroup: index >> 6)
  }

  private mutating func ownDirectory(_ epoch: Epoch, capacity: Int) {
    if directoryOwner == epoch && directory.count >= capacity { return }
    let grown = Buffer<PagePointer<Page.Slot>>(
      uninitialized: max(capacity, directoryOwner == epoch ? directory.count * 2 : capacity))
    grown.copy(directory, count: groups.count, to: 0)
    directory = grown
    directoryOwner = epoch
  }

  private mutating func ownGroup(_ index: Int, _ epoch: Epoch) -> PageGroup<Page> {
    if groups[index].owner == epoch { return groups[index] }
    lazy?.require(index)
    isUnchanged = false
    let group = groups[index].copy(owner: epoch)
    ownDirectory(epoch, capacity: groups.count)
    groups[index] = group
    directory[index] = PagePointer(group.slots)
    return group
  }

  /// Adds a page at the end.
  ///
  /// - Complexity: amortised O(1) under one epoch.
  mutating func append(_ page: Page, epoch: Epoch) {
    let group: PageGroup<Page>
    if count & 63 == 0 {
      isUnchanged = false
      ownDirectory(epoch, capacity: groups.count + 1)
      group = PageGroup(
        owner: epoch, pages: [], slots: Buffer(uninitialized: PageGroup<Page>.capacity))
      directory[groups.count] = PagePointer(group.slots)
      groups.append(group)
    } else {
      group = ownGroup(count >> 6, epoch)
    }
    group.slots[count & 63] = page.slot
    group.pages.append(page)
    count += 1
  }

  /// Page `index`, copied unless it was made under `epoch`; `published(_:)` must follow the change.
  mutating func writable(_ index: Int, epoch: Epoch) -> Page {
    let page = self[index]
    if page.owner == epoch { return page }
    let copy = page.copy(owner: epoch)
    replace(index, with: copy, epoch: epoch)
    return copy
  }

  /// Puts another page at `index`.
  mutating func replace(_ index: Int, with page: Page, epoch: Epoch) {
    let group = ownGroup(index >> 6, epoch)
    group.pages[index & 63] = page
    group.slots[index & 63] = page.slot
  }

  /// Shows readers the state of a page that was changed under `epoch`.
  mutating func refresh(_ index: Int, epoch: Epoch) {
    let group = ownGroup(index >> 6, epoch)
    group.slots[index & 63] = group.pages[index & 63].slot
  }

  /// Notes that page `index` has memory apart from that of its group now, and says how many pages of the group have.
  mutating func noteStray(_ index: Int, epoch: Epoch) -> Int {
    let group = ownGroup(index >> 6, epoch)
    group.strayCount += 1
    return group.strayCount
  }

  /// Puts pages with memory beside each other in place of those of a group.
  mutating func replaceGroup(_ index: Int, with pages: [Page], epoch: Epoch) {
    let group = ownGroup(index, epoch)
    group.fill(pages)
    group.strayCount = 0
  }

  /// Adds the memory of the tree itself, and that of its pages as `count` has it.
  func count(
    in census: inout MemoryCensus, _ count: (Page, inout MemoryCensus) -> Void
  ) {
    census.add(directory)
    census.add(objectOf: 16 + groups.capacity * MemoryLayout<PageGroup<Page>>.stride)
    lazy?.requireAll()
    for group in groups {
      // The object's fields: the epoch, the array of pages, the slots, a flag and a number.
      census.add(objectOf: 8 + 8 + MemoryLayout<Buffer<Page.Slot>>.stride + 16)
      census.add(objectOf: 16 + group.pages.capacity * MemoryLayout<Page>.stride)
      census.add(group.slots)
      for page in group.pages { count(page, &census) }
    }
  }

  /// Forgets the pages from `newCount` on.
  mutating func truncate(to newCount: Int, epoch: Epoch) {
    guard newCount < count else { return }
    let groupCount = (newCount + 63) >> 6
    groups.removeLast(groups.count - groupCount)
    if newCount & 63 != 0 {
      let group = ownGroup(groupCount - 1, epoch)
      group.pages.removeLast(group.pages.count - (newCount & 63))
    }
    count = newCount
  }

  /// The pages below `limit` that two trees do not share, of those that both have.
  ///
  /// - Complexity: O(groups + pages of the groups that differ).
  func pagesNotShared(with other: PageTree, below limit: Int) -> [Int] {
    let end = min(count, other.count, limit)
    var found: [Int] = []
    for group in 0..<((end + 63) >> 6) where groups[group] !== other.groups[group] {
      let first = group << 6
      found += (first..<min(end, first + 64)).filter { self[$0] !== other[$0] }
    }
    return found
  }

  /// Whether two trees share page `index`, so that nothing on it can differ.
  func shares(_ index: Int, with other: PageTree) -> Bool {
    guard index < count && index < other.count else { return false }
    return groups[index >> 6] === other.groups[index >> 6] || self[index] === other[index]
  }
}
