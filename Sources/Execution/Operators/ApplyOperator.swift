import Columnar
import Diagnostics
import Planning

/// A join whose right side is run for each distinct set of values of the left columns it uses.
///
/// What the right side gave for a set of values is kept for the rest of the run, unless it is volatile.
final class ApplyOperator: StreamOperator {
  private let apply: Apply
  private let right: Stream
  /// Where the right side finds the parameters, one for each.
  private let outer: [OuterColumn]
  private let leftCompiler: ExpressionCompiler
  private let pairCompiler: ExpressionCompiler

  init(
    _ apply: Apply, right: Stream, outer: [OuterColumn],
    _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  ) {
    self.apply = apply
    self.right = right
    self.outer = outer
    leftCompiler = compiler(apply.left.outputs)
    pairCompiler = compiler(apply.left.outputs + apply.right.outputs)
  }

  /// The parameters have one place for all workers.
  override var isSequential: Bool { true }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    var rules = JoinRules(apply.kind)
    rules.marksUnknown = true
    let conditions = apply.conditions
    let parameters = try leftCompiler.compile(
      apply.parameters.map { .column($0.id, $0.type) })
    return ApplyStage(
      ApplyStage.Right(
        runner: StreamRunner(right), types: right.types, outer: outer, parameters: parameters,
        isVolatile: apply.isVolatile),
      rules,
      conditions: try PairConditions(
        conditions, probe: apply.left.outputs, build: apply.right.outputs, pairCompiler),
      truth: conditions.isEmpty ? nil : try pairCompiler.compile(.and(conditions)),
      probeTypes: apply.left.outputs.map(\.type), next: next)
  }
}

private final class ApplyStage: PairJoinStage {
  struct Right {
    let runner: StreamRunner
    let types: [LogicalType]
    let outer: [OuterColumn]
    let parameters: [any Evaluator]
    /// Whether each row needs rows of its own.
    let isVolatile: Bool
  }
  private let right: Right
  private var table: GroupTable
  /// What the right side gave for each set of parameters.
  private var results: [[DataChunk]] = []
  private let account = MemoryAccount()

  init(
    _ right: Right, _ rules: JoinRules, conditions: PairConditions?, truth: (any Evaluator)?,
    probeTypes: [LogicalType], next: Stage
  ) {
    self.right = right
    table = GroupTable(types: right.outer.map(\.type))
    super.init(
      rules, isFlipped: false, conditions: conditions, truth: truth, probeTypes: probeTypes,
      next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    table = GroupTable(types: right.outer.map(\.type))
    results = []
    account.reset(context)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    var chunk = chunk
    var keys: [Vector] = []
    for parameter in right.parameters {
      keys.append(try parameter.evaluateNormalized(&chunk, context))
    }
    if right.isVolatile {
      results = []
      for row in 0..<chunk.count { try run(keys, row, context) }
      try account.set(byteCount)
      let own = Buffer<UInt32>(uninitialized: max(chunk.count, 1))
      for row in 0..<chunk.count { own[row] = UInt32(truncatingIfNeeded: row) }
      return try joinResults(chunk, own)
    }
    let groups = try table.findOrInsert(keys, count: chunk.count)
    let known = results.count
    for row in 0..<chunk.count where Int(groups[row]) >= results.count {
      try run(keys, row, context)
    }
    if results.count > known { try account.set(byteCount) }
    return try joinResults(chunk, groups)
  }

  private var byteCount: Int {
    table.byteCount + results.reduce(0) { $0 + $1.reduce(0) { $0 + $1.approximateByteCount } }
  }

  /// Runs the right side with the parameters of one row.
  ///
  /// New groups are numbered in row order.
  private func run(
    _ keys: [Vector], _ row: Int, _ context: ExecutionContext
  ) throws(SQLError) {
    for (column, key) in zip(right.outer, keys) { column.value = key.constant(at: row, count: 1) }
    let collector = CollectorStage()
    try collector.start(context)
    _ = try right.runner.run(into: collector, context)
    results.append(collector.takeChunks())
  }

  /// Puts the results that the chunk's rows need together, each once, and joins the rows with them.
  private func joinResults(
    _ chunk: DataChunk, _ groups: Buffer<UInt32>
  ) throws(SQLError) -> Bool {
    var starts: [UInt32: UInt32] = [:]
    var ends: [UInt32: UInt32] = [:]
    var parts: [DataChunk] = []
    var total: UInt32 = 0
    let ranges = CandidateRanges(all: 0, count: chunk.count)
    for row in 0..<chunk.count {
      let group = groups[row]
      if starts[group] == nil {
        starts[group] = total
        for part in results[Int(group)] {
          parts.append(part)
          total += UInt32(truncatingIfNeeded: part.count)
        }
        ends[group] = total
      }
      ranges.starts[row] = starts[group] ?? 0
      ranges.ends[row] = ends[group] ?? 0
    }
    let build = try BuildRows(parts, types: right.types, optional: rules.keepsProbe)
    return try join(chunk, ranges, build)
  }
}
