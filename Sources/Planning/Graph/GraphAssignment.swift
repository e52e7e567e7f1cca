import Catalog
import Diagnostics
import SQLSyntax

/// A table for each slot of a pattern.
struct GraphAssignment {
  /// Indices into the graph's vertices, by slot.
  var vertices: [Int]
  /// Indices into the graph's edges, by slot.
  var edges: [Int]
  /// For each edge slot and each of its uses, whether it is walked from its destination to its source.
  var areReversed: [[Bool]]
}

extension GraphBinding {
  /// More ways than this to choose tables for a pattern are refused.
  static let assignmentLimit = 512

  static func tooManyAssignments() -> SQLError {
    SQLError(
      .statementTooComplex, "the pattern fits too many combinations of tables",
      hint: "Say with IS which labels its vertices and edges have.")
  }

  /// Every way to choose a table for each slot so that the ends of edges fit.
  ///
  /// - Throws: 54001 for too many of them.
  func assignments() throws(SQLError) -> [GraphAssignment] {
    var search = AssignmentSearch(self)
    try search.assignEdge(0, 0)
    return search.found
  }
}

/// The search for assignments: edges first, as they settle the vertices at their ends.
private struct AssignmentSearch {
  let binding: GraphBinding
  var found: [GraphAssignment] = []
  private var vertices: [Int?]
  private var edges: [Int]
  private var areReversed: [[Bool]]
  /// Whether a table may be the vertex of a slot.
  private let fits: [Set<Int>]
  /// How many choices have been tried, most of which may lead nowhere.
  private var stepCount = 0

  init(_ binding: GraphBinding) {
    self.binding = binding
    vertices = Array(repeating: nil, count: binding.vertices.count)
    edges = Array(repeating: -1, count: binding.edges.count)
    areReversed = binding.edges.map { Array(repeating: false, count: $0.uses.count) }
    fits = binding.vertices.map { Set($0.candidates) }
  }

  /// Chooses a table and a direction for one use of an edge, and goes on with the next.
  mutating func assignEdge(_ slot: Int, _ use: Int) throws(SQLError) {
    try countStep()
    guard slot < binding.edges.count else { return try assignVertex(0) }
    let edge = binding.edges[slot]
    guard use < edge.uses.count else { return try assignEdge(slot + 1, 0) }
    let (left, right, direction) = edge.uses[use]
    let known = vertices
    for candidate in use == 0 ? edge.candidates : [edges[slot]] {
      guard let ends = binding.graph.edges[candidate].ends else { continue }
      for isReversed in [false, true]
      where direction == .either || isReversed == (direction == .left) {
        let first = isReversed ? ends.destination.vertex : ends.source.vertex
        let second = isReversed ? ends.source.vertex : ends.destination.vertex
        if place(first, at: left), place(second, at: right) {
          edges[slot] = candidate
          areReversed[slot][use] = isReversed
          try assignEdge(slot, use + 1)
        }
        vertices = known
      }
    }
  }

  private mutating func countStep() throws(SQLError) {
    stepCount += 1
    if stepCount > GraphBinding.assignmentLimit * 64 { throw GraphBinding.tooManyAssignments() }
  }

  /// Whether a table can be that of a vertex, which it is then.
  private mutating func place(_ table: Int, at slot: Int) -> Bool {
    if let known = vertices[slot] { return known == table }
    guard fits[slot].contains(table) else { return false }
    vertices[slot] = table
    return true
  }

  /// Chooses tables for vertices that no edge slot has settled.
  private mutating func assignVertex(_ slot: Int) throws(SQLError) {
    try countStep()
    guard slot < vertices.count else {
      let settled = vertices.compactMap { $0 }
      for search in binding.searches
      where !binding.mayReach(search, from: settled[search.left], to: settled[search.right]) {
        return
      }
      if found.count == GraphBinding.assignmentLimit {
        throw GraphBinding.tooManyAssignments()
      }
      found.append(GraphAssignment(vertices: settled, edges: edges, areReversed: areReversed))
      return
    }
    if vertices[slot] != nil { return try assignVertex(slot + 1) }
    for candidate in binding.vertices[slot].candidates {
      vertices[slot] = candidate
      try assignVertex(slot + 1)
    }
    vertices[slot] = nil
  }
}

extension GraphBinding {
  /// The edge tables and directions by which an edge of a search leads from some tables to others.
  func ways(
    _ element: ElementPattern, _ direction: EdgeDirection
  ) throws(SQLError) -> [(edge: Int, isReversed: Bool)] {
    var list: [(edge: Int, isReversed: Bool)] = []
    for candidate in try candidates(for: [element], isEdge: true) {
      if direction != .left { list.append((candidate, false)) }
      if direction != .right { list.append((candidate, true)) }
    }
    return list
  }

  /// The tables that an edge walked in one direction leads from and to.
  func ends(_ edge: Int, isReversed: Bool) -> (from: Int, to: Int)? {
    guard let ends = graph.edges[edge].ends else { return nil }
    return isReversed
      ? (ends.destination.vertex, ends.source.vertex)
      : (ends.source.vertex, ends.destination.vertex)
  }

  /// Whether a search can lead from one table to another, as far as tables tell.
  func mayReach(_ search: Search, from start: Int, to end: Int) -> Bool {
    var tables: Set<Int> = [start]
    for (index, link) in search.shape.links.enumerated() {
      switch link {
      case .edge(let element, let direction):
        tables = targets(from: tables, element, direction)
      case .repeated(let repetition): tables = targets(from: tables, repetition)
      }
      if index + 1 < search.shape.links.count {
        let allowed = try? candidates(for: search.shape.sites[index + 1], isEdge: false)
        tables.formIntersection(allowed ?? [])
      }
    }
    return tables.contains(end)
  }

  private func targets(
    from tables: Set<Int>, _ element: ElementPattern, _ direction: EdgeDirection
  ) -> Set<Int> {
    var found: Set<Int> = []
    for way in (try? ways(element, direction)) ?? [] {
      guard let (from, to) = ends(way.edge, isReversed: way.isReversed), tables.contains(from)
      else { continue }
      found.insert(to)
    }
    return found
  }

  private func targets(
    from tables: Set<Int>, _ repetition: PathShape.Repetition
  ) -> Set<Int> {
    // After many rounds any table may be one that is reached; what is not excluded here the search finds out.
    if repetition.quantifier.minimum > 64 { return Set(graph.vertices.indices) }
    var current = tables
    var all: Set<Int> = repetition.quantifier.minimum == 0 ? tables : []
    // Sets of tables repeat after as many rounds as there are sets; what is new comes in the first rounds.
    let most = min(
      repetition.quantifier.maximum ?? .max,
      repetition.quantifier.minimum + graph.vertices.count + 1)
    for round in 1...max(1, most) {
      for (index, edge) in repetition.edges.enumerated() {
        let allowed = (try? candidates(for: repetition.sites[index], isEdge: false)) ?? []
        current.formIntersection(allowed)
        current = targets(from: current, edge.element, edge.direction)
      }
      let allowed = try? candidates(for: repetition.sites[repetition.edges.count], isEdge: false)
      current.formIntersection(allowed ?? [])
      if round >= repetition.quantifier.minimum { all.formUnion(current) }
      if current.isEmpty { break }
    }
    return all
  }
}
