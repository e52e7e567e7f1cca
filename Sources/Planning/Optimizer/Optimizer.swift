package import Catalog
package import Diagnostics

/// Turns the plan that a query was bound to into one that gives the same rows with less work.
///
/// Each rule stands in a file of its own. The order matters: unnesting leaves joins, over which
/// conditions are then
/// pushed down; joins are ordered when every condition stands where it can; and what nobody uses is
/// pruned before that, so that
/// joins without effect are not ordered.
package struct Optimizer {
  private let catalog: CatalogSnapshot
  private let statistics: StatisticsSource
  private let factory: ColumnFactory?
  private let rules: OptimizerRules

  /// An optimiser for one statement, whose columns come from `factory`; without one, new columns
  /// are
  /// numbered behind the plan's.
  package init(
    catalog: CatalogSnapshot, statistics: @escaping StatisticsSource, factory: ColumnFactory? = nil,
    rules: OptimizerRules = .all
  ) {
    self.catalog = catalog
    self.statistics = statistics
    self.factory = factory
    self.rules = rules
  }

  /// The plan without subqueries in expressions, and lateral only where nothing else was possible.
  ///
  /// - Throws: 0A000 for a subquery in a place where none can be carried out.
  package func optimize(_ plan: LogicalPlan) throws(SQLError) -> LogicalPlan {
    let columns = plan.outputs
    var unnesting = Unnesting(
      factory: factory ?? ColumnFactory(after: plan.greatestColumn), rules: rules,
      commons: CommonNumbers(after: plan.greatestCommonID))
    // Simplified before, limits are plain constants; afterwards, what subqueries have become is
    // simple too.
    let simplification = ExpressionSimplification(rules: rules)
    var current = try unnesting.exactly(simplification.simplified(plan))
    current = simplification.simplified(current)
    if rules.contains(.setOperationAsJoin) { current = SetOperationAsJoin().applied(current) }
    if rules.contains(.filterPushDown) {
      let pushDown = FilterPushDown(rules: rules)
      current = simplification.simplified(pushDown.pushed(current).restricted(to: columns))
      // What became an inner join or a constant in the first pass lets conditions through in the
      // second.
      current = pushDown.pushed(current).restricted(to: columns)
    }
    if rules.contains(.distinctAggregate) { current = DistinctAggregate().applied(current) }
    if rules.contains(.distinctRemoval) { current = DistinctRemoval().applied(current) }
    if rules.contains(.sortRemoval) { current = SortRemoval().applied(current) }
    if rules.contains(.projectionPruning) {
      current = ProjectionPruning(rules: rules).applied(current)
    }
    if rules.contains(.limitPushDown) { current = LimitPushDown().applied(current) }
    if rules.contains(.joinOrder) {
      current = JoinOrder(statistics: statistics).applied(current).restricted(to: columns)
    }
    if rules.contains(.earlyDistinct) {
      current = EarlyDistinct(statistics: statistics).applied(current).restricted(to: columns)
    }
    if rules.contains(.projectionPruning) {
      current = ProjectionPruning(rules: rules).applied(current)
    }
    return current.restricted(to: columns)
  }
}
