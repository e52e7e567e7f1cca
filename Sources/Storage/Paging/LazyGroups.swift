import Columnar
import Synchronization

/// Where the groups of a tree stand on disk.
package struct SectionOrigin: Sendable {
  package let source: any SectionSource
  /// The section of the first group; those of the others follow.
  package let first: Int

  package init(_ source: any SectionSource, first: Int) {
    self.source = source
    self.first = first
  }
}

/// Which groups of a tree are still to be put in place, and how.
///
/// A tree that was opened from disk knows its groups from the beginning, with room for what readers need of each page,
/// but neither the pages nor anything in that room. Whoever comes first to a group has it filled; the others wait for
/// it. All versions of the tree share the groups that none of them has changed, so what one of them fills is there
/// for all.
///
/// Groups are filled in the order of their dependence: indexes look at references, references at columns. So nobody
/// waits for who waits for him.
///
/// Who comes to a group that is being filled puts the ones behind it in place meanwhile, as threads that share a table
/// come to it together and leave it together. Groups that are asked for in their order are soon read ahead, on all cores: a
/// few more each time, so that whoever stops early has read about twice what was asked for. So are those of whom an
/// eighth was asked for in any order.
package final class LazyGroups: Sendable {
  private final class Group: Sendable {
    let isFilled = Atomic<Bool>(false)
    let lock = Mutex<Void>(())
    /// How many pages were read without the group being put in place.
    let passes = Atomic<Int>(0)
  }

  private let groups: [Group]
  private let missing: Atomic<Int>
  /// The group behind those that were asked for last, how many of them were asked for in order, and how many not.
  private let requests = Mutex((next: 0, inOrder: 0, astray: 0))
  /// How many values were read without their groups being put in place.
  private let scattered = Atomic<Int>(0)
  private let fill: @Sendable (Int) -> Void
  /// nil for groups that are made out of others.
  let origin: SectionOrigin?

  /// - Parameters:
  ///   - count: the number of groups.
  ///   - origin: where they stand.
  ///   - fill: puts one group in place; called once for each.
  init(count: Int, origin: SectionOrigin?, fill: @escaping @Sendable (Int) -> Void) {
    groups = (0..<count).map { _ in Group() }
    missing = Atomic(count)
    self.origin = origin
    self.fill = fill
  }

  /// Whether all groups are in place.
  var isComplete: Bool { missing.load(ordering: .acquiring) == 0 }

  /// Sees that a group is in place; groups that came later are.
  func require(_ index: Int) { if !isComplete { load(index) } }

  /// Sees that all groups are in place.
  ///
  /// - Complexity: O(1) if they are; otherwise what their filling takes, on all cores.
  func requireAll() {
    if isComplete { return }
    parallelFor(tasks: groups.count) { self.obtain($0) }
  }

  /// As above, but ends where the statement has to, as it does where what is read says more than there is memory for.
  func fillUnlessInterrupted() {
    if isComplete { return }
    parallelFor(tasks: groups.count) { if !RunningStatement.isInterrupted { self.obtain($0) } }
  }

  /// Sees that the groups of some rows are in place, each `1 << shift` of which make a group.
  ///
  /// `UInt32.max` stands for a row that is not there.
  func require(_ rows: Buffer<UInt32>, _ range: Range<Int>, shift: Int) {
    if isComplete { return }
    var wanted: [Int] = []
    var last = -1
    for index in range where rows[index] != .max {
      let group = Int(truncatingIfNeeded: rows[index]) >> shift
      if group != last, group < groups.count, !isFilled(group), !wanted.contains(group) {
        wanted.append(group)
      }
      last = group
    }
    if wanted.count < 2 {
      for group in wanted { load(group) }
      return
    }
    let missing = wanted
    parallelFor(tasks: missing.count) { self.obtain(missing[$0]) }
  }

  @inline(never)
  private func load(_ index: Int) {
    guard index < groups.count, !isFilled(index) else { return }
    let ahead = groupsAhead(of: index)
    if ahead > 0 { parallelFor(tasks: ahead + 1) { _ = self.fillIfFree(index + $0) } }
    obtain(index)
  }

  /// How many groups behind one that is asked for are to be read with it.
  private func groupsAhead(of index: Int) -> Int {
    requests.withLock { requests in
      // Threads that share the work ask for the same groups, and a little out of turn.
      if index < requests.next, index >= requests.next - 1 - Self.aheadLimit { return 0 }
      if index >= requests.next, index <= requests.next + 2 {
        requests.inOrder = min(requests.inOrder + 1, 10)
      } else {
        requests.inOrder = 0
        requests.astray += 1
      }
      // Who has asked for so many, here and there, will ask for most.
      let isAnywhere = requests.astray > max(4, groups.count / 8)
      let doubled = requests.inOrder < 2 ? 0 : (1 << requests.inOrder) / 2
      let ahead = min(isAnywhere ? Self.aheadLimit : doubled, Self.aheadLimit)
      requests.next = index + 1 + min(ahead, groups.count - index - 1)
      return requests.next - index - 1
    }
  }

  /// The most groups that are read ahead at once.
  private static let aheadLimit = 16

  /// Fills a group; if somebody else is at it, others behind it until it is there.
  private func obtain(_ index: Int) {
    var next = index
    while !fillIfFree(index) {
      next += 1
      while next < groups.count, isFilled(next) { next += 1 }
      if next >= groups.count {
        groups[index].lock.withLock { _ in }
      } else {
        _ = fillIfFree(next)
      }
    }
  }

  /// Fills a group unless that was done; false if somebody else is at it.
  private func fillIfFree(_ index: Int) -> Bool {
    if isFilled(index) { return true }
    let group = groups[index]
    let filled: Void? = group.lock.withLockIfAvailable { _ in
      if group.isFilled.load(ordering: .relaxed) { return }
      fill(index)
      group.isFilled.store(true, ordering: .releasing)
      missing.subtract(1, ordering: .acquiringAndReleasing)
    }
    return filled != nil
  }

  /// Whether a page of a group of so many may be read without the group being put in place: as often as it has pages, so
  /// that who goes through a table once keeps nothing, and who does so again finds everything from then on.
  func mayPass(_ index: Int, pageCount: Int) -> Bool {
    if isComplete || isFilled(index) { return false }
    return groups[index].passes.add(1, ordering: .relaxed).oldValue < pageCount
  }

  /// Whether so many values may be read without their groups being put in place; once it is better to put them there, all
  /// of them are.
  func mayScatter(_ count: Int) -> Bool {
    let known = scattered.add(count, ordering: .relaxed).oldValue
    if known + count <= groups.count * Self.scatterLimit { return true }
    fillUnlessInterrupted()
    return false
  }

  /// So many values of a group, on average, are read by themselves.
  private static let scatterLimit = 4096

  /// Whether a group is in place.
  func isFilled(_ index: Int) -> Bool {
    isComplete || index >= groups.count || groups[index].isFilled.load(ordering: .acquiring)
  }
}

/// Something that is made once, by whoever needs it first.
final class MadeOnce<Made: Sendable>: Sendable {
  private let made = Mutex<Made?>(nil)
  private let make: @Sendable () -> Made

  init(_ make: @escaping @Sendable () -> Made) { self.make = make }

  var value: Made {
    made.withLock { made in
      if let made { return made }
      let value = make()
      made = value
      return value
    }
  }
}
