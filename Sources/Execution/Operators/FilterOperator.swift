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
      bound: members.lazy.compactMap(FilterStage.Bound.init).first, next: next)
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
  /// What tells of rows that they are not wanted, once some have been seen further on.
  struct Bound {
    let known: SharedSortBound
    /// The place of its column.
    let column: Int

    init?(_ member: ConjunctiveFilter.Member) {
      guard let bound = member.filter.bound else { return nil }
      known = bound
      column = member.column
    }
  }
  private let bound: Bound?
  /// The most rows that go on together as long as the bound is not known.
  private var partSize = FilterStage.firstPartSize

  private static let firstPartSize = 64

  init(_ filter: ConjunctiveFilter, isCounted: Bool, bound: Bound?, next: Stage) {
    self.filter = filter
    self.isCounted = isCounted
    self.bound = bound
    super.init(next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    filter.start()
    partSize = Self.firstPartSize
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    if isCounted {
      let count = try filter.count(in: chunk, try running())
      return count == 0 ? true : try next.push(DataChunk([], count: count))
    }
    let kept = try filter.apply(chunk, try running())
    if let bound, kept.count > partSize { return try pushParts(kept, bound) }
    return kept.count == 0 ? true : try next.push(kept)
  }

  /// Hands on the first rows in the order asked for, and more from time to time, until these tell which of the others are wanted.
  ///
  /// Rows that stand in no such order go on together. Equal rows do in any case, as they keep their order.
  private func pushParts(_ chunk: DataChunk, _ bound: Bound) throws(SQLError) -> Bool {
    var rest = chunk
    while bound.known.current == nil,
      let first = rest.columns[bound.column].compactNormalized().firstRows(
        partSize, order: bound.known.order
      )?.rows
    {
      let part = rest.slice(from: first.lowerBound, count: first.count)
      let isAtStart = first.lowerBound == 0
      rest = rest.slice(
        from: isAtStart ? first.upperBound : 0, count: rest.count - first.count)
      partSize *= 2
      if try !next.push(part) { return false }
    }
    if rest.count > 0, bound.known.current != nil { rest = try filter.apply(rest, try running()) }
    return rest.count == 0 ? true : try next.push(rest)
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
