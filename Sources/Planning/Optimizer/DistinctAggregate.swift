import Columnar

/// Aggregates over different values only, as plain aggregates over the different rows.
///
/// `count(DISTINCT x) … GROUP BY g` is `count(x) … GROUP BY g` over the different `(g, x)`, for which there are quick
/// ways, and which may be found before joins rather than behind them. It applies where all aggregates are over
/// different values of the same arguments.
///
/// Where no two rows of a group have the same arguments, DISTINCT just goes.
struct DistinctAggregate {
  func applied(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(rewritten) ?? plan }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    guard !RunningStatement.isInterrupted, case .aggregate(let aggregate) = plan,
      aggregate.aggregates.contains(where: \.call.isDistinct)
    else { return nil }
    let counted = withoutNeedlessDistinct(aggregate)
    return .aggregate(rewritten(counted) ?? counted)
  }

  /// The aggregation without DISTINCT where no two rows of a group have the same arguments.
  private func withoutNeedlessDistinct(_ plan: AggregatePlan) -> AggregatePlan {
    guard plan.groupingSets == nil, plan.aggregates.contains(where: \.call.isDistinct) else {
      return plan
    }
    let keys = ColumnSet(plan.keys.compactMap(\.expression.asColumn))
    var result = plan
    for (index, item) in plan.aggregates.enumerated() {
      let arguments = item.call.arguments.compactMap(\.asColumn)
      guard item.call.isDistinct, !item.call.isOrderSensitive,
        arguments.count == item.call.arguments.count,
        plan.input.isUnique(on: keys.union(arguments))
      else { continue }
      result.aggregates[index].call.isDistinct = false
    }
    return result
  }

  private func rewritten(_ plan: AggregatePlan) -> AggregatePlan? {
    guard plan.groupingSets == nil, plan.groupings.isEmpty,
      let first = plan.aggregates.first?.call, !first.arguments.isEmpty
    else { return nil }
    let arguments = first.arguments.compactMap(\.asColumn)
    guard arguments.count == first.arguments.count else { return nil }
    for item in plan.aggregates {
      let call = item.call
      guard call.isDistinct, call.orderBy.isEmpty, call.filter == nil,
        call.arguments.compactMap(\.asColumn) == arguments,
        call.arguments.count == arguments.count, !call.isOrderSensitive
      else { return nil }
    }
    var wanted = ColumnSet(arguments)
    for key in plan.keys {
      guard let column = key.expression.asColumn else { return nil }
      wanted.insert(column)
    }
    var result = plan
    let columns = plan.input.outputs.filter { wanted.contains($0.id) }
    guard columns.count == wanted.count else { return nil }
    result.input = .distinct(plan.input.restricted(to: columns), on: nil)
    for index in result.aggregates.indices { result.aggregates[index].call.isDistinct = false }
    return result
  }
}
