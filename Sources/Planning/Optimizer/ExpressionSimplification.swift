import Columnar
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
  func simplified(_ plan: LogicalPlan) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan }
    let below = plan.mapInputs(simplified)
    let mapped = below.mapExpressions(simplified)
    if case .filter(let input, let conditions) = mapped {
      return input.filtered(flattened(conditions))
    }
    if case .scan(var scan) = mapped {
      // Conditions that were different may have become the same, and would count twice in guesses of rows.
      scan.filters = flattened(scan.filters)
      return .scan(scan)
    }
    if case .join(var join) = mapped {
      if case .mark = join.kind {
        // For a mark NULL is not FALSE.
        join.conditions = join.conditions.flatMap(\.conjuncts)
      } else {
        join.conditions = flattened(join.conditions)
      }
      return .join(join)
    }
    return mapped
  }

  /// A conjunction's parts without those that are true, and each once; only the constant FALSE
  /// where there is one.
  func flattened(_ conditions: [BoundExpression]) -> [BoundExpression] {
    let parts = conditions.flatMap { $0.pushingNegation.conjuncts }
    var seen: Set<String> = []
    var result: [BoundExpression] = []
    for part in parts {
      if part.isConstant(true) { continue }
      if part.asConstant != nil { return [.constant(.boolean(false), .boolean)] }
      if part.isVolatile || seen.insert(part.signature).inserted { result.append(part) }
    }
    return result
  }

  /// The expression in its simplest form.
  func simplified(_ expression: BoundExpression) -> BoundExpression {
    expression.rewritten { (part) -> BoundExpression in self.step(part) }
  }

  private func step(_ part: BoundExpression) -> BoundExpression {
    if RunningStatement.isInterrupted { return part }
    switch part {
    case .and(let list): return conjunction(list)
    case .or(let list): return disjunction(list)
    case .not: return rules.contains(.simplification) ? part.pushingNegation : part
    case .comparison(let comparison, let left, let right):
      return compared(comparison, left, right)
    case .isNull(let operand, let negated):
      guard let value = operand.asConstant, !operand.type.hasParts else { return part }
      return .constant(.boolean(value.isNull != negated), .boolean)
    case .isBoolean(let operand, let value, let negated):
      guard let constant = operand.asConstant else { return part }
      if case .boolean(let own) = constant {
        return .constant(.boolean((own == value) != negated), .boolean)
      }
      return .constant(.boolean(negated), .boolean)
    case .coalesce(let list, let type): return coalesced(list, type)
    case .caseWhen(let branches, let otherwise, let type):
      return cased(branches, otherwise, type)
    case .call(let call): return folded(call)
    case .cast(let cast): return folded(cast)
    case .inList(let operand, let list, _)
    where operand.asConstant?.isNull == true && !list.isEmpty && !list.contains(where: \.isVolatile):
      return .constant(.null, .boolean)
    case .subquery(var subquery):
      subquery.plan = simplified(subquery.plan)
      return .subquery(subquery)
    case .inList(let operand, let list, let negated) where list.count == 1:
      return compared(negated ? .notEqual : .equal, operand, list[0])
    case .inList(let operand, let list, _) where operand.asConstant?.isNull == true:
      // As with each of the comparisons, the list need not be evaluated, and may not be able to be.
      return list.contains(where: \.isVolatile) ? part : .constant(.null, .boolean)
    case .column, .constant, .parameter, .distinct, .extreme, .inList, .quantified, .quantifiedCall,
      .array, .row, .field, .shared, .local, .session, .aggregate, .window:
      return part
    }
  }

  // MARK: Three-valued logic

  private func conjunction(_ list: [BoundExpression]) -> BoundExpression {
    guard rules.contains(.simplification) else { return .and(list) }
    let parts = BoundExpression.and(list).conjuncts
    if parts.contains(where: { $0.isConstant(false) }) {
      return .constant(.boolean(false), .boolean)
    }
    return .conjunction(unique(parts))
  }

  private func disjunction(_ list: [BoundExpression]) -> BoundExpression {
    guard rules.contains(.simplification) else { return .or(list) }
    let parts = unique(
      BoundExpression.or(list).disjuncts.filter { !$0.isConstant(false) })
    if parts.contains(where: { $0.isConstant(true) }) { return .constant(.boolean(true), .boolean) }
    if parts.isEmpty { return .constant(.boolean(false), .boolean) }
    if parts.count == 1 { return parts[0] }
    let merged = rules.contains(.disjunctionAsList) ? DisjunctionAsList.merged(parts) : parts
    if merged.count == 1 { return merged[0] }
    return Self.factored(merged)
  }

  private func unique(_ list: [BoundExpression]) -> [BoundExpression] {
    var seen: Set<String> = []
    return list.filter { $0.isVolatile || seen.insert($0.signature).inserted }
  }

  /// (a AND x) OR (a AND y) as a AND (x OR y), which lets `a` move by itself.
  private static func factored(_ parts: [BoundExpression]) -> BoundExpression {
    let whole = BoundExpression.or(parts)
    if whole.isVolatile { return whole }
    let lists = parts.map(\.conjuncts)
    guard let first = lists.first, lists.allSatisfy({ !$0.isEmpty }) else { return whole }
    var common = Set(first.map(\.signature))
    for list in lists.dropFirst() { common.formIntersection(list.map(\.signature)) }
    if common.isEmpty { return whole }
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

  private func coalesced(_ list: [BoundExpression], _ type: LogicalType) -> BoundExpression {
    guard rules.contains(.simplification) else { return .coalesce(list, type) }
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
    return kept.count == 1 ? kept[0] : .coalesce(kept, type)
  }

  private func cased(
    _ branches: [BoundBranch], _ otherwise: BoundExpression, _ type: LogicalType
  ) -> BoundExpression {
    guard rules.contains(.simplification) else {
      return .caseWhen(branches, otherwise: otherwise, type)
    }
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
  ) -> BoundExpression {
    let whole = BoundExpression.comparison(comparison, left, right)
    guard rules.contains(.simplification) else { return whole }
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
    }
    return Self.unwidened(comparison, left, right)
      ?? DateComparison.withoutTime(comparison, left, right) ?? whole
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

  private func folded(_ call: BoundCall) -> BoundExpression {
    let whole = BoundExpression.call(call)
    guard rules.contains(.constantFolding), call.volatility == .immutable else { return whole }
    if call.isStrict, call.arguments.contains(where: { $0.asConstant?.isNull == true }),
      !call.arguments.contains(where: \.isVolatile)
    {
      return .constant(.null, call.type)
    }
    return evaluated(call.arguments, call.type, call.kernel) ?? whole
  }

  private func folded(_ cast: BoundCast) -> BoundExpression {
    let whole = BoundExpression.cast(cast)
    guard rules.contains(.constantFolding), cast.isFixed else { return whole }
    return evaluated([cast.operand], cast.target.type, cast.kernel) ?? whole
  }

  /// The result of a kernel for constants; nil where it fails or would be large.
  private func evaluated(
    _ arguments: [BoundExpression], _ type: LogicalType, _ kernel: ScalarKernel
  ) -> BoundExpression? {
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
  fileprivate func holds(_ left: Int64, _ right: Int64) -> Bool {
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
  fileprivate var asInteger: Int64? {
    switch self {
    case .int16(let value): Int64(value)
    case .int32(let value): Int64(value)
    case .int64(let value): value
    case .null, .boolean, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: nil
    }
  }
}
