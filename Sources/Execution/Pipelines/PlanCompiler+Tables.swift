import Columnar
import Diagnostics
import Planning

extension PlanCompiler {
  /// The stream of an operator that reads a stored table.
  func tableStream(_ plan: PhysicalPlan) throws(SQLError) -> Stream {
    switch plan.node {
    case .scan(let scan): return try scanned(scan, plan.outputs)
    case .keyLookup(let lookup):
      let access = KeyAccess(lookup.table, lookup.columns, keyColumns: lookup.keyColumns)
      let compiler = expressions(over: lookup.columns.map(\.column))
      var stream = Stream(
        source: try LookupSource(
          access, keys: lookup.keys, isOrdered: true, expressions(over: [])),
        outputs: plan.outputs)
      addFilter(lookup.filters, compiler, to: &stream)
      return stream
    case .adjacencyLookup(let lookup):
      let columns = lookup.step.columns
      var stream = Stream(
        source: try LookupSource(
          AdjacencyAccess(lookup.step), keys: lookup.keys, isOrdered: false,
          expressions(over: [])), outputs: plan.outputs)
      addFilter(lookup.step.filters, expressions(over: columns), to: &stream)
      return stream
    case .lookupJoin(let join):
      var stream = try stream(join.input)
      let access = KeyAccess(join.table, join.columns, keyColumns: join.keyColumns)
      stream.operators.append(
        TableJoinOperator(
          access, keys: join.keys, filters: join.filters, kind: join.kind,
          input: join.input.outputs, found: join.columns.map(\.column), expressions(over:)))
      return stream
    case .expand(let expand): return try expanded(expand, plan)
    case .listJoin(let join):
      var stream = try stream(join.input)
      if plan.estimatedRows >= Self.muchWork { stream.source.expectFanOut() }
      let left = try marks(join.leftMarks, of: join.left)
      let right = try marks(join.rightMarks, of: join.right)
      stream.operators.append(
        ListJoinOperator(join, marks: (left, right), expressions(over:)))
      return stream
    case .intersection(let node):
      var stream = try stream(node.input)
      stream.source.expectFanOut()
      stream.operators.append(IntersectionOperator(node, expressions(over:)))
      return stream
    case .edgeCount(let count): return try counted(count, plan.outputs)
    case .walk(let walk):
      guard let arrival = walk.steps.last?.arrival else {
        throw SQLError.internal("a walk arrives nowhere")
      }
      return Stream(
        source: WalkSource(
          try Walker(walk, self), arrival.table, walk.columns, length: walk.rounds?.length),
        outputs: plan.outputs)
    case .neighbourCount(let count):
      return Stream(source: try NeighbourCountSource(count, self), outputs: plan.outputs)
    case .pairCount(let count):
      return Stream(source: try PairCountSource(count, self), outputs: plan.outputs)
    case .remainingRows(let rows):
      return Stream(source: RowSetSource(try rowSet(rows)), outputs: plan.outputs)
    case .storedOrder(let order): return try storedOrder(order, plan.outputs)
    case .neighbourAggregate(let node): return try aggregated(node, plan.outputs)
    case .closure(let closure):
      return Stream(source: try closureSource(closure), outputs: plan.outputs)
    case .values, .filter, .project, .projectSet, .tableFunction, .hashJoin, .nestedLoopJoin,
      .unlinkedPairs, .rowSummary, .cycleCount, .pathSearch, .apply, .aggregate, .leadingRows,
      .window, .sort,
      .topN, .limit, .distinct, .append, .setOperation, .recursive, .workingTable, .partialGroups,
      .withCommon, .commonReference, .modify:
      throw SQLError.internal("an operator reads no table")
    }
  }

  private func scanned(
    _ scan: TableScan, _ outputs: [PlanColumn]
  ) throws(SQLError) -> Stream {
    let compiler = expressions(over: scan.columns.map(\.column))
    let members = members(of: scan)
    var stream = Stream(source: try ScanSource(scan, compiler, members), outputs: outputs)
    if scan.filters.isEmpty && members.isEmpty { return stream }
    stream.operators.append(FilterOperator(scan.filters, members: members, compiler))
    stream.operators.append(CompactOperator())
    return stream
  }

  /// What joins further on know of the columns of a scan.
  private func members(of scan: TableScan) -> [ConjunctiveFilter.Member] {
    scan.columns.enumerated().flatMap { place, column in
      filterTargets.filters(of: column.column.id).map {
        ConjunctiveFilter.Member(filter: $0, column: place)
      }
    }
  }

  /// What is asked of all edges of a step before lists of them are gone through.
  private func marks(
    _ conditions: RowCondition, of step: AdjacencyStep
  ) throws(SQLError) -> RowFilter? {
    try RowFilter(
      conditions.filters, on: StepArrival(table: step.edgeTable, columns: conditions.columns), self)
  }

