import Columnar
import Diagnostics
import Planning

/// The values of LIMIT and OFFSET in one run.
struct LimitBounds {
  var offset = 0
  /// nil: no limit.
  var count: Int?

  /// The rows up to the end of the limit, the offset included.
  var end: Int? { count.map { $0 > Int.max - offset ? Int.max : $0 + offset } }
}

/// LIMIT and OFFSET, ready to be evaluated.
struct LimitEvaluator {
  private let count: (any Evaluator)?
  private let offset: (any Evaluator)?

  init(_ plan: LimitPlan, _ compiler: ExpressionCompiler) throws(SQLError) {
    count = if let expression = plan.count { try compiler.compile(expression) } else { nil }
    offset = if let expression = plan.offset { try compiler.compile(expression) } else { nil }
  }

  /// - Throws: 2201W or 2201X for a negative number.
  func bounds(_ context: ExecutionContext) throws(SQLError) -> LimitBounds {
    var result = LimitBounds()
    if let offset, let value = try number(offset, context) {
      guard value >= 0 else {
        throw SQLError(.invalidRowCountInOffset, "OFFSET must not be negative")
      }
      result.offset = value
    }
    if let count, let value = try number(count, context) {
      guard value >= 0 else {
        throw SQLError(.invalidRowCountInLimit, "LIMIT must not be negative")
      }
      result.count = value
    }
    return result
  }

  private func number(
    _ evaluator: any Evaluator, _ context: ExecutionContext
  ) throws(SQLError) -> Int? {
    var one = DataChunk([], count: 1)
    switch try evaluator.evaluate(&one, context).value(at: 0) {
    case .int16(let value): return Int(value)
    case .int32(let value): return Int(value)
    case .int64(let value): return Int(value)
    case .null: return nil
    case .boolean, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      throw SQLError.internal("a limit is no whole number")
    }
  }
}

/// Some rows from the start, or from further on; with ties also those equal to the last.
final class LimitOperator: StreamOperator {
  private let plan: LimitPlan
  private let evaluator: LimitEvaluator
  private let compiler: ExpressionCompiler
  private var bounds = LimitBounds()

  init(_ plan: LimitPlan, _ compiler: ExpressionCompiler) throws(SQLError) {
    self.plan = plan
    self.compiler = compiler
    evaluator = try LimitEvaluator(plan, compiler)
  }

  override var isSequential: Bool { true }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    bounds = try evaluator.bounds(context)
    return bounds.count != 0
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    let ties = try compiler.compile((plan.ties ?? []).map(\.expression))
    return LimitStage(self, ties: ties, hasTies: plan.ties != nil, next: next)
  }

  private final class LimitStage: StreamingStage {
    private let limit: LimitOperator
    private let ties: [any Evaluator]
    private let hasTies: Bool
    private var skipped = 0
    private var passed = 0
    /// The keys of the last row, once the limit is reached.
    private var lastKeys: [Vector]?

    init(_ limit: LimitOperator, ties: [any Evaluator], hasTies: Bool, next: Stage) {
      self.limit = limit
      self.ties = ties
      self.hasTies = hasTies
      super.init(next: next)
    }

    override func start(_ context: ExecutionContext) throws(SQLError) {
      skipped = 0
      passed = 0
      lastKeys = nil
      try super.start(context)
    }

    override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
      var rest = chunk
      let bounds = limit.bounds
      // An outer join below may still hand on rows when the limit has been reached.
      if let count = bounds.count, passed >= count, lastKeys == nil { return false }
      if skipped < bounds.offset {
        let length = min(bounds.offset - skipped, rest.count)
        skipped += length
        if length == rest.count { return true }
        rest = rest.slice(from: length, count: rest.count - length)
      }
      guard let count = bounds.count else { return try next.push(rest) }
      if lastKeys != nil { return try pushTies(rest) }
      let length = min(count - passed, rest.count)
      passed += length
      let wantsMore = try next.push(rest.slice(from: 0, count: length))
      if passed < count { return wantsMore }
      guard hasTies, wantsMore else { return false }
      try noteKeys(rest, at: length - 1)
      if length == rest.count { return true }
      return try pushTies(rest.slice(from: length, count: rest.count - length))
    }

    private func noteKeys(_ chunk: DataChunk, at row: Int) throws(SQLError) {
      var chunk = chunk
      var keys: [Vector] = []
      for tie in ties {
        keys.append(try tie.evaluate(&chunk, try running()).constant(at: row, count: 1))
      }
      lastKeys = keys
    }

    /// Passes on the rows up to the first whose keys differ from the last row's.
    private func pushTies(_ chunk: DataChunk) throws(SQLError) -> Bool {
      guard let lastKeys else { return false }
      var input = chunk
      var length = chunk.count
      for (tie, key) in zip(ties, lastKeys) {
        let values = try tie.evaluateNormalized(&input, try running())
        let differs = Comparisons.distinct(
          values, key.resized(to: chunk.count), negated: false, count: chunk.count)
        let rows = SelectionVector(whereTrue: differs)
        if rows.count > 0 { length = min(length, Int(rows.positions[0])) }
      }
      if length > 0, try !next.push(chunk.slice(from: 0, count: length)) { return false }
      return length == chunk.count
    }
  }
}
