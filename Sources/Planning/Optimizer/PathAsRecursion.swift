import Catalog
import Columnar
import SQLSyntax

/// Any path along one foreign key pair, of which only the ends are asked for, is a transitive closure: a recursion with
/// UNION, which walks over positions and is counted without a row.
struct PathAsRecursion {
  let factory: ColumnFactory
  let commons: CommonNumbers

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan }
    var used: ColumnSet = []
    plan.collectUsed(into: &used)
    used.formUnion(plan.outputIDs)
    return rewritten(plan, used)
  }

  /// The plan without such paths; `used` are the columns that expressions of the whole plan use.
  private func rewritten(_ plan: LogicalPlan, _ used: ColumnSet) -> LogicalPlan {
    if case .path(let path) = plan, let closure = closure(path, used) { return closure }
    return plan.mapInputs { rewritten($0, used) }
  }

  private func closure(_ path: PathPlan, _ used: ColumnSet) -> LogicalPlan? {
    guard let walk = ClosurePattern(path), case .scan(let source) = path.input,
      case .scan(let target) = path.target, !used.contains(path.start), !used.contains(path.end)
    else { return nil }
    let key = walk.key
    // What is not asked for of the ends needs no join with them.
    let isOne = path.input.isAtMostOneRow
    let node = factory.make("node", key.type)
    let origin = factory.make("origin", key.type)
    let recursion = recursion(walk, from: source, isOne: isOne)
    let columns = recursion.columns
    var plan = LogicalPlan.recursive(recursion)
    let renamed = isOne ? [node] : [origin, node]
    plan = .project(
      plan, zip(renamed, columns).map { ProjectedColumn($0, $1.reference) })
    var outputs: [ProjectedColumn] = []
    plan = joined(plan, to: target, on: node, path.end, key.index, used, isStart: false, &outputs)
    if isOne {
      let kept = source.columns.filter { used.contains($0.column.id) }
      if !kept.isEmpty {
        plan = .join(JoinPlan(.inner, plan, .scan(source), on: []))
        outputs += kept.map { ProjectedColumn($0.column, $0.column.reference) }
      }
    } else {
      plan = joined(
        plan, to: source, on: origin, path.start, key.index, used, isStart: true, &outputs)
    }
    return .project(plan, outputs)
  }

  /// The plan joined with the rows of an end of the paths, unless its key is all that is asked for.
  private func joined(
    _ plan: LogicalPlan, to scan: ScanPlan, on column: PlanColumn, _ position: ColumnID, _ key: Int,
    _ used: ColumnSet, isStart: Bool, _ outputs: inout [ProjectedColumn]
  ) -> LogicalPlan {
    let kept = scan.columns.filter { $0.column.id != position && used.contains($0.column.id) }
    let isKeyOnly = kept.allSatisfy { $0.index == key && $0.column.type == column.type }
    // The rows walked from are those of the filter already; those walked to are not.
    if isKeyOnly, scan.filters.isEmpty || isStart {
      outputs += kept.map { ProjectedColumn($0.column, column.reference) }
      return plan
    }
    var scan = scan
    let own: PlanColumn
    if let known = scan.columns.first(where: { $0.index == key })?.column {
      own = known
    } else {
      own = factory.make(scan.table.columns[key].name, column.type)
      scan.columns.append(ScanPlan.Column(own, index: key))
    }
    outputs += kept.map { ProjectedColumn($0.column, $0.column.reference) }
    return .join(
      JoinPlan(
        .inner, plan, .scan(scan), on: [.comparison(.equal, own.reference, column.reference)]))
  }

  /// The closure from the rows of a scan: their keys, unless there is one row only, and those of what they reach.
  private func recursion(
    _ walk: ClosurePattern, from source: ScanPlan, isOne: Bool
  ) -> RecursivePlan {
    let id = commons.next()
    let (start, startKey) = fresh(source, walk.key)
    func outputs(_ origin: PlanColumn, _ node: PlanColumn) -> [ProjectedColumn] {
      if isOne { return [ProjectedColumn(node, node.reference)] }
      let first = origin == node ? factory.make(origin.name, origin.type) : origin
      return [ProjectedColumn(first, origin.reference), ProjectedColumn(node, node.reference)]
    }
    var anchor = LogicalPlan.project(.scan(start), outputs(startKey, startKey))
    if walk.minimum == 1 {
      let (edges, from, to) = edges(walk)
      anchor = .project(
        .join(
          JoinPlan(
            .inner, .scan(start), .scan(edges),
            on: [.comparison(.equal, from.reference, startKey.reference)])), outputs(startKey, to))
    }
    let origin = factory.make("origin", walk.key.type)
    let node = factory.make("node", walk.key.type)
    let (edges, from, to) = edges(walk)
    let step = LogicalPlan.project(
      .join(
        JoinPlan(
          .inner, .workingTable(id: id, columns: isOne ? [node] : [origin, node]), .scan(edges),
          on: [.comparison(.equal, from.reference, node.reference)])), outputs(origin, to))
    let columns = (isOne ? [node] : [origin, node]).map { factory.make($0.name, $0.type) }
    return RecursivePlan(id: id, anchor: anchor, step: step, isAll: false, columns: columns)
  }

  private func edges(
    _ walk: ClosurePattern
  ) -> (scan: ScanPlan, from: PlanColumn, to: PlanColumn) {
    let from = factory.make("source", walk.key.type)
    let to = factory.make("destination", walk.key.type)
    let columns = [
      ScanPlan.Column(from, index: walk.from), ScanPlan.Column(to, index: walk.to),
    ]
    // Edges whose far end is NULL lead nowhere.
    let filters: [BoundExpression] =
      walk.edges.columns[walk.to].isNotNull ? [] : [.isNull(to.reference, negated: true)]
    return (
      ScanPlan(
        table: walk.edges, alias: walk.edges.name.name, columns: columns, filters: filters), from,
      to
    )
  }

  /// The same rows under other columns, with the key's.
  private func fresh(
    _ scan: ScanPlan, _ key: (index: Int, type: LogicalType)
  ) -> (ScanPlan, PlanColumn) {
    var copy = scan
    var renamed: ColumnMap<BoundExpression> = [:]
    for index in copy.columns.indices {
      let column = copy.columns[index].column
      copy.columns[index].column = factory.make(column.name, column.type)
      renamed[column.id] = copy.columns[index].column.reference
    }
    copy.filters = scan.filters.map { $0.replacing(renamed) }
    if let known = copy.columns.first(where: { $0.index == key.index })?.column {
      return (copy, known)
    }
    let own = factory.make(scan.table.columns[key.index].name, key.type)
    copy.columns.append(ScanPlan.Column(own, index: key.index))
    return (copy, own)
  }
}

