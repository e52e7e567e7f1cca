/// A query broken into lines at its clauses, as psql shows the query of a view.
enum QueryLines {
  /// The clauses that a line begins with, and how far each is indented.
  private static let indents = [
    "from": 3, "where": 2, "group": 2, "having": 1, "window": 2, "order": 2, "limit": 1,
    "offset": 1, "fetch": 1, "union": 0, "intersect": 0, "except": 0,
  ]
  private static let joinWords: Set = [
    "join", "left", "right", "full", "inner", "cross", "natural",
  ]

  /// The text with line ends before clauses, joins, and what follows the first column.
  ///
  /// What stands in parentheses stays on its line.
  static func text(_ query: String) -> String {
    var pieces = TextPieces(query)
    var result = ""
    var depth = 0
    var clause = ""
    var last = ""
    func breakLine(_ indent: Int) {
      while result.last == " " { result.removeLast() }
      if !result.isEmpty { result += "\n" + blanks(indent) }
    }
    while let piece = pieces.next() {
      let spelled = String(decoding: pieces.bytes[piece.range], as: UTF8.self)
      if piece.kind == .space {
        if result.last != " " && result.last != "\n" { result += " " }
        continue
      }
      let word = piece.kind == .word ? spelled.lowercased() : spelled
      if piece.kind == .mark {
        depth += spelled == "(" ? 1 : spelled == ")" ? -1 : 0
      } else if piece.kind == .word, depth == 0 {
        if let indent = indents[word], !(word == "from" && last == "distinct") {
          breakLine(indent)
          clause = word
        } else if word == "select" {
          breakLine(1)
          clause = word
        } else if clause == "from", joinWords.contains(word), !joinWords.contains(last) {
          breakLine(5)
        }
      }
      result += spelled
      if spelled == ",", depth == 0, clause == "select" { breakLine(4) }
      last = word
    }
    return result
  }
}
