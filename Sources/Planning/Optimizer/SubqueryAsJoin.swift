import Columnar
import Diagnostics

extension Unnesting {
  /// The rows of `plan` for which a condition that holds subqueries is true.
  ///
  /// Where NULL counts as false, EXISTS and IN become semi-joins, NOT EXISTS and NOT IN anti-joins;
  /// what stands deeper in the condition becomes a column of a mark or single join.
  mutating func filtering(
    _ plan: LogicalPlan, by condition: BoundExpression
  ) throws(SQLError) -> LogicalPlan {
    guard condition.containsSubquery else { return plan.filtered([condition]) }
    var positive = condition.pushingNegation
    if rules.contains(.countAsExistence) { positive = CountAsExistence.rewritten(positive) }
    switch positive {
    case .and(let list):
      var current = plan
      for part in list { current = try filtering(current, by: part) }
      return current
    case .isBoolean(let operand, true, negated: false):
      return try filtering(plan, by: operand)
    case .subquery(let subquery):
      var input = plan
      if let joined = try asFilterJoin(subquery, on: &input) { return joined }
      let value = try attaching(.subquery(subquery), to: &input, guards: [])
      return input.filtered([value])
    case let other:
      var input = plan
      let value = try attaching(other, to: &input, guards: [])
      return input.filtered(value.conjuncts)
    }
  }

  /// A semi- or anti-join for a subquery that is a whole condition; nil for a subquery that gives a value.
  ///
  /// `x NOT IN (q)` is true if no row of `q` is equal to `x` *or may be*: a comparison that is NULL for a NULL on either
  /// side is no match of NOT EXISTS, but is one of NOT IN. So its anti-join asks for `(x = q) IS NOT FALSE`, which is the
  /// same for a row of several columns: that is equal for all one knows if each of its columns is.
  private mutating func asFilterJoin(
    _ subquery: BoundSubquery, on input: inout LogicalPlan
  ) throws(SQLError) -> LogicalPlan? {
    guard rules.contains(.subqueryAsJoin) else { return nil }
    switch subquery.kind {
    case .exists(let negated):
      if negated, let divided = try dividing(input, by: subquery.plan) { return divided }
      let right = try unnested(subquery.plan)
      return try joining(negated ? .anti : .semi, input, right, on: [])
    case .any(let operands, let comparison):
      let left = try attachingAll(operands, to: &input)
      let right = try unnested(subquery.plan)
      let conditions = Self.comparisons(left, comparison, subquery.plan.outputs)
      return try joining(.semi, input, right, on: conditions)
    case .all(let operands, let comparison):
      let left = try attachingAll(operands, to: &input)
      let right = try unnested(subquery.plan)
      let known = input.notNullColumns.union(right.notNullColumns)
      let conditions = Self.comparisons(left, comparison.negated, subquery.plan.outputs)
      return try joining(.anti, input, right, on: conditions.map { $0.orUnknown(known) })
    case .scalar, .array: return nil
    }
  }

  /// `left op columns` as conditions; several columns are compared as rows, by `=` or `<>`.
  private static func comparisons(
    _ left: [BoundExpression], _ comparison: ComparisonOperator, _ columns: [PlanColumn]
  ) -> [BoundExpression] {
    let parts = zip(left, columns).map { operand, column in
      BoundExpression.comparison(comparison, operand, column.reference)
    }
    if comparison == .notEqual && parts.count > 1 { return [.or(parts)] }
    return parts
  }

  // MARK: Subqueries as values

  private mutating func attachingAll(
    _ expressions: [BoundExpression], to plan: inout LogicalPlan
  ) throws(SQLError) -> [BoundExpression] {
    var result: [BoundExpression] = []
    for expression in expressions {
      result.append(try attaching(expression, to: &plan, guards: []))
    }
    return result
  }

