import Diagnostics
import Junction
import Testing

@Suite("A column of a result")
struct ColumnTests {
  private static func makeDatabase() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE t (i int, b bigint, d double precision, at timestamptz, u uuid);
      INSERT INTO t SELECT i, CASE WHEN i % 3 <> 0 THEN i END, i / 2.0,
          timestamptz '2000-01-01 00:00:00+00' + i * interval '1 second',
          lpad(i::text, 32, '0')::uuid
        FROM generate_series(1, 10000) i
      """)
    return database
  }

  @Test("hands over every value once, in order, and a bit for each NULL")
  func spans() throws {
    let database = try Self.makeDatabase()
    for query: SQL in [
      "SELECT b FROM t ORDER BY i", "SELECT b FROM t WHERE i % 2 = 1 ORDER BY i",
      "SELECT b FROM t WHERE i < 0",
    ] {
      let rows = try database.query(query)
      let column = try rows.column("b", as: Int64.self)
      var seen: [Int64?] = []
      column.withSpans { values, nulls in
        for index in values.indices {
          let isNull = nulls.isEmpty ? false : nulls[index >> 6] >> UInt64(index & 63) & 1 == 1
          seen.append(isNull ? nil : values[index])
        }
      }
      #expect(seen == (try rows.decode(Int64?.self)))
      #expect(Array(column) == seen)
      #expect(column.hasNulls == seen.contains(nil))
    }
  }

  @Test("is as good when the transaction is over")
  func outliving() throws {
    let database = try Self.makeDatabase()
    let columns = try database.write { db in
      let rows = try db.query("SELECT d, at, u FROM t ORDER BY i")
      return (
        try rows.column("d", as: Double.self), try rows.column("at", as: SQLTimestamp.self),
        try rows.column("u", as: SQLUUID.self)
      )
    }
    try database.execute("UPDATE t SET d = 0; DELETE FROM t WHERE i > 10; DROP TABLE t")
    #expect(try columns.0.array() == (1...10000).map { Double($0) / 2 })
    #expect(columns.1[99] == SQLTimestamp(microsecondsSince2000: 100_000_000))
    #expect(columns.2.last == SQLUUID("00000000-0000-0000-0000-000000010000"))
  }

  @Test("is refused in a type that it does not have, and as an array where there is a NULL")
  func refusals() throws {
    let rows = try Self.makeDatabase().query("SELECT i, b, 1.5 AS n FROM t ORDER BY i LIMIT 5")
    #expect(try rows.column("i", as: Int32.self).array() == [1, 2, 3, 4, 5])
    let wide = #expect(throws: SQLError.self) { try rows.column("i", as: Int64.self) }
    #expect(wide?.state == .datatypeMismatch && wide?.object?.column == "i")
    let numeric = #expect(throws: SQLError.self) { try rows.column("n", as: Double.self) }
    #expect(numeric?.state == .datatypeMismatch)
    let null = #expect(throws: SQLError.self) { try rows.column("b", as: Int.self).array() }
    #expect(null?.state == .nullNotAllowed && null?.message.contains("row 2") == true)
    let unknown = #expect(throws: SQLError.self) { try rows.column("c", as: Int.self) }
    #expect(unknown?.state == .undefinedColumn)
  }
}
