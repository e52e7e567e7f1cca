/// The same questions in SQL without graphs: joins for fixed patterns, recursion for one repeated part.
///
/// The views `v` and `e` are what a graph has.
struct SQLRoute {
  private let world: GraphWorld

  init(_ world: GraphWorld) { self.world = world }

  private func tables(_ labels: MatchPattern.Labels, isEdge: Bool) -> String {
    let all = isEdge ? world.graphEdges : world.graphVertices
    let own = all.filter {
      labels.fit(isEdge ? GraphWorld.edgeLabels($0) : GraphWorld.vertexLabels($0))
    }
    return own.isEmpty ? "('')" : "(\(own.map { "'\($0)'" }.joined(separator: ", ")))"
  }

  /// What an element must meet, under some alias.
  private func conditions(
    _ element: MatchPattern.Element, _ alias: String, isEdge: Bool
  ) -> [String] {
    var list: [String] = []
    if case .any = element.labels {
    } else {
      list.append("\(alias).t IN \(tables(element.labels, isEdge: isEdge))")
    }
    if let filter = element.filter { list.append(filter.text(alias)) }
    return list
  }

  /// An edge between two vertices, which either way may be walked either way.
  private func step(
    _ edge: MatchPattern.Edge, _ alias: String, from: String, to: String
  ) -> [String] {
    let forward = "\(alias).src = \(from) AND \(alias).dst = \(to)"
    let back = "\(alias).dst = \(from) AND \(alias).src = \(to)"
    let ends =
      switch edge.direction {
      case .right: forward
      case .left: back
      case .either: "(\(forward) OR \(back))"
      }
    return [ends] + conditions(edge.element, alias, isEdge: true)
  }

  // MARK: Fixed patterns

  /// What the mode of a part asks, whose elements have aliases by their places.
  private static func conditions(_ part: MatchPattern.Part, of path: Int) -> [String] {
    let isTrail = part.mode == .trail
    let (first, last) = (part.links.lowerBound, part.links.upperBound - (isTrail ? 1 : 0))
    if part.mode == .walk { return [] }
    var list: [String] = []
    for right in first...last {
      for left in first..<right where part.mode != .simple || left > first || right < last {
        let names = [left, right].map { isTrail ? "e\(path)_\($0).eid" : "v\(path)_\($0).vid" }
        list.append("\(names[0]) <> \(names[1])")
      }
    }
    return list
  }

  /// Joins for a pattern without repeated parts, modes and selectors; nil for others.
  func joins(_ pattern: MatchPattern) -> String? {
    var sources: [String] = []
    var conditions: [String] = []
    var names: [String: String] = [:]
    for (number, path) in pattern.paths.enumerated() {
      guard path.mode == .walk, case .all = path.selector,
        path.links.allSatisfy({ $0.quantifier == nil }), path.part?.variable == nil
      else { return nil }
      var aliases: [String] = []
      for (index, vertex) in path.vertices.enumerated() {
        let alias = "v\(number)_\(index)"
        sources.append("v \(alias)")
        aliases.append(alias)
        conditions += self.conditions(vertex, alias, isEdge: false)
        guard let name = vertex.name else { continue }
        if let known = names[name] { conditions.append("\(known).vid = \(alias).vid") }
        names[name] = alias
      }
      for (index, link) in path.links.enumerated() {
        let alias = "e\(number)_\(index)"
        sources.append("e \(alias)")
        conditions += step(
          link.edges[0], alias, from: "\(aliases[index]).vid", to: "\(aliases[index + 1]).vid")
        guard let name = link.edges[0].element.name else { continue }
        if let known = names[name] { conditions.append("\(known).eid = \(alias).eid") }
        names[name] = alias
      }
      if let part = path.part { conditions += Self.conditions(part, of: number) }
      if let own = path.condition, let left = names[own.left], let right = names[own.right] {
        conditions.append("\(left).\(own.property) \(own.comparison) \(right).\(own.property)")
      }
    }
    if let condition = pattern.condition {
      let left = names[condition.left] ?? "?"
      conditions.append("\(left).vid \(condition.comparison) \(names[condition.right] ?? "?").vid")
    }
    // Of each column the part before the point is a name.
    let columns = pattern.columns.compactMap { column -> String? in
      if column == "1" { return column }
      if column.contains("(") { return nil }
      let parts = column.split(separator: ".")
      return "\(names[String(parts[0])] ?? "?").\(parts[1])"
    }
    if columns.count < pattern.columns.count { return nil }
    let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    return
      "SELECT \(columns.joined(separator: ", ")) FROM \(sources.joined(separator: ", "))\(filter)"
  }

  // MARK: Repeated parts

