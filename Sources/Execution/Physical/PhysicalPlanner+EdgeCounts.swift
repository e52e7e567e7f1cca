import Catalog
import Columnar
import Diagnostics
import Planning

/// Edges counted by the index rather than one by one, and measured by the ends of their lists.
///
/// That is `count` over a join along a foreign key, or over the table of a foreign key that is grouped by it, or of those of its
/// rows whose parent is among some: the number of a parent's edges is read off the index, and where a group, or the whole, has
/// more than one parent, numbers are added up. Edges to one neighbour may be left out, as a person is of the own classmates.
/// `min`, `max`, `sum` and `avg` of the key of the rows where the edges arrive come with it: lists rise by the positions of these,
/// and so do keys in most tables.
extension PhysicalPlanner {
  /// Parents whose edges are counted.
  private struct CountedEdges {
    var input: PlannedOperator
    var step: AdjacencyStep
    /// The parent's key, over the input.
    var keys: [BoundExpression]
    var exclusion: EdgeCount.Exclusion?
    var measures: EdgeMeasures
    /// Whether a parent without edges counts 0, rather than not at all.
    var isOuter: Bool
    /// Whether each parent is a group of its own.
    var isByParent = true
  }

  /// What aggregates ask of edges.
  fileprivate struct EdgeMeasures {
    /// One for each aggregate.
    var measures: [KeyMeasure] = []
    /// Where the edges lead whose keys are measured, and the key there.
    var measured: (arrival: AdjacencyStep.Arrival, column: ScanPlan.Column)?
  }

  /// The aggregation as numbers and measures of edges; nil where it asks for more.
  func edgeCounts(_ aggregate: AggregatePlan) throws(SQLError) -> PlannedOperator? {
    guard aggregate.groupingSets == nil, aggregate.groupings.isEmpty,
      !aggregate.aggregates.isEmpty,
      aggregate.aggregates.allSatisfy({
        $0.call.isPlainCount || KeyMeasure($0.call, isSet: false) != nil
      }),
      let found = try countedEdges(aggregate)
    else { return nil }
    var node = EdgeCount(
      input: found.input.plan, step: found.step, measures: [], keys: found.keys,
      exclusion: found.exclusion)
    if let measured = found.measures.measured {
      node.step.to = measured.arrival.to
      node.step.neighbourTable = measured.arrival.table
      node.measured = measured.column
    }
    var columns: [PlanColumn] = []
    for (item, measure) in zip(aggregate.aggregates, found.measures.measures) {
      columns.append(node.column(of: measure, for: item, isSummed: !found.isByParent))
    }
    let isGrouped = !found.isOuter && !aggregate.keys.isEmpty
    let first = aggregate.aggregates[0]
    // Parents without edges are no groups of an inner join.
    let number =
      isGrouped ? node.column(of: .count, for: first, isSummed: !found.isByParent) : nil
    var counted = PlannedOperator(
      .edgeCount(node), outputs: found.input.plan.outputs + node.measures.map(\.column),
      profile: found.input.profile)
    if let number {
      let isLinked = BoundExpression.comparison(
        .greater, number.reference, .constant(.int64(0), .bigint))
      counted = PlannedOperator(
        .filter(counted.plan, [isLinked]), outputs: counted.plan.outputs,
        profile: counted.profile)
    }
    if !found.isByParent {
      var summed = aggregate
      for (index, measure) in found.measures.measures.enumerated() {
        guard let call = measure.call(over: columns[index], for: aggregate.aggregates[index].call)
        else { return nil }
        summed.aggregates[index].call = call
      }
      return finish(summed, counted)
    }
    let plan = LogicalPlan.aggregate(aggregate)
    let expressions = aggregate.keys.map(\.expression) + columns.map(\.reference)
    return PlannedOperator(
      .project(counted.plan, expressions), outputs: plan.outputs, profile: counted.profile)
  }

  private func countedEdges(_ aggregate: AggregatePlan) throws(SQLError) -> CountedEdges? {
    if case .scan(let scan) = aggregate.input {
      return aggregate.keys.isEmpty
        ? try countedLookup(aggregate, scan) : try countedScan(aggregate, scan)
    }
    guard case .join(let join) = aggregate.input else { return nil }
    if var parents = join.parentsOfMatches {
      guard aggregate.keys.isEmpty else { return nil }
      parents.left = EarlyDistinct(statistics: statistics).applied(parents.left)
      return try countedJoin(aggregate, parents)
    }
    for order in join.ordersByLast {
      if let found = try countedJoin(aggregate, order) { return found }
    }
    return nil
  }

