import Diagnostics
import Junction
import Testing

@Suite("The first rows of each group")
struct LeadingRowsTests {
  /// More rows than are sorted as they are.
  private static let rowCount = 24_000

  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE t (id int PRIMARY KEY, p int, s text, n int, b bigint, x numeric, f float8, d date, w text, l text, o boolean);
        INSERT INTO t SELECT i, CASE WHEN i % 11 > 0 THEN i * 7919 % 97 - 30 END, 'part ' || i % 90,
            CASE WHEN i % 13 > 0 THEN i * 31 % 1009 - 500 END, i * 1000000007::bigint % 5000011,
            CASE WHEN i % 17 > 0 THEN CASE WHEN i % 3 = 0 THEN (i * 37 % 400)::numeric ELSE (i * 37 % 4000) / 100.0 END END,
            CASE WHEN i % 500 = 0 THEN 'NaN' WHEN i % 501 = 0 THEN '-0' ELSE (i * 41 % 777 - 300) / 7.0 END,
            DATE '2000-01-01' + i * 53 % 800, 'word ' || i * 43 % 3000,
            repeat('x', 20) || i * 43 % 3000, i % 7 = 0
          FROM generate_series(1, \(rowCount)) i;
        ANALYZE t;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  private func rows(_ query: String) throws -> [String] {
    try Self.database.get().connect().query(query).map { $0.line }
  }

  private func plan(_ query: String) throws -> String {
    try rows("EXPLAIN " + query).joined(separator: "\n")
  }

  /// `bounded` asks for nothing but ranks; another call beside them needs all rows.
  private func ranked(
    _ function: String, _ partition: String, _ order: String, _ condition: String, _ other: String
  ) -> String {
    """
    SELECT id, r FROM (SELECT id, \(function)() OVER w AS r\(other) FROM t
      WINDOW w AS (\(partition.isEmpty ? "" : "PARTITION BY \(partition) ")ORDER BY \(order))) x
    WHERE \(condition) ORDER BY id
    """
  }

  private static let orders = [
    "n, id", "n DESC, id", "n DESC NULLS LAST, id", "b DESC, id", "x, id", "x DESC NULLS LAST, id",
    "f, id", "f DESC, id", "d DESC, id",
    "w, id", "l DESC, id", "o, id", "n % 50 NULLS FIRST, id DESC",
  ]

  @Test("are those that windows over all rows rank first", arguments: orders)
  func likeAllRows(_ order: String) throws {
    let partitions = ["p", "s", "p % 5, o", ""]
    let asked = [
      ("row_number", "r = 1"), ("row_number", "r <= 3"), ("rank", "r < 3"),
      ("dense_rank", "r BETWEEN 1 AND 2"), ("rank", "r IN (1, 4)"),
      ("row_number", "5 >= r AND id % 2 = 0"), ("dense_rank", "r = 0"),
    ]
    let start = Self.orders.firstIndex(of: order) ?? 0
    for (number, (function, condition)) in asked.enumerated() {
      let partition = partitions[(start + number) % partitions.count]
      let order = function == "row_number" ? order : String(order.prefix { $0 != "," })
      let few = ranked(function, partition, order, condition, "")
      let all = ranked(
        function, partition, order, "c > 0 AND \(condition)", ", count(*) OVER w AS c")
      #expect(try plan(few).contains("Leading Rows"))
      #expect(try !plan(all).contains("Leading Rows"))
      #expect(try rows(few) == rows(all), "\(few)")
    }
  }

  @Test("are kept by DISTINCT ON", arguments: orders)
  func distinctOn(_ order: String) throws {
    let query = "SELECT DISTINCT ON (p) p, id FROM t WHERE id > 5 ORDER BY p, \(order)"
    #expect(try plan(query).contains("Leading Rows"))
    let all = """
      SELECT p, id FROM (SELECT p, id, row_number() OVER w AS r, count(*) OVER w AS c FROM t WHERE id > 5
        WINDOW w AS (PARTITION BY p ORDER BY \(order))) x WHERE r = 1 AND c > 0 ORDER BY p
      """
    #expect(try rows(query) == rows(all))
  }

  @Test("are not looked for where it would not pay, or something else is asked for")
  func others() throws {
    for query in [
      ranked("row_number", "id", "n, id", "r = 1", ""),
      ranked("row_number", "p", "n, id", "r > 1", ""),
      ranked("row_number", "p", "n, id", "r <= 100", ""),
      ranked("ntile", "p", "n, id", "r = 1", "").replacing("ntile()", with: "ntile(3)"),
      ranked("row_number", "p", "n, 100 / id", "r = 1", ""),
      ranked("row_number", "p", "random()", "r = 1", ""),
      "SELECT DISTINCT ON (p) p, id FROM t ORDER BY p",
      "SELECT DISTINCT ON (p) p, id FROM t ORDER BY p, n, id",
    ] {
      #expect(try !plan(query).contains("Leading Rows"), "\(query)")
    }
  }

  @Test("are given too where most rows come before those seen")
  func fallingOrder() throws {
    let connection = Database().connect()
    try connection.execute(
      "CREATE TABLE u AS SELECT i AS id, i % 10 AS p, 200000 - i AS n FROM generate_series(1, 200000) i; ANALYZE u"
    )
    let found = try connection.query(
      "SELECT p, n FROM (SELECT p, n, row_number() OVER (PARTITION BY p ORDER BY n) AS r FROM u) x WHERE r <= 2 ORDER BY p, n"
    ).map { $0.line }
    let wanted = try connection.query(
      "SELECT p, n FROM u WHERE n < 20 ORDER BY p, n"
    ).map { $0.line }
    #expect(found == wanted && found.count == 20)
  }

