/// A left join whose right side nobody uses and that cannot repeat a left row has no effect.
enum JoinRemoval {
  static func isUseless(_ join: JoinPlan, _ needed: ColumnSet) -> Bool {
    switch join.kind {
    case .left:
      guard needed.isDisjoint(with: join.right.outputIDs), !join.right.isVolatile else {
        return false
      }
      return join.right.isUniqueMatch(on: join.equatedColumns(of: join.right, with: join.left))
    case .mark(let column): return !needed.contains(column.id) && !join.right.isVolatile
    case .inner, .right, .full, .semi, .anti, .single: return false
    }
  }
}
