package import Columnar
import Diagnostics

/// Computes at planning time what does not depend on rows, and brings conditions into the shape
/// that other rules look for.
///
/// Every rewriting gives the same value, NULL included. A constant expression that fails is left as
/// it is: it
/// fails again when, and only when, it is evaluated.
struct ExpressionSimplification {
  let rules: OptimizerRules
  private let context: EvaluationContext

  /// `style` says how values become texts, and texts values.
  init(rules: OptimizerRules, style: ValueStyle) {
    self.rules = rules
    context = EvaluationContext(transactionTime: 0, statementTime: 0, style: style)
  }

  /// The plan with all of its expressions simplified.
  func simplified(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(simpler) ?? plan }

  /// The expression in its simplest form.
  func simplified(_ expression: BoundExpression) -> BoundExpression {
    expression.changed(simpler) ?? expression
  }

  /// An operator over simplified inputs in a simpler form; nil if it is simple.
  private func simpler(_ plan: LogicalPlan) -> LogicalPlan? {
    if RunningStatement.isInterrupted { return nil }
    let mapped = plan.changingExpressions { $0.changed(simpler) }
    if case .filter(let input, let conditions) = mapped ?? plan {
      if case .filter = input { return input.filtered(flattened(conditions) ?? conditions) }
      if conditions.isEmpty { return input }
      return flattened(conditions).map { input.filtered($0) } ?? mapped
    }
    if case .scan(var scan) = mapped ?? plan {
      // Conditions that were different may have become the same, and would count twice in guesses of rows.
      guard let filters = flattened(scan.filters) else { return mapped }
      scan.filters = filters
      return .scan(scan)
    }
    if case .join(var join) = mapped ?? plan {
      if case .mark = join.kind {
        // For a mark NULL is not FALSE.
        guard join.conditions.contains(where: \.isConjunction) else { return mapped }
        join.conditions = join.conditions.flatMap(\.conjuncts)
      } else {
        guard let conditions = flattened(join.conditions) else { return mapped }
        join.conditions = conditions
      }
      return .join(join)
    }
    return mapped
  }

  /// A conjunction's parts without those that are true, and each once; only the constant FALSE
  /// where there is one, and nil if the parts stay as they are.
  private func flattened(_ conditions: [BoundExpression]) -> [BoundExpression]? {
    let isFlat = !conditions.contains {
      if case .not = $0 { return true }
      return $0.isConjunction || $0.asConstant != nil
    }
    if isFlat {
      let parts = conditions.withoutRepetition
      return merged(parts) ?? (parts.count == conditions.count ? nil : parts)
    }
    let parts = conditions.flatMap { $0.pushingNegation.conjuncts }
      .filter { !$0.isConstant(true) }
    if parts.contains(where: { $0.asConstant != nil }) {
      return [.constant(.boolean(false), .boolean)]
    }
    let different = parts.withoutRepetition
    return merged(different) ?? different
  }

  private func merged(_ conditions: [BoundExpression]) -> [BoundExpression]? {
    rules.contains(.simplification) ? ColumnConditions.merged(conditions) : nil
  }

