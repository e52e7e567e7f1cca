import Junction
import Testing

/// What a foreign key promises lets parents be joined behind groups and limits; the same tables without keys say what comes out.
@Suite("Parents that are joined late")
struct LateParentsTests {
  private static let school = KeptAndLoose(
    """
    CREATE TABLE area (id int PRIMARY KEY, title text);
    CREATE TABLE course (id int PRIMARY KEY, name text NOT NULL, area_id int REFERENCES area, credits int);
    CREATE TABLE student (id int PRIMARY KEY, name text, home_id int NOT NULL REFERENCES area);
    CREATE TABLE takes (student_id int REFERENCES student, course_id int REFERENCES course,
      marker_id int REFERENCES student, grade int, PRIMARY KEY (student_id, course_id));
    INSERT INTO area SELECT i, 'area ' || i % 4 FROM generate_series(0, 6) i;
    INSERT INTO course SELECT i, 'course ' || i * 7 % 23, CASE WHEN i % 5 > 0 THEN i % 7 END, i % 4 FROM generate_series(1, 40) i;
    INSERT INTO student SELECT i, CASE WHEN i % 9 > 0 THEN 'student ' || i % 50 END, i * 3 % 7 FROM generate_series(1, 150) i;
    INSERT INTO takes SELECT s, 1 + (s * 13 + c * 11) % 40, CASE WHEN (s + c) % 6 > 0 THEN 1 + (s * c) % 150 END, (s * 7 + c) % 6
      FROM generate_series(1, 90) s, generate_series(1, 8) c ON CONFLICT DO NOTHING
    """, copying: ["area", "course", "student", "takes"])

  /// What is joined, with courses `x` and `y`, a student `s` or areas as parents.
  private static let joins = [
    """
    takes a JOIN takes b ON b.student_id = a.student_id AND a.course_id < b.course_id
    JOIN course x ON x.id = a.course_id JOIN course y ON y.id = b.course_id
    """,
    """
    takes a JOIN takes b ON b.course_id = a.course_id AND a.grade = b.grade JOIN course x ON x.id = a.course_id
    JOIN student s ON s.id = b.marker_id JOIN course y ON y.id = x.id
    """,
    """
    takes a JOIN course x ON x.id = a.course_id JOIN area r ON r.id = x.area_id JOIN student s ON s.id = a.marker_id
    JOIN area h ON h.id = s.home_id JOIN course y ON y.id = a.grade + 1
    """,
    """
    (SELECT * FROM takes t WHERE EXISTS (SELECT FROM takes o WHERE o.student_id = t.student_id AND o.grade > t.grade)) a
    JOIN course x ON x.id = a.course_id JOIN student s ON s.id = a.student_id LEFT JOIN course y ON y.id = a.grade
    """,
    """
    takes a JOIN course x ON x.id = a.course_id LEFT JOIN takes b ON b.student_id = a.marker_id AND b.grade > 2
    LEFT JOIN course y ON y.id = b.course_id
    """,
    """
    course x LEFT JOIN takes b ON b.course_id = x.id AND b.grade = 5 JOIN takes a ON a.course_id = x.id AND a.grade < 3
    LEFT JOIN course y ON y.id = a.grade + 1
    """,
    """
    (course x JOIN area r ON r.id = x.area_id) LEFT JOIN takes b ON b.course_id = x.id AND b.grade > r.id JOIN takes a ON a.course_id = x.id
    JOIN course y ON y.id = a.student_id % 40 + 1
    """,
    """
    takes a JOIN takes b ON b.student_id = a.student_id JOIN course x ON x.id = a.course_id AND x.credits > 1
    JOIN course y ON y.id = b.course_id AND y.id > x.id
    """,
  ]
  private static let keys = [
    "x.id, x.name", "x.id, x.name, y.id, y.name", "a.course_id, x.name, y.name, y.id",
    "x.id, x.name || '!' AS name, y.id, y.credits * 2 AS c",
    "x.id, x.id AS again, x.name, y.area_id",
    "y.id, y.name, x.credits", "x.id, x.name, a.grade",
    "a.course_id, x.name || y.name AS both, y.id",
  ]
  private static let aggregates = [
    "count(*) AS n", "count(*) AS n, min(a.grade) AS v", "sum(a.grade) AS n, max(y.credits) AS v",
    "count(DISTINCT a.student_id) AS n, max(x.id) AS v",
  ]

