import Diagnostics

/// A diagram in the language of Graphviz.
struct DotDrawing {
  private let diagram: Diagram
  private let title: String

  init(_ diagram: Diagram, title: String) {
    self.diagram = diagram
    self.title = title
  }

  /// The text of the graph.
  var text: String {
    var lines = [
      "digraph \(Self.quoted(title)) {",
      "  graph [rankdir=LR, nodesep=0.4, ranksep=1.2, fontname=\"Helvetica\"];",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=11];",
      "  edge [dir=both, fontname=\"Helvetica\", fontsize=10, arrowsize=0.9];",
    ]
    for (index, box) in diagram.boxes.enumerated() { lines += Self.node(index, box) }
    for edge in diagram.edges { lines.append(line(edge)) }
    lines.append("}")
    return lines.map { $0 + "\n" }.joined()
  }

  /// A table with a port for each column on either side.
  private static func node(_ index: Int, _ box: Diagram.Box) -> [String] {
    let title = MarkupEscape.visible(box.title)
    var lines = [
      "  t\(index) [label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\">",
      "    <TR><TD PORT=\"t\" COLSPAN=\"3\" BGCOLOR=\"#dce6f2\"><B>\(title)</B></TD></TR>",
    ]
    for (column, entry) in box.columns.enumerated() {
      let cells = [entry.marks.joined(separator: ","), entry.name, entry.type]
        .map(MarkupEscape.visible)
      lines.append(
        "    <TR><TD PORT=\"l\(column)\" ALIGN=\"LEFT\">\(cells[0])</TD>"
          + "<TD ALIGN=\"LEFT\">\(cells[1])</TD>"
          + "<TD PORT=\"r\(column)\" ALIGN=\"LEFT\">\(cells[2])</TD></TR>")
    }
    lines.append("  </TABLE>>, tooltip=\(quoted(box.title))];")
    return lines
  }

  private func line(_ edge: Diagram.Edge) -> String {
    // A loop leaves and enters on the right.
    let farSide = edge.isSelfRelation ? "r" : "l"
    func port(_ end: Diagram.End, side: String) -> String {
      let place = "t\(end.box):" + (end.columns.first.map { "\(side)\($0)" } ?? "t")
      return edge.isSelfRelation ? place + ":e" : place
    }
    var attributes = [
      "arrowtail=\(Self.arrow(edge.first.multiplicity))",
      "arrowhead=\(Self.arrow(edge.second.multiplicity))",
      "edgetooltip=\(Self.quoted(edge.name))",
    ]
    if let junction = edge.junction {
      let columns = junction.columns.map { "+ " + $0.name }
      let text = ([junction.title] + columns).map(Self.escaped).joined(separator: "\\n")
      attributes.append("label=\"\(text)\"")
    }
    return "  \(port(edge.first, side: "r")) -> \(port(edge.second, side: farSide)) "
      + "[\(attributes.joined(separator: ", "))];"
  }

  private static func arrow(_ multiplicity: Diagram.Multiplicity) -> String {
    switch multiplicity {
    case .exactlyOne: "teetee"
    case .zeroOrOne: "teeodot"
    case .zeroOrMany: "crowodot"
    }
  }

  /// A text in double quotes, in which a backslash begins an escape.
  private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

  private static func escaped(_ text: String) -> String {
    DisplayWidth.visible(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }
}
