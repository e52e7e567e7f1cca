/// Makes patterns over the elements of a graph.
struct PatternGenerator {
  private let vertexLabels: [String]
  private let edgeLabels: [String]
  private let vertexTables: [Set<String>]
  private let edgeTables: [Set<String>]
  private let vertexIDs: [Int]
  private let edgeValues: [Int]
  private var names = 0
  private var knownVertices: [String] = []
  private var knownEdges: [String] = []

  init(_ world: GraphWorld) {
    vertexTables = world.graphVertices.map(GraphWorld.vertexLabels)
    edgeTables = world.graphEdges.map(GraphWorld.edgeLabels)
    vertexIDs = world.graphVertexList.map(\.id)
    vertexLabels = Set(world.graphVertices.flatMap(GraphWorld.vertexLabels)).sorted()
    edgeLabels = Set(world.graphEdges.flatMap(GraphWorld.edgeLabels)).sorted()
    edgeValues = world.graphEdgeList.map(\.id)
  }

  mutating func pattern(_ random: inout GraphRandom) -> MatchPattern {
    names = 0
    knownVertices = []
    knownEdges = []
    var paths = [path(isAlone: true, &random)]
    if !paths[0].selector.isFree, random.chance(25) {
      // Free paths stand alone, so that what is free can be told.
      for _ in 0..<(1 + random.below(2)) {
        paths.append(path(isAlone: false, &random))
      }
    }
    var pattern = MatchPattern(paths: paths)
    let ends = paths.flatMap { [$0.vertices[0].name, $0.vertices[$0.vertices.count - 1].name] }
      .compactMap { $0 }
    if ends.count > 1, random.chance(25) {
      pattern.condition = MatchPattern.Condition(
        left: random.pick(ends), comparison: random.pick(["<", ">", "<>"]), right: random.pick(ends)
      )
    }
    return pattern
  }

  /// One path of one repeated part, whose ends have names.
  mutating func repeatedPart(_ random: inout GraphRandom) -> MatchPattern {
    names = 0
    knownVertices = []
    knownEdges = []
    var path = path(isAlone: true, &random)
    path.links = [link(isRepeated: true, path, &random)]
    // Recursions go by length.
    if path.selector.goesByCost { path.selector = .allShortest }
    // Recursions are written with conditions on single elements.
    path.links[0].conditions = []
    path.links[0].mode = .walk
    path.part = nil
    path.condition = nil
    let ends = [path.vertices[0], path.vertices[path.vertices.count - 1]]
    path.vertices = ends.map { end in
      var named = end
      named.name = named.name ?? newName("v")
      return named
    }
    // A path of one vertex has one element for both ends.
    if random.chance(85) {
      let name = newName("v")
      if path.vertices[1].filter?.property == "val" { path.vertices[1].filter = nil }
      path.vertices[1].name = name
    } else {
      path.vertices[1].name = path.vertices[0].name
      path.vertices[1].labels = .any
      path.vertices[1].filter = nil
    }
    return MatchPattern(paths: [path])
  }

  private mutating func newName(_ prefix: String) -> String {
    names += 1
    return "\(prefix)\(names)"
  }

  // MARK: Elements

  private func labels(_ all: [String], _ random: inout GraphRandom) -> MatchPattern.Labels {
    switch random.below(10) {
    case 0...4: .any
    case 5...7: .one(of: [random.pick(all)])
    case 8: .one(of: Array(Set([random.pick(all), random.pick(all)])).sorted())
    default:
      random.chance(50) ? .not(random.pick(all)) : .both(random.pick(all), random.pick(all))
    }
  }

  private func hasValue(_ labels: MatchPattern.Labels) -> Bool {
    switch labels {
    case .any: true
    case .one(let names): names.contains { $0 != "r" }
    default: false
    }
  }

  private mutating func vertex(named chance: Int, _ random: inout GraphRandom)
    -> MatchPattern.Element
  {
    var element = MatchPattern.Element()
    element.labels = labels(vertexLabels, &random)
    // Without a table to take them from there are no properties.
    if !vertexTables.contains(where: element.labels.fit) { element.labels = .any }
    if random.chance(chance) { element.name = newName("v") }
    if random.chance(20) {
      element.name = element.name ?? newName("v")
      let isValue = hasValue(element.labels) && random.chance(50)
      element.filter = MatchPattern.Filter(
        property: isValue ? "val" : "vid", comparison: random.pick(["<", ">", "<>", "="]),
        value: isValue ? random.below(5) : random.pick(vertexIDs + [103]))
    }
    return element
  }