  /// An expression over simplified operands in a simpler form; nil if it is simple.
  private func simpler(_ part: BoundExpression) -> BoundExpression? {
    if RunningStatement.isInterrupted { return nil }
    switch part {
    case .and(let list): return conjunction(list)
    case .or(let list): return disjunction(list)
    case .not:
      guard rules.contains(.simplification) else { return nil }
      let pushed = part.pushingNegation
      if case .not = pushed { return nil }
      return pushed
    case .comparison(let comparison, let left, let right):
      return compared(comparison, left, right)
    case .isNull(let operand, let negated):
      guard let value = operand.asConstant, !operand.type.hasParts else { return nil }
      return .constant(.boolean(value.isNull != negated), .boolean)
    case .isBoolean(let operand, let value, let negated):
      guard let constant = operand.asConstant else { return nil }
      if case .boolean(let own) = constant {
        return .constant(.boolean((own == value) != negated), .boolean)
      }
      return .constant(.boolean(negated), .boolean)
    case .distinct(let left, let right, let negated):
      return told(left, right, negated: negated)
    case .coalesce(let list, let type): return coalesced(list, type)
    case .caseWhen(let branches, let otherwise, let type):
      return cased(branches, otherwise, type)
    case .call(let call): return folded(call)
    case .cast(let cast): return folded(cast)
    case .inList(let operand, let list, _)
    where operand.asConstant?.isNull == true && !list.isEmpty && !list.contains(where: \.isVolatile):
      return .constant(.null, .boolean)
    case .subquery(var subquery):
      guard let plan = subquery.plan.changed(simpler) else { return nil }
      subquery.plan = plan
      return .subquery(subquery)
    case .inList(let operand, let list, let negated) where list.count == 1:
      let comparison = negated ? ComparisonOperator.notEqual : .equal
      return compared(comparison, operand, list[0]) ?? .comparison(comparison, operand, list[0])
    case .inList(let operand, let list, _) where operand.asConstant?.isNull == true:
      // As with each of the comparisons, the list need not be evaluated, and may not be able to be.
      return list.contains(where: \.isVolatile) ? nil : .constant(.null, .boolean)
    case .column, .constant, .parameter, .extreme, .inList, .quantified, .quantifiedCall,
      .array, .row, .field, .shared, .decoded, .local, .session, .aggregate, .window:
      return nil
    }
  }

  // MARK: Three-valued logic

  private func conjunction(_ list: [BoundExpression]) -> BoundExpression? {
    guard rules.contains(.simplification) else { return nil }
    let isFlat = !list.contains(where: \.isConjunction)
    let parts = isFlat ? list : BoundExpression.and(list).conjuncts
    if parts.contains(where: { $0.isConstant(false) }) {
      return .constant(.boolean(false), .boolean)
    }
    let different = parts.withoutRepetition
    return isFlat && different.count == list.count && list.count > 1
      ? nil : .conjunction(different)
  }

  private func disjunction(_ list: [BoundExpression]) -> BoundExpression? {
    guard rules.contains(.simplification) else { return nil }
    let isFlat = !list.contains { if case .or = $0 { true } else { $0.isConstant(false) } }
    let parts =
      (isFlat ? list : BoundExpression.or(list).disjuncts.filter { !$0.isConstant(false) })
      .withoutRepetition
    if parts.contains(where: { $0.isConstant(true) }) { return .constant(.boolean(true), .boolean) }
    if parts.isEmpty { return .constant(.boolean(false), .boolean) }
    if parts.count == 1 { return parts[0] }
    let merged = rules.contains(.disjunctionAsList) ? DisjunctionAsList.merged(parts) : parts
    if merged.count == 1 { return merged[0] }
    if let factored = Self.factored(merged) { return factored }
    return isFlat && merged.count == list.count ? nil : .or(merged)
  }

  /// (a AND x) OR (a AND y) as a AND (x OR y), which lets `a` move by itself; nil if the parts have nothing in common.
  private static func factored(_ parts: [BoundExpression]) -> BoundExpression? {
    let lists = parts.map(\.conjuncts)
    guard let first = lists.first, lists.allSatisfy({ !$0.isEmpty }) else { return nil }
    var prints = Set(first.map(\.fingerprint))
    for list in lists.dropFirst() { prints.formIntersection(list.map(\.fingerprint)) }
    if prints.isEmpty || BoundExpression.or(parts).isVolatile { return nil }
    var common = Set(first.map(\.signature))
    for list in lists.dropFirst() { common.formIntersection(list.map(\.signature)) }
    if common.isEmpty { return nil }
    let shared = first.filter { common.contains($0.signature) }
    var rest: [BoundExpression] = []
    for list in lists {
      let own = list.filter { !common.contains($0.signature) }
      // One side is nothing but the common part, so it alone decides.
      if own.isEmpty { return .conjunction(shared) }
      rest.append(.conjunction(own))
    }
    return .and(shared + [.or(rest)])
  }

