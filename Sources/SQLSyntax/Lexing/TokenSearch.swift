package import Diagnostics

/// Finds something by name in the text of a statement, for messages about what has no place of its own.
package struct TokenSearch: Sendable, Hashable {
  /// What is looked for.
  package enum Subject: Sendable, Hashable {
    /// A call of a function of this name.
    case function(String)
    /// An operator.
    case symbol(String)
    /// A word that stands by itself.
    case word(String)
  }

  private let subject: Subject

  package init(_ subject: Subject) { self.subject = subject }

  /// The first place where the subject stands; nil for none.
  ///
  /// - Complexity: O(*n*) in the length of the statement.
  package func firstRange(in statement: String) -> SourceRange? {
    let bytes = Array(statement.utf8)
    let text = TokenText(bytes: bytes)
    var lexer = Lexer(bytes)
    lexer.run()
    let tokens = lexer.tokens
    for (index, token) in tokens.enumerated() {
      let isName = token.kind == .identifier || token.kind == .keyword
      let range = SourceRange(Int(token.start), Int(token.end))
      let isFound: Bool
      switch subject {
      case .function(let name):
        isFound =
          isName && index + 1 < tokens.count && tokens[index + 1].kind == .leftParen
          && text.foldedName(token) == name
      case .symbol(let symbol):
        isFound =
          !isName && range.upper > range.lower
          && bytes[Int(range.lower)..<Int(range.upper)].elementsEqual(symbol.utf8)
      case .word(let word): isFound = isName && text.foldedName(token) == word
      }
      if isFound { return range }
    }
    return nil
  }
}