  /// All rows of a table, grouped by a foreign key: the parents that have some.
  private func countedScan(
    _ aggregate: AggregatePlan, _ scan: ScanPlan
  ) throws(SQLError) -> CountedEdges? {
    guard scan.filters.isEmpty, aggregate.keys.count == 1,
      let id = aggregate.keys[0].expression.asColumn,
      let column = scan.columns.first(where: { $0.column.id == id })
    else { return nil }
    for (number, foreign) in scan.table.foreignKeys.enumerated() {
      guard foreign.columns == [column.index], isWalkable(foreign, of: scan.table),
        let measures = measures(aggregate, of: scan, from: number, isOuter: false),
        scan.table.columns[column.index].isNotNull, let parent = tables[foreign.parent],
        repeatsKey(foreign, of: scan.table, in: parent),
        let rows = statistics(parent.id)?.rowCount,
        rows <= statistics(scan.table.id)?.rowCount ?? 0
      else { continue }
      let key = parentKey(column.column, foreign, of: parent)
      let parents = ScanPlan(table: parent, alias: parent.name.name, columns: [key])
      return CountedEdges(
        input: try planned(.scan(parents)), step: walk(scan, number, [], readsColumns: false),
        keys: [column.column.reference], measures: measures, isOuter: false)
    }
    return nil
  }

  /// The rows of a table with one value in a foreign key: those of one parent, of which more than their number is asked.
  private func countedLookup(
    _ aggregate: AggregatePlan, _ scan: ScanPlan
  ) throws(SQLError) -> CountedEdges? {
    if scan.filters.isEmpty || aggregate.aggregates.allSatisfy(\.call.isPlainCount) { return nil }
    let equated = EquatedColumns(scan, scan.filters)
    for (number, foreign) in scan.table.foreignKeys.enumerated() {
      guard isWalkable(foreign, of: scan.table),
        let (values, used) = equated.keys(foreign.columns),
        values.count == 1, let value = values.first,
        value.allSatisfy({ $0.columns.isEmpty && $0.isRepeatable }),
        let measures = measures(aggregate, of: scan, from: number, isOuter: false)
      else { continue }
      let others = scan.filters.indices.filter { !used.contains($0) }.map { scan.filters[$0] }
      let exclusion = exclusion(others, scan, from: number)
      guard others.isEmpty || exclusion != nil, measures.agree(with: exclusion) else { continue }
      return CountedEdges(
        input: try planned(.values(rows: [[]], columns: [])),
        step: walk(scan, number, [], readsColumns: false), keys: value, exclusion: exclusion,
        measures: measures, isOuter: false, isByParent: false)
    }
    return nil
  }

  /// A join from parents to children, which stand on the right.
  private func countedJoin(
    _ aggregate: AggregatePlan, _ join: JoinPlan
  ) throws(SQLError) -> CountedEdges? {
    guard !join.isLateral, case .scan(let scan) = join.right else { return nil }
    let isOuter: Bool
    switch join.kind {
    case .left: isOuter = true
    case .inner: isOuter = false
    case .right, .full, .semi, .anti, .mark, .single: return nil
    }
    let left = join.left.outputIDs
    guard
      aggregate.keys.allSatisfy({
        $0.expression.usesOnly(left) && $0.expression.isRepeatable
      })
    else { return nil }
    let keys = aggregate.keys.compactMap(\.expression.asColumn)
    let isByParent =
      !keys.isEmpty && keys.count == aggregate.keys.count && join.left.isUnique(on: ColumnSet(keys))
    if !isByParent, profile(join.left).rows > statistics(scan.table.id)?.rowCount ?? 0 {
      return nil
    }
    let conditions = join.conditions + scan.filters
    let equated = EquatedColumns(scan, conditions)
    for (number, foreign) in scan.table.foreignKeys.enumerated() {
      guard isWalkable(foreign, of: scan.table),
        let (values, used) = equated.keys(foreign.columns),
        values.count == 1, let value = values.first,
        value.allSatisfy({ $0.usesOnly(left) }),
        let measures = measures(aggregate, of: scan, from: number, isOuter: isOuter)
      else { continue }
      let others = conditions.indices.filter { !used.contains($0) }.map { conditions[$0] }
      let exclusion = exclusion(others, scan, from: number)
      guard others.isEmpty || exclusion != nil, measures.agree(with: exclusion) else { continue }
      return CountedEdges(
        input: try planned(join.left), step: walk(scan, number, [], readsColumns: false),
        keys: value, exclusion: exclusion, measures: measures, isOuter: isOuter,
        isByParent: isByParent)
    }
    return nil
  }

