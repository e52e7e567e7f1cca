import Columnar

/// Takes away DISTINCT where rows differ already, because a key is among the columns.
struct DistinctRemoval {
  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan }
    let below = plan.mapInputs(applied)
    if case .distinct(let input, on: nil) = below, input.isUnique(on: input.outputIDs) {
      return input
    }
    if case .distinct(let input, let on?) = below {
      let keys = Set(on.compactMap(\.asColumn))
      return input.isUnique(on: keys) ? input : below
    }
    if case .join(var join) = below, join.kind.onlyLooksForMatch {
      // Repetition on the side that is only looked into does not matter.
      while case .distinct(let input, on: nil) = join.right { join.right = input }
      return .join(join)
    }
    if case .setOperation(var operation) = below, !operation.isAll {
      if case .distinct(let input, on: nil) = operation.left { operation.left = input }
      if case .distinct(let input, on: nil) = operation.right { operation.right = input }
      return .setOperation(operation)
    }
    return below
  }
}
