import Columnar
import Diagnostics
import Planning
import Storage

/// The values that codes of a column stand for.
final class DecodingEvaluator: Evaluator {
  let type: LogicalType
  private let codes: any Evaluator
  private let source: CodedColumn

  init(_ codes: any Evaluator, _ source: CodedColumn, _ type: LogicalType) {
    self.codes = codes
    self.source = source
    self.type = type
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let column = try codes.evaluate(&chunk, context)
    let values = try context.tables.table(source.table).codes(of: source.column)
      .decode(column, count: chunk.count)
    return values.type == type ? values : values.retyped(type)
  }
}
