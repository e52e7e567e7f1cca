import Catalog
import Planning
import SQLSyntax
import Storage

/// Puts a set of rows where one path was to be looked for to each: where nothing is wanted of a path but its end and its
/// length, and all of them begin at one row.
extension PhysicalPlanner {
  /// The ends of the paths that a plan looks for, as a walk or a closure; nil if more is read of them than `used` of their
  /// ends and lengths, or they are neither.
  ///
  /// With `isRepeatable` it does not matter how many paths lead to an end, so all of them may be looked for.
  func endsOfPaths(
    _ plan: PhysicalPlan, _ used: ColumnSet, isRepeatable: Bool = false
  ) -> PhysicalPlan? {
    if case .filter(let input, let conditions) = plan.node, conditions.allSatisfy(\.isSettled) {
      let read = used.union(conditions.columns)
      guard let ends = endsOfPaths(input, read, isRepeatable: isRepeatable) else { return nil }
      return filtered(ends, conditions)
        ?? PhysicalPlan(
          .filter(ends, conditions), outputs: ends.outputs, estimatedRows: plan.estimatedRows)
    }
    guard case .pathSearch(let search) = plan.node, search.givesEnds(isRepeatable: isRepeatable),
      case .keyLookup(let start) = search.input.node, start.keys.count == 1,
      case .scan(let scan) = search.target.node, scan.filters.allSatisfy(\.isSettled),
      let segment = search.pattern.segments.first, segment.maximum != 0
    else { return nil }
    let read = used.union(scan.filters.columns)
    let columns = scan.columns.filter { read.contains($0.column.id) }
    let lengths = search.outputs.map(\.column).filter { used.contains($0.id) }
    let known = ColumnSet(columns.map(\.column.id) + lengths.map(\.id))
    guard columns.allSatisfy({ $0.index >= 0 }), lengths.count <= 1, used.isSubset(of: known),
      let route = route(segment, search),
      let first = route.steps.first,
      first.edgeTable.foreignKeys[first.from].parentColumns == start.keyColumns
    else { return nil }
    let ends = PathEnds(
      start: start, scan: scan, columns: columns, filters: scan.filters,
      length: lengths.first, segment: segment, route: route)
    let rows = plan.estimatedRows
    if let closure = closure(ends, search, rows) { return closure }
    guard route.edgeConditions.allSatisfy(\.filters.isEmpty), let begin = search.start(start) else {
      return nil
    }
    let walk = Walk(
      start: begin, steps: route.steps, columns: columns,
      rounds: Walk.Rounds(
        minimum: segment.minimum, maximum: segment.maximum, entry: route.entry,
        length: lengths.first), filters: scan.filters)
    return PhysicalPlan(
      .walk(walk), outputs: columns.map(\.column) + lengths, estimatedRows: rows)
  }

  /// Rows of which it does not matter how often each comes, with the ends of paths in place of those that are looked for below a
  /// projection.
  func endsOfAllPaths(_ plan: PhysicalPlan, _ used: ColumnSet) -> PhysicalPlan? {
    guard case .project(let input, let list) = plan.node else {
      return endsOfPaths(plan, used, isRepeatable: true)
    }
    guard list.allSatisfy(\.isSettled),
      let ends = endsOfPaths(input, list.columns, isRepeatable: true)
    else { return nil }
    return PhysicalPlan(
      .project(ends, list), outputs: plan.outputs, estimatedRows: plan.estimatedRows)
  }

  /// The different rows of a plan that looks for paths, of which the key of their ends is among the columns.
  func differentEnds(_ plan: PhysicalPlan) -> PhysicalPlan? {
    guard case .project(let input, let list) = plan.node, let target = input.target,
      target.columns.hasKey(of: target.table, among: list.compactMap(\.asColumn))
    else { return nil }
    return endsOfAllPaths(plan, list.columns)
  }

