import Columnar
import Diagnostics
import Planning
import Storage

/// Conditions on the rows of one table that depend on the row alone: whether they hold is kept, so that each row is asked once as
/// long as the plan reads the same version.
///
/// One thread at a time uses it.
final class KeptCondition {
  private let filter: ConjunctiveFilter
  private let columns: TableColumns
  private var readers: ColumnReaders?
  private weak var table: TableStore?
  private var identity: UInt64 = 0
  /// How many rows were asked one by one.
  private var askedInAll = 0
  /// When so many of a table's rows were asked, all others are, in their order, which takes less than to ask as many again.
  private static let askedShare = 64
  /// What is known of the version opened last.
  private(set) var rows = KnownRows(rowCount: 0)

  /// nil for conditions that depend on more, or on other columns.
  init?(
    _ conditions: [BoundExpression], _ columns: [ScanPlan.Column], _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    let own = ColumnSet(columns.map(\.column.id))
    guard !conditions.isEmpty, columns.allSatisfy({ $0.index >= 0 }),
      conditions.allSatisfy({ $0.dependsOnRowAlone && $0.columns.isSubset(of: own) })
    else { return nil }
    filter = try ConjunctiveFilter(conditions, compiler)
    self.columns = TableColumns(columns)
  }

  /// Goes over to a version of the table.
  func open(_ table: TableStore, _ tables: any TableSource) throws(SQLError) {
    if identity == tables.identity { return }
    readers = try ColumnReaders(columns, of: table)
    rows = KnownRows(rowCount: table.rowCount)
    self.table = table
    askedInAll = 0
    identity = tables.identity
  }

  /// Sees that it is known of some rows if the conditions hold.
  ///
  /// - Throws: what the conditions throw for a row that has not been asked.
  func ask(
    _ positions: Buffer<UInt32>, count: Int, _ context: ExecutionContext
  ) throws(SQLError) {
    guard let readers else {
      throw SQLError.internal("a condition is asked before its table is open")
    }
    let rows = rows
    var index = 0
    while index < count {
      if let table, askedInAll > table.rowCount / Self.askedShare {
        askedInAll = .min
        // They may fail for a row that nobody asks for.
        try? askAll(of: table, context)
      }
      let asked = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
      var askedCount = 0
      while index < count && askedCount < Vector.chunkCapacity {
        asked[askedCount] = positions[index]
        askedCount &+= bit(!rows.knows(positions[index]))
        index &+= 1
      }
      if askedCount == 0 { continue }
      askedInAll += askedCount
      var chunk = DataChunk(readers.gather(asked, count: askedCount), count: askedCount)
      let met = try filter.select(&chunk, context) ?? .all(askedCount)
      for place in 0..<met.count { rows.note(asked[met.positions[place]], holds: true) }
      for place in 0..<askedCount where !rows.knows(asked[place]) {
        rows.note(asked[place], holds: false)
      }
      try context.check()
    }
  }

  /// Sees that it is known of all rows if the conditions hold.
  private func askAll(of table: TableStore, _ context: ExecutionContext) throws(SQLError) {
    guard table.liveRowCount == table.rowCount else { return }
    let words = table.rowCount / 64 + 1
    let all = Buffer(repeating: UInt64.max, count: words)
    let met = Buffer<UInt64>(zeroed: words)
    for page in 0..<table.pageCount {
      try context.check()
      var chunk = try columns.scan(page, of: table)
      let mask = try filter.mask(of: &chunk, context)
      mask.keep(of: all, from: page * TableStore.pageCapacity / 64, into: met)
    }
    rows.noteAll(met: met, words: words)
  }
}
