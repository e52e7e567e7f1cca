import Columnar
import Diagnostics
import Planning
import Storage

/// A source that knows its rows by one whole number, a parameter, in so little time that nobody need be able to
/// cancel it.
protocol SummarizedByNumber: AnyObject {
  /// The parameter; nil where the rows depend on more.
  var parameter: Int? { get }
  /// The number of rows; nil where counting them takes longer.
  func countRows(of number: Int64, in tables: any TableSource) throws(SQLError) -> Int?
  /// What is asked of a column in the rows; nil where that takes longer.
  func fold(
    _ column: Int, of number: Int64, in tables: any TableSource
  ) throws(SQLError) -> KeyFold?
}

extension SummarizedByNumber {
  func fold(
    _ column: Int, of number: Int64, in tables: any TableSource
  ) throws(SQLError) -> KeyFold? { nil }
}

/// What is known of the rows of a source that it need not give for that: their number, and measures of one column.
final class RowSummarySource: OneChunkSource {
  private let input: Source
  private let counting: (any SummarizedByNumber)?
  private let measures: [KeyMeasure]
  /// The input's column that is measured.
  private let column: Int?
  private let types: [LogicalType]

  init(_ input: Source, _ summary: RowSummary, columns: [PlanColumn]) {
    self.input = input
    counting = input as? any SummarizedByNumber
    measures = summary.measures
    column = summary.column
    types = columns.map(\.type)
  }

  /// The parameter by which the rows are known without a run.
  var parameter: Int? { counting?.parameter }

  /// Puts the row for a value of the parameter into a chunk that has the row for another one; false where it is
  /// left to a run.
  func chunk(
    of number: Int64, in tables: any TableSource, over chunk: inout DataChunk
  ) throws(SQLError) -> Bool {
    var fold = KeyFold()
    if let column {
      guard let found = try counting?.fold(column, of: number, in: tables) else { return false }
      fold = found
    } else {
      guard let count = try counting?.countRows(of: number, in: tables) else { return false }
      fold.add(0, times: count)
    }
    if !write(fold, over: &chunk) { chunk = try self.chunk(fold) }
    return true
  }

  /// Writes a row over another one where nobody else holds that.
  private func write(_ fold: KeyFold, over chunk: inout DataChunk) -> Bool {
    guard chunk.columns.count == measures.count else { return false }
    for (place, measure) in measures.enumerated() {
      if case .average = measure { return false }
      let isNull =
        if case .count = measure { false } else { fold.count == 0 }
      guard !isNull, chunk.columns[place].reuse(rows: 1) else { return false }
      let value = measure.number(fold)
      let block = chunk.columns[place].storage
      switch types[place].physical {
      case .int16: block.buffer(of: Int16.self)[0] = Int16(truncatingIfNeeded: value)
      case .int32: block.buffer(of: Int32.self)[0] = Int32(truncatingIfNeeded: value)
      case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        block.buffer(of: Int64.self)[0] = value
      }
    }
    return true
  }

  override func chunk(_ context: ExecutionContext) throws(SQLError) -> DataChunk {
    if let column {
      guard let fold = try input.fold(column, context) else { throw Self.unknown }
      return try chunk(fold)
    }
    guard let count = try input.countRows(context) else { throw Self.unknown }
    var fold = KeyFold()
    fold.add(0, times: count)
    return try chunk(fold)
  }

  private static var unknown: SQLError { .internal("a source does not know its rows") }

  private func chunk(_ fold: KeyFold) throws(SQLError) -> DataChunk {
    let folds = Buffer(repeating: fold, count: 1)
    var columns: [Vector] = []
    for (measure, type) in zip(measures, types) {
      columns.append(try measure.vector(of: folds, count: 1, as: type))
    }
    return DataChunk(columns, count: 1)
  }
}
