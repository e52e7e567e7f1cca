package import Planning

/// Grouping and aggregation; outputs keys, aggregates, groupings.
package struct AggregateNode: Sendable {
  package var input: PhysicalPlan
  package var keys: [ProjectedColumn]
  package var aggregates: [AggregatePlan.Item]
  package var groupingSets: [[Int]]?
  package var groupings: [(column: PlanColumn, keys: [Int])]
  /// The key by which rows come in clusters.
  ///
  /// Rows with the same value come one behind another, in one worker; groups are handed on cluster by cluster.
  package var clusterKey: Int?
  /// Groups made first, of which those of `keys` are made; then `keys` are over the outputs of `completion`.
  package var partial: PartialGroups?
  /// Keys that others determine: rows that are equal in all of those are equal in the key.
  package var dependencies: [KeyDependency] = []

  /// The aggregates that are computed from groups made first, and how many rows these stand for.
  var weighted: [BoundExpression] {
    guard let parts = partial?.parts else { return [] }
    return zip(aggregates, parts).filter { $1.contains(where: \.isWeight) }
      .map { .aggregate($0.0.call) }
  }

  /// What is looked at for each group made first rather than for each row.
  var asked: [BoundExpression] { (partial?.parts.conditions ?? []) + weighted }

  /// The aggregates that are computed from rows of the input.
  var calls: [AggregateCall] { partial?.calls ?? aggregates.map(\.call) }

  package init(
    input: PhysicalPlan, keys: [ProjectedColumn], aggregates: [AggregatePlan.Item],
    groupingSets: [[Int]]?, groupings: [(column: PlanColumn, keys: [Int])]
  ) {
    self.input = input
    self.keys = keys
    self.aggregates = aggregates
    self.groupingSets = groupingSets
    self.groupings = groupings
  }
}
