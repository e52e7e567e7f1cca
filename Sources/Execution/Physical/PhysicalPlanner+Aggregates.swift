import Catalog
import Columnar
import Diagnostics
import Planning

extension PhysicalPlanner {
  /// The cheapest way to carry out an aggregation.
  func planned(_ aggregate: AggregatePlan) throws(SQLError) -> PlannedOperator {
    if rules.contains(.indexAccess) {
      if let counted = cycleCount(aggregate) { return counted }
      if let counted = try edgeCounts(aggregate) { return counted }
      if let walked = try overWalk(aggregate) { return walked }
      if let clustered = try clustered(aggregate), try !isBetterJoined(aggregate, than: clustered) {
        return clustered
      }
    }
    if rules.contains(.partialGroups), let grouped = try groupedFirst(aggregate) { return grouped }
    let below = try planned(aggregate.input)
    guard case .distinct(let input, on: nil) = below.plan.node,
      let (distinct, areLarge) = distinguishing(aggregate)
    else { return finish(aggregate, below) }
    let whole = finish(
      distinct,
      PlannedOperator(input.node, outputs: input.outputs, profile: profile(distinct.input)))
    if areLarge { return whole }
    // Lists tell different neighbours apart without a table.
    if rules.contains(.indexAccess), case .aggregate(let node) = whole.plan.node,
      distinctNeighbours(node) != nil
    {
      return whole
    }
    return finish(aggregate, below)
  }

  /// An aggregation over different rows as one that keeps the different values of each group, where one whole number beside
  /// the keys makes rows different, and whether groups are so large that this spares a hash table of all rows.
  private func distinguishing(
    _ aggregate: AggregatePlan
  ) -> (aggregate: AggregatePlan, areLarge: Bool)? {
    guard case .distinct(let input, on: nil) = aggregate.input, !aggregate.keys.isEmpty,
      aggregate.groupingSets == nil, aggregate.groupings.isEmpty,
      let argument = aggregate.aggregates.first?.call.arguments.first?.asColumn
    else { return nil }
    let keys = aggregate.keys.compactMap(\.expression.asColumn)
    guard keys.count == aggregate.keys.count, !keys.contains(argument),
      input.outputs.ids == ColumnSet(keys + [argument])
    else { return nil }
    let isNumber = input.outputs.contains { $0.id == argument && $0.type.isInteger }
    let known = profile(input)
    guard isNumber,
      aggregate.aggregates.allSatisfy({
        $0.call.isUnordered && $0.call.isStrict && $0.call.arguments.map(\.asColumn) == [argument]
      })
    else { return nil }
    var result = aggregate
    result.input = input
    for index in result.aggregates.indices { result.aggregates[index].call.isDistinct = true }
    return (result, known.groupCount(keys) * Self.distinctRows <= known.rows)
  }

  /// So many rows of a group make it worth while to keep its different values apart from those of others.
  private static let distinctRows = 4.0

  /// Aggregates that do not mind how often a row comes, over the rows that a walk arrives at.
  private func overWalk(_ aggregate: AggregatePlan) throws(SQLError) -> PlannedOperator? {
    guard aggregate.keys.isEmpty, aggregate.groupingSets == nil, aggregate.groupings.isEmpty,
      !aggregate.aggregates.isEmpty,
      aggregate.aggregates.allSatisfy({
        $0.call.ignoresRepetition && BoundExpression.aggregate($0.call).isRepeatable
      }),
      aggregate.input.contains(where: \.isMatchingJoin)
    else { return nil }
    let used = aggregate.aggregates.reduce(into: ColumnSet()) { found, item in
      found.formUnion(item.call.columns)
    }
    let columns = aggregate.input.outputs.filter { used.contains($0.id) }
    if columns.isEmpty { return nil }
    let different = LogicalPlan.distinct(aggregate.input.restricted(to: columns), on: nil)
    let below = try planned(EarlyDistinct(statistics: statistics).applied(different))
    guard case .walk = withWalks(below.plan.pruned).node else { return nil }
    return finish(aggregate, below)
  }

  /// Whether the rows of an aggregation come from lists joined with each other, which drops most pairs before they are made,
  /// and are not just counted.
  private func isBetterJoined(
    _ aggregate: AggregatePlan, than clustered: PlannedOperator
  ) throws(SQLError) -> Bool {
    guard try planned(aggregate.input).plan.joinsLists else { return false }
    return !withWalks(clustered.plan.pruned).countsPairs
  }

