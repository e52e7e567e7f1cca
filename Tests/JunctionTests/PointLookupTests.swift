import Diagnostics
import Junction
import Testing

@Suite("A prepared look-up by one number")
struct PointLookupTests {
  /// Student *i* is enrolled in the courses up to *i*, so that lists of all lengths occur.
  private static func school(courses: Int = 5_000) throws(SQLError) -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY, name text);
      CREATE TABLE course (id int PRIMARY KEY, name text);
      CREATE TABLE enrols_in (
        student_id int REFERENCES student, course_id int REFERENCES course, mark int,
        PRIMARY KEY (student_id, course_id));
      INSERT INTO course SELECT i, CASE WHEN i % 5 > 0 THEN 'the course of number ' || i END
        FROM generate_series(1, \(courses)) i;
      INSERT INTO student SELECT i, 'student ' || i FROM unnest(ARRAY[0, 3, 64, 65, 1500, 5000]) i;
      INSERT INTO enrols_in SELECT s.id, c.id, c.id % 7 FROM student s JOIN course c ON c.id <= s.id;
      """)
    return connection
  }

  private static let queries = [
    "SELECT name, id FROM student WHERE id = $1",
    "SELECT course_id FROM enrols_in WHERE student_id = $1",
    "SELECT student_id, mark FROM enrols_in WHERE course_id = $1",
    "SELECT c.name, c.id FROM enrols_in e JOIN course c ON c.id = e.course_id "
      + "WHERE e.student_id = $1",
    "SELECT c.id, e.mark, c.name FROM enrols_in e JOIN course c ON c.id = e.course_id "
      + "WHERE e.student_id = $1",
    "SELECT name FROM student WHERE id = $1 ORDER BY id",
    "SELECT c.id FROM enrols_in e JOIN course c ON c.id = e.course_id "
      + "WHERE e.student_id = $1 ORDER BY c.name DESC, c.id LIMIT 3 OFFSET 1",
    "SELECT e.mark, c.name FROM enrols_in e JOIN course c ON c.id = e.course_id "
      + "WHERE e.student_id = $1 ORDER BY e.mark NULLS FIRST, c.name, c.id",
    "SELECT mark, course_id FROM enrols_in WHERE student_id = $1 ORDER BY mark LIMIT 70",
    "SELECT course_id, mark FROM enrols_in WHERE student_id = $1 ORDER BY 2 DESC, 1 OFFSET 60",
    "SELECT student_id FROM enrols_in WHERE course_id = $1 LIMIT 2",
    "SELECT course_id FROM enrols_in WHERE student_id = $1 ORDER BY mark, course_id LIMIT 0",
    "SELECT course_id FROM enrols_in WHERE student_id = $1 ORDER BY mark LIMIT 2 OFFSET 9999",
    "SELECT name FROM student WHERE id = $1 AND name <> 'student 3'",
    "SELECT mark, course_id FROM enrols_in WHERE student_id = $1 AND mark > 3",
    "SELECT c.name FROM enrols_in e JOIN course c ON c.id = e.course_id "
      + "WHERE e.student_id = $1 AND e.mark IN (1, 2) AND c.name IS NOT NULL "
      + "ORDER BY e.mark DESC, c.id LIMIT 5",
    "SELECT course_id FROM enrols_in WHERE student_id = $1 AND (mark = 2 OR mark BETWEEN 4 AND 5) "
      + "ORDER BY course_id DESC",
    "SELECT mark FROM enrols_in WHERE student_id = $1 AND mark = 9",
    "SELECT student_id, course_id, mark FROM enrols_in WHERE (student_id = $1 OR course_id = $1) ORDER BY 1, 2",
    "SELECT mark FROM enrols_in WHERE (student_id = $1 OR course_id = $1) ORDER BY mark DESC, course_id, student_id LIMIT 4",
    "SELECT course_id, mark FROM enrols_in WHERE student_id = $1 "
      + "UNION ALL SELECT id, NULL FROM course WHERE id = $1 ORDER BY 1, 2",
    "SELECT name FROM student WHERE (id = $1 OR $1 - 1 = id OR id IN (65, $1 + 1)) ORDER BY id",
    "SELECT count(*) FROM enrols_in WHERE (mark = $1 OR mark = $1 + 2 OR mark IN ($1, 6)) AND course_id < 100",
    "SELECT name FROM course WHERE id = $1 UNION ALL SELECT name FROM student WHERE id = $1",
    "SELECT name, id FROM student WHERE id = $1 + 1",
    "SELECT course_id, mark FROM enrols_in WHERE student_id = $1 * 2 - $1 AND mark + 1 > 3",
    "SELECT name FROM course WHERE id = $1 + 1 UNION ALL SELECT name FROM student WHERE id = $1",
    "SELECT name FROM student WHERE id = $1 AND name LIKE 'student 1%'",
    "SELECT course_id + 1, mark * 2, student_id FROM enrols_in WHERE student_id = $1 ORDER BY mark, course_id LIMIT 6",
    "SELECT 1000 / course_id, mark FROM enrols_in WHERE student_id = $1 AND mark % 2 = 1",
    "SELECT CASE WHEN e.mark > 3 THEN e.mark ELSE -c.id END, coalesce(c.name, 'none'), 7 "
      + "FROM enrols_in e JOIN course c ON c.id = e.course_id WHERE e.student_id = $1 ORDER BY c.id",
    "SELECT mark + $1 FROM enrols_in WHERE course_id = $1 - 1 AND CASE WHEN mark > 2 THEN mark < 5 END",
  ]

  /// The query with a number written out, and with a condition that is always true, which keeps its plan from being a look-up alone.
  private static func written(_ sql: String, _ number: Int64) -> String {
    let sql = sql.replacing("$1", with: String(number))
    let tail = [" ORDER BY", " LIMIT"].lazy.compactMap { sql.firstRange(of: $0) }.first
    let end = tail?.lowerBound ?? sql.endIndex
    return sql[..<end] + " AND random() >= 0" + sql[end...]
  }

  private static func rows(_ result: ResultSet) -> [[SQLValue]] { result.map(\.values) }

  @Test("finds what the same query with the number written out finds", arguments: queries + counts)
  func sameRows(_ sql: String) throws {
    let connection = try Self.school()
    let prepared = try connection.prepare(sql)
    for number in [0, 1, 3, 64, 65, 100, 1500, 5000, 5001, -1] as [Int64] {
      #expect(
        Self.rows(try prepared.query(.integer(number)))
          == Self.rows(try connection.query(Self.written(sql, number))), "\(number)")
    }
  }

  @Test("finds nothing for NULL, and refuses a number that the key's type does not hold")
  func oddNumbers() throws {
    let connection = try Self.school(courses: 10)
    let prepared = try connection.prepare(Self.queries[0])
    #expect(try prepared.query(.null).count == 0)
    let error = #expect(throws: SQLError.self) { try prepared.query(.integer(1 << 40)) }
    #expect(error?.state == .numericOutOfRange)
    #expect(try prepared.query(.text("3")).count == 1)
  }

  @Test(
    "compares what it finds with other parameters, and is limited by them",
    arguments: [
      "SELECT course_id, mark FROM enrols_in WHERE student_id = $1 AND mark >= $2 "
        + "ORDER BY course_id LIMIT $3 OFFSET $4",
      "SELECT c.name FROM enrols_in e JOIN course c ON c.id = e.course_id "
        + "WHERE e.mark <> $2 AND e.student_id = $1 AND c.id > $4 LIMIT $3",
      "SELECT course_id FROM enrols_in WHERE student_id = $1 AND mark = $2 + 0 AND course_id > $3::int + $4",
    ])
  func severalParameters(_ sql: String) throws {
    let connection = try Self.school()
    let prepared = try connection.prepare(sql)
    let values: [SQLValue] = [.integer(2), .integer(5), .null, .integer(-1)]
    for student in [.integer(64), .integer(1500), .null] as [SQLValue] {
      for mark in values {
        for count in values {
          for start in values {
            let given = [student, mark, count, start]
            var text = sql
            for (place, value) in given.enumerated() {
              let literal = if case .integer(let number) = value { "(\(number))" } else { "NULL" }
              text = text.replacing("$\(place + 1)", with: "\(literal)::int")
            }
            let found = Result { try prepared.execute(with: given).rows.map(Self.rows) ?? [] }
            let expected = Result { Self.rows(try connection.query(SQL(raw: text))) }
            #expect(Self.outcome(found) == Self.outcome(expected), "\(given)")
          }
        }
      }
    }
  }

  /// The rows, or the state of the error.
  private static func outcome(_ result: Result<[[SQLValue]], any Error>) -> String {
    switch result {
    case .success(let rows): "\(rows)"
    case .failure(let error): "\((error as? SQLError)?.state.code ?? "?")"
    }
  }

  @Test("sees what was committed, and in a transaction what that has done")
  func freshness() throws {
    let connection = try Self.school(courses: 10)
    let other = connection.database.connect()
    let prepared = try connection.prepare(Self.queries[1])
    #expect(try prepared.query(.integer(3)).count == 3)
    try other.execute("INSERT INTO enrols_in VALUES (3, 9)")
    #expect(try prepared.query(.integer(3)).count == 4)
    try connection.execute("BEGIN; DELETE FROM enrols_in WHERE student_id = 3")
    #expect(try prepared.query(.integer(3)).count == 0)
    try connection.execute("ROLLBACK")
    #expect(try prepared.query(.integer(3)).count == 4)
    try connection.execute("BEGIN")
    #expect(throws: SQLError.self) { try connection.execute("SELECT 1 / 0") }
    #expect(throws: SQLError.self) { try prepared.query(.integer(3)) }
    try connection.execute("ROLLBACK; DROP TABLE enrols_in")
    #expect(throws: SQLError.self) { try prepared.query(.integer(3)) }
  }

  @Test("is planned anew after a change of the catalog that replaces one rolled back")
  func rolledBackCatalog() throws {
    let connection = Database().connect()
    try connection.execute(
      "CREATE TABLE t (id int PRIMARY KEY, a int, b text); INSERT INTO t VALUES (1, 2, 'b')")
    let prepared = try connection.prepare("SELECT * FROM t WHERE id = $1")
    try connection.execute("BEGIN; ALTER TABLE t ADD COLUMN c int DEFAULT 5")
    #expect(Self.rows(try prepared.query(.integer(1))).first?.count == 4)
    try connection.execute("ROLLBACK; ALTER TABLE t DROP COLUMN a")
    #expect(
      Self.rows(try prepared.query(.integer(1))) == [[.integer(1), .text("b")]])
  }

  @Test("leaves rows that somebody holds as they are", arguments: queries + counts)
  func heldRows(_ sql: String) throws {
    let connection = try Self.school()
    let prepared = try connection.prepare(sql)
    let numbers: [Int64] = [3, 64, 0, 65, 3, 5, 1500, 64, 63, 2, 5000, 3]
    let expected = try numbers.map { Self.rows(try prepared.query(.integer($0))) }
    // All are held, then every other one, then none but the last.
    for held in [1, 2, 0] {
      var results: [(index: Int, rows: ResultSet)] = []
      for (index, number) in numbers.enumerated() {
        let rows = try prepared.query(.integer(number))
        #expect(Self.rows(rows) == expected[index], "\(number)")
        if held > 0 && index % held == 0 { results.append((index, rows)) }
      }
      for result in results { #expect(Self.rows(result.rows) == expected[result.index]) }
    }
  }

  private static let counts = [
    "SELECT count(*) FROM enrols_in WHERE student_id = $1",
    "SELECT count(*) FROM student WHERE id = $1",
    "SELECT count(*) FROM course c WHERE EXISTS (SELECT FROM enrols_in e "
      + "WHERE e.student_id = $1 AND e.course_id = c.id)",
    "SELECT count(*) FROM course c WHERE NOT EXISTS (SELECT FROM enrols_in e "
      + "WHERE e.student_id = $1 AND e.course_id = c.id)",
  ]

  @Test("takes values of every form, also where the one before was of another")
  func forms() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE DOMAIN mark AS int CHECK (VALUE > -1000);
      CREATE TABLE t (id int PRIMARY KEY, n numeric, m numeric(9, 2), a int[], d mark, b boolean,
        s smallint, f double precision, i interval, v varchar(40), x text);
      INSERT INTO t SELECT i, CASE WHEN i % 3 > 0 THEN i / 7.0 END, i / 100.0,
        CASE WHEN i % 4 > 0 THEN ARRAY[i, i + 1] END, i, i % 2 = 0, i % 100, i / 3.0,
        i * interval '1 day', 'a text that is long enough ' || i, 'short ' || i
        FROM generate_series(1, 6000) i;
      UPDATE t SET x = NULL, n = 1e30 WHERE id BETWEEN 3000 AND 3010;
      """)
    let prepared = try connection.prepare("SELECT * FROM t WHERE id = $1")
    for number in [1, 3, 4, 3000, 5, 3010, 3011, 6000, 9, 8, 7, 7000, 2] as [Int64] {
      let written = try connection.query("SELECT * FROM t WHERE id = \(number) AND random() >= 0")
      let found = try prepared.query(.integer(number))
      #expect(Self.rows(found) == Self.rows(written), "\(number)")
    }
  }

  @Test("keeps its texts after the table has gone")
  func textsOutliveTheTable() throws {
    let connection = try Self.school(courses: 200)
    let prepared = try connection.prepare(Self.queries[3])
    let found = try prepared.query(.integer(64))
    let scanned = try connection.query("SELECT name FROM course ORDER BY id")
    try connection.execute("DROP TABLE enrols_in; DROP TABLE course")
    // Memory that was given back would be used again for this.
    try connection.execute(
      "CREATE TABLE other AS SELECT repeat('x', 21) AS text FROM generate_series(1, 20000)")
    #expect(found.count == 64)
    for row in found where row[1] != .integer(0) {
      guard case .integer(let number) = row[1] else { continue }
      #expect(row[0] == (number % 5 > 0 ? .text("the course of number \(number)") : .null))
    }
    #expect(scanned.value(row: 10, column: 0) == .text("the course of number 11"))
  }

  @Test("and what changes of data return keeps its texts as well")
  func returnedTextsOutliveTheTable() throws {
    let connection = try Self.school(courses: 70)
    let deleted = try connection.query(
      "DELETE FROM student WHERE id = 0 RETURNING name || ' who is gone', name")
    try connection.execute("UPDATE student SET name = 'a name that is long: ' || id")
    let removed = try connection.query(
      """
      WITH gone AS (DELETE FROM enrols_in RETURNING student_id)
      SELECT s.name FROM student s WHERE s.id = 64
      """)
    let updated = try connection.query(
      "UPDATE student SET name = name || ' and longer' WHERE id = 3 RETURNING name")
    let inserted = try connection.query(
      "INSERT INTO student SELECT i, 'the inserted student ' || i FROM generate_series(7, 9) i "
        + "RETURNING name, id")
    try connection.execute(
      """
      DROP TABLE enrols_in; DROP TABLE student;
      CREATE TABLE other AS SELECT repeat('x', 24) AS text FROM generate_series(1, 20000)
      """)
    #expect(
      Self.rows(deleted) == [[.text("student 0 who is gone"), .text("student 0")]])
    #expect(Self.rows(removed) == [[.text("a name that is long: 64")]])
    #expect(Self.rows(updated) == [[.text("a name that is long: 3 and longer")]])
    #expect(
      Self.rows(inserted)
        == (7...9).map { [.text("the inserted student \($0)"), .integer(Int64($0))] })
  }
}
