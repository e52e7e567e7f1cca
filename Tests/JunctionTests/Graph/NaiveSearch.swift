/// Finds what a pattern matches by trying everything, as the definition of patterns has it.
struct NaiveSearch {
  /// A path with what its variables are bound to.
  struct Walked {
    /// Of each vertex passed the names that it has there.
    var vertices: [(id: Int, names: Set<String>)]
    var edges: [(id: Int, name: String?)] = []
    var singles: [String: Int] = [:]
    var groups: [String: [Int]] = [:]
    /// How many edges there were where each link began.
    var starts: [Int] = []
    /// What each edge costs.
    var costs: [Int] = []

    var cost: Int { costs.reduce(0, +) }
    /// What the path costs, then its length.
    var rank: Int { cost * 1000 + length }

    var length: Int { edges.count }
    var first: Int { vertices[0].id }
    var last: Int { vertices[vertices.count - 1].id }

    /// Two ways to match the same elements with the same variables in the same places are one.
    func signature(_ path: MatchPattern.Path) -> String {
      let part = path.part.flatMap { $0.variable == nil ? nil : self.range(of: $0) }
      return (part.map { "\($0) " } ?? "")
        + vertices.map { "\($0.id)\($0.names.sorted())" }.joined(separator: " ") + "/"
        + edges.map { "\($0.id)\($0.name ?? "")" }.joined(separator: " ")
    }

    /// The edges of a part, as far as it has been walked; nil before it.
    func range(of part: MatchPattern.Part) -> Range<Int>? {
      guard part.links.lowerBound < starts.count else { return nil }
      let end = part.links.upperBound < starts.count ? starts[part.links.upperBound] : length
      return starts[part.links.lowerBound]..<end
    }

    /// The edges of a part and the vertices that they pass.
    func part(_ part: MatchPattern.Part) -> Walked? {
      guard let range = range(of: part) else { return nil }
      return Walked(
        vertices: Array(vertices[range.lowerBound...range.upperBound]), edges: Array(edges[range]),
        costs: Array(costs[range]))
    }
  }

  /// The search takes more steps than a test has time for.
  struct TooLong: Error {}

  let vertices: [Int: WorldVertex]
  let edges: [WorldEdge]
  /// The values of edges, as far as they have one.
  private let values: [Int: Int]
  private var steps = 0
  private let stepLimit: Int

  init(_ world: GraphWorld, stepLimit: Int = 20_000) {
    vertices = Dictionary(uniqueKeysWithValues: world.graphVertexList.map { ($0.id, $0) })
    edges = world.graphEdgeList
    values = Dictionary(
      uniqueKeysWithValues: edges.compactMap { edge in edge.value.map { (edge.id, $0) } })
    self.stepLimit = stepLimit
  }

  func accepts(_ element: MatchPattern.Element, vertex id: Int) -> Bool {
    guard let vertex = vertices[id], element.labels.fit(vertex.labels) else { return false }
    guard let filter = element.filter else { return true }
    return filter.holds(filter.property == "vid" ? id : vertex.value)
  }

  func accepts(_ element: MatchPattern.Element, _ edge: WorldEdge) -> Bool {
    guard element.labels.fit(edge.labels) else { return false }
    guard let filter = element.filter else { return true }
    return filter.holds(filter.property == "eid" ? edge.id : edge.value)
  }

  /// The edges that a path can go on by, and where they lead.
  ///
  /// A loop walked either way is one edge.
  func neighbours(of vertex: Int, _ pattern: MatchPattern.Edge) -> [(edge: Int, vertex: Int)] {
    var found: [(edge: Int, vertex: Int)] = []
    for edge in edges where accepts(pattern.element, edge) {
      if pattern.direction != .left, edge.source == vertex {
        found.append((edge.id, edge.destination))
      }
      if pattern.direction != .right, edge.destination == vertex,
        pattern.direction == .left || edge.source != edge.destination
      {
        found.append((edge.id, edge.source))
      }
    }
    return found
  }

  // MARK: Paths

  /// All paths of a pattern with at most so many edges, whatever the selector.
  mutating func paths(of path: MatchPattern.Path, upTo limit: Int) throws -> [Walked] {
    var found: [Walked] = []
    steps = 0
    for id in vertices.keys.sorted() where accepts(path.vertices[0], vertex: id) {
      var walked = Walked(vertices: [(id, [])])
      guard bind(path.vertices[0], in: &walked) else { continue }
      try extend(walked, path, link: 0, limit, &found)
    }
    var seen: Set<String> = []
    return found.filter { walked in
      if let condition = path.condition, !holds(condition, walked) { return false }
      return seen.insert(walked.signature(path)).inserted
    }
  }

  /// Gives the last vertex a name; false if the name stands for another.
  private func bind(_ element: MatchPattern.Element, in walked: inout Walked) -> Bool {
    guard let name = element.name else { return true }
    if let known = walked.singles[name], known != walked.last { return false }
    walked.singles[name] = walked.last
    walked.vertices[walked.vertices.count - 1].names.insert(name)
    return true
  }

  private func holds(_ condition: MatchPattern.Condition, _ walked: Walked) -> Bool {
    func value(_ name: String) -> Int? {
      guard let id = walked.singles[name] else { return nil }
      return condition.property == "w" ? edges.first { $0.id == id }?.value : id
    }
    return compare(value(condition.left), condition.comparison, value(condition.right))
  }

