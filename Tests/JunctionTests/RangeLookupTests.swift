import Junction
import Testing

/// Rows stand in the order of a column mostly; where they do not, a pipeline answers.
@Suite("A prepared page of a list that goes on behind a number")
struct RangeLookupTests {
  /// Tables whose key rises, rises with equal ones across pages, falls apart in the middle, has rows without one, is short.
  private static func tables() throws -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE serial (id int PRIMARY KEY, name text, kind int);
      INSERT INTO serial SELECT i, 'n' || i % 13, i % 5 FROM generate_series(1, 9000) i;
      CREATE TABLE many (id int, name text, kind int);
      INSERT INTO many SELECT i / 700, 'n' || i % 13, i % 5 FROM generate_series(1, 9000) i;
      CREATE TABLE mixed (id int, name text, kind int);
      INSERT INTO mixed SELECT CASE WHEN i BETWEEN 3000 AND 3100 THEN 7000 - i ELSE i END, 'n' || i % 13, i % 5
        FROM generate_series(1, 9000) i;
      CREATE TABLE overlapping (id bigint, name text, kind int);
      INSERT INTO overlapping SELECT i - i / 2048 * 60, 'n' || i % 13, i % 5 FROM generate_series(1, 9000) i;
      CREATE TABLE gaps (id smallint, name text, kind int);
      INSERT INTO gaps SELECT CASE WHEN i BETWEEN 5000 AND 5003 THEN NULL ELSE i END, 'n' || i % 13, i % 5
        FROM generate_series(1, 9000) i;
      CREATE TABLE short (id int PRIMARY KEY, name text, kind int);
      INSERT INTO short SELECT i * 10, 'n' || i % 13, i % 5 FROM generate_series(1, 300) i;
      CREATE TABLE none (id int PRIMARY KEY, name text, kind int);
      """)
    return connection
  }

  private static let names = ["serial", "many", "mixed", "overlapping", "gaps", "short", "none"]

  private static let queries = [
    "SELECT id, name FROM @ WHERE id > $1 ORDER BY id, name, kind LIMIT 20",
    "SELECT name, kind FROM @ WHERE id >= $1 AND kind = 3 ORDER BY id, name, kind LIMIT 7 OFFSET 3",
    "SELECT id FROM @ WHERE $1 > id ORDER BY id DESC, kind, name LIMIT 9",
    "SELECT id, kind FROM @ WHERE id <= $1 AND (kind = 1 OR name = 'n7') ORDER BY id DESC, kind, name LIMIT 30",
    "SELECT id, kind, name FROM @ WHERE (id, kind) > ($1, 2) ORDER BY id, kind, name LIMIT 11",
    "SELECT id, kind, name FROM @ WHERE (id, kind) < ($1, 2) ORDER BY id DESC, kind DESC, name LIMIT 11",
    "SELECT id FROM @ WHERE id > $1 AND id < 6000 ORDER BY id LIMIT 300",
    "SELECT id FROM @ WHERE id > $1 AND kind = 8 ORDER BY id LIMIT 2",
    "SELECT id FROM @ WHERE id > $1 ORDER BY id DESC LIMIT 3",
    "SELECT id FROM @ WHERE id > $1 ORDER BY id LIMIT 0",
    "SELECT id, name FROM @ WHERE id > $1 ORDER BY id, name, kind LIMIT 900 OFFSET 120",
    "SELECT id, name FROM @ WHERE id > $1 + 1 ORDER BY id, name, kind LIMIT 20",
    "SELECT id * 2, kind FROM @ WHERE $1 - 3 >= id ORDER BY id DESC, kind, name LIMIT 5",
    "SELECT name, kind FROM @ WHERE id > $1 AND name LIKE 'n1%' ORDER BY id, name, kind LIMIT 12",
    "SELECT name, kind FROM @ WHERE id > $1 AND 100 / (kind + 1) > 30 ORDER BY id, name, kind LIMIT 7",
    "SELECT id, kind FROM @ WHERE (id, kind) > ($1 + 1, 2) ORDER BY id, kind, name LIMIT 11",
  ]

  /// The query with the number written out, over rows that are no scan.
  private static func written(_ sql: String, _ table: String, _ number: Int64) -> String {
    sql.replacing("$1", with: "(\(number))").replacing(
      "@", with: "(SELECT * FROM \(table) OFFSET 0) s")
  }

  private static func check(_ connection: Connection, _ sql: String) throws {
    for table in names {
      let prepared = try connection.prepare(sql.replacing("@", with: table))
      for number in [-5, 0, 1, 12, 2040, 2047, 2048, 2990, 3050, 3100, 4999, 8990, 9000, 9001]
        as [Int64]
      {
        let found = try prepared.query(.integer(number)).map { $0.line }
        let expected = try connection.query(SQL(raw: written(sql, table, number))).map {
          $0.line
        }
        #expect(found == expected, "\(table) from \(number): \(sql)")
      }
      #expect(try prepared.query(.null).count == 0)
    }
  }

  @Test("gives the rows that sorting all of them gives", arguments: queries)
  func answers(sql: String) throws {
    let connection = try Self.tables()
    try Self.check(connection, sql)
    try connection.execute(
      """
      DELETE FROM serial WHERE id BETWEEN 2030 AND 2070 OR id > 8980;
      DELETE FROM many WHERE kind = 2;
      UPDATE serial SET name = 'changed' WHERE id % 100 = 1;
      UPDATE serial SET id = 20000 + id WHERE id BETWEEN 4000 AND 4100;
      INSERT INTO serial SELECT i, 'late', 3 FROM generate_series(9000, 9100) i;
      INSERT INTO short VALUES (5, 'early', 3), (9000, 'last', 1)
      """)
    try Self.check(connection, sql)
  }

  @Test("looks beyond a page whose bounds are wider than its values, as it was changed")
  func widerBounds() throws {
    let connection = Database().connect()
    // Of the second page the bounds say 50 from then on, and the third begins with 60.
    try connection.execute(
      """
      CREATE TABLE t (id int, place int PRIMARY KEY);
      INSERT INTO t SELECT i, i FROM generate_series(1, 9000) i;
      UPDATE t SET id = 50 WHERE place = 2049;
      UPDATE t SET id = 2049 WHERE place = 2049;
      UPDATE t SET id = 60 WHERE place = 4097
      """)
    let prepared = try connection.prepare(
      "SELECT id, place FROM t WHERE id > $1 ORDER BY id, place LIMIT 10")
    for number in [40, 49, 50, 55, 59, 60, 2040, 4090] as [Int64] {
      let expected = try connection.query(
        SQL(
          raw: """
            SELECT id, place FROM (SELECT * FROM t OFFSET 0) s WHERE id > \(number)
            ORDER BY id, place LIMIT 10
            """)
      ).map { $0.line }
      #expect(try prepared.query(.integer(number)).map { $0.line } == expected, "\(number)")
    }
  }

  @Test("follows changes of its own transaction, and limits that parameters give")
  func changes() throws {
    let connection = try Self.tables()
    let sql = "SELECT id FROM serial WHERE id > $1 ORDER BY id LIMIT $2 OFFSET $3"
    let prepared = try connection.prepare(sql)
    func ids(_ values: Int64...) throws -> [Int64?] {
      try prepared.execute(with: values.map { .integer($0) }).rows.map { $0.map { $0[0].integer } }
        ?? []
    }
    #expect(try ids(10, 2, 1) == [12, 13])
    try connection.execute("BEGIN; DELETE FROM serial WHERE id = 12; INSERT INTO serial VALUES (0)")
    #expect(try ids(10, 2, 1) == [13, 14])
    #expect(try ids(-1, 2, 0) == [0, 1])
    try connection.execute("ROLLBACK")
    #expect(try ids(10, 2, 1) == [12, 13])
    #expect(try ids(-1, 2, 0) == [1, 2])
    #expect(throws: SQLError.self) { try ids(1, -1, 0) }
  }

  @Test("fails as a run does: at once for what is one value, and for any row that is asked")
  func failures() throws {
    let connection = try Self.tables()
    func state(_ sql: String, _ number: Int64) throws(SQLError) -> SQLState? {
      let prepared = try connection.prepare(sql)
      do {
        _ = try prepared.query(.integer(number))
        return nil
      } catch { return error.state }
    }
    let tail = "ORDER BY id LIMIT 3"
    #expect(
      try state("SELECT id FROM serial WHERE id > $1 + 1 \(tail)", 2_147_483_647)
        == .numericOutOfRange)
    #expect(
      try state("SELECT id FROM serial WHERE id = $1 * 2", 1_500_000_000) == .numericOutOfRange)
    #expect(try state("SELECT id FROM serial WHERE id > 10 / $1 \(tail)", 0) == .divisionByZero)
    #expect(try state("SELECT id FROM serial WHERE id > $1 OR id > 10 / $1 \(tail)", 0) == nil)
    #expect(
      try state("SELECT id FROM serial WHERE id > -5 AND (id < 9000 OR id > 10 / $1) \(tail)", 0)
        == .divisionByZero)
    #expect(
      try state("SELECT id FROM many WHERE kind > $1 AND 10 / (id - 12) > -9 \(tail)", 0)
        == .divisionByZero)
    #expect(try state("SELECT 10 / kind FROM serial WHERE id >= $1 \(tail)", 5) == .divisionByZero)
  }

  @Test(
    "is shown by EXPLAIN, as every plan is that starts no pipeline",
    arguments: [
      ("SELECT id FROM serial WHERE id > $1 ORDER BY id LIMIT 5", true),
      ("SELECT name FROM serial WHERE id = $1", true),
      ("SELECT name FROM serial WHERE id = $1 + 1", true),
      (
        "SELECT id, name FROM serial WHERE id > $1 - 1 AND name LIKE 'n%' ORDER BY id LIMIT 5", true
      ),
      ("SELECT upper(name) FROM serial WHERE id = $1", false),
      ("SELECT name FROM serial WHERE id = $1 OR id = 7 ORDER BY id", false),
      ("SELECT id FROM serial WHERE id > $1 ORDER BY name LIMIT 5", false),
      ("SELECT id FROM serial WHERE id > $1 ORDER BY id", false),
    ])
  func explained(sql: String, isShort: Bool) throws {
    let connection = try Self.tables()
    try connection.execute(SQL(raw: "PREPARE q(int) AS \(sql)"))
    let plan = try connection.query("EXPLAIN EXECUTE q(5)").map { $0.line }
    #expect(plan.contains { $0.contains("Short Way") } == isShort, "\(plan)")
    let measured = try connection.query("EXPLAIN ANALYZE EXECUTE q(5)").map { $0.line }
    #expect(!measured.contains { $0.contains("Short Way") })
  }
}
