package import Columnar
package import Diagnostics
package import Planning

/// The conditions of a filter: each is evaluated only for the rows that those before it kept.
///
/// Conditions that cannot fail change places with what they are seen to keep; the others stay behind them, in their order.
/// One worker at a time uses a filter.
package final class ConjunctiveFilter {
  /// What a join further on knows of a column: a test that may be left out.
  struct Member {
    let filter: JoinFilter
    /// The place of the column.
    let column: Int
  }
  /// Those that cannot fail first.
  private var conditions: [Condition] = []
  /// What was seen of each condition.
  private var records: [ConditionRecord] = []
  private let members: [Member]
  /// The conditions and their records as they were planned, without members.
  private var planned: (conditions: [Condition], records: [ConditionRecord]) = ([], [])
  /// How many of the planned conditions are tested before members are.
  private var leadingCount = 0
  /// How many rows come before the order is looked at again, and how many have come.
  private var trialRowCount = ConditionRecord.firstTrialRowCount
  private var seenRowCount = 0

  /// - Throws: as `ExpressionCompiler.compile`.
  package convenience init(
    _ expressions: [BoundExpression], _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    try self.init(expressions, members: [], compiler)
  }

  /// A filter that also asks joins further on; they answer once `start` was called.
  ///
  /// - Throws: as `ExpressionCompiler.compile`.
  init(
    _ expressions: [BoundExpression], members: [Member], _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    self.members = members
    let list = expressions.flatMap(\.parts)
    let fixed = list.firstIndex { !$0.isMovable } ?? list.count
    for part in ConditionPart.parts(of: Array(list[..<fixed])) { try add(part, compiler) }
    leadingCount = records.prefix(while: { $0.cost <= ConditionRecord.memberCost }).count
    for expression in list[fixed...] { try add(expression, compiler) }
    planned = (conditions, records)
  }

  package var isEmpty: Bool { conditions.isEmpty }

  /// Whether all is compared, or tested for NULL, where it stands: that cannot fail.
  var isTestedInPlace: Bool { conditions.allSatisfy(\.isTestedInPlace) }

  /// Forgets the last run, and asks joins what they know.
  func start() {
    (conditions, records) = planned
    trialRowCount = ConditionRecord.firstTrialRowCount
    seenRowCount = 0
    for member in members {
      if let bound = member.filter.bound {
        conditions.append(.bound(bound, column: member.column))
        records.append(.ofBound)
      }
      guard let keys = member.filter.keys else { continue }
      conditions.insert(.member(keys, column: member.column), at: leadingCount)
      records.insert(ConditionRecord(member: keys), at: leadingCount)
    }
  }

  private func add(_ part: ConditionPart, _ compiler: ExpressionCompiler) throws(SQLError) {
    switch part {
    case .single(let expression): try add(expression, compiler)
    case .range(let column, let low, let high):
      conditions.append(
        .range(
          try compiler.compile(column),
          above: (low.comparison, try compiler.compile(low.bound)),
          below: (high.comparison, try compiler.compile(high.bound))))
      records.append(ConditionRecord(comparing: column.type, isOfColumns: false))
    }
  }

  private func add(
    _ expression: BoundExpression, _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    let expression = expression.spelledOut ?? expression
    if case .comparison(let comparison, let left, let right) = expression,
      left.isInPlace && right.isInPlace
    {
      conditions.append(
        .comparison(comparison.kernel, try compiler.compile(left), try compiler.compile(right)))
      records.append(
        ConditionRecord(
          comparing: left.type, isOfColumns: left.asColumn != nil && right.asColumn != nil))
    } else if case .isNull(let operand, let negated) = expression, operand.isInPlace {
      conditions.append(.nullTest(try compiler.compile(operand), isNull: !negated))
      records.append(.ofNullTest)
    } else if let set = expression.setMembership,
      let keys = try IntegerFilter(set.members, count: set.members.count), keys.isAlwaysRight
    {
      conditions.append(.oneOf(try compiler.compile(set.operand), keys))
      records.append(.ofSet)
    } else if case .or(let list) = expression, list.allSatisfy(\.isTestedInPlace) {
      var alternatives: [ConjunctiveFilter] = []
      for item in list { alternatives.append(try ConjunctiveFilter([item], compiler)) }
      conditions.append(.alternatives(alternatives))
      records.append(.ofOther)
    } else {
      let isQuick = expression.isLookedUp
      conditions.append(.general(try compiler.guarded(expression), isQuick: isQuick))
      records.append(isQuick ? .ofTable : .ofOther)
    }
  }

  /// The rows of `chunk`, or of the `candidates` among them, for which every condition is true; nil if that is the whole
  /// chunk.
  package func select(
    _ chunk: inout DataChunk, among candidates: SelectionVector? = nil, _ context: ExecutionContext
  ) throws(SQLError) -> SelectionVector? {
    let masked = candidates == nil ? try mask(&chunk, context) : (mask: nil, count: 0)
    return try select(&chunk, among: candidates, after: masked, context)
  }

  /// How many rows of a chunk every condition is true for.
  func count(in chunk: DataChunk, _ context: ExecutionContext) throws(SQLError) -> Int {
    var chunk = chunk
    let masked = try mask(&chunk, context)
    if let mask = masked.mask, masked.count == conditions.count {
      review(chunk.count)
      return mask.keptCount
    }
    return try select(&chunk, among: nil, after: masked, context)?.count ?? chunk.count
  }

  /// The rows for which the other conditions are true as well, once what the first ones keep of a whole chunk is known.
  private func select(
    _ chunk: inout DataChunk, among candidates: SelectionVector?,
    after masked: (mask: RowMask?, count: Int), _ context: ExecutionContext
  ) throws(SQLError) -> SelectionVector? {
    var kept = candidates
    if let mask = masked.mask {
      let rows = mask.selection
      kept = rows.count == chunk.count ? nil : rows
    }
    for index in conditions.indices.dropFirst(masked.count) {
      let before = kept?.count ?? chunk.count
      if before == 0 { break }
      let next = try conditions[index].select(&chunk, among: kept, context)
      records[index].note(kept: next.count, of: before)
      kept = next.count == chunk.count ? nil : next
    }
    review(chunk.count)
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

  /// The rows of a chunk for which every condition is true, as bits, where all of them are tested for 64 rows at a time.
  fileprivate func wholeMask(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> RowMask? {
    var kept: RowMask?
    for condition in conditions {
      guard let mask = try condition.mask(&chunk, context) else { return nil }
      if let kept { kept.keep(mask) } else { kept = mask }
    }
    return kept
  }

  /// What the first conditions keep of a whole chunk, and how many these are: those that are tested for 64 rows at a time,
  /// as long as that is no dearer than to look at the rows still kept alone.
  private func mask(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> (mask: RowMask?, count: Int) {
    var kept: RowMask?
    var keptCount = chunk.count
    for index in conditions.indices {
      if let kept, keptCount < chunk.count / records[index].wholeShare { return (kept, index) }
      guard let next = try conditions[index].mask(&chunk, context) else { return (kept, index) }
      let before = keptCount
      if let kept { kept.keep(next) } else { kept = next }
      keptCount = kept?.keptCount ?? 0
      records[index].note(kept: keptCount, of: before)
    }
    return (kept, conditions.count)
  }

  /// Puts the conditions in a better order once enough rows have come to tell one, and leaves out tests that keep nearly all.
  private func review(_ count: Int) {
    seenRowCount &+= count
    if seenRowCount < trialRowCount { return }
    seenRowCount = 0
    // What is known after many rows changes little.
    trialRowCount = min(trialRowCount * 2, ConditionRecord.lastTrialRowCount)
    let movable = records.prefix(while: \.isMovable).count
    var order = Array(0..<movable).filter { !records[$0].isUseless }
    if order.count == movable && movable < 2 { return }
    order.sort { (records[$0].rank, $0) < (records[$1].rank, $1) }
    order += movable..<records.count
    conditions = order.map { conditions[$0] }
    records = order.map { records[$0].cleared }
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

/// One condition in the form that is cheapest to test.
private enum Condition {
  typealias Bound = (comparison: Comparison, value: any Evaluator)

  /// A comparison of two things that cannot fail, read in place for the rows still kept.
  case comparison(Comparison, any Evaluator, any Evaluator)
  /// Two comparisons of a column that let through what lies between two values.
  case range(any Evaluator, above: Bound, below: Bound)
  case nullTest(any Evaluator, isNull: Bool)
  /// A column whose value has to be among those a join further on can match.
  case member(IntegerFilter, column: Int)
  /// A column whose value has to be among some whole numbers.
  case oneOf(any Evaluator, IntegerFilter)
  /// A column by which the first rows of all are wanted.
  case bound(SharedSortBound, column: Int)
  /// OR of conditions of these forms: all are tested 64 rows at a time, or each for the rows that those before it did not keep.
  case alternatives([ConjunctiveFilter])
  /// Anything else; `isQuick` where it cannot fail and is looked up, so that whole chunks are better tested than picked rows.
  case general(GuardedEvaluator, isQuick: Bool)

  /// Whether values are compared, or tested for NULL, where they stand.
  var isTestedInPlace: Bool {
    switch self {
    case .comparison, .range, .nullTest, .oneOf: true
    case .alternatives(let list): list.allSatisfy(\.isTestedInPlace)
    case .member, .bound, .general: false
    }
  }

  /// The rows for which the condition is true, among those still kept.
  func select(
    _ chunk: inout DataChunk, among kept: SelectionVector?, _ context: ExecutionContext
  ) throws(SQLError) -> SelectionVector {
    switch self {
    case .comparison(let comparison, let left, let right):
      let a = try left.evaluate(&chunk, context)
      let b = try right.evaluate(&chunk, context)
      return Filtering.select(comparison, a, b, count: chunk.count, among: kept)
    case .range(let column, let low, let high):
      if kept == nil, let mask = try mask(&chunk, context) { return mask.selection }
      let value = try column.evaluate(&chunk, context)
      let least = try low.value.evaluate(&chunk, context)
      let above = Filtering.select(
        low.comparison, value, least, count: chunk.count, among: kept)
      if above.count == 0 { return above }
      let greatest = try high.value.evaluate(&chunk, context)
      return Filtering.select(
        high.comparison, value, greatest, count: chunk.count, among: above)
    case .nullTest(let operand, let isNull):
      let value = try operand.evaluate(&chunk, context)
      return Filtering.selectNull(value, isNull: isNull, count: chunk.count, among: kept)
    case .member(let keys, let column):
      return keys.select(chunk.columns[column], count: chunk.count, among: kept)
    case .oneOf(let operand, let keys):
      let value = try operand.evaluate(&chunk, context)
      return keys.select(value, count: chunk.count, among: kept)
    case .bound(let shared, let column):
      let asked = kept.map { chunk.columns[column].gathered($0) } ?? chunk.columns[column]
      let count = kept?.count ?? chunk.count
      guard let found = shared.current?.rowsNotBehind(asked, count: count) else {
        return kept ?? .all(chunk.count)
      }
      return found.within(kept)
    case .alternatives(let list):
      return try Self.select(any: list, &chunk, among: kept, context)
    case .general(let guarded, _):
      let truth = try guarded.evaluate(kept, of: chunk, context)
      return SelectionVector(whereTrue: truth).within(kept)
    }
  }

  /// The rows of a whole chunk for which the condition is true; nil where they are not found 64 at a time.
  func mask(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> RowMask? {
    switch self {
    case .comparison(let comparison, let left, let right):
      let a = try left.evaluate(&chunk, context)
      let b = try right.evaluate(&chunk, context)
      return Filtering.mask(comparison, a, b, count: chunk.count)
    case .range(let column, let low, let high):
      let value = try column.evaluate(&chunk, context)
      let least = try low.value.evaluate(&chunk, context)
      let greatest = try high.value.evaluate(&chunk, context)
      return Filtering.mask(
        value, above: (low.comparison, least), below: (high.comparison, greatest),
        count: chunk.count)
    case .nullTest(let operand, let isNull):
      let value = try operand.evaluate(&chunk, context)
      return Filtering.nullMask(value, isNull: isNull, count: chunk.count)
    case .member(let keys, let column):
      return keys.mask(chunk.columns[column], count: chunk.count)
    case .oneOf(let operand, let keys):
      return keys.mask(try operand.evaluate(&chunk, context), count: chunk.count)
    case .alternatives(let list):
      var any: RowMask?
      for alternative in list {
        guard let mask = try alternative.wholeMask(&chunk, context) else { return nil }
        if let any { any.insert(mask) } else { any = mask }
      }
      return any
    case .general(let guarded, isQuick: true):
      return RowMask(whereTrue: try guarded.evaluate(nil, of: chunk, context))
    case .bound, .general(_, isQuick: false): return nil
    }
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
  /// The conditions that must all be true.
  var parts: [BoundExpression] {
    if case .and(let list) = self { return list.flatMap(\.parts) }
    return [self]
  }

  /// Whether the condition is a comparison, or a test for NULL, of values that are there.
  fileprivate var isMovable: Bool {
    switch self {
    case .comparison(_, let left, let right): left.isInPlace && right.isInPlace || isLookedUp
    case .isNull(let operand, _): operand.isInPlace
    case .inList: setMembership != nil || isLookedUp
    case .column, .constant, .parameter, .call, .cast, .and, .or, .not, .distinct, .isBoolean,
      .caseWhen, .coalesce, .extreme, .quantified, .quantifiedCall, .array, .row, .field, .shared,
      .decoded, .local, .session, .subquery, .aggregate, .window:
      false
    }
  }

  /// Whether the condition cannot fail, and is found in a table by the value of one column.
  fileprivate var isLookedUp: Bool { cannotFail && tabulation != nil }

  /// A column and the whole numbers among which its value has to be: a list without a number is always NULL or false.
  fileprivate var setMembership: (operand: BoundExpression, members: Vector)? {
    guard case .inList(let operand, let list, negated: false) = self, operand.isInPlace,
      [.int16, .int32, .int64].contains(operand.type.physical)
    else { return nil }
    var values: [Value] = []
    for item in list {
      guard case .constant(let value, let type) = item else { return nil }
      guard value.isNull || type.physical == operand.type.physical else { return nil }
      values.append(value)
    }
    return (operand, Vector(operand.type, values))
  }

  /// Whether the condition is made of nothing but comparisons and tests for NULL of values that are there.
  fileprivate var isTestedInPlace: Bool {
    switch self {
    case .and(let list), .or(let list): list.allSatisfy(\.isTestedInPlace)
    case .comparison(_, let left, let right): left.isInPlace && right.isInPlace
    case .isNull(let operand, _): operand.isInPlace
    case .inList: setMembership != nil || spelledOut != nil
    case .column, .constant, .parameter, .call, .cast, .not, .distinct, .isBoolean, .caseWhen,
      .coalesce, .extreme, .quantified, .quantifiedCall, .array, .row, .field, .shared,
      .decoded, .local, .session, .subquery, .aggregate, .window:
      false
    }
  }

  /// What `(a < b) IS NOT TRUE` says in conditions that are tested in place: the opposite is true, or a value is missing; and
  /// `a IN ($1, $2)`, which is equal to one of a few; nil for anything else.
  fileprivate var spelledOut: BoundExpression? {
    if case .inList(let operand, let list, negated: false) = self {
      guard operand.isInPlace, list.count <= Self.spelledMax, list.allSatisfy(\.isInPlace),
        setMembership == nil
      else { return nil }
      return .or(list.map { .comparison(.equal, operand, $0) })
    }
    guard case .isBoolean(let operand, true, negated: true) = self,
      case .comparison(_, let left, let right) = operand, left.isInPlace, right.isInPlace
    else { return nil }
    let missing = [left, right].filter { $0.asConstant?.isNull ?? true }
    return .or(
      [BoundExpression.not(operand).pushingNegation]
        + missing.map { .isNull($0, negated: false) })
  }

  private static let spelledMax = 8

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
