import Diagnostics
import Junction
import Testing

@Suite("The rows behind an offset of thousands")
struct FarOffsetTests {
  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE t (id int PRIMARY KEY, i int, s smallint, b bigint, d date, n numeric(7, 2), f float8, x text);
        INSERT INTO t SELECT k, CASE WHEN k % 9 > 0 THEN k * 7919::bigint % 30011 - 15000 END,
            CASE WHEN k % 40 > 0 THEN k % 7 END, CASE WHEN k % 2 = 0 THEN k * 1000000007::bigint % 99991 * 100000000000 END,
            DATE '1999-01-01' + k * 31 % 5000, CASE WHEN k % 5 > 0 THEN (k * 17 % 4001 - 2000) / 4.0 END, k * 13 % 997 / 8.0, 'x' || k % 77
          FROM generate_series(1, 60000) k;
        CREATE TABLE u (s smallint PRIMARY KEY, name text);
        INSERT INTO u SELECT k, 'u' || k * 3 % 5 FROM generate_series(0, 5) k;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  @Test(
    "are those that numbering all of them finds",
    arguments: [
      "i", "i DESC", "i NULLS FIRST", "i DESC NULLS LAST", "s", "s DESC, i", "b", "b DESC",
      "b NULLS FIRST, s", "d", "d DESC, n", "n", "n DESC NULLS LAST", "n NULLS FIRST, d DESC", "f",
      "x DESC, b", "i + 0, d", "-n",
    ])
  func rows(_ order: String) throws {
    let connection = try Self.database.get().connect()
    let offsets = [4100, 9000, 30_000]
    let numbered = try connection.query(
      SQL(
        raw: """
          SELECT r, id FROM (SELECT id, row_number() OVER (ORDER BY \(order), id DESC) AS r FROM t) x
          WHERE \(offsets.map { "r > \($0) AND r <= \($0 + 5)" }.joined(separator: " OR ")) ORDER BY r
          """)
    ).map(\.values)
    for (place, offset) in offsets.enumerated() {
      let found = try connection.query(
        SQL(raw: "SELECT id FROM t ORDER BY \(order), id DESC LIMIT 5 OFFSET \(offset)"))
      let expected = numbered[(place * 5)..<(place * 5 + 5)].map { [$0[1]] }
      #expect(found.map(\.values) == expected, "\(order) from \(offset)")
    }
  }

  /// Scans below joins drop rows that come behind those wanted.
  @Test(
    "and the first of joined rows are",
    arguments: [
      "t.i", "t.i DESC", "t.i NULLS FIRST, name", "t.b DESC NULLS LAST", "t.d DESC, name DESC",
      "t.n", "t.n DESC NULLS LAST, name", "t.n NULLS FIRST", "name, t.n", "t.s, name, t.d",
      "t.s DESC NULLS LAST, t.n",
    ], ["JOIN", "LEFT JOIN"])
  func joined(_ order: String, _ join: String) throws {
    let connection = try Self.database.get().connect()
    let rows = "t \(join) u ON u.s = t.s JOIN t other ON other.id = t.id % 500 + 1"
    let sorted = try connection.query(
      SQL(
        raw: """
          SELECT id, name, n FROM (
            SELECT t.id, name, other.n, row_number() OVER (ORDER BY \(order), t.id DESC) AS r FROM \(rows)) x
          WHERE r <= 5003 ORDER BY r
          """)
    ).map(\.values)
    for (limit, offset) in [(1, 0), (20, 0), (7, 13), (3, 5000)] {
      let found = try connection.query(
        SQL(
          raw: """
            SELECT t.id, name, other.n FROM \(rows) ORDER BY \(order), t.id DESC
            LIMIT \(limit) OFFSET \(offset)
            """))
      #expect(
        found.map(\.values) == Array(sorted.dropFirst(offset).prefix(limit)),
        "\(order) from \(offset)")
    }
  }

  @Test("though what is asked of each row may fail")
  func failures() throws {
    let connection = try Self.database.get().connect()
    let error = #expect(throws: SQLError.self) {
      try connection.query("SELECT 1 / (id - 60000) FROM t ORDER BY i LIMIT 3")
    }
    #expect(error?.state == .divisionByZero)
  }
}
