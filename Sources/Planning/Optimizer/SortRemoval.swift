import Columnar

/// Takes away sorts whose order nobody sees.
struct SortRemoval {
  func applied(_ plan: LogicalPlan) -> LogicalPlan { applied(plan, orderMatters: true) }

  private func applied(_ plan: LogicalPlan, orderMatters: Bool) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan }
    switch plan {
    case .sort(let input, let keys):
      if !orderMatters || keys.isEmpty { return applied(input, orderMatters: orderMatters) }
      let below = applied(input, orderMatters: Self.keepsTies(input))
      return below.isAtMostOneRow ? below : .sort(below, keys)
    case .filter, .project, .projectSet, .tableFunction:
      return plan.mapInputs { applied($0, orderMatters: orderMatters) }
    case .limit, .distinct(_, on: .some): return plan.mapInputs { applied($0, orderMatters: true) }
    case .aggregate(let aggregate):
      let sees = aggregate.aggregates.contains { !Self.isOrderFree($0.call) }
      return plan.mapInputs { applied($0, orderMatters: sees) }
    case .withCommon(let id, let definition, let body):
      return .withCommon(
        id: id, definition: applied(definition, orderMatters: true),
        body: applied(body, orderMatters: orderMatters))
    case .modify: return plan.mapInputs { applied($0, orderMatters: true) }
    case .setOperation(let operation) where operation.kind == .union && operation.isAll:
      return plan.mapInputs { applied($0, orderMatters: orderMatters) }
    case .join(var join):
      // The left side's order is kept by most joins, and users count on it.
      join.left = applied(join.left, orderMatters: orderMatters)
      join.right = applied(join.right, orderMatters: false)
      return .join(join)
    case .window(let input, let calls):
      return .window(applied(input, orderMatters: orderMatters), calls)
    case .scan, .values, .workingTable, .commonReference: return plan
    case .path, .distinct, .setOperation, .recursive:
      return plan.mapInputs { applied($0, orderMatters: false) }
    }
  }

  /// Whether rows that a sort finds equal should stay in the order that a sort below gave them.
  private static func keepsTies(_ input: LogicalPlan) -> Bool {
    if case .limit = input { return true }
    return false
  }

  /// Whether an aggregate gives the same for its rows in any order.
  private static func isOrderFree(_ call: AggregateCall) -> Bool {
    !call.isOrderSensitive || !call.orderBy.isEmpty
  }
}
