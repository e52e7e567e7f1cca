import SQLSyntax
import Testing

@Suite("A query printed for Spark")
struct DialectTests {
  private func printed(_ text: String) throws -> String {
    guard case .select(let query)? = try parseStatements(text).first?.statement else { return "" }
    return SQLPrinter.text(of: query, for: .spark)
  }

  @Test(
    "has its quotes, types and parentheses",
    arguments: [
      ("SELECT \"Name\", \"a`b\", \"select\"", "SELECT `Name`, `a``b`, `select`"),
      ("SELECT 'it''s \\ so'", "SELECT 'it\\'s \\\\ so'"),
      (
        "SELECT a::int, b::text, c::numeric(8, 2)",
        "SELECT CAST(a AS int), CAST(b AS string), CAST(c AS decimal(8, 2))"
      ),
      ("SELECT a::timestamp[]", "SELECT CAST(a AS array<timestamp_ntz>)"),
      ("SELECT a = b IS NULL", "SELECT (a = b) IS NULL"),
      ("SELECT a IN (1) IS TRUE", "SELECT (a IN (1)) IS TRUE"),
      ("SELECT a | (b & c)", "SELECT a | (b & c)"),
      ("SELECT NOT a IS NULL AND b", "SELECT NOT a IS NULL AND b"),
      ("SELECT * FROM t OFFSET 2 LIMIT 1", "SELECT * FROM t LIMIT 1 OFFSET 2"),
    ])
  func text(_ query: String, _ text: String) throws {
    #expect(try printed(query) == text)
  }
}
