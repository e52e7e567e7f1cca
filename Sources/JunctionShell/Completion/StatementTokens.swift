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
  /// What the cursor stands in the middle of.
  enum Opening: Equatable {
    /// Nothing that would have to be closed.
    case none
    /// A name in double quotes, whose quote is part of `word`.
    case name
    /// A string in single quotes, of which this is there.
    case string(String)
    /// A comment, or a string in dollars, where nothing is completed.
    case other
  }
  private(set) var opening = Opening.none

  /// Reads the text before the cursor; statements that have ended are forgotten.
  ///
  /// - Complexity: O(characters).
  init(_ text: String) {
    let typed = String(text.reversed().prefix(while: Self.isNamePart).reversed())
    var pieces = TextPieces(text.dropLast(typed.count))
    var open = ""
    while let piece = pieces.next() {
      let spelled = String(decoding: pieces.bytes[piece.range], as: UTF8.self)
      if !piece.isClosed {
        open = spelled
        opening =
          piece.kind == .name ? .name : spelled.hasPrefix("'") ? .string("") : .other
        break
      }
      switch piece.kind {
      case .space, .comment: break
      case .string, .number: before.append(.constant)
      case .word: before.append(.word(spelled.lowercased()))
      case .name:
        let name = String(spelled.dropFirst().dropLast())
        before.append(.word(name.replacing("\"\"", with: "\"")))
      case .mark where spelled == ";": before.removeAll()
      case .mark: if let mark = spelled.first { before.append(.mark(mark)) }
      }
    }
    word = opening == .name ? open + typed : typed
    if case .string = opening { opening = .string(open.dropFirst() + typed) }
  }

  /// Reads the text behind the cursor, up to the end of its statement.
  init(firstOf text: String) {
    var pieces = TextPieces(text)
    var end = 0
    while let piece = pieces.next(), pieces.bytes[piece.range] != [UInt8(ascii: ";")] {
      end = piece.range.upperBound
    }
    // A blank at the end makes the last word one of those before the cursor.
    self.init(String(decoding: pieces.bytes[..<end], as: UTF8.self) + " ")
  }

  static func isNamePart(_ character: Character) -> Bool {
    character == "_" || character.isLetter || character.isNumber
  }
}
