import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// What property graphs rest on, and what rests on them.
extension DefinitionExecutor {
  private var sortedGraphs: [PropertyGraphDefinition] {
    catalog.graphs.values.sorted { $0.id < $1.id }
  }

  /// The element tables over a table.
  func addElements(over table: ObjectID, add: (DroppedObject) -> Void) {
    for graph in sortedGraphs {
      for element in graph.vertices + graph.edges where element.table == table {
        add(.graphElement(graph.id, element.name))
      }
    }
  }

  /// The edges that a vertex is an end of.
  func addEdges(at vertex: String, of graph: ObjectID, add: (DroppedObject) -> Void) {
    for edge in catalog.graphs[graph]?.edges(at: vertex) ?? [] { add(.graphElement(graph, edge)) }
  }

  /// The elements that a column tells apart or connects, and of others the properties that need it.
  func addGraphParts(
    using name: String, at column: Int, of table: ObjectID, add: (DroppedObject) -> Void
  ) {
    for graph in sortedGraphs {
      for element in graph.vertices + graph.edges {
        if graph.uses(column, of: table, in: element) {
          add(.graphElement(graph.id, element.name))
        } else if element.table == table {
          addProperties(of: element, graph.id, add: add) { property in
            switch property.value {
            case .column(let index): index == column
            case .expression(let expression):
              expression.columnNames.contains { $0.name == name }
            }
          }
        }
      }
    }
  }

  /// The properties whose expressions call a function or are of a type.
  func addProperties(
    add: (DroppedObject) -> Void, where uses: (PropertyGraphDefinition.Property) -> Bool
  ) {
    for graph in sortedGraphs {
      for element in graph.vertices + graph.edges {
        addProperties(of: element, graph.id, add: add, where: uses)
      }
    }
  }

  private func addProperties(
    of element: GraphElement, _ graph: ObjectID, add: (DroppedObject) -> Void,
    where uses: (PropertyGraphDefinition.Property) -> Bool
  ) {
    for label in element.labels {
      for property in label.properties where uses(property) {
        add(.graphProperty(graph, label: label.name, property.name))
      }
    }
  }

  // MARK: Views over graphs

  /// The views that no longer would be what they are without parts of graphs, with the part that they need.
  ///
  /// A view does not say which parts of a graph it needs: it is bound over what would be left.
  func dependents(
    ofGraphParts objects: [DroppedObject]
  ) -> [(object: DroppedObject, cause: String)] {
    var changed: [ObjectID: (graph: PropertyGraphDefinition, first: DroppedObject)] = [:]
    for object in objects {
      guard let id = object.changedGraph, !objects.contains(.graph(id)),
        let graph = changed[id]?.graph ?? catalog.graphs[id]
      else { continue }
      changed[id] = (graph.without(object), changed[id]?.first ?? object)
    }
    var found = dependents(ofForeignKeys: objects)
    for (id, change) in changed.sorted(by: { $0.key < $1.key }) {
      var trial = catalog
      trial.put(change.graph)
      found += self.changed(views(on: id), materialized(on: id), in: trial)
        .map { ($0, describe(change.first)) }
    }
    return found
  }

  /// The same for foreign keys, which are edges of the graph of all relationships.
  private func dependents(
    ofForeignKeys objects: [DroppedObject]
  ) -> [(object: DroppedObject, cause: String)] {
    var found: [(object: DroppedObject, cause: String)] = []
    for object in objects {
      guard case .constraint(let id, let name) = object, !objects.contains(.table(id)),
        var table = catalog.tables[id]
      else { continue }
      table.foreignKeys.removeAll { $0.name == name }
      let views = views(on: id).filter(\.query.readsAllRelationships)
      let tables = materialized(on: id).filter {
        $0.materialized?.query.readsAllRelationships == true
      }
      if views.isEmpty, tables.isEmpty { continue }
      var trial = catalog
      trial.put(table)
      found += changed(views, tables, in: trial).map { ($0, describe(object)) }
    }
    return found
  }

  /// Those of some views whose queries another catalog changes or breaks.
  func changed(
    _ views: [ViewDefinition], _ tables: [TableDefinition], in trial: CatalogSnapshot
  ) -> [DroppedObject] {
    let lost = views.filter { !isSame($0.query, $0.columnTypes, in: trial) }
    let stale = tables.filter { table in
      guard let query = table.materialized?.query else { return false }
      return !isSame(query, table.columns.map(\.columnType), in: trial)
    }
    return lost.map { .view($0.id) } + stale.map { .table($0.id) }
  }

