import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Repeated parts with conditions on elements that are further apart than an edge and its ends.
///
/// An automaton forgets what came before the vertex it is at, and so cannot look at such a condition while it walks. All
/// that one time of the part can be is therefore computed beforehand, as rows of a join: a search takes one of these
/// rows, a round, with the first edge, and its other edges as they come.
extension PathBuilder {
  private typealias Way = (edge: Int, isReversed: Bool)

  /// - Throws: 0A000 for a condition that reaches beyond the part, 54001 for too many combinations of tables.
  mutating func segmentOfRounds(
    _ repetition: PathShape.Repetition
  ) throws(SQLError) -> PathSegment {
    var hops: [[PathHop]] = Array(repeating: [], count: repetition.edges.count)
    for ways in try combinations(of: repetition) {
      let number = links.count
      links.append(try rounds(repetition, ways))
      for (edge, way) in ways.enumerated() {
        guard let (from, to) = binding.ends(way.edge, isReversed: way.isReversed) else { continue }
        hops[edge].append(
          PathHop(
            access: .round(number, edge: edge, isReversed: false), edge: way.edge, from: from,
            to: to, condition: nil, skipsLoops: false))
      }
    }
    var sites: [[VertexRule]] = []
    for site in repetition.sites { sites.append(try rules(for: site.withoutFilters, [])) }
    return PathSegment(
      minimum: repetition.quantifier.minimum, maximum: repetition.quantifier.maximum, hops: hops,
      sites: sites)
  }

  /// Every way to choose tables and directions for the edges of a part so that their ends fit.
  private func combinations(
    of repetition: PathShape.Repetition
  ) throws(SQLError) -> [[Way]] {
    var found: [(ways: [Way], end: Int)] = []
    for start in try binding.candidates(for: repetition.sites[0], isEdge: false) {
      found.append(([], start))
    }
    for (index, edge) in repetition.edges.enumerated() {
      let ways = try binding.ways(edge.element, edge.direction)
      let ends = Set(try binding.candidates(for: repetition.sites[index + 1], isEdge: false))
      var longer: [(ways: [Way], end: Int)] = []
      for known in found {
        for way in ways {
          guard let (from, to) = binding.ends(way.edge, isReversed: way.isReversed),
            from == known.end, ends.contains(to)
          else { continue }
          longer.append((known.ways + [way], to))
        }
      }
      found = longer
      if found.count > GraphBinding.assignmentLimit { throw GraphBinding.tooManyAssignments() }
    }
    return found.map(\.ways)
  }

  /// All rounds along edges of certain tables: the positions of the first vertex, and of each edge with the vertex that
  /// it leads to.
  private func rounds(
    _ repetition: PathShape.Repetition, _ ways: [Way]
  ) throws(SQLError) -> LogicalPlan {
    guard let first = ways.first, let start = binding.ends(first.edge, isReversed: first.isReversed)
    else { throw SQLError.internal("a round without edges") }
    var vertices = [(table: start.from, scan: try binding.scan(of: graph.vertices[start.from]))]
    var edges: [(table: Int, scan: GraphBinding.PositionedScan)] = []
    var plan = LogicalPlan.scan(vertices[0].scan.scan)
    var positions = [vertices[0].scan.position]
    var conditions: [BoundExpression] = []
    for (index, way) in ways.enumerated() {
      let element = graph.edges[way.edge]
      guard let ends = element.ends, let to = binding.ends(way.edge, isReversed: way.isReversed)?.to
      else { throw SQLError.internal("an edge without ends") }
      let left = vertices[index].scan
      let edge = try binding.scan(of: element)
      let right = try binding.scan(of: graph.vertices[to])
      plan = .join(JoinPlan(.inner, plan, .scan(edge.scan), on: []))
      plan = .join(JoinPlan(.inner, plan, .scan(right.scan), on: []))
      let (source, destination) = way.isReversed ? (right, left) : (left, right)
      conditions += try binding.conditions(holding: edge, at: ends.source, source)
      conditions += try binding.conditions(holding: edge, at: ends.destination, destination)
      // Walked either way, an edge from a vertex to itself would be found twice.
      if repetition.edges[index].direction == .either, way.isReversed,
        vertices[index].table == to
      {
        conditions.append(
          .comparison(.notEqual, left.position.reference, right.position.reference))
      }
      edges.append((way.edge, edge))
      vertices.append((to, right))
      positions += [edge.position, right.position]
    }
    for (range, mode) in repetition.modes {
      conditions += binding.conditions(
        mode, vertices: Array(vertices[range.lowerBound...range.upperBound]),
        edges: Array(edges[range]))
    }
    var named: [NamedRows] = []
    for (site, vertex) in zip(repetition.sites, vertices) {
      named.append((site, graph.vertices[vertex.table], vertex.scan.columns, false))
    }
    for (edge, scan) in zip(repetition.edges, edges) {
      named.append(([edge.element], graph.edges[scan.table], scan.scan.columns, true))
    }
    let own = repetition.sites.joined().compactMap(\.filter)
    let filters = own + repetition.edges.compactMap(\.element.filter) + repetition.filters
    conditions += try bound(filters, in: try scope(named))
    return .project(
      .filter(plan, conditions), positions.map { ProjectedColumn($0, $0.reference) })
  }
}
