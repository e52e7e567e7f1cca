import Columnar
import Diagnostics
import Planning

/// A join of every pair: the right side is kept, each left row meets all of it.
final class NestedLoopJoinOperator: StreamOperator, @unchecked Sendable {
  private let join: NestedLoopJoin
  private let rules: JoinRules
  private let buildPipeline: Pipeline
  private let sink = CollectorSink()
  private let isStable: Bool
  private var builtRun: UInt64 = 0
  private let compiler: ExpressionCompiler
  fileprivate private(set) var build = BuildRows([], types: [], optional: false)
  fileprivate var stages: [NestedLoopJoinStage] = []

  init(
    _ join: NestedLoopJoin, right: Stream, isStable: Bool,
    _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  ) {
    self.join = join
    self.isStable = isStable
    var rules = JoinRules(join.kind)
    rules.marksUnknown = true
    self.rules = rules
    self.compiler = compiler(join.left.outputs + join.right.outputs)
    buildPipeline = Pipeline(right, into: sink)
  }

  override var givesOwnRows: Bool { rules.keepsBuild }

  override var isSequential: Bool { join.conditions.contains { $0.callsSession } }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    stages = []
    // Inside a recursion a side that does not depend on the round is built in the first one only.
    if isStable && builtRun == context.runNumber { return build.count > 0 || !rules.needsBuildRows }
    builtRun = context.runNumber
    try buildPipeline.run(context)
    let chunks = sink.takeChunks()
    build = BuildRows(
      chunks, types: join.right.outputs.map(\.type), optional: rules.keepsProbe)
    return build.count > 0 || !rules.needsBuildRows
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    let filter = join.conditions.isEmpty ? nil : try ConjunctiveFilter(join.conditions, compiler)
    let truth = join.conditions.isEmpty ? nil : try compiler.compile(.and(join.conditions))
    return NestedLoopJoinStage(
      self, rules, filter: filter, truth: truth, probeTypes: join.left.outputs.map(\.type),
      next: next)
  }
}

private final class NestedLoopJoinStage: PairJoinStage, @unchecked Sendable {
  private let owner: NestedLoopJoinOperator

  init(
    _ join: NestedLoopJoinOperator, _ rules: JoinRules, filter: ConjunctiveFilter?,
    truth: (any Evaluator)?, probeTypes: [LogicalType], next: Stage
  ) {
    owner = join
    super.init(
      rules, isFlipped: false, filter: filter, truth: truth, probeTypes: probeTypes, next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    startBuildMarks(owner.build.count)
    owner.stages.append(self)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let build = owner.build
    return try join(chunk, CandidateRanges(all: build.count, count: chunk.count), build)
  }

  override func finish() throws(SQLError) {
    if rules.keepsBuild {
      try outputUnmatchedBuild(owner.stages.compactMap(\.buildMarks), owner.build)
    }
    try next.finish()
  }
}
