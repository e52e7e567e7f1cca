package import Diagnostics

/// Numbers distinct rows: a hash table from key columns to dense group numbers.
///
/// GROUP BY, DISTINCT, the set operations and recursive UNION stand on it. NULLs equal each other. Groups
/// are numbered about in the order in which their first rows come.
///
/// Keys made of whole numbers of small ranges are places in an array; others are packed into one number, for a
/// table with the key in its slot, with as many bits for each as its range needs. Exact numbers are whole ones as long as they
/// have equally many digits behind the point. All others hash, and compare whole batches column by column.
///
/// One thread at a time adds to a table; when none does any more, several may look groups up.
package final class GroupTable {
  package let types: [LogicalType]
  /// The keys that tell groups apart, by place; nil for all.
  private let deciding: [Int]?
  /// How many groups there are.
  package private(set) var groupCount = 0
  private var builders: [VectorBuilder]
  private let dictionaries = DictionaryGroups()
  /// How exact numbers among the keys that tell groups apart are whole ones; nil where there are none, or they are not.
  private var decimals: DecimalKeys?
  private var index: Index {
    didSet { noteExpected() }
  }
  /// How many groups there may come to be, 0 where nobody knows; once there are many, they get their room at once.
  package var expectedCount = 0 {
    didSet { noteExpected() }
  }

  /// How keys are found.
  private enum Index {
    case none
    case direct(DirectIndex, PackedIndex<UInt64>)
    case grid(GridIndex)
    case narrow(PackedIndex<UInt64>)
    case fitted(FittedIndex)
    case wide(PackedIndex<UInt128>)
    /// As `wide`, with texts as long as all of them are short.
    case short(PackedIndex<UInt128>)
    case hashed(HashedIndex)
  }

  /// A table for keys of these types; without types every row is of group 0.
  ///
  /// `determined` are places of keys that are equal wherever all others are: they are kept, and not looked at.
  package init(types all: [LogicalType], determined: Set<Int> = []) {
    self.types = all
    deciding = determined.isEmpty ? nil : all.indices.filter { !determined.contains($0) }
    builders = all.map { VectorBuilder($0, capacity: 16) }
    let original = deciding.map { places in places.map { all[$0] } } ?? all
    decimals = DecimalKeys(original)
    let types = decimals?.types ?? original
    let widths = types.map { KeyPacking.bitWidth(of: $0.physical) }
    if types.isEmpty {
      index = .none
    } else if types.count == 1, let single = widths[0] {
      index = .direct(DirectIndex(), PackedIndex(keyBits: single))
    } else if widths.contains(where: { $0 == nil }) {
      let short = types.map { KeyPacking.shortBitWidth(of: $0) ?? 129 }.reduce(0, +)
      index = short <= 128 ? .short(PackedIndex(keyBits: short)) : .hashed(HashedIndex())
    } else {
      index =
        types.count <= KeyGrid.keyMax
        ? .grid(GridIndex(keyCount: types.count)) : Self.packed(types)
    }
    if case .hashed = index { decimals = nil }
  }

  /// A table of several whole numbers that are packed into one, as they are or as their ranges allow.
  private static func packed(_ types: [LogicalType]) -> Index {
    let total = packedBits(types)
    return total <= 64 ? .narrow(PackedIndex(keyBits: total)) : .fitted(FittedIndex())
  }

  /// A table of several whole numbers of which some are far apart.
  private static func unfitted(_ types: [LogicalType]) -> Index {
    let total = packedBits(types)
    return total <= 128 ? .wide(PackedIndex(keyBits: total)) : .hashed(HashedIndex())
  }

  private static func packedBits(_ types: [LogicalType]) -> Int {
    types.reduce(0) { $0 + (KeyPacking.bitWidth(of: $1.physical) ?? 128) + 1 }
  }

  /// The bytes held, for memory accounting.
  package var byteCount: Int {
    let keys = builders.reduce(0) { $0 + $1.byteCount }
    switch index {
    case .none: return keys
    case .direct(let direct, let packed): return keys + direct.byteCount + packed.byteCount
    case .grid(let grid): return keys + grid.byteCount
    case .narrow(let packed): return keys + packed.byteCount
    case .fitted(let fitted): return keys + fitted.byteCount
    case .wide(let packed), .short(let packed): return keys + packed.byteCount
    case .hashed(let hashed): return keys + hashed.byteCount
    }
  }

  /// The group of each row, with new groups for keys not seen before.
  ///
  /// - Complexity: O(*n*) on average.
  /// - Throws: 57014, 53200: a table that grows past some million keys takes its time.
  package func findOrInsert(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32> {
    let deciding = decided(keys)
    guard dictionaries.recognises(deciding, count: count) else {
      return try lookUp(keys, count: count, inserts: true)
    }
    try insertUnknown(keys, deciding, count: count)
    return dictionaries.groups(of: deciding, count: count)
  }

  /// Sees to it that the groups of all rows are known by their positions in dictionaries.
  private func insertUnknown(
    _ keys: [Vector], _ deciding: [Vector], count: Int
  ) throws(SQLError) {
    let rows = dictionaries.unknown(deciding, count: count)
    if rows.count == 0 { return }
    do throws(SQLError) {
      let found = try lookUp(
        keys.map { $0.gathered(rows.positions, count: rows.count) }, count: rows.count,
        inserts: true)
      dictionaries.note(found, of: deciding, at: rows, count: count)
    } catch {
      dictionaries.forget()
      throw error
    }
  }

  /// The group of each row, `UInt32.max` where there is none.
  ///
  /// - Complexity: O(*n*) on average.
  package func find(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32> {
    try lookUp(keys, count: count, inserts: false)
  }

  /// Adds the rows, and says which of them were the first of their group: what DISTINCT lets through.
  package func insertNew(_ keys: [Vector], count: Int) throws(SQLError) -> SelectionVector {
    let before = UInt32(truncatingIfNeeded: groupCount)
    let groups: Buffer<UInt32>
    let deciding = decided(keys)
    if dictionaries.recognises(deciding, count: count) {
      try insertUnknown(keys, deciding, count: count)
      if groupCount == before { return SelectionVector(Buffer(uninitialized: 0), count: 0) }
      groups = dictionaries.groups(of: deciding, count: count)
    } else {
      groups = try lookUp(keys, count: count, inserts: true)
    }
    let kept = Buffer<UInt32>(uninitialized: count)
    let unseen = Buffer<UInt8>(repeating: 1, count: groupCount - Int(before))
    var found = 0
    for row in 0..<count where groups[row] >= before {
      let group = Int(groups[row] &- before)
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= Int(unseen[group])
      unseen[group] = 0
    }
    return SelectionVector(kept, count: found)
  }

  /// The keys of the groups in `range`, a column each.
  package func keys(_ range: Range<Int>) -> [Vector] {
    builders.map { $0.finish().slice(from: range.lowerBound, count: range.count).flattened() }
  }

  /// Adds the groups of another table, and says which group here each of them became.
  package func merge(_ other: GroupTable) throws(SQLError) -> Buffer<UInt32> {
    let mapping = Buffer<UInt32>(uninitialized: other.groupCount)
    expectedCount = max(expectedCount, groupCount + other.groupCount)
    var start = 0
    while start < other.groupCount {
      let length = min(Vector.chunkCapacity, other.groupCount - start)
      try RunningStatement.check()
      let groups = try findOrInsert(other.keys(start..<(start + length)), count: length)
      mapping.copy(groups, count: length, to: start)
      start += length
    }
    return mapping
  }

  private func noteExpected() {
    switch index {
    case .direct(let direct, let packed):
      direct.expectedCount = expectedCount
      packed.expectedCount = expectedCount
    case .grid(let grid): grid.expectedCount = expectedCount
    case .narrow(let packed): packed.expectedCount = expectedCount
    case .fitted(let fitted): fitted.expectedCount = expectedCount
    case .wide(let packed), .short(let packed): packed.expectedCount = expectedCount
    case .none, .hashed: break
    }
  }

  /// The types of the keys that tell groups apart, as they are looked up.
  private var decidingTypes: [LogicalType] { decimals?.types ?? decided(types) }

  /// Those of some things, one for each key, that belong to keys that tell groups apart.
  private func decided<Item>(_ items: [Item]) -> [Item] {
    deciding.map { places in places.map { items[$0] } } ?? items
  }

  /// The group of each row, `UInt32.max` where there is none.
  private func lookUp(
    _ all: [Vector], count: Int, inserts: Bool
  ) throws(SQLError) -> Buffer<UInt32> {
    precondition(all.count == types.count, "a group table takes one vector for each key column")
    guard let decimals else {
      return try lookUp(all, decided(all).map { $0.flattened() }, count, inserts: inserts)
    }
    if inserts {
      guard let keys = self.decimals?.taken(decided(all), count: count) else {
        // A number with other digits has come: what is known moves into a table of hashes.
        index = .hashed(HashedIndex())
        self.decimals = nil
        if groupCount > 0 { try adoptKnown() }
        return try lookUp(all, count: count, inserts: true)
      }
      return try lookUp(all, keys.map { $0.flattened() }, count, inserts: true)
    }
    let (keys, strangers) = decimals.sought(decided(all), count: count)
    let result = try lookUp(all, keys.map { $0.flattened() }, count, inserts: false)
    for row in strangers { result[row] = .max }
    return result
  }

  /// The keys that tell the groups there are apart, as they are looked up.
  private var known: [Vector] {
    let stored = decided(keys(0..<groupCount))
    // Their digits have been taken before.
    return decimals?.sought(stored, count: groupCount).columns ?? stored
  }

  /// The same for keys that are flat, and whole numbers where exact ones can be.
  private func lookUp(
    _ all: [Vector], _ keys: [Vector], _ count: Int, inserts: Bool
  ) throws(SQLError) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: count)
    let fresh = FreshRows(capacity: inserts ? count : 0, nextGroup: groupCount)
    switch index {
    case .none:
      result.fill(0..<count, with: groupCount > 0 || inserts ? 0 : .max)
      if count > 0 && inserts { groupCount = 1 }
      return result
    case .direct(let direct, let packed):
      if !(try direct.lookUp(keys[0], count, result, inserts ? fresh : nil)) {
        // The range has grown too wide: what is known moves into a table with keys in its slots.
        index = .narrow(packed)
        if groupCount > 0 { try adoptKnown() }
        try packed.lookUp(keys, count, result, inserts ? fresh : nil)
      }
    case .grid(let grid):
      let fits = try grid.lookUp(
        keys, count, result, inserts ? fresh : nil, groupCount: groupCount
      ) { known }
      if !fits {
        // There have come to be too many places: what is known moves into a table with keys in its slots.
        index = Self.packed(decidingTypes)
        if groupCount > 0 { try adoptKnown() }
        return try lookUp(all, count: count, inserts: inserts)
      }
    case .narrow(let packed): try packed.lookUp(keys, count, result, inserts ? fresh : nil)
    case .fitted(let fitted):
      let fits = try fitted.lookUp(
        keys, count, result, inserts ? fresh : nil, groupCount: groupCount
      ) { known }
      if !fits {
        // Ranges have grown too wide: what is known moves into a table of longer or hashed keys.
        index = Self.unfitted(decidingTypes)
        if case .hashed = index { decimals = nil }
        if groupCount > 0 { try adoptKnown() }
        return try lookUp(all, count: count, inserts: inserts)
      }
    case .wide(let packed):
      try packed.lookUp(
        decimals?.widened(keys) ?? keys, count, result, inserts ? fresh : nil)
    case .short(let packed):
      if !(try packed.lookUpShort(keys, count, result, inserts ? fresh : nil)) {
        // A longer text has come: what is known moves into a table of hashes.
        index = .hashed(HashedIndex())
        decimals = nil
        if groupCount > 0 { try adoptKnown() }
        return try lookUp(all, count: count, inserts: inserts)
      }
    case .hashed(let hashed): try lookUpHashed(hashed, keys, all, count, result, inserts: inserts)
    }
    if fresh.count > 0 { store(all, fresh.rows, fresh.count) }
    return result
  }

  /// Enters the groups there are into an index that is new.
  private func adoptKnown() throws(SQLError) {
    let stored = known
    let scratch = Buffer<UInt32>(uninitialized: groupCount)
    let fresh = FreshRows(capacity: groupCount, nextGroup: 0)
    switch index {
    case .narrow(let packed): try packed.lookUp(stored, groupCount, scratch, fresh)
    case .wide(let packed):
      try packed.lookUp(decimals?.widened(stored) ?? stored, groupCount, scratch, fresh)
    case .hashed(let hashed):
      try hashed.adopt(Hashing.hash(stored, count: groupCount), groupCount: groupCount)
    // A fitted one enters them itself, once it knows the ranges of those that come.
    case .none, .direct, .grid, .fitted, .short: break
    }
  }

  /// Keeps the keys of rows that made new groups.
  private func store(_ keys: [Vector], _ rows: Buffer<UInt32>, _ count: Int) {
    for column in keys.indices {
      builders[column].append(keys[column].gathered(rows, count: count))
    }
    groupCount += count
  }

  /// Probes for all rows at once, then compares all candidates at once, then goes on with those
  /// whose candidate was another key with the same tag.
  private func lookUpHashed(
    _ table: HashedIndex, _ keys: [Vector], _ all: [Vector], _ count: Int,
    _ result: Buffer<UInt32>, inserts: Bool
  ) throws(SQLError) {
    let hashes = Hashing.hash(keys, count: count)
    if inserts { try table.reserve(groupCount + count, groupCount: groupCount) }
    let places = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count { places[row] = table.home(hashes[row]) }
    var pending = SelectionVector.all(count)
    // While inserting, rows are taken up in order, so that group numbers follow first rows.
    while pending.count > 0 {
      let fresh = FreshRows(capacity: inserts ? pending.count : 0, nextGroup: groupCount)
      let candidates = table.probe(hashes, places, pending, result, inserts ? fresh : nil)
      if fresh.count > 0 { store(all, fresh.rows, fresh.count) }
      let candidateGroups = Buffer<UInt32>(uninitialized: candidates.count)
      for index in 0..<candidates.count {
        candidateGroups[index] = result[candidates.positions[index]]
      }
      let stored = decided(builders).map { $0.finish() }
      let same = RowComparison.matching(
        keys, candidates.positions, stored, candidateGroups, count: candidates.count, nulls: .equal)
      if same.count == candidates.count { return }
      let different = same.complement(of: candidates.count)
      let rest = Buffer<UInt32>(uninitialized: different.count)
      for index in 0..<different.count {
        let row = candidates.positions[different.positions[index]]
        rest[index] = row
        places[row] = table.next(places[row])
      }
      pending = SelectionVector(rest, count: different.count)
    }
  }
}

/// The rows of one batch that made new groups, in order.
final class FreshRows {
  let rows: Buffer<UInt32>
  private(set) var count = 0
  private let nextGroup: Int

  init(capacity: Int, nextGroup: Int) {
    rows = Buffer(uninitialized: capacity)
    self.nextGroup = nextGroup
  }

  /// Notes a row, and gives its group number.
  @inline(__always)
  func add(_ row: Int) -> UInt32 {
    rows[count] = UInt32(truncatingIfNeeded: row)
    count &+= 1
    return UInt32(truncatingIfNeeded: nextGroup &+ count &- 1)
  }
}
