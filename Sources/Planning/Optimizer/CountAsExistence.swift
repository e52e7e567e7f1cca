import Columnar

/// Conditions that ask for existence in other words: `(SELECT count(*) …) = 0` is NOT EXISTS, and
/// `x <> ALL (ARRAY(SELECT …))` is NOT IN.
///
/// Nothing needs to be counted or gathered then, and what is known of semi- and anti-joins applies.
enum CountAsExistence {
  /// The condition as EXISTS, NOT EXISTS, IN or NOT IN; itself where it says something else.
  static func rewritten(_ condition: BoundExpression) -> BoundExpression {
    if case .comparison(let comparison, let left, let right) = condition {
      if case .subquery(let subquery) = left, let bound = right.wholeNumber {
        return existence(subquery, comparison, bound) ?? condition
      }
      if case .subquery(let subquery) = right, let bound = left.wholeNumber {
        return existence(subquery, comparison.commuted, bound) ?? condition
      }
      return condition
    }
    if case .quantified(let comparison, let operand, .subquery(var subquery), let isAll) = condition
    {
      guard case .array = subquery.kind, subquery.plan.outputs.count == 1,
        subquery.plan.outputs[0].type == operand.type, !operand.type.hasParts
      else { return condition }
      subquery.kind = isAll ? .all([operand], comparison) : .any([operand], comparison)
      subquery.type = .boolean
      return .subquery(subquery)
    }
    return condition
  }

  private static func existence(
    _ subquery: BoundSubquery, _ comparison: ComparisonOperator, _ bound: Int64
  ) -> BoundExpression? {
    let isNegated: Bool
    switch (comparison, bound) {
    case (.equal, 0), (.lessOrEqual, 0), (.less, 1): isNegated = true
    case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): isNegated = false
    case (.equal, _), (.notEqual, _), (.less, _), (.lessOrEqual, _), (.greater, _),
      (.greaterOrEqual, _):
      return nil
    }
    guard case .scalar = subquery.kind, subquery.plan.outputs.count == 1,
      let rows = subquery.plan.countedRows(as: subquery.plan.outputs[0].id)
    else { return nil }
    return .subquery(
      BoundSubquery(kind: .exists(negated: isNegated), plan: rows, type: .boolean))
  }
}

extension BoundExpression {
  /// The whole number that a constant is.
  package var wholeNumber: Int64? {
    switch asConstant {
    case .int64(let number): number
    case .int32(let number): Int64(number)
    case .null, .boolean, .int16, .float, .double, .numeric, .interval, .uuid, .text, .list,
      .record, nil:
      nil
    }
  }
}

extension LogicalPlan {
  /// The rows whose number this plan gives as its only value, which is column `id`.
  fileprivate func countedRows(as id: ColumnID) -> LogicalPlan? {
    if case .project(let input, let columns) = self {
      guard let column = columns.first(where: { $0.column.id == id }),
        let own = column.expression.asColumn
      else { return nil }
      return input.countedRows(as: own)
    }
    if case .aggregate(let aggregate) = self {
      guard aggregate.keys.isEmpty, aggregate.groupingSets == nil, aggregate.groupings.isEmpty,
        let item = aggregate.aggregates.first(where: { $0.column.id == id }),
        item.call.name == "count", !item.call.arguments.contains(where: \.isVolatile)
      else { return nil }
      var conditions = item.call.arguments.map { BoundExpression.isNull($0, negated: true) }
      if item.call.arguments.contains(where: { $0.type.hasParts }) { return nil }
      if let filter = item.call.filter { conditions.append(filter) }
      return aggregate.input.filtered(conditions)
    }
    return nil
  }
}
