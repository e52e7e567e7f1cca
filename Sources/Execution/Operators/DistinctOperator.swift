import Columnar
import Diagnostics
import Planning

/// The first row for each value of some expressions, or of the whole row.
final class DistinctOperator: StreamOperator {
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

private final class DistinctStage: StreamingStage {
  /// The expressions of ON; nil for the whole row.
  private let keys: [any Evaluator]?
  private let types: [LogicalType]
  private var seen: DistinctSet
  private let account = MemoryAccount()

  init(_ keys: [any Evaluator]?, types: [LogicalType], next: Stage) {
    self.keys = keys
    self.types = types
    seen = DistinctSet(types: types)
    super.init(next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    if seen.count > 0 { seen = DistinctSet(types: types) }
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
      let isFirst = try seen.insertNew([], count: 1).count == 1
      if isFirst { _ = try next.push(chunk.slice(from: 0, count: 1)) }
      return false
    }
    let fresh = try seen.insertNew(columns, count: chunk.count)
    try account.set(seen.byteCount)
    return fresh.count == 0 ? true : try next.push(chunk.gathered(fresh))
  }
}

/// All different rows of a pipeline that several workers run: each keeps a set of its own, and the sets are united.
final class DistinctSource: ChunkListSource {
  private let pipeline: Pipeline
  private let sink: DistinctSink
  /// The rows, where they are read piece by piece.
  private var rows: DistinctSet?

  /// About `expectedRows` are different.
  init(_ input: Stream, expectedRows: Double) {
    sink = DistinctSink(
      types: input.types, expectedCount: Int(max(0, min(expectedRows, Double(Int32.max)))))
    pipeline = Pipeline(input, into: sink)
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    chunks = []
    rows = nil
    try pipeline.run(context)
    let found = sink.takeSet()
    if found.pieceCount == nil {
      chunks = try found.chunks()
    } else {
      rows = found
    }
  }

  override var morselCount: Int { rows?.pieceCount ?? super.morselCount }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let rows else { return try super.produce(morsel, into: stage, context) }
    for chunk in try rows.chunks(ofPiece: morsel) {
      let more = try chunk.forEachPart { (part) throws(SQLError) in try stage.push(part) }
      if !more { return false }
    }
    return true
  }
}

/// Gathers the different rows of all workers.
final class DistinctSink: Sink {
  private let types: [LogicalType]
  private let expectedCount: Int
  private var stages: [DistinctSinkStage] = []
  private var set: DistinctSet

  init(types: [LogicalType], expectedCount: Int = 0) {
    self.types = types
    self.expectedCount = expectedCount
    set = DistinctSet(types: types)
  }

  override func start(_ context: ExecutionContext, workerCount: Int) throws(SQLError) {
    if stages.count > 1 { stages.removeLast(stages.count - 1) }
  }

  override func makeStage(worker: Int) throws(SQLError) -> SinkStage {
    let stage = DistinctSinkStage(types, expectedCount: expectedCount)
    stages.append(stage)
    return stage
  }

  override func combine(_ context: ExecutionContext) throws(SQLError) {
    guard let first = stages.first else { return }
    for other in stages.dropFirst() { try first.seen.formUnion(other.seen) }
    set = first.seen
    for stage in stages { stage.forget() }
  }

  /// The set, which the sink then forgets.
  func takeSet() -> DistinctSet {
    defer { set = DistinctSet(types: types) }
    return set
  }
}

private final class DistinctSinkStage: SinkStage {
  private(set) var seen: DistinctSet
  private let expectedCount: Int
  private let account = MemoryAccount()

  init(_ types: [LogicalType], expectedCount: Int) {
    seen = DistinctSet(types: types, expectedCount: expectedCount)
    self.expectedCount = expectedCount
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    forget()
    account.reset(context)
  }

  func forget() { seen = DistinctSet(types: seen.types, expectedCount: expectedCount) }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    _ = try seen.insertNew(chunk.columns, count: chunk.count)
    try account.set(seen.byteCount)
    return true
  }
}