  /// Whether a query has the columns that it had.
  private func isSame(
    _ query: SelectStatement, _ types: [ColumnType], in catalog: CatalogSnapshot
  ) -> Bool {
    guard let description = try? environment.describe(.select(query), in: catalog) else {
      return false
    }
    return description.types.map { $0.type == .unknown ? .text : $0.type } == types.map(\.type)
  }

  // MARK: Following changes

  /// Lets positions follow when a column is taken from a table.
  func removeColumnFromGraphs(_ column: Int, of table: ObjectID) {
    for graph in sortedGraphs where graph.tables.contains(table) {
      var copy = graph
      copy.removeColumn(column, of: table)
      transaction.catalog.put(copy)
    }
  }

  /// Lets the expressions of properties follow when a column gets another name.
  func renameColumnInGraphs(_ name: String, to new: String, of table: ObjectID) {
    let mapper = TreeMapper(column: { Self.renaming($0, name, to: new) })
    for graph in sortedGraphs where graph.tables.contains(table) {
      var copy = graph
      copy.changeElements { element in
        guard element.table == table else { return }
        element.changeProperties { property in
          if case .expression(let expression) = property.value {
            property.value = .expression(mapper.map(expression))
          }
        }
      }
      transaction.catalog.put(copy)
    }
  }

  /// Settles the types of properties anew when a column has got another type.
  ///
  /// - Throws: 42804 if elements no longer agree; 0A000 if a view has a column of the property; what binding throws.
  func retypeInGraphs(_ column: String, of table: TableDefinition) throws(SQLError) {
    for graph in sortedGraphs where graph.tables.contains(table.id) {
      var copy = graph
      try retype(&copy.vertices, table)
      try retype(&copy.edges, table)
      for element in copy.vertices + copy.edges {
        try check(element, against: copy, at: .none)
        guard let ends = element.ends else { continue }
        let own = try elementTable(element)
        for (side, end) in [("source", ends.source), ("destination", ends.destination)] {
          let vertexTable = try elementTable(copy.vertices[end.vertex])
          try checkTypes(of: end, side, element.name, own, vertexTable, at: .none)
        }
      }
      copy.settleModifiers()
      var trial = catalog
      trial.put(copy)
      for view in views(on: graph.id) where !isSame(view.query, view.columnTypes, in: trial) {
        throw SQLError(
          .featureNotSupported, "cannot alter type of a column used by a view or rule",
          detail: "view \(shown(view.name)) depends on property graph \(shown(graph.name)), which"
            + " depends on column \"\(column)\"")
      }
      transaction.catalog.put(copy)
    }
  }

  private func retype(
    _ elements: inout [GraphElement], _ table: TableDefinition
  ) throws(SQLError) {
    for element in elements.indices where elements[element].table == table.id {
      for label in elements[element].labels.indices {
        for place in elements[element].labels[label].properties.indices {
          let property = elements[element].labels[label].properties[place]
          let type: ColumnType
          switch property.value {
          case .column(let column): type = table.columns[column].columnType
          case .expression(let expression):
            let bound = try environment.bind(expression, as: .graphProperty(table), in: catalog)
            type = ColumnType(bound.expression.type, bound.modifier)
          }
          elements[element].labels[label].properties[place].type = type
        }
      }
    }
  }
}

extension DroppedObject {
  /// The graph that loses a part with the object.
  fileprivate var changedGraph: ObjectID? {
    switch self {
    case .graphElement(let graph, _), .graphLabel(let graph, _, _),
      .graphProperty(let graph, _, _):
      graph
    case .table, .view, .sequence, .graph, .function, .type, .constraint, .domainCheck, .index,
      .column, .defaultValue:
      nil
    }
  }
}

extension PropertyGraphDefinition {
  /// The graph without one of its parts.
  func without(_ object: DroppedObject) -> PropertyGraphDefinition {
    var copy = self
    switch object {
    case .graphElement(_, let name): copy.removeElement(name)
    case .graphLabel(_, let element, let label): copy.removeLabel(label, from: element)
    case .graphProperty(_, let label, let name): copy.removeProperty(name, from: label)
    case .table, .view, .sequence, .graph, .function, .type, .constraint, .domainCheck, .index,
      .column, .defaultValue:
      break
    }
    return copy
  }

  /// Whether a column is part of an element's key or of one of its ends.
  fileprivate func uses(_ column: Int, of table: ObjectID, in element: Element) -> Bool {
    if element.table == table, element.key.contains(column) { return true }
    guard let ends = element.ends else { return false }
    return [ends.source, ends.destination].contains { end in
      (element.table == table && end.columns.contains(column))
        || (vertices[end.vertex].table == table && end.vertexColumns.contains(column))
    }
  }
}
