import Catalog
import Columnar
import Planning

/// Puts sets of rows where the edges that lead to them were to be enumerated: nobody above can tell how often an edge
/// leads to a row.
extension PhysicalPlanner {
  /// The plan with walks in place of what they can do.
  func withWalks(_ plan: PhysicalPlan) -> PhysicalPlan {
    // The rounds of a recursion are small and many; they follow edges.
    if case .recursive(let id, let anchor, let step, let isAll) = plan.node {
      var result = plan
      result.node = .recursive(id: id, anchor: withWalks(anchor), step: step, isAll: isAll)
      return result
    }
    var result = plan
    result.node = plan.node.mappingInputs(withWalks)
    switch result.node {
    case .distinct(let input, on: nil):
      if let walk = distinctWalk(input, result) ?? differentEnds(input) { return walk }
      if let ends = endsOfAllPaths(input, ColumnSet(input.outputs.map(\.id))) {
        result.node = .distinct(ends, on: nil)
        return result
      }
      if let linked = input.linkedRows(result.outputs) { result.node = .distinct(linked, on: nil) }
      return result
    case .hashJoin(let join):
      return semiJoinWalk(join, result) ?? unlinkedPairs(join, result)
        ?? matchingSet(join, result) ?? result
    case .lookupJoin(let join): return lookupWalk(join, result) ?? result
    case .filter(let input, let conditions):
      return filtered(input, conditions) ?? result
    case .project(let input, let list):
      if let walk = endsOfPaths(input, list.columns) { result.node = .project(walk, list) }
      return result
    case .aggregate(var node):
      if let walk = node.ignoresRepetition
        ? endsOfAllPaths(node.input, node.inputColumns)
        : endsOfPaths(node.input, node.inputColumns)
      {
        node.input = walk
        result.node = .aggregate(node)
      }
      if node.partial != nil { return result }
      return countedWalk(node, result) ?? pairCount(node, result) ?? neighbourCount(node, result)
        ?? result
    case .topN(let input, let keys, let limit):
      result.node = .topN(boundedPairs(input, keys, limit) ?? input, keys, limit)
      return result
    case .scan, .keyLookup, .adjacencyLookup, .values, .projectSet, .tableFunction,
      .nestedLoopJoin, .unlinkedPairs, .expand, .listJoin, .intersection, .edgeCount, .walk,
      .neighbourCount, .pairCount, .remainingRows, .storedOrder, .neighbourAggregate, .rowSummary,
      .cycleCount, .pathSearch, .apply, .leadingRows, .window, .sort, .limit, .distinct, .append,
      .setOperation,
      .closure, .recursive, .workingTable, .partialGroups, .withCommon, .commonReference, .modify:
      return result
    }
  }

  private func distinctWalk(_ input: PhysicalPlan, _ plan: PhysicalPlan) -> PhysicalPlan? {
    guard !plan.outputs.isEmpty, let found = input.reached(plan.outputs.map(\.id)), found.hasKey
    else { return nil }
    return walk(found, plan)
  }

  private func walk(_ found: ReachedRows, _ plan: PhysicalPlan) -> PhysicalPlan {
    let walk = Walk(start: found.start, steps: found.steps, columns: found.columns)
    return PhysicalPlan(
      .walk(walk), outputs: found.columns.map(\.column), estimatedRows: plan.estimatedRows)
  }

  /// A semi-join whose right side reaches rows of the table that its left side scans: those rows.
  private func semiJoinWalk(_ join: HashJoin, _ plan: PhysicalPlan) -> PhysicalPlan? {
    guard case .semi = join.kind, let found = join.reachedRows, let scan = join.left.unfilteredScan
    else { return nil }
    var rows = found
    rows.columns = scan.columns
    return walk(rows, plan).with(outputs: plan.outputs)
  }

