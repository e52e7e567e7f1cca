import Diagnostics
import Junction
import Testing

/// Recursions along foreign keys, over the same rows with keys declared and without.
@Suite("A recursion that walks along a foreign key")
struct ClosureTests {
  /// Courses need others in long chains, cycles and wide fans; staff form a forest, some of them without a chief.
  private static func makeSchool() throws(SQLError) -> Database {
    let database = Database()
    let connection = database.connect()
    try connection.execute(
      """
      CREATE SCHEMA plain;
      CREATE TABLE plain.course (id int, name text);
      CREATE TABLE plain.needs (course_id int, requires_id int, since int);
      CREATE TABLE plain.staff (id int, chief_id int, code smallint);
      INSERT INTO plain.course SELECT i, 'course ' || i FROM generate_series(1, 1600) i;
      INSERT INTO plain.needs SELECT i, i / 2, i % 3 FROM generate_series(2, 300) i;
      INSERT INTO plain.needs SELECT i, i + 40, 5 FROM generate_series(200, 240) i WHERE i % 2 = 0;
      INSERT INTO plain.needs SELECT 301, i, 7 FROM generate_series(400, 1500) i;
      INSERT INTO plain.needs SELECT i, 301, 7 FROM generate_series(1490, 1497) i;
      INSERT INTO plain.staff SELECT i * 10, CASE WHEN i > 3 THEN (i / 3) * 10 END, i % 50
        FROM generate_series(1, 400) i;
      CREATE SCHEMA linked;
      CREATE TABLE linked.course (id int PRIMARY KEY, name text);
      CREATE TABLE linked.needs (
        course_id int REFERENCES linked.course, requires_id int REFERENCES linked.course, since int,
        PRIMARY KEY (course_id, requires_id));
      CREATE TABLE linked.staff (id int PRIMARY KEY, chief_id int REFERENCES linked.staff, code smallint);
      INSERT INTO linked.course SELECT * FROM plain.course;
      INSERT INTO linked.needs SELECT * FROM plain.needs;
      INSERT INTO linked.staff SELECT * FROM plain.staff;
      """)
    return database
  }

  private static let made = Result { try makeSchool() }

  /// A school to change, of which each caller has its own.
  private static func school() throws -> Connection { try made.get().fork().connect() }

  private static let step =
    "SELECT p.requires_id FROM needed n JOIN needs p ON p.course_id = n.id)"

