/// The words and marks of a statement that is being typed, as far as completion must know them.
struct StatementTokens {
  /// One word or mark.
  enum Token: Equatable {
    /// An identifier or keyword, folded to lower case unless it was quoted.
    case word(String)
    /// Any other character: a comma, a parenthesis, a dot, an operator.
    case mark(Character)
    /// A constant.
    case constant
  }
  /// The tokens of the statement before the word at the cursor.
  private(set) var before: [Token] = []
  /// The word at the cursor as it was typed; empty between words.
  private(set) var word = ""
  /// Whether the cursor stands in a string, where nothing is completed.
  private(set) var isInString = false

  /// Reads the text before the cursor; statements that have ended are forgotten.
  ///
  /// - Complexity: O(characters).
  init(_ text: String) {
    let typed = String(text.reversed().prefix(while: Self.isNamePart).reversed())
    var rest = text.dropLast(typed.count)
    while let character = rest.first {
      switch character {
      case "'":
        guard let next = Self.behind("'", rest) else {
          isInString = true
          return
        }
        before.append(.constant)
        rest = next
      case "\"":
        let next = Self.behind("\"", rest)
        let name = rest.dropFirst().prefix { $0 != "\"" }
        before.append(.word(String(name)))
        rest = next ?? rest[rest.endIndex...]
      case "-" where rest.hasPrefix("--"):
        rest = rest.drop { !$0.isNewline }
      case ";":
        before.removeAll()
        rest.removeFirst()
      case _ where character.isWhitespace: rest.removeFirst()
      case _ where Self.isNamePart(character):
        let name = rest.prefix(while: Self.isNamePart)
        let isNumber = name.first?.isNumber ?? false
        before.append(isNumber ? .constant : .word(name.lowercased()))
        rest = rest.dropFirst(name.count)
      default:
        before.append(.mark(character))
        rest.removeFirst()
      }
    }
    word = typed
  }

  private static func behind(_ quote: Character, _ text: Substring) -> Substring? {
    let inner = text.dropFirst()
    guard let end = inner.firstIndex(of: quote) else { return nil }
    return inner[inner.index(after: end)...]
  }

  static func isNamePart(_ character: Character) -> Bool {
    character == "_" || character.isLetter || character.isNumber
  }
}
