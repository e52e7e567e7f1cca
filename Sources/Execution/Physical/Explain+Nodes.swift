import Catalog
import Columnar
import Planning
import Storage

/// Turns the operators of a plan into what EXPLAIN shows of them.
struct ExplainBuilder {
  let printer: ExpressionPrinter
  let catalog: CatalogSnapshot
  let statistics: [OperatorStatistics]
  private var number = 0

  init(printer: ExpressionPrinter, catalog: CatalogSnapshot, statistics: [OperatorStatistics]) {
    self.printer = printer
    self.catalog = catalog
    self.statistics = statistics
  }

  /// The operator and what is below it, numbered in pre-order.
  mutating func node(_ plan: PhysicalPlan, relationship: String?) -> ExplainNode {
    var result = ExplainNode(
      name: name(plan), details: details(plan).filter { !$0.text.isEmpty },
      estimatedRows: plan.estimatedRows,
      actual: statistics.indices.contains(number) ? statistics[number] : nil,
      relationship: relationship)
    if let actual = result.actual, actual.pagesPassedOver > 0 {
      let all = actual.pagesRead + actual.pagesPassedOver
      result.details.append(("Pages Read", "\(actual.pagesRead) of \(all)"))
    }
    number += 1
    for (index, input) in plan.inputs.enumerated() {
      result.children.append(node(input, relationship: index == 0 ? "Outer" : "Inner"))
    }
    return result
  }

  // MARK: Names

  private func name(_ plan: PhysicalPlan) -> String {
    switch plan.node {
    case .scan(let scan): "Seq Scan on \(table(scan.table, scan.alias))"
    case .keyLookup(let lookup): "Key Lookup on \(table(lookup.table, lookup.alias))"
    case .adjacencyLookup(let lookup): "Adjacency Lookup on \(walk(lookup.step))"
    case .values(let rows): rows.count == 1 ? "Result" : "Values Scan"
    case .filter: "Filter"
    case .project: "Projection"
    case .projectSet: "ProjectSet"
    case .tableFunction(let function): functionScan(function.calls)
    case .hashJoin(let join): "Hash \(join.kind.words(isFlipped: join.isFlipped))Join"
    case .remainingRows(let rows):
      "Bitmap Anti Join on \(table(rows.scan.table, rows.scan.alias))"
    case .storedOrder(let order):
      "Stored Order Scan on \(table(order.rows.scan.table, order.rows.scan.alias))"
    case .neighbourAggregate(let node):
      "Neighbour Aggregate on \(fullWalk(node.step))"
    case .rowSummary(let summary): summary.column == nil ? "Row Count" : "Row Summary"
    case .closure(let closure):
      "Adjacency Closure on \(fullWalk(closure.walk.step))"
    case .nestedLoopJoin(let join):
      join.rangeKey != nil
        ? "Range \(join.kind.words())Join"
        : join.kind.isInner ? "Nested Loop" : "Nested Loop \(join.kind.words())Join"
    case .unlinkedPairs(let pairs): "Unlinked Pairs on \(walk(pairs.step))"
    case .lookupJoin(let join):
      "Lookup \(join.kind.words())Join on \(table(join.table, join.alias))"
    case .listJoin(let join):
      "List \(join.kind.words())Join on \(list(join.left)), \(list(join.right))"
    case .intersection(let node):
      "\(intersection(node.kind)) of \(node.arms.map { edges($0.step) }.joined(separator: ", "))"
    case .expand(let expand): "Adjacency \(expand.kind.words())Join on \(walk(expand.step))"
    case .edgeCount(let count):
      "Adjacency \(count.measured == nil ? "Count" : "Summary") on \(walk(count.step))"
    case .walk(let walk):
      "Adjacency Walk on \(path(walk.steps))" + (walk.rounds.map(\.summary) ?? "")
    case .neighbourCount(let count):
      "Neighbour Count on \(path(count.steps + [count.counted]))"
    case .pairCount(let count): "Pair Count on \(path([count.first, count.second]))"
    case .cycleCount(let count):
      "Cycle Count on "
        + count.steps.map { ExpressionPrinter.quoted($0.table.name.name) }.joined(separator: " -> ")
    case .pathSearch(let search): search.summary
    case .apply(let apply): "Apply \(apply.kind.words())Join"
    case .aggregate(let aggregate):
      aggregate.groupingSets != nil
        ? "MixedAggregate"
        : aggregate.keys.isEmpty
          ? "Aggregate" : aggregate.clusterKey == nil ? "HashAggregate" : "ClusterAggregate"
    case .leadingRows: "Leading Rows"
    case .window: "WindowAgg"
    case .sort: "Sort"
    case .topN: "Top-N Sort"
    case .limit: "Limit"
    case .distinct(_, let on): on == nil ? "HashAggregate" : "Unique"
    case .append: "Append"
    case .setOperation(let kind, let isAll, _, _): "HashSetOp \(kind.words)\(isAll ? " All" : "")"
    case .recursive: "Recursive Union"
    case .workingTable(let id): "WorkTable Scan on cte\(id)"
    case .partialGroups: "Partial Groups"
    case .withCommon(let id, _, _): "With cte\(id)"
    case .commonReference(let id): "CTE Scan on cte\(id)"
    case .modify(let modify, _):
      "\(modify.words) on \(ExpressionPrinter.quoted(modify.table.name.name))"
    }
  }

