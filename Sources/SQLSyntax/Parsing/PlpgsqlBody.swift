package import Diagnostics

/// The body of a PL/pgSQL function, as far as it says no more than a query or a value.
package enum PlpgsqlBody: Sendable {
  /// `BEGIN RETURN QUERY query; END`.
  case query(SelectStatement)
  /// `BEGIN RETURN expression; END`.
  case expression(Expression)

  /// Reads a body; ranges count from its start.
  ///
  /// - Throws: 42601 for what is no SQL, 0A000 for a body of any other shape.
  package init(_ text: String) throws(SQLError) {
    var parser = Parser(Array(text.utf8))
    do { self = try parser.parsePlpgsqlBody() } catch { throw parser.failure }
  }
}

extension Parser {
  /// `[DECLARE] BEGIN RETURN … END [;]`.
  fileprivate mutating func parsePlpgsqlBody() throws(ParseFailure) -> PlpgsqlBody {
    if take(.declare), !at(.begin) { throw unsupportedPlpgsql("DECLARE of variables") }
    try expect(.begin)
    guard at(.return) else { throw unsupportedPlpgsql(text.raw(token).uppercased()) }
    advance()
    let body: PlpgsqlBody
    if at(.identifier), text.foldedName(token) == "query" {
      advance()
      if at(.execute) { throw unsupportedPlpgsql("RETURN QUERY EXECUTE") }
      body = .query(try parseQuery())
    } else {
      if at(.next) { throw unsupportedPlpgsql("RETURN NEXT") }
      body = .expression(try parseExpression())
    }
    try expect(.semicolon)
    if at(.return), peek().kind == .semicolon { index += 2 }
    guard take(Keyword.end) else {
      throw unsupportedPlpgsql("\(text.raw(token).uppercased()) after RETURN")
    }
    _ = take(.semicolon)
    if !at(.endOfText) { throw syntaxError() }
    return body
  }

  private mutating func unsupportedPlpgsql(_ what: String) -> ParseFailure {
    unsupported("\(what) in PL/pgSQL", at: range(of: token))
  }
}
