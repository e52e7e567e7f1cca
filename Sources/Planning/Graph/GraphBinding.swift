import Catalog
import Diagnostics
import SQLSyntax

/// The graph and the pattern of one GRAPH_TABLE while it is bound.
///
/// A vertex or edge that each match has once is a slot: it becomes a scan of one of its tables, and slots are joined. A
/// part that comes several times, and a path of which not all are wanted, is looked for by a `PathPlan` between two
/// slots.
final class GraphBinding {
  /// A vertex that each match has once.
  struct VertexSlot {
    var elements: [ElementPattern] = []
    /// Tables that it may be of, by index into the graph's vertices.
    var candidates: [Int] = []

    /// The name by which it is known, if it has one.
    var name: Identifier? { elements.lazy.compactMap(\.variable).first }
  }

  /// An edge that each match has once.
  struct EdgeSlot {
    var elements: [ElementPattern] = []
    var candidates: [Int] = []
    /// The vertices on both sides, as written; more than one where the edge comes in several places.
    var uses: [(left: Int, right: Int, direction: EdgeDirection)] = []

    var name: Identifier? { elements.lazy.compactMap(\.variable).first }
  }

  /// A part of a path that is looked for step by step.
  struct Search {
    var left: Int
    var right: Int
    /// The whole path, or the one repeated part of it.
    var shape: PathShape
    var prefix: PathPrefix
    /// The path's variable, where it is the whole path.
    var variable: Identifier?
    var range: SourceRange
  }

  /// A path, or a part of one, of which all edges are slots, with a variable or a mode.
  struct PlainPath {
    var variable: Identifier?
    var mode = PathPrefix.Mode.walk
    var vertices: [Int]
    var edges: [Int]
  }

  let session: BindingSession
  let graph: PropertyGraphDefinition
  /// The graph's name for messages; nil for the implied one.
  let graphName: String?
  /// What stands around GRAPH_TABLE.
  let outer: Scope
  var vertices: [VertexSlot] = []
  var edges: [EdgeSlot] = []
  var searches: [Search] = []
  var plainPaths: [PlainPath] = []
  /// Conditions on whole matches.
  var filters: [Expression] = []
  private var vertexNames: [String: Int] = [:]
  private var edgeNames: [String: Int] = [:]
  /// Names of elements within searches, and of paths, which stand in one place only.
  private var otherNames: Set<String> = []

  init(
    _ session: BindingSession, _ graph: PropertyGraphDefinition, named name: String?,
    in outer: Scope
  ) {
    self.session = session
    self.graph = graph
    graphName = name
    self.outer = outer
  }

  // MARK: Gathering

  /// Takes the paths of MATCH apart.
  ///
  /// - Throws: 42712, 42704, 42601, 54001, 0A000.
  func gather(_ paths: [PathPattern]) throws(SQLError) {
    var elementCount = 0
    var shapes: [PathShape] = []
    for path in paths {
      let shape = try PathShape(path.terms)
      elementCount += shape.edgeCount + 1
      if elementCount > Self.elementLimit {
        throw SQLError(
          .statementTooComplex, "a graph pattern can have at most \(Self.elementLimit) edges",
          at: path.range)
      }
      shapes.append(shape)
    }
    for (index, (path, shape)) in zip(paths, shapes).enumerated() {
      if let variable = path.variable { try add(otherName: variable) }
      for variable in shape.parts.compactMap(\.variable) { try add(otherName: variable) }
      let prefix = path.prefix ?? PathPrefix()
      try checkCosts(shape, prefix, path)
      if isWhole(shape, prefix, path), !shape.links.isEmpty {
        var others = shapes
        others.remove(at: index)
        try addSearch(shape, prefix, path, beside: others)
      } else {
        filters += shape.filters
        try addLinks(shape, path)
      }
    }
    for index in vertices.indices {
      vertices[index].candidates = try candidates(for: vertices[index].elements, isEdge: false)
    }
    for index in edges.indices {
      edges[index].candidates = try candidates(for: edges[index].elements, isEdge: true)
    }
    for search in searches { try checkLabels(of: search.shape) }
  }

  /// - Throws: 42601 where the cheapest paths are wanted and nothing costs anything, or the other way round.
  private func checkCosts(
    _ shape: PathShape, _ prefix: PathPrefix, _ path: PathPattern
  ) throws(SQLError) {
    if let cost = shape.costs.first, !prefix.selector.goesByCost {
      throw SQLError(
        .syntaxError, "COST needs a path of which the cheapest are wanted", at: cost.range,
        hint: "Write ANY CHEAPEST, ALL CHEAPEST or CHEAPEST k before the path.")
    }
    if shape.costs.isEmpty, prefix.selector.goesByCost {
      throw SQLError(
        .syntaxError, "a cheapest path needs an edge with a COST", at: path.range,
        hint: "Write what an edge costs within its brackets, as in -[e COST e.weight]->.")
    }
  }

