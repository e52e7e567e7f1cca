import Columnar
import Diagnostics
import Planning
import Storage

/// Puts beside each row the number of edges of the parent that it names: a look into the index, whatever the number.
final class EdgeCountOperator: StreamOperator, @unchecked Sendable {
  private let access: AdjacencyAccess
  private let keys: [BoundExpression]
  private let compiler: ExpressionCompiler

  /// `compiler` compiles expressions over the input's columns, `keys` among them.
  init(_ access: AdjacencyAccess, keys: [BoundExpression], _ compiler: ExpressionCompiler) {
    self.access = access
    self.keys = keys
    self.compiler = compiler
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    try access.open(context.tables)
    return true
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    EdgeCountStage(access, keys: try compiler.compile(keys), next: next)
  }
}

private final class EdgeCountStage: StreamingStage, @unchecked Sendable {
  private let access: AdjacencyAccess
  private let keys: [any Evaluator]

  init(_ access: AdjacencyAccess, keys: [any Evaluator], next: Stage) {
    self.access = access
    self.keys = keys
    super.init(next: next)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    var chunk = chunk
    let count = chunk.count
    let sources = try access.sources(of: &chunk, keys, try running())
    let degrees = try access.current().adjacency.degrees(of: sources, count: count)
    let numbers = Buffer<Int64>(uninitialized: count)
    for row in 0..<count { numbers[row] = Int64(truncatingIfNeeded: degrees[row]) }
    return try next.push(
      DataChunk(chunk.columns + [Vector(.bigint, numbers, count: count)], count: count))
  }
}
