import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// The element tables of property graphs: what their names mean, and what must hold of them.
extension DefinitionExecutor {
  typealias GraphElement = PropertyGraphDefinition.Element

  /// The table of an element as it is written.
  ///
  /// - Throws: 42P01; 0A000 for a view, 42809 for what has no rows.
  func elementTable(_ name: QualifiedName) throws(SQLError) -> TableDefinition {
    switch relation(name) {
    case .table(let table) where table.materialized == nil: return table
    case .table, .view:
      throw SQLError(
        .featureNotSupported, "views as element tables of property graphs are not supported",
        at: name.range, detail: "\"\(name.name)\" is a view.")
    case .sequence, .graph:
      throw SQLError(.wrongObjectType, "\"\(name.name)\" is not a table", at: name.range)
    case nil:
      var error = missingRelation(name)
      let tables = catalog.tables.values.map(\.name.name)
      error.hint = nearestNames(to: name.name, among: tables, limit: 1).first.map {
        "Perhaps you meant the table \"\($0)\"."
      }
      throw error
    }
  }

  func elementTable(_ element: GraphElement) throws(SQLError) -> TableDefinition {
    guard let table = catalog.tables[element.table] else {
      throw .internal("an element of a property graph has no table")
    }
    return table
  }

  /// The element table of this name and kind.
  ///
  /// - Throws: 42704 for none, 42809 for one of the other kind.
  func element(
    _ name: Identifier, of graph: PropertyGraphDefinition, isEdge: Bool
  ) throws(SQLError) -> GraphElement {
    let kind = isEdge ? "an edge" : "a vertex"
    let elements = isEdge ? graph.edges : graph.vertices
    if let found = elements.first(where: { $0.name == name.name }) { return found }
    if graph.element(named: name.name) != nil {
      throw SQLError(
        .wrongObjectType,
        "element \"\(name.name)\" of property graph \"\(graph.name.name)\" is not \(kind)",
        at: name.range)
    }
    throw SQLError(
      .undefinedObject,
      "property graph \"\(graph.name.name)\" has no element with alias \"\(name.name)\"",
      at: name.range,
      hint: nearestNames(to: name.name, among: elements.map(\.name), limit: 1).first.map {
        "Perhaps you meant the element \"\($0)\"."
      })
  }

  /// - Throws: 42704 if the element has no such label.
  func labelIndex(
    _ label: Identifier, of element: GraphElement, _ graph: PropertyGraphDefinition
  ) throws(SQLError) -> Int {
    if let index = element.labels.firstIndex(where: { $0.name == label.name }) { return index }
    throw SQLError(
      .undefinedObject,
      "property graph \"\(graph.name.name)\" element \"\(element.name)\" has no label"
        + " \"\(label.name)\"", at: label.range,
      hint: nearestNames(to: label.name, among: element.labels.map(\.name), limit: 1).first.map {
        "Perhaps you meant the label \"\($0)\"."
      })
  }

  // MARK: Adding

  /// Adds element tables; the vertices of edges are there already.
  func add(
    _ tables: [GraphElementTable], isEdge: Bool, to graph: inout PropertyGraphDefinition
  ) throws(SQLError) {
    for written in tables {
      let table = try elementTable(written.table)
      let name = written.alias ?? Identifier(written.table.name, at: written.table.range)
      if graph.element(named: name.name) != nil {
        throw SQLError(
          .duplicateObject, "alias \"\(name.name)\" used more than once as element table",
          at: name.range, hint: "Give the element table another name with AS.")
      }
      var element = GraphElement(
        name: name.name, table: table.id, key: try key(written, name.name, table), labels: [])
      if let source = written.source, let destination = written.destination {
        element.ends = (
          try end(source, "source", of: name.name, table, graph),
          try end(destination, "destination", of: name.name, table, graph)
        )
      }
      var labels = written.labels
      if labels.isEmpty { labels = [GraphLabel(name: nil, properties: .all, range: written.range)] }
      for label in labels {
        element.labels.append(try bind(label, of: name.name, table))
        try check(element, against: graph, at: label.range)
      }
      if isEdge { graph.edges.append(element) } else { graph.vertices.append(element) }
    }
  }

  private func key(
    _ written: GraphElementTable, _ name: String, _ table: TableDefinition
  ) throws(SQLError) -> [Int] {
    if !written.key.isEmpty { return try columns(written.key, of: table, "key") }
    if let primary = table.primaryKey { return primary.columns }
    throw SQLError(
      .invalidTableDefinition,
      "no key specified and no suitable primary key exists for definition of element \"\(name)\"",
      at: written.table.range,
      detail: "Table \"\(table.name.name)\" has no primary key.",
      hint: "Write KEY (column, ...) behind the table with the columns that tell its rows apart.")
  }

  /// - Throws: 42703; 42701 for a column that comes twice.
  private func columns(
    _ names: [Identifier], of table: TableDefinition, _ what: String
  ) throws(SQLError) -> [Int] {
    var columns: [Int] = []
    for name in names {
      let index = try column(name, of: table)
      if columns.contains(index) {
        throw SQLError(
          .duplicateColumn, "column \"\(name.name)\" appears twice in \(what)", at: name.range)
      }
      columns.append(index)
    }
    return columns
  }

