import Columnar
import Diagnostics
import Planning

/// A join of every pair: the right side is kept, each left row meets all of it, or those rows that stand in a range.
final class NestedLoopJoinOperator: StreamOperator {
  private let join: NestedLoopJoin
  private let rules: JoinRules
  private let buildPipeline: Pipeline
  private let sink = CollectorSink()
  private let isStable: Bool
  private var builtRun: UInt64 = 0
  private let compiler: ExpressionCompiler
  private let leftCompiler: ExpressionCompiler
  private let account = MemoryAccount()
  fileprivate private(set) var build = BuildRows.none
  /// What this run's workers note of build rows; not the workers' stages, which know their operator.
  fileprivate var buildMarks: [Buffer<UInt8>] = []

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
    leftCompiler = compiler(join.left.outputs)
    buildPipeline = Pipeline(right, into: sink)
  }

  override var givesOwnRows: Bool { rules.keepsBuild }

  override var isSequential: Bool { join.conditions.contains { $0.callsSession } }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    buildMarks = []
    // Inside a recursion a side that does not depend on the round is built in the first one only.
    if isStable && builtRun == context.runNumber { return build.count > 0 || !rules.needsBuildRows }
    builtRun = context.runNumber
    account.reset(context)
    try buildPipeline.run(context)
    let chunks = sink.takeChunks()
    var rows = try BuildRows(
      chunks, types: join.right.outputs.map(\.type), optional: rules.keepsProbe)
    try rows.prepare(for: try pairConditions(), context)
    build = rows
    try account.charge(rows.preparedByteCount)
    return build.count > 0 || !rules.needsBuildRows
  }

  /// The conditions of a semi- or anti-join on the left row alone, which are asked once rather than with each right row, and
  /// all others.
  private var conditions: (ofLeft: [BoundExpression], ofPairs: [BoundExpression]) {
    guard rules.output == .matched || rules.output == .unmatched else {
      return ([], join.conditions)
    }
    let left = join.left.outputs.ids
    func isOfLeft(_ condition: BoundExpression) -> Bool {
      !condition.columns.isEmpty && condition.columns.isSubset(of: left)
    }
    return (join.conditions.filter(isOfLeft), join.conditions.filter { !isOfLeft($0) })
  }

  private func pairConditions() throws(SQLError) -> PairConditions? {
    try PairConditions(
      conditions.ofPairs, probe: join.left.outputs, build: join.right.outputs,
      rangeKey: join.rangeKey, compiler)
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    let (ofLeft, rest) = conditions
    let truth = rest.isEmpty ? nil : try compiler.compile(.and(rest))
    let guards = ofLeft.isEmpty ? nil : try ConjunctiveFilter(ofLeft, leftCompiler)
    return NestedLoopJoinStage(
      self, rules, guards: guards, conditions: try pairConditions(), truth: truth,
      probeTypes: join.left.outputs.map(\.type), next: next)
  }
}

private final class NestedLoopJoinStage: PairJoinStage {
  private let owner: NestedLoopJoinOperator
  /// Conditions without which a left row has no match; nil for none.
  private let guards: ConjunctiveFilter?

  init(
    _ join: NestedLoopJoinOperator, _ rules: JoinRules, guards: ConjunctiveFilter?,
    conditions: PairConditions?, truth: (any Evaluator)?, probeTypes: [LogicalType], next: Stage
  ) {
    owner = join
    self.guards = guards
    super.init(
      rules, isFlipped: false, conditions: conditions, truth: truth, probeTypes: probeTypes,
      next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    if let marks = startBuildMarks(owner.build.count) { owner.buildMarks.append(marks) }
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let build = owner.build
    guard let guards else {
      return try join(chunk, CandidateRanges(all: build.candidateCount, count: chunk.count), build)
    }
    var chunk = chunk
    guard let kept = try guards.select(&chunk, try running()) else {
      return try join(chunk, CandidateRanges(all: build.candidateCount, count: chunk.count), build)
    }
    let ranges = CandidateRanges(all: 0, count: chunk.count)
    for index in 0..<kept.count {
      ranges.ends[kept.positions[index]] = UInt32(truncatingIfNeeded: build.candidateCount)
    }
    return try join(chunk, ranges, build)
  }

  override func finish() throws(SQLError) {
    if rules.keepsBuild {
      try outputUnmatchedBuild(owner.buildMarks, owner.build)
    }
    try next.finish()
  }
}
