import SQLSyntax
import Testing

@Suite("The printer")
struct PrinterTests {
  @Test("writes queries that read as the same tree", arguments: Sample.queries)
  func roundTrip(_ sql: String) throws {
    let tree = try parseStatement(sql).statement
    guard case .select(let query) = tree else {
      Issue.record("no query: \(sql)")
      return
    }
    let text = SQLPrinter.text(of: query)
    #expect(description(of: try parseStatement(text).statement) == description(of: tree), "\(text)")
  }

  @Test("accepts every statement of the sample", arguments: Sample.statements)
  func accepts(_ sql: String) throws { _ = try parseStatement(sql) }

  @Test(
    "writes no parentheses that the tree does not need",
    arguments: [
      ("((a + b)) * (c)", "(a + b) * c"), ("(a AND b) OR c", "a AND b OR c"),
      ("CAST(a AS int)", "a::integer"), ("('x')::char(3)[]", "'x'::character(3)[]"),
      ("\"Select\" <> \"a b\"", "\"Select\" <> \"a b\""), ("a != 'it''s'", "a <> 'it''s'"),
    ])
  func minimal(_ sql: String, _ expected: String) throws {
    #expect(SQLPrinter.text(of: try parseExpression(sql)) == expected)
  }
}
