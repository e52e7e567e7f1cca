import Columnar
import Diagnostics
import Planning

/// Turns a physical plan into streams: sources with the operators that work on their chunks.
final class PlanCompiler {
  /// What each operator does, in pre-order; empty unless its rows are counted.
  private(set) var counters: [OperatorCounter] = []
  private let countsRows: Bool
  /// Columns that an `apply` around supplies.
  private var outer: [ColumnID: OuterColumn] = [:]
  private var commonTables: [Int: CommonTable] = [:]
  private var workingTables: [Int: SharedRows] = [:]
  /// The groups of aggregations that are being completed.
  private var partialGroups: [Int: SharedRows] = [:]
  /// The common table expressions whose rows change with the rounds of a recursion around them.
  private var changingCommons: Set<Int> = []
  /// Of fewer rows the different ones are handed on as they come, so that a limit above ends the work early.
  private static let parallelDistinctRows = 50_000.0
  /// What joins will tell the scans below them.
  private(set) var filterTargets = JoinFilterTargets()
  /// How many recursions and applies are around.
  private(set) var loopDepth = 0

  /// - Parameter countsRows: Whether the rows of each operator are counted and timed; the operators are the same.
  init(countsRows: Bool) { self.countsRows = countsRows }

  /// A compiler of expressions over these columns.
  func expressions(over columns: [PlanColumn]) -> ExpressionCompiler {
    ExpressionCompiler(ColumnScope(columns), outer: outer)
  }

  /// What makes compilers of expressions, for use after the plan around has been compiled.
  func makerOfExpressions() -> (_ columns: [PlanColumn]) -> ExpressionCompiler {
    let outer = outer
    return { ExpressionCompiler(ColumnScope($0), outer: outer) }
  }

  /// The stream of a plan's rows.
  func stream(_ plan: PhysicalPlan) throws(SQLError) -> Stream {
    guard countsRows else { return try makeStream(plan) }
    let counter = OperatorCounter()
    counters.append(counter)
    var stream = try makeStream(plan)
    if case .scan = plan.node, let scan = stream.source as? ScanSource {
      let pages = OperatorCounter.PageTally()
      scan.tally = pages
      counter.pages = pages
    }
    stream.operators.append(counter)
    return stream
  }

  /// Takes note of a plan whose rows another operator reads by itself.
  func passOver(_ plan: PhysicalPlan) {
    if countsRows { for _ in 0..<plan.operatorCount { counters.append(OperatorCounter()) } }
  }

  /// What is known of the rows of a plan: asked of its source, whose rows are not looked at one by one.
  private func summarized(
    _ summary: RowSummary, _ outputs: [PlanColumn]
  ) throws(SQLError) -> Stream {
    if countsRows { counters.append(OperatorCounter()) }
    let source = try makeStream(summary.input).source
    if summary.isSelective { try select(summary, source) }
    return Stream(source: RowSummarySource(source, summary, columns: outputs), outputs: outputs)
  }

