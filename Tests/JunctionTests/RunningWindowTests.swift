import Diagnostics
import Junction
import Testing

@Suite("Frames that only grow")
struct RunningWindowTests {
  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      // Partitions of one row, of some, and of very many; more of them than take their steps together.
      try database.connect().execute(
        """
        CREATE TABLE t (id int PRIMARY KEY, p int, q int, k int, n int, d numeric, f float8, s text);
        INSERT INTO t SELECT i, i % 3000, CASE WHEN i % 4 = 0 THEN NULL WHEN i % 4 = 1 THEN 0 ELSE i / 3 END,
            i * 7919 % 23, CASE WHEN i % 5 > 0 THEN i * 31 % 1000 - 300 END, i * 17 % 999 / 8.0,
            1.0 / (1 + i % 97), CASE WHEN i % 3 > 0 THEN chr(97 + i * 11 % 26) END
          FROM generate_series(1, 9000) i;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  private static let aggregates = [
    "count(*)", "count(n)", "sum(n)", "avg(n)", "sum(d)", "avg(d)", "min(n)", "max(d)", "max(s)",
    "sum(f)", "bool_or(n > 600)", "string_agg(s, '')", "array_agg(n)", "bit_xor(n)",
    "sum(n) FILTER (WHERE k > 5)", "count(*) FILTER (WHERE s = 'c')", "stddev(n)",
  ]
  /// Windows, and the rows of `t o` in the frame of a row of `t`.
  private static let windows = [
    ("PARTITION BY p ORDER BY id", "o.p = t.p AND o.id <= t.id"),
    ("PARTITION BY p ORDER BY k", "o.p = t.p AND o.k <= t.k"),
    (
      "PARTITION BY q ORDER BY id ROWS UNBOUNDED PRECEDING",
      "o.q IS NOT DISTINCT FROM t.q AND o.id <= t.id"
    ),
    (
      "PARTITION BY k % 3 ORDER BY k RANGE BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING",
      "o.k % 3 = t.k % 3 AND o.k <= t.k + 2"
    ),
    (
      "PARTITION BY p ORDER BY k RANGE BETWEEN UNBOUNDED PRECEDING AND 4 PRECEDING",
      "o.p = t.p AND o.k <= t.k - 4"
    ),
    ("ORDER BY k DESC", "o.k >= t.k"),
  ]

  @Test("give what asking for the rows of each frame gives", arguments: windows.indices)
  func sameAsSubquery(_ number: Int) throws {
    let connection = try Self.database.get().connect()
    let (window, condition) = Self.windows[number]
    // Rows spread over all partitions; each takes a look at all rows.
    let rows = "SELECT * FROM t WHERE id % 900 = 7"
    for aggregate in Self.aggregates {
      let isOrdered = ["array_agg", "string_agg", "sum(f)"].contains { aggregate.hasPrefix($0) }
      // Equals come in no certain order.
      if isOrdered && !window.contains("BY id") { continue }
      let found = try connection.query(
        "SELECT id, v FROM (SELECT id, \(aggregate) OVER (\(window)) AS v FROM t) x WHERE id % 900 = 7 ORDER BY 1"
      ).map(\.values)
      let expected = try connection.query(
        """
        SELECT id, (SELECT \(aggregate) FROM (SELECT * FROM t o WHERE \(condition) ORDER BY id) o)
        FROM (\(rows)) t ORDER BY 1
        """
      ).map(\.values)
      #expect(found == expected && found.count == 10, "\(aggregate) OVER (\(window))")
    }
  }
}
