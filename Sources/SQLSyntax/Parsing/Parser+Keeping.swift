import Diagnostics

/// BACKUP, EXPORT and VERIFY: words of Junction's own, which no other statement begins with.
extension Parser {
  /// Whether the word in hand is this one, which is no key word.
  private func isWord(_ word: String) -> Bool {
    at(.identifier) && text.foldedName(token) == word
  }

  mutating func parseKeeping() throws(ParseFailure) -> Statement {
    let start = self.start
    if isWord("backup") {
      advance()
      try expect(.to)
      return .backup(file: try parseString(), range(from: start))
    }
    if isWord("export") {
      advance()
      let file = take(.to) ? try parseString() : nil
      return .export(file: file, range(from: start))
    }
    if isWord("describe") || isWord("summarize") { return try parseDescribe() }
    guard isWord("verify") else { throw syntaxError() }
    advance()
    return .verify(range(from: start))
  }

  /// `DESCRIBE` and `SUMMARIZE` with a table, a file or a query; DESCRIBE alone lists the tables.
  private mutating func parseDescribe() throws(ParseFailure) -> Statement {
    let start = self.start
    let isSummary = isWord("summarize")
    advance()
    var statement = DescribeStatement(.tables, isSummary: isSummary)
    if isAtQuery && !at(.table) {
      statement.subject = .query(try parseQuery())
    } else if isSummary || !isAtEnd {
      _ = take(.table)
      statement.subject = .relation(try parseRelationOrFile())
    }
    statement.range = range(from: start)
    return .describe(statement)
  }
}
