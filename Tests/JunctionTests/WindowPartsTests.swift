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

  private static let calls = """
    row_number() OVER w AS a, lag(n) OVER w AS b, sum(n) OVER w AS c,
    count(n) OVER (w ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS d
    """

  /// All rows in their order, as one number.
  private func digest(_ partition: String, isShared: Bool) throws -> [String] {
    // A window without partitions keeps all rows together.
    let other = isShared ? "" : "count(*) OVER () AS all_rows, "
    return try Self.database.get().connect().query(
      """
      SELECT count(*), md5(string_agg(concat_ws(' ', id, a, b, c, d, e), ','))
      FROM (SELECT id, \(other)sum(n) OVER (PARTITION BY \(partition), s) AS e, \(Self.calls) FROM t WINDOW w AS (PARTITION BY \(partition) ORDER BY k, id)) x
      """
    ).map { $0.line }
  }

  @Test(
    "give the rows that windows over all of them give, in their order",
    arguments: ["p", "q", "p, q % 3", "q % 7"])
  func sameRows(_ partition: String) throws {
    let shared = try digest(partition, isShared: true)
    #expect(try shared == digest(partition, isShared: false) && shared.count == 1, "\(partition)")
  }
}