  static let queries = [
    "WITH RECURSIVE needed (id) AS (SELECT requires_id FROM needs WHERE course_id = $1 UNION \(step) "
      + "SELECT count(*) FROM needed",
    "WITH RECURSIVE needed (id) AS (SELECT requires_id FROM needs WHERE course_id = $1 UNION \(step) "
      + "SELECT c.id, c.name FROM needed n JOIN course c ON c.id = n.id",
    "WITH RECURSIVE needed (id) AS (SELECT $1::int UNION \(step) SELECT id FROM needed",
    "WITH RECURSIVE needed (id) AS (SELECT $1::int UNION \(step) SELECT count(*), count(id) FROM needed",
    "WITH RECURSIVE needed (id) AS (SELECT id FROM course WHERE id % 100 = $1 UNION \(step) "
      + "SELECT count(*), sum(id) FROM needed WHERE id % 2 = 0",
    "WITH RECURSIVE needed (id) AS (VALUES ($1::int), (NULL), (99999), (NULL), (3) UNION \(step) "
      + "SELECT id FROM needed",
    "WITH RECURSIVE needed (id) AS (VALUES (NULL::int), (99999), ($1)  UNION \(step) "
      + "SELECT count(*) FROM needed",
    // Against the foreign key.
    "WITH RECURSIVE users (id) AS (SELECT $1::int UNION SELECT p.course_id FROM users u "
      + "JOIN needs p ON p.requires_id = u.id) SELECT id FROM users",
    // With columns that stay.
    "WITH RECURSIVE needed (start, id) AS (SELECT course_id, requires_id FROM needs WHERE course_id > $1 "
      + "UNION SELECT n.start, p.requires_id FROM needed n JOIN needs p ON p.course_id = n.id) "
      + "SELECT count(*), sum(start), sum(id) FROM needed",
    "WITH RECURSIVE needed (start, id, name) AS (SELECT $1::int, c.id, CASE WHEN c.id > 20 THEN c.name END "
      + "FROM course c WHERE c.id < 40 UNION SELECT n.start, p.requires_id, n.name FROM needed n, needs p "
      + "WHERE p.course_id = n.id) SELECT * FROM needed",
    "WITH RECURSIVE needed (id, start) AS (SELECT CASE WHEN id % 7 > 0 THEN id + $1 END, id FROM course "
      + "UNION SELECT p.requires_id, n.start FROM needed n JOIN needs p ON n.id = p.course_id) "
      + "SELECT start, count(*), count(id) FROM needed GROUP BY start",
    // With conditions on the edges, and on where they arrive.
    "WITH RECURSIVE needed (id) AS (SELECT $1::int UNION SELECT p.requires_id FROM needed n JOIN needs p "
      + "ON p.course_id = n.id WHERE p.since < 7) SELECT id FROM needed",
    "WITH RECURSIVE needed (id) AS (SELECT requires_id FROM needs WHERE course_id = $1 UNION SELECT p.requires_id "
      + "FROM needed n JOIN needs p ON p.course_id = n.id WHERE p.since > 0 AND p.requires_id <> 8) "
      + "SELECT count(*) FROM needed",
    "WITH RECURSIVE needed (start, id) AS (SELECT course_id, requires_id FROM needs WHERE course_id > $1 "
      + "UNION SELECT n.start, p.requires_id FROM needed n JOIN needs p ON p.course_id = n.id AND p.since % 2 = 1) "
      + "SELECT start, count(*), sum(id) FROM needed GROUP BY start",
    "WITH RECURSIVE needed (start, id) AS (SELECT course_id, requires_id FROM needs "
      + "UNION SELECT n.start, p.requires_id FROM needed n JOIN needs p ON p.course_id = n.id AND p.since + $1 > 4) "
      + "SELECT count(*) FROM needed",
    "WITH RECURSIVE needed (id) AS (SELECT $1::int UNION SELECT c.id FROM needed n JOIN needs p ON p.course_id = n.id "
      + "JOIN course c ON c.id = p.requires_id WHERE c.name LIKE '%2%' AND p.since < 7) SELECT id FROM needed",
    "WITH RECURSIVE below (id) AS (SELECT $1::int UNION SELECT s.id FROM below b JOIN staff s "
      + "ON s.chief_id = b.id WHERE s.code % 3 > 0) SELECT id FROM below",
    // Tables that refer to themselves.
    "WITH RECURSIVE below (id) AS (SELECT $1::int UNION SELECT s.id FROM below b JOIN staff s "
      + "ON s.chief_id = b.id) SELECT id FROM below",
    "WITH RECURSIVE below (chief, id) AS (SELECT id, id FROM staff WHERE id > $1 UNION SELECT b.chief, s.id "
      + "FROM below b JOIN staff s ON s.chief_id = b.id) SELECT chief, count(*) FROM below GROUP BY chief",
    "WITH RECURSIVE above (id) AS (SELECT chief_id FROM staff WHERE id = $1 UNION SELECT s.chief_id "
      + "FROM above a JOIN staff s ON s.id = a.id) SELECT id FROM above",
    "WITH RECURSIVE below (code) AS (SELECT $1::int UNION SELECT s.code FROM below b JOIN staff s "
      + "ON s.chief_id = b.code) SELECT code FROM below",
    // Steps that do more than walk.
    "WITH RECURSIVE needed (id) AS (SELECT $1::int UNION SELECT p.requires_id FROM needed n JOIN needs p "
      + "ON p.course_id = n.id WHERE p.since < 6) SELECT id FROM needed",
    "WITH RECURSIVE needed (id, depth) AS (SELECT $1::int, 0 UNION SELECT p.requires_id, n.depth + 1 "
      + "FROM needed n JOIN needs p ON p.course_id = n.id WHERE n.depth < 5) SELECT * FROM needed",
    "WITH RECURSIVE needed (id) AS (SELECT $1::int UNION ALL SELECT p.requires_id FROM needed n JOIN needs p "
      + "ON p.course_id = n.id) SELECT id FROM needed LIMIT 200",
  ]