  private func makeStream(_ plan: PhysicalPlan) throws(SQLError) -> Stream {
    var stream: Stream
    switch plan.node {
    case .values(let rows):
      stream = Stream(
        source: try ValuesSource(rows, outputs: plan.outputs, expressions(over: [])),
        outputs: plan.outputs)
    case .scan, .keyLookup, .adjacencyLookup, .lookupJoin, .expand, .listJoin, .intersection,
      .edgeCount, .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder,
      .neighbourAggregate, .closure:
      stream = try tableStream(plan)
    case .filter(let input, let conditions):
      stream = try self.stream(input)
      stream.operators.append(FilterOperator(conditions, expressions(over: input.outputs)))
    case .project(let input, let list):
      stream = try self.stream(input)
      for column in plan.outputs {
        guard let (bound, estimate) = filterTargets.estimates[column.id] else { continue }
        stream.operators.append(EstimateOperator(bound, estimate, expressions(over: input.outputs)))
      }
      // Renaming costs nothing.
      if !input.gives(list) {
        stream.operators.append(ProjectOperator(list, expressions(over: input.outputs)))
      }
    case .limit(let input, let limit):
      stream = try self.stream(input)
      stream.operators.append(try LimitOperator(limit, expressions(over: input.outputs)))
    case .distinct(let input, let on):
      stream = try self.stream(input)
      if plan.partitionCount > 1 {
        return Stream(
          source: PartitionedDistinctSource(
            stream, expressions(over: input.outputs), count: plan.partitionCount,
            expectedRows: plan.estimatedRows),
          outputs: plan.outputs)
      }
      if on == nil && input.streamedRows >= Self.parallelDistinctRows && !input.outputs.isEmpty
        && !input.readsWorkingTable(orCommons: changingCommons)
      {
        return Stream(
          source: DistinctSource(stream, expectedRows: plan.estimatedRows), outputs: plan.outputs)
      }
      stream.operators.append(
        DistinctOperator(on: on, input: input.outputs, expressions(over: input.outputs)))
    case .leadingRows(let input, let rows):
      let bound = boundOfScans(rows, over: input)
      stream = try self.stream(input)
      stream.operators.append(
        LeadingRowsOperator(rows, bound, expressions(over: input.outputs)))
    case .projectSet(let input, let columns, let calls):
      stream = try self.stream(input)
      stream.operators.append(
        TableFunctionOperator(
          calls, columns: columns.map(\.expression), ordinality: false, isOuter: false,
          expressions(over: input.outputs)))
    case .tableFunction(let node): stream = try tableFunction(node)
    case .hashJoin, .nestedLoopJoin, .unlinkedPairs, .rowSummary, .cycleCount, .pathSearch, .apply,
      .aggregate, .window, .sort, .topN, .append, .setOperation, .recursive, .workingTable,
      .partialGroups, .withCommon, .commonReference, .modify:
      stream = try breaker(plan)
    }
    stream.outputs = plan.outputs
    return stream
  }

  private func tableFunction(_ node: TableFunctionNode) throws(SQLError) -> Stream {
    // Without an input the functions are called once: for one row without columns.
    var stream: Stream
    if let input = node.input {
      stream = try self.stream(input)
    } else {
      stream = Stream(
        source: try ValuesSource([[]], outputs: [], expressions(over: [])), outputs: [])
    }
    let columns = stream.outputs
    var graphs: [GraphRunner?] = []
    var plans = node.graphPlans[...]
    for call in node.calls {
      guard let graph = call.graph else {
        graphs.append(nil)
        continue
      }
      var readers: [GraphReader] = []
      for plan in plans.prefix(graph.plans.count) {
        readers.append(GraphReader(try self.stream(plan)))
      }
      plans = plans.dropFirst(graph.plans.count)
      graphs.append(GraphRunner(graph, call.columns, readers))
    }
    stream.operators.append(
      TableFunctionOperator(
        node.calls, columns: columns.map { .column($0.id, $0.type) },
        ordinality: node.ordinality != nil, isOuter: node.isOuter, expressions(over: columns),
        graphs: graphs))
    return stream
  }

