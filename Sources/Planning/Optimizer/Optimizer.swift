package import Catalog
package import Diagnostics

/// Turns the plan that a query was bound to into one that gives the same rows with less work.
///
/// Each rule stands in a file of its own. The order matters:
/// common table expressions are inlined first, so that the other rules see through them; unnesting
/// leaves joins, over which
/// conditions are then pushed down; joins are ordered when every condition stands where it can; and
/// what nobody uses is
/// pruned last.
package struct Optimizer {
  private let catalog: CatalogSnapshot
  private let statistics: StatisticsSource
  private let factory: ColumnFactory?
  private let functions: OptimizerFunctions
  private let rules: OptimizerRules

  /// An optimiser for one statement, whose columns come from `factory`; without one, new columns
  /// are numbered behind the plan's.
  package init(
    catalog: CatalogSnapshot, statistics: @escaping StatisticsSource, factory: ColumnFactory? = nil,
    functions: OptimizerFunctions = OptimizerFunctions(), rules: OptimizerRules = .all
  ) {
    self.catalog = catalog
    self.statistics = statistics
    self.factory = factory
    self.functions = functions
    self.rules = rules
  }

  /// The plan without subqueries in expressions, and lateral only where nothing else was possible.
  ///
  /// - Throws: 0A000 for a subquery in a place where none can be carried out.
  package func optimize(_ plan: LogicalPlan) throws(SQLError) -> LogicalPlan {
    var unnesting = Unnesting(
      factory: factory ?? ColumnFactory(after: plan.greatestColumn), functions: functions,
      rules: rules,
      commons: CommonNumbers(after: plan.greatestCommonID))
    return try unnesting.exactly(plan)
  }
}
