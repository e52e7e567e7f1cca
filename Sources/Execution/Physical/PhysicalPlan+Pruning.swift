import Planning

/// Takes away the columns that a table was to be read for, but that an index or a join has made
/// superfluous: keys whose comparison is done by walking from row to row.
///
/// Where columns count by number (unions, common table expressions, DISTINCT) all of them stay.
extension PhysicalPlan {
  /// The plan without columns that nobody reads; its own outputs stay as they are.
  package var pruned: PhysicalPlan {
    let result = pruned(to: outputs.ids)
    if result.outputs.map(\.id) == outputs.map(\.id) { return result }
    return PhysicalPlan(
      .project(result, outputs.map(\.reference)), outputs: outputs, estimatedRows: estimatedRows)
  }

  /// The same rows, with at least the columns `needed`.
  fileprivate func pruned(to needed: ColumnSet) -> PhysicalPlan {
    var plan = self
    switch node {
    case .scan(var scan):
      scan.columns.keep(needed.union(scan.filters.columns))
      plan.node = .scan(scan)
      plan.outputs = scan.columns.map(\.column)
    case .keyLookup(var lookup):
      lookup.columns.keep(needed.union(lookup.filters.columns))
      plan.node = .keyLookup(lookup)
      plan.outputs = lookup.columns.map(\.column)
    case .adjacencyLookup(var lookup):
      lookup.step.prune(to: needed)
      plan.node = .adjacencyLookup(lookup)
      plan.outputs = lookup.step.columns
    case .filter(let input, let conditions):
      let below = input.pruned(to: needed.union(conditions.columns))
      plan.node = .filter(below, conditions)
      plan.outputs = below.outputs
    case .project(let input, let expressions): return pruned(input, expressions, to: needed)
    case .sort(let input, let keys):
      let below = input.pruned(to: needed.union(keys.map(\.expression).columns))
      plan.node = .sort(below, keys)
      plan.outputs = below.outputs
    case .topN(let input, let keys, let limit):
      let ties = limit.ties?.map(\.expression).columns ?? []
      let used = needed.union(keys.map(\.expression).columns).union(ties)
      let below = input.pruned(to: used)
      plan.node = .topN(below, keys, limit)
      plan.outputs = below.outputs
    case .limit(let input, let limit):
      let ties = limit.ties?.map(\.expression).columns ?? []
      let below = input.pruned(to: needed.union(ties))
      plan.node = .limit(below, limit)
      plan.outputs = below.outputs
    case .aggregate(var aggregate):
      aggregate.prune()
      plan.node = .aggregate(aggregate)
    case .hashJoin, .nestedLoopJoin, .lookupJoin, .expand, .listJoin, .intersection:
      plan.pruneJoin(to: needed)
    case .edgeCount(var count):
      let read = count.keys + (count.exclusion.map { [$0.key] } ?? [])
      count.input = count.input.pruned(to: needed.union(read.columns))
      plan.node = .edgeCount(count)
      plan.outputs = count.input.outputs + count.measures.map(\.column)
    case .pathSearch(var search):
      search.input = search.input.pruned(to: needed.union([search.start]))
      search.target = search.target.pruned(to: needed.union([search.end]))
      search.outputs.removeAll { !needed.contains($0.column.id) }
      search.conditions = search.conditions.map(\.pruned)
      search.links = search.links.map(\.pruned)
      search.costs = search.costs.map(\.pruned)
      plan.node = .pathSearch(search)
      plan.outputs = search.columns
    case .values, .projectSet, .tableFunction, .unlinkedPairs, .walk, .neighbourCount, .pairCount,
      .remainingRows, .storedOrder, .neighbourAggregate, .rowSummary, .cycleCount, .apply,
      .leadingRows, .window,
      .distinct, .append, .setOperation, .closure, .recursive, .workingTable, .partialGroups,
      .withCommon, .commonReference, .modify:
      plan.node = node.mappingInputs(\.pruned)
    }
    return plan
  }

  /// The plan, which is a projection, with those of its columns that are needed.
  private func pruned(
    _ input: PhysicalPlan, _ expressions: [BoundExpression], to needed: ColumnSet
  ) -> PhysicalPlan {
    // What is computed stays, as it may fail; what is only handed on goes if nobody reads it.
    let kept = expressions.indices.filter {
      expressions[$0].asColumn == nil || needed.contains(outputs[$0].id)
    }
    let list = kept.map { expressions[$0] }
    let columns = kept.map { outputs[$0] }
    let below = input.pruned(to: list.columns)
    let isIdentity = below.gives(list) && below.outputs.map(\.id) == columns.map(\.id)
    if isIdentity { return below }
    var plan = self
    plan.node = .project(below, list)
    plan.outputs = columns
    return plan
  }

