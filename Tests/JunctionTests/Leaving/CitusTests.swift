import Foundation
import Junction
import Testing

@Suite("For Citus")
struct CitusTests {
  /// A school of so many students, of whom each takes two courses.
  private func school(students: Int, courses: Int) throws -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY, email text UNIQUE);
      CREATE TABLE course (id int PRIMARY KEY, code text UNIQUE);
      CREATE TABLE takes (
        student_id int REFERENCES student, course_id int REFERENCES course,
        PRIMARY KEY (student_id, course_id));
      INSERT INTO student SELECT g, 's' || g FROM generate_series(1, \(students)) g;
      INSERT INTO course SELECT g, 'c' || g FROM generate_series(1, \(courses)) g;
      INSERT INTO takes SELECT s, (s + k) % \(courses) + 1
        FROM generate_series(1, \(students)) s, generate_series(0, 1) k;
      """)
    return connection
  }

  private func files(
    _ connection: Connection, queries: String = "", _ body: (String, [String]) throws -> Void
  ) throws {
    try LeavingFixture.withPath { path in
      let account = try connection.export(toCitus: path, queries: queries)
      try body(path, account.lines)
    }
  }

  @Test("a small parent is on all machines, and links stand beside the large one")
  func reference() throws {
    try files(try school(students: 600, courses: 5)) { path, lines in
      let calls = try LeavingFixture.read(path + "/distribute.sql").split(separator: "\n")
        .filter { $0.hasPrefix("SELECT") }
      #expect(
        calls == [
          "SELECT create_reference_table('public.course');",
          "SELECT create_distributed_table('public.student', 'id', colocate_with => 'none');",
          "SELECT create_distributed_table('public.takes', 'student_id', colocate_with => 'public.student');",
        ])
      #expect(
        lines.contains("table course: a reference table, 5 rows beside 1200 that refer to it"))
      #expect(
        lines.contains {
          $0.hasPrefix("key student_email_key not kept by Citus: it does not contain id")
        })
      let kept = try LeavingFixture.read(path + "/constraints-citus.sql")
      #expect(kept.contains("takes_course_id_fkey") && kept.contains("takes_pkey"))
      #expect(kept.contains("course_code_key") && !kept.contains("student_email_key"))
      let plain = try LeavingFixture.read(path + "/constraints-plain.sql")
      #expect(plain.contains("student_email_key"))
    }
  }

  @Test("links between two large parents stand twice, and a query reads the copy that it joins by")
  func copies() throws {
    let query = "SELECT c.code FROM takes t JOIN course c ON c.id = t.course_id"
    try files(try school(students: 600, courses: 300), queries: query) { path, lines in
      let calls = try LeavingFixture.read(path + "/distribute.sql")
      #expect(
        calls.contains(
          "create_distributed_table('public.takes_by_course_id', 'course_id', colocate_with => 'public.course')"
        ))
      let copies = try LeavingFixture.read(path + "/copies.sql")
      #expect(copies.contains("CREATE TRIGGER takes_by_course_id_keep"))
      let asked = try LeavingFixture.read(path + "/queries/1.sql")
      #expect(asked.contains("FROM takes_by_course_id AS t JOIN course AS c"))
      #expect(
        lines.contains { $0.hasPrefix("foreign key takes_course_id_fkey not kept by Citus") })
    }
  }

  @Test("a query that PostgreSQL can read stays as it is")
  func identity() throws {
    let query = "SELECT  a FROM t -- as it was\nWHERE a NOT IN (SELECT b FROM u)"
    try files(try LeavingFixture.connection(), queries: query) { path, _ in
      let asked = try LeavingFixture.read(path + "/queries/1.sql")
      #expect(asked == query + ";\n")
    }
  }

  @Test("a join of Junction's own becomes EXISTS")
  func semiJoin() throws {
    let query = "SELECT id FROM student s LEFT SEMI JOIN t ON t.a = s.id"
    try files(try LeavingFixture.connection(), queries: query) { path, _ in
      let asked = try LeavingFixture.read(path + "/queries/1.sql")
      #expect(
        asked
          == "SELECT s.id FROM student AS s WHERE EXISTS (SELECT 1 FROM t WHERE t.a = s.id);\n")
    }
  }

  /// A query, and what the account says of it.
  struct Limit: CustomTestStringConvertible {
    let query: String
    let note: String?

    init(_ query: String, _ note: String? = nil) {
      self.query = query
      self.note = note
    }

    var testDescription: String { query }
  }

  @Test(
    "a query that Citus does not run is marked with the reason",
    arguments: [
      Limit("SELECT id FROM student"),
      Limit("SELECT t.course_id FROM student s LEFT JOIN takes t ON t.student_id = s.id"),
      Limit("SELECT c.code FROM takes t JOIN course c ON c.id = t.course_id"),
      Limit("SELECT s.id FROM student s JOIN course c ON c.code = s.email", "moves rows"),
      Limit("SELECT s.id FROM student s LEFT JOIN course c ON c.code = s.email", "not by what"),
      Limit("SELECT s.id FROM student s JOIN course c ON c.id < s.id", "not by what"),
      Limit(
        "SELECT s.id FROM student s WHERE NOT EXISTS (SELECT FROM takes t WHERE t.student_id = s.id)"
      ),
      Limit(
        "SELECT s.id FROM student s WHERE EXISTS (SELECT FROM course c WHERE c.code = s.email)",
        "a subquery about course uses columns"),
      Limit("SELECT s.id FROM student s WHERE s.email NOT IN (SELECT code FROM course)"),
      Limit(
        """
        SELECT s.id FROM student s JOIN course c ON c.code = s.email
        WHERE s.id IN (SELECT student_id FROM takes)
        """, "not by what"),
      Limit(
        "SELECT s.id, x.n FROM student s, LATERAL (SELECT count(*) n FROM takes t WHERE t.student_id = s.id) x"
      ),
      Limit(
        "SELECT s.id, x.n FROM student s, LATERAL (SELECT c.id n FROM course c WHERE c.code > s.email LIMIT 1) x",
        "a lateral query about course"),
      Limit("SELECT * FROM student s JOIN (SELECT max(id) m FROM course) x ON x.m = s.id"),
      Limit("SELECT count(*) FROM takes GROUP BY ROLLUP (course_id)", "grouping sets"),
      Limit(
        "SELECT count(*) FROM takes WHERE student_id = 3 GROUP BY ROLLUP (course_id)"),
      Limit(
        """
        WITH RECURSIVE r(id) AS (
          SELECT 1 UNION ALL SELECT t.course_id FROM r JOIN takes t ON t.student_id = r.id WHERE r.id < 9)
        SELECT * FROM r
        """, "a recursion"),
      Limit(
        """
        WITH RECURSIVE r(id) AS (
          SELECT 1 UNION SELECT t.course_id FROM r JOIN takes t ON t.student_id = r.id)
        SELECT * FROM r
        """),
    ])
  func limits(_ limit: Limit) throws {
    try files(try school(students: 600, courses: 300), queries: limit.query) { path, lines in
      let notes = lines.filter { $0.hasPrefix("query 1") }
      #expect(notes.count == (limit.note == nil ? 0 : 1), "\(notes)")
      if let note = limit.note { #expect(notes.first?.contains(note) == true, "\(notes)") }
      let isMarked = try LeavingFixture.read(path + "/queries.json").contains("\"limit\"")
      #expect(isMarked == (notes.first?.contains("not run by Citus") == true))
    }
  }
}
