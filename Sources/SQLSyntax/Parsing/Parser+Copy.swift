import Diagnostics

/// COPY.
extension Parser {
  mutating func parseCopy() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.copy)
    var options: [DefinitionOption] = []
    if at(.binary) { options.append(option("format", .word("binary"), advancing: true)) }
    let subject: CopyStatement.Subject
    let isQuery = at(.leftParen)
    if isQuery {
      advance()
      subject = .query(try parsePreparable())
      try expect(.rightParen)
    } else {
      let name = try parseQualifiedName()
      subject = .table(name, columns: try parseOptionalNameList())
    }
    let isFrom = at(.from) && !isQuery
    if !isFrom, !at(.to) { throw syntaxError() }
    advance()
    let endpoint = try parseEndpoint()
    if at(.delimiters) || (at(.using) && isKeyword(peek(), .delimiters)) {
      _ = take(.using)
      advance()
      options.append(option("delimiter", .string(try parseString())))
    }
    _ = take(.with)
    if at(.leftParen) {
      options += try parseCopyOptions()
    } else {
      try parseOldCopyOptions(&options)
    }
    var filter: Expression?
    if at(.where) {
      if !isFrom {
        throw fail(
          SQLError(
            .syntaxError, "WHERE clause not allowed with COPY TO", at: range(of: token)))
      }
      advance()
      filter = try parseExpression()
    }
    return .copy(
      CopyStatement(
        subject: subject, isFrom: isFrom, endpoint: endpoint, options: options, filter: filter,
        range: range(from: start)))
  }

  private mutating func parseEndpoint() throws(ParseFailure) -> CopyStatement.Endpoint {
    if take(.stdin) || take(.stdout) { return .standardStream }
    if take(.program) { return .program(try parseString()) }
    return .file(try parseString())
  }

  /// An option that the words just taken, or the word in hand, stand for.
  private mutating func option(
    _ name: String, _ value: DefinitionOption.Value?, advancing: Bool = false
  ) -> DefinitionOption {
    let place = range(of: advancing ? token : tokens[max(index - 1, 0)])
    if advancing { advance() }
    return DefinitionOption(name: name, value: value, range: place)
  }

  /// `(name value, …)`.
  private mutating func parseCopyOptions() throws(ParseFailure) -> [DefinitionOption] {
    try expect(.leftParen)
    var options: [DefinitionOption] = []
    repeat {
      let start = self.start
      let name = try parseLabel().name
      var value: DefinitionOption.Value?
      if take(.star) {
        value = .all
      } else if at(.leftParen) {
        value = .list(try parseWordList())
      } else if !at(.comma), !at(.rightParen) {
        value = try parseOptionValue()
      }
      options.append(DefinitionOption(name: name, value: value, range: range(from: start)))
    } while take(.comma)
    try expect(.rightParen)
    return options
  }

  /// `(word or string, …)`.
  private mutating func parseWordList() throws(ParseFailure) -> [String] {
    try expect(.leftParen)
    var words: [String] = []
    repeat {
      words.append(token.isString ? try parseString() : try parseNonReservedWord().name)
    } while take(.comma)
    try expect(.rightParen)
    return words
  }

  /// The options of before PostgreSQL 9, in any order and without parentheses; also REJECTS.
  private mutating func parseOldCopyOptions(
    _ options: inout [DefinitionOption]
  ) throws(ParseFailure) {
    while !isAtEnd, !at(.where) {
      switch keyword {
      case .binary: options.append(option("format", .word("binary"), advancing: true))
      case .csv: options.append(option("format", .word("csv"), advancing: true))
      case .freeze: options.append(option("freeze", .boolean(true), advancing: true))
      case .header: options.append(option("header", .boolean(true), advancing: true))
      case .delimiter, .null, .quote, .escape, .encoding:
        let name = token.keyword.name
        advance()
        if name != "encoding" { _ = take(.as) }
        options.append(option(name, .string(try parseString())))
      case .force: try parseForce(&options)
      case nil where isRejects:
        advance()
        options.append(option("rejects", .string(try parseString())))
      default: throw syntaxError()
      }
    }
  }

  /// Whether REJECTS, a word of Junction's own, and a file's name come next.
  private var isRejects: Bool {
    at(.identifier) && peek().isString && text.foldedName(token) == "rejects"
  }

  /// `FORCE QUOTE columns | *`, `FORCE NOT NULL columns`, `FORCE NULL columns`.
  private mutating func parseForce(_ options: inout [DefinitionOption]) throws(ParseFailure) {
    advance()
    let name: String
    if take(.quote) {
      name = "force_quote"
    } else if take(.not, .null) {
      name = "force_not_null"
    } else {
      try expect(.null)
      name = "force_null"
    }
    if take(.star) {
      options.append(option(name, .all))
    } else {
      options.append(option(name, .list(try parseNameList().map(\.name))))
    }
  }
}
