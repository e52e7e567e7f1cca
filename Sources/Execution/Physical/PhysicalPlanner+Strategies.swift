import Catalog
import Columnar
import Planning

/// The last choices: whether an operator and what is below it are carried out as one, by positions rather than by rows.
///
/// What is chosen here stands in the plan, so that EXPLAIN shows it and the compiler only has to put together what it finds.
extension PhysicalPlanner {
  /// The plan with each operator in the form in which it runs.
  ///
  /// A plan in a loop is run many times for one run of the statement; nothing that reads whole tables at once is put into it.
  func decided(_ plan: PhysicalPlan, isInLoop: Bool = false) -> PhysicalPlan {
    func decided(_ input: PhysicalPlan) -> PhysicalPlan {
      self.decided(input, isInLoop: isInLoop)
    }
    var result = plan
    switch plan.node {
    case .withCommon(let id, let definition, let body):
      if !definition.modifiesData && body.references(to: id) == 1 {
        return decided(body.replacingReference(to: id, by: definition))
      }
    case .recursive(let id, let anchor, let step, let isAll):
      if let closure = Closure(id, anchor, step, isAll: isAll) {
        result.node = .closure(closure.mappingInput(decided))
      } else {
        result.node = .recursive(
          id: id, anchor: decided(anchor), step: self.decided(step, isInLoop: true), isAll: isAll)
      }
      return result
    case .apply(var apply):
      apply.left = decided(apply.left)
      apply.right = self.decided(apply.right, isInLoop: true)
      result.node = .apply(apply)
      return result
    case .hashJoin:
      if let rows = plan.remainingRows(where: { table in
        (self.statistics(table.id)?.rowCount ?? 1000) * Self.mostOfRows
      }) {
        result = rows
      }
    case .sort(let input, let keys):
      result.node = (isInLoop ? nil : storedOrder(input, keys, limit: nil)) ?? plan.node
    case .topN(let input, let keys, let limit):
      if let stored = isInLoop ? nil : storedOrder(input, keys, limit: limit) {
        result.node = stored
      } else {
        result.node = .topN(leadingGroups(decided(input), keys, limit), keys, limit)
        return result
      }
    case .edgeCount(var count):
      count.isOfWholeTable = count.countsWholeTable
      result.node = .edgeCount(count)
    case .aggregate(let node):
      if !isInLoop, let neighbours = neighbourAggregate(node) {
        result.node = PhysicalPlan.Node.neighbourAggregate(neighbours).mappingInputs(decided)
      } else {
        result.node = plan.node.mappingInputs(decided)
        return summarized(result.reachingOnce)
      }
    case .distinct:
      result.node = plan.node.mappingInputs(decided)
      result = result.reachingOnce
      if case .distinct(let input, on: nil) = result.node, input.givesEachRowOnce { return input }
      return result
    case .lookupJoin:
      result.node = plan.node.mappingInputs(decided)
      return closureReading(result) ?? result
    case .scan, .keyLookup, .adjacencyLookup, .values, .filter, .project, .projectSet,
      .tableFunction, .nestedLoopJoin, .unlinkedPairs, .expand, .listJoin,
      .intersection, .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder,
      .neighbourAggregate, .rowSummary, .cycleCount, .pathSearch, .leadingRows, .window, .limit,
      .append,
      .setOperation, .closure, .workingTable, .partialGroups, .commonReference, .modify:
      break
    }
    result.node = result.node.mappingInputs(decided)
    return result
  }

  /// Rows of a table in an order that it may keep; nil for an order by anything but its columns.
  func storedOrder(
    _ input: PhysicalPlan, _ keys: [SortKey], limit: LimitPlan?
  ) -> PhysicalPlan.Node? {
    guard limit?.ties == nil, let rows = input.remainingRows else { return nil }
    for key in keys {
      guard let id = key.expression.asColumn,
        let column = rows.scan.columns.first(where: { $0.column.id == id }), column.index >= 0
      else { return nil }
    }
    return .storedOrder(StoredOrderScan(rows: rows, keys: keys, limit: limit))
  }

  /// Rows that are counted or summed by clusters go through the walk; texts and lists are best made where the edges are, a group at a
  /// time: kept until all have come, the rows of all groups take the memory of the join.
  private func neighbourAggregate(_ node: AggregateNode) -> NeighbourAggregate? {
    let keepsRows = node.aggregates.contains { $0.call.keepsRows }
    guard keepsRows || node.clusterKey == nil else { return nil }
    if let found = distinctNeighbours(node) ?? neighbours(of: node, unjoins: keepsRows) {
      return found
    }
    let lists =
      keepsRows
      ? unjoined(node) { self.reads($0, atLeast: Self.mostOfEdges, for: node) } : nil
    return lists ?? manyParents(node)
  }

  private func neighbours(
    of node: AggregateNode, unjoins: Bool, asksEdges: Bool = false
  ) -> NeighbourAggregate? {
    NeighbourAggregate(node, unjoins: unjoins, asksEdges: asksEdges, parentTable: { tables[$0] }) {
      arrivals(from: $0, of: $1)
    }
  }

  /// Aggregates over the different neighbours of each parent, which need no set of those seen where lists rise by neighbour:
  /// that pays however parents and edges were to be joined, and where only edges are read.
  func distinctNeighbours(_ node: AggregateNode) -> NeighbourAggregate? {
    guard node.aggregates.contains(where: { $0.call.isDistinct }) else { return nil }
    return unjoined(node) { found in
      // All edges are read for those that meet the conditions.
      if found.onceEach.isEmpty || !found.tellsDistinct { return false }
      return found.rows != nil || !found.isFiltered
        || self.reads(found, atLeast: Self.leastShareOfEdges, for: node)
    }
  }

