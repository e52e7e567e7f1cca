import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// Rows of a table found for keys: by a key index, or along an adjacency index.
///
/// Set by `open` before a run's workers start.
class TableAccess {
  /// What is found for some keys, by rising row of the keys.
  struct Matches {
    /// The row of the keys that each match belongs to.
    var rows: Buffer<UInt32>
    /// The position of the row found: of the looked-up table, or of the table of edges.
    var positions: Buffer<UInt32>
    /// The position of the neighbour's row, where a step leads further.
    var neighbours: Buffer<UInt32>
    var count: Int

    /// Keeps the matches whose positions are among the bits.
    ///
    /// - Complexity: O(*n*).
    mutating func keepEdges(in bits: Buffer<UInt64>) {
      let kept = Buffer<UInt32>(uninitialized: max(1, 3 * count))
      let ends = (count, 2 * count)
      var found = 0
      for index in 0..<count {
        let position = positions[index]
        kept[found] = rows[index]
        kept[ends.0 &+ found] = position
        kept[ends.1 &+ found] = neighbours[index]
        found &+= bit(bits.contains(position))
      }
      rows = kept.slice(0..<ends.0)
      positions = kept.slice(ends.0..<ends.1)
      neighbours = kept.slice(ends.1..<(3 * count))
      count = found
    }
  }

  /// Whether a key has one match at most.
  var isUnique: Bool { false }

  /// Matches that stand one behind another: of all keys, or some of those of one.
  struct Stretch {
    /// The position of the row found: of the looked-up table, or of the table of edges.
    let positions: Buffer<UInt32>
    /// The position of the neighbour's row, where a step leads further.
    let neighbours: Buffer<UInt32>
    /// The number of matches, more than none.
    let count: Int

    func slice(_ range: Range<Int>) -> Stretch {
      Stretch(
        positions: positions.slice(range), neighbours: neighbours.slice(range), count: range.count)
    }

    /// Hands over the matches in parts that fill a chunk at most, until `body` says no.
    func forEachPart(
      _ body: (Stretch) throws(SQLError) -> Bool
    ) throws(SQLError) -> Bool {
      if count <= Vector.chunkCapacity { return try body(self) }
      var start = 0
      while start < count {
        let end = min(count, start + Vector.chunkCapacity)
        if try !body(slice(start..<end)) { return false }
        start = end
      }
      return true
    }
  }

  /// The version of the tables that `find` has last seen.
  private var identity: UInt64 = 0
  /// Whether all that the owner reads follows from the keys that it has looked up by `matches`, `positions`, `matchCounts` and
  /// stretches, which then note what a run reads; otherwise the tables count as read as a whole.
  var notesReads = false
  /// Where it is noted what the run reads, if it is and `notesReads`.
  private(set) final var reads: ReadNotes?

  /// Finds the tables of a run, unless they are those of the run before.
  final func open(_ tables: any TableSource) throws(SQLError) {
    let identity = tables.identity
    if identity == self.identity { return }
    reads = notesReads ? tables.reads : nil
    try find(tables)
    self.identity = identity
  }

  /// A table of a version, noted as read unless the access notes what it reads.
  final func table(_ id: ObjectID, in tables: any TableSource) throws(SQLError) -> TableStore {
    reads == nil ? try tables.table(id) : try tables.unnotedTable(id)
  }

  /// Finds the tables in a version.
  func find(_ tables: any TableSource) throws(SQLError) {}

  /// The positions of the rows that keys name, or `TableStore.noRow`, in the order of the keys: of parents where the
  /// access leads to their edges.
  func positions(
    of keys: [Vector], count: Int
  ) throws(SQLError) -> (positions: Buffer<UInt32>, count: Int) {
    throw SQLError.internal("an access to a table names no rows")
  }

  /// The table whose rows `positions` gives.
  var positionTable: TableStore {
    get throws(SQLError) { throw SQLError.internal("an access to a table names no rows") }
  }

  /// How many matches the row of each key has, if that is known without finding them.
  func matchCounts(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32>? { nil }

  /// All matches of keys.
  func matches(_ keys: [Vector], count: Int) throws(SQLError) -> Matches {
    throw SQLError.internal("an access to a table has no implementation")
  }

  /// Hands over all matches of one key in the order of the index, until `body` says no.
  func forEachStretch(
    _ key: [Vector], _ body: (Stretch) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    let found = try matches(key, count: 1)
    if found.count == 0 { return true }
    return try body(
      Stretch(positions: found.positions, neighbours: found.neighbours, count: found.count))
  }

  /// Hands over all matches of a key of one whole number in the order of the index, until `body`
  /// says no.
  func forEachStretch(
    number: Int64, _ body: (Stretch) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    throw SQLError.internal("an access to a table takes no number")
  }

  /// Puts all matches of a key of one whole number into a chunk that has those of another one, where there is a short
  /// way; says whether there is.
  ///
  /// What the chunk has is written over where nobody else holds it.
  func shortRows(number: Int64, over chunk: inout DataChunk) throws(SQLError) -> Bool { false }

  /// The number of matches of a key of one whole number; nil where they have to be looked for.
  func countMatches(number: Int64) throws(SQLError) -> Int? { nil }

  /// The most rows that `shortRows` puts into memory that is kept.
  static let shortListLimit = 64

  /// Whether the key is one column of whole numbers.
  var takesNumber: Bool { false }

  /// The columns of matches.
  final func columns(_ matches: Matches) throws(SQLError) -> [Vector] {
    try columns(
      Stretch(
        positions: matches.positions, neighbours: matches.neighbours, count: matches.count))
  }

  /// The columns of a stretch of matches.
  func columns(_ stretch: Stretch) throws(SQLError) -> [Vector] { [] }

  /// The types of the columns.
  var types: [LogicalType] { [] }

  /// The keys as an index over `wanted` takes them, whose own columns may stand in another order.
  static func ordered(_ keys: [Vector], _ wanted: [Int], as columns: [Int]) -> [Vector] {
    if wanted == columns { return keys }
    return columns.compactMap { column in wanted.firstIndex(of: column).map { keys[$0] } }
  }

  /// The index of a table over these columns, in any order.
  static func keyIndex(of table: TableStore, over columns: [Int]) throws(SQLError) -> Int {
    let keys = table.layout.keys
    if let exact = keys.firstIndex(where: { $0.columns == columns }) { return exact }
    guard let index = keys.firstIndex(where: { Set($0.columns) == Set(columns) }) else {
      throw SQLError.internal("a plan uses a key index that the table has not")
    }
    return index
  }

  /// - Throws: XX000 for keys of other types than the index holds.
  static func check(_ keys: [Vector], _ columns: [Int], of table: TableStore) throws(SQLError) {
    for (key, column) in zip(keys, columns) {
      let physical = table.types[column].physical
      if key.type.physical == physical { continue }
      let wholes: Set<PhysicalType> = [.int16, .int32, .int64]
      if keys.count == 1 && wholes.contains(physical) && wholes.contains(key.type.physical) {
        continue
      }
      throw SQLError.internal(
        "a key of type \(key.type.name) is looked up among \(table.types[column].name)")
    }
  }
}

extension TableDefinition {
  /// Whether a column holds whole numbers.
  func isWhole(_ column: Int) -> Bool {
    guard columns.indices.contains(column) else { return false }
    switch columns[column].type {
    case .smallint, .integer, .bigint: return true
    case .boolean, .real, .double, .numeric, .text, .varchar, .character, .name, .bytea, .date,
      .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb,
      .oid, .array, .record, .enumeration, .unknown, .void:
      return false
    }
  }
}