  private mutating func edge(named chance: Int, _ random: inout GraphRandom) -> MatchPattern.Edge {
    var element = MatchPattern.Element()
    element.labels = labels(edgeLabels, &random)
    if !edgeTables.contains(where: element.labels.fit) { element.labels = .any }
    if random.chance(chance) { element.name = newName("e") }
    if random.chance(15) {
      element.name = element.name ?? newName("e")
      let isValue = random.chance(60)
      element.filter = MatchPattern.Filter(
        property: isValue ? "w" : "eid", comparison: random.pick(["<", ">", "<>"]),
        value: isValue ? random.below(5) : random.pick(edgeValues + [2011]))
    }
    return MatchPattern.Edge(
      element: element, direction: random.pick([.right, .right, .left, .either]))
  }

  // MARK: Paths

  private mutating func path(isAlone: Bool, _ random: inout GraphRandom) -> MatchPattern.Path {
    var path = MatchPattern.Path(vertices: [], links: [])
    if random.chance(35) {
      path.mode = random.pick([.trail, .simple, .acyclic])
    }
    if random.chance(40) { path.selector = selector(isAlone: isAlone, &random) }
    if random.chance(30) { path.variable = newName("w") }
    var isFirstRepeated = true
    for _ in 0..<random.pick([0, 1, 1, 1, 1, 2, 2, 3]) {
      let isRepeated = random.chance(isFirstRepeated ? 60 : 25)
      path.links.append(link(isRepeated: isRepeated, path, &random))
      if isRepeated { isFirstRepeated = false }
    }
    if !path.links.isEmpty, random.chance(20) { addPart(to: &path, &random) }
    for index in 0...path.links.count {
      let isEnd = index == 0 || index == path.links.count
      var element = vertex(named: isEnd ? 70 : 40, &random)
      if isEnd, path.selector.isFree { element.name = element.name ?? newName("v") }
      if isEnd || !path.isSearched, !knownVertices.isEmpty, random.chance(isAlone ? 12 : 50) {
        // Labels that no table has together would leave no properties.
        element.labels = .any
        if element.filter?.property == "val" { element.filter = nil }
        element.name = random.pick(knownVertices)
      }
      path.vertices.append(element)
      if let name = element.name, isEnd || !path.isSearched { knownVertices.append(name) }
    }
    if !path.isSearched {
      for index in path.links.indices where path.links[index].quantifier == nil {
        if !knownEdges.isEmpty, path.links[index].sites.isEmpty, random.chance(8) {
          path.links[index].edges[0].element = MatchPattern.Element(name: random.pick(knownEdges))
        }
        knownEdges += path.links[index].edges.compactMap(\.element.name)
      }
    }
    if path.selector.goesByCost { addCosts(to: &path, &random) }
    // Without a bound the lengths to be tried are not known.
    let isBounded = path.links.allSatisfy { $0.quantifier.map { $0.maximum != nil } ?? true }
    if isBounded || path.mode != .walk, path.selector.isAll || path.part == nil, random.chance(30) {
      addInnerCondition(to: &path, &random)
    }
    return path
  }

  /// Lets most edges of a path cost something, and gives its walks an end.
  private mutating func addCosts(to path: inout MatchPattern.Path, _ random: inout GraphRandom) {
    for index in path.links.indices {
      for edge in path.links[index].edges.indices where index == 0 || random.chance(80) {
        let name = path.links[index].edges[edge].element.name
        path.links[index].edges[edge].element.name = name ?? newName("e")
        path.links[index].edges[edge].element.hasCost = true
      }
      if let quantifier = path.links[index].quantifier, quantifier.maximum == nil,
        path.mode == .walk
      {
        path.links[index].quantifier?.maximum = quantifier.minimum + 1 + random.below(2)
      }
    }
    if path.links.isEmpty { path.selector = .all }
  }

  private func selector(isAlone: Bool, _ random: inout GraphRandom) -> MatchPattern.Selector {
    switch random.below(isAlone ? 10 : 4) {
    case 0, 1: .allShortest
    case 2: .groups(1 + random.below(3))
    case 3: .allCheapest
    case 4: .any(1)
    case 5: .any(2 + random.below(2))
    case 6: .shortest(1)
    case 7: .cheapest(1)
    case 8: .cheapest(2 + random.below(2))
    default: .shortest(1 + random.below(3))
    }
  }

