import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// The matches of a pattern whose elements are of certain tables, as joins.
struct GraphMatch {
  private typealias Element = GraphBinding.PositionedScan

  private let binding: GraphBinding
  private let assignment: GraphAssignment
  private var vertices: [Element] = []
  /// The scans of edges, or nil where a vertex beside the edge is the same row.
  private var edges: [Element] = []
  private var areScanned: [Bool] = []
  private(set) var entries: [RangeEntry] = []
  private(set) var conditions: [BoundExpression] = []
  /// What path functions and aggregates over repeated elements are about.
  let names = GraphNames()
  private var paths: [PathPlan] = []
  /// The plan that holds each vertex, by slot.
  private var pieces: [Int: LogicalPlan] = [:]
  private var pieceOfVertex: [Int] = []

  init(_ binding: GraphBinding, _ assignment: GraphAssignment) throws(SQLError) {
    self.binding = binding
    self.assignment = assignment
    for (slot, table) in zip(binding.vertices, assignment.vertices) {
      vertices.append(try scan(binding.graph.vertices[table], slot.name))
    }
    for (slot, (edge, table)) in zip(binding.edges, assignment.edges).enumerated() {
      try addEdge(slot, edge, binding.graph.edges[table])
    }
    try addEntries()
  }

  private var session: BindingSession { binding.session }

  private func scan(
    _ element: PropertyGraphDefinition.Element, _ name: Identifier?
  ) throws(SQLError) -> Element {
    let table = try binding.table(of: element)
    return try binding.scan(of: element, alias: name?.name ?? alias(of: table))
  }

  /// A name for a scan that the pattern gives none: the table's, with a number where it comes again.
  private func alias(of table: TableDefinition) -> String {
    let own = table.name.name
    let count = (vertices + edges).count { $0.scan.table.id == table.id }
    return count == 0 ? own : "\(own)_\(count)"
  }

  // MARK: Edges

  private mutating func addEdge(
    _ slot: Int, _ edge: GraphBinding.EdgeSlot, _ element: PropertyGraphDefinition.Element
  ) throws(SQLError) {
    guard let ends = element.ends else { throw SQLError.internal("an edge without ends") }
    let definition = try binding.table(of: element)
    // An edge that is the row of a vertex needs no scan of its own.
    if let use = edge.uses.first {
      let isReversed = assignment.areReversed[slot][0]
      let (source, destination) = isReversed ? (use.right, use.left) : (use.left, use.right)
      for (end, vertex) in [(ends.source, source), (ends.destination, destination)]
      where end.isRow(of: definition, in: binding.graph) {
        edges.append(vertices[vertex])
        areScanned.append(false)
        try join(slot, edge, ends)
        return
      }
    }
    edges.append(try scan(element, edge.name))
    areScanned.append(true)
    try join(slot, edge, ends)
  }

  /// The conditions that hold an edge between its vertices.
  private mutating func join(
    _ slot: Int, _ edge: GraphBinding.EdgeSlot,
    _ ends: (source: PropertyGraphDefinition.End, destination: PropertyGraphDefinition.End)
  ) throws(SQLError) {
    let own = edges[slot]
    for (index, use) in edge.uses.enumerated() {
      let isReversed = assignment.areReversed[slot][index]
      let (source, destination) = isReversed ? (use.right, use.left) : (use.left, use.right)
      for (end, vertex) in [(ends.source, source), (ends.destination, destination)] {
        conditions += try binding.conditions(holding: own, at: end, vertices[vertex])
      }
      // Walked either way, an edge from a vertex to itself would be found twice.
      if use.direction == .either, isReversed, ends.source.vertex == ends.destination.vertex {
        conditions.append(
          .comparison(
            .notEqual, vertices[use.left].position.reference,
            vertices[use.right].position.reference))
      }
    }
  }

  // MARK: Names

  private mutating func addEntries() throws(SQLError) {
    for (slot, (vertex, element)) in zip(binding.vertices, vertices).enumerated() {
      for name in vertex.elements.compactMap(\.variable) {
        try addEntry(
          name, vertex.elements, binding.graph.vertices[assignment.vertices[slot]], element,
          isEdge: false)
      }
    }
    for (slot, (edge, element)) in zip(binding.edges, edges).enumerated() {
      guard let name = edge.name else { continue }
      try addEntry(
        name, edge.elements, binding.graph.edges[assignment.edges[slot]], element, isEdge: true)
    }
    for search in binding.searches {
      var builder = PathBuilder(binding, search)
      let (plan, found) = try builder.plan(
        from: assignment.vertices[search.left], to: assignment.vertices[search.right], names)
      paths.append(plan)
      for entry in found { add(entry) }
    }
    try addPlainPaths()
  }

  private mutating func add(_ entry: RangeEntry) {
    if !entries.contains(where: { $0.name == entry.name }) { entries.append(entry) }
  }

  private mutating func addEntry(
    _ name: Identifier, _ elements: [ElementPattern],
    _ element: PropertyGraphDefinition.Element, _ scanned: Element, isEdge: Bool
  ) throws(SQLError) {
    var columns: [RangeColumn] = []
    for property in binding.properties(of: elements, isEdge: isEdge) {
      let value = try binding.value(property, of: element, scanned.columns)
      columns.append(
        RangeColumn(
          name: property.name, expression: value ?? .constant(.null, property.type.type)))
    }
    add(
      RangeEntry(
        name: name.name, columns: columns, areColumnsVisible: false,
        source: RangeSource(outputs: scanned.columns.map(\.id))))
    names.identities[name.name] = try binding.identity(
      of: element, scanned.columns,
      isOfOneTable: try binding.candidates(for: elements, isEdge: isEdge).count == 1)
  }

