import Testing

@testable import Hunting

@Suite("What was found is made small:")
struct ReducerTests {
  @Test("of a list only what is needed is left")
  func list() {
    var reducer = Reducer()
    let least = reducer.reduce(Array(0..<100)) { $0.contains(17) && $0.contains(71) }
    #expect(least == [17, 71])
  }

  @Test("of a statement only what is needed is left, in whole parentheses")
  func statement() {
    var reducer = Reducer()
    let sql = "SELECT a, (b + c) FROM t x JOIN u y ON (x.a = y.a AND x.b IN (SELECT 1)) WHERE a < 3"
    let least = reducer.reduce(sql: sql) { $0.contains("FROM") && $0.contains("IN (SELECT 1)") }
    #expect(least == "FROM IN (SELECT 1)")
  }

  @Test("an order that an answer depends on stays")
  func order() {
    var reducer = Reducer()
    let sql = "SELECT a FROM t WHERE b > 1 ORDER BY a, b DESC LIMIT 3"
    let least = reducer.reduce(sql: sql) { $0.contains("LIMIT 3") }
    #expect(least == "ORDER BY a, b DESC LIMIT 3")
  }

  @Test("a column goes with its values and all that needs it")
  func column() {
    var table = HuntTable("t")
    table.columns = [HuntColumn("a", .integer), HuntColumn("b", .text), HuntColumn("c", .integer)]
    table.key = ["a", "b"]
    table.indexes = [["b"], ["c"]]
    table.rows = [["1", "'x'", "2"], ["3", "'y'", "4"]]
    #expect(
      table.without(column: 1).statements == [
        "CREATE TABLE t (a integer, c integer, PRIMARY KEY (a))", "CREATE INDEX ON t (c)",
        "INSERT INTO t VALUES (1, 2), (3, 4)",
      ])
  }

  @Test(
    "a text that is cut into tokens and put together is the same statement",
    arguments: [
      "SELECT 'it''s', \"a b\", x.y::int, 1.5e3 FROM t WHERE a <> 'é' AND b->>'c' IS NULL",
      "INSERT INTO t VALUES (1, 'a'), (2, NULL) ON CONFLICT (a) DO UPDATE SET b = excluded.b",
    ])
  func tokens(sql: String) { #expect(TokenText(sql).text == sql.replacing("->>", with: " ->> ")) }

  @Test("other numbers have other values of every type but boolean")
  func values() {
    for type in HuntType.allCases where type.isForKeys {
      for isWild in [false, true] {
        let literals = (0..<200).map { type.literal($0, isWild: isWild) }
        #expect(Set(literals).count == literals.count, "\(type)")
      }
    }
  }

  @Test("texts lie around what is held inline")
  func lengths() {
    let lengths = Set((0..<64).map { HuntType.text($0).utf8.count })
    #expect(lengths.isSuperset(of: [0, 6, 7, 8, 9, 11, 12, 13, 16, 40]))
  }
}