  /// The hops of one time of a segment, if each has one way to go, with conditions on single edges and vertices, and they lead back
  /// to the table that they start from.
  private func route(_ segment: PathSegment, _ search: PathSearch) -> PathRoute? {
    let pattern = search.pattern
    var table = pattern.startTable
    guard let entry = search.condition(on: segment.sites[0], of: table) else { return nil }
    var route = PathRoute(entry: entry)
    for (index, ways) in segment.hops.enumerated() {
      guard ways.count == 1, let hop = ways.first, hop.from == table, !hop.skipsLoops,
        let arrival = search.condition(on: segment.sites[index + 1], of: hop.to),
        let onEdges = search.condition(hop.condition), let step = step(hop, pattern)
      else { return nil }
      route.add(step, arrival, onEdges)
      table = hop.to
    }
    return table == pattern.startTable && table == pattern.endTable ? route : nil
  }

  private func step(_ hop: PathHop, _ pattern: PathSearchPattern) -> AdjacencyStep? {
    let table = pattern.edges[hop.edge]
    func isWalkable(_ key: Int) -> Bool {
      let foreign = table.foreignKeys[key]
      return self.isWalkable(foreign, of: table)
        && foreign.columns.allSatisfy { table.columns[$0].isNotNull }
    }
    switch hop.access {
    case .junction(let from, let to):
      guard isWalkable(from), isWalkable(to), table.hasJunction(from: from, to: to)
      else { return nil }
      let neighbour = pattern.vertices[hop.to]
      return AdjacencyStep(
        edgeTable: table, edgeAlias: table.name.name, from: from,
        parentTable: pattern.vertices[hop.from], to: to, edgeColumns: [],
        neighbourTable: neighbour, neighbourAlias: neighbour.name.name, neighbourColumns: [])
    case .toChildren(let key):
      guard self.isWalkable(table.foreignKeys[key], of: table) else { return nil }
      return AdjacencyStep(
        edgeTable: table, edgeAlias: table.name.name, from: key,
        parentTable: pattern.vertices[hop.from], edgeColumns: [])
    case .toParent, .link: return nil
    }
  }
}

/// What paths from one row lead to, and what is asked of them.
struct PathEnds {
  var start: KeyLookup
  /// The rows where paths may end, with what is read of them and the conditions on them.
  var scan: TableScan
  var columns: [ScanPlan.Column]
  var filters: [BoundExpression]
  /// The column of the number of edges.
  var length: PlanColumn?
  var segment: PathSegment
  var route: PathRoute
}

/// The steps of one time of a segment, and what edges and vertices must meet.
struct PathRoute {
  /// On the vertex before the first edge.
  var entry: RowCondition
  /// Each has the conditions on the vertices where it arrives.
  var steps: [AdjacencyStep] = []
  /// On the edges of each step, but for those that are as well on their ends.
  var edgeConditions: [RowCondition] = []

  /// Adds a step; a condition on the columns by which an edge refers to its ends is one on their keys.
  fileprivate mutating func add(
    _ step: AdjacencyStep, _ arrival: RowCondition, _ onEdges: RowCondition
  ) {
    var step = step
    step.add(arrival)
    var rest = RowCondition()
    for part in onEdges.parts {
      if let to = step.to, let ofEnd = step.edgeTable.foreignKeys[to].onParent(part, arrival: step)
      {
        step.add(ofEnd)
      } else if let source = step.parentTable,
        let ofStart = part.repeated(
          step.edgeTable.foreignKeys[step.from].parentPlaces, in: source)
      {
        if steps.isEmpty { entry.add(ofStart) } else { steps[steps.count - 1].add(ofStart) }
      } else {
        rest.add(part)
      }
    }
    steps.append(step)
    edgeConditions.append(rest)
  }
}

extension ForeignKeyConstraint {
  /// The parent's column that each column of the key refers to.
  fileprivate var parentPlaces: [Int: Int] {
    Dictionary(zip(columns, parentColumns), uniquingKeysWith: { first, _ in first })
  }

  /// A condition on edges as one on the parents that they refer to.
  fileprivate func onParent(_ condition: RowCondition, arrival: AdjacencyStep) -> RowCondition? {
    arrival.neighbourTable.flatMap { condition.repeated(parentPlaces, in: $0) }
  }
}

extension AdjacencyStep {
  /// Adds a condition on the rows where the step arrives.
  fileprivate mutating func add(_ condition: RowCondition) {
    if to == nil { edgeColumns += condition.columns } else { neighbourColumns += condition.columns }
    filters += condition.filters
  }
}

