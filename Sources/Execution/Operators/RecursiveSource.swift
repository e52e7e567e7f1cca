import Columnar
import Diagnostics

/// The rows of the last round of a recursion, or of a common table expression: chunks by name.
final class SharedRows {
  var chunks: [DataChunk] = []
}

/// Hands out shared rows.
final class SharedRowsSource: ChunkListSource {
  private let rows: SharedRows
  private let materialize: CommonTable?

  init(_ rows: SharedRows, _ common: CommonTable? = nil) {
    self.rows = rows
    materialize = common
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    try materialize?.materialize(context)
    chunks = rows.chunks
  }
}

/// A common table expression: computed when it is first read, once in a run.
final class CommonTable {
  let rows = SharedRows()
  private let sink = CollectorSink()
  private let pipeline: Pipeline
  private var isComplete = false

  init(_ definition: Stream) { pipeline = Pipeline(definition, into: sink) }

  func forget() {
    isComplete = false
    rows.chunks = []
  }

  func materialize(_ context: ExecutionContext) throws(SQLError) {
    if isComplete { return }
    try pipeline.run(context)
    rows.chunks = sink.takeChunks()
    isComplete = true
  }
}

/// Where the common table expressions of a WITH begin to exist: behind its body, so that it is prepared first.
final class CommonScopeOperator: StreamOperator {
  private let table: CommonTable
  /// Whether the definition changes data, and so runs whether it is read or not.
  private let isEager: Bool

  init(_ table: CommonTable, isEager: Bool) {
    self.table = table
    self.isEager = isEager
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    table.forget()
    if isEager { try table.materialize(context) }
    return true
  }
}

/// WITH RECURSIVE: the anchor's rows, then the step over each round's new rows, until a round gives none.
///
/// Each round's rows are handed on as soon as the round is done, so that a limit above ends a recursion that
/// would never end by itself.
final class RecursiveSource: Source {
  private let anchor: StreamRunner
  private let step: StreamRunner
  private let isAll: Bool
  private let types: [LogicalType]
  private let working: SharedRows

  init(anchor: Stream, step: Stream, isAll: Bool, working: SharedRows) {
    self.anchor = StreamRunner(anchor)
    self.step = StreamRunner(step)
    self.isAll = isAll
    self.working = working
    types = anchor.types
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let round = RoundStage(types, isAll: isAll, target: stage)
    try round.start(context)
    guard try anchor.run(into: round, context) else { return false }
    while true {
      try context.check()
      let fresh = round.takeRound()
      if fresh.isEmpty { break }
      working.chunks = fresh
      guard try step.run(into: round, context) else { return false }
    }
    working.chunks = []
    return true
  }
}

/// Takes a round's rows, drops those that have been before, and hands on the rest.
private final class RoundStage: Stage {
  private let target: Stage
  private let isAll: Bool
  private let seen: DistinctSet
  private var fresh: [DataChunk] = []
  private var freshByteCount = 0
  private let account = MemoryAccount()

  init(_ types: [LogicalType], isAll: Bool, target: Stage) {
    self.target = target
    self.isAll = isAll
    seen = DistinctSet(types: types)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) { account.reset(context) }

  func takeRound() -> [DataChunk] {
    defer {
      fresh = []
      freshByteCount = 0
    }
    return fresh
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    var rows = chunk
    if !isAll {
      if chunk.columns.isEmpty { return false }
      let new = try seen.insertNew(chunk.columns, count: chunk.count)
      if new.count == 0 { return true }
      rows = chunk.gathered(new)
    }
    // Flat copies: an indirect column would keep the chunks of every round before alive.
    rows.columns = rows.columns.map { $0.normalized() }
    fresh.append(rows)
    freshByteCount += rows.approximateByteCount
    try account.set(seen.byteCount + freshByteCount)
    return try target.push(rows)
  }
}
