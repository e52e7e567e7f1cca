import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// CREATE and ALTER PROPERTY GRAPH.
extension DefinitionExecutor {
  mutating func createPropertyGraph(
    _ statement: CreatePropertyGraphStatement
  ) throws(SQLError) -> String {
    if statement.persistence == .unlogged {
      throw SQLError(
        .featureNotSupported,
        "property graphs cannot be unlogged because they do not have storage",
        at: statement.name.range)
    }
    var isTemporary = statement.persistence == .temporary
    for element in statement.vertexTables + statement.edgeTables {
      if try elementTable(element.table).isTemporary { isTemporary = true }
    }
    let name = try newName(statement.name, isTemporary: isTemporary)
    try checkFree(name)
    if isTemporary && statement.persistence != .temporary {
      notice("property graph \"\(name.name)\" will be a temporary property graph")
    }
    var graph = PropertyGraphDefinition(
      id: transaction.makeID(), name: name, vertices: [], edges: [], isTemporary: isTemporary)
    try add(statement.vertexTables, isEdge: false, to: &graph)
    try add(statement.edgeTables, isEdge: true, to: &graph)
    graph.settleModifiers()
    transaction.catalog.put(graph)
    return "CREATE PROPERTY GRAPH"
  }

  // MARK: ALTER

  mutating func alterPropertyGraph(
    _ statement: AlterPropertyGraphStatement
  ) throws(SQLError) -> String {
    let tag = "ALTER PROPERTY GRAPH"
    guard var graph = try graph(statement.name, ifExists: statement.ifExists) else { return tag }
    switch statement.action {
    case .add(let vertices, let edges):
      try refuseTemporary(vertices + edges, in: graph)
      try add(vertices, isEdge: false, to: &graph)
      try add(edges, isEdge: true, to: &graph)
    case .drop(let names, let isEdge, let behavior):
      var objects: [DroppedObject] = []
      for name in names {
        let element = try element(name, of: graph, isEdge: isEdge)
        objects.append(.graphElement(graph.id, element.name))
      }
      try drop(objects, behavior: behavior)
      return tag
    case .addLabels(let labels, let name, let isEdge):
      var element = try element(name, of: graph, isEdge: isEdge)
      let table = try elementTable(element)
      for label in labels {
        element.labels.append(try bind(label, of: element.name, table))
        try check(element, against: graph, at: label.range)
      }
      replace(element, in: &graph)
    case .dropLabel(let label, let name, let isEdge, let behavior):
      try dropLabel(label, of: element(name, of: graph, isEdge: isEdge), graph, behavior)
      return tag
    case .addProperties(let properties, let label, let name, let isEdge):
      var element = try element(name, of: graph, isEdge: isEdge)
      let index = try labelIndex(label, of: element, graph)
      let table = try elementTable(element)
      for property in properties {
        let bound = try bind(property, table)
        if element.labels[index].properties.contains(where: { $0.name == bound.name }) {
          throw SQLError(
            .duplicateObject,
            "property \"\(bound.name)\" of label \"\(label.name)\" already exists in element"
              + " \"\(element.name)\"", at: property.value.range)
        }
        element.labels[index].properties.append(bound)
      }
      try check(element, against: graph, at: label.range)
      replace(element, in: &graph)
    case .dropProperties(let names, let label, let name, let isEdge, let behavior):
      let element = try element(name, of: graph, isEdge: isEdge)
      try dropProperties(names, label, of: element, graph, behavior)
      return tag
    }
    graph.settleModifiers()
    transaction.catalog.put(graph)
    return tag
  }

  /// The graph of this name; nil, with a notice, where there need not be one.
  ///
  /// - Throws: 42P01, and 42809 if it is something else.
  private mutating func graph(
    _ name: QualifiedName, ifExists: Bool
  ) throws(SQLError) -> PropertyGraphDefinition? {
    switch relation(name) {
    case .graph(let graph): return graph
    case .some:
      throw SQLError(
        .wrongObjectType, "\"\(name.name)\" is not a property graph", at: name.range)
    case nil:
      guard ifExists else { throw missingRelation(name).located(at: .none) }
      notice("relation \"\(name.name)\" does not exist, skipping")
      return nil
    }
  }