  /// Operators that see all their input before they give anything, and those that join.
  private func breaker(_ plan: PhysicalPlan) throws(SQLError) -> Stream {
    switch plan.node {
    case .hashJoin(let join):
      let filters = joinFilters(join)
      var stream = try self.stream(join.probe)
      let build = try self.stream(join.build)
      if filters.isEmpty,
        let membership = try MembershipOperator(
          join, build: build, isStable: isStable(join.build), expressions(over:))
      {
        stream.operators.append(membership)
        return stream
      }
      stream.operators.append(
        try HashJoinOperator(
          join, build: build, isStable: isStable(join.build), filters: filters,
          expressions(over:)))
      return stream
    case .rowSummary(let summary): return try summarized(summary, plan.outputs)
    case .cycleCount(let count):
      return Stream(source: try CycleCountSource(count, self), outputs: [])
    case .pathSearch(let search):
      var stream = try self.stream(search.input)
      stream.operators.append(try PathOperator(search, self))
      return stream
    case .nestedLoopJoin(let join):
      var stream = try self.stream(join.left)
      if join.left.estimatedRows * join.right.estimatedRows >= Self.muchWork {
        stream.source.expectFanOut()
      }
      let right = try self.stream(join.right)
      stream.operators.append(
        NestedLoopJoinOperator(
          join, right: right, isStable: isStable(join.right), expressions(over:)))
      return stream
    case .unlinkedPairs(let pairs):
      var stream = try self.stream(pairs.left)
      if pairs.left.estimatedRows * pairs.right.estimatedRows >= Self.muchWork {
        stream.source.expectFanOut()
      }
      let right = try self.stream(pairs.right)
      stream.operators.append(
        UnlinkedPairsOperator(
          pairs, right: right, isStable: isStable(pairs.right), expressions(over:)))
      return stream
    case .apply(let apply): return try applied(apply)
    case .aggregate(let node): return try aggregated(node, of: plan)
    case .sort(let input, let keys):
      return Stream(
        source: SortSource(
          keys, limit: nil, try stream(input), expressions(over: input.outputs)), outputs: [])
    case .topN(let input, let keys, let limit):
      return Stream(source: try first(limit, of: input, by: keys), outputs: [])
    case .window(let input, let calls):
      return Stream(
        source: try WindowSource(
          calls.map(\.call), try stream(input), expressions(over: input.outputs)), outputs: [])
    case .scan, .keyLookup, .adjacencyLookup, .values, .filter, .project, .projectSet,
      .tableFunction, .leadingRows, .lookupJoin, .expand, .listJoin, .intersection, .edgeCount,
      .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder, .neighbourAggregate, .limit,
      .distinct, .append, .setOperation, .closure, .recursive, .workingTable, .partialGroups,
      .withCommon, .commonReference, .modify:
      return try combined(plan)
    }
  }

  /// The rows of `input` that a limit leaves when they are sorted; the input is counted by itself unless it is part of another operator.
  func first(
    _ limit: LimitPlan, of input: PhysicalPlan, by keys: [SortKey], isPart: Bool = false
  ) throws(SQLError) -> SortSource {
    let compiler = expressions(over: input.outputs)
    let bound = keys.first.map { SharedSortBound($0.order) }
    let target = BoundTarget(of: keys, over: input)
    if let bound, let target { filterTargets.push(bound, to: target) }
    var stream = try isPart ? makeStream(input) : self.stream(input)
    if let bound, case .ownEstimate(let estimate)? = target {
      stream.operators.append(EstimateOperator(bound, estimate, compiler))
    }
    return SortSource(
      keys, limit: try LimitEvaluator(limit, compiler), withTies: limit.ties != nil, stream,
      compiler, bound: bound)
  }

  /// The bound that reaches a scan below rows of which only those of the first values are wanted; nil where none does.
  private func boundOfScans(_ rows: LeadingRows, over input: PhysicalPlan) -> SharedSortBound? {
    guard rows.tellsBound, let target = BoundTarget(of: [rows.order], over: input),
      case .scan = target
    else { return nil }
    let bound = SharedSortBound(rows.order.order)
    filterTargets.push(bound, to: target)
    return bound
  }