  private func coalesced(_ list: [BoundExpression], _ type: LogicalType) -> BoundExpression? {
    guard rules.contains(.simplification) else { return nil }
    var kept: [BoundExpression] = []
    // Chains of joins USING a column make each COALESCE the first operand of the next.
    let parts = list.flatMap { part in
      if case .coalesce(let inner, let own) = part, own == type { return inner }
      return [part]
    }
    for part in parts {
      if let value = part.asConstant {
        if value.isNull { continue }
        kept.append(part)
        break
      }
      kept.append(part)
    }
    if kept.isEmpty { return .constant(.null, type) }
    if kept.count == 1 { return kept[0] }
    return kept.count == list.count && parts.count == list.count ? nil : .coalesce(kept, type)
  }

  private func cased(
    _ branches: [BoundBranch], _ otherwise: BoundExpression, _ type: LogicalType
  ) -> BoundExpression? {
    guard rules.contains(.simplification),
      branches.isEmpty || branches.contains(where: { $0.condition.asConstant != nil })
    else { return nil }
    var kept: [BoundBranch] = []
    for branch in branches {
      guard let value = branch.condition.asConstant else {
        kept.append(branch)
        continue
      }
      if case .boolean(true) = value {
        return kept.isEmpty
          ? branch.result : .caseWhen(kept, otherwise: branch.result, type)
      }
    }
    return kept.isEmpty ? otherwise : .caseWhen(kept, otherwise: otherwise, type)
  }

  // MARK: Comparisons

  private func compared(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
  ) -> BoundExpression? {
    guard rules.contains(.simplification) else { return nil }
    if left.asConstant?.isNull == true || right.asConstant?.isNull == true {
      return .constant(.null, .boolean)
    }
    if let one = left.asConstant?.asInteger, let two = right.asConstant?.asInteger {
      return .constant(.boolean(comparison.holds(one, two)), .boolean)
    }
    if let isEqual = Self.areEqualTexts(left, right) {
      if comparison == .equal { return .constant(.boolean(isEqual), .boolean) }
      if comparison == .notEqual { return .constant(.boolean(!isEqual), .boolean) }
    }
    // A constant stands on the right.
    if left.asConstant != nil, right.asConstant == nil {
      return compared(comparison.commuted, right, left)
        ?? .comparison(comparison.commuted, right, left)
    }
    return Self.unwidened(comparison, left, right)
      ?? Self.withoutDefault(comparison, left, right)
      ?? DateComparison.withoutTime(comparison, left, right)
      ?? DateComparison.ofYear(comparison, left, right)
  }

  /// `column IS DISTINCT FROM 5` as `column <> 5 OR column IS NULL`, which are compared in place and known to indices.
  private func told(
    _ left: BoundExpression, _ right: BoundExpression, negated: Bool
  ) -> BoundExpression? {
    guard rules.contains(.simplification) else { return nil }
    if left.asConstant != nil, right.asConstant == nil {
      return told(right, left, negated: negated)
    }
    guard left.asColumn != nil, let value = right.asConstant, left.type == right.type,
      !left.type.hasParts
    else { return nil }
    if value.isNull { return .isNull(left, negated: !negated) }
    return negated
      ? .and([.comparison(.equal, left, right), .isNull(left, negated: true)])
      : .or([.comparison(.notEqual, left, right), .isNull(left, negated: false)])
  }

  /// `coalesce(column, 0) > 2` as `column > 2 AND column IS NOT NULL`, and `coalesce(column, 5) > 2` as `column > 2 OR column IS
  /// NULL`.
  private static func withoutDefault(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
  ) -> BoundExpression? {
    guard case .coalesce(let list, let type) = left, list.count == 2, list[0].asColumn != nil,
      list[0].type == type, !type.hasParts, let holds = list[1].holds(comparison, right)
    else { return nil }
    let compared = BoundExpression.comparison(comparison, list[0], right)
    return holds
      ? .or([compared, .isNull(list[0], negated: false)])
      : .and([compared, .isNull(list[0], negated: true)])
  }