  /// The functions and the modes of paths all of whose elements are slots.
  private mutating func addPlainPaths() throws(SQLError) {
    for path in binding.plainPaths {
      conditions += binding.conditions(
        path.mode, vertices: path.vertices.map { (assignment.vertices[$0], vertices[$0]) },
        edges: path.edges.map { (assignment.edges[$0], edges[$0]) })
      guard let variable = path.variable else { continue }
      let vertexTables = path.vertices.map { binding.graph.vertices[assignment.vertices[$0]] }
      let edgeTables = path.edges.map { binding.graph.edges[assignment.edges[$0]] }
      // Identities are of one type whatever tables the elements are of here.
      let vertexCandidates = Set(path.vertices.flatMap { binding.vertices[$0].candidates })
      let edgeCandidates = Set(path.edges.flatMap { binding.edges[$0].candidates })
      let vertexType = binding.identityType(of: vertexCandidates, isEdge: false)
      let edgeType = binding.identityType(of: edgeCandidates, isEdge: true)
      var ids: [BoundExpression] = []
      for (slot, element) in zip(path.vertices, vertexTables) {
        ids.append(
          try binding.identity(
            of: element, vertices[slot].columns, isOfOneTable: vertexCandidates.count == 1))
      }
      var edgeIDs: [BoundExpression] = []
      for (slot, element) in zip(path.edges, edgeTables) {
        edgeIDs.append(
          try binding.identity(
            of: element, edges[slot].columns, isOfOneTable: edgeCandidates.count == 1))
      }
      names.paths[variable.name] = GraphNames.Path(
        length: .constant(.int32(Int32(truncatingIfNeeded: path.edges.count)), .integer),
        vertices: .array(ids, .array(vertexType)), edges: .array(edgeIDs, .array(edgeType)))
    }
  }

  // MARK: Joins

  /// All matches, but for `conditions`.
  mutating func plan() throws(SQLError) -> LogicalPlan {
    pieceOfVertex = Array(vertices.indices)
    for (slot, element) in vertices.enumerated() { pieces[slot] = .scan(element.scan) }
    for (slot, edge) in binding.edges.enumerated() {
      for (index, use) in edge.uses.enumerated() {
        if index == 0, areScanned[slot], let plan = pieces[pieceOfVertex[use.left]] {
          pieces[pieceOfVertex[use.left]] = .join(
            JoinPlan(.inner, plan, .scan(edges[slot].scan), on: []))
        }
        merge(use.left, use.right)
      }
    }
    for (search, path) in zip(binding.searches, paths) { try add(path, search) }
    var result: LogicalPlan?
    for slot in vertices.indices where pieceOfVertex[slot] == slot {
      guard let piece = pieces[slot] else { continue }
      result = result.map { .join(JoinPlan(.inner, $0, piece, on: [])) } ?? piece
    }
    return result ?? .oneRow
  }

  /// Makes one plan of those that hold two vertices.
  private mutating func merge(_ left: Int, _ right: Int) {
    let (one, two) = (pieceOfVertex[left], pieceOfVertex[right])
    if one != two, let first = pieces[one], let second = pieces[two] {
      unite(one, two, as: .join(JoinPlan(.inner, first, second, on: [])))
    }
  }

  private mutating func unite(_ one: Int, _ two: Int, as plan: LogicalPlan) {
    pieces[one] = plan
    pieces[two] = nil
    for slot in pieceOfVertex.indices where pieceOfVertex[slot] == two { pieceOfVertex[slot] = one }
    // The piece goes by the first of its vertices, so that it is found again.
    if let first = pieceOfVertex.firstIndex(of: one), first != one {
      pieces[first] = pieces.removeValue(forKey: one)
      for slot in pieceOfVertex.indices where pieceOfVertex[slot] == one {
        pieceOfVertex[slot] = first
      }
    }
  }

  private mutating func add(
    _ path: PathPlan, _ search: GraphBinding.Search
  ) throws(SQLError) {
    var path = path
    let (one, two) = (pieceOfVertex[search.left], pieceOfVertex[search.right])
    guard let input = pieces[one] else { throw SQLError.internal("a vertex without a plan") }
    path.input = input
    path.start = vertices[search.left].position.id
    if one != two, let target = pieces[two] {
      path.target = target
      path.end = vertices[search.right].position.id
      unite(one, two, as: .path(path))
      return
    }
    // Both ends are known already: those paths count whose end is the one that is known.
    let name = binding.vertices[search.right].name
    let fresh = try scan(
      binding.graph.vertices[assignment.vertices[search.right]], name)
    path.target = .scan(fresh.scan)
    path.end = fresh.position.id
    pieces[one] = .path(path)
    conditions.append(
      .comparison(
        .equal, fresh.position.reference, vertices[search.right].position.reference))
  }
}

extension PropertyGraphDefinition.End {
  /// Whether the edge's row is the vertex itself: the same table, by columns that tell its rows apart.
  func isRow(of table: TableDefinition, in graph: PropertyGraphDefinition) -> Bool {
    guard graph.vertices[vertex].table == table.id else { return false }
    if columns.isEmpty { return true }
    return columns == vertexColumns && table.isUnique(columns)
      && columns.allSatisfy { table.columns[$0].isNotNull }
  }
}
