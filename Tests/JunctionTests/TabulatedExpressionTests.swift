import Diagnostics
import Junction
import Testing

@Suite("Expressions over one column of few values")
struct TabulatedExpressionTests {
  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad');
        CREATE TABLE t (id int PRIMARY KEY, m smallint, k int, low int, high int, b bigint, far bigint, d date, late date,
          x numeric(5, 1), y numeric, e mood, o time);
        INSERT INTO t SELECT i, CASE WHEN i % 11 > 0 THEN i % 12 END, i * 7919 % 5000 - 700, -2147483648 + i % 70, 2147483647 - i / 300,
            CASE WHEN i % 7 > 0 THEN 1000000000000 + i % 900 END, i * 1000000007::bigint, DATE '2020-01-01' + i / 50,
            CASE i % 5 WHEN 0 THEN 'infinity' WHEN 1 THEN NULL ELSE DATE '5874897-12-31' - i % 40 END,
            CASE WHEN i > 15000 THEN i % 40 / 10.0 ELSE i % 9000 / 10.0 END,
            CASE WHEN i % 3 = 0 THEN i % 50 ELSE i % 50 / 10.0 END,
            (ARRAY['sad', 'ok', 'glad'])[i % 3 + 1]::mood, TIME '23:59:59.9' - i % 40 * INTERVAL '0.1 s'
          FROM generate_series(1, 24000) i;
        ANALYZE t;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  /// Expressions over `#`, and the columns that each is asked of.
  private static let cases: [(String, [String])] = [
    (
      "lpad(#::text, 6, '*')",
      ["m", "k", "low", "high", "b", "far", "d", "late", "x", "y", "e", "o"]
    ),
    ("coalesce(#, 5)", ["m", "k", "b", "x", "y"]),
    (
      "CASE # WHEN 1 THEN 'one' WHEN 2 THEN 'two' WHEN 3 THEN NULL ELSE 'many' END",
      ["m", "k", "x", "y"]
    ),
    ("CASE WHEN # > 3 THEN 1.5 WHEN # < 1 THEN 2 ELSE #::numeric(9, 3) END", ["m", "x", "y"]),
    ("to_char(#, 'YYYY-MM Day')", ["d"]), ("date_trunc('month', #)::date", ["d"]),
    ("# + INTERVAL '1 month'", ["d"]), ("extract(week FROM #)", ["d"]), ("age(#)", ["d"]),
    ("round(# / 7.0, 3)", ["m", "k", "b", "x", "y"]),
    ("sqrt(abs(#::float8))", ["m", "k", "low", "x"]),
    ("ARRAY[#, NULL]", ["m", "d", "x", "e"]), ("ROW(#, 'a')::text", ["m", "d", "x", "e"]),
    ("nullif(#, 3)", ["m", "k", "x", "y"]), ("#::text LIKE '%1%'", ["m", "k", "x", "d", "e"]),
    ("# IN (1, 2, NULL) OR #::text > '4'", ["m", "k", "x"]), ("md5(#::text)", ["m", "e", "o"]),
    ("extract(second FROM #)", ["o"]), ("#::mood::text || '!'", ["e"]),
    ("(#::text)::mood > 'ok'", ["e"]), ("power(#, 2)", ["m", "x"]),
  ]

  @Test("have the values that they have over two columns", arguments: cases)
  func likeTwoColumns(_ expression: String, _ columns: [String]) throws {
    let connection = try Self.database.get().connect()
    func of(_ column: String) -> String {
      expression.split(separator: "#", omittingEmptySubsequences: false).joined(separator: column)
    }
    for column in columns {
      let (one, two) = (of(column), of("(CASE WHEN id > 0 THEN \(column) END)"))
      for condition in ["true", "id % 3 = 0", "m IS NOT NULL AND id > 9000"] {
        let found = try connection.query(
          """
          SELECT count(*), count(*) FILTER (WHERE one::text IS DISTINCT FROM two::text)
            FROM (SELECT \(one) AS one, \(two) AS two FROM t WHERE \(condition)) x
          """)
        #expect(found.first?.values.last == .integer(0), "\(one) where \(condition)")
      }
    }
  }

  @Test("are computed anew for other parameters, settings and labels")
  func runs() throws {
    let connection = try Self.database.get().connect()
    let statement = "SELECT count(*) FROM t WHERE lpad(m::text, 3, $1) = $2"
    for (pad, padded) in [("0", "005"), ("*", "**5"), ("0", "**5"), ("x", "xx5")] {
      let found = try connection.query(statement, [.text(pad), .text(padded)])
      let isFound = padded.hasPrefix(pad)
      #expect(found.first?.values == [.integer(isFound ? 1818 : 0)], "\(pad)")
    }
    let hours = "SELECT min(extract(timezone_hour FROM d::timestamptz)::int) FROM t"
    for (zone, hour) in [("UTC", 0), ("Asia/Tokyo", 9), ("UTC", 0)] as [(String, Int64)] {
      try connection.execute("SET timezone = '\(zone)'")
      #expect(try connection.query(hours).first?.values == [.integer(hour)], "\(zone)")
    }
  }

  @Test("fail for no value that is in no row")
  func failures() throws {
    let connection = try Self.database.get().connect()
    let found = try connection.query("SELECT sum(round(7.0 / (m - 3), 2)) FROM t WHERE m <> 3")
    #expect(found.count == 1)
    #expect(throws: SQLError.self) {
      try connection.query("SELECT sum(round(7.0 / (m - 3), 2)) FROM t")
    }
  }
}