  private mutating func pruneJoin(to needed: ColumnSet) {
    switch node {
    case .hashJoin(var join):
      let used = needed.union(join.residual.columns).union(join.keys.map(\.probe).columns)
        .union(join.keys.map(\.build).columns)
      join.probe = join.probe.pruned(to: used)
      join.build = join.build.pruned(to: used)
      node = .hashJoin(join)
      let (left, right) = join.isFlipped ? (join.build, join.probe) : (join.probe, join.build)
      outputs = join.kind.outputs(left.outputs, right.outputs)
    case .nestedLoopJoin(var join):
      let used = needed.union(join.conditions.columns)
      join.left = join.left.pruned(to: used)
      join.right = join.right.pruned(to: used)
      node = .nestedLoopJoin(join)
      outputs = join.kind.outputs(join.left.outputs, join.right.outputs)
    case .lookupJoin(var join):
      let used = needed.union(join.keys.columns).union(join.filters.columns)
      join.input = join.input.pruned(to: used)
      join.columns.keep(used)
      node = .lookupJoin(join)
      outputs = join.kind.outputs(join.input.outputs, join.columns.map(\.column))
    case .expand(var expand):
      expand = expand.askingSources ?? expand
      let used = needed.union(expand.keys.columns).union(expand.step.filters.columns)
      expand.input = expand.input.pruned(to: used)
      expand.step.prune(to: used)
      node = .expand(expand)
      outputs = expand.kind.outputs(expand.input.outputs, expand.step.columns)
    case .listJoin(var join):
      let used = needed.union(join.keys.columns).union(join.conditions.columns)
        .union(join.left.filters.columns).union(join.right.filters.columns)
      join.input = join.input.pruned(to: used)
      join.left.keepColumns(used)
      join.right.keepColumns(used)
      join.arrive()
      node = .listJoin(join)
      outputs = join.outputs
    case .intersection(var join):
      join.keepColumns(needed)
      join.input = join.input.pruned(to: join.inputIDs(for: needed))
      node = .intersection(join)
      outputs = join.outputs
    case .scan, .keyLookup, .adjacencyLookup, .values, .filter, .project, .projectSet,
      .tableFunction, .unlinkedPairs, .edgeCount, .walk, .neighbourCount, .pairCount,
      .remainingRows, .storedOrder, .neighbourAggregate, .rowSummary, .cycleCount, .pathSearch,
      .apply, .aggregate, .leadingRows, .window, .sort, .topN, .limit, .distinct, .append,
      .setOperation,
      .closure, .recursive, .workingTable, .partialGroups, .withCommon, .commonReference, .modify:
      break
    }
  }

  /// Whether the expressions are just the plan's columns in their order.
  func gives(_ expressions: [BoundExpression]) -> Bool {
    guard expressions.count == outputs.count else { return false }
    return zip(expressions, outputs).allSatisfy { expression, output in
      guard case .column(let id, let type) = expression else { return false }
      return id == output.id && type == output.type
    }
  }
}

extension AggregateNode {
  fileprivate mutating func prune() {
    input = input.pruned(to: inputColumns)
    guard var partial else { return }
    let used = keys.map(\.expression).columns.union([partial.number.id])
      .union(partial.parts.conditions.columns).union(weighted.columns)
    partial.completion = partial.completion.pruned(to: used)
    self.partial = partial
  }

  /// The columns of the input that keys and aggregates read.
  var inputColumns: ColumnSet {
    var used = partial.map { ColumnSet($0.keys.map(\.id)) } ?? keys.map(\.expression).columns
    for call in calls { used.formUnion(call.columns) }
    return used
  }
}

extension AdjacencyStep {
  fileprivate mutating func prune(to needed: ColumnSet) {
    keepColumns(needed.union(filters.columns))
    arrive()
  }

  mutating func keepColumns(_ used: ColumnSet) {
    edgeColumns.keep(used)
    neighbourColumns.keep(used)
  }

  /// Reads from the neighbour what the edge only repeats: then edges themselves need not be visited.
  mutating func arrive() {
    guard neighbourTable == nil, !edgeColumns.isEmpty else { return }
    let wanted = Set(edgeColumns.map(\.index))
    let found = arrivals.first { wanted == [$0.edgeColumn] && (to == nil || to == $0.to) }
    guard let arrival = found else { return }
    to = arrival.to
    neighbourTable = arrival.table
    neighbourAlias = edgeAlias
    neighbourColumns = edgeColumns.map {
      ScanPlan.Column($0.column, index: arrival.neighbourColumn)
    }
    edgeColumns = []
  }
}

extension [ScanPlan.Column] {
  fileprivate mutating func keep(_ used: ColumnSet) {
    removeAll { !used.contains($0.column.id) }
  }
}
