import Columnar

/// Set operations, common table expressions and recursions: operators whose columns count by
/// number.
extension DomainPushing {
  mutating func pushedSetOperation(_ plan: SetOperationPlan) -> PushedPlan? {
    guard let left = pushedExactly(plan.left), let right = pushedExactly(plan.right) else {
      return nil
    }
    var operation = plan
    operation.left = left.plan
    operation.right = right.plan
    let columns = domain.map(unnesting.fresh)
    operation.columns = plan.columns + columns
    return PushedPlan(plan: .setOperation(operation), values: values(columns))
  }

  /// The plan with its own columns and the domain's behind them, and no others.
  mutating func pushedExactly(_ plan: LogicalPlan) -> PushedPlan? {
    guard let below = pushed(plan) else { return nil }
    let wanted = plan.outputs.map { ProjectedColumn($0, $0.reference) }
    return passing(below) { .project($0, wanted + $1) }
  }

  mutating func pushedCommon(
    _ id: Int, _ definition: LogicalPlan, _ body: LogicalPlan
  ) -> PushedPlan? {
    var shared = definition
    if isDependent(definition) {
      guard let below = pushedExactly(definition) else { return nil }
      shared = below.plan
      extended.insert(id)
    }
    guard let result = pushed(body) else { return nil }
    return PushedPlan(
      plan: .withCommon(id: id, definition: shared, body: result.plan), values: result.values,
      isFromEquality: result.isFromEquality)
  }

  mutating func pushedRecursion(_ plan: RecursivePlan) -> PushedPlan? {
    guard let anchor = pushedExactly(plan.anchor) else { return nil }
    extended.insert(plan.id)
    guard let step = pushedExactly(plan.step) else { return nil }
    var recursion = plan
    recursion.anchor = anchor.plan
    recursion.step = step.plan
    let columns = domain.map(unnesting.fresh)
    recursion.columns = plan.columns + columns
    return PushedPlan(plan: .recursive(recursion), values: values(columns))
  }
}
