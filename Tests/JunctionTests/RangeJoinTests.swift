import Junction
import Testing

/// With a zero added to columns no range key is found, and each row is compared with each.
@Suite("A join by a range of values")
struct RangeJoinTests {
  private static func tables() throws -> Connection {
    let connection = Database().connect()
    var numbers = RepeatableNumbers(11)
    func rows(_ count: Int, rising: Bool) -> String {
      (0..<count).map { row in
        let value = rising ? row / 3 : numbers.next(90)
        let isMissing = numbers.next(9) == 0
        let second = numbers.next(60)
        return "(\(row), \(isMissing ? "NULL" : "\(value)"), \(second), \(numbers.next(4)))"
      }.joined(separator: ", ")
    }
    for (name, count, rising) in [("few", 37, false), ("many", 260, false), ("rising", 240, true)] {
      try connection.execute(
        SQL(
          raw: """
            CREATE TABLE \(name) (id int, v int, w int, k int);
            INSERT INTO \(name) VALUES \(rows(count, rising: rising));
            ALTER TABLE \(name) ADD s smallint, ADD b bigint, ADD d date, ADD t timestamp,
              ADD n numeric(9, 2), ADD x numeric, ADD f real, ADD e double precision;
            UPDATE \(name) SET s = v, b = v * 100000000000, d = DATE '2020-01-01' + v,
              t = TIMESTAMP '2020-01-01 00:00' + v * INTERVAL '1 hour', n = v * 1.25,
              x = v * 12345678901234567890.5,
              f = CASE v WHEN 7 THEN 'NaN'::real WHEN 9 THEN '-0'::real WHEN 11 THEN '-Infinity'::real ELSE 20 - v END,
              e = CASE v WHEN 7 THEN 'NaN'::float8 WHEN 9 THEN '-0'::float8 WHEN 11 THEN 0 ELSE v / 7.0 - 3 END
            """))
    }
    try connection.execute("CREATE TABLE none (LIKE few)")
    return connection
  }

  /// `@` stands for what keeps a column from being a range key.
  private static let conditions = [
    "l.v < r.v@", "r.v@ <= l.v", "l.v > r.v@ AND l.v < r.v@ + 9",
    "r.v@ BETWEEN l.v - 2 AND l.v + 2", "r.v@ > l.v AND r.v@ < l.w AND l.k <> r.k",
    "l.v <= r.w@ AND l.w >= r.v@", "r.v@ > l.v AND r.k = 2 AND l.k < 3",
    "r.v@ > l.v AND 60 / (r.v - l.v) < 20", "r.v@ >= l.v + 5 AND (r.k = l.k OR r.w < 9)",
    "l.v < r.v@ AND l.v < r.v@ - 3 AND r.v@ < 40", "r.w@ > l.v AND r.w@ < l.v",
    "l.v > r.v@ - 4 AND l.v < 3 + r.v@", "l.id > r.id@ AND l.v < r.v@ + 20 AND l.v >= r.v@",
  ]

  private static func lines(_ connection: Connection, _ sql: String, _ end: String) throws
    -> [String]
  {
    try connection.query(SQL(raw: sql.replacing("@", with: end))).map { $0.line }.sorted()
  }

  private static func check(_ connection: Connection, _ sql: String) throws {
    let found = try lines(connection, sql, "")
    #expect(try found == lines(connection, sql, " + 0"), "\(sql)")
  }

