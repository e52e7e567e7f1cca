import Diagnostics
import SQLSyntax
import Testing

/// A statement and what PostgreSQL says of it.
struct Refusal: Sendable, CustomTestStringConvertible {
  let sql: String
  let message: String
  let offset: Int
  let state: SQLState
  var testDescription: String { "\(sql.prefix(60)) → \(message)" }

  init(_ sql: String, _ message: String, at offset: Int, _ state: SQLState = .syntaxError) {
    self.sql = sql
    self.message = message
    self.offset = offset
    self.state = state
  }
}

@Suite("The parser")
struct ParserTests {
  @Test(
    "refuses in PostgreSQL's words",
    arguments: [
      Refusal("SELECT 1 +", "syntax error at end of input", at: 10),
      Refusal("SELECT * FORM t", "syntax error at or near \"FORM\"", at: 9),
      Refusal("SELECT 'abc", "unterminated quoted string at or near \"'abc\"", at: 7),
      Refusal("SELECT \"abc", "unterminated quoted identifier at or near \"\"abc\"", at: 7),
      Refusal("SELECT \"\"", "zero-length delimited identifier at or near \"\"\"\"", at: 7),
      Refusal("SELECT 1 /* a", "unterminated /* comment at or near \"/* a\"", at: 9),
      Refusal("SELECT $a$b", "unterminated dollar-quoted string at or near \"$a$b\"", at: 7),
      Refusal("SELECT 123abc", "trailing junk after numeric literal at or near \"123a\"", at: 7),
      Refusal("SELECT 1 < 2 < 3", "syntax error at or near \"<\"", at: 13),
      Refusal("SELECT a.*.b", "improper use of \"*\"", at: 10),
      Refusal("SELECT DEFAULT", "DEFAULT is not allowed in this context", at: 7),
      Refusal("SELECT 1 LIMIT 1, 2", "LIMIT #,# syntax is not supported", at: 9),
      Refusal("SELECT * FROM (SELECT 1)", "subquery in FROM must have an alias", at: 14),
      Refusal("CREATE TABLE t (a int", "syntax error at end of input", at: 21),
      Refusal("SELECT 1;; SELECT )", "syntax error at or near \")\"", at: 18),
      Refusal("SELECT E'\\u12'", "invalid Unicode escape", at: 9, .invalidEscapeSequence),
      Refusal("SELECT {", "syntax error at or near \"{\"", at: 7),
      Refusal("SELECT array_agg(x)[1]", "syntax error at or near \"[\"", at: 19),
    ])
  func refuses(_ refusal: Refusal) {
    let error = #expect(throws: SQLError.self) { try parseStatements(refusal.sql) }
    #expect(error?.message == refusal.message)
    #expect(error.map { Int($0.range.lower) } == refusal.offset)
    #expect(error?.state == refusal.state)
  }

  @Test(
    "groups operators as PostgreSQL does",
    arguments: [
      ("1 + 2 * 3 ^ 2", "1 + (2 * (3 ^ 2))"),
      ("- 2 ^ 2", "(-2) ^ 2"),
      ("2 ^ 3 ^ 2", "(2 ^ 3) ^ 2"),
      ("a = b IS NULL", "(a = b) IS NULL"),
      ("a IS NULL = b", "(a IS NULL) = b"),
      ("NOT a = b AND c OR d", "((NOT (a = b)) AND c) OR d"),
      ("a = NOT b = c", "a = (NOT (b = c))"),
      ("a || b + c", "a || (b + c)"),
      ("a + b LIKE c || d", "(a + b) LIKE (c || d)"),
      ("a BETWEEN b + 1 AND c OR d", "(a BETWEEN (b + 1) AND c) OR d"),
      ("-5::int2", "-(5::int2)"),
      ("a -> 'b' = c", "(a -> 'b') = c"),
      ("a AT TIME ZONE 'x' + b", "(a AT TIME ZONE 'x') + b"),
      ("a NOT IN (1, 2) = b", "(a NOT IN (1, 2)) = b"),
      ("@ -1 + 2", "@ ((-1) + 2)"),
      ("a < b AND b < c AND c < d", "((a < b) AND (b < c)) AND (c < d)"),
      ("a::int[] COLLATE \"C\"", "(a::int[]) COLLATE \"C\""),
    ])
  func groups(_ bare: String, _ grouped: String) throws {
    let left = description(of: try parseExpression(bare))
    #expect(left == description(of: try parseExpression(grouped)))
  }

  @Test(
    "ends deep nesting with an error, whatever is nested",
    arguments: [
      "(", "NOT ", "- ", "[", "ARRAY[", "(SELECT ", "CASE WHEN ", "f(", "a(", "((VALUES (",
      "EXISTS (",
      "a + (", "x IN (", "@ ", "SUBSTRING(", "OVERLAY(", "COALESCE(",
    ])
  func refusesDepth(_ piece: String) {
    let bomb = "SELECT " + String(repeating: piece, count: 1_000_000 / piece.utf8.count)
    #expect(throws: SQLError.self) { try parseStatements(bomb) }
  }

  @Test("bounds the height of chains", arguments: ["+", "||", "UNION SELECT", "- -", "::text ||"])
  func boundsHeight(_ link: String) throws {
    let chain = "SELECT " + Array(repeating: "1", count: 2_000).joined(separator: " \(link) ")
    let error = #expect(throws: SQLError.self) { try parseStatements(chain) }
    #expect(error?.state == .statementTooComplex)
  }

  @Test("keeps AND and OR flat, however long")
  func keepsChainsFlat() throws {
    let chain = Array(repeating: "a = 1", count: 20_000).joined(separator: " OR ")
    guard case .or(let operands) = try parseExpression(chain).kind else {
      Issue.record("no OR")
      return
    }
    #expect(operands.count == 20_000)
  }

  @Test("takes 100 levels of parentheses")
  func takesNesting() throws {
    let text = String(repeating: "(", count: 100) + "1" + String(repeating: ")", count: 100)
    #expect(description(of: try parseExpression(text)) == description(of: try parseExpression("1")))
  }

  @Test("never crashes on mutated statements")
  func survivesMutation() {
    var random = SeededGenerator(state: 20_240_615)
    let pieces = Sample.queries + Sample.statements
    for _ in 0..<3_000 {
      guard let first = pieces.randomElement(using: &random),
        let second = pieces.randomElement(using: &random)
      else { return }
      var bytes = Array(first.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.insert(UInt8.random(in: 1...126, using: &random), at: place)
        case 1: if place < bytes.count { bytes.remove(at: place) }
        case 2: bytes.removeSubrange(place...)
        default:
          let cut = Int.random(in: 0...second.utf8.count, using: &random)
          bytes.insert(contentsOf: Array(second.utf8)[cut...], at: place)
        }
      }
      _ = try? parseStatements(bytes)
    }
  }
}

/// A generator whose numbers follow from its seed.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
