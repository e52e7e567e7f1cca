import Diagnostics
import Junction
import Testing

@Suite("SQL with values in it")
struct SQLTests {
  private enum Colour: String, SQLValueConvertible { case red, green }

  @Test("takes what is interpolated for a value")
  func values() throws {
    let database = Database()
    try database.execute("CREATE TABLE t (id int, name text, tags text[])")
    let hostile = "x'); DROP TABLE t; --"
    let tags = ["a,b", "\"", "\\", "{}", "NULL", ""]
    try database.execute("INSERT INTO t VALUES (\(1), \(hostile), \(tags))")
    #expect(
      try database.query("SELECT name FROM t WHERE name = \(hostile)").first?[0] == .text(hostile))
    #expect(try database.query("SELECT 1 FROM t WHERE tags = \(tags)").count == 1)
    for tag in tags {
      #expect(try database.query("SELECT 1 FROM t WHERE \(tag) = ANY(tags)").count == 1)
    }
  }

  @Test("has one parameter for an array")
  func arrays() throws {
    let ids = [3, 5, 9]
    let sql: SQL = "SELECT i FROM generate_series(1, 10) i WHERE i = ANY(\(ids)) ORDER BY i"
    #expect(sql.text == "SELECT i FROM generate_series(1, 10) i WHERE i = ANY($1) ORDER BY i")
    #expect(sql.arguments == [.array([3, 5, 9])])
    #expect(try Database().query(sql).map { $0[0] } == [3, 5, 9])
    let some: [Int?] = [3, nil]
    #expect(try Database().query("SELECT \(some)::int[]").first?[0] == .array([3, nil]))
    let several: [[UInt8]] = [[0, 255, 10], []]
    #expect(
      try Database().query("SELECT \(several)::bytea[] = ARRAY['\\x00ff0a', '']::bytea[]").first?[0]
        == true)
    let bytes: [UInt8] = [0, 255]
    #expect(try Database().query("SELECT \(bytes)::bytea").first?[0] == .bytes(bytes))
  }

  @Test("has a place for every kind of value")
  func kinds() throws {
    let missing: String? = nil
    let rows = try Database().query(
      "SELECT \(true)::bool, \(Int16.min)::int2, \(1.5)::float8, \(Float(0.25))::float4, \(missing)::text, \(Colour.green)::text"
    )
    #expect(rows.first?.values == [true, -32768, 1.5, 0.25, nil, "green"])
  }

  @Test("puts other SQL into its place, and numbers its values on")
  func nesting() throws {
    let part: SQL = "i > \(2) AND i < \(9) -- not $1\n AND '$1' <> \"i\"::text AND $$ $2 $$ <> ''"
    let sql: SQL = "SELECT \(1) WHERE \(part) OR \(part) AND \(7) = 7"
    #expect(sql.arguments == [1, 2, 9, 2, 9, 7])
    #expect(
      sql.text
        == "SELECT $1 WHERE i > $2 AND i < $3 -- not $1\n AND '$1' <> \"i\"::text AND $$ $2 $$ <> '' OR i > $4 AND i < $5 -- not $1\n AND '$1' <> \"i\"::text AND $$ $2 $$ <> '' AND $6 = 7"
    )
    #expect(("a \(1)" as SQL) + " b \(2)" == "a \(1) b \(2)")
    #expect(("\(identifier: "a\"b") = \(1)" as SQL).text == "\"a\"\"b\" = $1")
  }

  @Test("is planned once for equal texts, whatever their values")
  func plans() throws {
    let database = Database()
    try database.execute(
      "CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 2), (2, 3)")
    let log = Log()
    database.trace { log.add("\($0.sql) \($0.rowCount) \($0.error?.state.code ?? "")") }
    for id in 1...3 { _ = try database.query("SELECT v FROM t WHERE id = \(id)") }
    #expect(throws: SQLError.self) { try database.query("SELECT \(1)::int / \(0)") }
    #expect(throws: SQLError.self) { try database.query("SELECT nothing") }
    database.trace(nil)
    _ = try database.query("SELECT 1")
    let text = "SELECT v FROM t WHERE id = $1"
    #expect(
      log.entries == [
        "\(text) 1 ", "\(text) 1 ", "\(text) 0 ", "SELECT $1::int / $2 0 22012",
        "SELECT nothing 0 42703",
      ])
  }

  @Test("is prepared without values")
  func preparing() throws {
    let connection = Database().connect()
    let error = #expect(throws: SQLError.self) { try connection.prepare("SELECT \(1)" as SQL) }
    #expect(error?.hint?.contains("$1") == true)
    #expect(try connection.query("SELECT \(1)::int + $2" as SQL, [2]).first?[0] == 3)
  }
}