  private func isAllowed(_ walked: Walked, _ path: MatchPattern.Path) -> Bool {
    if let part = path.part, part.links.contains(walked.starts.count - 1),
      let own = walked.part(part),
      !Self.isAllowed(own.vertices.map(\.id), own.edges.map(\.id), part.mode)
    {
      return false
    }
    return Self.isAllowed(walked.vertices.map(\.id), walked.edges.map(\.id), path.mode)
  }

  private static func isAllowed(
    _ ids: [Int], _ edges: [Int], _ mode: MatchPattern.Mode
  ) -> Bool {
    switch mode {
    case .walk: return true
    case .trail: return Set(edges).count == edges.count
    case .acyclic: return Set(ids).count == ids.count
    case .simple:
      let rest = ids.dropFirst()
      return Set(rest).count == rest.count && !rest.dropLast().contains(ids[0])
    }
  }

  /// The path with one edge more in every way.
  private mutating func steps(
    _ walked: Walked, _ edge: MatchPattern.Edge, _ path: MatchPattern.Path, _ limit: Int
  ) throws -> [Walked] {
    steps += 1
    if steps > stepLimit { throw TooLong() }
    if walked.length == limit { return [] }
    return neighbours(of: walked.last, edge).compactMap { (id, vertex) in
      var next = walked
      next.vertices.append((vertex, []))
      next.edges.append((id, edge.element.name))
      next.costs.append(edge.element.hasCost ? values[id] ?? 1 : 0)
      return isAllowed(next, path) ? next : nil
    }
  }

  private mutating func extend(
    _ walked: Walked, _ path: MatchPattern.Path, link index: Int, _ limit: Int,
    _ found: inout [Walked]
  ) throws {
    guard index < path.links.count else {
      found.append(walked)
      return
    }
    let link = path.links[index]
    let site = path.vertices[index + 1]
    var walked = walked
    walked.starts.append(walked.length)
    guard link.quantifier != nil else {
      for var next in try steps(walked, link.edges[0], path, limit) {
        if let name = link.edges[0].element.name {
          guard
            next.singles[name] ?? next.edges[next.length - 1].id == next.edges[next.length - 1].id
          else { continue }
          next.singles[name] = next.edges[next.length - 1].id
        }
        if accepts(site, vertex: next.last), bind(site, in: &next) {
          try extend(next, path, link: index + 1, limit, &found)
        }
      }
      return
    }
    var start = walked
    for element in link.sites + link.edges.map(\.element) {
      if let name = element.name { start.groups[name] = [] }
    }
    try repeatLink(start, path, index, count: 0, limit, &found)
  }

  /// Leaves a repeated part behind if it has come often enough, and lets it come again if it may.
  private mutating func repeatLink(
    _ walked: Walked, _ path: MatchPattern.Path, _ index: Int, count: Int, _ limit: Int,
    _ found: inout [Walked]
  ) throws {
    let link = path.links[index]
    guard let quantifier = link.quantifier else { return }
    if count >= quantifier.minimum {
      var done = walked
      if accepts(path.vertices[index + 1], vertex: done.last),
        bind(path.vertices[index + 1], in: &done)
      {
        try extend(done, path, link: index + 1, limit, &found)
      }
    }
    if let maximum = quantifier.maximum, count >= maximum { return }
    for next in try onceMore(walked, link, path, limit) {
      try repeatLink(next, path, index, count: count + 1, limit, &found)
    }
  }

  /// Whether the vertices and edges of one time of a repeated part meet what it says of them together.
  func meets(_ link: MatchPattern.Link, _ vertices: [Int], _ edges: [Int]) -> Bool {
    guard Self.isAllowed(vertices, edges, link.mode) else { return false }
    return link.conditions.allSatisfy { condition in
      func value(_ side: MatchPattern.PartCondition.Side) -> Int? {
        let id = side.isEdge ? edges[side.index] : vertices[side.index]
        if side.isEdge { return self.edges.first { $0.id == id }?.value }
        return side.property == "vid" ? id : self.vertices[id]?.value
      }
      return compare(value(condition.left), condition.comparison, value(condition.right))
    }
  }

  /// The path with a repeated part once more in every way.
  private mutating func onceMore(
    _ walked: Walked, _ link: MatchPattern.Link, _ path: MatchPattern.Path, _ limit: Int
  ) throws -> [Walked] {
    var current = [walked]
    if !link.sites.isEmpty { current = current.compactMap { passed($0, link.sites[0]) } }
    for (index, edge) in link.edges.enumerated() {
      var next: [Walked] = []
      for walked in current {
        for var step in try steps(walked, edge, path, limit) {
          if let name = edge.element.name {
            step.groups[name, default: []].append(step.edges[step.length - 1].id)
          }
          if link.sites.isEmpty {
            next.append(step)
          } else if let whole = passed(step, link.sites[index + 1]) {
            next.append(whole)
          }
        }
      }
      current = next
    }
    let count = link.edges.count
    return current.filter { walked in
      meets(
        link, walked.vertices.suffix(count + 1).map(\.id), walked.edges.suffix(count).map(\.id))
    }
  }

  /// The path if its last vertex is one of a repeated part, whose list it joins then.
  private func passed(_ walked: Walked, _ site: MatchPattern.Element) -> Walked? {
    guard accepts(site, vertex: walked.last) else { return nil }
    var next = walked
    if let name = site.name {
      next.groups[name, default: []].append(next.last)
      next.vertices[next.vertices.count - 1].names.insert(name)
    }
    return next
  }
}