  private func aggregated(
    _ node: AggregateNode, of plan: PhysicalPlan
  ) throws(SQLError) -> Stream {
    let expectedGroups = plan.estimatedRows
    var input = try stream(node.input)
    if let clusterKey = node.clusterKey {
      input.operators.append(
        ClusterAggregateOperator(
          node, clusterKey: clusterKey, expressions(over: node.input.outputs)))
      return input
    }
    if plan.partitionCount > 1, node.partial == nil {
      return Stream(
        source: PartitionedAggregateSource(
          node, input, expressions(over: node.input.outputs), count: plan.partitionCount,
          expectedGroups: expectedGroups), outputs: [])
    }
    guard let partial = node.partial else {
      if node.readsNothing { FilterOperator.expectCount(of: input) }
      return Stream(
        source: AggregateSource(
          node, input, expressions(over: node.input.outputs), expectedGroups: expectedGroups),
        outputs: [])
    }
    let rows = SharedRows()
    partialGroups[partial.id] = rows
    let completion = GroupCompletion(
      node, partial, rows, try stream(partial.completion),
      expressions(over: partial.completion.outputs))
    return Stream(
      source: AggregateSource(
        node, input, expressions(over: node.input.outputs), completedBy: completion),
      outputs: [])
  }

  /// Filters for what a join asks to be equal, of which some scan of its probe side can use each.
  ///
  /// None inside a loop, where a side that is run once must not depend on one that is run again.
  private func joinFilters(_ join: HashJoin) -> [(of: BoundExpression, filter: JoinFilter)] {
    guard loopDepth == 0, join.dropsUnmatchedProbe else { return [] }
    return (join.keys + join.residualKeys).compactMap { key in
      guard key.canFilter, let column = key.probe.asColumn else { return nil }
      let filter = JoinFilter()
      return filterTargets.push(filter, column, to: join.probe) ? (key.build, filter) : nil
    }
  }

  private func combined(_ plan: PhysicalPlan) throws(SQLError) -> Stream {
    switch plan.node {
    case .append(let inputs):
      var streams: [Stream] = []
      for input in inputs { streams.append(try stream(input)) }
      return Stream(source: AppendSource(streams), outputs: [])
    case .setOperation(let kind, let isAll, let left, let right):
      let first = try stream(left)
      return Stream(
        source: SetOperationSource(kind, isAll: isAll, first, try stream(right)), outputs: [])
    case .recursive(let id, let anchor, let step, let isAll):
      let first = try stream(anchor)
      let working = SharedRows()
      workingTables[id] = working
      loopDepth += 1
      defer { loopDepth -= 1 }
      return Stream(
        source: RecursiveSource(
          anchor: first, step: try stream(step), isAll: isAll, working: working), outputs: [])
    case .workingTable(let id):
      guard let working = workingTables[id] else {
        throw SQLError.internal("a working table stands outside its recursion")
      }
      return Stream(source: SharedRowsSource(working), outputs: [])
    case .partialGroups(let id):
      guard let groups = partialGroups[id] else {
        throw SQLError.internal("partial groups are read outside their aggregation")
      }
      return Stream(source: SharedRowsSource(groups), outputs: [])
    case .withCommon(let id, let definition, let body):
      return try withCommon(id, definition, body)
    case .commonReference(let id):
      guard let common = commonTables[id] else {
        throw SQLError.internal("a common table expression is read outside its WITH")
      }
      return Stream(source: SharedRowsSource(common.rows, common), outputs: [])
    case .modify(let modification, let input):
      return Stream(source: ModifySource(modification, try stream(input)), outputs: [])
    case .scan, .keyLookup, .adjacencyLookup, .values, .filter, .project, .projectSet,
      .tableFunction, .hashJoin, .nestedLoopJoin, .unlinkedPairs, .lookupJoin, .expand, .listJoin,
      .intersection, .edgeCount, .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder,
      .neighbourAggregate, .rowSummary, .cycleCount, .pathSearch, .apply, .aggregate, .leadingRows,
      .window,
      .sort,
      .topN, .limit, .distinct, .closure:
      throw SQLError.internal("an operator has no implementation")
    }
  }

  private func applied(_ apply: Apply) throws(SQLError) -> Stream {
    var stream = try self.stream(apply.left)
    let around = outer
    let columns = apply.parameters.map { OuterColumn($0.type) }
    for (parameter, column) in zip(apply.parameters, columns) { outer[parameter.id] = column }
    loopDepth += 1
    let right = try self.stream(apply.right)
    loopDepth -= 1
    outer = around
    stream.operators.append(
      ApplyOperator(apply, right: right, outer: columns, expressions(over:)))
    return stream
  }

