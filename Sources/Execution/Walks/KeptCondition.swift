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
  private var identity: UInt64 = 0
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
      let asked = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
      var askedCount = 0
      while index < count && askedCount < Vector.chunkCapacity {
        asked[askedCount] = positions[index]
        askedCount &+= bit(!rows.knows(positions[index]))
        index &+= 1
      }
      if askedCount == 0 { continue }
      var chunk = DataChunk(readers.gather(asked, count: askedCount), count: askedCount)
      let met = try filter.select(&chunk, context) ?? .all(askedCount)
      for place in 0..<met.count { rows.note(asked[met.positions[place]], holds: true) }
      for place in 0..<askedCount where !rows.knows(asked[place]) {
        rows.note(asked[place], holds: false)
      }
      try context.check()
    }
  }
}
