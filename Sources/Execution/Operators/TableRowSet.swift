import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// The rows of a table but for those that walks reach: a scan with anti-joins over it.
///
/// What is excluded is found from its own side, so that a student's few courses are looked up among all courses
/// rather than all courses among the student's.
///
/// Changed by `collect` only, before a run's workers start.
final class TableRowSet {
  let table: TableDefinition
  let columns: TableColumns
  private let exclusions: [Walker]
  /// The rows left out.
  private(set) var excluded = ReachedSet.none
  /// A bit for each row left out.
  private var bits = Buffer<UInt64>(uninitialized: 0)

  init(_ table: TableDefinition, _ columns: TableColumns, exclusions: [Walker]) {
    self.table = table
    self.columns = columns
    self.exclusions = exclusions
  }

  /// The only parameter that the set depends on, by which its rows can be counted at once.
  var parameter: Int? { exclusions.count == 1 ? exclusions[0].parameter : nil }

  /// The number of rows for a value of the only parameter; nil where counting them takes a run.
  func count(number: Int64, in tables: any TableSource) throws(SQLError) -> Int? {
    guard let excluded = try exclusions[0].count(number: number, in: tables) else { return nil }
    return try tables.table(table.id).liveRowCount - excluded
  }

  /// Finds the rows of a run, and gives the table.
  func collect(_ context: ExecutionContext) throws(SQLError) -> TableStore {
    excluded = ReachedSet.none
    for exclusion in exclusions { excluded = try excluded.union(try exclusion.run(context)) }
    let store = try context.tables.table(table.id, reading: ColumnMask(columns))
    try excluded.isOf(store)
    return store
  }

  /// The number of rows.
  func count(_ context: ExecutionContext) throws(SQLError) -> Int {
    let store = try context.tables.table(table.id, reading: .none)
    switch exclusions.count {
    case 0: return store.liveRowCount
    case 1: return store.liveRowCount - (try exclusions[0].count(context))
    default:
      _ = try collect(context)
      return store.liveRowCount - excluded.count
    }
  }

  /// Makes `excludes` and `scan` ready.
  func makeBits() { bits = excluded.count == 0 ? Buffer(uninitialized: 0) : excluded.bits }

  /// The live rows of a page that are in the set.
  func scan(_ page: Int, of store: TableStore) throws(SQLError) -> DataChunk {
    let chunk = try columns.scan(page, of: store)
    if excluded.count == 0 || !touches(page, store) { return chunk }
    let rows = store.positions(ofPage: page)
    let kept = Buffer<UInt32>(uninitialized: max(1, rows.count))
    var found = 0
    // Out of the class before the loop, or each row would pay for getting there.
    let (bits, positions) = (bits, rows.positions)
    for row in 0..<rows.count {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(!bits.contains(positions[row]))
    }
    return chunk.gathered(SelectionVector(kept, count: found))
  }

  @inline(__always)
  func excludes(_ position: UInt32) -> Bool { excluded.count > 0 && bits.contains(position) }

  private func touches(_ page: Int, _ store: TableStore) -> Bool {
    let first = page * TableStore.pageCapacity / 64
    let words = (store.rowCount(ofPage: page) + 63) / 64
    var union: UInt64 = 0
    for word in first..<(first + words) { union |= bits[word] }
    return union != 0
  }
}

/// The rows of a set, page by page.
final class RowSetSource: Source, SummarizedByNumber {
  private let rows: TableRowSet
  private var table: TableStore?

  init(_ rows: TableRowSet) { self.rows = rows }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    table = try rows.collect(context)
    rows.makeBits()
  }

  override var knowsRowCount: Bool { true }

  override func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? {
    try rows.count(context)
  }

  var parameter: Int? { rows.parameter }

  func countRows(of number: Int64, in tables: any TableSource) throws(SQLError) -> Int? {
    try rows.count(number: number, in: tables)
  }

  override var morselCount: Int {
    guard let table else { return 0 }
    return table.morselCount
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let table else { return true }
    for page in table.pages(ofMorsel: morsel) {
      try context.check()
      let chunk = try rows.scan(page, of: table)
      if chunk.count > 0, try !stage.push(chunk) { return false }
    }
    return true
  }
}
