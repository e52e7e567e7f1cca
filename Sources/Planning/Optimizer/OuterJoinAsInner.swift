/// An outer join above which a condition lets no added NULLs through does not need to add them.
enum OuterJoinAsInner {
  static func narrow(_ join: inout JoinPlan, by conditions: [BoundExpression]) {
    switch join.kind {
    case .left, .full: break
    case .inner, .right, .semi, .anti, .mark, .single: return
    }
    let (left, right) = (join.left.outputIDs, join.right.outputIDs)
    let rejectsLeft = conditions.contains { !$0.isVolatile && $0.rejects(nulls: left) }
    let rejectsRight = conditions.contains { !$0.isVolatile && $0.rejects(nulls: right) }
    switch join.kind {
    case .left: if rejectsRight { join.kind = .inner }
    case .full:
      switch (rejectsLeft, rejectsRight) {
      case (true, true): join.kind = .inner
      case (true, false): join.kind = .left
      case (false, true):
        swap(&join.left, &join.right)
        join.kind = .left
      case (false, false): break
      }
    case .inner, .right, .semi, .anti, .mark, .single: break
    }
  }

  /// The plan with those outer joins narrowed of which `conditions`, asked somewhere above, let no added NULLs through.
  ///
  /// Only what stands between the conditions and the join is gone through that hands rows on as they are, or drops some. A
  /// condition of an inner join is asked of every row that comes out of it, so it counts for both inputs, though it can be
  /// moved into neither.
  static func narrowed(
    _ plan: LogicalPlan, by conditions: [BoundExpression]
  ) -> LogicalPlan {
    if conditions.isEmpty { return plan }
    switch plan {
    case .filter(let input, let own): return .filter(narrowed(input, by: conditions), own)
    case .project(let input, let columns):
      let meaning = ColumnMap(
        columns.map { ($0.column.id, $0.expression) }, uniquingKeysWith: { first, _ in first })
      let below = conditions.map { $0.replacing(meaning) }
      return .project(narrowed(input, by: below), columns)
    case .join(var join):
      narrow(&join, by: conditions)
      switch join.kind {
      case .inner:
        join.left = narrowed(join.left, by: conditions)
        join.right = narrowed(join.right, by: conditions)
      case .left, .semi, .anti, .mark, .single: join.left = narrowed(join.left, by: conditions)
      case .right: join.right = narrowed(join.right, by: conditions)
      case .full: break
      }
      return .join(join)
    case .scan, .values, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .commonReference, .withCommon, .tableFunction,
      .modify:
      return plan
    }
  }
}