  /// A recursion for a path of one repeated part whose paths have an end: ends, length and edges of each.
  ///
  /// It gives every path that the mode allows; what a selector takes of them is told by window functions.
  func recursion(_ path: MatchPattern.Path) -> String? {
    guard path.links.count == 1, let quantifier = path.links[0].quantifier, !path.selector.isFree,
      path.mode != .walk || quantifier.maximum != nil
    else { return nil }
    let link = path.links[0]
    let allowed: String
    switch path.mode {
    case .walk: allowed = "true"
    case .trail: allowed = Self.areDifferent("w.es || s.es")
    case .acyclic: allowed = Self.areDifferent("w.vs || s.vs")
    case .simple:
      allowed =
        "\(Self.areDifferent("(w.vs || s.vs)[2:]")) AND "
        + "NOT w.vs[1] = ANY ((w.vs || s.vs)[2:cardinality(w.vs || s.vs) - 1])"
    }
    let bound = quantifier.maximum.map { " AND w.n < \($0)" } ?? ""
    let ends =
      conditions(path.vertices[0], "a", isEdge: false)
      + conditions(path.vertices[1], "b", isEdge: false)
    let loop =
      path.vertices[0].name != nil && path.vertices[0].name == path.vertices[1].name
      ? ["w.a = w.b"] : []
    let conditions = ["w.n >= \(quantifier.minimum)"] + ends + loop
    let rank: String
    switch path.selector {
    case .allShortest: rank = "r = 1"
    case .groups(let count): rank = "r <= \(count)"
    default: rank = "true"
    }
    return """
      WITH RECURSIVE s AS (\(once(link))), w AS (
        SELECT vid AS a, vid AS b, 0 AS n, '{}'::int[] AS es, ARRAY[vid] AS vs FROM v
        UNION ALL SELECT w.a, s.b, w.n + 1, w.es || s.es, w.vs || s.vs FROM w JOIN s ON s.a = w.b
          WHERE \(allowed)\(bound))
      SELECT a, b, l, es FROM (SELECT w.a, w.b, cardinality(w.es) AS l, array_to_string(w.es, ',') AS es,
        dense_rank() OVER (PARTITION BY w.a, w.b ORDER BY cardinality(w.es)) AS r
        FROM w JOIN v a ON a.vid = w.a JOIN v b ON b.vid = w.b WHERE \(conditions.joined(separator: " AND "))) x
      WHERE \(rank)
      """
  }

  /// The least lengths between all ends, for walks without an end of one repeated part.
  func leastLengths(_ path: MatchPattern.Path) -> String? {
    guard path.links.count == 1, let quantifier = path.links[0].quantifier, path.mode == .walk,
      quantifier.maximum == nil
    else { return nil }
    // A shortest walk needs no vertex twice, beyond what the least number of times asks for.
    let bound = quantifier.minimum + world.graphVertexList.count
    let conditions =
      ["w.n >= \(quantifier.minimum)"] + self.conditions(path.vertices[0], "a", isEdge: false)
      + self.conditions(path.vertices[1], "b", isEdge: false)
    return """
      WITH RECURSIVE s AS (SELECT DISTINCT a, b FROM (\(once(path.links[0]))) x), w AS (
        SELECT vid AS a, vid AS b, 0 AS n FROM v
        UNION SELECT w.a, s.b, w.n + 1 FROM w JOIN s ON s.a = w.b WHERE w.n < \(bound))
      SELECT w.a, w.b, min(w.n) * \(path.links[0].edges.count) FROM w JOIN v a ON a.vid = w.a
        JOIN v b ON b.vid = w.b WHERE \(conditions.joined(separator: " AND ")) GROUP BY w.a, w.b
      """
  }

  private static func areDifferent(_ list: String) -> String {
    "(SELECT count(*) = count(DISTINCT x) FROM unnest(\(list)) AS u (x))"
  }

  /// One time of a repeated part: its ends, its edges, and the vertices behind the first.
  private func once(_ link: MatchPattern.Link) -> String {
    let count = link.edges.count
    var conditions: [String] = []
    for (index, edge) in link.edges.enumerated() {
      conditions += step(edge, "e\(index)", from: "v\(index).vid", to: "v\(index + 1).vid")
    }
    for (index, site) in link.sites.enumerated() {
      conditions += self.conditions(site, "v\(index)", isEdge: false)
    }
    let sources = (0...count).map { "v v\($0)" } + (0..<count).map { "e e\($0)" }
    let edges = (0..<count).map { "e\($0).eid" }.joined(separator: ", ")
    let vertices = (1...count).map { "v\($0).vid" }.joined(separator: ", ")
    return
      "SELECT v0.vid AS a, v\(count).vid AS b, ARRAY[\(edges)] AS es, ARRAY[\(vertices)] AS vs "
      + "FROM \(sources.joined(separator: ", ")) WHERE \(conditions.joined(separator: " AND "))"
  }
}