  /// Whether a path is looked for in one piece.
  private func isWhole(_ shape: PathShape, _ prefix: PathPrefix, _ path: PathPattern) -> Bool {
    if prefix.mode != .walk || prefix.selector != .all { return true }
    if path.variable != nil, shape.links.contains(where: \.isRepeated) { return true }
    if shape.parts.isEmpty { return false }
    return !shape.ambiguousRanges.isEmpty
      || shape.parts.contains { shape.links[$0.links].contains(where: \.isRepeated) }
  }

  /// - Throws: 42704.
  private func checkLabels(of shape: PathShape) throws(SQLError) {
    for site in shape.sites { _ = try candidates(for: site, isEdge: false) }
    for link in shape.links {
      switch link {
      case .edge(let element, _): _ = try candidates(for: [element], isEdge: true)
      case .repeated(let repetition):
        for site in repetition.sites { _ = try candidates(for: site, isEdge: false) }
        for edge in repetition.edges { _ = try candidates(for: [edge.element], isEdge: true) }
      }
    }
  }

  /// Patterns of more edges are refused, a repeated variable counted each time: what binds and searches them recurses
  /// from one to the next.
  private static let elementLimit = 256

  private func addLinks(_ shape: PathShape, _ path: PathPattern) throws(SQLError) {
    // Links that can share edges in several ways are looked for as one, so that each path comes once.
    let together = shape.ambiguousRanges
    var left = try slot(of: shape.sites[0])
    var places = [left]
    var found: [Int: Int] = [:]
    var index = 0
    while index < shape.links.count {
      let range = together.first { $0.lowerBound == index } ?? index...index
      for inner in range.dropFirst() { try noteNames(of: shape.sites[inner]) }
      let right = try slot(of: shape.sites[range.upperBound + 1])
      if range.count == 1, case .edge(let element, let direction) = shape.links[index] {
        found[index] = try addEdge(element, left, right, direction)
      } else {
        try addSearch(shape, range, left, right, path)
      }
      places.append(right)
      left = right
      index = range.upperBound + 1
    }
    var named = shape.parts
    if let variable = path.variable {
      named.append(
        PathShape.Part(links: shape.links.indices, variable: variable, range: path.range))
    }
    for part in named {
      plainPaths.append(
        PlainPath(
          variable: part.variable, mode: part.mode,
          vertices: Array(places[part.links.lowerBound...part.links.upperBound]),
          edges: part.links.compactMap { found[$0] }))
    }
  }

  /// A search for a part of a path of which all walks are wanted.
  private func addSearch(
    _ shape: PathShape, _ range: ClosedRange<Int>, _ left: Int, _ right: Int, _ path: PathPattern
  ) throws(SQLError) {
    var part = shape
    part.links = Array(shape.links[range])
    // Parts of single edges are those of slots; any others would make the path a search as a whole.
    part.parts = []
    // The ends are vertices of their own.
    part.sites = [[]] + shape.sites[range].dropFirst() + [[]]
    var place = path.range
    for link in part.links {
      switch link {
      case .edge(let element, _): try noteNames(of: [element])
      case .repeated(let repetition):
        try checkEnds(repetition, path.prefix ?? PathPrefix())
        try noteNames(of: repetition)
        place = repetition.range
      }
    }
    searches.append(
      Search(
        left: left, right: right, shape: part, prefix: PathPrefix(), variable: nil, range: place))
  }

  /// A search for a whole path.
  private func addSearch(
    _ shape: PathShape, _ prefix: PathPrefix, _ path: PathPattern, beside others: [PathShape]
  ) throws(SQLError) {
    for site in shape.sites.dropFirst().dropLast() { try noteNames(of: site) }
    for (index, link) in shape.links.enumerated() {
      switch link {
      case .edge(let element, _): try noteNames(of: [element])
      case .repeated(let repetition):
        try checkEnds(
          repetition, prefix, parts: shape.parts.filter { $0.links.contains(index) })
        try noteNames(of: repetition)
      }
    }
    let shape = try settled(shape, prefix, beside: others)
    let left = try slot(of: shape.sites[0])
    let right = try slot(of: shape.sites[shape.sites.count - 1])
    searches.append(
      Search(
        left: left, right: right, shape: shape, prefix: prefix, variable: path.variable,
        range: path.range))
  }

  /// - Throws: 42601 for a part that may come without end where nothing bounds the paths.
  private func checkEnds(
    _ repetition: PathShape.Repetition, _ prefix: PathPrefix, parts: [PathShape.Part] = []
  ) throws(SQLError) {
    guard repetition.quantifier.maximum == nil, prefix.mode == .walk, prefix.selector == .all,
      parts.allSatisfy({ $0.mode == .walk })
    else { return }
    throw SQLError(
      .syntaxError, "an unbounded quantifier needs a path that ends",
      at: repetition.quantifier.range,
      hint: "Write a bound such as {1,5}, a mode (TRAIL, ACYCLIC or SIMPLE) or a selector (ANY,"
        + " ANY SHORTEST or ANY CHEAPEST) before the path.")
  }