  /// A semi- or anti-join with the set of rows that edges lead to, in place of all those edges.
  private func matchingSet(_ plan: HashJoin, _ whole: PhysicalPlan) -> PhysicalPlan? {
    var join = plan
    switch join.kind {
    case .semi, .anti: break
    case .inner, .left, .right, .full, .mark, .single: return nil
    }
    let ids = join.keys.compactMap { (join.isFlipped ? $0.probe : $0.build).asColumn }
    guard join.residual.isEmpty, ids.count == join.keys.count,
      let found = join.right.reached(ids), found.hasKey, !found.isSet
    else { return nil }
    join.right = walk(found, join.right)
    var result = whole
    result.node = .hashJoin(join)
    return result
  }

  /// Rows of a table looked up by the key of rows reached, which are of the same table.
  private func lookupWalk(_ join: LookupJoin, _ plan: PhysicalPlan) -> PhysicalPlan? {
    guard join.kind.isInner, let found = join.input.reached(join.input.outputs.map(\.id)),
      found.isSet, found.table.id == join.table.id
    else { return nil }
    for (key, index) in zip(join.keys, join.keyColumns) {
      guard let id = key.asColumn,
        found.columns.contains(where: { $0.column.id == id && $0.index == index })
      else { return nil }
    }
    var rows = found
    rows.columns += join.columns
    guard rows.hasKey, join.columns.allSatisfy({ $0.index >= 0 }) else { return nil }
    let walked = walk(rows, plan)
    if join.filters.isEmpty { return walked }
    return filtered(walked, join.filters)
      ?? PhysicalPlan(
        .filter(walked, join.filters), outputs: plan.outputs, estimatedRows: plan.estimatedRows)
  }

  /// The rows of a walk that meet conditions, which are asked of all of them at once, or the pairs whose counts do; nil where there is
  /// nothing of the kind below, or the conditions may not be asked of other rows, or in another order.
  func filtered(_ plan: PhysicalPlan, _ conditions: [BoundExpression]) -> PhysicalPlan? {
    var result = plan
    if case .project(let input, let list) = plan.node {
      var meaning: ColumnMap<BoundExpression> = [:]
      for (column, expression) in zip(plan.outputs, list) {
        guard expression.asColumn != nil else { return nil }
        meaning[column.id] = expression
      }
      guard let below = filtered(input, conditions.map({ $0.replacing(meaning) })) else {
        return nil
      }
      result.node = .project(below, list)
      return result
    }
    if case .pairCount(let count) = plan.node {
      guard count.limit == nil, let having = count.having(conditions) else { return nil }
      result.node = .pairCount(having)
      return result
    }
    guard case .walk(var walk) = plan.node, conditions.allSatisfy(\.isRepeatable),
      conditions.columns.isSubset(of: ColumnSet(walk.columns.map(\.column.id)))
    else { return nil }
    walk.filters += conditions
    result.node = .walk(walk)
    return result
  }

  // MARK: Counting

  /// Counts of all rows of a walk, which need not be handed on to be counted.
  private func countedWalk(_ node: AggregateNode, _ plan: PhysicalPlan) -> PhysicalPlan? {
    guard node.keys.isEmpty, node.groupingSets == nil, node.groupings.isEmpty,
      !node.aggregates.isEmpty
    else { return nil }
    var input = node.input
    while case .project(let below, let list) = input.node {
      guard list.indices.allSatisfy({ list[$0].asColumn == input.outputs[$0].id }) else {
        return nil
      }
      input = below
    }
    guard case .walk(let walk) = input.node, let arrival = walk.steps.last?.arrival else {
      return nil
    }
    var result = node
    result.input = input
    for index in node.aggregates.indices {
      guard counts(node.aggregates[index].call, walk.columns, of: arrival.table) else {
        return nil
      }
      result.aggregates[index].call.arguments = []
    }
    return PhysicalPlan(
      .aggregate(result), outputs: plan.outputs, estimatedRows: plan.estimatedRows)
  }

  /// Counters for more rows than this are made only if there are about as many edges.
  static let counterLimit = 1_000_000.0