  /// Aggregates of more parents than a cache holds groups of, each of whose states would be come by anew for every edge.
  private func manyParents(_ node: AggregateNode) -> NeighbourAggregate? {
    unjoined(node, asksEdges: true) { found in
      if let rows = found.rows { return self.areFew(rows, found.step) }
      return !found.isOuter && found.tellsDistinct
        && self.statistics(found.parents.table.id)?.rowCount ?? 0 >= Self.cachedGroups
        && self.reads(found, atLeast: Self.mostOfEdges, for: node)
    }
  }

  /// Whether rows name so few of the parents that their lists are sooner read than all edges, or so many that their groups find no room
  /// in a cache.
  private func areFew(_ rows: NeighbourAggregate.Rows, _ step: AdjacencyStep) -> Bool {
    let count = rows.plan.estimatedRows
    let all = step.parentTable.flatMap { statistics($0.id)?.rowCount } ?? 1000
    return count >= Self.cachedGroups || count <= all * Self.fewParents
  }

  /// Whether an aggregation has so large a share of the edges for its input.
  private func reads(
    _ found: NeighbourAggregate, atLeast share: Double, for node: AggregateNode
  ) -> Bool {
    let edgeCount = statistics(found.step.edgeTable.id)?.rowCount ?? 1000
    return node.input.estimatedRows >= edgeCount * share
  }

  /// A grouping by parents, joined with their edges or named by them, over the lists of edges, if it is wanted.
  private func unjoined(
    _ node: AggregateNode, asksEdges: Bool = false, where isWanted: (NeighbourAggregate) -> Bool
  ) -> NeighbourAggregate? {
    func found(_ node: AggregateNode) -> NeighbourAggregate? {
      let found = neighbours(of: node, unjoins: true, asksEdges: asksEdges)
      return found.flatMap { isWanted($0) ? $0 : nil }
    }
    if let found = found(node) { return found }
    for key in node.keys {
      guard let id = key.expression.asColumn, let input = rooted(node.input, at: id) else {
        continue
      }
      var walked = node
      walked.input = input
      if let found = found(walked) { return found }
    }
    return nil
  }

  /// With fewer of a table's rows, zone maps may spare most of its pages.
  private static let mostOfRows = 0.25
  /// So many groups are found in a cache.
  private static let cachedGroups = 65_536.0
  /// With fewer of the edges, those that are wanted are better put together by their own scan.
  private static let mostOfEdges = 0.5
  /// The lists of so many of the parents are soon read.
  private static let fewParents = 0.25
  /// With fewer of the edges, a set of pairs is soon made.
  private static let leastShareOfEdges = 0.05

  /// The plan with edges walked to from the parents that a column of them names.
  private func rooted(_ plan: PhysicalPlan, at key: ColumnID) -> PhysicalPlan? {
    var result = plan
    if case .scan(let scan) = plan.node {
      guard let expand = walked(scan, by: key) else { return nil }
      result.node = .expand(expand)
      result.outputs = expand.input.outputs + expand.step.columns
      return result
    }
    if case .filter(let input, let conditions) = plan.node {
      guard let input = rooted(input, at: key) else { return nil }
      result.node = .filter(input, conditions)
      return result
    }
    if case .project(let input, let list) = plan.node {
      guard let input = rooted(input, at: key) else { return nil }
      result.node = .project(input, list)
      return result
    }
    if case .lookupJoin(var join) = plan.node, let input = rooted(join.input, at: key) {
      join.input = input
      result.node = .lookupJoin(join)
      return result
    }
    if case .hashJoin(var join) = plan.node {
      if let probe = rooted(join.probe, at: key) {
        join.probe = probe
      } else if let build = rooted(join.build, at: key) {
        join.build = build
      } else {
        return nil
      }
      result.node = .hashJoin(join)
      return result
    }
    return nil
  }

  /// An aggregation of rows of which it is known without handing them on; any other as it is.
  private func summarized(_ plan: PhysicalPlan) -> PhysicalPlan {
    guard case .aggregate(let node) = plan.node, let summary = RowSummary(node) else { return plan }
    var result = plan
    result.node = .rowSummary(summary)
    return result
  }
}

extension EdgeCount {
  /// Whether edges are counted for the rows of a whole table, by their own key.
  fileprivate var countsWholeTable: Bool {
    let foreign = step.edgeTable.foreignKeys[step.from]
    guard exclusion == nil, case .scan(let scan) = input.node, scan.filters.isEmpty,
      scan.table.id == foreign.parent, keys.count == foreign.parentColumns.count
    else { return false }
    return zip(keys, foreign.parentColumns).allSatisfy { key, index in
      scan.columns.contains { $0.column.id == key.asColumn && $0.index == index }
    }
  }
}

extension PhysicalPlan {
  /// The plan with the definition of a common table expression where that is read.
  fileprivate func replacingReference(to id: Int, by definition: PhysicalPlan) -> PhysicalPlan {
    var result = self
    if case .commonReference(id) = node {
      // A projection gives its columns whatever names are wanted, and the plan grows no higher.
      if case .project = definition.node {
        result.node = definition.node
      } else {
        result.node = .project(definition, definition.outputs.map(\.reference))
      }
    } else {
      result.node = node.mappingInputs { $0.replacingReference(to: id, by: definition) }
    }
    return result
  }
}
