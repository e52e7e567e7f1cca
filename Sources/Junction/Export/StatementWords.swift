/// The words of a statement that the printer has written, outside of its quotes.
enum StatementWords {
  /// The statement with another word in the place of each `word`.
  static func replacing(_ word: String, by other: String, in statement: String) -> String {
    pieces(of: statement).map { $0.isWord && $0.text == word ? other : $0.text }.joined()
  }

  /// Whether two words follow each other, or one stands there if `second` is nil.
  static func contains(_ first: String, _ second: String? = nil, in statement: String) -> Bool {
    let words = pieces(of: statement).filter(\.isWord).map { $0.text }
    guard let second else { return words.contains(first) }
    return zip(words, words.dropFirst()).contains { $0 == first && $1 == second }
  }

  /// Words, and all that stands between them.
  private static func pieces(of statement: String) -> [(text: String, isWord: Bool)] {
    var pieces: [(text: String, isWord: Bool)] = []
    var quote: Character?
    for character in statement {
      let isPart = quote == nil && (character.isLetter || character.isNumber || character == "_")
      if let last = pieces.indices.last, pieces[last].isWord == isPart {
        pieces[last].text.append(character)
      } else {
        pieces.append((String(character), isPart))
      }
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      }
    }
    return pieces
  }
}
