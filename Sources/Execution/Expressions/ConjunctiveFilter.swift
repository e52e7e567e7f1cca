package import Columnar
package import Diagnostics
package import Planning

/// The conditions of a filter: each is evaluated only for the rows that those before it kept.
///
/// One worker at a time uses a filter.
package final class ConjunctiveFilter {
  /// One condition in the form that is cheapest to test.
  private enum Condition {
    /// A comparison of two things that cannot fail, read in place for the rows still kept.
    case comparison(Comparison, any Evaluator, any Evaluator)
    case nullTest(any Evaluator, isNull: Bool)
    /// OR of conditions of these forms: each is tested for the rows that those before it did not keep.
    case alternatives([ConjunctiveFilter])
    case general(GuardedEvaluator)
  }
  private var conditions: [Condition] = []

  /// - Throws: as `ExpressionCompiler.compile`.
  package init(_ expressions: [BoundExpression], _ compiler: ExpressionCompiler) throws(SQLError) {
    for expression in expressions { try add(expression, compiler) }
  }

  package var isEmpty: Bool { conditions.isEmpty }

  private func add(
    _ expression: BoundExpression, _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    if case .and(let list) = expression {
      for item in list { try add(item, compiler) }
    } else if case .comparison(let comparison, let left, let right) = expression,
      left.isInPlace && right.isInPlace
    {
      conditions.append(
        .comparison(comparison.kernel, try compiler.compile(left), try compiler.compile(right)))
    } else if case .isNull(let operand, let negated) = expression, operand.isInPlace {
      conditions.append(.nullTest(try compiler.compile(operand), isNull: !negated))
    } else if case .or(let list) = expression, list.allSatisfy(\.isTestedInPlace) {
      var alternatives: [ConjunctiveFilter] = []
      for item in list { alternatives.append(try ConjunctiveFilter([item], compiler)) }
      conditions.append(.alternatives(alternatives))
    } else {
      conditions.append(.general(try compiler.guarded(expression)))
    }
  }

  /// The rows of `chunk`, or of the `candidates` among them, for which every condition is true; nil if that is the whole
  /// chunk.
  package func select(
    _ chunk: inout DataChunk, among candidates: SelectionVector? = nil, _ context: ExecutionContext
  ) throws(SQLError) -> SelectionVector? {
    var kept = candidates
    let masked = candidates == nil ? try mask(&chunk, context) : (mask: nil, count: 0)
    if let mask = masked.mask {
      let rows = mask.selection
      kept = rows.count == chunk.count ? nil : rows
    }
    for condition in conditions.dropFirst(masked.count) {
      if kept?.count == 0 { return kept }
      let next: SelectionVector
      switch condition {
      case .comparison(let comparison, let left, let right):
        let a = try left.evaluate(&chunk, context)
        let b = try right.evaluate(&chunk, context)
        next = Filtering.select(comparison, a, b, count: chunk.count, among: kept)
      case .nullTest(let operand, let isNull):
        let value = try operand.evaluate(&chunk, context)
        next = Filtering.selectNull(value, isNull: isNull, count: chunk.count, among: kept)
      case .alternatives(let list):
        next = try Self.select(any: list, &chunk, among: kept, context)
      case .general(let guarded):
        let truth = try guarded.evaluate(kept, of: chunk, context)
        next = SelectionVector(whereTrue: truth).within(kept)
      }
      kept = next.count == chunk.count ? nil : next
    }
    return kept
  }

  /// The rows of a chunk for which every condition is true, as bits.
  package func mask(of chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError)
    -> RowMask
  {
    let found = try mask(&chunk, context)
    if let mask = found.mask, found.count == conditions.count { return mask }
    let selected = try select(&chunk, context) ?? .all(chunk.count)
    return RowMask(selected, count: chunk.count)
  }

  /// What the first conditions keep of a whole chunk, and how many these are: those that are tested for 64 rows at a time,
  /// as long as that is no dearer than to look at the rows still kept alone.
  private func mask(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> (mask: RowMask?, count: Int) {
    var kept: RowMask?
    for (index, condition) in conditions.enumerated() {
      if let kept, kept.keptCount < chunk.count / 8 { return (kept, index) }
      let next: RowMask?
      switch condition {
      case .comparison(let comparison, let left, let right):
        let a = try left.evaluate(&chunk, context)
        let b = try right.evaluate(&chunk, context)
        next = Filtering.mask(comparison, a, b, count: chunk.count)
      case .nullTest(let operand, let isNull):
        let value = try operand.evaluate(&chunk, context)
        next = Filtering.nullMask(value, isNull: isNull, count: chunk.count)
      case .alternatives, .general: next = nil
      }
      guard let next else { return (kept, index) }
      if let kept { kept.keep(next) } else { kept = next }
    }
    return (kept, conditions.count)
  }

  /// The rows for which some filter's conditions are true, in order.
  private static func select(
    any alternatives: [ConjunctiveFilter], _ chunk: inout DataChunk,
    among candidates: SelectionVector?, _ context: ExecutionContext
  ) throws(SQLError) -> SelectionVector {
    let candidates = candidates ?? .all(chunk.count)
    let isKept = Buffer<UInt8>(zeroed: chunk.count)
    var rest = candidates
    for alternative in alternatives {
      if rest.count == 0 { break }
      let kept = try alternative.select(&chunk, among: rest, context) ?? rest
      if kept.count == 0 { continue }
      for index in 0..<kept.count { isKept[kept.positions[index]] = 1 }
      rest = rest.rows(where: 0, in: isKept)
    }
    return candidates.rows(where: 1, in: isKept)
  }

  /// The chunk of the rows for which every condition is true.
  package func apply(
    _ chunk: DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> DataChunk {
    var chunk = chunk
    guard let kept = try select(&chunk, context) else { return chunk }
    return chunk.gathered(kept)
  }
}

extension SelectionVector {
  /// Those rows for which `marks` has a value.
  fileprivate func rows(where value: UInt8, in marks: Buffer<UInt8>) -> SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: count)
    var found = 0
    for index in 0..<count {
      let row = positions[index]
      kept[found] = row
      found &+= bit(marks[row] == value)
    }
    return SelectionVector(kept, count: found)
  }
}

extension BoundExpression {
  /// Whether the condition is made of nothing but comparisons and tests for NULL of values that are there.
  fileprivate var isTestedInPlace: Bool {
    switch self {
    case .and(let list), .or(let list): list.allSatisfy(\.isTestedInPlace)
    case .comparison(_, let left, let right): left.isInPlace && right.isInPlace
    case .isNull(let operand, _): operand.isInPlace
    case .column, .constant, .parameter, .call, .cast, .not, .distinct, .isBoolean, .caseWhen,
      .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field, .shared,
      .decoded, .local, .session, .subquery, .aggregate, .window:
      false
    }
  }

  /// Whether the value is there without any computation.
  fileprivate var isInPlace: Bool {
    switch self {
    case .column, .constant, .parameter: type.physical != .record
    case .call, .cast, .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean, .caseWhen,
      .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field, .shared,
      .decoded, .local, .session, .subquery, .aggregate, .window:
      false
    }
  }
}
