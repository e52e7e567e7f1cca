import Columnar

/// LEFT JOIN … WHERE right.column IS NULL as an anti-join, where the column is NULL in no row that
/// matches.
enum OuterJoinAsAnti {
  /// The anti-join with the right side's columns as NULLs; takes the condition that asked for it
  /// away.
  static func rewritten(
    _ join: JoinPlan, _ conditions: inout [BoundExpression]
  ) -> LogicalPlan? {
    guard case .left = join.kind, !join.isLateral else { return nil }
    let right = join.right.outputs
    let ids = right.map(\.id)
    var notNull: Set<ColumnID>?
    let place = conditions.firstIndex { condition in
      guard case .isNull(let operand, negated: false) = condition, let id = operand.asColumn,
        ids.contains(id)
      else { return false }
      let known =
        notNull
        ?? join.right.notNullColumns.union(LogicalPlan.rejected(by: join.conditions, among: ids))
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
