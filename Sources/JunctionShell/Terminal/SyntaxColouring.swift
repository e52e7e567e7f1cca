import SQLSyntax

/// Colours SQL for a terminal; the text itself stays as it is.
struct SyntaxColouring {
  private static let keyword = "\u{1B}[1;34m"
  private static let string = "\u{1B}[32m"
  private static let number = "\u{1B}[36m"
  private static let comment = "\u{1B}[90m"
  private static let command = "\u{1B}[35m"
  private static let plain = "\u{1B}[0m"

  /// Whether colours are wanted: not where `NO_COLOR` is set.
  static var isWanted: Bool { Environment["NO_COLOR"].map(\.isEmpty) ?? true }

  /// Words that are shown as keywords.
  let keywords: Set<String>

  /// The text with escape sequences around keywords, strings, numbers and comments.
  ///
  /// Each line ends plain, so that prompts drawn between lines keep their own colour.
  func coloured(_ text: String) -> String {
    if text.first == "\\" { return Self.command + text + Self.plain }
    var result = ""
    var rest = text[...]
    while let first = rest.first {
      let (length, colour) = token(rest, first)
      let piece = String(rest.prefix(length))
      if let colour {
        result += piece.split(separator: "\n", omittingEmptySubsequences: false)
          .map { $0.isEmpty ? "" : colour + $0 + Self.plain }.joined(separator: "\n")
      } else {
        result += piece
      }
      rest = rest.dropFirst(length)
    }
    return result
  }

  /// The number of characters of the token at the start of `text`, and its colour.
  private func token(_ text: Substring, _ first: Character) -> (Int, String?) {
    if text.hasPrefix("--") { return (text.prefix { $0 != "\n" }.count, Self.comment) }
    if text.hasPrefix("/*") {
      let end = text.firstRange(of: "*/")?.upperBound ?? text.endIndex
      return (text.distance(from: text.startIndex, to: end), Self.comment)
    }
    if first == "'" {
      let inner = text.dropFirst().prefix { $0 != "'" }.count
      return (min(text.count, inner + 2), Self.string)
    }
    if first == "\"" {
      let inner = text.dropFirst().prefix { $0 != "\"" }.count
      return (min(text.count, inner + 2), nil)
    }
    if first.isNumber {
      return (text.prefix { $0.isNumber || $0 == "." }.count, Self.number)
    }
    if first.isLetter || first == "_" {
      let word = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
      return (word.count, keywords.contains(word.lowercased()) ? Self.keyword : nil)
    }
    return (1, nil)
  }
}
