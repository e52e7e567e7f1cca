import Catalog
import Planning
import SQLSyntax
import Storage

/// Puts a set of rows where one path was to be looked for to each: where nothing is wanted of a path but its end, and all
/// of them begin at one row.
extension PhysicalPlanner {
  /// The ends of the paths that a plan looks for, as a walk; nil if more is read of them than `used` of their ends, or
  /// they are no walk.
  func endsOfPaths(_ plan: PhysicalPlan, _ used: ColumnSet) -> PhysicalPlan? {
    guard case .pathSearch(let search) = plan.node, search.wantsEndsOnly,
      search.target.outputs.ids.isSuperset(of: used),
      case .keyLookup(let start) = search.input.node, start.keys.count == 1, start.filters.isEmpty,
      case .scan(let scan) = search.target.node, scan.filters.allSatisfy(\.isSettled),
      let segment = search.pattern.segments.first, let steps = steps(segment, search.pattern),
      let first = steps.first,
      first.edgeTable.foreignKeys[first.from].parentColumns == start.keyColumns
    else { return nil }
    let read = used.union(scan.filters.columns)
    let columns = scan.columns.filter { read.contains($0.column.id) }
    guard columns.allSatisfy({ $0.index >= 0 }) else { return nil }
    let walk = Walk(
      start: .keys(start.keys), steps: steps, columns: columns,
      rounds: Walk.Rounds(minimum: segment.minimum, maximum: segment.maximum))
    let walked = PhysicalPlan(
      .walk(walk), outputs: columns.map(\.column), estimatedRows: plan.estimatedRows)
    if scan.filters.isEmpty { return walked }
    return PhysicalPlan(
      .filter(walked, scan.filters), outputs: walked.outputs, estimatedRows: plan.estimatedRows)
  }

  /// The hops of one time of a segment, if each has one way to go, without conditions, and they lead back to the table
  /// that they start from.
  private func steps(
    _ segment: PathSegment, _ pattern: PathSearchPattern
  ) -> [AdjacencyStep]? {
    var table = pattern.startTable
    var steps: [AdjacencyStep] = []
    for (index, ways) in segment.hops.enumerated() {
      guard ways.count == 1, ways[0].from == table, ways[0].condition == nil, !ways[0].skipsLoops,
        segment.sites[index].admits(table), segment.sites[index + 1].admits(ways[0].to),
        let step = step(ways[0], pattern)
      else { return nil }
      steps.append(step)
      table = ways[0].to
    }
    return table == pattern.startTable && table == pattern.endTable ? steps : nil
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

extension [VertexRule] {
  /// Whether a vertex may be any row of a table.
  fileprivate func admits(_ table: Int) -> Bool {
    contains { $0.table == table && $0.condition == nil }
  }
}

extension PathSearch {
  /// Whether one path to each end is as good as any other, and nothing is read of it.
  fileprivate var wantsEndsOnly: Bool {
    guard pattern.mode == .walk, pattern.segments.count == 1, outputs.isEmpty, links.isEmpty,
      conditions.isEmpty, !pattern.segments[0].remembers
    else { return false }
    switch pattern.selector {
    case .any(1), .shortest(1): return true
    case .all, .any, .allShortest, .shortest, .shortestGroups: return false
    }
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