  private func table(_ table: TableDefinition, _ alias: String) -> String {
    let name = ExpressionPrinter.quoted(table.name.name)
    return alias == table.name.name || alias.isEmpty
      ? name : "\(name) \(ExpressionPrinter.quoted(alias))"
  }

  /// The edge table and the direction in which it is walked.
  ///
  /// A step that stops at the rows of a junction table arrives at the keys of its other parent.
  private func walk(_ step: AdjacencyStep, arrival: TableDefinition? = nil) -> String {
    let keys = step.edgeTable.foreignKeys
    func parent(_ key: Int) -> String {
      guard keys.indices.contains(key), let table = catalog.tables[keys[key].parent] else {
        return "?"
      }
      return ExpressionPrinter.quoted(table.name.name)
    }
    var target = ExpressionPrinter.quoted(step.edgeTable.name.name)
    if let arrival {
      target = ExpressionPrinter.quoted(arrival.name.name)
    } else if let to = step.to {
      target = parent(to)
    } else if keys.count == 2 {
      target = parent(1 - step.from)
    }
    return "\(table(step.edgeTable, step.edgeAlias)): \(parent(step.from)) -> \(target)"
  }

  /// As `walk`, where a step without a neighbour arrives at its edges.
  private func fullWalk(_ step: AdjacencyStep) -> String {
    walk(step, arrival: step.to == nil ? step.edgeTable : nil)
  }

  /// The tables that steps come past, each the one whose rows are arrived at: a set of links is not one of their ends.
  private func path(_ steps: [AdjacencyStep]) -> String {
    guard let first = steps.first else { return "" }
    return steps.dropFirst().reduce(walk(first, arrival: first.arrival?.table)) { text, step in
      text + " -> \(ExpressionPrinter.quoted(step.arrival?.table.name.name ?? "?"))"
    }
  }

  private func intersection(_ kind: ListIntersection.Kind) -> String {
    switch kind {
    case .combinations: "Intersection"
    case .edges(let areMet): areMet ? "Intersection Semi Join" : "Intersection Anti Join"
    case .inputs(let areMet): areMet ? "Non-empty Intersection" : "Empty Intersection"
    }
  }

  /// The edges of a list, and where they are followed to another table.
  private func list(_ step: AdjacencyStep) -> String {
    guard let table = step.neighbourTable, step.neighbourAlias != step.edgeAlias else {
      return edges(step)
    }
    let name = ExpressionPrinter.quoted(table.name.name)
    let alias = ExpressionPrinter.quoted(step.neighbourAlias)
    return "\(edges(step)) -> \(alias == name ? name : "\(name) \(alias)")"
  }

  /// Whose edges a step reads.
  private func edges(_ step: AdjacencyStep) -> String {
    let table = ExpressionPrinter.quoted(step.edgeTable.name.name)
    let alias = ExpressionPrinter.quoted(step.edgeAlias)
    return alias == table ? table : "\(table) \(alias)"
  }

  // MARK: Details

