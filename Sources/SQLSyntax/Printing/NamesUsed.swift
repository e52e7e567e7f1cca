/// The names that a query uses, whatever they name: more than the columns that it reads, and never fewer.
///
/// Whoever makes a table only for one query makes the columns that may be asked for, and need not bind the query first.
package struct NamesUsed: Sendable {
  /// All names; nil if the query takes columns that it does not name.
  private let names: Set<String>?
  /// Names that stand by themselves, as a column or a whole row does, other than where they are given.
  private let bareNames: Set<String>

  /// What statements use that are no queries.
  package static let all = NamesUsed(names: nil, bareNames: [])

  private init(names: Set<String>?, bareNames: Set<String>) {
    self.names = names
    self.bareNames = bareNames
  }

  /// - Complexity: O(*n*) in the query's text.
  package init(in query: SelectStatement) {
    let bytes = Array(SQLPrinter.text(of: query).utf8)
    let text = TokenText(bytes: bytes)
    var lexer = Lexer(bytes)
    lexer.run()
    var names: Set<String> = []
    var bareNames: Set<String> = []
    var takesAll = lexer.failure != nil
    let tokens = lexer.tokens
    for (index, token) in tokens.enumerated() {
      let before = index > 0 ? tokens[index - 1] : token
      switch token.kind {
      case .star:
        // Elsewhere it multiplies, or stands in `count(*)`.
        takesAll =
          takesAll || before.kind == .keyword || before.kind == .comma || before.kind == .dot
      case .identifier, .quotedIdentifier, .unicodeIdentifier, .keyword:
        if token.kind == .keyword, token.keyword == .natural || token.keyword == .table {
          takesAll = true
        }
        let name = token.kind == .quotedIdentifier ? text.quotedName(token) : text.foldedName(token)
        names.insert(name)
        let isGiven = before.isString || before.kind == .keyword && before.keyword == .as
        let isQualifier = index + 1 < tokens.count && tokens[index + 1].kind == .dot
        if !isGiven && !isQualifier { bareNames.insert(name) }
      case .endOfText, .failure, .stray, .wholeNumber, .fraction, .dollarNumber, .string,
        .escapeString, .unicodeString, .nationalString, .dollarString, .bitString, .hexString,
        .leftParen, .rightParen, .leftBracket, .rightBracket, .comma, .semicolon, .dot, .dotDot,
        .colon, .colonEquals, .typecast, .arrow, .plus, .minus, .slash, .percent, .caret, .less,
        .greater, .equal, .lessEqual, .greaterEqual, .notEqual, .symbol:
        break
      }
    }
    self.init(names: takesAll ? nil : names, bareNames: bareNames)
  }

  /// Whether a column of this name may be asked for of a table that is called `table`.
  package func mayUse(_ column: String, of table: String) -> Bool {
    guard let names, !bareNames.contains(table) else { return true }
    return names.contains(column)
  }
}
