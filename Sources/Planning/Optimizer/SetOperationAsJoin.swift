import Columnar

/// EXCEPT as an anti-join and INTERSECT as a semi-join, with NULLs equal to each other as set
/// operations have them.
///
/// What is left of the set operation is a DISTINCT, which goes where a key is among the columns. A
/// join may use
/// indices and keys, a set operation compares whole rows.
///
/// With ALL rows are counted off against each other. Where no two rows of the left side are the same there is nothing to
/// count: such a row stays if the right side has none like it (EXCEPT ALL), or has one (INTERSECT ALL).
struct SetOperationAsJoin {
  func applied(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(rewritten) ?? plan }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    guard case .setOperation(let operation) = plan, operation.kind != .union,
      !operation.left.outputs.isEmpty,
      !operation.isAll || operation.left.isUnique(on: operation.left.outputIDs)
    else { return nil }
    let left = operation.left
    // The same columns may stand on both sides (a shared identity passed on), so the right's are
    // renamed apart.
    let right = operation.right
    guard left.outputIDs.isDisjoint(with: right.outputIDs) else { return nil }
    let notNull = left.notNullColumns.intersection(left.outputIDs)
    let rightNotNull = right.notNullColumns
    let conditions = zip(left.outputs, right.outputs).map { one, two in
      notNull.contains(one.id) && rightNotNull.contains(two.id) && !one.type.hasParts
        ? BoundExpression.comparison(.equal, one.reference, two.reference)
        : .distinct(one.reference, two.reference, negated: true)
    }
    let join = LogicalPlan.join(
      JoinPlan(operation.kind == .except ? .anti : .semi, left, right, on: conditions))
    let projected = LogicalPlan.project(
      join,
      zip(operation.columns, left.outputs).map { ProjectedColumn($0, $1.reference) })
    return operation.isAll ? projected : .distinct(projected, on: nil)
  }
}
