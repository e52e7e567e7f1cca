package import Diagnostics

/// Pairs of a group and a value, each once: what `count(DISTINCT x)` by group stands on.
///
/// One whole number that is never NULL is a bit in a row of them for each group, from the least number to the greatest, and
/// where the rows would be much larger than the pairs, an entry of a list. All else is a hash table: what comes again and
/// again, and what has to be known for new as soon as it comes.
package final class DistinctPairs {
  private enum Store {
    case bits(DistinctBits)
    case list(DistinctList)
    case table(GroupTable)
  }
  private let types: [LogicalType]
  private let isNumber: Bool
  private let tellsNew: Bool
  private var store: Store
  private var groupCount = 0
  /// With how many pairs a table of numbers is next looked at again: many lie nearer to each other than few.
  private var nextLook = 1 << 16

  /// A set of values of these types, which says which pairs are new if it `tellsNew`.
  package init(types: [LogicalType], tellsNew: Bool) {
    self.types = types
    self.tellsNew = tellsNew
    isNumber = types.count == 1 && [.int16, .int32, .int64].contains(types[0].physical)
    store =
      isNumber ? .bits(DistinctBits()) : .table(GroupTable(types: [.integer] + types))
  }

  private var isEmpty: Bool {
    switch store {
    case .bits(let bits): bits.count == 0
    case .list(let list): list.listedCount == 0
    case .table(let table): table.groupCount == 0
    }
  }

  /// The bytes held, for memory accounting.
  package var byteCount: Int {
    switch store {
    case .bits(let bits): bits.byteCount
    case .list(let list): list.byteCount
    case .table(let table): table.byteCount
    }
  }

  /// Makes room for groups below `groupCount`.
  package func grow(to groupCount: Int) { self.groupCount = max(self.groupCount, groupCount) }

  /// Adds the pairs, and says which of them were the first of their kind, if that has to be told.
  ///
  /// - Complexity: O(*n*) on average.
  /// - Throws: 57014, 53200.
  package func insert(
    groups: Buffer<UInt32>, _ columns: [Vector], count rows: Int
  ) throws(SQLError) -> SelectionVector? {
    if case .table = store {
    } else if let flat = withoutNulls(columns[0], rows) {
      let numbers = Buffer<Int64>(uninitialized: max(rows, 1))
      KeyPacking.widen(flat, rows, into: numbers)
      if let fresh = try insertBits(numbers, groups, rows) { return fresh }
      if !tellsNew, DistinctList.takes(numbers, count: rows) {
        if try insertListed(numbers, groups, rows) { return nil }
      }
    }
    let table = try movedToTable()
    let fresh = try table.insertNew(
      [Vector(.integer, groups, count: rows)] + columns, count: rows)
    if isNumber && table.groupCount >= nextLook { try moveToBits(table) }
    return fresh
  }

  /// The numbers, flat; nil where one is missing.
  ///
  /// A column of which rows have been left out may say of each row by itself that it is there.
  private func withoutNulls(_ column: Vector, _ rows: Int) -> Vector? {
    let flat = column.flattened()
    return flat.validity.isAllValid || flat.validity.nullCount(rows) == 0 ? flat : nil
  }

  /// nil where bits do not take the numbers.
  private func insertBits(
    _ numbers: Buffer<Int64>, _ groups: Buffer<UInt32>, _ rows: Int
  ) throws(SQLError) -> SelectionVector? {
    guard case .bits(var bits) = store,
      try bits.cover(numbers, rows, groupCount: groupCount)
    else { return nil }
    let fresh = Buffer<UInt32>(uninitialized: rows)
    let found = bits.insert(numbers, groups, rows, fresh: fresh)
    store = .bits(bits)
    return SelectionVector(fresh, count: found)
  }

  /// Says false where a table would be better.
  private func insertListed(
    _ numbers: Buffer<Int64>, _ groups: Buffer<UInt32>, _ rows: Int
  ) throws(SQLError) -> Bool {
    var list = try movedToList()
    // The copy in `store` would keep the memory of the list twice while it grows.
    store = .list(DistinctList())
    defer { store = .list(list) }
    try list.makeRoom(for: rows, groupCount: groupCount)
    if list.repeatsMuch { return false }
    list.insert(numbers, groups, count: rows)
    return true
  }

  private func movedToList() throws(SQLError) -> DistinctList {
    if case .list(let list) = store { return list }
    var list = DistinctList()
    try forEachChunk { (chunk) throws(SQLError) in
      let numbers = Buffer<Int64>(uninitialized: chunk.count)
      KeyPacking.widen(chunk.columns[1], chunk.count, into: numbers)
      try list.makeRoom(for: chunk.count, groupCount: groupCount)
      list.insert(numbers, chunk.columns[0].values(UInt32.self), count: chunk.count)
    }
    return list
  }

  private func movedToTable() throws(SQLError) -> GroupTable {
    if case .table(let table) = store { return table }
    let made = GroupTable(types: [.integer] + types)
    try forEachChunk { (chunk) throws(SQLError) in
      _ = try made.findOrInsert(chunk.columns, count: chunk.count)
    }
    store = .table(made)
    return made
  }

  private func moveToBits(_ full: GroupTable) throws(SQLError) {
    nextLook = full.groupCount * 2
    var (low, high) = (Int64.max, Int64.min)
    var hasNulls = false
    let numbers = Buffer<Int64>(uninitialized: Vector.chunkCapacity)
    try forEachChunk { (chunk) throws(SQLError) in
      hasNulls = hasNulls || chunk.columns[1].mayHaveNulls
      KeyPacking.widen(chunk.columns[1], chunk.count, into: numbers)
      KeyPacking.widen(&low, &high, to: numbers, .allValid, chunk.count)
    }
    var bits = DistinctBits()
    guard !hasNulls,
      try bits.cover(low, high, arriving: full.groupCount, groupCount: groupCount)
    else { return }
    let fresh = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
    try forEachChunk { (chunk) throws(SQLError) in
      KeyPacking.widen(chunk.columns[1], chunk.count, into: numbers)
      _ = bits.insert(numbers, chunk.columns[0].values(UInt32.self), chunk.count, fresh: fresh)
    }
    store = .bits(bits)
  }

  /// Hands over all pairs: chunks of the group and the values.
  ///
  /// - Throws: 57014, 53200, and what `body` throws.
  package func forEachChunk(
    _ body: (DataChunk) throws(SQLError) -> Void
  ) throws(SQLError) {
    switch store {
    case .table(let table):
      try (0..<table.groupCount).inSlices(of: Vector.chunkCapacity) { (slice) throws(SQLError) in
        try body(DataChunk(table.keys(slice), count: slice.count))
      }
    case .list(var list):
      try list.makeDifferent(groupCount: groupCount)
      store = .list(list)
      try (0..<list.listedCount).inSlices(of: Vector.chunkCapacity) { (slice) throws(SQLError) in
        let pairs = list.pairs(slice)
        try body(chunk(pairs.groups, pairs.numbers, slice.count))
      }
    case .bits(let bits):
      var groups = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
      var numbers = Buffer<Int64>(uninitialized: Vector.chunkCapacity)
      var filled = 0
      try bits.forEach { (number, group) throws(SQLError) in
        groups[filled] = group
        numbers[filled] = number
        filled += 1
        if filled < Vector.chunkCapacity { return }
        try body(chunk(groups, numbers, filled))
        groups = Buffer(uninitialized: Vector.chunkCapacity)
        numbers = Buffer(uninitialized: Vector.chunkCapacity)
        filled = 0
      }
      if filled > 0 { try body(chunk(groups, numbers, filled)) }
    }
  }

  private func chunk(
    _ groups: Buffer<UInt32>, _ numbers: Buffer<Int64>, _ count: Int
  ) -> DataChunk {
    DataChunk(
      [
        Vector(.integer, groups, count: count),
        NumberForm.whole.values(numbers, of: types[0], count: count),
      ], count: count)
  }

  /// Adds the pairs of another set, whose group *i* is group `groups[i]` here; says false where one is a table.
  ///
  /// - Throws: 57014, 53200.
  package func merge(
    _ other: DistinctPairs, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) -> Bool {
    if other.isEmpty { return true }
    switch (store, other.store) {
    case (.bits(var bits), .bits(let theirs)):
      if try bits.merge(theirs, groups: groups, count: count, groupCount: groupCount) {
        store = .bits(bits)
        return true
      }
      if tellsNew { return false }
    case (.list, .bits), (.bits, .list), (.list, .list): break
    case (.table, _), (_, .table): return false
    }
    var list = try movedToList()
    try list.append(try other.movedToList(), mapping: groups, groupCount: groupCount)
    store = .list(list)
    return true
  }

  /// How many pairs each group has, where they need not be looked at one by one.
  ///
  /// - Throws: 57014, 53200.
  package func counts(groupCount: Int) throws(SQLError) -> Buffer<Int64>? {
    switch store {
    case .table: return nil
    case .bits(let bits): return try bits.counts(groupCount: groupCount)
    case .list(var list):
      try list.makeDifferent(groupCount: groupCount)
      store = .list(list)
      return try list.counts(groupCount: groupCount)
    }
  }
}
