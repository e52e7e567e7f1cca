import Columnar

/// `count` of a column that is never NULL as `count(*)`: the column need not be read, and edges need not be looked at to be
/// counted.
///
/// Over DISTINCT rows the column stays: they may be counted as the different values of it that each group has.
struct CountOfRows {
  func applied(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(rewritten) ?? plan }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    guard case .aggregate(var aggregate) = plan,
      aggregate.aggregates.contains(where: \.call.countsColumn)
    else { return nil }
    if case .distinct = aggregate.input { return nil }
    let notNull = aggregate.input.notNullColumns
    var isChanged = false
    for index in aggregate.aggregates.indices {
      guard let counting = aggregate.aggregates[index].call.countingRows(notNull) else { continue }
      aggregate.aggregates[index].call = counting
      isChanged = true
    }
    return isChanged ? .aggregate(aggregate) : nil
  }
}

extension AggregateCall {
  /// Whether it counts the rows in which a column has a value; a FILTER may be there.
  fileprivate var countsColumn: Bool {
    name == "count" && !isDistinct && orderBy.isEmpty && arguments.count == 1
      && arguments[0].asColumn != nil
  }

  /// The same as a count of rows, where it counts a column that `notNull` says is never NULL; else nil.
  package func countingRows(_ notNull: ColumnSet) -> AggregateCall? {
    guard countsColumn, arguments[0].isNeverNull(notNull) else { return nil }
    var result = self
    result.arguments = []
    return result
  }
}
