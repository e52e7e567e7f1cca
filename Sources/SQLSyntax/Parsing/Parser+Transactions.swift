import Diagnostics

/// Transactions, settings and what else concerns the session.
extension Parser {
  mutating func parseTransaction(_ keyword: Keyword) throws(ParseFailure) -> Statement {
    let start = self.start
    advance()
    let statement: TransactionStatement
    switch keyword {
    case .begin:
      skipWork()
      statement = .begin(try parseModes())
    case .start:
      try expect(.transaction)
      statement = .begin(try parseModes())
    case .commit where at(.prepared), .rollback where at(.prepared):
      advance()
      _ = try parseString()
      statement = .twoPhase("\(keyword.name.uppercased()) PREPARED")
    case .commit, .end:
      skipWork()
      statement = .commit(chain: try parseChainClause())
    case .rollback:
      skipWork()
      if take(.to) {
        _ = take(.savepoint)
        statement = .rollbackTo(try parseName())
      } else {
        statement = .rollback(chain: try parseChainClause())
      }
    case .abort:
      skipWork()
      statement = .rollback(chain: try parseChainClause())
    case .savepoint: statement = .savepoint(try parseName())
    default:
      _ = take(.savepoint)
      statement = .release(try parseName())
    }
    return .transaction(statement, range(from: start))
  }

  private mutating func skipWork() { if !take(.work) { _ = take(.transaction) } }

  private mutating func parseChainClause() throws(ParseFailure) -> Bool {
    guard take(.and) else { return false }
    let isNegated = take(.no)
    try expect(.chain)
    return !isNegated
  }

  /// Modes of a transaction, with or without commas; maybe none.
  private mutating func parseModes() throws(ParseFailure) -> TransactionModes {
    var modes = TransactionModes()
    while !isAtEnd {
      switch keyword {
      case .isolation:
        advance()
        try expect(.level)
        modes.isolation = try parseIsolation()
      case .read:
        advance()
        modes.isReadOnly = at(.only)
        if !take(.only) { try expect(.write) }
      case .deferrable:
        advance()
        modes.isDeferrable = true
      case .not:
        advance()
        try expect(.deferrable)
        modes.isDeferrable = false
      default: throw syntaxError()
      }
      if take(.comma), isAtEnd { throw syntaxError() }
    }
    return modes
  }

  private mutating func parseIsolation() throws(ParseFailure) -> TransactionModes.Isolation {
    if take(.serializable) { return .serializable }
    if take(.repeatable, .read) { return .repeatableRead }
    if take(.read, .committed) { return .readCommitted }
    if take(.read, .uncommitted) { return .readUncommitted }
    if take(.read) || take(.repeatable) { throw syntaxError() }
    throw syntaxError()
  }

  // MARK: Settings