  @Test("give the groups that joins below them give", arguments: joins)
  func groups(join: String) throws {
    for (place, keys) in Self.keys.enumerated() {
      let names = keys.split(separator: ", ").map { key in
        key.split(separator: " ").last.map(String.init) ?? ""
      }
      let list = keys.split(separator: ", ").map { $0.split(separator: " AS ")[0] }
        .joined(separator: ", ")
      for (number, aggregates) in Self.aggregates.enumerated() where (place + number) % 2 == 0 {
        let having = (place + number) % 3 == 0 ? " HAVING count(*) > 2" : ""
        let all = "SELECT \(keys), \(aggregates) FROM \(join) GROUP BY \(list)\(having)"
        let orders = [
          names.indices.map { "\($0 + 1)" }.joined(separator: ", "),
          "n DESC, \(names.indices.map { "\($0 + 1)" }.joined(separator: ", "))",
        ]
        for (turn, order) in orders.enumerated() where turn == number / 2 {
          let limit = turn == 0 ? "" : " LIMIT \(1 + (place * 5 + number) % 13) OFFSET \(number)"
          let query = "\(all) ORDER BY \(order)\(limit)"
          let (found, expected) = (
            try Self.school.rows(query, in: "kept"), try Self.school.rows(query, in: "loose")
          )
          #expect(found == expected, "\(query)")
        }
      }
    }
  }