  /// `count(*)` of edges grouped by the rows that they lead to, which come from a set of rows.
  ///
  /// Semi- and anti-joins by the same rows are done for each group rather than for each edge.
  private func neighbourCount(_ node: AggregateNode, _ plan: PhysicalPlan) -> PhysicalPlan? {
    guard node.clusterKey == nil, node.groupingSets == nil, node.groupings.isEmpty,
      !node.aggregates.isEmpty
    else { return nil }
    // What follows from other keys is computed for groups.
    let computed = Set(node.dependencies.map(\.key))
    var keys: [ColumnID] = []
    for (place, key) in node.keys.enumerated() {
      let used = key.expression.columns
      guard
        key.expression.asColumn != nil || computed.contains(place) && key.expression.isRepeatable
      else { return nil }
      for column in node.input.outputs where used.contains(column.id) && !keys.contains(column.id) {
        keys.append(column.id)
      }
    }
    guard !keys.isEmpty, let counted = counted(node.input, by: keys, node.aggregates) else {
      return nil
    }
    let ids = node.keys.map(\.column.id) + node.aggregates.map(\.column.id)
    if counted.outputs.map(\.id) == ids { return counted }
    return PhysicalPlan(
      .project(counted, node.keys.map(\.expression) + node.aggregates.map(\.column.reference)),
      outputs: plan.outputs, estimatedRows: plan.estimatedRows)
  }

  private func counted(
    _ input: PhysicalPlan, by keys: [ColumnID], _ aggregates: [AggregatePlan.Item],
    mayFollow: Bool = true
  ) -> PhysicalPlan? {
    switch input.node {
    case .project(let below, let list):
      // Only columns that go by the same name above.
      guard zip(list, input.outputs).allSatisfy({ $0.asColumn == $1.id }) else { return nil }
      return counted(below, by: keys, aggregates, mayFollow: mayFollow)
    case .hashJoin(let join):
      return counted(join, by: keys, aggregates, mayFollow: mayFollow)
    case .lookupJoin(var join):
      // Each group finds the one row with its key.
      let own = keys.filter { key in join.input.outputs.contains { $0.id == key } }
      let all = ColumnSet(keys)
      let added = join.columns.filter { all.contains($0.column.id) }
      guard join.kind.isInner, own.count + added.count == keys.count,
        ColumnSet(own).isSuperset(of: join.keys.columns),
        all.union(join.columns.map(\.column.id)).isSuperset(of: join.filters.columns),
        let below = counted(join.input, by: own, aggregates, mayFollow: mayFollow)
      else { return nil }
      join.input = below
      return PhysicalPlan(
        .lookupJoin(join), outputs: below.outputs + join.columns.map(\.column),
        estimatedRows: below.estimatedRows)
    case .expand(let expand): return counted(expand, input, by: keys, aggregates)
    case .scan, .keyLookup, .adjacencyLookup, .values, .filter, .projectSet, .tableFunction,
      .nestedLoopJoin, .unlinkedPairs, .listJoin, .intersection, .edgeCount, .walk,
      .neighbourCount, .pairCount, .remainingRows, .storedOrder, .neighbourAggregate, .rowSummary,
      .cycleCount, .pathSearch, .apply, .aggregate, .leadingRows, .window, .sort, .topN, .limit,
      .distinct,
      .append, .setOperation, .closure, .recursive, .workingTable, .partialGroups, .withCommon,
      .commonReference, .modify:
      return nil
    }
  }

