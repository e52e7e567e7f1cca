/// An outer join above which a condition lets no added NULLs through does not need to add them.
enum OuterJoinAsInner {
  static func narrow(_ join: inout JoinPlan, by conditions: [BoundExpression]) {
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
}
