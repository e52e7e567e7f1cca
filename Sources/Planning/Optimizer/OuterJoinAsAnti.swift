import Columnar

/// LEFT JOIN … WHERE right.column IS NULL as an anti-join, where the column is NULL in no row that
/// matches: it is declared so, or the join's condition is not true for NULL.
enum OuterJoinAsAnti {
  /// The anti-join with the right side's columns as NULLs; takes the condition that asked for it
  /// away.
  static func rewritten(
    _ join: JoinPlan, _ conditions: inout [BoundExpression]
  ) -> LogicalPlan? {
    switch join.kind {
    case .left where !join.isLateral:
      return oneSided(join, &conditions) { right in
        right.notNullColumns.union(
          LogicalPlan.rejected(by: join.conditions, among: right.outputIDs))
      }
    case .full:
      // What is left of a FULL JOIN where one side is missing are the other side's rows without a match. A column that
      // only the condition says is not NULL may be so in rows without a match.
      for (one, two) in [(join.left, join.right), (join.right, join.left)] {
        let left = JoinPlan(.left, one, two, on: join.conditions)
        if let anti = oneSided(left, &conditions, certain: { $0.notNullColumns }) {
          return anti.restricted(to: join.left.outputs + join.right.outputs)
        }
      }
      return nil
    case .inner, .left, .right, .semi, .anti, .mark, .single: return nil
    }
  }

  private static func oneSided(
    _ join: JoinPlan, _ conditions: inout [BoundExpression],
    certain: (LogicalPlan) -> ColumnSet
  ) -> LogicalPlan? {
    let right = join.right.outputs
    let ids = right.map(\.id)
    var notNull: ColumnSet?
    let place = conditions.firstIndex { condition in
      guard case .isNull(let operand, negated: false) = condition, let id = operand.asColumn,
        ids.contains(id)
      else { return false }
      let known = notNull ?? certain(join.right)
      notNull = known
      return known.contains(id)
    }
    guard let place else { return nil }
    conditions.remove(at: place)
    let anti = LogicalPlan.join(JoinPlan(.anti, join.left, join.right, on: join.conditions))
    return .project(
      anti,
      join.left.outputs.map { ProjectedColumn($0, $0.reference) }
        + right.map { ProjectedColumn($0, .constant(.null, $0.type)) })
  }
}