  /// Steps that count rounds, with a bound, as there are circles.
  static let roundQueries = [
    "WITH RECURSIVE needed (id, depth) AS (SELECT requires_id, 1 FROM needs WHERE course_id = $1 UNION \(deeper) < 6) "
      + "SELECT count(*), max(depth), min(depth), sum(depth) FROM needed",
    "WITH RECURSIVE needed (id, depth) AS (SELECT requires_id, 1 FROM needs WHERE course_id = $1 UNION \(deeper) < 6) "
      + "SELECT count(*), count(id), sum(id), min(id), max(id), avg(id) FROM needed",
    "WITH RECURSIVE needed (id, depth) AS (SELECT requires_id, 1 FROM needs WHERE course_id = $1 UNION \(deeper) < 6) "
      + "SELECT * FROM needed WHERE depth > 2",
    "WITH RECURSIVE needed (id, depth) AS (SELECT requires_id, 1 FROM needs WHERE course_id = $1 UNION ALL \(deeper) < 4) "
      + "SELECT id, depth, count(*) FROM needed GROUP BY id, depth",
    "WITH RECURSIVE needed (id, depth) AS (SELECT requires_id, 1 FROM needs WHERE course_id = $1 UNION ALL \(deeper) < 4) "
      + "SELECT count(*), sum(depth), max(id) FROM needed",
    "WITH RECURSIVE needed (id, depth) AS (SELECT requires_id, 1 FROM needs WHERE course_id = $1 UNION ALL \(deeper) < 4) "
      + "SELECT count(DISTINCT id), max(id), sum(DISTINCT id) FROM needed",
    // The least number of steps to each.
    "WITH RECURSIVE needed (id, depth) AS (SELECT requires_id, 1 FROM needs WHERE course_id = $1 UNION \(deeper) < 9) "
      + "SELECT count(*), max(steps) FROM (SELECT id, min(depth) AS steps FROM needed GROUP BY id) nearest",
    "WITH RECURSIVE needed (id, depth) AS (SELECT $1::int, 0 UNION ALL \(deeper) <= 3) "
      + "SELECT min(depth), id, min(depth) FROM needed GROUP BY id",
    "WITH RECURSIVE needed (id, depth) AS (SELECT $1::int, 0 UNION \(deeper) < 5) SELECT max(depth), id FROM needed GROUP BY id",
    "WITH RECURSIVE needed (id, depth) AS (SELECT $1::int, 0 UNION \(deeper) < 5) SELECT DISTINCT id FROM needed",
    "WITH RECURSIVE needed (id, depth) AS (SELECT $1::int, 0 UNION \(deeper) < 5) "
      + "SELECT name FROM course WHERE id IN (SELECT id FROM needed WHERE id % 3 > 0)",
    // Several anchors, some of which stand nowhere, and one twice.
    "WITH RECURSIVE needed (id, depth) AS (SELECT v, 7 FROM (VALUES ($1::int), (NULL), (99999), (NULL), (3), (3)) x (v) "
      + "UNION \(deeper) < 11) SELECT id, depth, count(*) FROM needed GROUP BY id, depth",
    "WITH RECURSIVE needed (id, depth) AS (SELECT v, 7 FROM (VALUES ($1::int), (NULL), (99999), (NULL), (3), (3)) x (v) "
      + "UNION ALL \(deeper) < 10) SELECT id, depth, count(*) FROM needed GROUP BY id, depth",
    "WITH RECURSIVE needed (id, depth) AS (SELECT v, 7 FROM (VALUES ($1::int), (NULL), (99999), (NULL), (3), (3)) x (v) "
      + "UNION ALL \(deeper) < 10) SELECT count(*), count(id), sum(depth) FROM needed",
    // Columns that stay, in other orders and types, downwards.
    "WITH RECURSIVE needed (depth, start, id) AS (SELECT 10::bigint, course_id, requires_id FROM needs WHERE course_id > $1 "
      + "UNION SELECT depth - 2, start, p.requires_id FROM needed n JOIN needs p ON p.course_id = n.id WHERE 4 < n.depth) "
      + "SELECT start, depth, count(*), sum(id) FROM needed GROUP BY start, depth",
    "WITH RECURSIVE needed (depth, start, id) AS (SELECT 10::bigint, course_id, requires_id FROM needs WHERE course_id > $1 "
      + "UNION ALL SELECT depth - 2, start, p.requires_id FROM needed n JOIN needs p ON p.course_id = n.id WHERE 4 < n.depth) "
      + "SELECT start, count(*), sum(id), sum(depth) FROM needed GROUP BY start",
    "WITH RECURSIVE needed (depth, start, id) AS (SELECT 10, course_id, requires_id FROM needs WHERE course_id > $1 "
      + "UNION SELECT depth - 1, start, p.requires_id FROM needed n JOIN needs p ON p.course_id = n.id WHERE n.depth > 7) "
      + "SELECT start, id, max(depth) FROM needed GROUP BY start, id",
    // Conditions of other forms, and on edges.
    "WITH RECURSIVE needed (id, depth) AS (SELECT $1::int, 0::smallint UNION SELECT p.requires_id, n.depth + 1::smallint "
      + "FROM needed n JOIN needs p ON p.course_id = n.id WHERE n.depth % 5 <> 4 AND n.depth <> 3) SELECT * FROM needed",
    "WITH RECURSIVE needed (id, depth) AS (SELECT $1::int, 0 UNION SELECT p.requires_id, 1 + n.depth "
      + "FROM needed n JOIN needs p ON p.course_id = n.id AND p.since < 7 WHERE n.depth + $1 / 100 < 6) SELECT * FROM needed",
    "WITH RECURSIVE needed (id, depth) AS (SELECT $1::int, 0 UNION ALL SELECT p.requires_id, 1 + n.depth "
      + "FROM needed n JOIN needs p ON p.course_id = n.id AND p.since <> 1 WHERE n.depth < 4) SELECT * FROM needed",
    "WITH RECURSIVE below (id) AS (SELECT $1::int UNION ALL SELECT s.id FROM below b JOIN staff s "
      + "ON s.chief_id = b.id) SELECT id, count(*) FROM below GROUP BY id",
    "WITH RECURSIVE below (id, depth) AS (SELECT id, 0 FROM staff WHERE chief_id IS NULL AND id <> $1 UNION ALL SELECT s.id, "
      + "b.depth + 1 FROM below b JOIN staff s ON s.chief_id = b.id) SELECT depth, count(*), sum(id) FROM below GROUP BY depth",
    // No column that counts: nothing is added to it, or not in each row the same.
    "WITH RECURSIVE needed (id, depth) AS (SELECT $1::int, 0 UNION SELECT p.requires_id, n.depth + 0 "
      + "FROM needed n JOIN needs p ON p.course_id = n.id) SELECT * FROM needed",
    "WITH RECURSIVE needed (id, depth) AS (SELECT c.id, c.id % 3 FROM course c WHERE c.id < 50 AND c.id <> $1 "
      + "UNION \(deeper) < 4) SELECT id, min(depth), count(*) FROM needed GROUP BY id",
  ]

