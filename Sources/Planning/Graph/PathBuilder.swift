import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Builds the search for one path, or one repeated part of it, between vertices of two tables.
struct PathBuilder {
  let binding: GraphBinding
  let search: GraphBinding.Search
  var conditions: [LogicalPlan] = []
  private var links = EdgeLinks()
  var costs = PathCosts()
  var outputs: [PathOutput] = []
  var entries: [RangeEntry] = []
  /// The tables that the first and the last vertex may be of.
  private(set) var ends: Set<Int> = []
  /// Stand-ins for the columns of tables, for the values of elements.
  var scans: [String: (scan: ScanPlan, columns: [PlanColumn])] = [:]

  init(_ binding: GraphBinding, _ search: GraphBinding.Search) {
    self.binding = binding
    self.search = search
  }

  var graph: PropertyGraphDefinition { binding.graph }
  var session: BindingSession { binding.session }

  /// The search, whose inputs are yet to be put in, and the names of elements on the way.
  ///
  /// - Throws: 0A000 for conditions that reach beyond a repeated part, 54001 for too many combinations of tables.
  mutating func plan(
    from start: Int, to end: Int, _ names: GraphNames
  ) throws(SQLError) -> (PathPlan, [RangeEntry]) {
    // Not only those of this assignment: identities are of one type in all.
    ends = Set([search.left, search.right].flatMap { binding.vertices[$0].candidates })
    var segments: [PathSegment] = []
    var gates: [[VertexRule]] = []
    let shape = search.shape
    let marks = shape.marks
    for (index, link) in shape.links.enumerated() {
      switch link {
      case .edge(let element, let direction):
        segments.append(
          try segment(element, direction, from: shape.sites[index], to: shape.sites[index + 1]))
      case .repeated(let repetition): segments.append(try segment(repetition))
      }
      segments[index].mark = marks[index]
      if index + 1 < shape.links.count { gates.append(try rules(for: shape.sites[index + 1], [])) }
    }
    let tables = try graph.vertices.map(binding.table(of:))
    let pattern = PathSearchPattern(
      vertices: tables, edges: try graph.edges.map(binding.table(of:)), startTable: start,
      endTable: end,
      segments: segments, gates: gates, mode: search.prefix.mode,
      selector: search.prefix.selector, parts: try parts(of: shape))
    try addNames(names)
    let plan = PathPlan(
      input: .oneRow, start: ColumnID(0), target: .oneRow, end: ColumnID(0), pattern: pattern,
      conditions: conditions, links: links.plans, costs: try costs.plans(session),
      outputs: outputs)
    return (plan, entries)
  }

  /// The parts of a path that have a mode of their own.
  ///
  /// - Throws: 0A000 where what is around them could go on without end while paths are chosen.
  private func parts(of shape: PathShape) throws(SQLError) -> [ModeRange] {
    let parts = shape.parts.filter { $0.mode != .walk }
    guard let first = parts.first else { return [] }
    if search.prefix.mode == .walk, search.prefix.selector != .all {
      for (index, link) in shape.links.enumerated() {
        guard case .repeated(let repetition) = link, repetition.quantifier.maximum == nil,
          !parts.contains(where: { $0.links.contains(index) })
        else { continue }
        throw SQLError.unsupported(
          "an unbounded quantifier beside a part with a mode of its own", at: first.range
        )
        .hinted("Write the mode before the whole path, or a bound such as {1,5}.")
      }
    }
    return parts.map { ModeRange($0.links, $0.mode) }
  }

  // MARK: Segments

  private mutating func segment(
    _ element: ElementPattern, _ direction: EdgeDirection, from start: PathShape.Site,
    to end: PathShape.Site
  ) throws(SQLError) -> PathSegment {
    let anywhere = graph.vertices.indices.map { VertexRule(table: $0, condition: nil) }
    let hop = HopPattern(start: start, edge: element, direction: direction, end: end)
    return PathSegment(
      minimum: 1, maximum: 1, hops: [try hops(hop, try own(element, hop))],
      sites: [anywhere, anywhere])
  }

  private mutating func segment(
    _ repetition: PathShape.Repetition
  ) throws(SQLError) -> PathSegment {
    let filters = try sorted(repetition)
    var hops: [[PathHop]] = []
    for (index, hop) in repetition.hops.enumerated() {
      hops.append(try self.hops(hop, filters.hops[index]))
    }
    var sites: [[VertexRule]] = []
    for (index, site) in repetition.sites.enumerated() {
      sites.append(try rules(for: site.withoutFilters, filters.sites[index]))
    }
    return PathSegment(
      minimum: repetition.quantifier.minimum, maximum: repetition.quantifier.maximum, hops: hops,
      sites: sites,
      conditions: try roundConditions(filters.rounds, PathShape(repetition)),
      modes: repetition.modes.map { ModeRange($0.edges, $0.mode) })
  }

  private mutating func hops(
    _ hop: HopPattern, _ filters: HopFilters
  ) throws(SQLError) -> [PathHop] {
    var hops: [PathHop] = []
    for way in try binding.ways(hop.edge, hop.direction) {
      guard let (from, to) = binding.ends(way.edge, isReversed: way.isReversed) else { continue }
      // What an edge costs is known only of those that meet the conditions.
      let cost = try cost(of: hop, filters, way.edge, isReversed: way.isReversed)
      let condition =
        cost == nil
        ? try condition(on: hop, filters, way.edge, isReversed: way.isReversed) : nil
      hops.append(
        PathHop(
          access: try links.access(way.edge, isReversed: way.isReversed, in: binding),
          edge: way.edge, from: from,
          to: to, condition: condition,
          skipsLoops: hop.direction == .either && way.isReversed && from == to,
          cost: cost))
    }
    return hops
  }

  private mutating func rules(
    for site: PathShape.Site, _ filters: [Expression]
  ) throws(SQLError) -> [VertexRule] {
    var rules: [VertexRule] = []
    for candidate in try binding.candidates(for: site, isEdge: false) {
      rules.append(
        VertexRule(
          table: candidate,
          condition: try condition(
            on: graph.vertices[candidate], site, filters, isEdge: false)))
    }
    return rules
  }
}