  /// The details of a join along edges.
  private func edgeDetails(_ plan: PhysicalPlan) -> [(label: String, text: String)] {
    if case .expand(let expand) = plan.node {
      let columns = expand.step.edgeTable.foreignKeys[expand.step.from].columns
      return [
        ("Key Cond", keyCondition(expand.step.edgeTable, columns, [expand.keys])),
        ("Join Filter", conditions(expand.step.filters)),
      ]
    }
    if case .edgeCount(let count) = plan.node {
      let columns = count.step.edgeTable.foreignKeys[count.step.from].columns
      return [
        ("Key Cond", keyCondition(count.step.edgeTable, columns, [count.keys])),
        ("Join Filter", conditions(count.exclusion.map { [$0.condition] } ?? [])),
        ("Aggregates", printer.texts(count).joined(separator: ", ")),
      ]
    }
    if case .listJoin(let join) = plan.node {
      let columns = join.left.edgeTable.foreignKeys[join.left.from].columns
      return [
        ("Key Cond", keyCondition(join.left.edgeTable, columns, [join.keys])),
        ("Edges Marked", conditions(join.leftMarks.filters + join.rightMarks.filters)),
        ("Filter", conditions(join.left.filters + join.right.filters)),
        ("Join Filter", conditions(join.conditions)),
      ]
    }
    if case .intersection(let node) = plan.node {
      let bounds = node.bounds.compactMap { bound in
        node.met.map {
          BoundExpression.comparison(bound.comparison, $0.key.column.reference, bound.value)
        }
      }
      let keys = node.arms.map { arm in
        let columns = arm.step.edgeTable.foreignKeys[arm.step.from].columns
        return ("Key Cond", keyCondition(arm.step.edgeTable, columns, [arm.keys]))
      }
      return keys + [
        ("Bounds", conditions(bounds)), ("Join Filter", conditions(node.conditions)),
      ]
    }
    return []
  }

  private func walkDetails(
    _ start: Walk.Start, _ steps: [AdjacencyStep]
  ) -> [(label: String, text: String)] {
    var found: [(label: String, text: String)] = []
    if let step = steps.first {
      let columns = step.edgeTable.foreignKeys[step.from].columns
      let keys =
        switch start {
        case .keys(let keys): keys
        case .plan(_, let key): [key]
        }
      found.append(("Key Cond", keyCondition(step.edgeTable, columns, keys)))
    }
    return found + [("Filter", conditions(steps.flatMap(\.filters)))]
  }

  private func walkDetails(_ walk: Walk) -> [(label: String, text: String)] {
    walkDetails(walk.start, walk.steps) + [
      ("Entry Filter", conditions(walk.rounds?.entry.filters ?? [])),
      ("End Filter", conditions(walk.filters)),
    ]
  }

  private func pairDetails(_ count: PairCount) -> [(label: String, text: String)] {
    [
      (
        "Filter",
        conditions(count.sourceFilters + count.first.filters + count.filters + count.having)
      ),
      ("Counts", count.order.counts == .rising ? "least first" : ""),
      (
        "Sources, if Keys Rise",
        count.order.counts != nil
          ? "" : count.order.sources == .rising ? "least first" : "greatest first"
      ),
    ] + (count.limit.map(amounts) ?? [])
  }

  private func pathDetails(_ search: PathSearch) -> [(label: String, text: String)] {
    var costs: [String] = []
    for plan in search.costs {
      var cost = plan.outputs.last?.reference
      if case .project(_, let list) = plan.node { cost = list.last }
      let text = cost.map { printer.text($0) } ?? ""
      if !costs.contains(text) { costs.append(text) }
    }
    let details = [("Cost", costs.joined(separator: ", "))]
    guard search.readsWholeTarget, case .scan(let scan) = search.target.node else {
      return details
    }
    return [("Ends", table(scan.table, scan.alias))] + details
  }