  private func column(_ name: Identifier, of table: TableDefinition) throws(SQLError) -> Int {
    if let index = table.column(named: name.name) { return index }
    throw SQLError(
      .undefinedColumn,
      "column \"\(name.name)\" of relation \"\(table.name.name)\" does not exist", at: name.range,
      hint: nearestNames(to: name.name, among: table.columns.map(\.name), limit: 1).first.map {
        "Perhaps you meant the column \"\($0)\"."
      })
  }

  // MARK: Ends

  private func end(
    _ end: GraphEdgeEnd, _ side: String, of edge: String, _ table: TableDefinition,
    _ graph: PropertyGraphDefinition
  ) throws(SQLError) -> PropertyGraphDefinition.End {
    guard let vertex = graph.vertices.firstIndex(where: { $0.name == end.vertex.name }) else {
      throw missingVertex(end.vertex, side, of: edge, graph)
    }
    let element = graph.vertices[vertex]
    let vertexTable = try elementTable(element)
    if end.key.isEmpty {
      let key = try foreignKey(end, side, of: edge, table, vertexTable)
      return PropertyGraphDefinition.End(
        vertex: vertex, columns: key.columns, vertexColumns: key.parentColumns)
    }
    let columns = try columns(end.key, of: table, "\(side) key")
    let vertexColumns =
      end.vertexColumns.isEmpty
      ? element.key : try self.columns(end.vertexColumns, of: vertexTable, "\(side) key")
    guard columns.count == vertexColumns.count else {
      throw SQLError(
        .invalidForeignKey,
        "mismatching number of columns in \(side) vertex definition of edge \"\(edge)\"",
        at: end.range)
    }
    let result = PropertyGraphDefinition.End(
      vertex: vertex, columns: columns, vertexColumns: vertexColumns)
    try checkTypes(of: result, side, edge, table, vertexTable, at: end.range)
    return result
  }

  private func missingVertex(
    _ name: Identifier, _ side: String, of edge: String, _ graph: PropertyGraphDefinition
  ) -> SQLError {
    let alias = graph.vertices.first { catalog.tables[$0.table]?.name.name == name.name }?.name
    let near =
      alias ?? nearestNames(to: name.name, among: graph.vertices.map(\.name), limit: 1).first
    return SQLError(
      .undefinedTable, "\(side) vertex \"\(name.name)\" of edge \"\(edge)\" does not exist",
      at: name.range, hint: near.map { "Perhaps you meant the vertex table \"\($0)\"." })
  }

  /// The one foreign key that leads from the edges to the vertices.
  ///
  /// - Throws: 42830 for none and for several.
  private func foreignKey(
    _ end: GraphEdgeEnd, _ side: String, of edge: String, _ table: TableDefinition,
    _ vertexTable: TableDefinition
  ) throws(SQLError) -> ForeignKeyConstraint {
    let keys = table.foreignKeys.filter { $0.parent == vertexTable.id }
    if keys.count == 1 { return keys[0] }
    func list(_ columns: [Int], of table: TableDefinition) -> String {
      columns.map { SQLPrinter.quoted(table.columns[$0].name) }.joined(separator: ", ")
    }
    let vertex = SQLPrinter.quoted(end.vertex.name)
    let word = side.uppercased()
    guard let first = keys.first else {
      let primary = vertexTable.primaryKey.map { list($0.columns, of: vertexTable) }
      throw SQLError(
        .invalidForeignKey,
        "no \(side) key specified and no suitable foreign key exists for definition of edge"
          + " \"\(edge)\"", at: end.range,
        detail: "Table \"\(table.name.name)\" has no foreign key to table"
          + " \"\(vertexTable.name.name)\".",
        hint: "Write \(word) KEY (column, ...) REFERENCES \(vertex) (\(primary ?? "column, ...")).")
    }
    let names = keys.map { "\"\($0.name)\"" }.joined(separator: ", ")
    throw SQLError(
      .invalidForeignKey,
      "more than one suitable foreign key exists for \(side) key of edge \"\(edge)\"",
      at: end.range,
      detail: "Table \"\(table.name.name)\" has these foreign keys to table"
        + " \"\(vertexTable.name.name)\": \(names).",
      hint: "Write, for example, \(word) KEY (\(list(first.columns, of: table))) REFERENCES"
        + " \(vertex) (\(list(first.parentColumns, of: vertexTable))).")
  }

  /// - Throws: 42804 if the columns of an end cannot be compared with those of the vertices.
  func checkTypes(
    of end: PropertyGraphDefinition.End, _ side: String, _ edge: String, _ table: TableDefinition,
    _ vertexTable: TableDefinition, at range: SourceRange
  ) throws(SQLError) {
    for (column, vertexColumn) in zip(end.columns, end.vertexColumns) {
      let own = table.columns[column]
      let other = vertexTable.columns[vertexColumn]
      let isFitting =
        Self.areComparable(own.type, other.type) || Self.areComparable(other.type, own.type)
        || (own.type.isNumeric && other.type.isNumeric)
      if isFitting { continue }
      throw SQLError(
        .datatypeMismatch, "\(side) key of edge \"\(edge)\" cannot be implemented", at: range,
        detail: "Key columns \"\(own.name)\" and \"\(other.name)\" are of incompatible types:"
          + " \(own.type.name) and \(other.type.name).")
    }
  }
}
