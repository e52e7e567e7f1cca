/// A diagram as mermaid's `erDiagram`.
struct MermaidDrawing {
  private let diagram: Diagram

  init(_ diagram: Diagram) { self.diagram = diagram }

  /// The text of the diagram.
  var text: String {
    var lines = ["erDiagram"]
    for box in diagram.boxes {
      lines.append("  \(Self.quoted(box.title)) {")
      var taken: Set<String> = []
      for column in box.columns { lines.append("    " + Self.attribute(column, &taken)) }
      lines.append("  }")
    }
    for edge in diagram.edges {
      let first = Self.quoted(diagram.boxes[edge.first.box].title)
      let second = Self.quoted(diagram.boxes[edge.second.box].title)
      let line =
        Self.mark(edge.first.multiplicity, isLeft: true) + "--"
        + Self.mark(edge.second.multiplicity, isLeft: false)
      lines.append("  \(first) \(line) \(second) : \(Self.quoted(label(edge)))")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// What stands on an edge: the columns of the foreign key, or the junction table with its other columns.
  private func label(_ edge: Diagram.Edge) -> String {
    guard let junction = edge.junction else {
      let child = diagram.boxes[edge.second.box]
      return edge.second.columns.map { child.columns[$0].name }.joined(separator: ", ")
    }
    let columns = junction.columns.map(\.name).joined(separator: ", ")
    return junction.title + (columns.isEmpty ? "" : " (\(columns))")
  }

  private static func mark(_ multiplicity: Diagram.Multiplicity, isLeft: Bool) -> String {
    switch multiplicity {
    case .exactlyOne: "||"
    case .zeroOrOne: isLeft ? "|o" : "o|"
    case .zeroOrMany: isLeft ? "}o" : "o{"
    }
  }

  /// `type name PK,FK "comment"`; a name that mermaid does not take is in the comment.
  private static func attribute(_ column: Diagram.Column, _ taken: inout Set<String>) -> String {
    var name = word(column.name)
    let isSame = name == column.name
    while !taken.insert(name).inserted { name += "_" }
    var marks: [String] = column.isPrimary ? ["PK"] : []
    if !column.foreignKeys.isEmpty { marks.append("FK") }
    if column.isUnique { marks.append("UK") }
    var parts = [word(column.type), name]
    if !marks.isEmpty { parts.append(marks.joined(separator: ",")) }
    if !isSame { parts.append(quoted(column.name)) }
    return parts.joined(separator: " ")
  }

  /// The letters and digits of a name or type, with `_` for all that mermaid does not take.
  private static func word(_ text: String) -> String {
    var word = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "-", "(", ")", "[", "]":
        word.unicodeScalars.append(scalar)
      default: word += "_"
      }
    }
    guard let first = word.unicodeScalars.first, first.properties.isAlphabetic else {
      return "c_" + word
    }
    return word
  }

  /// A text in double quotes; what would end it, or mean something, is written by its number.
  private static func quoted(_ text: String) -> String {
    var result = ""
    for scalar in DisplayWidth.visible(text).unicodeScalars {
      switch scalar {
      case "\"", "%", "\\", "#", "<", ">", "&", "`", ";": result += "#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return "\"\(result.isEmpty ? " " : result)\""
  }
}