  private func refuseTemporary(
    _ tables: [GraphElementTable], in graph: PropertyGraphDefinition
  ) throws(SQLError) {
    guard !graph.isTemporary else { return }
    for written in tables {
      let table = try elementTable(written.table)
      guard table.isTemporary else { continue }
      throw SQLError(
        .invalidTableDefinition,
        "cannot add temporary element table to non-temporary property graph",
        at: written.table.range, detail: "Table \"\(table.name.name)\" is a temporary table.")
    }
  }

  private func replace(
    _ element: PropertyGraphDefinition.Element, in graph: inout PropertyGraphDefinition
  ) {
    graph.changeElements { if $0.name == element.name { $0 = element } }
  }

  private mutating func dropLabel(
    _ label: Identifier, of element: PropertyGraphDefinition.Element,
    _ graph: PropertyGraphDefinition, _ behavior: DropBehavior
  ) throws(SQLError) {
    _ = try labelIndex(label, of: element, graph)
    if element.labels.count == 1 {
      throw SQLError(
        .invalidObjectDefinition,
        "cannot drop label \"\(label.name)\" because element \"\(element.name)\" has no other",
        at: label.range, hint: "Add another label first, or drop the element table.")
    }
    try drop([.graphLabel(graph.id, element: element.name, label.name)], behavior: behavior)
  }

  private mutating func dropProperties(
    _ names: [Identifier], _ label: Identifier, of element: PropertyGraphDefinition.Element,
    _ graph: PropertyGraphDefinition, _ behavior: DropBehavior
  ) throws(SQLError) {
    let index = try labelIndex(label, of: element, graph)
    var changed = element
    for name in names {
      let known = element.labels[index].properties.map(\.name)
      guard known.contains(name.name) else {
        throw SQLError(
          .undefinedObject,
          "property graph \"\(graph.name.name)\" element \"\(element.name)\" label"
            + " \"\(label.name)\" has no property \"\(name.name)\"", at: name.range,
          hint: nearestNames(to: name.name, among: known, limit: 1).first.map {
            "Perhaps you meant the property \"\($0)\"."
          })
      }
      changed.labels[index].properties.removeAll { $0.name == name.name }
    }
    // Other elements with this label would have what this one lacks.
    try check(changed, against: graph, at: label.range)
    try drop(
      names.map { .graphProperty(graph.id, label: label.name, $0.name) }, behavior: behavior)
  }

  // MARK: Name, schema and owner

  /// What ALTER TABLE and its like do to a graph that they name.
  func alter(
    graph: PropertyGraphDefinition, _ statement: AlterTableStatement
  ) throws(SQLError) -> String {
    throw SQLError(
      .wrongObjectType,
      "\"\(graph.name.name)\" is not a \(statement.kind.rawValue.lowercased())",
      hint: "Use ALTER PROPERTY GRAPH instead.")
  }

  mutating func alterGraph(_ statement: AlterObjectStatement) throws(SQLError) {
    let found = try graph(statement.object.name, ifExists: statement.ifExists)
    guard let original = found else { return }
    var graph = original
    switch statement.action {
    case .renameTo(let name): graph.name.name = name.name
    case .setSchema(let schema):
      guard catalog.schemas.contains(schema.name) else {
        throw SQLError(.invalidSchemaName, "schema \"\(schema.name)\" does not exist")
      }
      if schema.name == graph.name.schema { return }
      graph.name.schema = schema.name
    case .ownerTo: return
    }
    try checkFree(graph.name)
    transaction.catalog.put(graph)
    renameInViews(graph.id, original.name, to: graph.name)
  }
}