  @Test("finds the pairs that comparing each with each finds", arguments: conditions)
  func pairs(condition: String) throws {
    let connection = try Self.tables()
    for (left, right) in [
      ("few", "many"), ("many", "few"), ("rising", "many"), ("many", "rising"), ("few", "none"),
    ] {
      for kind in ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"] {
        try Self.check(
          connection, "SELECT l.id, r.id, r.k FROM \(left) l \(kind) \(right) r ON \(condition)")
      }
      for word in ["EXISTS", "NOT EXISTS"] {
        try Self.check(
          connection,
          "SELECT l.id FROM \(left) l WHERE \(word) (SELECT FROM \(right) r WHERE \(condition))")
        try Self.check(
          connection,
          "SELECT l.id, \(word) (SELECT FROM \(right) r WHERE \(condition)) FROM \(left) l")
      }
      try Self.check(
        connection,
        "SELECT l.id, (SELECT count(*) FROM \(right) r WHERE \(condition)) FROM \(left) l")
    }
  }

  @Test("does so among the many rows of a key too", arguments: conditions)
  func keyed(condition: String) throws {
    let connection = try Self.tables()
    // Statistics are of tables of some size.
    try connection.execute(
      """
      INSERT INTO many SELECT id + 1000 * i, v + i % 3, w, k, s, b, d, t, n, x, f, e FROM many, generate_series(1, 9) i
      """)
    // Rows of a key are in order where all have a value.
    try connection.execute("DELETE FROM rising WHERE v IS NULL")
    for sql in [
      "SELECT l.id, r.id FROM few l JOIN many r ON r.k = l.k AND \(condition)",
      "SELECT l.id, r.id FROM many l JOIN rising r ON r.k = l.k AND \(condition)",
      "SELECT l.id, r.id FROM many l LEFT JOIN rising r ON r.k = l.k AND \(condition)",
      "SELECT l.id, r.id FROM rising l LEFT JOIN many r ON r.k = l.k AND \(condition)",
      "SELECT l.id FROM rising l WHERE EXISTS (SELECT FROM many r WHERE r.k = l.k AND \(condition))",
      "SELECT l.id FROM rising l WHERE NOT EXISTS (SELECT FROM many r WHERE r.k = l.k AND \(condition))",
      "SELECT l.id, EXISTS (SELECT FROM many r WHERE r.k = l.k AND \(condition)) FROM rising l",
      "SELECT l.id FROM many l WHERE NOT EXISTS (SELECT FROM rising r WHERE r.k = l.k AND \(condition))",
      "SELECT l.id, (SELECT count(*) FROM rising r WHERE r.k = l.k AND \(condition)) FROM many l",
    ] { try Self.check(connection, sql) }
    let plan = try connection.query(
      """
      EXPLAIN SELECT count(*) FROM many l JOIN rising r ON r.k = l.k AND r.v > l.v AND r.v < l.v + 3
      """
    ).map { $0.line }
    #expect(plan.contains { $0.contains("Range Key: ") }, "\(plan)")
  }

  @Test(
    "compares what is kept as a whole number, and exact numbers of any length",
    arguments: ["s", "b", "d", "t", "n", "x", "f", "e"])
  func types(column: String) throws {
    let connection = try Self.tables()
    let end = ["d": " + 0", "t": " + INTERVAL '0'"][column] ?? " + 0"
    for sql in [
      "SELECT l.id, r.id FROM many l JOIN rising r ON l.\(column) < r.\(column)@",
      "SELECT l.id, r.id FROM few l LEFT JOIN many r ON r.\(column)@ BETWEEN l.\(column) AND l.\(column)",
      "SELECT l.id FROM many l WHERE NOT EXISTS (SELECT FROM few r WHERE r.\(column)@ >= l.\(column))",
    ] {
      let found = try Self.lines(connection, sql, "")
      #expect(try found == Self.lines(connection, sql, end), "\(sql)")
    }
  }

  @Test("finds no bound in a number that is not known, and fails where each pair would")
  func failures() throws {
    let connection = try Self.tables()
    #expect(throws: SQLError.self) {
      try connection.query(
        "SELECT l.id FROM few l JOIN many r ON r.v > l.v AND 1 / (r.v - l.v - 1) > 0")
    }
    #expect(throws: SQLError.self) {
      try connection.query("SELECT (SELECT r.id FROM many r WHERE r.v > l.v) FROM few l")
    }
  }

  @Test("is shown by EXPLAIN")
  func explained() throws {
    let plan = try Self.tables().query(
      "EXPLAIN SELECT * FROM few l JOIN many r ON r.v > l.v AND r.v < l.v + 5"
    ).map { $0.line }
    #expect(
      plan.contains { $0.contains("Range Join") } && plan.contains { $0.contains("Range Key: ") })
  }
}
