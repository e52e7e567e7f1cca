import Diagnostics
import Junction
import Testing

@Suite("A whole table in an order that is kept")
struct StoredOrderTests {
  /// Courses with names that tie and are missing, over several pages.
  private static func school(courses: Int = 2_500) throws(SQLError) -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY);
      CREATE TABLE course (id int PRIMARY KEY, name text, level int);
      CREATE TABLE enrols_in (
        student_id int REFERENCES student, course_id int REFERENCES course,
        PRIMARY KEY (student_id, course_id));
      INSERT INTO course SELECT i, CASE WHEN i % 11 > 0 THEN 'the course of ' || (i * 7919) % 2003 END,
        (i * 31) % 17 FROM generate_series(1, \(courses)) i;
      INSERT INTO student SELECT generate_series(1, 5);
      INSERT INTO enrols_in SELECT 2, i FROM generate_series(1, 9) i;
      INSERT INTO enrols_in SELECT 3, i FROM generate_series(3, \(courses), 3) i;
      INSERT INTO enrols_in SELECT 4, i FROM generate_series(1, \(courses)) i;
      """)
    return connection
  }

  private static func rows(_ result: ResultSet) -> [[SQLValue]] { result.map(\.values) }

  /// An order, and the same one by an expression, for which no order is kept.
  struct Order: Sendable, CustomTestStringConvertible {
    let stored: String
    let computed: String
    var testDescription: String { stored }
  }

  static let orders = [
    Order(stored: "name", computed: "name || ''"),
    Order(stored: "name DESC", computed: "name || '' DESC"),
    Order(stored: "name DESC NULLS LAST", computed: "name || '' DESC NULLS LAST"),
    Order(stored: "level NULLS FIRST, name", computed: "level + 0 NULLS FIRST, name"),
    Order(stored: "level DESC, id DESC", computed: "level + 0 DESC, id DESC"),
    Order(stored: "id", computed: "id + 0"), Order(stored: "id DESC", computed: "id + 0 DESC"),
  ]

  private static let conditions = [
    "true",
    "NOT EXISTS (SELECT 1 FROM enrols_in e WHERE e.course_id = c.id AND e.student_id = $1)",
    "id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = $1)",
    "id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = $1) "
      + "AND NOT EXISTS (SELECT FROM enrols_in e WHERE e.course_id = c.id AND e.student_id = 2)",
  ]

  private static let limits = ["", " LIMIT 7", " LIMIT 2100 OFFSET 30", " OFFSET 2490", " LIMIT 0"]

  @Test("rises with a key whatever becomes of its rows", arguments: ["", "DESC"])
  func serialKey(direction: String) throws {
    let connection = try Self.school()
    for change in [
      "DELETE FROM enrols_in", "DELETE FROM course WHERE id % 3 = 0 OR id BETWEEN 1900 AND 2200",
      "INSERT INTO course VALUES (2501, 'last', 1)", "INSERT INTO course VALUES (9, 'again', 1)",
      "DELETE FROM course WHERE id > 100",
    ] {
      try connection.execute(change)
      for rest in ["", "LIMIT 5 OFFSET 700", "LIMIT 3"] {
        let query = "SELECT id, name FROM course ORDER BY "
        #expect(
          Self.rows(try connection.query("\(query) id \(direction) \(rest)"))
            == Self.rows(try connection.query("\(query) id + 0 \(direction) \(rest)")))
      }
    }
  }

  @Test(
    "leaves out rows by a bitmap under conditions too",
    arguments: ["level > 3", "id > 700 AND level < 15", "level <> 5 AND id + level > 20"])
  func conditions(condition: String) throws {
    let connection = try Self.school()
    for student in 1...4 {
      let query = "SELECT count(*), min(id), max(name) FROM course c WHERE \(condition) AND "
      let courses = "(SELECT course_id FROM enrols_in WHERE student_id = \(student))"
      let found = Self.rows(try connection.query("\(query) c.id NOT IN \(courses)"))
      #expect(found == Self.rows(try connection.query("\(query) c.id + 0 NOT IN \(courses)")))
    }
    let plan = Self.rows(
      try connection.query(
        """
        EXPLAIN SELECT count(*), min(level) FROM course c WHERE \(condition)
          AND NOT EXISTS (SELECT 1 FROM enrols_in e WHERE e.course_id = c.id AND e.student_id = 3)
        """))
    #expect("\(plan)".contains("Bitmap Cond"))
  }

  @Test("gives what sorting gives, however often it is asked", arguments: orders)
  func sameAsSorted(_ order: Order) throws {
    let connection = try Self.school()
    for condition in Self.conditions {
      for limit in Self.limits {
        for student in condition.contains("$1") ? [2, 3, 4] : [1] {
          let condition = condition.replacing("$1", with: String(student))
          let query = "SELECT c.name, c.id FROM course c WHERE \(condition) ORDER BY "
          let expected = Self.rows(try connection.query(query + order.computed + limit))
          let prepared = try connection.prepare(query + order.stored + limit)
          for _ in 0..<3 {
            #expect(Self.rows(try prepared.query()) == expected, "\(condition) \(limit) \(student)")
          }
        }
      }
    }
  }

  @Test("follows every change of the table")
  func followsChanges() throws {
    let connection = try Self.school(courses: 300)
    let query = "SELECT id, name, level FROM course ORDER BY "
    let stored = try connection.prepare(query + "name, level")
    func check(_ what: String) throws {
      for _ in 0..<4 {
        let expected = Self.rows(try connection.query(query + "name || '', level"))
        #expect(Self.rows(try stored.query()) == expected, "\(what)")
      }
    }
    try check("as loaded")
    try connection.execute("INSERT INTO course VALUES (1000, 'the course', 1), (1001, NULL, NULL)")
    try check("inserted")
    try connection.execute("DELETE FROM enrols_in; DELETE FROM course WHERE id % 5 = 0")
    try check("deleted")
    try connection.execute("UPDATE course SET name = 'a' || id WHERE id % 7 = 0")
    try check("updated")
    try connection.execute("BEGIN; UPDATE course SET name = 'b' || id")
    try check("changed in a transaction")
    try connection.execute("ROLLBACK")
    try check("rolled back")
    try connection.execute("TRUNCATE course CASCADE")
    try check("emptied")
  }

  @Test("gives rows in long stretches to a result, which everybody can read")
  func longStretches() throws {
    let connection = try Self.school(courses: 70_000)
    let query = "SELECT id, name FROM course WHERE id > 0 ORDER BY name"
    let all = "SELECT id, name FROM course ORDER BY name"
    let wanted = try connection.query("SELECT id, name FROM course ORDER BY name || ''")
    let rows = Self.rows(wanted)
    for _ in 0..<4 { #expect(Self.rows(try connection.query(all)) == rows) }
    #expect(Self.rows(try connection.query(query)) == rows)
    try connection.execute(
      """
      CREATE TABLE copied AS \(all);
      CREATE TABLE inserted (id int PRIMARY KEY, name text);
      INSERT INTO inserted \(all);
      CREATE MATERIALIZED VIEW viewed AS \(all);
      REFRESH MATERIALIZED VIEW viewed;
      BEGIN;
      DECLARE reader CURSOR FOR \(all);
      MOVE 65000 IN reader;
      """)
    let fetched = try connection.query("FETCH 3000 FROM reader")
    #expect(Self.rows(fetched) == Array(rows[65_000..<68_000]))
    try connection.execute("COMMIT")
    for table in ["copied", "inserted", "viewed"] {
      #expect(Self.rows(try connection.query("SELECT * FROM \(table)")) == rows, "\(table)")
    }
    for query in ["\(all) LIMIT 66000 OFFSET 1000", "\(all) OFFSET 69000"] {
      let offset = query.contains("LIMIT") ? 1000 : 69_000
      #expect(
        Self.rows(try connection.query(query)) == Array(rows[offset...].prefix(66_000)), "\(query)")
    }
  }

  @Test("is read by others while it changes")
  func keepsOldVersions() throws {
    let connection = try Self.school(courses: 500)
    let prepared = try connection.prepare("SELECT name FROM course ORDER BY name")
    for _ in 0..<3 { _ = try prepared.query() }
    let before = try prepared.query()
    let texts = Self.rows(before)
    try connection.execute(
      """
      UPDATE course SET name = 'another name that is long ' || id;
      CREATE TABLE other AS SELECT repeat('x', 24) AS text FROM generate_series(1, 20000)
      """)
    #expect(Self.rows(try prepared.query()) != texts)
    #expect(Self.rows(before) == texts)
  }
}

@Suite("Rows that are counted without being looked at")
struct RowCountTests {
  @Test("are as many as those that are")
  func countsAgree() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY);
      CREATE TABLE course (id int PRIMARY KEY, code text UNIQUE);
      CREATE TABLE enrols_in (
        student_id int REFERENCES student, course_id int REFERENCES course, mark int);
      INSERT INTO course SELECT i, 'c' || i FROM generate_series(1, 3000) i;
      INSERT INTO student SELECT generate_series(1, 4);
      INSERT INTO enrols_in SELECT 1, i % 20 + 1, i FROM generate_series(1, 100) i;
      INSERT INTO enrols_in VALUES (2, NULL, 1), (2, 5, 2), (3, NULL, 1);
      CREATE TABLE wish (code text, wanted int);
      INSERT INTO wish VALUES ('c7', 1), ('c7', 2), ('c3000', 3), ('none', 4), (NULL, 5);
      DELETE FROM course WHERE id > 2990;
      """)
    let queries = [
      "FROM course c",
      "FROM course c WHERE NOT EXISTS (SELECT FROM enrols_in e WHERE e.course_id = c.id AND e.student_id = 1)",
      "FROM course c WHERE NOT EXISTS (SELECT FROM enrols_in e WHERE e.course_id = c.id AND e.student_id = 2)",
      "FROM course c WHERE NOT EXISTS (SELECT FROM enrols_in e WHERE e.course_id = c.id AND e.student_id = 9)",
      "FROM course c WHERE c.id NOT IN (SELECT course_id FROM enrols_in e WHERE e.student_id = 3)",
      "FROM course c WHERE NOT EXISTS (SELECT FROM enrols_in e WHERE e.course_id = c.id "
        + "AND e.student_id = 1 AND e.mark > 90)",
      "FROM course c WHERE NOT EXISTS (SELECT FROM wish w WHERE w.code = c.code)",
      "FROM course c LEFT JOIN enrols_in e ON e.course_id = c.id AND e.student_id = 2 WHERE e.course_id IS NULL",
    ]
    for query in queries {
      let rows = try connection.query("SELECT c.id \(query)")
      let expected = try connection.query(
        "SELECT c.id \(query.replacing("FROM course c", with: "FROM (SELECT * FROM course OFFSET 0) c"))"
      )
      #expect(rows.map { $0[0] } == expected.map { $0[0] }, "\(query)")
      let counts = try connection.query("SELECT count(*), count(*) \(query)")
      #expect(counts.value(row: 0, column: 0) == .integer(Int64(expected.count)), "\(query)")
      #expect(counts.value(row: 0, column: 1) == .integer(Int64(expected.count)), "\(query)")
    }
  }
}
