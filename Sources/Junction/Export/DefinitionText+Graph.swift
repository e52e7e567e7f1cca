package import Catalog
import SQLSyntax

/// Property graphs.
extension DefinitionText {
  /// The statement that makes a graph, without the semicolon.
  package func source(of graph: PropertyGraphDefinition) -> String {
    let kind = graph.isTemporary ? "TEMPORARY PROPERTY GRAPH" : "PROPERTY GRAPH"
    let schema = graph.isTemporary ? "" : SQLPrinter.quoted(graph.name.schema) + "."
    var lines = ["CREATE \(kind) \(schema)\(SQLPrinter.quoted(graph.name.name))"]
    for (words, elements) in [("VERTEX TABLES (", graph.vertices), ("EDGE TABLES (", graph.edges)]
    where !elements.isEmpty {
      lines.append("    " + words)
      for (index, element) in elements.enumerated() {
        lines += source(of: element, graph).map { "        " + $0 }
        if index < elements.count - 1 { lines[lines.count - 1] += "," }
      }
      lines.append("    )")
    }
    return lines.joined(separator: "\n")
  }

  private func source(
    of element: PropertyGraphDefinition.Element, _ graph: PropertyGraphDefinition
  ) -> [String] {
    guard let table = catalog.tables[element.table] else { return [] }
    var first = shortName(table.name)
    if element.name != table.name.name { first += " AS " + SQLPrinter.quoted(element.name) }
    first += " KEY (\(columns(element.key, of: table)))"
    var lines = [first]
    if let ends = element.ends {
      lines.append("    SOURCE " + text(of: ends.source, table, graph))
      lines.append("    DESTINATION " + text(of: ends.destination, table, graph))
    }
    for label in element.labels {
      let list = label.properties.map { text(of: $0, table) }.joined(separator: ", ")
      lines.append(
        "    LABEL \(SQLPrinter.quoted(label.name)) "
          + (list.isEmpty ? "NO PROPERTIES" : "PROPERTIES (\(list))"))
    }
    return lines
  }

  private func text(
    of end: PropertyGraphDefinition.End, _ table: TableDefinition,
    _ graph: PropertyGraphDefinition
  ) -> String {
    let vertex = graph.vertices[end.vertex]
    guard let other = catalog.tables[vertex.table] else { return "" }
    return "KEY (\(columns(end.columns, of: table))) REFERENCES "
      + "\(SQLPrinter.quoted(vertex.name)) (\(columns(end.vertexColumns, of: other)))"
  }

  private func text(
    of property: PropertyGraphDefinition.Property, _ table: TableDefinition
  ) -> String {
    let name = SQLPrinter.quoted(property.name)
    let value =
      switch property.value {
      case .column(let column): SQLPrinter.quoted(table.columns[column].name)
      case .expression(let expression): SQLPrinter.text(of: expression)
      }
    return value == name ? name : "\(value) AS \(name)"
  }
}