  @Test(
    "give groups that are put together of smaller ones",
    arguments: [
      "r.title", "x.credits, y.name", "a.grade, y.name", "x.name, r.title",
      "r.title, x.credits, a.course_id % 3",
      "x.credits || r.title, y.id", "y.name, r.title",
    ])
  func merged(keys: String) throws {
    let aggregates = """
      count(*), count(a.marker_id), min(a.grade), max(b.student_id) FILTER (WHERE b.grade > 2), bool_or(a.grade = 5),
        count(*) FILTER (WHERE a.grade < b.grade)
      """
    let query = """
      SELECT \(keys), \(aggregates) FROM takes a JOIN takes b ON b.student_id = a.student_id
        JOIN takes c ON c.student_id = b.student_id AND c.grade <> a.grade JOIN course x ON x.id = a.course_id
        JOIN area r ON r.id = x.area_id JOIN course y ON y.id = b.course_id GROUP BY \(keys)
      """
    #expect(
      try Self.school.rows(query, in: "kept").sorted()
        == Self.school.rows(query, in: "loose").sorted())
    #expect(try Self.school.plan(query).count { $0.contains("Group Key") } == 2)
  }

  @Test(
    "are found where groups name them",
    arguments: [
      (
        "SELECT x.name, y.name, count(*) FROM \(joins[0]) GROUP BY x.id, x.name, y.id, y.name", true
      ),
      ("SELECT x.name, count(*) FROM \(joins[3]) GROUP BY x.id, x.name HAVING count(*) > 3", true),
      (
        """
        SELECT x.name, r.title, h.title, count(*) FROM takes a JOIN takes b ON b.student_id = a.student_id JOIN course x ON x.id = a.course_id
        JOIN area r ON r.id = x.area_id JOIN student s ON s.id = b.marker_id JOIN area h ON h.id = s.home_id
        GROUP BY x.id, x.name, r.title, s.id, h.title
        """, true
      ),
      (
        "SELECT x.name, count(*) FROM takes a JOIN course x ON x.id = a.course_id GROUP BY x.id, x.name",
        false
      ),
      ("SELECT x.name, sum(a.grade) FROM \(joins[0]) GROUP BY x.name", false),
      ("SELECT x.name, sum(x.credits) FROM \(joins[0]) GROUP BY x.id, x.name", false),
      ("SELECT x.name, count(*) FROM \(joins[0]) WHERE x.credits > 1 GROUP BY x.id, x.name", false),
      ("SELECT x.name, count(*) FROM \(joins[0]) GROUP BY ROLLUP (x.id, x.name)", false),
    ])
  func late(query: String, isLate: Bool) throws {
    let keys = try Self.school.plan(query).first { $0.contains("Group Key") }
    let isByName = keys.map { $0.contains("name") || $0.contains("title") }
    #expect((isByName == false) == isLate, "\(keys ?? "")")
  }

  @Test(
    "give the first rows that sorting all joined rows gives",
    arguments: [
      "SELECT t.student_id, t.course_id, c.name FROM takes t JOIN course c ON c.id = t.course_id ORDER BY t.grade DESC, 1, 2",
      "SELECT t.student_id, t.course_id, c.name, s.name FROM takes t JOIN course c ON c.id = t.course_id JOIN student s ON s.id = t.student_id ORDER BY t.grade, c.name, 1, 2",
      "SELECT t.student_id, t.course_id, s.name FROM takes t JOIN student s ON s.id = t.marker_id ORDER BY t.grade, s.name DESC NULLS LAST, 1, 2",
      "SELECT t.student_id, t.course_id, s.name FROM takes t LEFT JOIN student s ON s.id = t.marker_id ORDER BY t.grade + t.course_id, s.name, 1, 2",
      "SELECT s.id, s.name, a.title, (SELECT count(*) FROM takes t WHERE t.student_id = s.id) FROM student s JOIN area a ON a.id = s.home_id ORDER BY s.name NULLS FIRST, 1",
      "SELECT s.id, s.id IN (SELECT marker_id FROM takes) AS marks FROM student s ORDER BY s.name, s.id DESC",
      "SELECT c.id, c.name, a.title FROM course c JOIN area a ON a.id = c.area_id ORDER BY c.credits DESC, a.title, c.id",
      "SELECT g.course_id, c.name, a.title, n FROM (SELECT course_id, count(*) AS n FROM takes GROUP BY course_id) g JOIN course c ON c.id = g.course_id LEFT JOIN area a ON a.id = c.area_id ORDER BY n DESC, c.name, 1",
      "SELECT o.course_id, o.other, c.name, d.name FROM (SELECT x.course_id, y.course_id AS other, count(*) AS n FROM takes x JOIN takes y ON y.student_id = x.student_id GROUP BY 1, 2) o JOIN course c ON c.id = o.course_id JOIN course d ON d.id = o.other ORDER BY n, c.name, d.name, 1, 2",
      "SELECT DISTINCT t.grade, c.name FROM takes t JOIN course c ON c.id = t.course_id ORDER BY t.grade, c.name",
      "SELECT t.course_id, c.name, t.student_id FROM takes t JOIN course c ON c.id = t.course_id + 0 ORDER BY 1, 3",
      "SELECT t.course_id, c.name, t.student_id FROM takes t JOIN course c ON c.id = t.course_id AND c.credits > 2 ORDER BY t.grade, 1, 3",
      "SELECT u.course_id, c.name, u.student_id FROM (SELECT * FROM takes WHERE grade > 3 UNION ALL SELECT * FROM takes WHERE grade < 2) u JOIN course c ON c.id = u.course_id ORDER BY 1, 3",
    ])
  func first(query: String) throws {
    let all = try Self.school.rows(query, in: "loose")
    for (count, offset) in [(1, 0), (7, 0), (10, 5), (0, 0), (2000, 3), (5, 100_000)] {
      let limited = try Self.school.rows("\(query) LIMIT \(count) OFFSET \(offset)", in: "kept")
      #expect(limited == Array(all.dropFirst(offset).prefix(count)))
    }
    let connection = try Self.school.connect("kept")
    try connection.execute(SQL(raw: "PREPARE p AS \(query) LIMIT $1"))
    let prepared = try connection.query("EXECUTE p (4)").map { $0.line }
    #expect(prepared == Array(all.prefix(4)))
  }

  @Test("come once where rows are equal to the last, however many there are")
  func ties() throws {
    for count in [1, 3, 50, 400, 1199] {
      let query =
        "SELECT grade, student_id, course_id FROM takes ORDER BY grade FETCH FIRST \(count) ROWS WITH TIES"
      let found = try Self.school.rows(query, in: "kept")
      let bound = "SELECT grade FROM takes ORDER BY grade OFFSET \(count - 1) LIMIT 1"
      let expected = try Self.school.rows(
        "SELECT grade, student_id, course_id FROM takes WHERE grade <= (\(bound)) OR (\(bound)) IS NULL",
        in: "loose")
      #expect(found.sorted() == expected.sorted())
    }
  }

  @Test(
    "leave errors of rows that nobody sees as they are",
    arguments: [
      "SELECT t.student_id, 1 / (t.grade - 2) FROM takes t JOIN course c ON c.id = t.course_id ORDER BY t.grade, 1, t.course_id LIMIT 1",
      "SELECT t.student_id, c.name FROM takes t JOIN course c ON c.id = t.course_id ORDER BY t.grade, 1 / c.credits, t.student_id LIMIT 1",
      "SELECT x.id, 1 / x.credits, count(*) FROM \(joins[0]) GROUP BY x.id, 1 / x.credits HAVING count(*) > 100000",
    ])
  func errors(query: String) throws {
    let (found, expected) = (
      try Self.school.outcome(query, [], in: "kept"),
      try Self.school.outcome(query, [], in: "loose")
    )
    #expect(found == expected && found == ["22012"])
  }
}