  private func aggregated(
    _ node: NeighbourAggregate, _ outputs: [PlanColumn]
  ) throws(SQLError) -> Stream {
    let edges = try marks(node.edgeConditions, of: node.step)
    let rows = try node.rows.map { (rows) throws(SQLError) in
      try NamedParents(
        rows.keys, try stream(rows.plan), expressions(over: rows.plan.outputs))
    }
    return Stream(
      source: try NeighbourAggregateSource(
        node, edges, rows, rows == nil ? members(of: node.parents) : [],
        expressions(over: node.columns)),
      outputs: outputs)
  }

  private func counted(_ count: EdgeCount, _ outputs: [PlanColumn]) throws(SQLError) -> Stream {
    if count.isOfWholeTable, case .scan(let scan) = count.input.node {
      passOver(count.input)
      let members = members(of: scan)
      var stream = Stream(source: DegreeSource(scan, count, members), outputs: outputs)
      if !members.isEmpty {
        stream.operators.append(FilterOperator([], members: members, expressions(over: outputs)))
      }
      return stream
    }
    var stream = try stream(count.input)
    stream.operators.append(EdgeCountOperator(count, expressions(over: count.input.outputs)))
    return stream
  }

  private func expanded(_ expand: Expand, _ plan: PhysicalPlan) throws(SQLError) -> Stream {
    let input = expand.input
    // The rows of a small table are left to one worker, and so their edges would be; but of those that a limit wants none but the first
    // are needed, and which these are is told on the way.
    let fansOut =
      loopDepth == 0 && input.estimatedRows <= Self.fewRows
      && plan.estimatedRows >= Self.manyEdges && !isBounded(input)
    var stream = try stream(input)
    let isWorkShared = plan.estimatedRows >= Self.muchWork
    guard expand.kind.isInner else {
      if isWorkShared { stream.source.expectFanOut() }
      stream.operators.append(
        TableJoinOperator(
          AdjacencyAccess(expand.step), keys: expand.keys, filters: expand.step.filters,
          kind: expand.kind, input: input.outputs, found: expand.step.columns,
          expressions(over:)))
      return stream
    }
    let access = AdjacencyAccess(
      expand.step,
      filters: expand.step.columns.flatMap { column in
        filterTargets.filters(of: column.id).map { (filter: $0, column: column.id) }
      })
    let compiler = expressions(over: input.outputs)
    if expand.isClustered || fansOut || input.startsWithFewRows {
      stream = Stream(
        source: try ExpandSource(
          access, keys: expand.keys, input: stream, isClustered: expand.isClustered, compiler),
        outputs: plan.outputs)
    } else {
      if isWorkShared { stream.source.expectFanOut() }
      stream.operators.append(ExpandOperator(access, keys: expand.keys, compiler))
    }
    addFilter(
      expand.step.filters, expressions(over: input.outputs + expand.step.columns), to: &stream)
    return stream
  }

  /// Whether a sort further on tells a scan of the rows that it still wants.
  private func isBounded(_ plan: PhysicalPlan) -> Bool {
    guard case .scan(let scan) = plan.node else { return false }
    return members(of: scan).contains { $0.filter.bound != nil }
  }

  /// So many rows may be kept until all of them are known.
  private static let fewRows = 100_000.0
  /// Fewer edges are left to one worker.
  private static let manyEdges = 50_000.0
  /// The rows of a small table are shared out when at least so many are made of them.
  static let muchWork = 10_000.0

  private func addFilter(
    _ filters: [BoundExpression], _ compiler: ExpressionCompiler, to stream: inout Stream
  ) {
    if !filters.isEmpty { stream.operators.append(FilterOperator(filters, compiler)) }
  }
}

extension AdjacencyStep {
  /// The columns of edge and neighbour.
  var columns: [PlanColumn] { (edgeColumns + neighbourColumns).map(\.column) }
}

extension PhysicalPlan {
  /// Whether the rows come from a look-up and are few, so that no other worker could take a share of them.
  fileprivate var startsWithFewRows: Bool {
    guard estimatedRows <= 100_000 else { return false }
    switch node {
    case .keyLookup, .adjacencyLookup, .values: return true
    case .distinct(_, on: nil), .aggregate: return true
    case .filter(let input, _), .project(let input, _): return input.startsWithFewRows
    case .scan, .projectSet, .tableFunction, .hashJoin, .nestedLoopJoin, .unlinkedPairs,
      .lookupJoin, .expand, .listJoin, .intersection, .edgeCount, .walk, .neighbourCount,
      .pairCount, .remainingRows, .storedOrder, .neighbourAggregate, .rowSummary, .cycleCount,
      .pathSearch, .apply, .leadingRows, .window, .sort, .topN, .limit, .distinct, .append,
      .setOperation,
      .closure, .recursive, .workingTable, .partialGroups, .withCommon, .commonReference, .modify:
      return false
    }
  }
}
