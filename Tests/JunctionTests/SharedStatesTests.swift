import Diagnostics
import Junction
import Testing

/// Aggregates of the same values, of which some are made of others' states.
@Suite struct SharedStatesTests {
  private static let aggregates = [
    "count(*)", "count(n)", "count(y)", "sum(n)", "avg(n)", "sum(b)", "avg(b)", "sum(y)", "avg(y)",
    "avg(z)",
    "count(z)", "count(*) FILTER (WHERE n > 300)", "avg(y) FILTER (WHERE n > 300)",
    "count(y) FILTER (WHERE n > 300)", "sum(large)", "count(large)", "avg(large)",
    "count(DISTINCT y)",
  ]

  private static func made() throws(SQLError) -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE p (id int PRIMARY KEY, name text);
      INSERT INTO p SELECT i, 'name ' || i % 5 FROM generate_series(1, 60) i;
      CREATE TABLE t (p int NOT NULL REFERENCES p, n int NOT NULL, b bigint, y numeric(8, 2), z float8, large numeric);
      INSERT INTO t SELECT 1 + i % 60, i * 7919 % 1000, CASE WHEN i % 11 > 0 THEN i END,
          CASE WHEN i % 3 > 0 THEN i / 8.0 END, i % 4, CASE WHEN i % 60 > 20 THEN 9e33 + i END
        FROM generate_series(1, 12000) i;
      ANALYZE;
      """)
    return connection
  }

  @Test(
    "results are those of each aggregate by itself",
    arguments: [
      ("t", "true"), ("t WHERE n < 0", "true"), ("t GROUP BY p", "p"),
      ("t GROUP BY n % 7, y > 90", "n % 7, y > 90"),
      ("t JOIN p ON p.id = t.p GROUP BY p.name", "p.name"),
      ("p LEFT JOIN t ON p.id = t.p AND t.n < 20 GROUP BY p.name", "p.name"),
      ("t JOIN p ON p.id = t.p GROUP BY ROLLUP (p.name, n % 3)", "p.name, n % 3"),
    ])
  func alike(from: String, keys: String) throws {
    let connection = try Self.made()
    let order = from.contains("GROUP") ? "ORDER BY \(keys)" : ""
    let all = try connection.query(
      "SELECT \(keys), \(Self.aggregates.joined(separator: ", ")) FROM \(from) \(order)"
    ).map(\.values)
    for (place, aggregate) in Self.aggregates.enumerated() {
      let own = try connection.query("SELECT \(keys), \(aggregate) FROM \(from) \(order)").map(
        \.values)
      #expect(own.count == all.count)
      for (one, row) in zip(own, all) {
        let width = one.count - 1
        #expect(one.last == row[width + place], "\(aggregate) FROM \(from)")
      }
    }
  }

  @Test("EXPLAIN says which are found in others")
  func shown() throws {
    let connection = try Self.made()
    let plan = try connection.query(
      "EXPLAIN (COSTS OFF) SELECT p, avg(y), sum(y), count(y), sum(n), count(*), avg(z) FROM t GROUP BY p"
    ).map { $0.line }.joined(separator: "\n")
    #expect(plan.contains("Found in Others: sum(y), count(y), count(*)"), "\(plan)")
  }
}