  private static let deeper =
    "SELECT p.requires_id, n.depth + 1 FROM needed n JOIN needs p ON p.course_id = n.id WHERE n.depth"

  private static func rows(
    _ connection: Connection, _ schema: String, _ sql: String, _ number: Int64
  ) throws -> [String] {
    try connection.execute("SET search_path = \(schema)")
    let result = try connection.query(sql, [.integer(number)])
    return result.map { $0.line }.sorted()
  }

  @Test("gives the rows that joins give", arguments: queries)
  func sameRows(_ sql: String) throws {
    let connection = try Self.school()
    for change in ["", "DELETE FROM linked.needs WHERE since = 1"] {
      try connection.execute(change + ";" + change.replacing("linked", with: "plain"))
      for number in [1, 20, 211, 301, 1491, 7000, 1] as [Int64] {
        #expect(
          try Self.rows(connection, "linked", sql, number)
            == Self.rows(connection, "plain", sql, number), "\(number) \(change)")
      }
    }
  }

  @Test("counts rounds as joins do", arguments: roundQueries)
  func sameRounds(_ sql: String) throws { try sameRows(sql) }

  @Test("runs out of numbers for its rounds as joins do")
  func roundOverflow() throws {
    let connection = try Self.school()
    let sql = """
      WITH RECURSIVE needed (id, depth) AS (SELECT 201, 2147483645 UNION SELECT p.requires_id, n.depth + 1
        FROM needed n JOIN needs p ON p.course_id = n.id) SELECT count(*) FROM needed
      """
    for schema in ["plain", "linked"] {
      try connection.execute("SET search_path = \(schema)")
      let error = #expect(throws: SQLError.self) { try connection.query(sql) }
      #expect(error?.state == .numericOutOfRange, "\(schema)")
      // A way that ends before does not.
      let rows = try connection.query(sql.replacing("201", with: "4"))
      #expect(rows.map { $0[0].integer } == [3], "\(schema)")
    }
  }

  @Test("looks at rounds in transactions and in runs by number")
  func laterRounds() throws {
    let connection = try Self.school()
    try connection.execute("SET search_path = linked")
    let nearest = try connection.prepare(
      "WITH RECURSIVE needed (id, depth) AS (SELECT requires_id, 1 FROM needs WHERE course_id = $1 UNION "
        + "\(Self.deeper) < 50) SELECT count(*), max(steps), sum(steps) FROM "
        + "(SELECT id, min(depth) AS steps FROM needed GROUP BY id) nearest")
    func found(_ id: Int64) throws -> [Int64?] {
      let rows = try nearest.query(.integer(id))
      return (0..<3).map { column in
        if case .integer(let number) = rows.value(row: 0, column: column) { number } else { nil }
      }
    }
    #expect(try found(8) == [3, 3, 6])
    #expect(try found(1) == [0, nil, nil])
    try connection.execute("BEGIN; INSERT INTO needs VALUES (8, 2, 0), (8, 1, 0), (8, 99, 0)")
    #expect(try found(8) == [9, 6, 24])
    try connection.execute("ROLLBACK")
    #expect(try found(8) == [3, 3, 6])
    #expect(try found(7000) == [0, nil, nil])
  }

  /// Whether a condition holds is kept from run to run, but not from version to version.
  @Test(
    "asks conditions anew after a change",
    arguments: [
      "SELECT requires_id FROM needs WHERE course_id = $1 UNION SELECT p.requires_id FROM needed n JOIN needs p "
        + "ON p.course_id = n.id AND p.since < 4) SELECT count(*), sum(id) FROM needed",
      "SELECT requires_id FROM needs WHERE course_id = $1 UNION SELECT c.id FROM needed n JOIN needs p "
        + "ON p.course_id = n.id JOIN course c ON c.id = p.requires_id WHERE c.name NOT LIKE '%5%') "
        + "SELECT count(*), sum(id) FROM needed",
      "SELECT requires_id FROM needs WHERE course_id = $1 UNION SELECT p.requires_id FROM needed n JOIN needs p "
        + "ON p.course_id = n.id) SELECT count(*), sum(id) FROM needed WHERE id % 3 > 0 AND id < 200",
      "SELECT requires_id FROM needs WHERE course_id = $1 UNION SELECT p.requires_id FROM needed n JOIN needs p "
        + "ON p.course_id = n.id AND p.requires_id % 3 > 0) SELECT count(*) FROM needed WHERE id % 2 > 0",
    ])
  func keptConditions(_ body: String) throws {
    let connection = try Self.school()
    let sql = "WITH RECURSIVE needed (id) AS (\(body)"
    try connection.execute("SET search_path = linked")
    let kept = try connection.prepare(sql)
    // Nothing is kept for a plan of its own, which asks everything once.
    func agree(_ comment: Comment) throws {
      for number in [300, 8, 240, 301, 300, 2, 8, 1599] as [Int64] {
        let rows = try kept.query(.integer(number)).map { $0.line }
        let once = sql.replacing("$1", with: "\(number)")
        #expect(rows == (try connection.query(once).map { $0.line }), comment)
      }
    }
    try agree("at first")
    try connection.execute("INSERT INTO needs VALUES (8, 299, 0), (301, 3, 1)")
    try agree("after an insert")
    try connection.execute(
      "BEGIN; UPDATE needs SET since = 5 - since; UPDATE course SET name = '5' || name WHERE id = 4"
    )
    try agree("in a transaction")
    try connection.execute(
      "DELETE FROM needs WHERE requires_id = 37; INSERT INTO needs VALUES (74, 37, 1)")
    try agree("later in it")
    try connection.execute("ROLLBACK")
    try agree("when it is rolled back")
  }

  /// Of random graphs, some of them without circles; the last have too many pairs for lists.
  @Test("counts the pairs of all rows and those that they reach", arguments: 0..<12)
  func allPairs(_ seed: Int) throws {
    var generator = GraphRandom(state: UInt64(seed))
    let (rows, edges) = seed < 10 ? (40, 10 + 5 * seed) : (100, 1100)
    var needs: [Int: Set<Int>] = [:]
    for _ in 0..<edges {
      let (one, other) = (1 + generator.below(rows), 1 + generator.below(rows))
      if seed % 2 == 0 && one == other { continue }
      needs[seed % 2 == 0 ? max(one, other) : one, default: []].insert(
        seed % 2 == 0 ? min(one, other) : other)
    }
    func reached(from start: Int, with itself: Bool = false) -> Int {
      var reached: Set<Int> = itself ? [start] : []
      var waiting = [start]
      while let row = waiting.popLast() {
        waiting += (needs[row] ?? []).filter { reached.insert($0).inserted }
      }
      return reached.count
    }
    let wanted = needs.keys.reduce(0) { $0 + reached(from: $1) }
    let connection = Database().connect()
    let values = needs.flatMap { course in course.value.map { "(\(course.key), \($0))" } }
    try connection.execute(
      """
      CREATE TABLE course (id int PRIMARY KEY);
      CREATE TABLE needs (
        course_id int REFERENCES course, requires_id int REFERENCES course, since int);
      INSERT INTO course
        SELECT \(seed % 3 == 0 ? "i" : seed % 3 == 1 ? "\(rows + 1) - i" : "(i * 7) % \(rows + 1)")
        FROM generate_series(1, \(rows)) i;
      INSERT INTO needs VALUES \(values.joined(separator: ", "));
      """)
    func count(_ start: String, _ end: String, _ order: String) throws -> Int64? {
      let sql = """
        WITH RECURSIVE pairs (\(order)) AS (
          SELECT \(order == "start, id" ? "\(start), \(end)" : "\(end), \(start)") FROM needs
          UNION
          SELECT \(order == "start, id" ? "n.start, p.\(end)" : "p.\(end), n.start")
          FROM pairs n JOIN needs p ON p.\(start) = n.id)
        SELECT count(*) FROM pairs
        """
      return try connection.query(sql).map { $0[0].integer }.first ?? nil
    }
    #expect(try count("course_id", "requires_id", "start, id") == Int64(wanted))
    #expect(try count("requires_id", "course_id", "id, start") == Int64(wanted))
    // An edge beside another changes nothing; one from nowhere is a row all the same.
    try connection.execute("INSERT INTO needs SELECT * FROM needs WHERE course_id > 9")
    #expect(try count("course_id", "requires_id", "start, id") == Int64(wanted))
    try connection.execute("INSERT INTO needs VALUES (NULL, 1)")
    #expect(
      try count("course_id", "requires_id", "start, id")
        == Int64(wanted + reached(from: 1, with: true)))
  }

  @Test("gives the rows of a round before those of the next")
  func roundByRound() throws {
    let connection = try Self.school()
    let rows = try connection.query(
      """
      SET search_path = linked;
      WITH RECURSIVE needed (id) AS (SELECT 201 UNION \(Self.step) SELECT id FROM needed
      """)
    #expect(rows.map { $0[0].integer } == [201, 100, 50, 25, 12, 6, 3, 1])
    let pairs = try connection.query(
      """
      WITH RECURSIVE needed (start, id) AS (
        SELECT course_id, requires_id FROM needs WHERE course_id IN (8, 9)
        UNION SELECT n.start, p.requires_id FROM needed n JOIN needs p ON p.course_id = n.id)
      SELECT start, id FROM needed
      """)
    let found = pairs.map { "\($0[0].integer ?? 0) \($0[1].integer ?? 0)" }
    #expect(found == ["8 4", "9 4", "8 2", "9 2", "8 1", "9 1"])
  }

  @Test("sees what was written since its last run")
  func laterWrites() throws {
    let connection = try Self.school()
    try connection.execute("SET search_path = linked")
    let count = try connection.prepare(Self.queries[0])
    #expect(try count.query(.integer(8)).value(row: 0, column: 0) == .integer(3))
    try connection.execute("INSERT INTO needs VALUES (1, 1600, 0), (1600, 8, 0)")
    #expect(try count.query(.integer(8)).value(row: 0, column: 0) == .integer(5))
    try connection.execute("BEGIN; DELETE FROM needs WHERE course_id = 4")
    #expect(try count.query(.integer(8)).value(row: 0, column: 0) == .integer(1))
    try connection.execute("ROLLBACK")
    #expect(try count.query(.integer(8)).value(row: 0, column: 0) == .integer(5))
    #expect(try count.query(.null).value(row: 0, column: 0) == .integer(0))
  }

  @Test("keeps to the limit of memory")
  func memoryLimit() throws {
    let connection = try Self.school()
    try connection.execute("SET search_path = linked; SET memory_limit = '64kB'")
    let error = #expect(throws: SQLError.self) {
      try connection.query(
        "WITH RECURSIVE n (a, b) AS (SELECT a.id, b.id FROM course a, course b WHERE a.id < 60 UNION "
          + "SELECT n.a, p.requires_id FROM n JOIN needs p ON p.course_id = n.b) SELECT count(*) FROM n"
      )
    }
    #expect(error?.state == .outOfMemory)
  }
}
