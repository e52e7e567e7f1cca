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
package final class LazyGroups: Sendable {
  private final class Group: Sendable {
    let isFilled = Atomic<Bool>(false)
    let lock = Mutex<Void>(())
  }

  private let groups: [Group]
  private let missing: Atomic<Int>
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
    parallelFor(tasks: groups.count) { self.load($0) }
  }

  /// Sees that the groups of some rows are in place, each `1 << shift` of which make a group.
  ///
  /// `UInt32.max` stands for a row that is not there.
  func require(_ rows: Buffer<UInt32>, _ range: Range<Int>, shift: Int) {
    if isComplete { return }
    var last = -1
    for index in range where rows[index] != .max {
      let group = Int(truncatingIfNeeded: rows[index]) >> shift
      if group != last { load(group) }
      last = group
    }
  }

  @inline(never)
  private func load(_ index: Int) {
    guard index < groups.count else { return }
    let group = groups[index]
    if group.isFilled.load(ordering: .acquiring) { return }
    group.lock.withLock { _ in
      if group.isFilled.load(ordering: .relaxed) { return }
      fill(index)
      group.isFilled.store(true, ordering: .releasing)
      missing.subtract(1, ordering: .acquiringAndReleasing)
    }
  }

  /// Whether a group is in place.
  func isFilled(_ index: Int) -> Bool {
    index >= groups.count || groups[index].isFilled.load(ordering: .acquiring)
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
