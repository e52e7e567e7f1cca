import Columnar
import Diagnostics
import Planning
package import Storage
import Synchronization

/// The conditions under which a scan reads rows, asked of the rows that a commit has changed.
package final class ScanRead: Sendable {
  /// A filter, which is set up once and used by one thread at a time.
  private struct State: ~Copyable {
    let filter: ConjunctiveFilter
    let context: ExecutionContext
  }

  /// The columns that are read of rows that meet the conditions, those of the conditions among them.
  package let columns: ColumnMask
  /// A column that has one value in all rows that meet the conditions, and that value's hash; nil where none has.
  package let key: (column: Int, hash: UInt64)?
  private let read: TableColumns
  private let state: Mutex<State>

  /// nil where conditions depend on more than the row and the statement's parameters, or there are none.
  init?(_ scan: TableScan, _ columns: ColumnMask, _ parameters: [Vector]) {
    let own = ColumnSet(scan.columns.map(\.column.id))
    let used = scan.filters.columns
    let read = scan.columns.filter { used.contains($0.column.id) }
    guard !scan.filters.isEmpty, read.allSatisfy({ $0.index >= 0 }),
      scan.filters.allSatisfy({ filter in
        !filter.isVolatile && !filter.callsSession && !filter.containsSubquery
          && filter.columns.isSubset(of: own)
      }),
      let filter = try? ConjunctiveFilter(
        scan.filters, ExpressionCompiler(read.map(\.column)))
    else { return nil }
    self.columns = columns
    self.read = TableColumns(read)
    let context = ExecutionContext(
      evaluation: EvaluationContext(transactionTime: 0, statementTime: 0), tables: TableSet(),
      parameters: parameters)
    key = Self.key(of: scan, context)
    state = Mutex(State(filter: filter, context: context))
  }

  /// Whether some of the rows at `positions` may meet the conditions.
  ///
  /// - Complexity: O(rows).
  package func mayRead(_ positions: [UInt32], of store: TableStore) -> Bool {
    let places = Buffer(positions)
    return state.withLock { state in
      guard let readers = try? ColumnReaders(read, of: store) else { return true }
      var chunk = DataChunk(
        readers.gather(places, count: positions.count), count: positions.count)
      // Where a condition fails, the query would as well: it has to be asked.
      guard let kept = try? state.filter.select(&chunk, state.context) else { return true }
      return kept.count > 0
    }
  }

  private static func key(of scan: TableScan, _ context: ExecutionContext) -> (Int, UInt64)? {
    for filter in scan.filters.flatMap(\.parts) {
      guard case .comparison(.equal, let left, let right) = filter else { continue }
      for (one, other) in [(left, right), (right, left)] {
        guard let id = one.asColumn, other.columns.isEmpty, one.type == other.type,
          one.type.hasPlainEquality,
          let column = scan.columns.first(where: { $0.column.id == id }), column.index >= 0,
          let evaluator = try? ExpressionCompiler([]).compile(other)
        else { continue }
        var row = DataChunk([], count: 1)
        guard let value = try? evaluator.evaluate(&row, context).flattened(), value.isValid(0)
        else { continue }
        return (column.index, Hashing.hash([value], count: 1)[0])
      }
    }
    return nil
  }
}

extension LogicalType {
  /// Whether values are equal just if they are stored alike.
  fileprivate var hasPlainEquality: Bool {
    switch self {
    case .boolean, .smallint, .integer, .bigint, .date, .time, .timestamp, .timestamptz, .uuid,
      .oid, .text, .varchar:
      true
    case .real, .double, .numeric, .character, .name, .bytea, .timetz, .interval, .bit, .varbit,
      .json, .jsonb, .array, .record, .enumeration, .unknown, .void:
      false
    }
  }
}
