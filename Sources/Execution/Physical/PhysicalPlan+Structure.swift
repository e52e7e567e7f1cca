package import Catalog
import Planning

extension PhysicalPlan {
  /// The inputs, in the order in which operators are numbered: what is built or defined first
  /// stands where EXPLAIN
  /// prints it, after the probe side and the left side.
  package var inputs: [PhysicalPlan] {
    switch node {
    case .scan, .keyLookup, .adjacencyLookup, .values, .workingTable, .partialGroups,
      .commonReference:
      []
    case .filter(let input, _), .project(let input, _), .projectSet(let input, _, _),
      .leadingRows(let input, _), .window(let input, _), .sort(let input, _),
      .topN(let input, _, _), .limit(let input, _),
      .distinct(let input, on: _), .modify(_, let input):
      [input]
    case .tableFunction(let function):
      (function.input.map { [$0] } ?? []) + function.graphPlans
    case .hashJoin(let join): [join.probe, join.build]
    case .nestedLoopJoin(let join): [join.left, join.right]
    case .unlinkedPairs(let pairs): [pairs.left, pairs.right]
    case .lookupJoin(let join): [join.input]
    case .expand(let expand): [expand.input]
    case .listJoin(let join): [join.input]
    case .intersection(let node): [node.input]
    case .edgeCount(let count): [count.input]
    case .walk(let walk): walk.input.map { [$0] } ?? []
    case .neighbourCount(let count): count.input.map { [$0] } ?? []
    case .pairCount, .cycleCount: []
    case .neighbourAggregate(let node): node.rows.map { [$0.plan] } ?? []
    case .remainingRows(let rows): rows.inputs
    case .storedOrder(let order): order.rows.inputs
    case .rowSummary(let summary): [summary.input]
    case .closure(let closure): closure.input.map { [$0] } ?? []
    case .pathSearch(let search):
      [search.input] + (search.readsWholeTarget ? [] : [search.target]) + search.conditions
        + search.links + search.costs
    case .apply(let apply): [apply.left, apply.right]
    case .aggregate(let aggregate):
      [aggregate.input] + (aggregate.partial.map { [$0.completion] } ?? [])
    case .append(let inputs): inputs
    case .setOperation(_, _, let left, let right): [left, right]
    case .recursive(_, let anchor, let step, _): [anchor, step]
    case .withCommon(_, let definition, let body): [definition, body]
    }
  }

  /// The tables whose rows the plan reads by itself.
  package var tables: Set<ObjectID> {
    var found: Set<ObjectID> = []
    // Asked for on any stack, so that a high plan may not be gone through call by call.
    var rest = [self]
    while let plan = rest.popLast() {
      plan.addOwnTables(to: &found)
      rest += plan.inputs
    }
    return found
  }

  private func addOwnTables(to found: inout Set<ObjectID>) {
    switch node {
    case .scan(let scan): found.insert(scan.table.id)
    case .keyLookup(let lookup): found.insert(lookup.table.id)
    case .lookupJoin(let join): found.insert(join.table.id)
    case .adjacencyLookup(let lookup): found.insert(lookup.step.edgeTable.id)
    case .expand(let expand): found.insert(expand.step.edgeTable.id)
    case .listJoin(let join):
      for step in [join.left, join.right] {
        found.insert(step.edgeTable.id)
        if let neighbour = step.neighbourTable { found.insert(neighbour.id) }
      }
    case .intersection(let node): found.formUnion(node.arms.map(\.step.edgeTable.id))
    case .edgeCount(let count): found.insert(count.step.edgeTable.id)
    case .unlinkedPairs(let pairs): found.insert(pairs.step.edgeTable.id)
    case .walk(let walk): found.formUnion(walk.steps.map(\.edgeTable.id))
    case .neighbourCount(let count):
      found.formUnion((count.steps + [count.counted]).map(\.edgeTable.id))
    case .pairCount(let count):
      found.formUnion([count.sources.id, count.first.edgeTable.id, count.second.edgeTable.id])
    case .cycleCount(let count): found.formUnion(count.scans.map(\.table.id))
    case .remainingRows(let rows): found.formUnion(rows.tables)
    case .storedOrder(let order): found.formUnion(order.rows.tables)
    case .neighbourAggregate(let node):
      found.formUnion([node.parents.table.id, node.step.edgeTable.id])
    case .closure(let closure): found.insert(closure.walk.step.edgeTable.id)
    case .pathSearch(let search):
      found.formUnion((search.pattern.vertices + search.pattern.edges).map(\.id))
    case .tableFunction(let function):
      for case .tables(let vertices, let edges) in function.calls.compactMap(\.graph?.shape) {
        found.formUnion((vertices.map(\.table) + edges.map(\.table)).map(\.id))
      }
    case .values, .filter, .project, .projectSet, .hashJoin, .nestedLoopJoin,
      .rowSummary, .apply, .aggregate, .leadingRows, .window, .sort, .topN, .limit, .distinct,
      .append,
      .setOperation, .recursive, .workingTable, .partialGroups, .withCommon, .commonReference,
      .modify:
      break
    }
  }

  /// The number of operators in the plan.
  ///
  /// - Complexity: O(size of the plan).
  package var operatorCount: Int {
    var count = 0
    var rest = [self]
    while let plan = rest.popLast() {
      count += 1
      rest += plan.inputs
    }
    return count
  }
}

