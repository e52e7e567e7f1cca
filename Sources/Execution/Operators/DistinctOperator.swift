import Columnar
import Diagnostics
import Planning

/// The first row for each value of some expressions, or of the whole row.
final class DistinctOperator: StreamOperator, @unchecked Sendable {
  private let on: [BoundExpression]?
  private let types: [LogicalType]
  private let compiler: ExpressionCompiler

  init(on: [BoundExpression]?, input: [PlanColumn], _ compiler: ExpressionCompiler) {
    self.on = on
    types = on?.map(\.type) ?? input.map(\.type)
    self.compiler = compiler
  }

  override var isSequential: Bool { true }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    let keys = if let on { try compiler.compile(on) } else { nil as [any Evaluator]? }
    return DistinctStage(keys, types: types, next: next)
  }
}

private final class DistinctStage: StreamingStage, @unchecked Sendable {
  /// The expressions of ON; nil for the whole row.
  private let keys: [any Evaluator]?
  private let types: [LogicalType]
  private var table: GroupTable
  private let account = MemoryAccount()

  init(_ keys: [any Evaluator]?, types: [LogicalType], next: Stage) {
    self.keys = keys
    self.types = types
    table = GroupTable(types: types)
    super.init(next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    if table.groupCount > 0 { table = GroupTable(types: types) }
    account.reset(context)
    try super.start(context)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    var input = chunk
    var columns = chunk.columns
    if let keys {
      columns = []
      for key in keys { columns.append(try key.evaluateNormalized(&input, try running())) }
    }
    if columns.isEmpty {
      // Rows without columns are all equal.
      let isFirst = table.groupCount == 0
      _ = table.findOrInsert([], count: 1)
      if isFirst { _ = try next.push(chunk.slice(from: 0, count: 1)) }
      return false
    }
    let fresh = table.insertNew(columns, count: chunk.count)
    try account.set(table.byteCount)
    return fresh.count == 0 ? true : try next.push(chunk.gathered(fresh))
  }
}
