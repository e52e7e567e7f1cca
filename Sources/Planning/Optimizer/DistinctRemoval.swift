import Columnar

/// Takes away DISTINCT where rows differ already, because a key is among the columns.
struct DistinctRemoval {
  func applied(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(rewritten) ?? plan }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    if RunningStatement.isInterrupted { return nil }
    if case .distinct(let input, on: nil) = plan {
      return input.isUnique(on: input.outputIDs) ? input : nil
    }
    if case .distinct(let input, let on?) = plan {
      return input.isUnique(on: ColumnSet(on.compactMap(\.asColumn))) ? input : nil
    }
    if case .join(var join) = plan, join.kind.onlyLooksForMatch {
      // Repetition on the side that is only looked into does not matter.
      guard case .distinct(_, on: nil) = join.right else { return nil }
      while case .distinct(let input, on: nil) = join.right { join.right = input }
      return .join(join)
    }
    if case .setOperation(var operation) = plan, !operation.isAll {
      if case .distinct(let input, on: nil) = operation.left { operation.left = input }
      if case .distinct(let input, on: nil) = operation.right { operation.right = input }
      return .setOperation(operation)
    }
    return nil
  }
}
