import Diagnostics
import Junction
import Testing

@Suite("Frames that slide")
struct SlidingWindowTests {
  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE t (id int PRIMARY KEY, p int, s smallint, i int, b bigint, n numeric(9, 2), m numeric, d date, f float8);
        INSERT INTO t SELECT i, i * 31 % 7, CASE WHEN i % 5 > 0 THEN i % 300 - 100 END, CASE WHEN i % 11 > 0 THEN i * 7919 % 10007 - 5000 END,
            i * 1000000007::bigint, CASE WHEN i % 3 > 0 THEN i % 997 / 100.0 END, CASE WHEN i % 4 = 0 THEN i ELSE i / 10.0 END,
            DATE '2000-01-01' + i * 37 % 1000, i / 7.0
          FROM generate_series(1, 1300) i;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  private static let frames = [
    "ROWS BETWEEN 50 PRECEDING AND 50 FOLLOWING", "ROWS 6 PRECEDING",
    "ROWS BETWEEN 3 FOLLOWING AND 7 FOLLOWING",
    "ROWS BETWEEN 9 PRECEDING AND 4 PRECEDING", "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN 20 PRECEDING AND 5 FOLLOWING", "GROUPS BETWEEN 2 PRECEDING AND 2 FOLLOWING",
  ]

  private static let calls = [
    "count(*)", "count(n)", "sum(s)", "sum(i)", "sum(b)", "sum(n)", "sum(m)", "avg(s)", "avg(i)",
    "avg(b)", "avg(n)", "avg(m)",
    "min(s)", "max(i)", "min(b)", "max(n)", "min(m)", "max(d)", "max(f)",
    "sum(i) FILTER (WHERE s > 0)",
    "max(n) FILTER (WHERE i % 2 = 0)", "avg(n) FILTER (WHERE s > 190)",
  ]

  @Test("give what their rows give", arguments: frames)
  func likeRows(_ frame: String) throws {
    let connection = try Self.database.get().connect()
    for (partition, order) in [
      ("", "id"), ("PARTITION BY p", "id"), ("PARTITION BY p, id % 2", "id DESC"),
    ] {
      // Where no two rows are peers, no ties are taken out, and the frame is spelled out.
      func rows(_ exclusion: String) throws -> [String] {
        let list = Self.calls.map { $0 + " OVER w" }.joined(separator: ", ")
        return try connection.query(
          "SELECT id, \(list) FROM t WINDOW w AS (\(partition) ORDER BY \(order) \(frame) \(exclusion)) ORDER BY id"
            .replacing("\\\\", with: "")
        ).map { $0.line }
      }
      let found = try rows("")
      #expect(try found == rows("EXCLUDE TIES") && found.count == 1300)
    }
  }

  @Test("are shared by workers where there are many")
  func manyRows() throws {
    let wrong = try Database().connect().query(
      """
      SELECT count(*) FROM (
        SELECT sum(n) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s,
          coalesce(lag(n) OVER (ORDER BY id), 0) + n + coalesce(lead(n) OVER (ORDER BY id), 0) AS t
        FROM (SELECT i AS id, i * 7919 % 10007 AS n FROM generate_series(1, 33000) i) rows) x
      WHERE s IS DISTINCT FROM t
      """
    ).map { $0.line }
    #expect(wrong.first?.contains("integer(0)") ?? false)
  }
}