  private func withCommon(
    _ id: Int, _ definition: PhysicalPlan, _ body: PhysicalPlan
  ) throws(SQLError) -> Stream {
    let isEager = definition.modifiesData
    if definition.readsWorkingTable(orCommons: changingCommons) { changingCommons.insert(id) }
    let common = CommonTable(try stream(definition))
    commonTables[id] = common
    var stream = try self.stream(body)
    stream.operators.append(CommonScopeOperator(common, isEager: isEager))
    return stream
  }

  /// Whether a side of a join gives the same rows each time that a recursion around runs it.
  private func isStable(_ plan: PhysicalPlan) -> Bool {
    loopDepth > 0 && outer.isEmpty && !plan.readsWorkingTable(orCommons: changingCommons)
  }
}

extension PhysicalPlan {
  /// Whether some operator changes data.
  var modifiesData: Bool {
    if case .modify = node { return true }
    return inputs.contains { $0.modifiesData }
  }

  /// Whether some operator reads the rows of a recursion's last round, or of one of `commons`,
  /// the common table expressions that do.
  func readsWorkingTable(orCommons commons: Set<Int>) -> Bool {
    switch node {
    // Groups that were made first may be of such rows: what they are made from stands elsewhere in the plan.
    case .workingTable, .partialGroups: return true
    case .commonReference(let id) where commons.contains(id): return true
    case .scan, .keyLookup, .adjacencyLookup, .values, .filter, .project, .projectSet,
      .tableFunction, .hashJoin, .nestedLoopJoin, .unlinkedPairs, .lookupJoin, .expand, .listJoin,
      .intersection, .edgeCount, .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder,
      .neighbourAggregate, .rowSummary, .cycleCount, .pathSearch, .apply, .aggregate, .leadingRows,
      .window,
      .sort,
      .topN, .limit, .distinct, .append, .setOperation, .closure, .recursive, .withCommon,
      .commonReference, .modify:
      return inputs.contains { $0.readsWorkingTable(orCommons: commons) }
    }
  }

  /// How often a common table expression is read; one that is read in a loop counts twice.
  func references(to id: Int) -> Int {
    if case .commonReference(let other) = node { return other == id ? 1 : 0 }
    if case .apply(let apply) = node {
      return apply.left.references(to: id) + 2 * apply.right.references(to: id)
    }
    if case .recursive(_, let anchor, let step, _) = node {
      return anchor.references(to: id) + 2 * step.references(to: id)
    }
    return inputs.reduce(0) { $0 + $1.references(to: id) }
  }
}

extension PhysicalPlan {
  /// About how many rows the plan's own pipeline has at its widest: what several workers could share, however few come out.
  fileprivate var streamedRows: Double {
    var most = estimatedRows
    var plan = self
    while let input = plan.streamedInput {
      most = max(most, input.estimatedRows)
      plan = input
    }
    return most
  }

  /// The input whose rows an operator hands on one by one, in the pipeline of which it is a part.
  private var streamedInput: PhysicalPlan? {
    switch node {
    case .filter(let input, _), .project(let input, _): input
    case .hashJoin(let join): join.probe
    case .nestedLoopJoin(let join): join.left
    case .lookupJoin(let join): join.input
    case .expand(let expand): expand.input
    case .listJoin(let join): join.input
    case .intersection(let node): node.input
    case .scan, .keyLookup, .adjacencyLookup, .values, .projectSet, .tableFunction, .unlinkedPairs,
      .edgeCount, .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder,
      .neighbourAggregate, .rowSummary, .cycleCount, .pathSearch, .apply, .aggregate, .leadingRows,
      .window,
      .sort,
      .topN, .limit, .distinct, .append, .setOperation, .closure, .recursive, .workingTable,
      .partialGroups, .withCommon, .commonReference, .modify:
      nil
    }
  }
}
