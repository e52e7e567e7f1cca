import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// The values of paths, and the names by which they are asked for.
extension PathBuilder {
  mutating func addNames(_ names: GraphNames) throws(SQLError) {
    for (segment, link) in search.shape.links.enumerated() {
      switch link {
      case .edge(let element, _):
        try addElement([element], .edge(segment: segment, index: 0), isEdge: true, names)
      case .repeated(let repetition) where repetition.namesAreSingle:
        for (index, site) in zip(repetition.ownSites, repetition.sites[repetition.ownSites]) {
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
    if let variable = search.variable {
      try addPath(variable, search.shape.links.indices, names)
    }
    for part in search.shape.parts {
      if let variable = part.variable { try addPath(variable, part.links, names) }
    }
  }

  /// What functions of a path, or of a part of one, give.
  private mutating func addPath(
    _ variable: Identifier, _ segments: Range<Int>, _ names: GraphNames
  ) throws(SQLError) {
    let length = session.makeColumn("path_length", .integer)
    outputs.append(PathOutput(column: length, kind: .length(segments), values: []))
    let vertices = try addIdentity(.vertices(segments), graph.vertices.indices, isEdge: false)
    let edges = try addIdentity(.edges(segments), graph.edges.indices, isEdge: true)
    var path = GraphNames.Path(length: length.reference, vertices: vertices, edges: edges)
    if let type = costs.type {
      let cost = session.makeColumn("path_cost", type)
      outputs.append(PathOutput(column: cost, kind: .cost(segments), values: []))
      path.cost = cost.reference
    }
    names.paths[variable.name] = path
  }

  /// An element that each path has once, or may have once.
  private mutating func addElement(
    _ patterns: [ElementPattern], _ place: PathPlace, isEdge: Bool, _ names: GraphNames
  ) throws(SQLError) {
    let variables = patterns.compactMap(\.variable)
    if variables.isEmpty { return }
    var columns: [RangeColumn] = []
    for property in binding.properties(of: patterns, isEdge: isEdge) {
      let column = session.makeColumn(property.name, property.type)
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
          column: column, kind: .list(place),
          values: try values(property, patterns, isEdge: isEdge)))
      lists.append(RangeColumn(name: property.name, expression: column.reference))
    }
    let candidates = try binding.candidates(for: patterns, isEdge: isEdge)
    let identities = try addIdentity(.list(place), candidates, isEdge: isEdge)
    let part: Int
    switch place {
    case .vertex(let segment, _), .edge(let segment, _): part = segment
    case .gate: part = 0
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
    let column = session.makeColumn(
      isEdge ? "edges" : "vertices", kind.isList ? .array(type) : type)
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
