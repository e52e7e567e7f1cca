import Diagnostics

/// EXPLAIN, prepared statements, cursors and maintenance.
extension Parser {
  mutating func parseExplain() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.explain)
    var options: [DefinitionOption] = []
    if at(.leftParen), !isQueryParen(index) {
      options = try parseUtilityOptions()
    } else {
      for keyword in [Keyword.analyze, .analyse, .verbose] where at(keyword) {
        let name = keyword == .verbose ? "verbose" : "analyze"
        options.append(DefinitionOption(name: name, value: nil, range: range(of: token)))
        advance()
      }
    }
    try enter()
    let statement = try parseExplainable()
    leave()
    return .explain(
      ExplainStatement(statement: statement, options: options, range: range(from: start)))
  }

  private mutating func parseExplainable() throws(ParseFailure) -> Statement {
    switch keyword {
    case .create: return try parseCreate()
    case .execute: return try parseExecute()
    case .declare: return try parseDeclare()
    case .refresh: return try parseRefresh()
    default: return try parsePreparable()
    }
  }

  /// `(name [value], …)` of EXPLAIN, VACUUM and their like.
  mutating func parseUtilityOptions() throws(ParseFailure) -> [DefinitionOption] {
    try expect(.leftParen)
    var options: [DefinitionOption] = []
    repeat {
      let start = self.start
      let name: String
      if at(.analyze) || at(.analyse) {
        advance()
        name = "analyze"
      } else {
        name = try parseNonReservedWord().name
      }
      var value: DefinitionOption.Value?
      if !at(.comma), !at(.rightParen) { value = try parseOptionValue() }
      options.append(DefinitionOption(name: name, value: value, range: range(from: start)))
    } while take(.comma)
    try expect(.rightParen)
    return options
  }

  /// A word, string, number or truth value.
  mutating func parseOptionValue() throws(ParseFailure) -> DefinitionOption.Value {
    if token.isString { return .string(try parseString()) }
    switch token.kind {
    case .wholeNumber, .fraction, .minus, .plus: return try parseNumberValue()
    case .keyword where at(.true) || at(.false):
      let value = at(.true)
      advance()
      return .boolean(value)
    case .keyword where at(.on) || at(.none) || at(.default): return .word(try takeName().name)
    case .endOfText, .failure, .stray, .identifier, .quotedIdentifier, .unicodeIdentifier, .keyword,
      .dollarNumber, .string, .escapeString, .unicodeString, .nationalString, .dollarString,
      .bitString, .hexString, .leftParen, .rightParen, .leftBracket, .rightBracket, .comma,
      .semicolon, .dot, .dotDot, .colon, .colonEquals, .typecast, .arrow, .star, .slash, .percent,
      .caret, .less, .greater, .equal, .lessEqual, .greaterEqual, .notEqual, .symbol:
      return .word(try parseNonReservedWord().name)
    }
  }

  mutating func parsePrepare() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.prepare)
    if at(.transaction), peek().isString {
      index += 2
      return .transaction(.twoPhase("PREPARE TRANSACTION"), range(from: start))
    }
    let name = try parseName()
    var types: [TypeName] = []
    if take(.leftParen) {
      repeat { types.append(try parseTypeName()) } while take(.comma)
      try expect(.rightParen)
    }
    try expect(.as)
    let statement = try parsePreparable()
    return .prepare(
      PrepareStatement(
        name: name, parameterTypes: types, statement: statement, range: range(from: start)))
  }

  mutating func parseExecute() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.execute)
    let name = try parseName()
    var arguments: [Expression] = []
    if take(.leftParen) {
      arguments = try parseExpressionList()
      try expect(.rightParen)
    }
    return .execute(
      ExecuteStatement(name: name, arguments: arguments, range: range(from: start)))
  }

  mutating func parseDeallocate() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.deallocate)
    if at(.prepare), !(peek().kind == .endOfText || peek().kind == .semicolon) { advance() }
    let name: Identifier? = take(.all) ? nil : try parseName()
    return .deallocate(name, range(from: start))
  }

  // MARK: Cursors

  mutating func parseDeclare() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.declare)
    let name = try parseName()
    var isBinary = false
    var isScroll: Bool?
    loop: while let keyword {
      switch keyword {
      case .binary: isBinary = true
      case .insensitive, .asensitive: break
      case .scroll: isScroll = true
      case .no:
        advance()
        guard at(.scroll) else { throw syntaxError() }
        isScroll = false
      default: break loop
      }
      advance()
    }
    try expect(.cursor)
    var isHold = take(.with, .hold)
    if !isHold, take(.without, .hold) { isHold = false }
    try expect(.for)
    let query = try parseQuery()
    return .declareCursor(
      DeclareCursorStatement(
        name: name, query: query, isBinary: isBinary, isScroll: isScroll, isHold: isHold,
        range: range(from: start)))
  }

  mutating func parseFetch() throws(ParseFailure) -> Statement {
    let start = self.start
    let isMove = at(.move)
    advance()
    let direction = try parseDirection()
    if !take(.from) { _ = take(.in) }
    let cursor = try parseName()
    return .fetch(
      FetchStatement(
        cursor: cursor, direction: direction, isMove: isMove, range: range(from: start)))
  }

  private mutating func parseDirection() throws(ParseFailure) -> FetchStatement.Direction {
    if at(.wholeNumber) || at(.minus) || at(.plus) { return .forward(try parseSigned()) }
    // A word of direction alone is the cursor's name.
    let next = peek().kind
    if next == .endOfText || next == .semicolon { return at(.all) ? .forward(nil) : .forward(1) }
    switch keyword {
    case .next:
      advance()
      return .forward(1)
    case .prior:
      advance()
      return .backward(1)
    case .first:
      advance()
      return .absolute(1)
    case .last:
      advance()
      return .absolute(-1)
    case .absolute:
      advance()
      return .absolute(try parseSigned())
    case .relative:
      advance()
      return .relative(try parseSigned())
    case .all:
      advance()
      return .forward(nil)
    case .forward, .backward: return try parseForwardOrBackward()
    default: return .forward(1)
    }
  }

  private mutating func parseForwardOrBackward() throws(ParseFailure) -> FetchStatement.Direction {
    let isForward = at(.forward)
    advance()
    var count: Int64? = 1
    if take(.all) {
      count = nil
    } else if at(.wholeNumber) || at(.minus) || at(.plus) {
      count = try parseSigned()
    }
    return isForward ? .forward(count) : .backward(count)
  }

  mutating func parseClose() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.close)
    let name: Identifier? = take(.all) ? nil : try parseName()
    return .closeCursor(name, range(from: start))
  }

  // MARK: Others

  mutating func parseDo() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.do)
    var language: String?
    var body: String?
    while !isAtEnd {
      if take(.language) {
        language = token.isString ? try parseString() : try parseNonReservedWord().name
      } else {
        body = try parseString()
      }
    }
    guard let body else { throw syntaxError() }
    return .doBlock(DoStatement(language: language, body: body, range: range(from: start)))
  }

  mutating func parseCallStatement() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.call)
    let place = self.start
    let name = try parseFunctionName()
    guard at(.leftParen) else { throw syntaxError() }
    let call = try parseCall(name, place)
    guard case .function(let function) = call.kind else { throw syntaxError() }
    return .call(function, range(from: start))
  }

  mutating func parseLock() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.lock)
    _ = take(.table)
    var tables = [try parseRelation()]
    while take(.comma) { tables.append(try parseRelation()) }
    var words: [String] = []
    if take(.in) {
      while !at(.mode) {
        switch keyword {
        case .access, .row, .share, .exclusive, .update: words.append(token.keyword.name)
        default: throw syntaxError()
        }
        advance()
      }
      try expect(.mode)
    }
    let mode = words.isEmpty ? "ACCESS EXCLUSIVE" : words.joined(separator: " ").uppercased()
    let isNoWait = take(.nowait)
    return .lock(
      LockStatement(tables: tables, mode: mode, isNoWait: isNoWait, range: range(from: start)))
  }

  mutating func parseMaintenance(_ keyword: Keyword) throws(ParseFailure) -> Statement {
    let start = self.start
    advance()
    if keyword == .reindex { return try parseReindex(start) }
    if keyword == .cluster { return try parseCluster(start) }
    var options: [DefinitionOption] = []
    if at(.leftParen) {
      options = try parseUtilityOptions()
    } else {
      while at(.full) || at(.freeze) || at(.verbose) || at(.analyze) || at(.analyse) {
        options.append(
          DefinitionOption(name: token.keyword.name, value: nil, range: range(of: token)))
        advance()
      }
    }
    var tables: [MaintenanceStatement.Target] = []
    if !isAtEnd {
      repeat {
        let name = try parseQualifiedName()
        tables.append(.init(name: name, columns: try parseOptionalNameList()))
      } while take(.comma)
    }
    let kind = keyword == .vacuum ? MaintenanceStatement.Kind.vacuum : .analyze
    return .maintenance(
      MaintenanceStatement(kind: kind, options: options, tables: tables, range: range(from: start)))
  }

  private mutating func parseReindex(_ start: Int) throws(ParseFailure) -> Statement {
    let options = at(.leftParen) ? try parseUtilityOptions() : []
    let scope: MaintenanceStatement.Scope
    switch keyword {
    case .index: scope = .index
    case .table: scope = .table
    case .schema: scope = .schema
    case .system, .database: scope = .database
    default: throw syntaxError()
    }
    advance()
    _ = take(.concurrently)
    let name =
      scope == .index || scope == .table
      ? try parseQualifiedName() : QualifiedName(try parseName())
    return .maintenance(
      MaintenanceStatement(
        kind: .reindex, scope: scope, options: options,
        tables: [MaintenanceStatement.Target(name: name, columns: [])], range: range(from: start)))
  }

  private mutating func parseCluster(_ start: Int) throws(ParseFailure) -> Statement {
    let options = at(.leftParen) ? try parseUtilityOptions() : []
    if options.isEmpty { _ = take(.verbose) }
    var tables: [MaintenanceStatement.Target] = []
    if !isAtEnd {
      var name = try parseQualifiedName()
      if take(.using) {
        _ = try parseName()
      } else if take(.on) {
        name = try parseQualifiedName()
      }
      tables.append(MaintenanceStatement.Target(name: name, columns: []))
    }
    return .maintenance(
      MaintenanceStatement(
        kind: .cluster, options: options, tables: tables, range: range(from: start)))
  }

  mutating func parseRefresh() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.refresh)
    try expect(.materialized, .view)
    let isConcurrent = take(.concurrently)
    let name = try parseQualifiedName()
    let withData = try parseWithData()
    return .refresh(
      RefreshStatement(
        name: name, isConcurrent: isConcurrent, withData: withData, range: range(from: start)))
  }

  /// `WITH [NO] DATA`, if it comes next; true without it.
  mutating func parseWithData() throws(ParseFailure) -> Bool {
    guard at(.with), isKeyword(peek(), .data) || isKeyword(peek(), .no) else { return true }
    advance()
    let withData = !take(.no)
    try expect(.data)
    return withData
  }

  mutating func parseDiscard() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.discard)
    switch keyword {
    case .all, .plans, .sequences, .temp, .temporary:
      let word = at(.temporary) ? "TEMP" : token.keyword.name.uppercased()
      advance()
      return .discard(word, range(from: start))
    default: throw syntaxError()
    }
  }

  mutating func parseNotification(_ keyword: Keyword) throws(ParseFailure) -> Statement {
    let start = self.start
    advance()
    if keyword == .unlisten, take(.star) { return .unlisten(nil, range(from: start)) }
    let name = try parseName()
    if keyword == .listen { return .listen(name, range(from: start)) }
    if keyword == .unlisten { return .unlisten(name, range(from: start)) }
    let payload: String? = take(.comma) ? try parseString() : nil
    return .notify(name, payload: payload, range(from: start))
  }
}