extension PhysicalPlan.Node {
  /// The operator over other inputs with the same outputs.
  func mappingInputs(_ change: (PhysicalPlan) -> PhysicalPlan) -> PhysicalPlan.Node {
    switch self {
    case .scan, .keyLookup, .adjacencyLookup, .values, .workingTable, .partialGroups,
      .commonReference, .pairCount, .cycleCount:
      return self
    case .filter(let input, let conditions): return .filter(change(input), conditions)
    case .project(let input, let list): return .project(change(input), list)
    case .projectSet(let input, let columns, let calls):
      return .projectSet(change(input), columns, calls)
    case .tableFunction(var function):
      function.input = function.input.map(change)
      function.graphPlans = function.graphPlans.map(change)
      return .tableFunction(function)
    case .hashJoin, .nestedLoopJoin, .unlinkedPairs, .lookupJoin, .expand, .listJoin,
      .intersection, .edgeCount, .apply, .walk, .neighbourCount, .pathSearch, .remainingRows,
      .storedOrder, .neighbourAggregate:
      return mappingJoined(change)
    case .aggregate(var aggregate):
      aggregate.input = change(aggregate.input)
      aggregate.partial = aggregate.partial.map { partial in
        var result = partial
        result.completion = change(partial.completion)
        return result
      }
      return .aggregate(aggregate)
    case .rowSummary(var summary):
      summary.input = change(summary.input)
      return .rowSummary(summary)
    case .closure(let closure): return .closure(closure.mappingInput(change))
    case .leadingRows(let input, let rows): return .leadingRows(change(input), rows)
    case .window(let input, let calls): return .window(change(input), calls)
    case .sort(let input, let keys): return .sort(change(input), keys)
    case .topN(let input, let keys, let limit): return .topN(change(input), keys, limit)
    case .limit(let input, let limit): return .limit(change(input), limit)
    case .distinct(let input, let on): return .distinct(change(input), on: on)
    case .append(let inputs): return .append(inputs.map(change))
    case .setOperation(let kind, let isAll, let left, let right):
      return .setOperation(kind, isAll: isAll, change(left), change(right))
    case .recursive(let id, let anchor, let step, let isAll):
      return .recursive(id: id, anchor: change(anchor), step: change(step), isAll: isAll)
    case .withCommon(let id, let definition, let body):
      return .withCommon(id: id, definition: change(definition), body: change(body))
    case .modify(let modification, let input):
      return .modify(modification, input: change(input))
    }
  }

  private func mappingJoined(_ change: (PhysicalPlan) -> PhysicalPlan) -> PhysicalPlan.Node {
    switch self {
    case .hashJoin(var join):
      join.probe = change(join.probe)
      join.build = change(join.build)
      return .hashJoin(join)
    case .nestedLoopJoin(var join):
      join.left = change(join.left)
      join.right = change(join.right)
      return .nestedLoopJoin(join)
    case .unlinkedPairs(var pairs):
      pairs.left = change(pairs.left)
      pairs.right = change(pairs.right)
      return .unlinkedPairs(pairs)
    case .lookupJoin(var join):
      join.input = change(join.input)
      return .lookupJoin(join)
    case .expand(var expand):
      expand.input = change(expand.input)
      return .expand(expand)
    case .listJoin(var join):
      join.input = change(join.input)
      return .listJoin(join)
    case .intersection(var node):
      node.input = change(node.input)
      return .intersection(node)
    case .edgeCount(var count):
      count.input = change(count.input)
      return .edgeCount(count)
    case .apply(var apply):
      apply.left = change(apply.left)
      apply.right = change(apply.right)
      return .apply(apply)
    case .walk(var walk):
      walk.start = walk.start.mappingInput(change)
      return .walk(walk)
    case .neighbourCount(var count):
      count.start = count.start.mappingInput(change)
      return .neighbourCount(count)
    case .remainingRows(let rows): return .remainingRows(rows.mappingInputs(change))
    case .storedOrder(var order):
      order.rows = order.rows.mappingInputs(change)
      return .storedOrder(order)
    case .neighbourAggregate(var node):
      node.rows = node.rows.map { NeighbourAggregate.Rows(plan: change($0.plan), keys: $0.keys) }
      return .neighbourAggregate(node)
    case .pathSearch(var search):
      search.input = change(search.input)
      search.target = change(search.target)
      search.conditions = search.conditions.map(change)
      search.links = search.links.map(change)
      search.costs = search.costs.map(change)
      return .pathSearch(search)
    case .scan, .keyLookup, .adjacencyLookup, .values, .filter, .project, .projectSet,
      .tableFunction, .pairCount, .rowSummary, .cycleCount, .aggregate, .leadingRows, .window,
      .sort, .topN, .limit, .distinct, .append, .setOperation, .closure, .recursive, .workingTable,
      .partialGroups, .withCommon, .commonReference, .modify:
      return self
    }
  }
}

extension RemainingRows {
  fileprivate var inputs: [PhysicalPlan] {
    exclusions.compactMap { exclusion in
      guard case .plan(let plan, _) = exclusion.start else { return nil }
      return plan
    }
  }

  fileprivate var tables: [ObjectID] {
    [scan.table.id] + exclusions.flatMap { $0.steps.map(\.edgeTable.id) }
  }

  fileprivate func mappingInputs(_ change: (PhysicalPlan) -> PhysicalPlan) -> RemainingRows {
    var result = self
    for index in exclusions.indices {
      result.exclusions[index].start = exclusions[index].start.mappingInput(change)
    }
    return result
  }
}

extension Walk.Start {
  fileprivate func mappingInput(_ change: (PhysicalPlan) -> PhysicalPlan) -> Walk.Start {
    guard case .plan(let plan, let keys) = self else { return self }
    return .plan(change(plan), keys)
  }
}