  private func details(_ plan: PhysicalPlan) -> [(label: String, text: String)] {
    switch plan.node {
    case .scan(let scan): return [("Filter", conditions(scan.filters))]
    case .keyLookup(let lookup):
      return [
        ("Key Cond", keyCondition(lookup.table, lookup.keyColumns, lookup.keys)),
        ("Filter", conditions(lookup.filters)),
      ]
    case .adjacencyLookup(let lookup):
      let columns = lookup.step.edgeTable.foreignKeys[lookup.step.from].columns
      return [
        ("Key Cond", keyCondition(lookup.step.edgeTable, columns, lookup.keys)),
        ("Filter", conditions(lookup.step.filters)),
      ]
    case .filter(_, let list): return [("Filter", conditions(list))]
    case .projectSet(_, _, let calls): return [("Functions", functions(calls))]
    case .tableFunction(let function):
      return [
        ("Function Call", functions(function.calls)),
        ("Edges", function.calls.compactMap(\.graph?.walks).joined(separator: "; ")),
      ]
    case .project, .append, .setOperation, .recursive, .workingTable, .partialGroups, .withCommon,
      .commonReference, .modify, .values:
      return []
    case .cycleCount(let count): return [("Filter", conditions(count.filters))]
    case .pathSearch(let search): return pathDetails(search)
    case .hashJoin(let join): return hashDetails(join)
    case .remainingRows, .storedOrder, .neighbourAggregate, .closure, .rowSummary:
      return positionDetails(plan)
    case .unlinkedPairs(let pairs): return [("Key Cond", keyCondition(pairs))]
    case .nestedLoopJoin(let join):
      let key = join.rangeKey
      return [
        ("Range Key", key.map { printer.name($0.column) } ?? ""),
        ("Join Filter", conditions(join.conditions)),
      ]
    case .lookupJoin(let join):
      return [
        ("Key Cond", keyCondition(join.table, join.keyColumns, [join.keys])),
        ("Join Filter", conditions(join.filters)),
      ]
    case .expand, .listJoin, .intersection, .edgeCount: return edgeDetails(plan)
    case .walk(let walk): return walkDetails(walk)
    case .neighbourCount(let count):
      return walkDetails(count.start, count.steps + [count.counted])
    case .pairCount(let count): return pairDetails(count)
    case .apply(let apply):
      return [
        ("Parameters", apply.parameters.map(printer.name).joined(separator: ", ")),
        ("Join Filter", conditions(apply.conditions)),
      ]
    case .aggregate(let aggregate): return aggregateDetails(aggregate) + partitions(plan)
    case .leadingRows(let input, let rows): return leadingDetails(rows, of: input)
    case .window(_, let calls):
      return [("Window", calls.map { printer.text($0.call) }.joined(separator: ", "))]
    case .sort(_, let keys): return [("Sort Key", sortKeys(keys))]
    case .topN(let input, let keys, let limit):
      return [
        ("Sort Key", sortKeys(keys)), ("Estimated First", estimated(keys, input)),
        ("Left Out Early", leftOut(keys, over: input)),
      ] + amounts(limit)
    case .limit(_, let limit): return amounts(limit)
    case .distinct(let input, let on):
      return [
        ("Group Key", printer.list(on ?? input.outputs.map(\.reference)))
      ] + partitions(plan)
    }
  }

  /// What is estimated of rows before their first key is computed exactly.
  private func estimated(_ keys: [SortKey], _ input: PhysicalPlan) -> String {
    guard let key = keys.first?.expression, BoundTarget(of: keys, over: input)?.isEstimate ?? false
    else { return "" }
    return "\(printer.text(key)), by doubles"
  }

  private func leadingDetails(
    _ rows: LeadingRows, of input: PhysicalPlan
  ) -> [(label: String, text: String)] {
    [
      ("Group Key", printer.list(rows.keys)), ("Sort Key", sortKeys([rows.order])),
      (
        "Kept",
        "\(rows.count) \(rows.countsDifferent ? "different " : "")"
          + (rows.keys.isEmpty ? "of all, and equals" : "of each group, and equals")
      ), ("Left Out Early", rows.tellsBound ? leftOut([rows.order], over: input) : ""),
    ]
  }

  /// The column by which a scan leaves out pages and rows that come behind those that are kept.
  private func leftOut(_ keys: [SortKey], over input: PhysicalPlan) -> String {
    let name = BoundTarget(of: keys, over: input)?.column.flatMap(printer.name)
    return name.map { "rows behind the last one kept, by \($0)" } ?? ""
  }

  private func partitions(_ plan: PhysicalPlan) -> [(label: String, text: String)] {
    let count = plan.partitionCount
    return [("Partitions", count > 1 ? "\(count), by the hash of the group key" : "")]
  }

