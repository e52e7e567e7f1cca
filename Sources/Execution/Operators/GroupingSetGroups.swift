import Columnar
import Diagnostics

/// The order in which the groups of several grouping sets are made: those of some from rows, those of the others from groups.
///
/// A set that is a part of another needs no row: its groups are put together from the other's, of which there are at most as many
/// as rows, and with ROLLUP fewer from set to set. Each set is made of the one with the fewest groups that has all of its keys.
struct GroupingSetGroups {
  let sets: [[Int]]
  /// The sets, by number, whose groups are made from rows.
  let leading: [Int]
  /// The others, those with more keys first.
  private let derived: [Int]

  /// `canDerive` says whether states of all aggregates can be put together.
  init(_ sets: [[Int]], canDerive: Bool) {
    self.sets = sets
    var leading: [Int] = []
    var derived: [Int] = []
    for (number, set) in sets.enumerated() {
      let isPart = sets.enumerated().contains { other, keys in
        // Of equal sets the first one is made from rows.
        other != number && Set(set).isSubset(of: keys)
          && (Set(set).count < Set(keys).count || other < number)
      }
      if canDerive && isPart { derived.append(number) } else { leading.append(number) }
    }
    self.leading = leading
    self.derived = derived.sorted { (sets[$0].count, $1) > (sets[$1].count, $0) }
  }

  /// The groups of all sets, from those of the leading ones.
  ///
  /// - Complexity: O(groups of all sets).
  func all(
    from made: [AggregateGroups], _ items: [AggregateItem], _ account: MemoryAccount,
    _ context: ExecutionContext
  ) throws(SQLError) -> [AggregateGroups] {
    if derived.isEmpty { return made }
    var found: [Int: AggregateGroups] = [:]
    for (number, groups) in zip(leading, made) { found[number] = groups }
    for number in derived {
      var source: Int?
      for (other, groups) in found where Set(sets[number]).isSubset(of: sets[other]) {
        if let known = source.flatMap({ found[$0] }),
          (known.count, source ?? 0) <= (groups.count, other)
        {
          continue
        }
        source = other
      }
      guard let source, let groups = found[source] else {
        throw SQLError.internal("a grouping set has no other to be made from")
      }
      let own = try derive(sets[number], from: groups, of: sets[source], items, context)
      try account.charge(own.states.reduce(own.table?.byteCount ?? 0) { $0 + $1.byteCount })
      found[number] = own
    }
    return sets.indices.compactMap { found[$0] }
  }

  private func derive(
    _ set: [Int], from groups: AggregateGroups, of keys: [Int], _ items: [AggregateItem],
    _ context: ExecutionContext
  ) throws(SQLError) -> AggregateGroups {
    // States may have rows of one group more, of those that the completion has dropped.
    let mapping = try Buffer<UInt32>(zeroedInSlices: groups.count + 1)
    var table: GroupTable?
    if let known = groups.table, !set.isEmpty {
      let places = set.compactMap { keys.firstIndex(of: $0) }
      let made = GroupTable(types: places.map { known.types[$0] })
      var start = 0
      while start < known.groupCount {
        try context.check()
        let length = min(Vector.chunkCapacity, known.groupCount - start)
        let columns = known.keys(start..<(start + length))
        let numbers = try made.findOrInsert(places.map { columns[$0] }, count: length)
        mapping.copy(numbers, count: length, to: start)
        start += length
      }
      table = made
    }
    let result = AggregateGroups(table: table, states: items.map { AggregateState($0) })
    mapping[groups.count] = UInt32(truncatingIfNeeded: result.count)
    for (state, other) in zip(result.states, groups.states) {
      try context.check()
      state.grow(to: result.count + 1)
      try state.merge(other, groups: mapping, count: groups.count)
    }
    return result
  }
}