  /// The expression with each subquery replaced by a column that a join adds to `plan`.
  ///
  /// `guards` are conditions under which alone the expression is evaluated (a branch of CASE):
  /// where they
  /// are not met, a scalar subquery of several rows is no error.
  mutating func attaching(
    _ expression: BoundExpression, to plan: inout LogicalPlan, guards: [BoundExpression]
  ) throws(SQLError) -> BoundExpression {
    guard expression.containsSubquery else { return expression }
    if case .caseWhen(let branches, let otherwise, let type) = expression {
      var passed = guards
      var mapped: [BoundBranch] = []
      for branch in branches {
        let condition = try attaching(branch.condition, to: &plan, guards: passed)
        let result = try attaching(branch.result, to: &plan, guards: passed + [condition])
        mapped.append(BoundBranch(condition: condition, result: result))
        passed.append(.isBoolean(condition, true, negated: true))
      }
      let last = try attaching(otherwise, to: &plan, guards: passed)
      return .caseWhen(mapped, otherwise: last, type)
    }
    if case .coalesce(let list, let type) = expression {
      var passed = guards
      var mapped: [BoundExpression] = []
      for part in list {
        let value = try attaching(part, to: &plan, guards: passed)
        mapped.append(value)
        passed.append(.isNull(value, negated: false))
      }
      return .coalesce(mapped, type)
    }
    if case .subquery = expression {
      let inner = try expression.mapChildren { (child) throws(SQLError) in
        try attaching(child, to: &plan, guards: guards)
      }
      guard case .subquery(let subquery) = inner else { return inner }
      return try attach(subquery, to: &plan, guards: guards)
    }
    return try expression.mapChildren { (child) throws(SQLError) in
      try attaching(child, to: &plan, guards: guards)
    }
  }

  private mutating func attach(
    _ subquery: BoundSubquery, to plan: inout LogicalPlan, guards: [BoundExpression]
  ) throws(SQLError) -> BoundExpression {
    switch subquery.kind {
    case .exists(let negated):
      let mark = factory.make("exists", .boolean)
      plan = try joining(.mark(mark), plan, try unnested(subquery.plan), on: [])
      return negated ? .not(mark.reference) : mark.reference
    case .any(let operands, let comparison):
      let mark = factory.make("any", .boolean)
      let conditions = Self.comparisons(operands, comparison, subquery.plan.outputs)
      plan = try joining(.mark(mark), plan, try unnested(subquery.plan), on: conditions)
      return mark.reference
    case .all(let operands, let comparison):
      // x op ALL (q) is NOT (x negated-op ANY (q)), also where NULLs make it unknown.
      let mark = factory.make("any", .boolean)
      let columns = subquery.plan.outputs
      let conditions = Self.comparisons(operands, comparison.negated, columns)
      plan = try joining(.mark(mark), plan, try unnested(subquery.plan), on: conditions)
      return .not(mark.reference)
    case .scalar:
      guard let column = subquery.plan.outputs.first else {
        throw SQLError.internal("a scalar subquery without a column")
      }
      let right = try unnested(subquery.plan)
      let isCertain = right.isAtMostOneRow
      let conditions = isCertain ? [] : guards
      plan = try joining(isCertain ? .left : .single, plan, right, on: conditions)
      return column.reference
    case .array:
      let (gathered, column) = try gatheredAsArray(subquery)
      plan = try joining(.left, plan, gathered, on: [])
      return .coalesce([column.reference, .constant(.list([]), subquery.type)], subquery.type)
    }
  }

