import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// The defaults of columns, for SET DEFAULT.
enum DefaultValues {
  /// `count` values of a column's default.
  static func make(
    _ index: Int, of table: TableDefinition, _ count: Int, _ transaction: OpenTransaction,
    _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    let column = table.columns[index]
    switch column.defaultValue {
    case nil: return .null(column.type, count: count)
    case .sequence(let id):
      guard let sequence = transaction.catalog.sequences[id] else {
        return .null(column.type, count: count)
      }
      return try nextValues(count, of: sequence, type: column.type, transaction)
    case .expression(let syntax):
      let bound = try Binder(catalog: transaction.catalog).bindExpression(
        syntax, for: .columnDefault, target: (column.name, column.columnType))
      let evaluator = try ExpressionCompiler([]).compile(bound.expression)
      var chunk = DataChunk([], count: count)
      return try evaluator.evaluate(&chunk, context)
    }
  }

  /// `count` values of a sequence in a column's type.
  static func nextValues(
    _ count: Int, of sequence: SequenceDefinition, type: LogicalType, _ transaction: OpenTransaction
  ) throws(SQLError) -> Vector {
    var builder = VectorBuilder(type, capacity: count)
    var left = count
    while left > 0 {
      let (first, taken) = try transaction.state.sequences.take(left, of: sequence)
      for step in 0..<taken {
        let value = first &+ Int64(step) &* sequence.increment
        switch type.physical {
        case .int16: builder.append(.int16(Int16(truncatingIfNeeded: value)))
        case .int32: builder.append(.int32(Int32(truncatingIfNeeded: value)))
        case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
          builder.append(.int64(value))
        }
      }
      left -= taken
    }
    return builder.finish()
  }
}

extension RowRules {
  /// The rules of a table that a referential action writes to, and the columns they are over.
  static func bind(
    for table: TableDefinition, in catalog: CatalogSnapshot
  ) throws(SQLError) -> (RowRules, [PlanColumn]) {
    let factory = ColumnFactory()
    let row = table.columns.map { factory.make($0.name, $0.type) }
    let binder = Binder(catalog: catalog)
    var rules = RowRules()
    do throws(SQLError) {
      for (index, column) in table.columns.enumerated() {
        guard let syntax = column.generated else { continue }
        let bound = try binder.bindExpression(
          syntax, over: row, of: table, for: .generated,
          target: (column.name, column.columnType))
        rules.generated.append((index, bound.expression))
      }
      for check in table.checks {
        let bound = try binder.bindExpression(
          check.expression, over: row, of: table, for: .check)
        rules.checks.append((check.name, bound.expression))
      }
    } catch {
      // The place is one in the table's definition, not in the statement.
      var moved = error
      moved.range = .none
      throw moved
    }
    return (rules, row)
  }
}