  private func aggregateDetails(_ aggregate: AggregateNode) -> [(label: String, text: String)] {
    return [
      ("Group Key", printer.list(aggregate.keys.map(\.expression))),
      (
        "Determined",
        printer.list(aggregate.dependencies.map { aggregate.keys[$0.key].expression })
      ),
      ("Grouping Sets", groupingSets(aggregate)),
      ("Grouped First By", printer.list(aggregate.partial?.keys.map(\.reference) ?? [])),
      ("Asked of Groups", printer.list(aggregate.asked)),
      ("Found in Others", printer.list(aggregate.followers)),
      (
        "Pages Passed Over",
        aggregate.seeksExtremes
          ? "those without values beyond "
            + printer.list(aggregate.aggregates.map { .aggregate($0.call) }) : ""
      ),
    ]
  }

  /// What is said of operators that go by positions of rows.
  private func positionDetails(_ plan: PhysicalPlan) -> [(label: String, text: String)] {
    if case .remainingRows(let rows) = plan.node { return exclusions(rows) }
    if case .storedOrder(let order) = plan.node {
      return [("Sort Key", sortKeys(order.keys))] + (order.limit.map(amounts) ?? [])
        + exclusions(order.rows)
    }
    if case .neighbourAggregate(let node) = plan.node {
      let columns = node.columns.filter { node.keys.contains($0.id) }
      let foreign = node.step.edgeTable.foreignKeys[node.step.from]
      let keys = node.rows.map { keyCondition(node.step.edgeTable, foreign.columns, [$0.keys]) }
      let once = node.onceEach.sorted().map { BoundExpression.aggregate(node.aggregates[$0].call) }
      return [
        ("Group Key", printer.list(columns.map(\.reference))), ("Key Cond", keys ?? ""),
        ("Once Each Neighbour", printer.list(once)),
        ("Filter", conditions(node.edgeConditions.filters + node.filters)),
      ]
    }
    if case .rowSummary(let summary) = plan.node, summary.column != nil {
      return [
        ("Aggregates", printer.texts(summary).joined(separator: ", ")),
        ("Filter", conditions(summary.roundFilters + summary.exclusions + summary.filters)),
      ]
    }
    if case .closure(let closure) = plan.node {
      let edges = [
        ("Edge Filter", conditions(closure.walk.conditional?.filters ?? [])),
        ("Rounds", rounds(closure)),
        ("Round Filter", conditions(closure.walk.rounds?.conditions ?? [])),
      ]
      switch closure.seeds {
      case .neighbours(let lookup): return walkDetails(.keys(lookup.keys), [lookup.step]) + edges
      case .row(let lookup, isGiven: false):
        return walkDetails(.keys(lookup.keys), [closure.walk.step]) + edges
      case .row(let lookup, isGiven: true):
        let key = keyCondition(lookup.table, lookup.keyColumns, lookup.keys)
        return [("Key Cond", key)] + edges
      case .rows, .edges: return edges
      }
    }
    return []
  }

  /// Which column counts the rounds of a closure, and how often a row comes.
  private func rounds(_ closure: Closure) -> String {
    var parts: [String] = []
    if let rounds = closure.walk.rounds {
      parts.append("\(printer.name(rounds.column)) from \(rounds.first) by \(rounds.increment)")
    }
    switch closure.repetition {
    case .never: if !parts.isEmpty { parts.append("first of each row") }
    case .byRound: break
    case .always: parts.append("all ways")
    }
    return parts.joined(separator: ", ")
  }

  /// Who is left out of a set of rows, and how it is found.
  private func exclusions(_ rows: RemainingRows) -> [(label: String, text: String)] {
    rows.exclusions.flatMap { exclusion in
      [("Bitmap Cond", conditions(exclusion.condition))]
        + (exclusion.steps.isEmpty
          ? [] : [("Walk", path(exclusion.steps))] + walkDetails(exclusion.start, exclusion.steps))
    }
  }

  private func hashDetails(_ join: HashJoin) -> [(label: String, text: String)] {
    let isAnti =
      if case .anti = join.kind { true } else { false }
    let keys = join.keys.map { key in
      let (left, right) = join.isFlipped ? (key.build, key.probe) : (key.probe, key.build)
      if key.nullsMatch { return BoundExpression.distinct(left, right, negated: true) }
      let equality = BoundExpression.comparison(.equal, left, right)
      // NOT IN: a comparison that is NULL is as good as a match.
      return isAnti && key.isNullAware ? .isBoolean(equality, false, negated: true) : equality
    }
    return [
      ("Hash Cond", conditions(keys)),
      ("Range Key", join.rangeKey.map { printer.name($0.column) } ?? ""),
      ("Join Filter", conditions(join.residual)),
    ]
  }