  /// Whether two constant texts are the same; nil for other operands, or texts of a type that passes over blanks.
  private static func areEqualTexts(_ left: BoundExpression, _ right: BoundExpression) -> Bool? {
    guard left.type == .text, right.type == .text, case .text(let one) = left.asConstant,
      case .text(let two) = right.asConstant
    else { return nil }
    return one == two
  }

  /// `column::bigint = 5::bigint` as `column = 5`, so that an index of the column applies.
  private static func unwidened(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
  ) -> BoundExpression? {
    guard case .cast(let cast) = left, cast.target.type.isInteger, cast.operand.type.isInteger,
      let number = right.asConstant?.asInteger
    else { return nil }
    if case .smallint = cast.operand.type {
      guard let narrow = Int16(exactly: number) else { return nil }
      return .comparison(comparison, cast.operand, .constant(.int16(narrow), .smallint))
    }
    if case .integer = cast.operand.type {
      guard let narrow = Int32(exactly: number), cast.target.type == .bigint else { return nil }
      return .comparison(comparison, cast.operand, .constant(.int32(narrow), .integer))
    }
    return nil
  }

  // MARK: Constants

  private func folded(_ call: BoundCall) -> BoundExpression? {
    guard rules.contains(.constantFolding), call.volatility == .immutable else { return nil }
    if call.isStrict, call.arguments.contains(where: { $0.asConstant?.isNull == true }),
      !call.arguments.contains(where: \.isVolatile)
    {
      return .constant(.null, call.type)
    }
    return evaluated(call.arguments, call.type, call.kernel)
  }

  private func folded(_ cast: BoundCast) -> BoundExpression? {
    guard rules.contains(.constantFolding), cast.isFixed else { return nil }
    return evaluated([cast.operand], cast.target.type, cast.kernel)
  }

  /// The result of a kernel for constants; nil where it fails or would be large.
  private func evaluated(
    _ arguments: [BoundExpression], _ type: LogicalType, _ kernel: ScalarKernel
  ) -> BoundExpression? {
    guard arguments.allSatisfy({ $0.asConstant != nil }) else { return nil }
    var vectors: [Vector] = []
    for argument in arguments {
      guard case .constant(let value, let own) = argument, own.physical != .record,
        own != .unknown
      else { return nil }
      vectors.append(Vector(constant: value, type: own, count: 1))
    }
    guard type.physical != .record, type != .void,
      let result = try? kernel(vectors, 1, context), result.count == 1
    else { return nil }
    let value = result.value(at: 0)
    if case .text(let bytes) = value, bytes.count > Self.sizeLimit { return nil }
    return .constant(value, type)
  }

  /// The most bytes of a text that is kept in a plan.
  private static let sizeLimit = 4096
}

extension BoundExpression {
  /// Whether the expression is a conjunction, be it one of no parts.
  fileprivate var isConjunction: Bool {
    if case .and = self { return true }
    return isConstant(true)
  }
}

extension BoundCast {
  /// Whether the result depends on the operand only, and not on a clock or time zone.
  fileprivate var isFixed: Bool {
    func isTime(_ type: LogicalType) -> Bool {
      switch type {
      case .date, .time, .timetz, .timestamp, .timestamptz: true
      case .array(let element): isTime(element)
      case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
        .character, .name, .bytea, .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid, .record,
        .enumeration, .unknown, .void:
        false
      }
    }
    return !isTime(target.type) && !isTime(operand.type)
  }
}

extension ComparisonOperator {
  /// The kernel's name for the operator.
  package var kernel: Comparison {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    }
  }

  /// Whether the comparison holds between two numbers.
  package func holds(_ left: Int64, _ right: Int64) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}

extension Value {
  /// The value of a whole number.
  package var asInteger: Int64? {
    switch self {
    case .int16(let value): Int64(value)
    case .int32(let value): Int64(value)
    case .int64(let value): value
    case .null, .boolean, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: nil
    }
  }
}