  /// ARRAY(SELECT …): one row with all values as an array, NULL for none.
  private mutating func gatheredAsArray(
    _ subquery: BoundSubquery
  ) throws(SQLError) -> (LogicalPlan, PlanColumn) {
    guard let value = subquery.plan.outputs.first else {
      throw SQLError.internal("an array subquery without a column")
    }
    var input = try unnested(subquery.plan)
    var keys: [SortKey] = []
    // The order goes into the aggregate, if all of what it sorts by is still to be seen.
    var top = input
    if case .project(let below, let columns) = top, case .sort = below {
      let passed = ColumnSet(columns.compactMap(\.expression.asColumn))
      if case .sort(_, let own) = below,
        own.allSatisfy({ $0.expression.columns.isSubset(of: passed) })
      {
        var renamed: ColumnMap<BoundExpression> = [:]
        for column in columns {
          if let source = column.expression.asColumn { renamed[source] = column.column.reference }
        }
        keys = own.map {
          SortKey(
            $0.expression.replacing(renamed), isDescending: $0.isDescending,
            nullsFirst: $0.nullsFirst)
        }
        top = .oneRow
      } else if case .sort(let sorted, let own) = below {
        // A key that is not handed up is passed along for the aggregate's sake.
        let missing = sorted.outputs.filter { column in
          own.contains { $0.expression.columns.contains(column.id) }
            && !columns.contains { $0.column.id == column.id }
        }
        input = .project(
          sorted, columns + missing.map { ProjectedColumn($0, $0.reference) })
        keys = own
        top = .oneRow
      }
    }
    if case .sort(let sorted, let own) = top {
      input = sorted
      keys = own
    }
    let column = factory.make("array", subquery.type)
    let call = AggregateCall(
      name: "array_agg", arguments: [value.reference], orderBy: keys, type: subquery.type,
      isStrict: false, isOrderSensitive: true,
      factory: { types, _ in ArrayAccumulator(elementType: types[0]) })
    return (
      .aggregate(
        AggregatePlan(input: input, keys: [], aggregates: [AggregatePlan.Item(column, call)])),
      column
    )
  }

  /// A join with a subquery's plan, decorrelated if it is correlated with `left`.
  private mutating func joining(
    _ kind: JoinPlan.Kind, _ left: LogicalPlan, _ right: LogicalPlan,
    on conditions: [BoundExpression]
  ) throws(SQLError) -> LogicalPlan {
    let isLateral = !right.freeColumns.isDisjoint(with: left.outputIDs)
    let join = JoinPlan(kind, left, right, on: conditions, isLateral: isLateral)
    return try decorrelated(join)
  }
}

extension BoundExpression {
  /// Whether the condition is true or NULL: itself, where it cannot be NULL as `notNull` are columns that are not.
  package func orUnknown(_ notNull: ColumnSet) -> BoundExpression {
    isNeverNull(notNull) ? self : .isBoolean(self, false, negated: true)
  }

  /// NOT moved inwards as far as it goes with the same three-valued result.
  package var pushingNegation: BoundExpression {
    guard case .not(let operand) = self else {
      if case .and(let list) = self { return .and(list.map(\.pushingNegation)) }
      return self
    }
    switch operand {
    case .not(let inner): return inner.pushingNegation
    case .and(let list): return .or(list.map { BoundExpression.not($0).pushingNegation })
    case .or(let list): return .and(list.map { BoundExpression.not($0).pushingNegation })
    case .comparison(let comparison, let left, let right) where !left.type.hasParts:
      return .comparison(comparison.negated, left, right)
    case .distinct(let left, let right, let negated):
      return .distinct(left, right, negated: !negated)
    // IS NULL of a row is not the opposite of IS NOT NULL.
    case .isNull(let inner, let negated) where !inner.type.hasParts:
      return .isNull(inner, negated: !negated)
    case .isBoolean(let inner, let value, let negated):
      return .isBoolean(inner, value, negated: !negated)
    case .inList(let inner, let list, let negated):
      return .inList(inner, list, negated: !negated)
    case .quantified(let comparison, let inner, let array, let isAll) where !inner.type.hasParts:
      return .quantified(comparison.negated, inner, array: array, isAll: !isAll)
    case .constant(.boolean(let value), let type): return .constant(.boolean(!value), type)
    case .subquery(var subquery):
      switch subquery.kind {
      case .exists(let negated): subquery.kind = .exists(negated: !negated)
      case .any(let left, let comparison): subquery.kind = .all(left, comparison.negated)
      case .all(let left, let comparison): subquery.kind = .any(left, comparison.negated)
      case .scalar, .array: return self
      }
      return .subquery(subquery)
    case .column, .constant, .parameter, .call, .cast, .comparison, .isNull, .caseWhen, .coalesce,
      .extreme, .quantified, .quantifiedCall, .array, .row, .field, .shared, .decoded, .local,
      .session,
      .aggregate, .window:
      return self
    }
  }
}
