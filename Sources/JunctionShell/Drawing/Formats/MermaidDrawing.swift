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
    var name = word(column.name, also: "")
    // The marks of keys are words of their own.
    if ["PK", "FK", "UK"].contains(name.uppercased()) { name += "_" }
    while !taken.insert(name).inserted { name += "_" }
    var marks: [String] = column.isPrimary ? ["PK"] : []
    if !column.foreignKeys.isEmpty { marks.append("FK") }
    if column.isUnique { marks.append("UK") }
    var parts = [word(column.type, also: "()[]"), name]
    if !marks.isEmpty { parts.append(marks.joined(separator: ",")) }
    if name != column.name { parts.append(quoted(column.name)) }
    return parts.joined(separator: " ")
  }

  /// The letters and digits of a name or type and some other marks, with `_` for all that mermaid does not take.
  private static func word(_ text: String, also marks: String) -> String {
    var word = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "\u{C0}"..."\u{D7FF}":
        word.unicodeScalars.append(scalar)
      case _ where marks.unicodeScalars.contains(scalar): word.unicodeScalars.append(scalar)
      default: word += "_"
      }
    }
    guard let first = word.unicodeScalars.first, first.properties.isAlphabetic else {
      return "c_" + word
    }
    return word
  }

  /// What a character is written as that would end a text, or mean something in it: mermaid's own codes by number do
  /// not work everywhere in this kind of diagram, the names of HTML do.
  private static let entities: [Unicode.Scalar: String] = [
    "\"": "quot", "%": "percnt", "\\": "bsol", "#": "num", "<": "lt", ">": "gt", "&": "amp",
    "`": "grave", "*": "ast", "[": "lsqb",
  ]

  /// A text in double quotes.
  private static func quoted(_ text: String) -> String {
    var result = ""
    let scalars = Array(DisplayWidth.visible(text).unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if let name = entities[scalar] {
        result += "&\(name);"
      } else if scalar == "_", !isInWord(index, scalars) {
        // At the edge of a word it would begin or end emphasis.
        result += "&lowbar;"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return "\"\(result.isEmpty ? " " : result)\""
  }

  private static func isInWord(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
    guard index > 0, index + 1 < scalars.count else { return false }
    return [scalars[index - 1], scalars[index + 1]].allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
    }
  }
}