  /// The different pairs of rows that two steps lead to, where they are counted without being made: groups without aggregates.
  func differentPairs(_ input: LogicalPlan) throws(SQLError) -> PlannedOperator? {
    guard rules.contains(.indexAccess), input.outputs.count == 2 else { return nil }
    var groups = AggregatePlan(
      input: input, keys: input.outputs.map { ProjectedColumn($0, $0.reference) }, aggregates: [])
    if case .project(let below, let list) = input { (groups.input, groups.keys) = (below, list) }
    guard let pairs = try clustered(groups),
      withWalks(pairs.plan.pruned).countsPairs
    else { return nil }
    return pairs
  }

  /// The aggregation of planned rows, each by itself.
  func finish(
    _ aggregate: AggregatePlan, _ below: PlannedOperator, clusterKey: Int? = nil
  ) -> PlannedOperator {
    var node = AggregateNode(
      input: below.plan, keys: aggregate.keys, aggregates: aggregate.aggregates,
      groupingSets: aggregate.groupingSets, groupings: aggregate.groupings)
    node.clusterKey = clusterKey
    node.notePresent(in: aggregate.input)
    if clusterKey == nil { node.dependencies = KeyDependency.found(in: aggregate) }
    let plan = LogicalPlan.aggregate(aggregate)
    return finish(plan, .aggregate(node), plan.outputs, [below])
      .partitioned(over: below.profile)
  }

  // MARK: Clusters

  /// Fewer groups are quicker found in one table.
  private static let clusterGroupMin = 10_000.0

  /// Pairs grouped by both ends: a walk from one end at a time, whose groups are few and complete when the walk
  /// goes on to the next.
  private func clustered(_ aggregate: AggregatePlan) throws(SQLError) -> PlannedOperator? {
    guard aggregate.groupingSets == nil, aggregate.groupings.isEmpty, aggregate.keys.count == 2,
      aggregate.aggregates.allSatisfy({ $0.call.isUnordered && !$0.call.isDistinct })
    else { return nil }
    let keys = aggregate.keys.compactMap(\.expression.asColumn)
    guard keys.count == 2, aggregate.input.isInnerJoin, aggregate.input.joinsTables else {
      return nil
    }
    var walker = self
    walker.prefersWalks = true
    let below = try walker.planned(aggregate.input)
    let profile = finish(aggregate, below).profile
    guard profile.rows >= Self.clusterGroupMin else { return nil }
    for (number, key) in keys.enumerated() {
      guard let plan = clustered(below.plan, by: key) else { continue }
      var walked = below
      walked.plan = plan
      let found = finish(aggregate, walked, clusterKey: number)
      // A condition on edges is quicker asked where these stand one behind another, unless it is asked of the rows between.
      if plan.filtersFirstEdges && !withWalks(found.plan.pruned).countsPairs { continue }
      return found
    }
    return nil
  }

  /// The column that a foreign key names, read in place of the child's: by its own name, as EXPLAIN shows it.
  func parentKey(
    _ column: PlanColumn, _ foreign: ForeignKeyConstraint, of parent: TableDefinition
  ) -> ScanPlan.Column {
    let index = foreign.parentColumns[0]
    let name = parent.columns[index].name
    return ScanPlan.Column(PlanColumn(column.id, name, column.type), index: index)
  }

  /// The plan with its first table walked from the parents that a column of it names.
  private func clustered(_ plan: PhysicalPlan, by key: ColumnID) -> PhysicalPlan? {
    var result = plan
    if case .filter(let input, let conditions) = plan.node {
      guard let below = clustered(input, by: key) else { return nil }
      result.node = .filter(below, conditions)
      result.outputs = below.outputs
    } else if case .expand(var expand) = plan.node, expand.kind.isInner {
      guard let below = clustered(expand.input, by: key) else { return nil }
      expand.input = below
      result.node = .expand(expand)
      result.outputs = below.outputs + expand.step.columns
    } else if case .scan(let scan) = plan.node {
      guard let expand = walked(scan, by: key, isClustered: true) else { return nil }
      result.node = .expand(expand)
      result.outputs = expand.input.outputs + expand.step.columns
    } else {
      return nil
    }
    return result
  }

