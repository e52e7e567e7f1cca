import Columnar
import Diagnostics
import Planning

/// A semi- or anti-join by one whole number: the build side is only a set, which the probe side's rows are looked up
/// in, as a bit each where the numbers lie near each other.
///
/// NULL equals nothing: such a row of the probe side has no match, and one of the build side is none.
final class MembershipOperator: StreamOperator {
  private let key: BoundExpression
  private let keepsMatches: Bool
  private let buildPipeline: Pipeline
  private let sink: DistinctSink
  private let isStable: Bool
  private var builtRun: UInt64 = 0
  private let compiler: ExpressionCompiler
  fileprivate private(set) var set: DistinctSet

  /// nil if the join is none of that kind.
  init?(
    _ join: HashJoin, build: Stream, isStable: Bool,
    _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  ) throws(SQLError) {
    guard let key = join.membershipKey else { return nil }
    self.key = key.probe
    if case .semi = join.kind { keepsMatches = true } else { keepsMatches = false }
    self.isStable = isStable
    self.compiler = compiler(join.probe.outputs)
    var stream = build
    stream.operators.append(ProjectOperator([key.build], compiler(join.build.outputs)))
    sink = DistinctSink(types: [key.build.type])
    buildPipeline = Pipeline(stream, into: sink)
    set = DistinctSet(types: [key.build.type])
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    // Inside a recursion a side that does not depend on the round is built in the first one only.
    if !isStable || builtRun != context.runNumber {
      builtRun = context.runNumber
      try buildPipeline.run(context)
      set = sink.takeSet()
    }
    return set.count > 0 || !keepsMatches
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    MembershipStage(
      self, key: try compiler.compile(key), keepsMatches: keepsMatches, next: next)
  }
}

private final class MembershipStage: StreamingStage {
  private let owner: MembershipOperator
  private let key: any Evaluator
  private let keepsMatches: Bool

  init(_ owner: MembershipOperator, key: any Evaluator, keepsMatches: Bool, next: Stage) {
    self.owner = owner
    self.key = key
    self.keepsMatches = keepsMatches
    super.init(next: next)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    var chunk = chunk
    let numbers = try key.evaluateNormalized(&chunk, try running())
    let kept = try owner.set.rows(of: numbers, count: chunk.count, in: keepsMatches)
    return kept.count == 0 ? true : try next.push(chunk.gathered(kept))
  }
}

extension HashJoin {
  /// The only key, where the join asks for nothing but whether a whole number is among those of the build side.
  var membershipKey: Key? {
    switch kind {
    case .semi, .anti: break
    case .inner, .left, .right, .full, .mark, .single: return nil
    }
    guard !isFlipped, keys.count == 1, residual.isEmpty, !keys[0].nullsMatch, !keys[0].isNullAware,
      keys[0].probe.type == keys[0].build.type, !keys[0].probe.callsSession
    else { return nil }
    if keys[0].probe.type.physical == .int16 || keys[0].probe.type.physical == .int32
      || keys[0].probe.type.physical == .int64
    {
      return keys[0]
    }
    return nil
  }
}
