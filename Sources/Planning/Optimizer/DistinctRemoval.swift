import Columnar

/// Takes away DISTINCT where rows differ already, because a key is among the columns.
struct DistinctRemoval {
  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan }
    let below = plan.mapInputs(applied)
    switch below {
    case .distinct(let input, on: nil) where input.isUnique(on: input.outputIDs):
      return input
    case .distinct(let input, let on?):
      let keys = Set(on.compactMap(\.asColumn))
      return input.isUnique(on: keys) ? input : below
    case .join(var join) where join.kind.onlyLooksForMatch:
      // Repetition on the side that is only looked into does not matter.
      while case .distinct(let input, on: nil) = join.right { join.right = input }
      return .join(join)
    case .setOperation(var operation) where !operation.isAll:
      if case .distinct(let input, on: nil) = operation.left { operation.left = input }
      if case .distinct(let input, on: nil) = operation.right { operation.right = input }
      return .setOperation(operation)
    default: return below
    }
  }
}
