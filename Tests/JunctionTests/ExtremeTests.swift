import Foundation
import Junction
import Testing

@Suite("Least and greatest values")
struct ExtremeTests {
  private static func rows(_ connection: Connection, _ query: String) throws -> [String] {
    let result = try connection.query(query)
    return (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }
  }

  /// The query over rows that are no scan of a table.
  private static func overRows(_ query: String) -> String {
    let rows = "(SELECT * FROM t OFFSET 0)"
    return query.replacing("@ a", with: rows + " a").replacing("@ b", with: rows + " b")
      .replacing("@", with: rows + " s")
  }

  private static let queries = [
    "SELECT min(x), max(x) FROM @", "SELECT max(n), min(t), max(t), max(d) FROM @",
    "SELECT max(t) FROM @ WHERE x % 10 = 3", "SELECT min(late), max(late) FROM @",
    "SELECT max(x) FROM @ WHERE t > 'text 9'", "SELECT min(none) FROM @", "SELECT max(f) FROM @",
    "SELECT max(x), count(*) FROM @", "SELECT max(x) FILTER (WHERE x < 7) FROM @",
    "SELECT max(x) FROM @ HAVING max(x) > 3", "SELECT max(t COLLATE \"de-x-icu\") FROM @",
    "SELECT (SELECT max(a.x) FROM @ a WHERE a.x < b.x) FROM @ b WHERE b.x IN (1, 5000, 9000) ORDER BY 1",
    "SELECT max(x) FROM @ WHERE x < 0",
  ]

  @Test("are those of all rows, whichever pages are passed over", arguments: queries)
  func likeSorting(query: String) throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      // In no order, in order, and of few values; pages of nothing but NULL among them.
      try connection.execute(
        """
        CREATE TABLE t AS SELECT (i * 7919) % 30011 AS x, (i / 8.0)::numeric(12, 3) AS n, 'text ' || i % 977 AS t,
          date '2000-01-01' + i / 3 AS d, CASE WHEN i > 9000 AND i < 12000 THEN i END AS late,
          NULL::int AS none, CASE WHEN i % 4000 = 0 THEN 'NaN' ELSE i / 7.0 END::float8 AS f
          FROM generate_series(1, 15000) i;
        COPY t TO '\(folder.path)/t.parquet' (ROW_GROUP_SIZE 3000);
        """)
      let expected = try Self.rows(connection, Self.overRows(query))
      for source in ["t", "'\(folder.path)/t.parquet'", "'\(folder.path)/t.parquet'"] {
        #expect(try Self.rows(connection, query.replacing("@", with: source)) == expected)
      }
      // Bounds of pages stay wide when their rows go.
      try connection.execute("DELETE FROM t WHERE x > 29000 OR n < 10; UPDATE t SET x = x + 1")
      #expect(
        try Self.rows(connection, query.replacing("@", with: "t"))
          == Self.rows(connection, Self.overRows(query)))
    }
  }

  @Test("are found where bounds say that they may be, as EXPLAIN says")
  func explained() throws {
    let connection = Database().connect()
    try connection.execute("CREATE TABLE t (x int, y int)")
    #expect(
      try Self.rows(connection, "EXPLAIN SELECT max(x) FROM t").contains {
        $0.contains("Pages Passed Over: those without values beyond max(x)")
      })
    #expect(
      try !Self.rows(connection, "EXPLAIN SELECT max(x), sum(y) FROM t").contains {
        $0.contains("Pages Passed Over")
      })
  }

  @Test("are taken from a file's bounds, where these are values of rows")
  func fromBounds() throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      try connection.execute(
        """
        CREATE TABLE t AS SELECT i AS x, repeat('long ', 20) || i AS long, 'short ' || i AS short
          FROM generate_series(1, 10000) i;
        COPY t TO '\(folder.path)/t.parquet' (ROW_GROUP_SIZE 3000)
        """)
      let file = "'\(folder.path)/t.parquet'"
      for (query, readsRows) in [
        ("SELECT min(x), max(short) FROM \(file)", false),
        ("SELECT min(x), max(long) FROM \(file)", true),
        ("SELECT max(x) FROM \(file) WHERE x % 10 = 3", true),
      ] {
        let plan = try Self.rows(connection, "EXPLAIN ANALYZE " + query)
        let scan = try #require(plan.first { $0.contains("Seq Scan") })
        #expect(scan.contains("rows=0 loops") != readsRows, "\(query): \(scan)")
        #expect(plan.contains { $0.hasSuffix("Pages Read: 0 of 5") } != readsRows)
      }
    }
  }

  @Test("are none where a later run finds no row, whatever an earlier one found")
  func runAgain() throws {
    let connection = Database().connect()
    try connection.execute("CREATE TABLE t AS SELECT i AS x FROM generate_series(1, 9000) i")
    let greatest = try connection.prepare("SELECT max(x) FROM t WHERE x < $1")
    for (bound, expected) in [(100, 99), (nil, nil), (7, 6), (-5, nil)] as [(Int64?, Int64?)] {
      let found = try greatest.query(bound.map { .integer($0) } ?? .null)
      #expect(found.first?[0].integer == expected)
    }
  }
}