  private func conditions(_ list: [BoundExpression]) -> String {
    list.isEmpty ? "" : printer.conjunction(list)
  }

  private func sortKeys(_ keys: [SortKey]) -> String {
    keys.map { printer.text($0) }.joined(separator: ", ")
  }

  private func functions(_ calls: [TableFunctionCall]) -> String {
    calls.map { call in
      guard let graph = call.graph else { return "\(call.name)(\(printer.list(call.arguments)))" }
      let given = zip(graph.function.signature.parameters, call.arguments).filter {
        $1.asConstant?.isNull != true
      }
      let words =
        given.map { "\($0.name) => \(printer.text($1))" }
        + graph.names.map { "\($0.argument) => '\($0.name)'" }
      return "\(call.name)(\(words.joined(separator: ", ")))"
    }.joined(separator: ", ")
  }

  private func functionScan(_ calls: [TableFunctionCall]) -> String {
    if calls.count == 1, let graph = calls.first?.graph {
      return "Graph Algorithm \(graph.function.rawValue) on \(graph.graphName)"
    }
    return "Function Scan on \(calls.map(\.name).joined(separator: ", "))"
  }

  private func amounts(_ limit: LimitPlan) -> [(label: String, text: String)] {
    [
      (
        "Limit",
        limit.count.map { printer.text($0) + (limit.ties == nil ? "" : " with ties") } ?? ""
      ),
      ("Offset", limit.offset.map { printer.text($0) } ?? ""),
    ]
  }

  private func groupingSets(_ aggregate: AggregateNode) -> String {
    guard let sets = aggregate.groupingSets else { return "" }
    return sets.map { set in
      "(" + printer.list(set.map { aggregate.keys[$0].expression }) + ")"
    }.joined(separator: ", ")
  }

  private func keyCondition(_ pairs: UnlinkedPairs) -> String {
    let keys = pairs.step.edgeTable.foreignKeys
    return keyCondition(
      pairs.step.edgeTable, keys[pairs.step.from].columns + keys[pairs.back.from].columns,
      [pairs.leftKeys + pairs.rightKeys])
  }

  private func keyCondition(
    _ table: TableDefinition, _ columns: [Int], _ keys: [[BoundExpression]]
  ) -> String {
    let names = columns.map { ExpressionPrinter.quoted(table.columns[$0].name) }
    if keys.count == 1, let key = keys.first {
      let parts = zip(names, key).map { "(\($0) = \(printer.text($1)))" }
      return parts.count == 1 ? parts[0] : "(" + parts.joined(separator: " AND ") + ")"
    }
    let left = names.count == 1 ? names[0] : "(" + names.joined(separator: ", ") + ")"
    let right = keys.prefix(20).map { key in
      key.count == 1 ? printer.text(key[0]) : "(" + printer.list(key) + ")"
    }
    return "(\(left) IN (\(right.joined(separator: ", "))\(keys.count > 20 ? ", ..." : "")))"
  }
}

extension JoinPlan.Kind {
  /// The kind as it stands before "Join" in a node's name, with a space behind it.
  fileprivate func words(isFlipped: Bool = false) -> String {
    switch self {
    case .inner: ""
    case .left: isFlipped ? "Right " : "Left "
    case .right: isFlipped ? "Left " : "Right "
    case .full: "Full "
    case .semi: isFlipped ? "Right Semi " : "Semi "
    case .anti: isFlipped ? "Right Anti " : "Anti "
    case .mark: isFlipped ? "Right Mark " : "Mark "
    case .single: "Single "
    }
  }
}

extension SetOperationPlan.Kind {
  fileprivate var words: String {
    switch self {
    case .union: "Union"
    case .intersect: "Intersect"
    case .except: "Except"
    }
  }
}

extension ModifyPlan {
  fileprivate var words: String {
    switch action {
    case .insert: "Insert"
    case .update: "Update"
    case .delete: "Delete"
    case .merge: "Merge"
    }
  }
}