  mutating func parseSet() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.set)
    if take(.constraints) { return try parseSetConstraints(start) }
    var setting = SettingStatement(name: "", scope: .session, action: .reset, range: .none)
    if take(.local) {
      setting.scope = .local
    } else if at(.session), isKeyword(peek(), .characteristics) {
      index += 2
      try expect(.as, .transaction)
      setting.name = "session characteristics"
      setting.action = .sessionModes(try parseModes())
      setting.range = range(from: start)
      return .setting(setting)
    } else if at(.session), peek().kind != .equal, !isKeyword(peek(), .to) {
      advance()
    }
    try parseSettingBody(&setting)
    setting.range = range(from: start)
    return .setting(setting)
  }

  private mutating func parseSettingBody(
    _ setting: inout SettingStatement
  ) throws(ParseFailure) {
    switch keyword {
    case .transaction where peek().kind == .keyword:
      advance()
      if at(.snapshot) { throw unsupported("SET TRANSACTION SNAPSHOT", at: range(of: token)) }
      setting.name = "transaction"
      setting.action = .transactionModes(try parseModes())
    case .time where isKeyword(peek(), .zone):
      index += 2
      setting.name = "timezone"
      try parseZone(&setting)
    case .schema:
      advance()
      setting.name = "search_path"
      setting.action = .set([.string(try parseString())])
    case .names:
      advance()
      setting.name = "client_encoding"
      if token.isString {
        setting.action = .set([.string(try parseString())])
      } else {
        _ = take(.default)
      }
    case .role:
      advance()
      setting.name = "role"
      setting.action = .set([try parseSettingValue()])
    case .authorization:
      advance()
      setting.name = "session_authorization"
      if !take(.default) { setting.action = .set([try parseSettingValue()]) }
    default: try parseGenericSetting(&setting)
    }
  }

  private mutating func parseZone(_ setting: inout SettingStatement) throws(ParseFailure) {
    if take(.default) || take(.local) { return }
    if at(.interval) {
      let value = try parsePrimary()
      guard case .typedLiteral(let type, let text) = value.kind else { throw syntaxError() }
      let fields = type.intervalFields.map { " " + $0.rawValue } ?? ""
      setting.action = .set([.string("INTERVAL '\(text)'\(fields)")])
    } else {
      setting.action = .set([try parseSettingValue()])
    }
  }

  private mutating func parseGenericSetting(
    _ setting: inout SettingStatement
  ) throws(ParseFailure) {
    setting.name = try parseSettingName()
    if take(.from) {
      try expect(.current)
      return
    }
    if !take(.to) { try expect(.equal) }
    if take(.default) { return }
    var values = [try parseSettingValue()]
    while take(.comma) { values.append(try parseSettingValue()) }
    setting.action = .set(values)
  }

  /// A setting's name in lower case, with dots if it has several parts.
  private mutating func parseSettingName() throws(ParseFailure) -> String {
    var name = try parseName().name
    while take(.dot) { name += "." + (try parseName().name) }
    return name
  }

  private mutating func parseSettingValue() throws(ParseFailure) -> DefinitionOption.Value {
    let token = self.token
    if token.isString { return .string(try parseString()) }
    switch token.kind {
    case .wholeNumber, .fraction, .minus, .plus: return try parseNumberValue()
    case .keyword:
      if token.keyword == .true {
        advance()
        return .boolean(true)
      }
      if token.keyword == .false {
        advance()
        return .boolean(false)
      }
      if token.keyword == .on {
        advance()
        return .word("on")
      }
      return .word(try parseNonReservedWord().name)
    case .endOfText, .failure, .stray, .identifier, .quotedIdentifier, .unicodeIdentifier,
      .dollarNumber, .string, .escapeString, .unicodeString, .nationalString, .dollarString,
      .bitString, .hexString, .leftParen, .rightParen, .leftBracket, .rightBracket, .comma,
      .semicolon, .dot, .dotDot, .colon, .colonEquals, .typecast, .arrow, .star, .slash, .percent,
      .caret, .less, .greater, .equal, .lessEqual, .greaterEqual, .notEqual, .symbol:
      return .word(try parseNonReservedWord().name)
    }
  }

  /// A number with an optional sign as the value of an option.
  mutating func parseNumberValue() throws(ParseFailure) -> DefinitionOption.Value {
    let isNegative = take(.minus)
    if !isNegative { _ = take(.plus) }
    guard at(.wholeNumber) || at(.fraction) else { throw syntaxError() }
    var literal = number(token)
    advance()
    if isNegative, let negative = literal.negated { literal = negative }
    switch literal {
    case .integer(let value): return .integer(value)
    case .decimal(let digits): return .decimal(digits)
    case .string, .bitString, .boolean, .null: throw syntaxError()
    }
  }

  private mutating func parseSetConstraints(_ start: Int) throws(ParseFailure) -> Statement {
    let names: [QualifiedName] = take(.all) ? [] : try parseQualifiedNameList()
    let isDeferred = take(.deferred)
    if !isDeferred { try expect(.immediate) }
    return .setConstraints(
      SetConstraintsStatement(names: names, isDeferred: isDeferred, range: range(from: start)))
  }

  mutating func parseReset() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.reset)
    var setting = SettingStatement(name: "", scope: .session, action: .reset, range: .none)
    if take(.all) {
      setting.action = .resetAll
    } else {
      setting.name = try parseShownName()
    }
    setting.range = range(from: start)
    return .setting(setting)
  }

  mutating func parseShow() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.show)
    var setting = SettingStatement(name: "", scope: .session, action: .show, range: .none)
    if at(.all) && isKeyword(peek(), .tables) { advance() }
    if take(.tables) {
      return .describe(DescribeStatement(.tables, isSummary: false, range: range(from: start)))
    }
    if take(.all) {
      setting.action = .showAll
    } else {
      setting.name = try parseShownName()
    }
    setting.range = range(from: start)
    return .setting(setting)
  }

  /// The name after SHOW or RESET, some of which are two words.
  private mutating func parseShownName() throws(ParseFailure) -> String {
    if take(.time, .zone) { return "timezone" }
    if take(.transaction, .isolation) {
      try expect(.level)
      return "transaction_isolation"
    }
    if take(.session, .authorization) { return "session_authorization" }
    return try parseSettingName()
  }
}
