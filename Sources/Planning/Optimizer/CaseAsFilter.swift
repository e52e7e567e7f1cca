import Columnar

/// Aggregates of `CASE WHEN p THEN x END` as aggregates of `x` with FILTER, which selects rows as WHERE does instead of
/// computing a value for each.
///
/// An aggregate that passes over NULLs does not see the other rows. `sum(CASE WHEN p THEN 1 ELSE 0 END)` is a count of the
/// rows for which p is true, as long as there is a row, which a group has by itself.
struct CaseAsFilter {
  func applied(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(rewritten) ?? plan }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    guard case .aggregate(let aggregate) = plan else { return nil }
    let hasRows = !aggregate.keys.isEmpty && aggregate.groupingSets == nil
    var result = aggregate
    var isChanged = false
    for (index, item) in aggregate.aggregates.enumerated() {
      guard let found = filtered(item.call, hasRows: hasRows) else { continue }
      result.aggregates[index].call = found
      isChanged = true
    }
    return isChanged ? .aggregate(result) : nil
  }

  private func filtered(_ call: AggregateCall, hasRows: Bool) -> AggregateCall? {
    guard call.isStrict, call.orderBy.isEmpty, call.arguments.count == 1,
      case .caseWhen(let branches, let otherwise, _) = call.arguments[0], branches.count == 1,
      !branches[0].condition.isVolatile
    else { return nil }
    let (condition, value) = (branches[0].condition, branches[0].result)
    var result = call
    if otherwise.isNullConstant {
      result.arguments = [value]
    } else if hasRows, call.filter == nil, !call.isDistinct, call.name == "sum",
      call.type == .bigint, value.isWhole(1), otherwise.isWhole(0)
    {
      result = .countOfRows
    } else {
      return nil
    }
    result.filter = call.filter.map { .and([$0, condition]) } ?? condition
    return result
  }
}

extension BoundExpression {
  fileprivate var isNullConstant: Bool {
    if case .constant(let value, _) = self { return value.isNull }
    return false
  }

  fileprivate func isWhole(_ number: Int32) -> Bool {
    if case .constant(.int32(number), _) = self { return true }
    return false
  }
}
