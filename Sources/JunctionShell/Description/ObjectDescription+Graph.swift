import Catalog
import Columnar
import Junction
import SQLSyntax

/// What `\d` and `\dG` show of property graphs.
extension ObjectDescription {
  /// Property names stand in lines of about so many characters.
  private static let propertyLineWidth = 40

  /// `Property graph "public.school"`: a row for each label of each element table, and the edges below.
  func graph(_ graph: PropertyGraphDefinition) -> TextTable {
    var names = ["Element", "Kind", "Table", "Key", "Label", "Properties"]
    if isVerbose { names.append("Type") }
    let rows =
      graph.vertices.flatMap { labelRows(of: $0, "vertex") }
      + graph.edges.flatMap { labelRows(of: $0, "edge") }
    var footers: [String] = []
    if !graph.edges.isEmpty {
      footers = ["Edges:"] + graph.edges.map { "    " + line(of: $0, graph) }
    }
    if isVerbose {
      if let comment = graph.comment { footers.append("Description: " + comment) }
      footers.append("Property graph definition:")
      footers += source(of: graph).split(separator: "\n").map { " " + $0 }
    }
    let kind = graph.isTemporary ? "Temporary property graph" : "Property graph"
    return TextTable(
      title: "\(kind) \"\(graph.name.schema).\(graph.name.name)\"", names: names, rows: rows,
      footers: footers)
  }

  private func labelRows(
    of element: PropertyGraphDefinition.Element, _ kind: String
  ) -> [[String]] {
    guard let table = catalog.tables[element.table] else { return [] }
    return element.labels.enumerated().map { index, label in
      var row = ["", "", "", ""]
      if index == 0 {
        row = [element.name, kind, displayName(table.name), columnList(table, element.key)]
      }
      row.append(label.name)
      if isVerbose {
        row.append(label.properties.map { text(of: $0, table) }.joined(separator: "\n"))
        row.append(label.properties.map(\.type.name).joined(separator: "\n"))
      } else {
        row.append(Self.wrapped(label.properties.map(\.name)))
      }
      return row
    }
  }

  /// Names with commas, in lines of bearable width.
  private static func wrapped(_ names: [String]) -> String {
    var text = ""
    var width = 0
    for (index, name) in names.enumerated() {
      let shown = name + (index < names.count - 1 ? "," : "")
      if width > 0, width + shown.count + 1 > propertyLineWidth {
        text += "\n"
        width = 0
      }
      text += (width > 0 ? " " : "") + shown
      width += shown.count + 1
    }
    return text
  }

  /// An edge as a pattern, `(student)-[takes]->(course)`, and what its ends are joined by.
  private func line(
    of edge: PropertyGraphDefinition.Element, _ graph: PropertyGraphDefinition
  ) -> String {
    guard let ends = edge.ends else { return "" }
    let source = quotedName(graph.vertices[ends.source.vertex].name)
    let destination = quotedName(graph.vertices[ends.destination.vertex].name)
    return "(\(source))-[\(quotedName(edge.name))]->(\(destination)) "
      + endText("SOURCE", ends.source, edge, graph) + " "
      + endText("DESTINATION", ends.destination, edge, graph)
  }

  private func endText(
    _ side: String, _ end: PropertyGraphDefinition.End, _ edge: PropertyGraphDefinition.Element,
    _ graph: PropertyGraphDefinition
  ) -> String {
    let vertex = graph.vertices[end.vertex]
    guard let table = catalog.tables[edge.table], let other = catalog.tables[vertex.table] else {
      return ""
    }
    return "\(side) KEY (\(columnList(table, end.columns))) REFERENCES "
      + "\(quotedName(vertex.name)) (\(columnList(other, end.vertexColumns)))"
  }

  private func text(
    of property: PropertyGraphDefinition.Property, _ table: TableDefinition
  ) -> String {
    let name = quotedName(property.name)
    let value =
      switch property.value {
      case .column(let column): quotedName(table.columns[column].name)
      case .expression(let expression): SQLPrinter.text(of: expression)
      }
    return value == name ? name : "\(value) AS \(name)"
  }

  /// The element tables that a table is, such as `"school" AS vertex student`.
  func graphLines(_ table: TableDefinition) -> [String] {
    let graphs = catalog.graphs.values.sorted {
      ($0.name.schema, $0.name.name) < ($1.name.schema, $1.name.name)
    }
    return graphs.flatMap { graph in
      let vertices = graph.vertices.filter { $0.table == table.id }.map { "vertex \($0.name)" }
      let edges = graph.edges.filter { $0.table == table.id }.map { "edge \($0.name)" }
      return (vertices + edges).map { "\"\(displayName(graph.name))\" AS \($0)" }
    }
  }

  /// The statement that makes a graph, for `\sv` and `\d+`.
  func source(of graph: PropertyGraphDefinition) -> String {
    DefinitionText(catalog).source(of: graph)
  }
}
