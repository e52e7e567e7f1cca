import Columnar
import Diagnostics
import Planning

/// Rows for which every condition is true, and that joins further on may match.
final class FilterOperator: StreamOperator {
  private let conditions: [BoundExpression]
  private let members: [ConjunctiveFilter.Member]
  private let compiler: ExpressionCompiler
  /// Whether nothing is asked of the rows but how many they are.
  private var isCounted = false

  init(
    _ conditions: [BoundExpression], members: [ConjunctiveFilter.Member] = [],
    _ compiler: ExpressionCompiler
  ) {
    self.conditions = conditions
    self.members = members
    self.compiler = compiler
  }

  override var isSequential: Bool { conditions.contains { $0.callsSession } }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    FilterStage(
      try ConjunctiveFilter(conditions, members: members, compiler), isCounted: isCounted,
      next: next)
  }

  /// Tells the filter from which the rows of a stream come that nothing is asked of them but how many they are.
  static func expectCount(of stream: Stream) {
    for item in stream.operators.reversed() {
      if let filter = item as? FilterOperator { filter.isCounted = true }
      guard item is OperatorCounter || item is CompactOperator else { return }
    }
  }
}

private final class FilterStage: StreamingStage {
  private let filter: ConjunctiveFilter
  private let isCounted: Bool

  init(_ filter: ConjunctiveFilter, isCounted: Bool, next: Stage) {
    self.filter = filter
    self.isCounted = isCounted
    super.init(next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    filter.start()
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    if isCounted {
      let count = try filter.count(in: chunk, try running())
      return count == 0 ? true : try next.push(DataChunk([], count: count))
    }
    let kept = try filter.apply(chunk, try running())
    return kept.count == 0 ? true : try next.push(kept)
  }
}

extension BoundExpression {
  /// Whether evaluation has an effect, or depends on what was evaluated before, so that rows must come in order.
  var callsSession: Bool {
    contains { part in
      if case .session = part { return true }
      return false
    }
  }
}
