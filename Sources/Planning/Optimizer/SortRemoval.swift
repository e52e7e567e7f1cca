import Columnar

/// Takes away sorts whose order nobody sees.
struct SortRemoval {
  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    plan.changedByOrder { plan, orderMatters in
      guard case .sort(let input, let keys) = plan,
        !orderMatters || keys.isEmpty || input.isAtMostOneRow
      else { return nil }
      return input
    }
  }
}

extension LogicalPlan {
  /// The plan with every operator of which `change` makes another replaced, from the top down; it is told whether anybody sees in
  /// which order the operator's rows come.
  func changedByOrder(
    orderMatters: Bool = true, _ change: (LogicalPlan, _ orderMatters: Bool) -> LogicalPlan?
  ) -> LogicalPlan {
    if RunningStatement.isInterrupted { return self }
    if let changed = change(self, orderMatters) {
      return changed.changedByOrder(orderMatters: orderMatters, change)
    }
    func below(_ plan: LogicalPlan, _ orderMatters: Bool) -> LogicalPlan {
      plan.changedByOrder(orderMatters: orderMatters, change)
    }
    switch self {
    case .sort(let input, let keys): return .sort(below(input, Self.keepsTies(input)), keys)
    case .filter, .project, .projectSet, .tableFunction, .window:
      return mapInputs { below($0, orderMatters) }
    case .limit, .distinct(_, on: .some), .modify: return mapInputs { below($0, true) }
    case .aggregate(let aggregate):
      let sees = aggregate.aggregates.contains { !$0.call.isOrderFree }
      return mapInputs { below($0, sees) }
    case .withCommon(let id, let definition, let body):
      return .withCommon(
        id: id, definition: below(definition, true), body: below(body, orderMatters))
    case .setOperation(let operation) where operation.kind == .union && operation.isAll:
      return mapInputs { below($0, orderMatters) }
    case .join(var join):
      // The left side's order is kept by most joins, and users count on it.
      join.left = below(join.left, orderMatters)
      join.right = below(join.right, false)
      return .join(join)
    case .scan, .values, .workingTable, .commonReference: return self
    case .path, .distinct, .setOperation, .recursive: return mapInputs { below($0, false) }
    }
  }

  /// Whether rows that a sort finds equal should stay in the order that a sort below gave them.
  private static func keepsTies(_ input: LogicalPlan) -> Bool {
    if case .limit = input { return true }
    return false
  }
}

extension AggregateCall {
  /// Whether it gives the same for its rows in any order.
  fileprivate var isOrderFree: Bool { !isOrderSensitive || !orderBy.isEmpty }
}
