import Columnar
import Diagnostics
import Planning

/// Computed columns.
final class ProjectOperator: StreamOperator {
  private let expressions: [BoundExpression]
  private let compiler: ExpressionCompiler

  init(_ expressions: [BoundExpression], _ compiler: ExpressionCompiler) {
    self.expressions = expressions
    self.compiler = compiler
  }

  override var isSequential: Bool { expressions.contains { $0.callsSession } }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    ProjectStage(
      try compiler.compile(expressions), isByRow: expressions.sessionCallCount > 1, next: next)
  }
}

private final class ProjectStage: StreamingStage {
  private let evaluators: [any Evaluator]
  /// Whether one row is computed after another: what a call of `nextval` gives depends on the others before it.
  private let isByRow: Bool

  init(_ evaluators: [any Evaluator], isByRow: Bool, next: Stage) {
    self.evaluators = evaluators
    self.isByRow = isByRow
    super.init(next: next)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    guard isByRow, chunk.count > 1 else {
      return try next.push(DataChunk(try evaluate(chunk, context), count: chunk.count))
    }
    var builders = evaluators.map { VectorBuilder($0.type, capacity: chunk.count) }
    for row in 0..<chunk.count {
      let values = try evaluate(chunk.slice(from: row, count: 1), context)
      for (index, value) in values.enumerated() { builders[index].append(value) }
    }
    var columns: [Vector] = []
    for index in builders.indices { columns.append(builders[index].finish()) }
    return try next.push(DataChunk(columns, count: chunk.count))
  }

  private func evaluate(
    _ chunk: DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> [Vector] {
    var input = chunk
    var columns: [Vector] = []
    columns.reserveCapacity(evaluators.count)
    for evaluator in evaluators { columns.append(try evaluator.evaluate(&input, context)) }
    return columns
  }
}

extension [BoundExpression] {
  /// The number of calls that look at the session or change it.
  fileprivate var sessionCallCount: Int {
    var count = 0
    for expression in self {
      _ = expression.contains { part in
        if case .session = part { count += 1 }
        return false
      }
    }
    return count
  }
}

/// Chunks with further columns behind their own: keys and arguments that a later step needs.
///
/// An expression that is a column of the input adds nothing, its place is used.
final class ColumnExtension {
  /// The place of each expression's value in an extended chunk.
  private(set) var places: [Int] = []
  private var evaluators: [any Evaluator] = []
  /// The types of the columns added.
  private(set) var addedTypes: [LogicalType] = []
  private let width: Int

  init(_ expressions: [BoundExpression], width: Int, _ compiler: ExpressionCompiler)
    throws(SQLError)
  {
    self.width = width
    for expression in expressions {
      if case .column(let id, _) = expression, let place = compiler.scope.position(of: id) {
        places.append(place)
      } else {
        places.append(width + evaluators.count)
        let evaluator = try compiler.compile(expression)
        evaluators.append(evaluator)
        addedTypes.append(evaluator.type)
      }
    }
  }

  /// The chunk with the values of all expressions.
  func extend(_ chunk: DataChunk, _ context: ExecutionContext) throws(SQLError) -> DataChunk {
    if evaluators.isEmpty { return chunk }
    var extended = chunk
    var added: [Vector] = []
    for evaluator in evaluators { added.append(try evaluator.evaluate(&extended, context)) }
    extended.columns += added
    return extended
  }
}
