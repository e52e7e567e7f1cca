import Columnar

/// The long lists of a page, in groups of 16, so that the change of one copies a small part.
struct LongLists: Sendable {
  private final class Group: @unchecked Sendable {
    // Sendable by the rule of `VersionedPage`.
    let owner: Epoch
    var lists: [LongList?]

    init(owner: Epoch, lists: [LongList?]) {
      self.owner = owner
      self.lists = lists
    }
  }

  private static let groupShift = 4
  /// Empty until a list is long; then one for each 16 lists of the page.
  private var groups: [Group?] = []

  /// Adds the memory of the lists.
  func count(in census: inout MemoryCensus) {
    if groups.isEmpty { return }
    census.add(objectOf: 16 + groups.count * MemoryLayout<Group?>.stride)
    for case let group? in groups {
      census.add(objectOf: 16)
      census.add(objectOf: 16 + group.lists.count * MemoryLayout<LongList?>.stride)
      for case let list? in group.lists { list.count(in: &census) }
    }
  }

  subscript(list: Int) -> LongList? {
    let group = list >> Self.groupShift
    guard group < groups.count else { return nil }
    return groups[group]?.lists[list & (1 << Self.groupShift - 1)]
  }

  mutating func set(_ list: Int, _ long: LongList, owner: Epoch) {
    let width = 1 << Self.groupShift
    if groups.isEmpty {
      groups = Array(repeating: nil, count: AdjacencyPage.sourceCount >> Self.groupShift)
    }
    let index = list >> Self.groupShift
    let group: Group
    if let old = groups[index], old.owner == owner {
      group = old
    } else {
      group = Group(
        owner: owner, lists: groups[index]?.lists ?? Array(repeating: nil, count: width))
      groups[index] = group
    }
    group.lists[list & (width - 1)] = long
  }
}
