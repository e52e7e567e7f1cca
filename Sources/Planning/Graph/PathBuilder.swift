import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Builds the search for one path, or one repeated part of it, between vertices of two tables.
struct PathBuilder {
  private let binding: GraphBinding
  private let search: GraphBinding.Search
  private var conditions: [LogicalPlan] = []
  private var links: [LogicalPlan] = []
  private var linkNumbers: [Int: Int] = [:]
  private var outputs: [PathOutput] = []
  private var entries: [RangeEntry] = []
  /// The tables that the first and the last vertex may be of.
  private var ends: Set<Int> = []
  /// Stand-ins for the columns of tables, for the values of elements.
  private var scans: [String: (scan: ScanPlan, columns: [PlanColumn])] = [:]

  init(_ binding: GraphBinding, _ search: GraphBinding.Search) {
    self.binding = binding
    self.search = search
  }

  private var graph: PropertyGraphDefinition { binding.graph }
  private var session: BindingSession { binding.session }

  /// The search, whose inputs are yet to be put in, and the names of elements on the way.
  ///
  /// - Throws: 0A000 for conditions over several elements of a repeated part.
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
        segments.append(try segment(element, direction))
      case .repeated(let repetition): segments.append(try segment(repetition))
      }
      segments[index].mark = marks[index]
      if index + 1 < shape.links.count { gates.append(try rules(for: shape.sites[index + 1], [])) }
    }
    let tables = try graph.vertices.map(binding.table(of:))
    let pattern = PathSearchPattern(
      vertices: tables, edges: try graph.edges.map(binding.table(of:)), startTable: start,
      endTable: end,
      segments: segments, gates: gates, mode: search.prefix.mode, selector: search.prefix.selector)
    try addNames(names)
    let plan = PathPlan(
      input: .oneRow, start: ColumnID(0), target: .oneRow, end: ColumnID(0), pattern: pattern,
      conditions: conditions, links: links, outputs: outputs)
    return (plan, entries)
  }

  // MARK: Segments

  private mutating func segment(
    _ element: ElementPattern, _ direction: EdgeDirection
  ) throws(SQLError) -> PathSegment {
    let anywhere = graph.vertices.indices.map { VertexRule(table: $0, condition: nil) }
    return PathSegment(
      minimum: 1, maximum: 1, hops: [try hops(element, direction, [])],
      sites: [anywhere, anywhere])
  }

  private mutating func segment(
    _ repetition: PathShape.Repetition
  ) throws(SQLError) -> PathSegment {
    let filters = repetition.filters.flatMap(Self.conjuncts)
    var siteFilters: [[Expression]] = Array(repeating: [], count: repetition.sites.count)
    var edgeFilters: [[Expression]] = Array(repeating: [], count: repetition.edges.count)
    for filter in filters {
      switch try owner(of: filter, repetition) {
      case .site(let index): siteFilters[index].append(filter)
      case .edge(let index): edgeFilters[index].append(filter)
      case nil: throw notLocal(filter)
      }
    }
    var hops: [[PathHop]] = []
    for (index, edge) in repetition.edges.enumerated() {
      hops.append(try self.hops(edge.element, edge.direction, edgeFilters[index]))
    }
    var sites: [[VertexRule]] = []
    for (index, site) in repetition.sites.enumerated() {
      sites.append(try rules(for: site, siteFilters[index]))
    }
    return PathSegment(
      minimum: repetition.quantifier.minimum, maximum: repetition.quantifier.maximum, hops: hops,
      sites: sites)
  }

  private enum Owner {
    case site(Int)
    case edge(Int)
  }

  /// The one element that a condition is on; nil where it is on several or on none.
  private func owner(
    of filter: Expression, _ repetition: PathShape.Repetition
  ) throws(SQLError) -> Owner? {
    for (index, site) in repetition.sites.enumerated()
    where try isLocal(filter, to: site, isEdge: false) {
      return .site(index)
    }
    for (index, edge) in repetition.edges.enumerated()
    where try isLocal(filter, to: [edge.element], isEdge: true) {
      return .edge(index)
    }
    return nil
  }

  private static func conjuncts(_ filter: Expression) -> [Expression] {
    if case .and(let list) = filter.kind { return list.flatMap(conjuncts) }
    return [filter]
  }

  private func notLocal(_ filter: Expression) -> SQLError {
    SQLError.unsupported(
      "a condition on several elements of a path that is searched", at: filter.range
    )
    .hinted(
      "Within repeated parts, and paths with a mode or a selector, a condition can be on one element only;"
        + " conditions on the ends of the path can stand in WHERE behind the pattern.")
  }

  private mutating func hops(
    _ element: ElementPattern, _ direction: EdgeDirection, _ filters: [Expression]
  ) throws(SQLError) -> [PathHop] {
    var hops: [PathHop] = []
    for way in try binding.ways(element, direction) {
      guard let (from, to) = binding.ends(way.edge, isReversed: way.isReversed) else { continue }
      let condition = try condition(
        on: graph.edges[way.edge], [element], filters, isEdge: true)
      hops.append(
        PathHop(
          access: try access(way.edge, isReversed: way.isReversed), edge: way.edge, from: from,
          to: to, condition: condition,
          skipsLoops: direction == .either && way.isReversed && from == to))
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

  // MARK: Access

  /// How the edges of a table are found in one direction: by an index where a foreign key has one.
  private mutating func access(
    _ edge: Int, isReversed: Bool
  ) throws(SQLError) -> PathHop.Access {
    let element = graph.edges[edge]
    let table = try binding.table(of: element)
    guard let ends = element.ends else { throw SQLError.internal("an edge without ends") }
    let source = foreignKey(ends.source, of: table)
    let destination = foreignKey(ends.destination, of: table)
    if let destination, ends.source.isRow(of: table, in: graph) {
      return isReversed ? .toChildren(destination) : .toParent(destination)
    }
    if let source, ends.destination.isRow(of: table, in: graph) {
      return isReversed ? .toParent(source) : .toChildren(source)
    }
    if let source, let destination, source != destination {
      return isReversed
        ? .junction(from: destination, to: source) : .junction(from: source, to: destination)
    }
    let number = linkNumbers[edge] ?? links.count
    if linkNumbers[edge] == nil {
      linkNumbers[edge] = number
      links.append(try link(element, ends))
    }
    return .link(number, isReversed: isReversed)
  }

  /// The foreign key that an end of an edge follows, if every edge has that end.
  private func foreignKey(
    _ end: PropertyGraphDefinition.End, of table: TableDefinition
  ) -> Int? {
    let pairs = Set(zip(end.columns, end.vertexColumns).map { [$0, $1] })
    let parent = graph.vertices[end.vertex].table
    return table.foreignKeys.firstIndex { key in
      key.parent == parent && key.alwaysHasParent && key.columns.count == end.columns.count
        && Set(zip(key.columns, key.parentColumns).map { [$0, $1] }) == pairs
    }
  }

  /// The positions of an edge table's rows and of both their ends.
  private func link(
    _ element: PropertyGraphDefinition.Element,
    _ ends: (source: PropertyGraphDefinition.End, destination: PropertyGraphDefinition.End)
  ) throws(SQLError) -> LogicalPlan {
    let edge = try binding.scan(of: element)
    var plan = LogicalPlan.scan(edge.scan)
    var conditions: [BoundExpression] = []
    var positions = [edge.position]
    for end in [ends.source, ends.destination] {
      let vertex = try binding.scan(of: graph.vertices[end.vertex])
      plan = .join(JoinPlan(.inner, plan, .scan(vertex.scan), on: []))
      positions.append(vertex.position)
      conditions += try binding.conditions(holding: edge, at: end, vertex)
    }
    return .project(
      .filter(plan, conditions), positions.map { ProjectedColumn($0, $0.reference) })
  }

  // MARK: Conditions

  /// The rows of a table that meet the conditions on an element; nil for all of them.
  private mutating func condition(
    on element: PropertyGraphDefinition.Element, _ patterns: [ElementPattern],
    _ filters: [Expression], isEdge: Bool
  ) throws(SQLError) -> Int? {
    let all = patterns.compactMap(\.filter) + filters
    if all.isEmpty { return nil }
    let rows = try binding.scan(of: element)
    let scope = try scope(patterns, element, rows.columns, isEdge: isEdge)
    var bound: [BoundExpression] = []
    for filter in all {
      do throws(SQLError) {
        bound.append(try session.bindBoolean(filter, for: "WHERE", in: scope))
      } catch  where error.state == .undefinedTable {
        throw notLocal(filter)
      }
    }
    let plan = LogicalPlan.project(
      .filter(.scan(rows.scan), bound.flatMap(session.conjuncts)),
      [ProjectedColumn(rows.position, rows.position.reference)])
    if !plan.freeColumns.isEmpty {
      throw SQLError.unsupported(
        "a condition within a searched path that uses columns from outside of GRAPH_TABLE",
        at: all[0].range)
    }
    conditions.append(plan)
    return conditions.count - 1
  }

  /// The names that a condition on one element can use.
  private func scope(
    _ patterns: [ElementPattern], _ element: PropertyGraphDefinition.Element,
    _ columns: [PlanColumn], isEdge: Bool
  ) throws(SQLError) -> Scope {
    let scope = Scope(parent: binding.outer)
    scope.clause = .filter
    var properties: [RangeColumn] = []
    for property in binding.properties(of: patterns, isEdge: isEdge) {
      let value = try binding.value(property, of: element, columns)
      properties.append(
        RangeColumn(
          name: property.name, expression: value ?? .constant(.null, property.type.type)))
    }
    for name in patterns.compactMap(\.variable) {
      scope.entries.append(
        RangeEntry(
          name: name.name, columns: properties, areColumnsVisible: false,
          source: RangeSource(outputs: columns.map(\.id))))
    }
    scope.registered = scope.entries
    return scope
  }

  /// Whether a condition uses no element but this one.
  private func isLocal(
    _ filter: Expression, to patterns: [ElementPattern], isEdge: Bool
  ) throws(SQLError) -> Bool {
    guard patterns.contains(where: { $0.variable != nil }) else { return false }
    let tables = isEdge ? graph.edges : graph.vertices
    // Of a property that only some of the tables have there is a column for these only.
    for candidate in try binding.candidates(for: patterns, isEdge: isEdge) {
      let columns = try binding.scan(of: tables[candidate]).columns
      let scope = try scope(patterns, tables[candidate], columns, isEdge: isEdge)
      do throws(SQLError) {
        let bound = try session.bindBoolean(filter, for: "WHERE", in: scope)
        if !bound.columns.isDisjoint(with: columns.map(\.id)) { return true }
      } catch  where error.state == .undefinedTable {
        return false
      }
    }
    return false
  }

  // MARK: Values of paths

  private mutating func addNames(_ names: GraphNames) throws(SQLError) {
    for (segment, link) in search.shape.links.enumerated() {
      switch link {
      case .edge(let element, _):
        try addElement([element], .edge(segment: segment, index: 0), isEdge: true, names)
      case .repeated(let repetition) where repetition.quantifier.isOptional:
        for (index, site) in repetition.sites.enumerated() {
          try addElement(site, .vertex(segment: segment, index: index), isEdge: false, names)
        }
        for (index, edge) in repetition.edges.enumerated() {
          try addElement([edge.element], .edge(segment: segment, index: index), isEdge: true, names)
        }
      case .repeated(let repetition):
        for (index, site) in repetition.sites.enumerated() {
          try addGroup(site, .vertex(segment: segment, index: index), isEdge: false, names)
        }
        for (index, edge) in repetition.edges.enumerated() {
          try addGroup([edge.element], .edge(segment: segment, index: index), isEdge: true, names)
        }
      }
      if segment > 0 {
        try addElement(search.shape.sites[segment], .gate(segment - 1), isEdge: false, names)
      }
    }
    guard let variable = search.variable else { return }
    let length = session.makeColumn("path_length", .integer)
    outputs.append(PathOutput(column: length, kind: .length, values: []))
    let vertices = try addIdentity(.list([.anyVertex]), graph.vertices.indices, isEdge: false)
    let edges = try addIdentity(.list([.anyEdge]), graph.edges.indices, isEdge: true)
    names.paths[variable.name] = GraphNames.Path(
      length: length.reference, vertices: vertices, edges: edges)
  }

  /// An element that each path has once, or may have once.
  private mutating func addElement(
    _ patterns: [ElementPattern], _ place: PathPlace, isEdge: Bool, _ names: GraphNames
  ) throws(SQLError) {
    let variables = patterns.compactMap(\.variable)
    if variables.isEmpty { return }
    var columns: [RangeColumn] = []
    for property in binding.properties(of: patterns, isEdge: isEdge) {
      let column = session.makeColumn(property.name, property.type.type, property.type.modifier)
      outputs.append(
        PathOutput(
          column: column, kind: .element(place),
          values: try values(property, patterns, isEdge: isEdge)))
      columns.append(RangeColumn(name: property.name, expression: column.reference))
    }
    let candidates = try binding.candidates(for: patterns, isEdge: isEdge)
    let identity = try addIdentity(.element(place), candidates, isEdge: isEdge)
    for variable in variables {
      entries.append(
        RangeEntry(
          name: variable.name, columns: columns, areColumnsVisible: false,
          source: RangeSource(outputs: [])))
      names.identities[variable.name] = identity
    }
  }

  /// An element of which each path has a list.
  private mutating func addGroup(
    _ patterns: [ElementPattern], _ place: PathPlace, isEdge: Bool, _ names: GraphNames
  ) throws(SQLError) {
    let variables = patterns.compactMap(\.variable)
    if variables.isEmpty { return }
    var lists: [RangeColumn] = []
    for property in binding.properties(of: patterns, isEdge: isEdge) {
      // There are no arrays of arrays.
      if property.type.type.element != nil { continue }
      let column = session.makeColumn(property.name, .array(property.type.type))
      outputs.append(
        PathOutput(
          column: column, kind: .list([place]),
          values: try values(property, patterns, isEdge: isEdge)))
      lists.append(RangeColumn(name: property.name, expression: column.reference))
    }
    let candidates = try binding.candidates(for: patterns, isEdge: isEdge)
    let identities = try addIdentity(.list([place]), candidates, isEdge: isEdge)
    let part: Int
    switch place {
    case .vertex(let segment, _), .edge(let segment, _): part = segment
    default: part = 0
    }
    for variable in variables {
      entries.append(
        RangeEntry(
          name: variable.name, columns: lists, areColumnsVisible: false,
          source: RangeSource(outputs: [])))
      names.groups[variable.name] = GraphNames.Group(
        part: Int(search.range.lower) << 16 | part, lists: lists, identities: identities)
    }
  }

  /// The values of a property for all tables that an element may be of.
  private mutating func values(
    _ property: PropertyGraphDefinition.Property, _ patterns: [ElementPattern], isEdge: Bool
  ) throws(SQLError) -> [PathValue] {
    let tables = isEdge ? graph.edges : graph.vertices
    var list: [PathValue] = []
    for candidate in try binding.candidates(for: patterns, isEdge: isEdge) {
      let (scan, columns) = try standIn(tables[candidate])
      guard let value = try binding.value(property, of: tables[candidate], columns),
        value.type == property.type.type
      else { continue }
      list.append(pathValue(value, scan, candidate, isEdge: isEdge))
    }
    return list
  }

  /// What tells an element at a place from others, or all elements at places.
  private mutating func addIdentity(
    _ kind: PathOutput.Kind, _ candidates: some Sequence<Int>, isEdge: Bool
  ) throws(SQLError) -> BoundExpression {
    let tables = isEdge ? graph.edges : graph.vertices
    let candidates = passed(candidates, isEdge: isEdge)
    let type = binding.identityType(of: Set(candidates), isEdge: isEdge)
    var list: [PathValue] = []
    for candidate in candidates {
      let (scan, columns) = try standIn(tables[candidate])
      let value = try binding.identity(
        of: tables[candidate], columns, isOfOneTable: candidates.count == 1)
      list.append(pathValue(value, scan, candidate, isEdge: isEdge))
    }
    var isList = false
    if case .list = kind { isList = true }
    let column = session.makeColumn(isEdge ? "edges" : "vertices", isList ? .array(type) : type)
    outputs.append(PathOutput(column: column, kind: kind, values: list))
    return column.reference
  }

  /// Those tables of some that paths of the search can pass.
  private func passed(_ candidates: some Sequence<Int>, isEdge: Bool) -> [Int] {
    var edges: Set<Int> = []
    var vertices = ends
    for link in search.shape.links {
      let elements: [(element: ElementPattern, direction: EdgeDirection)] =
        switch link {
        case .edge(let element, let direction): [(element, direction)]
        case .repeated(let repetition): repetition.edges
        }
      for (element, direction) in elements {
        for way in (try? binding.ways(element, direction)) ?? [] {
          edges.insert(way.edge)
          guard let ends = binding.ends(way.edge, isReversed: way.isReversed) else { continue }
          vertices.formUnion([ends.from, ends.to])
        }
      }
    }
    return candidates.filter { (isEdge ? edges : vertices).contains($0) }
  }

  private func pathValue(
    _ value: BoundExpression, _ scan: ScanPlan, _ table: Int, isEdge: Bool
  ) -> PathValue {
    let used = value.columns
    return PathValue(
      isEdge: isEdge, table: table, columns: scan.columns.filter { used.contains($0.column.id) },
      expression: value)
  }

  private mutating func standIn(
    _ element: PropertyGraphDefinition.Element
  ) throws(SQLError) -> (ScanPlan, [PlanColumn]) {
    if let known = scans[element.name] { return known }
    let made = session.makeScan(try binding.table(of: element), alias: nil)
    scans[element.name] = made
    return made
  }
}
