import Diagnostics

/// The choice among statements.
extension Parser {
  /// All statements up to the end of the text.
  mutating func parseAll() throws(ParseFailure) -> [ParsedStatement] {
    var statements: [ParsedStatement] = []
    while true {
      while take(.semicolon) {}
      if at(.endOfText) { return statements }
      statements.append(try parseOne())
    }
  }

  /// One statement, which a semicolon or the end of the text must follow.
  mutating func parseOne() throws(ParseFailure) -> ParsedStatement {
    let start = self.start
    startMeasuring()
    parameterCount = 0
    let statement = try parseStatement()
    guard isAtEnd else { throw syntaxError() }
    return ParsedStatement(
      statement: statement, range: range(from: start), parameterCount: parameterCount,
      height: highest)
  }

  /// One statement.
  mutating func parseStatement() throws(ParseFailure) -> Statement {
    if at(.leftParen) { return .select(try parseQuery()) }
    guard let keyword else { return try parseKeeping() }
    switch keyword {
    case .select, .values, .table, .with, .from, .insert, .update, .delete, .merge:
      return try parsePreparable()
    case .create: return try parseCreate()
    case .alter: return try parseAlter()
    case .drop: return try parseDrop()
    case .truncate: return try parseTruncate()
    case .copy: return try parseCopy()
    case .comment: return try parseComment()
    default: return try parseSessionStatement(keyword)
    }
  }

  private mutating func parseSessionStatement(
    _ keyword: Keyword
  ) throws(ParseFailure) -> Statement {
    switch keyword {
    case .begin, .start, .commit, .end, .rollback, .abort, .savepoint, .release:
      return try parseTransaction(keyword)
    case .set: return try parseSet()
    case .reset: return try parseReset()
    case .show: return try parseShow()
    case .explain: return try parseExplain()
    case .prepare: return try parsePrepare()
    case .execute: return try parseExecute()
    case .deallocate: return try parseDeallocate()
    case .declare: return try parseDeclare()
    case .fetch, .move: return try parseFetch()
    case .close: return try parseClose()
    case .do: return try parseDo()
    case .call: return try parseCallStatement()
    case .lock: return try parseLock()
    default: return try parseUtility(keyword)
    }
  }

  private mutating func parseUtility(_ keyword: Keyword) throws(ParseFailure) -> Statement {
    let start = self.start
    switch keyword {
    case .vacuum, .analyze, .analyse, .reindex, .cluster: return try parseMaintenance(keyword)
    case .refresh: return try parseRefresh()
    case .grant, .revoke:
      advance()
      skipStatement()
      let isGrant = keyword == .grant
      return .privileges(PrivilegeStatement(isGrant: isGrant, range: range(from: start)))
    case .checkpoint:
      advance()
      return .checkpoint(range(from: start))
    case .discard: return try parseDiscard()
    case .listen, .notify, .unlisten: return try parseNotification(keyword)
    case .import, .load, .reassign, .security:
      return skipUnsupported(keyword.name.uppercased(), start)
    default: throw syntaxError()
    }
  }

  /// Moves to the end of the statement.
  mutating func skipStatement() { while !isAtEnd, !at(.failure) { advance() } }

  /// Makes of the rest a statement that is refused by name.
  mutating func skipUnsupported(_ what: String, _ start: Int) -> Statement {
    skipStatement()
    return .unsupported(UnsupportedStatement(what: what, range: range(from: start)))
  }
}
