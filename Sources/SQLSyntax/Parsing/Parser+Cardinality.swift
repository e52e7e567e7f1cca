import Diagnostics

/// CARDINALITY, a constraint that PostgreSQL does not have.
extension Parser {
  /// Whether the constraint begins here: the word is a name anywhere else.
  var isAtCardinality: Bool { at(word: "cardinality") && peek().kind == .leftParen }

  /// `CARDINALITY (columns) BETWEEN low AND high`.
  mutating func parseCardinality() throws(ParseFailure) -> CardinalityClause {
    advance()
    try expect(.leftParen)
    let columns = try parseNameList()
    try expect(.rightParen)
    try expect(.between)
    let start = self.start
    let low = try parseBound()
    try expect(.and)
    let high = try parseBound()
    return CardinalityClause(
      columns: columns, low: low, high: high, boundsRange: range(from: start))
  }

  /// - Throws: 22023 for anything but a whole number.
  private mutating func parseBound() throws(ParseFailure) -> Int64 {
    if isAtEnd || at(.rightParen) || at(.comma) { throw syntaxError() }
    let number = at(.minus) || at(.plus) ? peek() : token
    guard number.kind == .wholeNumber, case .integer = self.number(number) else {
      throw fail(
        SQLError(
          .invalidParameterValue, "a bound of a cardinality constraint must be a whole number",
          at: range(of: number)))
    }
    return try parseSigned()
  }
}