  private func counted(
    _ plan: HashJoin, by keys: [ColumnID], _ aggregates: [AggregatePlan.Item], mayFollow: Bool
  ) -> PhysicalPlan? {
    var join = plan
    guard join.residual.isEmpty else { return nil }
    let used = join.keys.map(join.isFlipped ? \.build : \.probe).columns
    switch join.kind {
    case .semi, .anti:
      guard ColumnSet(keys).isSuperset(of: used) else {
        let read = aggregates.reduce(into: ColumnSet(keys)) { $0.formUnion($1.call.columns) }
        // Of two sets at one end the one would be put in the place of the other for ever.
        guard mayFollow, let followed = join.followingEdges(of: read, self) else { return nil }
        return counted(followed, by: keys, aggregates, mayFollow: false)
      }
      guard let below = counted(join.left, by: keys, aggregates, mayFollow: mayFollow) else {
        return nil
      }
      join.left = below
      return PhysicalPlan(
        .hashJoin(join), outputs: below.outputs, estimatedRows: below.estimatedRows)
    case .inner:
      // Each group finds the one row with its key.
      let own = keys.filter { key in join.left.outputs.contains { $0.id == key } }
      let added = join.right.outputs.filter { keys.contains($0.id) && !own.contains($0.id) }
      let matched = join.keys.compactMap { (join.isFlipped ? $0.probe : $0.build).asColumn }
      guard own.count + added.count == keys.count, ColumnSet(own).isSuperset(of: used),
        matched.count == join.keys.count, join.right.isUnique(on: matched),
        let below = counted(join.left, by: own, aggregates, mayFollow: mayFollow)
      else { return nil }
      join.left = below
      return PhysicalPlan(
        .hashJoin(join), outputs: below.outputs + join.right.outputs,
        estimatedRows: below.estimatedRows)
    case .left, .right, .full, .mark, .single: return nil
    }
  }

  private func counted(
    _ expand: Expand, _ plan: PhysicalPlan, by keys: [ColumnID], _ aggregates: [AggregatePlan.Item]
  ) -> PhysicalPlan? {
    guard expand.kind.isInner, let arrival = expand.step.walkedArrival,
      let found = plan.reached(keys), found.hasKey,
      statistics(arrival.table.id)?.rowCount ?? .infinity
        <= max(Self.counterLimit, expand.input.estimatedRows),
      aggregates.allSatisfy({ counts($0.call, arrival.columns, of: arrival.table) }),
      let start = expand.setOfSources
    else { return nil }
    let count = NeighbourCount(
      start: start.start, steps: start.steps, counted: expand.step, columns: found.columns,
      counts: aggregates.map(\.column))
    let columns = found.columns.map(\.column) + count.counts
    let result = PhysicalPlan(
      .neighbourCount(count), outputs: columns, estimatedRows: plan.estimatedRows)
    let filters = expand.step.filters
    // Conditions are over columns that groups have too, or nothing is known of them any more.
    if filters.isEmpty { return result }
    guard ColumnSet(keys).isSuperset(of: filters.columns) else { return nil }
    return PhysicalPlan(
      .filter(result, filters), outputs: columns, estimatedRows: plan.estimatedRows)
  }

  /// Whether an aggregate counts all rows of a table, whatever columns it names.
  func counts(
    _ call: AggregateCall, _ columns: [ScanPlan.Column], of table: TableDefinition
  ) -> Bool {
    guard call.isPlainCount else { return false }
    return call.arguments.allSatisfy { argument in
      guard let id = argument.asColumn, let column = columns.first(where: { $0.column.id == id })
      else { return false }
      return column.index >= 0 && table.columns[column.index].isNotNull
    }
  }
}

extension Expand {
  /// The walk to the rows whose edges are followed, if none of them comes twice.
  fileprivate var setOfSources: (start: Walk.Start, steps: [AdjacencyStep])? {
    let foreign = step.edgeTable.foreignKeys[step.from]
    let ids = keys.compactMap(\.asColumn)
    guard ids.count == keys.count else { return nil }
    if let found = input.reached(ids) {
      let isKey = found.isKey(foreign.parentColumns, of: foreign.parent)
      return isKey && found.isSet ? (found.start, found.steps) : nil
    }
    return input.isUnique(on: ids) ? (.plan(input, keys), []) : nil
  }

  /// Whether the step starts from the rows of a table whose columns these are, all of them its key.
  func names(_ table: TableDefinition, _ columns: [ScanPlan.Column]) -> Bool {
    let foreign = step.edgeTable.foreignKeys[step.from]
    let ids = keys.compactMap(\.asColumn)
    return foreign.parent == table.id && ids == columns.map(\.column.id)
      && foreign.parentColumns == columns.map(\.index)
  }
}

