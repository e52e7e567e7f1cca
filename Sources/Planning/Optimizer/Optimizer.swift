package import Catalog
package import Columnar
package import Diagnostics

/// Turns the plan that a query was bound to into one that gives the same rows with less work.
///
/// Each rule stands in a file of its own. The order matters: unnesting leaves joins, over which
/// conditions are then
/// pushed down; joins are ordered when every condition stands where it can; and what nobody uses is
/// pruned before that, so that
/// joins without effect are not ordered.
///
/// A rule that is applied while the statement is asked to end leaves the rest of the plan as it is, and the plan is
/// thrown away behind it.
package struct Optimizer {
  private let catalog: CatalogSnapshot
  private let statistics: StatisticsSource
  private let factory: ColumnFactory?
  private let rules: OptimizerRules
  private let style: ValueStyle

  /// An optimiser for one statement, whose columns come from `factory`; without one, new columns
  /// are
  /// numbered behind the plan's.
  package init(
    catalog: CatalogSnapshot, statistics: StatisticsSource, factory: ColumnFactory? = nil,
    rules: OptimizerRules = .all, style: ValueStyle = ValueStyle()
  ) {
    self.catalog = catalog
    self.statistics = statistics
    self.factory = factory
    self.rules = rules
    self.style = style
  }

  /// The plan without subqueries in expressions, and lateral only where nothing else was possible.
  ///
  /// - Throws: 0A000 for a subquery in a place where none can be carried out.
  package func optimize(_ plan: LogicalPlan) throws(SQLError) -> LogicalPlan {
    let columns = plan.outputs
    let factory = self.factory ?? ColumnFactory(after: plan.greatestColumn)
    let commons = CommonNumbers(after: plan.greatestCommonID)
    var unnesting = Unnesting(
      factory: factory, statistics: statistics, rules: rules, commons: commons)
    // Simplified before, limits are plain constants; afterwards, what subqueries have become is
    // simple too.
    let simplification = ExpressionSimplification(rules: rules, style: style)
    let narrow = rules.contains(.projectionPruning) ? ScanNarrowing.applied(plan) : plan
    var current = try unnesting.exactly(simplification.simplified(narrow))
    try RunningStatement.check()
    current = simplification.simplified(current)
    if rules.contains(.setOperationAsJoin) { current = SetOperationAsJoin().applied(current) }
    if rules.contains(.filterPushDown) {
      let pushDown = FilterPushDown(rules: rules)
      current = simplification.simplified(pushDown.pushed(current).restricted(to: columns))
      // What became an inner join or a constant in the first pass lets conditions through in the
      // second.
      current = pushDown.pushed(current).restricted(to: columns)
    }
    try RunningStatement.check()
    if rules.contains(.filterPushDown), rules.contains(.commonConditions),
      current.contains(where: \.isCommon)
    {
      current = CommonConditions(rules: rules, simplification: simplification).applied(current)
    }
    try RunningStatement.check()
    if rules.contains(.countOfUnlinkedPairs) {
      current = CountOfUnlinkedPairs(factory: factory, commons: commons).applied(current)
    }
    try RunningStatement.check()
    if rules.contains(.caseAsFilter) { current = CaseAsFilter().applied(current) }
    if rules.contains(.distinctAggregate) { current = DistinctAggregate().applied(current) }
    if rules.contains(.countOfRows) { current = CountOfRows().applied(current) }
    if rules.contains(.distinctRemoval) { current = DistinctRemoval().applied(current) }
    if rules.contains(.sortRemoval) { current = SortRemoval().applied(current) }
    if rules.contains(.projectionPruning) {
      current = ProjectionPruning(rules: rules).applied(current)
      current = withoutParents(current, factory, commons)
    }
    try RunningStatement.check()
    if rules.contains(.antiJoinByParts) {
      current = AntiJoinByParts(factory: factory, commons: commons).applied(current)
        .restricted(to: columns)
    }
    if rules.contains(.limitPushDown) { current = LimitPushDown().applied(current) }
    try RunningStatement.check()
    if rules.contains(.aggregateSharing) {
      current = AggregateSharing(factory: factory, commons: commons).applied(current)
    }
    try RunningStatement.check()
    return try ordered(current, columns, factory, commons).restricted(to: columns)
  }

  /// What is decided by how many rows there are: the order of joins, and what pays before and behind them; of all columns that
  /// the plan hands up, these are wanted.
  private func ordered(
    _ plan: LogicalPlan, _ columns: [PlanColumn], _ factory: ColumnFactory,
    _ commons: CommonNumbers
  ) throws(SQLError) -> LogicalPlan {
    var current = plan
    statistics.noteTables(of: current)
    if rules.contains(.windowAsJoin) {
      current = WindowAsJoin(statistics: statistics, factory: factory, commons: commons)
        .applied(current)
    }
    if rules.contains(.marksAsSemiJoin) {
      current = MarksAsSemiJoin(statistics: statistics, factory: factory).applied(current)
    }
    if rules.contains(.matchByExtreme) {
      current = MatchByExtreme(statistics: statistics, factory: factory).applied(current)
    }
    if rules.contains(.lateParents),
      let late = LateParents(statistics: statistics, factory: factory).applied(current)
    {
      current = settled(late, columns)
    }
    if rules.contains(.limitPushDown) {
      current = LimitBelowJoins(statistics: statistics).applied(current)
    }
    if rules.contains(.lateAggregates) {
      current = LateAggregates(statistics: statistics, factory: factory).applied(current)
    }
    if rules.contains(.groupsByParent) { current = GroupsByParent().applied(current) }
    if rules.contains(.disjunctionAsUnion) {
      current = DisjunctionAsUnion(statistics: statistics, factory: factory).applied(current)
    }
    if rules.contains(.joinOrder) {
      current = JoinOrder(statistics: statistics).applied(current).restricted(to: columns)
    }
    if rules.contains(.magicSets) {
      current = MagicSets(statistics: statistics, factory: factory, numbers: commons)
        .applied(current)
    }
    try RunningStatement.check()
    if rules.contains(.earlyDistinct) {
      current = EarlyDistinct(statistics: statistics).applied(current).restricted(to: columns)
    }
    if rules.contains(.textsAsCodes) {
      current = TextsAsCodes(statistics: statistics, factory: factory).applied(current)
    }
    if rules.contains(.projectionPruning) {
      current = ProjectionPruning(rules: rules).applied(current)
    }
    try RunningStatement.check()
    return current
  }

  /// The plan without joins with parents of which only the key is used, and with closures for paths.
  ///
  /// Conditions that were on parents are then on children, where they can go further down.
  private func withoutParents(
    _ plan: LogicalPlan, _ factory: ColumnFactory, _ commons: CommonNumbers
  ) -> LogicalPlan {
    let columns = plan.outputs
    var current = plan
    if rules.contains(.pathAsRecursion), current.contains(where: \.isPath) {
      current = settled(
        PathAsRecursion(factory: factory, commons: commons).applied(current), columns)
    }
    guard rules.contains(.parentRemoval), current.contains(where: \.isInnerJoin) else {
      return current
    }
    let fewer = ParentRemoval().applied(current)
    return fewer.scanCount < current.scanCount ? settled(fewer, columns) : current
  }

  /// A plan that a rule has changed, with conditions where they can go now, and without what nobody uses any more.
  private func settled(_ plan: LogicalPlan, _ columns: [PlanColumn]) -> LogicalPlan {
    let pushed =
      rules.contains(.filterPushDown)
      ? FilterPushDown(rules: rules).pushed(plan).restricted(to: columns) : plan
    return ProjectionPruning(rules: rules).applied(pushed)
  }
}

extension LogicalPlan {
  fileprivate var isCommon: Bool {
    if case .withCommon = self { return true }
    return false
  }

  fileprivate var isPath: Bool {
    if case .path = self { return true }
    return false
  }

  fileprivate var isInnerJoin: Bool {
    if case .join(let join) = self { return join.kind.isInner }
    return false
  }
}