  private mutating func link(
    isRepeated: Bool, _ path: MatchPattern.Path, _ random: inout GraphRandom
  ) -> MatchPattern.Link {
    guard isRepeated else { return MatchPattern.Link(edges: [edge(named: 50, &random)]) }
    let minimum = random.pick([0, 0, 1, 1, 1, 2])
    var quantifier = MatchPattern.Quantifier(
      minimum: minimum, maximum: minimum + random.below(3))
    if quantifier.maximum == 0 { quantifier.maximum = 1 }
    if case .all = path.selector, path.mode == .walk {
    } else if random.chance(50) {
      quantifier.maximum = nil
    }
    if minimum == 0, quantifier.maximum == 1 { quantifier.isOptional = random.chance(50) }
    guard random.chance(35) else {
      return MatchPattern.Link(edges: [edge(named: 50, &random)], quantifier: quantifier)
    }
    let count = random.chance(70) ? 2 : 1
    var link = MatchPattern.Link(edges: [], quantifier: quantifier)
    for _ in 0..<count { link.edges.append(edge(named: 50, &random)) }
    for _ in 0...count { link.sites.append(vertex(named: 40, &random)) }
    for index in link.sites.indices where link.sites[index].filter != nil {
      link.sites[index].isFilterOutside = random.chance(40)
    }
    for index in link.edges.indices where link.edges[index].element.filter != nil {
      link.edges[index].element.isFilterOutside = random.chance(40)
    }
    if random.chance(40) { addCondition(to: &link, &random) }
    if random.chance(20) { link.mode = random.pick([.trail, .simple, .acyclic]) }
    return link
  }

  /// Adds a condition on two elements of a part, which get names for it: often an edge and the vertices at its ends.
  private mutating func addCondition(
    to link: inout MatchPattern.Link, _ random: inout GraphRandom
  ) {
    typealias Side = MatchPattern.PartCondition.Side
    let hop = random.below(link.edges.count)
    let comparison = random.pick(["<", ">", "<>", "="])
    var sides = [
      Side(isEdge: false, index: hop, property: "vid"),
      Side(isEdge: false, index: hop + 1, property: "vid"),
    ]
    if random.chance(40) {
      let site = random.chance(50) ? hop : hop + 1
      if hasValue(link.sites[site].labels) {
        sides = [
          Side(isEdge: true, index: hop, property: "w"),
          Side(isEdge: false, index: site, property: "val"),
        ]
      }
    } else if link.edges.count > 1, random.chance(60) {
      // Beyond one edge.
      sides =
        random.chance(50)
        ? [
          Side(isEdge: true, index: 0, property: "w"), Side(isEdge: true, index: 1, property: "w"),
        ]
        : [
          Side(isEdge: false, index: 0, property: "vid"),
          Side(isEdge: false, index: 2, property: "vid"),
        ]
    }
    if random.chance(50) { sides.swapAt(0, 1) }
    for side in sides {
      if side.isEdge {
        let name = link.edges[side.index].element.name
        link.edges[side.index].element.name = name ?? newName("e")
      } else {
        link.sites[side.index].name = link.sites[side.index].name ?? newName("v")
      }
    }
    link.conditions.append(
      MatchPattern.PartCondition(
        left: sides[0], comparison: comparison, right: sides[1],
        edge: random.chance(30) ? hop : nil))
  }

  /// Puts some links in parentheses, with a mode or a variable.
  private mutating func addPart(to path: inout MatchPattern.Path, _ random: inout GraphRandom) {
    let first = random.below(path.links.count)
    let count = 1 + random.below(path.links.count - first)
    var part = MatchPattern.Part(links: first..<(first + count))
    if random.chance(70) { part.mode = random.pick([.trail, .simple, .acyclic]) }
    if part.mode == .walk || random.chance(50) { part.variable = newName("q") }
    // What goes on without end beside a part with a mode could do so while paths are chosen.
    if part.mode != .walk, path.mode == .walk {
      for index in path.links.indices where !part.links.contains(index) {
        if let quantifier = path.links[index].quantifier, quantifier.maximum == nil {
          path.links[index].quantifier?.maximum = quantifier.minimum + 1
        }
      }
    }
    path.part = part
  }

  /// Adds a condition on single elements that counts before paths are chosen.
  private mutating func addInnerCondition(
    to path: inout MatchPattern.Path, _ random: inout GraphRandom
  ) {
    let named = path.links.filter { $0.quantifier == nil }.compactMap(\.edges[0].element.name)
    let edges = Array(Set(named)).sorted()
    let vertices = Array(Set(path.vertices.compactMap(\.name))).sorted()
    let isOfEdges = edges.count > 1 && random.chance(60)
    let names = isOfEdges ? edges : vertices
    guard names.count > 1 else { return }
    let left = random.pick(names)
    let right = random.pick(names.filter { $0 != left })
    // Where paths are chosen it may not be on what is before and what is behind a repeated part, but for the ends.
    let places = [left, right].map { name in
      path.links.firstIndex { $0.quantifier == nil && $0.edges[0].element.name == name }
        ?? path.vertices.firstIndex { $0.name == name } ?? 0
    }.sorted()
    let isOfEnds = !isOfEdges && places[0] == 0 && places[1] == path.links.count
    let between = path.links[places[0]..<(isOfEdges ? places[1] + 1 : places[1])]
    guard path.selector.isAll || isOfEnds || between.allSatisfy({ $0.quantifier == nil }) else {
      return
    }
    path.condition = MatchPattern.Condition(
      left: left, comparison: random.pick(["<", ">", "<>"]), right: right,
      property: isOfEdges ? "w" : "vid")
  }
}