extension PhysicalPlan {
  /// Whether no two rows agree on these columns.
  func isUnique(on ids: [ColumnID]) -> Bool {
    if case .distinct(_, on: nil) = node { return ColumnSet(ids).isSuperset(of: outputs.map(\.id)) }
    if case .filter(let input, _) = node { return input.isUnique(on: ids) }
    if case .project(let input, let list) = node {
      var below: [ColumnID] = []
      for id in ids {
        guard let place = outputs.firstIndex(where: { $0.id == id }), let own = list[place].asColumn
        else { return false }
        below.append(own)
      }
      return input.isUnique(on: below)
    }
    if case .scan(let scan) = node { return scan.columns.hasKey(of: scan.table, among: ids) }
    if case .aggregate(let aggregate) = node {
      return !aggregate.keys.isEmpty && aggregate.groupingSets == nil
        && aggregate.keys.allSatisfy { ids.contains($0.column.id) }
    }
    if case .lookupJoin(let join) = node { return join.input.isUnique(on: ids) }
    if case .keyLookup(let lookup) = node {
      return lookup.columns.hasKey(of: lookup.table, among: ids)
    }
    if case .hashJoin(let join) = node {
      switch join.kind {
      case .semi, .anti: return join.left.isUnique(on: ids)
      case .inner, .left, .right, .full, .mark, .single: return false
      }
    }
    return reached(ids).map { $0.isSet && $0.hasKey } ?? false
  }

  /// A scan of all rows of a table.
  fileprivate var unfilteredScan: TableScan? {
    guard case .scan(let scan) = node, scan.filters.isEmpty,
      scan.columns.allSatisfy({ $0.index >= 0 })
    else { return nil }
    return scan
  }

  /// The same rows with these columns.
  func with(outputs: [PlanColumn]) -> PhysicalPlan {
    if self.outputs.map(\.id) == outputs.map(\.id) { return self }
    return PhysicalPlan(
      .project(self, outputs.map(\.reference)), outputs: outputs, estimatedRows: estimatedRows)
  }
}

extension [ScanPlan.Column] {
  /// Whether the columns of these identities hold a key, without NULLs.
  func hasKey(of table: TableDefinition, among ids: [ColumnID]) -> Bool {
    let indices = Set(filter { ids.contains($0.column.id) }.map(\.index))
    return table.immediateKeys.contains { key in
      indices.isSuperset(of: key.columns) && key.columns.allSatisfy { table.columns[$0].isNotNull }
    }
  }
}

extension HashJoin {
  /// The logical left side.
  var left: PhysicalPlan {
    get { isFlipped ? build : probe }
    set {
      if isFlipped { build = newValue } else { probe = newValue }
    }
  }

  /// The logical right side.
  var right: PhysicalPlan {
    get { isFlipped ? probe : build }
    set {
      if isFlipped { probe = newValue } else { build = newValue }
    }
  }

  /// The rows of the scanned left side that the right side of a semi- or anti-join reaches; nil if the right side is no
  /// walk to rows of that table, or more is asked of a match.
  var reachedRows: ReachedRows? {
    guard case .scan(let scan) = left.node, let columns = matched(scan) else { return nil }
    return right.reached(columns, of: scan.table)
  }

  /// What columns of the scanned left side, by their index in the table, must equal for a match; nil where more is asked.
  func matched(_ scan: TableScan) -> [Int: BoundExpression]? {
    guard residual.isEmpty, keys.allSatisfy({ !$0.nullsMatch && !$0.isNullAware }) else {
      return nil
    }
    var columns: [Int: BoundExpression] = [:]
    for key in keys {
      let (own, other) = isFlipped ? (key.build, key.probe) : (key.probe, key.build)
      guard let id = own.asColumn,
        let column = scan.columns.first(where: { $0.column.id == id }),
        own.type.physical == other.type.physical,
        columns.updateValue(other, forKey: column.index) == nil
      else { return nil }
    }
    return columns
  }
}
