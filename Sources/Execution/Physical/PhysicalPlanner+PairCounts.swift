import Catalog
import Columnar
import Planning

/// Counts of ways of two steps between rows of two tables.
extension PhysicalPlanner {
  /// `count(*)` of ways of two steps, grouped by both ends.
  func pairCount(_ node: AggregateNode, _ plan: PhysicalPlan) -> PhysicalPlan? {
    guard let clusterKey = node.clusterKey, node.keys.count == 2,
      case .expand(let outer) = node.input.node, let target = outer.step.arrival,
      case .expand(var inner) = outer.input.node, case .scan(let scan) = inner.input.node,
      scan.filters.isEmpty, scan.columns.count == 1, scan.columns[0].index >= 0
    else { return nil }
    let sourceFilters = inner.step.filters.takeConditions(on: scan.columns[0].column.id)
    guard let between = inner.step.walkedArrival,
      target.columns.count == 1, target.columns[0].index >= 0,
      inner.names(scan.table, scan.columns), outer.names(between.table, between.columns),
      node.keys[clusterKey].expression.asColumn == scan.columns[0].column.id,
      node.keys[1 - clusterKey].expression.asColumn == target.columns[0].column.id,
      node.aggregates.allSatisfy({ counts($0.call, target.columns, of: target.table) }),
      reachesFew(target.table)
    else { return nil }
    let ends: ColumnSet = [scan.columns[0].column.id, target.columns[0].column.id]
    guard
      outer.step.filters.allSatisfy({
        ends.isSuperset(of: $0.columns) && !$0.isVolatile && !$0.callsSession
      }),
      ReachedRows(
        start: .keys([]), steps: [outer.step], table: target.table, columns: target.columns,
        isSet: false
      ).hasKey
    else { return nil }
    var count = PairCount(
      sources: scan.table, sourceAlias: scan.alias, source: scan.columns[0], first: inner.step,
      second: outer.step,
      target: target.columns[0], filters: outer.step.filters, targetFirst: clusterKey == 1,
      counts: node.aggregates.map(\.column))
    count.sourceFilters = sourceFilters
    let counted = PhysicalPlan(
      .pairCount(count), outputs: count.columns, estimatedRows: plan.estimatedRows)
    if count.columns.map(\.id) == plan.outputs.map(\.id) { return counted }
    return PhysicalPlan(
      .project(counted, count.columns.map(\.reference)), outputs: plan.outputs,
      estimatedRows: plan.estimatedRows)
  }

  /// Whether a table has so few rows that each worker may have a counter for each.
  private func reachesFew(_ table: TableDefinition) -> Bool {
    statistics(table.id)?.rowCount ?? .infinity <= Self.counterLimit
  }

  /// The pairs of which only those of the greatest counts are wanted, or of the least, or those of the first sources.
  func boundedPairs(
    _ plan: PhysicalPlan, _ keys: [SortKey], _ limit: LimitPlan
  ) -> PhysicalPlan? {
    guard let key = keys.first else { return nil }
    // Pairs that are equal to the last may be of any source.
    return bounded(plan, by: key, then: limit.ties == nil ? keys.dropFirst().first : nil, limit)
  }

  private func bounded(
    _ plan: PhysicalPlan, by key: SortKey, then next: SortKey?, _ limit: LimitPlan
  ) -> PhysicalPlan? {
    var result = plan
    if case .project(let input, let list) = plan.node {
      func below(_ key: SortKey) -> SortKey? {
        guard let id = key.expression.asColumn,
          let place = plan.outputs.firstIndex(where: { $0.id == id })
        else { return nil }
        return key.of(list[place])
      }
      guard let own = below(key),
        let input = bounded(input, by: own, then: next.flatMap(below), limit)
      else { return nil }
      result.node = .project(input, list)
    } else if case .pairCount(var count) = plan.node {
      let wanted = key.expression.asColumn
      let comparesCounts = count.counts.contains { $0.id == wanted }
      let end = comparesCounts ? next : key
      let column = end?.expression.asColumn
      if column == count.target.column.id, reachesFew(count.sources), let other = count.reversed {
        count = other
      }
      count.order = CountBound.Order(
        counts: comparesCounts ? key.direction : nil,
        sources: column == count.source.column.id ? end?.direction : nil)
      guard comparesCounts || count.order.sources != nil else { return nil }
      count.limit = limit
      result.node = .pairCount(count)
    } else {
      return nil
    }
    return result
  }
}

extension SortKey {
  fileprivate var direction: CountBound.Direction { isDescending ? .falling : .rising }
}

extension PairCount {
  /// The same pairs from the other end: the way back along the second step, then along the first.
  ///
  /// A junction is walked both ways by the same edges, so that each way is also one the other way round.
  fileprivate var reversed: PairCount? {
    guard let end = second.arrival?.table,
      let back = second.reversed(at: first.arrival, as: first.neighbourAlias),
      let onwards = first.reversed(
        at: StepArrival(table: sources, columns: [source]), as: sourceAlias)
    else { return nil }
    var result = self
    (result.sources, result.source, result.target) = (end, target, source)
    result.sourceAlias = second.neighbourAlias
    (result.first, result.second) = (back, onwards)
    result.targetFirst.toggle()
    result.first.filters = first.filters
    result.filters = sourceFilters + filters
    result.sourceFilters = result.filters.takeConditions(on: target.column.id)
    return result
  }
}

extension AdjacencyStep {
  /// The step along the same edges from where it arrives to where it starts, of which `start` says what is read, without
  /// conditions; nil for edges that no junction leads back along.
  fileprivate func reversed(at start: StepArrival?, as alias: String) -> AdjacencyStep? {
    guard let to, let start, hasIndex else { return nil }
    return AdjacencyStep(
      edgeTable: edgeTable, edgeAlias: edgeAlias, from: to, parentTable: neighbourTable, to: from,
      edgeColumns: [], neighbourTable: start.table, neighbourAlias: alias,
      neighbourColumns: start.columns)
  }
}

extension [BoundExpression] {
  /// Takes out the conditions that ask for one column alone, and may be asked of each row that has it.
  fileprivate mutating func takeConditions(on column: ColumnID) -> [BoundExpression] {
    func isTaken(_ filter: BoundExpression) -> Bool {
      filter.columns == [column] && filter.isRepeatable && filter.cannotFail
    }
    let taken = filter(isTaken)
    removeAll(where: isTaken)
    return taken
  }
}
