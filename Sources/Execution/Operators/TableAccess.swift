import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// Rows of a table found for keys: by a key index, or along an adjacency index.
///
/// Sendable by rule: set by `open` before a run's workers start.
class TableAccess: @unchecked Sendable {
  /// What is found for some keys, by rising row of the keys.
  struct Matches {
    /// The row of the keys that each match belongs to.
    var rows: Buffer<UInt32>
    /// The position of the row found: of the looked-up table, or of the table of edges.
    var positions: Buffer<UInt32>
    /// The position of the neighbour's row, where a step leads further.
    var neighbours: Buffer<UInt32>
    var count: Int
  }

  /// Finds the tables of a run.
  func open(_ context: ExecutionContext) throws(SQLError) {}

  /// How many matches the row of each key has, if that is known without finding them.
  func matchCounts(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32>? { nil }

  /// All matches of keys.
  func matches(_ keys: [Vector], count: Int) throws(SQLError) -> Matches {
    throw SQLError.internal("an access to a table has no implementation")
  }

  /// The columns of matches.
  func columns(_ matches: Matches) throws(SQLError) -> [Vector] { [] }

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

/// Rows found through a key index.
final class KeyAccess: TableAccess, @unchecked Sendable {
  private let table: TableDefinition
  private let read: TableColumns
  private let keyColumns: [Int]
  private var store: TableStore?
  private var index = 0
  private var search: KeySearch?

  init(_ table: TableDefinition, _ columns: [ScanPlan.Column], keyColumns: [Int]) {
    self.table = table
    read = TableColumns(columns)
    self.keyColumns = keyColumns
  }

  override var types: [LogicalType] { read.types }

  override func open(_ context: ExecutionContext) throws(SQLError) {
    let store = try context.tables.table(table.id)
    index = try Self.keyIndex(of: store, over: keyColumns)
    search = try KeySearch(index, of: table, in: store) { (id) throws(SQLError) in
      try context.tables.table(id)
    }
    self.store = store
  }

  override func matches(_ keys: [Vector], count: Int) throws(SQLError) -> Matches {
    guard let store, let search else {
      throw SQLError.internal("a look-up ran before its start")
    }
    let columns = store.layout.keys[index].columns
    let ordered = Self.ordered(keys, keyColumns, as: columns).map { $0.flattened() }
    try Self.check(ordered, columns, of: store)
    let found = try search.pairs(ordered, count: count)
    return Matches(
      rows: found.rows, positions: found.positions, neighbours: found.positions,
      count: found.count)
  }

  override func columns(_ matches: Matches) throws(SQLError) -> [Vector] {
    guard let store else { return [] }
    return read.gather(matches.positions, count: matches.count, of: store)
  }
}

/// Edges of a parent's row, and the rows they lead to.
final class AdjacencyAccess: TableAccess, @unchecked Sendable {
  private let step: AdjacencyStep
  private let edgeColumns: TableColumns
  private let neighbourColumns: TableColumns
  private var edges: TableStore?
  private var parents: TableStore?
  private var neighbours: TableStore?
  private var parentIndex = 0
  private var parentSearch: KeySearch?
  private var adjacency: AdjacencyIndex?
  /// Whether the index leads to the neighbours, and not only to the edges.
  private var leadsToNeighbours = false

  init(_ step: AdjacencyStep) {
    self.step = step
    edgeColumns = TableColumns(step.edgeColumns)
    neighbourColumns = TableColumns(step.neighbourColumns)
  }

  override var types: [LogicalType] { edgeColumns.types + neighbourColumns.types }

  private var foreignKey: ForeignKeyConstraint { step.edgeTable.foreignKeys[step.from] }

  override func open(_ context: ExecutionContext) throws(SQLError) {
    let edges = try context.tables.table(step.edgeTable.id)
    let parents = try context.tables.table(foreignKey.parent)
    parentIndex = try Self.keyIndex(of: parents, over: foreignKey.parentColumns)
    parentSearch = try KeySearch(
      parentIndex, of: step.parentTable ?? step.edgeTable, in: parents
    ) { (id) throws(SQLError) in try context.tables.table(id) }
    if let to = step.to, let found = edges.adjacency(from: step.from, to: to) {
      adjacency = found
      leadsToNeighbours = true
    } else {
      adjacency = edges.edges(from: step.from)
      leadsToNeighbours = false
    }
    neighbours =
      if let table = step.neighbourTable { try context.tables.table(table.id) } else { nil }
    self.edges = edges
    self.parents = parents
  }

  /// The position of the parent's row that each key names.
  private func sources(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32> {
    guard let parents, let parentSearch else {
      throw SQLError.internal("an expansion ran before its start")
    }
    let columns = parents.layout.keys[parentIndex].columns
    let ordered = Self.ordered(keys, foreignKey.parentColumns, as: columns)
      .map { $0.flattened() }
    try Self.check(ordered, columns, of: parents)
    return try parentSearch.lookup(ordered, count: count)
  }

  override func matchCounts(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32>? {
    guard let adjacency else { return nil }
    return adjacency.degrees(of: try sources(keys, count: count), count: count)
  }

  override func matches(_ keys: [Vector], count: Int) throws(SQLError) -> Matches {
    guard let adjacency, let edges else {
      throw SQLError.internal("an expansion ran before its start")
    }
    let sources = try sources(keys, count: count)
    let degrees = adjacency.degrees(of: sources, count: count)
    var total = 0
    for row in 0..<count { total &+= Int(degrees[row]) }
    var cursor = AdjacencyIndex.Cursor()
    let found = adjacency.expand(sources, count: count, from: &cursor, limit: max(total, 1))
    var neighbours = found.targets
    if let to = step.to, !leadsToNeighbours, !neighbourColumns.indices.isEmpty {
      neighbours = edges.parents(of: found.rows, count: found.count, reference: to)
    }
    return Matches(
      rows: found.sourceRows, positions: found.rows, neighbours: neighbours, count: found.count)
  }

  override func columns(_ matches: Matches) throws(SQLError) -> [Vector] {
    guard let edges else { return [] }
    var columns =
      edgeColumns.indices.isEmpty
      ? [] : edgeColumns.gather(matches.positions, count: matches.count, of: edges)
    if let neighbours, !neighbourColumns.indices.isEmpty {
      columns += neighbourColumns.gather(
        matches.neighbours, count: matches.count, of: neighbours, optional: true)
    }
    return columns
  }
}
