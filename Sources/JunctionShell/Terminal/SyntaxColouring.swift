/// Colours SQL for a terminal; the text itself stays as it is.
struct SyntaxColouring {
  private static let keyword = "\u{1B}[1;34m"
  private static let string = "\u{1B}[32m"
  private static let number = "\u{1B}[36m"
  private static let comment = "\u{1B}[90m"
  private static let command = "\u{1B}[35m"
  static let plain = "\u{1B}[0m"

  /// Whether colours are wanted: not where `NO_COLOR` is set.
  static var isWanted: Bool { Environment["NO_COLOR"].map(\.isEmpty) ?? true }

  /// Words that are shown as keywords.
  let keywords: Set<String>

  /// The text with escape sequences around keywords, strings, numbers, comments and commands.
  ///
  /// Each line ends plain, so that prompts drawn between lines keep their own colour.
  ///
  /// - Complexity: O(bytes).
  func coloured(_ text: String) -> String {
    var result = ""
    var pieces = TextPieces(text)
    while let piece = pieces.next() {
      var range = piece.range
      if piece.kind == .mark, pieces.bytes[range.lowerBound] == UInt8(ascii: "\\") {
        // A command takes the rest of its line.
        let end = pieces.bytes[range.lowerBound...].firstIndex(of: 0x0A) ?? pieces.bytes.count
        range = range.lowerBound..<end
        pieces.index = end
      }
      // The kept escape sequences are those made here: data cannot bring its own.
      let shown = String(decoding: pieces.bytes[range], as: UTF8.self)
      guard let colour = colour(of: piece.kind, shown) else {
        result += shown
        continue
      }
      result += shown.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : colour + $0 + Self.plain }.joined(separator: "\n")
    }
    return result
  }

  private func colour(of kind: TextPieces.Kind, _ text: String) -> String? {
    switch kind {
    case .word: keywords.contains(text.lowercased()) ? Self.keyword : nil
    case .string: Self.string
    case .number: Self.number
    case .comment: Self.comment
    case .mark: text.hasPrefix("\\") ? Self.command : nil
    case .name, .space: nil
    }
  }
}