  /// A table whose rows are walked to from the parents that a column of it names.
  func walked(_ scan: TableScan, by key: ColumnID, isClustered: Bool = false) -> Expand? {
    guard let column = scan.columns.first(where: { $0.column.id == key }), column.index >= 0,
      column.column.type.isInteger, !scan.filters.contains(where: \.isVolatile)
    else { return nil }
    let rest = scan.columns.filter { $0.column.id != key }
    for (number, foreign) in scan.table.foreignKeys.enumerated() {
      guard foreign.columns == [column.index], isWalkable(foreign, of: scan.table),
        scan.table.columns[column.index].isNotNull, let parent = tables[foreign.parent],
        repeatsKey(foreign, of: scan.table, in: parent)
      else { continue }
      let parentKey = parentKey(column.column, foreign, of: parent)
      let parents = PhysicalPlan(
        .scan(
          TableScan(
            table: parent, alias: parent.name.name, columns: [parentKey], filters: [])),
        outputs: [column.column], estimatedRows: statistics(parent.id)?.rowCount ?? 1000)
      var step = AdjacencyStep(
        edgeTable: scan.table, edgeAlias: scan.alias, from: number, parentTable: parent,
        edgeColumns: rest, filters: scan.filters)
      step.arrivals = arrivals(from: number, of: scan.table)
      var expand = Expand(
        input: parents, step: step, keys: [column.column.reference], kind: .inner)
      expand.isClustered = isClustered
      return expand
    }
    return nil
  }
}

extension AggregateCall {
  /// Whether it has to see all rows of a group before it can begin, or makes a list of them.
  var keepsRows: Bool { isOrderSensitive || !orderBy.isEmpty || isWithinGroup }

  /// `count` of rows, or of values that are not NULL, without ado.
  var isPlainCount: Bool { name == "count" && isUnordered && !isDistinct }

  fileprivate var isUnordered: Bool {
    !isOrderSensitive && orderBy.isEmpty && filter == nil
  }
}

extension AggregateNode {
  /// Whether it does not matter how often a row comes.
  var ignoresRepetition: Bool {
    keys.allSatisfy { $0.expression.isRepeatable }
      && aggregates.allSatisfy {
        $0.call.ignoresRepetition && BoundExpression.aggregate($0.call).isRepeatable
      }
  }
}

extension AggregateCall {
  /// Whether the result is the same however often a row comes.
  var ignoresRepetition: Bool {
    let names: Set = ["min", "max", "bool_and", "bool_or", "every", "bit_and", "bit_or"]
    return names.contains(name) || isDistinct && !isOrderSensitive && orderBy.isEmpty
  }
}

extension LogicalPlan {
  /// Whether this is a join whose rows are of a match.
  fileprivate var isMatchingJoin: Bool {
    guard case .join(let join) = self else { return false }
    switch join.kind {
    case .inner, .semi: return true
    case .left, .right, .full, .anti, .mark, .single: return false
    }
  }

  /// Whether this is an inner join, perhaps with conditions above it.
  fileprivate var isInnerJoin: Bool {
    if let input = passedOn { return input.isInnerJoin }
    guard case .join(let join) = self else { return false }
    return join.kind.isInner
  }

  /// The input of an operator that hands on its columns as they are.
  private var passedOn: LogicalPlan? {
    if case .filter(let input, _) = self { return input }
    guard case .project(let input, let list) = self,
      list.allSatisfy({ $0.expression.asColumn == $0.column.id })
    else { return nil }
    return input
  }

  /// Whether this is nothing but inner joins of tables, of which one is walked first and the others as steps.
  fileprivate var joinsTables: Bool {
    if let input = passedOn { return input.joinsTables }
    if case .join(let join) = self {
      return join.kind.isInner && !join.isLateral && join.left.joinsTables && join.right.joinsTables
    }
    if case .scan = self { return true }
    return false
  }
}

extension PhysicalPlan {
  /// Whether there is a join of lists in the plan.
  fileprivate var joinsLists: Bool {
    var rest = [self]
    while let plan = rest.popLast() {
      if case .listJoin = plan.node { return true }
      rest += plan.inputs
    }
    return false
  }

  /// Whether the edges of the table walked first have conditions.
  fileprivate var filtersFirstEdges: Bool {
    if case .filter(let input, _) = node { return input.filtersFirstEdges }
    guard case .expand(let expand) = node else { return false }
    if case .scan = expand.input.node { return !expand.step.filters.isEmpty }
    return expand.input.filtersFirstEdges
  }

  /// Whether the plan counts pairs without making them.
  fileprivate var countsPairs: Bool {
    if case .project(let input, _) = node { return input.countsPairs }
    if case .pairCount = node { return true }
    return false
  }
}
