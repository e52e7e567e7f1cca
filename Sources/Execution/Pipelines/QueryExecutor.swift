package import Columnar
package import Diagnostics
package import Planning

/// The rows of a query.
///
/// A chunk may have more rows than operators take.
/// Texts may stand in the tables that were read, which the result keeps alive.
package struct QueryResult: Sendable {
  package var columns: [PlanColumn]
  package var chunks: [DataChunk]
  private let tables: (any TableSource)?
  /// What the chunks hold: it counts as long as somebody keeps them.
  package let memory: [HeldMemory]

  package init(
    columns: [PlanColumn], chunks: [DataChunk], tables: (any TableSource)? = nil,
    memory: [HeldMemory] = []
  ) {
    self.columns = columns
    self.chunks = chunks
    self.tables = tables
    self.memory = memory
  }

  package var rowCount: Int { chunks.reduce(0) { $0 + $1.count } }
}

/// A physical plan made ready to run, any number of times but one run at a time.
///
/// What is set up once (compiled expressions, operator state, buffers) is used again by each run,
/// so that a cached plan of a point query costs little more than its look-ups.
///
/// Sendable by rule: whoever takes an executor from a cache keeps it for itself until its run ends.
package final class QueryExecutor: @unchecked Sendable {
  package let plan: PhysicalPlan
  let collector: Pipeline
  private let sink: CollectorSink
  private let runner: StreamRunner
  private let counters: [OperatorCounter]
  /// The source that gives the only chunk of the whole plan, for which no pipeline is started.
  private let single: OneChunkSource?
  /// The short way, where the whole plan is a look-up of one number.
  package let point: PointLookup?

  /// The most rows of a chunk of a result, where they stand together: so many that chunks cost little beside their
  /// rows, and so few that a result can be written out piece by piece.
  package static let resultChunkLimit = 1 << 16

  /// - Parameters:
  ///   - plan: The plan.
  ///   - isMeasured: Whether runs fill `statistics`; then each chunk goes through the pipeline, that of a point query too.
  /// - Throws: XX000 for a plan that breaks its own rules.
  package init(_ plan: PhysicalPlan, isMeasured: Bool = false) throws(SQLError) {
    self.plan = plan
    let compiler = PlanCompiler(countsRows: isMeasured)
    let stream = try compiler.stream(plan)
    sink = CollectorSink(chunkLimit: Self.resultChunkLimit)
    collector = Pipeline(stream, into: sink)
    runner = StreamRunner(stream)
    counters = compiler.counters
    single = stream.operators.isEmpty ? stream.source as? OneChunkSource : nil
    point = isMeasured ? nil : PointLookup(plan) ?? PointLookup(single)
  }

  /// The short way of a plan, for EXPLAIN; nil for a plan that has none.
  static func shortWay(of plan: PhysicalPlan) -> PointLookup? {
    if let point = PointLookup(plan) { return point }
    guard case .rowSummary = plan.node else { return nil }
    return (try? QueryExecutor(plan))?.point
  }

  /// What each operator did in all runs so far, in pre-order of the plan.
  package var statistics: [OperatorStatistics] { counters.map(\.statistics) }

  /// Runs the plan and gives all its rows.
  ///
  /// - Throws: what an expression or a rule of the query throws; 57014 when cancelled; 53200 past
  ///   the limit of memory.
  package func execute(in context: ExecutionContext) throws(SQLError) -> QueryResult {
    if let single {
      try single.prepare(context)
      return QueryResult(
        columns: plan.outputs, chunks: [try single.chunk(context)], tables: context.tables)
    }
    try collector.run(context)
    let (chunks, memory) = sink.takeResult()
    return QueryResult(
      columns: plan.outputs, chunks: chunks, tables: context.tables, memory: memory)
  }

  /// Runs the plan in the calling thread and hands over each chunk as it comes, until `body` says no.
  ///
  /// The chunks' texts may stand in the tables of the context.
  ///
  /// - Throws: as `execute(in:)`, and what `body` throws.
  package func stream(
    in context: ExecutionContext,
    _ body: @escaping (DataChunk) throws(SQLError) -> Bool
  ) throws(SQLError) {
    _ = try runner.run(into: CallbackStage(body), context)
  }

  /// Runs a plan once.
  package static func execute(
    _ plan: PhysicalPlan, in context: ExecutionContext
  ) throws(SQLError) -> QueryResult {
    try QueryExecutor(plan).execute(in: context)
  }
}

/// The end of a stream that a caller reads.
private final class CallbackStage: Stage {
  private let body: (DataChunk) throws(SQLError) -> Bool

  init(_ body: @escaping (DataChunk) throws(SQLError) -> Bool) { self.body = body }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool { try body(chunk) }
}