extension PathSearch {
  /// Where a walk starts that begins at a row looked up; nil where more is asked of a row whose key has several columns.
  fileprivate func start(_ lookup: KeyLookup) -> Walk.Start? {
    if lookup.filters.isEmpty { return .keys(lookup.keys) }
    guard lookup.keyColumns.count == 1 else { return nil }
    // Nobody reads the position of the row any more, so the key goes by its name.
    let type = lookup.table.columns[lookup.keyColumns[0]].type
    let key = PlanColumn(start, lookup.table.columns[lookup.keyColumns[0]].name, type)
    var keyed = lookup
    keyed.columns.removeAll { $0.column.id == start }
    keyed.columns.append(ScanPlan.Column(key, index: lookup.keyColumns[0]))
    let plan = PhysicalPlan(
      .keyLookup(keyed), outputs: keyed.columns.map(\.column), estimatedRows: input.estimatedRows)
    return .plan(plan, [key.reference])
  }

  /// The conditions on a vertex that must be of a table; nil if it may not be, or they are on more than the vertex.
  fileprivate func condition(on site: [VertexRule], of table: Int) -> RowCondition? {
    site.first { $0.table == table }.flatMap { condition($0.condition) }
  }

  /// An entry of `conditions` as conditions on each row; nil where it is more.
  fileprivate func condition(_ index: Int?) -> RowCondition? {
    guard let index else { return RowCondition() }
    return conditions[index].rowCondition
  }

  /// Whether one path to each end is as good as any other, and nothing is read of it but its length; with `isRepeatable` there may be
  /// more of them.
  fileprivate func givesEnds(isRepeatable: Bool) -> Bool {
    guard pattern.segments.count == 1, pattern.parts.isEmpty, links.isEmpty,
      !pattern.segments[0].remembers,
      outputs.allSatisfy({ if case .length(0..<1) = $0.kind { true } else { false } })
    else { return false }
    // A shortest way to a row passes none twice but the row where it begins.
    switch pattern.mode {
    case .walk: break
    case .trail, .simple:
      if pattern.segments[0].minimum > 1 || pattern.segments[0].hops.count > 1 { return false }
    case .acyclic: return false
    }
    switch pattern.selector {
    case .any(1), .shortest(1): return true
    case .allShortest: return isRepeatable
    case .all, .any, .shortest, .shortestGroups: return isRepeatable && outputs.isEmpty
    // What edges cost is looked at in any case, as it may be an error.
    case .allCheapest, .cheapest: return false
    }
  }
}

extension PhysicalPlan {
  /// The table in which the paths end that the plan looks for.
  fileprivate var target: TableScan? {
    if case .filter(let input, _) = node { return input.target }
    guard case .pathSearch(let search) = node, case .scan(let scan) = search.target.node else {
      return nil
    }
    return scan
  }

  /// The conditions of a plan that gives the positions of a table's rows, if each row is asked by itself.
  fileprivate var rowCondition: RowCondition? {
    if case .project(let input, let list) = node, list.allSatisfy({ $0.asColumn != nil }) {
      return input.rowCondition
    }
    var condition: RowCondition
    if case .filter(let input, let filters) = node, let below = input.rowCondition {
      condition = below
      condition.filters += filters
    } else if case .scan(let scan) = node {
      condition = RowCondition(columns: scan.columns, filters: scan.filters)
    } else {
      return nil
    }
    let used = condition.filters.columns
    if case .scan(let scan) = node {
      condition.columns = scan.columns.filter { $0.index >= 0 }
    }
    let own = ColumnSet(condition.columns.map(\.column.id))
    guard used.isSubset(of: own), condition.filters.allSatisfy(\.isSettled) else { return nil }
    return condition
  }
}

extension BoundExpression {
  /// Whether the expression can be looked at for other rows, or more often, without a difference.
  fileprivate var isSettled: Bool { !isVolatile && !callsSession }
}

extension Walk.Rounds {
  /// The numbers of rounds as a quantifier.
  var summary: String { "{\(minimum),\(maximum.map { "\($0)" } ?? "")}" }
}
