import Diagnostics
import Junction
import Testing

@Suite("Windows whose partitions workers share")
struct WindowPartsTests {
  /// More rows than are left together.
  private static let rowCount = 70_000

  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE t (id int PRIMARY KEY, p int, q bigint NOT NULL, k int, n int, s text);
        INSERT INTO t SELECT i, CASE WHEN i % 11 > 0 THEN i * 7919 % 700 - 300 END, i / 9 * 1000000007::bigint,
            i * 31 % 17, CASE WHEN i % 5 > 0 THEN i % 1000 END, 'part ' || i % 90
          FROM generate_series(1, \(rowCount)) i;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  /// The results of calls as numbers that tell every row and its place in the order.
  private func digest(_ calls: String, _ partition: String, isShared: Bool) throws -> [String] {
    // A window without partitions keeps all rows together.
    let other = isShared ? "" : "count(*) OVER () AS all_rows, "
    let inner = """
      SELECT id, \(other)\(calls) FROM t WINDOW w AS (PARTITION BY \(partition) ORDER BY k, id)
      """
    let connection = try Self.database.get().connect()
    let sums = try connection.query(
      """
      SELECT count(*), sum(a), sum(b), sum(c), sum(a::numeric * id), sum(b::numeric * id), sum(c::numeric * id)
      FROM (\(inner)) x
      """)
    let rows = try connection.query("SELECT id, a, b, c FROM (\(inner)) x LIMIT 40 OFFSET 33333")
    return sums.map { "\($0.values)" } + rows.map { "\($0.values)" }
  }

  @Test(
    "give the rows that windows over all of them give, in their order",
    arguments: ["p", "q", "s", "p, s", "q % 7", "p IS NULL, q"])
  func sameRows(_ partition: String) throws {
    for calls in [
      "row_number() OVER w AS a, lag(n) OVER w AS b, sum(n) OVER w AS c",
      "rank() OVER w AS a, count(n) OVER (w ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS b, max(n) OVER w AS c",
    ] {
      let shared = try digest(calls, partition, isShared: true)
      let whole = try digest(calls, partition, isShared: false)
      #expect(shared == whole && shared.count == 41, "\(calls) by \(partition)")
    }
  }
}