/// A path that is a closure.
private struct ClosurePattern {
  var edges: TableDefinition
  /// Columns of the edges' table: where an edge starts and where it leads.
  var from: Int
  var to: Int
  /// The column of the vertices' table that both refer to.
  var key: (index: Int, type: LogicalType)
  /// 0 or 1.
  var minimum: Int

  init?(_ path: PathPlan) {
    let pattern = path.pattern
    guard path.outputs.isEmpty, pattern.mode == .walk,
      pattern.selector == .any(1) || pattern.selector == .shortest(1),
      pattern.segments.count == 1, let segment = pattern.segments.first, segment.maximum == nil,
      segment.minimum <= 1, segment.hops.count == 1, !segment.remembers, segment.hops[0].count == 1,
      segment.sites.joined().allSatisfy({ $0.condition == nil })
    else { return nil }
    let hop = segment.hops[0][0]
    guard case .junction(let source, let destination) = hop.access, hop.condition == nil,
      !hop.skipsLoops, hop.from == hop.to, pattern.startTable == hop.from,
      pattern.endTable == hop.to,
      segment.sites.allSatisfy({ $0.contains { $0.table == hop.from } })
    else { return nil }
    edges = pattern.edges[hop.edge]
    let (first, second) = (edges.foreignKeys[source], edges.foreignKeys[destination])
    guard first.columns.count == 1, second.columns.count == 1,
      first.parentColumns == second.parentColumns, let index = first.parentColumns.first
    else { return nil }
    let type = pattern.vertices[hop.from].columns[index].type
    guard edges.columns[first.columns[0]].type == type,
      edges.columns[second.columns[0]].type == type, type.equalsOnlyItself
    else { return nil }
    from = first.columns[0]
    to = second.columns[0]
    key = (index, type)
    minimum = segment.minimum
  }
}

extension LogicalPlan {
  /// The columns that expressions of the plan use, its own and those below.
  ///
  /// What only conditions on the ends of a path use is not among them: these stay where they are.
  fileprivate func collectUsed(into used: inout ColumnSet) {
    if case .path(let path) = self {
      for side in [path.input, path.target] {
        if case .scan = side { continue }
        side.collectUsed(into: &used)
      }
      return
    }
    for expression in expressions { expression.collectColumns(into: &used) }
    if case .project(_, let columns) = self {
      for column in columns { column.expression.collectColumns(into: &used) }
    }
    if case .distinct(let input, on: nil) = self { used.formUnion(input.outputIDs) }
    if case .setOperation(let plan) = self {
      used.formUnion(plan.left.outputIDs.union(plan.right.outputIDs))
    }
    for input in inputs { input.collectUsed(into: &used) }
  }
}
