import Columnar
import Diagnostics
import Planning

/// Rows written out in the query.
final class ValuesSource: Source {
  private let rows: [[any Evaluator]]
  private let types: [LogicalType]

  init(_ rows: [[BoundExpression]], outputs: [PlanColumn], _ compiler: ExpressionCompiler)
    throws(SQLError)
  {
    var compiled: [[any Evaluator]] = []
    for row in rows { compiled.append(try compiler.compile(row)) }
    self.rows = compiled
    types = outputs.map(\.type)
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    var start = 0
    while start < rows.count {
      let end = min(rows.count, start + Vector.chunkCapacity)
      try context.check()
      if try !stage.push(try chunk(start..<end, context)) { return false }
      start = end
    }
    return true
  }

  private func chunk(_ range: Range<Int>, _ context: ExecutionContext) throws(SQLError) -> DataChunk
  {
    var parts = [[Vector]](repeating: [], count: types.count)
    for row in range {
      for column in types.indices {
        var one = DataChunk([], count: 1)
        parts[column].append(try rows[row][column].evaluate(&one, context))
      }
    }
    let columns = types.indices.map { column in
      range.count == 1
        ? parts[column][0].retyped(types[column])
        : Vector.concatenate(parts[column], type: types[column])
    }
    return DataChunk(columns, count: range.count)
  }
}