  /// The slot of a vertex: the one that has its name already, or a new one.
  private func slot(of site: PathShape.Site) throws(SQLError) -> Int {
    var found: Int?
    for variable in site.compactMap(\.variable) {
      if edgeNames[variable.name] != nil || otherNames.contains(variable.name) {
        throw repeated(variable)
      }
      guard let known = vertexNames[variable.name], known != found else { continue }
      if found != nil {
        throw SQLError.unsupported("two variables for one vertex", at: variable.range)
          .hinted("Use the same variable in both places.")
      }
      found = known
    }
    let index = found ?? vertices.count
    if found == nil { vertices.append(VertexSlot()) }
    vertices[index].elements += site
    for variable in site.compactMap(\.variable) { vertexNames[variable.name] = index }
    return index
  }

  private func addEdge(
    _ element: ElementPattern, _ left: Int, _ right: Int, _ direction: EdgeDirection
  ) throws(SQLError) -> Int {
    var index = edges.count
    if let variable = element.variable {
      if vertexNames[variable.name] != nil || otherNames.contains(variable.name) {
        throw repeated(variable)
      }
      index = edgeNames[variable.name] ?? index
      edgeNames[variable.name] = index
    }
    if index == edges.count { edges.append(EdgeSlot()) }
    edges[index].elements.append(element)
    edges[index].uses.append((left, right, direction))
    return index
  }

  private func noteNames(of repetition: PathShape.Repetition) throws(SQLError) {
    for site in repetition.sites { try noteNames(of: site) }
    for edge in repetition.edges { try noteNames(of: [edge.element]) }
  }

  private func noteNames(of site: PathShape.Site) throws(SQLError) {
    for variable in site.compactMap(\.variable) { try add(otherName: variable) }
  }

  private func add(otherName variable: Identifier) throws(SQLError) {
    if vertexNames[variable.name] != nil || edgeNames[variable.name] != nil
      || !otherNames.insert(variable.name).inserted
    {
      throw repeated(variable)
    }
  }

  private func repeated(_ variable: Identifier) -> SQLError {
    SQLError(
      .duplicateAlias, "variable \"\(variable.name)\" cannot stand in both of these places",
      at: variable.range,
      hint:
        "A variable may come again only for a vertex or an edge outside of repeated parts and of paths"
        + " with a mode or a selector, except for the ends of such paths.")
  }

  // MARK: Labels

  /// The element tables that meet all of some labels.
  ///
  /// - Throws: 42704 for a label that the graph has not.
  func candidates(for elements: [ElementPattern], isEdge: Bool) throws(SQLError) -> [Int] {
    let tables = isEdge ? graph.edges : graph.vertices
    let known = Set(tables.flatMap(\.labels).map(\.name))
    for label in elements.compactMap(\.label) { try check(label, known, isEdge: isEdge) }
    return tables.indices.filter { index in
      let names = Set(tables[index].labels.map(\.name))
      return elements.allSatisfy { $0.label?.isMet(by: names) ?? true }
    }
  }

  private func check(
    _ label: LabelExpression, _ known: Set<String>, isEdge: Bool
  ) throws(SQLError) {
    switch label.kind {
    case .any: return
    case .not(let inner): try check(inner, known, isEdge: isEdge)
    case .and(let left, let right), .or(let left, let right):
      try check(left, known, isEdge: isEdge)
      try check(right, known, isEdge: isEdge)
    case .name(let name):
      if known.contains(name.name) { return }
      let what = isEdge ? "edge" : "vertex"
      let place = graphName.map { "property graph \"\($0)\"" } ?? "the graph of all relationships"
      throw SQLError(
        .undefinedObject, "\(what) label \"\(name.name)\" does not exist in \(place)",
        at: name.range,
        hint: session.nearest(to: name.name, among: known).map {
          "Perhaps you meant the label \"\($0)\"."
        })
    }
  }
}

extension PathShape.Link {
  var isRepeated: Bool {
    if case .repeated = self { return true }
    return false
  }
}

extension LabelExpression {
  /// Whether an element with these labels meets it.
  func isMet(by names: Set<String>) -> Bool {
    switch kind {
    case .any: !names.isEmpty
    case .name(let name): names.contains(name.name)
    case .not(let inner): !inner.isMet(by: names)
    case .and(let left, let right): left.isMet(by: names) && right.isMet(by: names)
    case .or(let left, let right): left.isMet(by: names) || right.isMet(by: names)
    }
  }

  /// The labels whose properties can be asked for: those that it names, if it does no more than that.
  var namedLabels: Set<String>? {
    switch kind {
    case .name(let name): return [name.name]
    case .or(let left, let right):
      guard let one = left.namedLabels, let two = right.namedLabels else { return nil }
      return one.union(two)
    case .and(let left, let right):
      guard let one = left.namedLabels, let two = right.namedLabels else { return nil }
      return one.union(two)
    case .any, .not: return nil
    }
  }
}
