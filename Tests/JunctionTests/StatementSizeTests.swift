import Diagnostics
import Foundation
import Junction
import Testing

@Suite("A statement of any size")
struct StatementSizeTests {
  private static func chain(_ length: Int) -> String {
    "WITH c0 AS (SELECT 1 AS a)"
      + (1..<length).map { ", c\($0) AS (SELECT a + 1 AS a FROM c\($0 - 1))" }.joined()
      + " SELECT a FROM c\(length - 1)"
  }

  @Test("may chain many common table expressions", arguments: [2, 150, 600])
  func chains(_ length: Int) throws {
    let rows = try Database().connect().query(Self.chain(length))
    #expect(rows.value(row: 0, column: 0) == .integer(Int64(length)))
  }

  @Test("is refused where the chain is too long, at once", arguments: [2_000, 5_000, 20_000])
  func longChains(_ length: Int) {
    let error = #expect(throws: SQLError.self) {
      try Database().connect().query(Self.chain(length))
    }
    #expect(error?.state == .statementTooComplex)
    #expect(error?.message == "stack depth limit exceeded")
  }

  @Test("is refused where common tables that are used twice are too many")
  func doubledChains() throws {
    let length = 3_000
    let error = #expect(throws: SQLError.self) {
      try Database().connect().query(
        "WITH c0 AS (SELECT 1 AS a)"
          + (1..<length).map {
            ", c\($0) AS (SELECT x.a FROM c\($0 - 1) x JOIN c\($0 - 1) y ON x.a = y.a)"
          }.joined() + " SELECT a FROM c\(length - 1)")
    }
    #expect(error?.state == .statementTooComplex)
  }

  @Test("puts each definition where it is used, also behind a use in another")
  func placement() throws {
    let rows = try Database().connect().query(
      """
      WITH a AS (SELECT 1 AS n), b AS (SELECT n + 1 AS n FROM a), c AS (SELECT 10 AS n),
        d AS (SELECT b.n * c.n AS n FROM b, c), e AS (SELECT 5 AS n)
      SELECT (SELECT n FROM d) + max(x.n) FROM (SELECT n FROM e UNION ALL SELECT 7) x
      """)
    #expect(rows.value(row: 0, column: 0) == .integer(27))
  }

  @Test("takes time in proportion to its lists")
  func lists() throws {
    let connection = Database().connect()
    try connection.execute(
      "CREATE TABLE t (a integer, b integer); INSERT INTO t VALUES (1, 2), (-1, -1)")
    func seconds(_ count: Int) throws -> Double {
      let numbers = (0..<count).map(String.init).joined(separator: ",")
      let terms = (0..<count / 4).map { "(a = \($0) AND b = \($0 + 1))" }.joined(separator: " OR ")
      let equalities = (0..<count / 4).map { "a = \($0)" }.joined(separator: " OR ")
      let start = ContinuousClock.now
      for (condition, expected) in [
        ("a IN (\(numbers))", 1), ("a NOT IN (\(numbers))", 1), ("a = ANY (ARRAY[\(numbers)])", 1),
        (terms, 1), (equalities, 1),
      ] {
        let rows = try connection.query("SELECT count(*) FROM t WHERE \(condition)")
        #expect(rows.value(row: 0, column: 0) == .integer(Int64(expected)))
      }
      return (ContinuousClock.now - start) / .seconds(1)
    }
    _ = try seconds(100)
    let few = try seconds(2_000)
    let many = try seconds(16_000)
    // Eight times as much in eight times the time, and some for a machine that does other things as well.
    #expect(many < 8 * few * 3 + 1, "\(few) s and \(many) s")
  }

  /// Statements that nest as deeply as the parser lets them, and what they give.
  private static let deepStatements: [(sql: String, answer: SQLValue)] = [
    ("SELECT a" + String(repeating: " + 1", count: 990) + " FROM (SELECT 1 AS a) x", .integer(991)),
    (
      "SELECT sum(a" + String(repeating: " + 1", count: 980) + ") FROM generate_series(1, 9) a",
      .integer(8865)
    ),
    ("SELECT 1" + String(repeating: "::int", count: 900), .integer(1)),
    (
      "SELECT " + String(repeating: "(", count: 120) + "1" + String(repeating: ")", count: 120),
      .integer(1)
    ),
    (
      "SELECT " + String(repeating: "abs(", count: 120) + "-1" + String(repeating: ")", count: 120),
      .integer(1)
    ),
    (
      "SELECT * FROM " + String(repeating: "(SELECT * FROM ", count: 60) + "(SELECT 1)"
        + (0...60).map { " x\($0))" }.joined().dropLast(), .integer(1)
    ),
    (
      String(repeating: "SELECT (", count: 60) + "SELECT 1" + String(repeating: ")", count: 60),
      .integer(1)
    ),
    (
      "CREATE TABLE deep (a int CHECK (a" + String(repeating: " + 1", count: 900) + " > 0))", .null
    ),
    (
      "CREATE VIEW high AS SELECT a" + String(repeating: " + 1", count: 900)
        + " AS a FROM (SELECT 1 AS a) x; SELECT a FROM high", .integer(901)
    ),
  ]

  @Test(
    "may nest as deeply as the parser lets it, on a stack of 512 KB",
    arguments: deepStatements.indices)
  func deepStatement(_ index: Int) async throws {
    let (sql, answer) = Self.deepStatements[index]
    let found = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<SQLValue, any Error>) in
      let thread = Thread {
        continuation.resume(
          with: Result {
            let rows = try Database().connect().query(sql)
            return rows.count > 0 ? rows.value(row: 0, column: 0) : .null
          })
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(found == answer)
  }
}
