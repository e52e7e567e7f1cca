import Columnar
import Diagnostics

/// A right side that stands on exactly one row for each left row: one row without columns, or an
/// aggregate without keys.
private struct OneRowChain {
  /// The aggregate; nil for one row without columns.
  var aggregate: AggregatePlan?
  /// What is handed up, over the aggregate's columns and the left's.
  var values: ColumnMap<BoundExpression> = [:]
  /// Conditions for the row to be there.
  var conditions: [BoundExpression] = []
}

extension Unnesting {
  /// A join with a right side of exactly one row, or of one row that conditions may take away.
  ///
  /// An aggregate without keys over correlated rows is computed for all groups at once. A left row
  /// whose group
  /// is empty finds none: the left join then gives NULL, which is right for all aggregates but the
  /// counts, so
  /// those become 0 (the "count bug").
  func asOneRow(_ join: JoinPlan, _ outer: ColumnSet) -> LogicalPlan? {
    guard let chain = Self.oneRowChain(join.right) else { return nil }
    switch join.kind {
    case .right, .full: return nil
    case .inner, .left, .semi, .anti, .mark, .single: break
    }
    var pushing = DomainPushing(self, outer: outer, left: join.left)
    var substitutes: ColumnMap<BoundExpression> = [:]
    var plan = join.left
    if let aggregate = chain.aggregate {
      guard let (joined, renamed) = pushing.joined(aggregate) else { return nil }
      plan = joined
      substitutes = renamed
    }
    let values = chain.values.mapValues { $0.replacing(substitutes) }
    let conditions = chain.conditions.map { $0.replacing(substitutes) }
    let result = finished(plan, join, values: values, conditions: conditions)
    return pushing.wrapped(result)
  }

  /// What the join's kind makes of a row with these values that is there under these conditions.
  private func finished(
    _ plan: LogicalPlan, _ join: JoinPlan, values: ColumnMap<BoundExpression>,
    conditions: [BoundExpression]
  ) -> LogicalPlan {
    let own = join.conditions.map { $0.replacing(values) }
    let all = conditions + own
    func projected(_ condition: BoundExpression?) -> LogicalPlan {
      var columns = join.left.outputs.map { ProjectedColumn($0, $0.reference) }
      for column in join.right.outputs {
        var value = values[column.id] ?? .constant(.null, column.type)
        if let condition {
          value = .caseWhen(
            [BoundBranch(condition: condition, result: value)],
            otherwise: .constant(.null, column.type), column.type)
        }
        columns.append(ProjectedColumn(column, value))
      }
      return .project(plan, columns)
    }
    switch join.kind {
    case .inner: return projected(nil).filtered(join.conditions).withInner(conditions, below: plan)
    case .left, .single, .right, .full:
      return projected(all.isEmpty ? nil : .conjunction(all))
    case .semi: return plan.filtered(all).restricted(to: join.left.outputs)
    case .anti:
      let condition = BoundExpression.isBoolean(.conjunction(all), true, negated: true)
      return plan.filtered([condition]).restricted(to: join.left.outputs)
    case .mark(let mark):
      var value = BoundExpression.conjunction(own)
      if !conditions.isEmpty {
        value = .caseWhen(
          [BoundBranch(condition: .conjunction(conditions), result: value)],
          otherwise: .constant(.boolean(false), .boolean), .boolean)
      }
      let columns = join.left.outputs.map { ProjectedColumn($0, $0.reference) }
      return .project(plan, columns + [ProjectedColumn(mark, value)])
    }
  }

  /// The right side as a chain of projections and filters over one row.
  private static func oneRowChain(_ plan: LogicalPlan) -> OneRowChain? {
    switch plan {
    case .values(let rows, let columns):
      guard rows.count == 1, let row = rows.first, row.count == columns.count else { return nil }
      var chain = OneRowChain()
      for (column, expression) in zip(columns, row) { chain.values[column.id] = expression }
      return row.contains(where: \.isVolatile) ? nil : chain
    case .aggregate(let aggregate):
      guard aggregate.keys.isEmpty, aggregate.groupingSets == nil, aggregate.groupings.isEmpty
      else { return nil }
      var chain = OneRowChain(aggregate: aggregate)
      for item in aggregate.aggregates { chain.values[item.column.id] = item.column.reference }
      return chain
    case .project(let input, let columns):
      guard var chain = oneRowChain(input) else { return nil }
      let below = chain.values
      chain.values = [:]
      for column in columns {
        if column.expression.isVolatile { return nil }
        chain.values[column.column.id] = column.expression.replacing(below)
      }
      return chain
    case .filter(let input, let conditions):
      guard var chain = oneRowChain(input) else { return nil }
      if conditions.contains(where: \.isVolatile) { return nil }
      chain.conditions += conditions.map { $0.replacing(chain.values) }
      return chain
    case .sort(let input, _), .distinct(let input, on: nil): return oneRowChain(input)
    case .limit(let input, let limit) where limit.keepsARow: return oneRowChain(input)
    case .scan, .projectSet, .join, .path, .window, .limit, .distinct, .setOperation, .recursive,
      .workingTable, .withCommon, .commonReference, .tableFunction, .modify:
      return nil
    }
  }
}

extension LogicalPlan {
  /// A projection whose rows are there only under conditions over the plan below it.
  fileprivate func withInner(_ conditions: [BoundExpression], below: LogicalPlan) -> LogicalPlan {
    if conditions.isEmpty { return self }
    if case .project(_, let columns) = self { return .project(below.filtered(conditions), columns) }
    if case .filter(let input, let own) = self {
      return .filter(input.withInner(conditions, below: below), own)
    }
    return self
  }
}
