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

  fileprivate init(owner: Epoch, pages: [Page], slots: Buffer<Page.Slot>) {
    self.owner = owner
    self.pages = pages
    self.slots = slots
  }

  fileprivate func copy(owner: Epoch) -> PageGroup {
    let copied = Buffer<Page.Slot>(uninitialized: Self.capacity)
    copied.copy(slots, count: pages.count, to: 0)
    var pages = pages
    pages.reserveCapacity(min(Self.capacity, pages.count + 1))
    return PageGroup(owner: owner, pages: pages, slots: copied)
  }
}

/// A versioned array of pages in two levels: 64 pages to a group, groups in an array.
///
/// Copies share everything. The first change of a page under an epoch copies the page, its group's table
/// of 64 entries, and the table of groups; later changes under the same epoch copy nothing. Readers go
/// through `directory`, two loads of plain memory without reference counting.
struct PageTree<Page: VersionedPage>: Sendable {
  private(set) var groups: [PageGroup<Page>] = []
  /// The slots of each group.
  private(set) var directory: Buffer<PagePointer<Page.Slot>> = Buffer(uninitialized: 0)
  private var directoryOwner: Epoch?
  /// The number of pages.
  private(set) var count = 0

  /// What a reader needs of page `index`.
  @inline(__always)
  func slot(_ index: Int) -> Page.Slot { directory[index &>> 6][index & 63] }

  /// Page `index`.
  subscript(index: Int) -> Page { groups[index &>> 6].pages[index & 63] }

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
    index < count && index < other.count && self[index] === other[index]
  }
}