  @Test("are not told by values whose order is not that of their memory")
  func otherOrders() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE v AS SELECT i AS id, i % 5 AS p, to_jsonb(i * 7919 % 1013) AS j, (i * 37 % 200)::bit(8) AS b FROM generate_series(1, 24000) i;
      ANALYZE v
      """)
    for order in ["j DESC, id", "b, id"] {
      func first(_ call: String, _ condition: String) throws -> [String] {
        try connection.query(
          """
          SELECT p, id FROM (SELECT p, id, row_number() OVER w AS r\(call) FROM v WINDOW w AS (PARTITION BY p ORDER BY \(order))) x
          WHERE r = 1\(condition) ORDER BY p
          """
        ).map { $0.line }
      }
      #expect(try first("", "") == first(", count(*) OVER w AS c", " AND c > 0"))
    }
  }

  @Test(
    "are all that groups are made of where the first groups are asked for",
    arguments: [
      "p", "p DESC", "p DESC NULLS LAST", "n NULLS FIRST", "b DESC", "x", "x DESC", "f", "f DESC",
      "d",
      "w DESC", "l",
      "s",
    ])
  func groups(order: String) throws {
    let key = order.split(separator: " DESC")[0].split(separator: " NULLS")[0]
    for (others, limit) in [
      ("", "LIMIT 7 OFFSET 3"), (", o, id % 3", "LIMIT 10"), (", p", "LIMIT 1"),
    ] {
      let few = """
        SELECT \(key)\(others), count(*), max(id), sum(n) FROM t WHERE id > 5 GROUP BY \(key)\(others)
        """
      let sorted = "ORDER BY \(order)\(others) \(limit)"
      #expect(try plan("\(few) \(sorted)").contains("Leading Rows"))
      #expect(
        try rows("\(few) \(sorted)") == rows("\(few) HAVING count(*) > 0 \(sorted)"),
        "\(few) \(sorted)")
      let different = "SELECT DISTINCT \(key) AS k\(others) FROM t WHERE id > 5"
      let found = try rows("\(different) ORDER BY k\(order.dropFirst(key.count))\(others) \(limit)")
      let all = """
        SELECT \(key) AS k\(others) FROM t WHERE id > 5 GROUP BY \(key)\(others) HAVING count(*) > 0 \(sorted)
        """
      #expect(try found == rows(all), "\(different)")
    }
  }

  @Test("are not all that groups are made of where others may be asked for")
  func allGroups() throws {
    for query in [
      "SELECT p, count(*) FROM t GROUP BY p HAVING count(*) > 200 ORDER BY p LIMIT 3",
      "SELECT p, count(*) FROM t GROUP BY p ORDER BY 2, p LIMIT 3",
      "SELECT p, count(*), sum(n) FROM t GROUP BY p ORDER BY p LIMIT 3",
      "SELECT p, count(*) FROM t GROUP BY p ORDER BY -p LIMIT 3",
      "SELECT p, sum(100 / n) FROM t WHERE n <> 0 GROUP BY p ORDER BY p LIMIT 3",
      "SELECT p, count(*), sum(count(*)) OVER () FROM t GROUP BY p ORDER BY p LIMIT 3",
      "SELECT p, 100 / n, count(*) FROM t WHERE n <> 0 GROUP BY p, 100 / n ORDER BY p LIMIT 3",
      "SELECT p, count(*) FROM t GROUP BY ROLLUP (p) ORDER BY p DESC LIMIT 3",
      "SELECT p, count(*) FROM t GROUP BY p ORDER BY p LIMIT 90",
      "SELECT p, count(*) FROM t GROUP BY p ORDER BY p OFFSET 3",
    ] {
      #expect(try !plan(query).contains("Leading Rows"), "\(query)")
    }
  }

  @Test("are taken of groups that parents complete, unless some may be left out")
  func completedGroups() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE course (id int PRIMARY KEY, name text, size int);
      INSERT INTO course SELECT i, 'Course ' || i, i % 10 FROM generate_series(1, 400) i;
      CREATE TABLE takes (student int, course int NOT NULL REFERENCES course, grade int);
      INSERT INTO takes SELECT i, 400 - i * 7919 % 391, i % 9 FROM generate_series(1, 40000) i;
      ANALYZE
      """)
    func lines(_ query: String) throws -> [String] {
      try connection.query(query).map { $0.line }
    }
    for (condition, isBounded) in [("true", true), ("c.size > 4", false)] {
      let groups = """
        SELECT c.id, c.name, sum(t.grade), count(*), max(t.student) FROM takes t JOIN course c ON c.id = t.course WHERE \(condition)
        GROUP BY c.id, c.name
        """
      let first = "\(groups) ORDER BY c.id LIMIT 5"
      #expect(try lines("EXPLAIN " + first).contains { $0.contains("Leading Rows") } == isBounded)
      #expect(try lines(first) == lines("\(groups) HAVING count(*) > 0 ORDER BY c.id LIMIT 5"))
    }
  }
}