  /// The neighbour that the only condition left leaves out: a foreign key is not equal to something that is not of the edge.
  private func exclusion(
    _ conditions: [BoundExpression], _ scan: ScanPlan, from: Int
  ) -> EdgeCount.Exclusion? {
    guard conditions.count == 1,
      case .comparison(.notEqual, let left, let right) = conditions[0]
    else { return nil }
    let own = ColumnSet(scan.columns.map(\.column.id))
    for (one, other) in [(left, right), (right, left)] {
      guard let column = scan.columns.first(where: { $0.column.id == one.asColumn }),
        column.index >= 0, scan.table.columns[column.index].isNotNull,
        own.isDisjoint(with: other.columns),
        other.isRepeatable, other.cannotFail, one.type.physical == other.type.physical,
        let arrival = arrivals(from: from, of: scan.table).first(where: {
          $0.edgeColumn == column.index
        })
      else { continue }
      return EdgeCount.Exclusion(
        to: arrival.to, neighbours: arrival.table, column: column, key: other)
    }
    return nil
  }

  /// What aggregates ask of the edges of a parent; nil where that is more than their number and measures of one key.
  private func measures(
    _ aggregate: AggregatePlan, of scan: ScanPlan, from number: Int, isOuter: Bool
  ) -> EdgeMeasures? {
    var found = EdgeMeasures()
    for call in aggregate.aggregates.map(\.call) {
      // A parent without children is one row of an outer join.
      if call.isPlainCount, counts(call, of: scan), !(isOuter && call.arguments.isEmpty) {
        found.measures.append(.count)
        continue
      }
      guard let measure = KeyMeasure(call, isSet: false),
        let id = call.arguments.first?.asColumn,
        let column = scan.columns.first(where: { $0.column.id == id }), column.index >= 0,
        scan.table.columns[column.index].isNotNull,
        let arrival = arrivals(from: number, of: scan.table).first(where: {
          $0.edgeColumn == column.index
        }), found.measured == nil || found.measured?.arrival.to == arrival.to
      else { return nil }
      let key = ScanPlan.Column(column.column, index: arrival.neighbourColumn)
      found.measured = found.measured ?? (arrival, key)
      found.measures.append(measure)
    }
    return found
  }

  /// Whether an aggregate counts all rows of a table.
  private func counts(_ call: AggregateCall, of scan: ScanPlan) -> Bool {
    call.arguments.allSatisfy { argument in
      guard let id = argument.asColumn, let column = scan.column(id) else { return false }
      return scan.table.columns[column].isNotNull
    }
  }
}

extension PhysicalPlanner.EdgeMeasures {
  /// Whether a neighbour left out is one of those that are measured.
  fileprivate func agree(with exclusion: EdgeCount.Exclusion?) -> Bool {
    guard let exclusion, let measured else { return true }
    return exclusion.to == measured.arrival.to
  }
}

extension EdgeCount {
  /// The column of a measure, which is added unless it is there; `isSummed` says that the aggregate is made above, of many rows.
  fileprivate mutating func column(
    of measure: KeyMeasure, for item: AggregatePlan.Item, isSummed: Bool
  ) -> PlanColumn {
    if let known = measures.first(where: { $0.measure == measure }) { return known.column }
    // No other column of the statement is numbered so, as no other operator gives the aggregate's own.
    let own = item.column.id
    let wanted = isSummed ? ColumnID(-own.number) : own
    let isTaken = measures.contains { $0.column.id == wanted }
    let type: LogicalType =
      switch measure {
      case .count, .sum: .bigint
      case .least, .greatest: measured?.column.type ?? .bigint
      case .average: .numeric
      }
    let column = PlanColumn(
      isTaken ? ColumnID(-wanted.number) : wanted, measure.word, type)
    measures.append((measure, column))
    return column
  }
}

extension JoinPlan {
  /// The join with each of the tables of inner joins in turn on the right, as the last one joined.
  fileprivate var ordersByLast: [JoinPlan] {
    guard case .inner = kind, !isLateral else { return [self] }
    var swapped = self
    swap(&swapped.left, &swapped.right)
    var orders = [self, swapped]
    for order in [self, swapped] {
      guard case .join(let below) = order.left, case .inner = below.kind, !below.isLateral else {
        continue
      }
      for last in below.ordersByLast
      where order.conditions.columns.isDisjoint(with: last.right.outputIDs) {
        var rest = order
        rest.left = last.left
        var whole = last
        whole.left = .join(rest)
        orders.append(whole)
      }
    }
    return orders
  }

  /// A semi-join whose left side is a table as the inner join with each of the matches once, which comes to the same rows.
  fileprivate var parentsOfMatches: JoinPlan? {
    guard case .semi = kind, !isLateral, case .scan(let scan) = left else { return nil }
    var columns: [PlanColumn] = []
    for condition in conditions {
      guard case .comparison(.equal, let one, let two) = condition else { return nil }
      let names = [one, two].compactMap(\.asColumn)
      guard let found = right.outputs.first(where: { names.contains($0.id) }), names.count == 2,
        names.contains(where: { scan.column($0) != nil })
      else { return nil }
      columns.append(found)
    }
    return JoinPlan(
      .inner, .distinct(right.restricted(to: columns), on: nil), left, on: conditions)
  }
}
