import Junction
import Testing

@Suite("Groups by partition")
struct PartitionedGroupsTests {
  private static let rowCount = 172_000

  /// Rows of about 170,000 different values of each column, in no order; one in 50 is NULL.
  ///
  /// That is well above the number from which partitions are made: guesses of it differ from run to run.
  private static func makeRows(_ connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE t AS SELECT nullif(k, 7 * (i / 350000 + k % 50 * 3000)) AS a, (k % 977)::int2 AS b,
        CASE WHEN k % 50 <> 3 THEN 'a text of group ' || k END AS long, 'k' || k AS short,
        (k / 8.0)::numeric(12, 3) AS n, (k || '.5')::numeric * 1e20 AS large, k / 3.0::float8 AS f, date '1900-01-01' + k AS d,
        k % 3 = 1 AS c, i % 100 AS x, (i % 1000) / 8.0 AS y
        FROM (SELECT i, (i * 7919::int8 % 170003)::int4 AS k FROM generate_series(1, \(rowCount)) i) s;
      ANALYZE t;
      """)
  }

  private static func count(_ connection: Connection, _ query: String) throws -> String? {
    try connection.query("SELECT count(*) FROM (\(query)) q").text(row: 0, column: 0)
  }

  @Test(
    "are those of one table",
    arguments: ["d, long, c", "large, short"])
  func likeOneTable(keys: String) throws {
    let connection = Database().connect()
    try Self.makeRows(connection)
    let aggregates = """
      count(*), sum(x), min(y), max(long), avg(n), count(DISTINCT b), array_agg(x ORDER BY x, y),
        sum(y) FILTER (WHERE c)
      """
    let grouped = "SELECT \(keys), \(aggregates) FROM t GROUP BY \(keys)"
    let plan = try connection.query("EXPLAIN \(grouped)")
    #expect(
      (0..<plan.count).contains { plan.text(row: $0, column: 0)?.contains("Partitions") ?? false })
    // Grouping sets are made in one table.
    let whole = """
      SELECT \(keys), \(aggregates) FROM t GROUP BY GROUPING SETS ((\(keys)), ())
        HAVING grouping(\(keys)) = 0
      """
    #expect(try Self.count(connection, "(\(grouped)) EXCEPT ALL (\(whole))") == "0")
    #expect(try Self.count(connection, whole) == Self.count(connection, grouped))
    let different = "SELECT DISTINCT \(keys) FROM t"
    let groups =
      "SELECT \(keys) FROM t GROUP BY GROUPING SETS ((\(keys)), ()) HAVING grouping(\(keys)) = 0"
    #expect(try Self.count(connection, "(\(different)) EXCEPT ALL (\(groups))") == "0")
    #expect(try Self.count(connection, groups) == Self.count(connection, different))
  }

  @Test("are made only where one table would reach far")
  func whenUseful() throws {
    let connection = Database().connect()
    try Self.makeRows(connection)
    try connection.execute(
      "CREATE TABLE s AS SELECT i AS a, i % 10 AS b FROM generate_series(1, 400000) i; ANALYZE s")
    func isPartitioned(_ query: String) throws -> Bool {
      let plan = try connection.query("EXPLAIN \(query)")
      return (0..<plan.count).contains {
        plan.text(row: $0, column: 0)?.contains("Partitions") ?? false
      }
    }
    #expect(try isPartitioned("SELECT DISTINCT a, b FROM t"))
    #expect(try isPartitioned("SELECT long, count(*) FROM t GROUP BY long"))
    #expect(try !isPartitioned("SELECT DISTINCT a FROM t"), "a bitmap is enough")
    #expect(try !isPartitioned("SELECT DISTINCT a, b FROM s"), "a bitmap of all pairs is enough")
    #expect(try !isPartitioned("SELECT a, count(*) FROM s GROUP BY a"), "the rows are in order")
    #expect(try !isPartitioned("SELECT b, count(*) FROM t GROUP BY b"), "few groups")
    #expect(
      try !isPartitioned("SELECT long, string_agg(short, '') FROM t GROUP BY long"), "order shows")
  }
}
