import Junction
import Testing

@Suite("A join with many rows of each key")
struct ClusteredJoinTests {
  private static let database: Result<Database, any Error> = Result {
    let database = Database()
    try database.connect().execute(
      """
      CREATE TABLE a (k int, v int NOT NULL, t text);
      CREATE TABLE b (k int, v int NOT NULL, t text);
      INSERT INTO a SELECT CASE WHEN i % 17 > 0 THEN i * 7919 % 50021 END, i, 'a' || i % 10
        FROM generate_series(1, 150000) i;
      INSERT INTO b SELECT CASE WHEN i % 19 > 0 THEN 3 + i * 9973 % 50021 END, i, 'b' || i % 10
        FROM generate_series(1, 145000) i;
      ANALYZE;
      """)
    return database
  }

  /// The rows of both tables by key and parity: what the join gives follows from their numbers.
  private static let groups = """
    (SELECT k, v % 2 AS p, count(*) AS n, sum(v) AS s FROM a GROUP BY 1, 2) x KIND JOIN
    (SELECT k, v % 2 AS p, count(*) AS n, sum(v) AS s FROM b GROUP BY 1, 2) y ON x.k = y.k AND x.p = y.p
    """

  @Test(
    "gives what the numbers of rows say",
    arguments: ["INNER", "LEFT", "RIGHT", "FULL"],
    ["a.k = b.k AND (a.v + b.v) % 2 = 0", "a.k = b.k AND a.v % 2 = b.v % 2"])
  func answers(kind: String, condition: String) throws {
    let connection = try Self.database.get().connect()
    let joined = try connection.query(
      """
      SELECT concat_ws('|', count(*), count(a.v), count(b.v), sum(a.v), sum(b.v), sum(length(a.t) + length(b.t)))
      FROM a \(kind) JOIN b ON \(condition)
      """)
    let counted = try connection.query(
      """
      SELECT concat_ws('|', sum(coalesce(x.n, 1) * coalesce(y.n, 1)), sum(CASE WHEN x.n > 0 THEN x.n * coalesce(y.n, 1) ELSE 0 END),
        sum(CASE WHEN y.n > 0 THEN y.n * coalesce(x.n, 1) ELSE 0 END), sum(x.s * coalesce(y.n, 1)),
        sum(y.s * coalesce(x.n, 1)), sum(4 * x.n * y.n))
      FROM \(Self.groups.replacing("KIND", with: kind))
      """)
    #expect(joined.map(\.values) == counted.map(\.values))
  }
}
