import Testing

/// Where nobody sees further matches, joins end at the first; with `OFFSET 0` between them and what looks at their rows they do not.
@Suite("Joins that are content with the first match")
struct FirstMatchTests {
  private static let school = KeptAndLoose(
    """
    CREATE TABLE course (id int PRIMARY KEY, name text, credits int);
    CREATE TABLE student (id int PRIMARY KEY, name text NOT NULL, city int);
    CREATE TABLE takes (student_id int REFERENCES student, course_id int REFERENCES course, semester smallint, grade int,
      PRIMARY KEY (student_id, course_id, semester));
    CREATE TABLE slot (course_id bigint, semester smallint, hall text);
    INSERT INTO course SELECT i, CASE WHEN i % 11 > 0 THEN 'course ' || i % 30 END, i % 5 FROM generate_series(1, 90) i;
    INSERT INTO student SELECT i, 'student ' || i % 700, i % 17 FROM generate_series(1, 1500) i;
    INSERT INTO takes SELECT s, 1 + (s * (c * c + 3) % 1009 + c * 7) % 90, c % 4, CASE WHEN (s + c) % 5 > 0 THEN s * c % 21 END
      FROM generate_series(1, 1400) s, generate_series(1, 6) c ON CONFLICT DO NOTHING;
    INSERT INTO slot SELECT CASE WHEN i % 13 > 0 THEN i * 7 % 99 END, CASE WHEN i % 7 > 0 THEN i % 5 END, 'hall ' || i % 4
      FROM generate_series(-3, 300) i
    """, copying: ["course", "student", "takes", "slot"])

  /// What is asked of the rows, the rows, and whether joins among these become semi-joins.
  private static let queries: [(asked: String, rows: String, isOfMatch: Bool)] = [
    (
      "count(DISTINCT student_id), max(grade)",
      "SELECT t.student_id, t.grade FROM takes t JOIN slot s ON s.course_id = t.course_id AND s.semester = t.semester",
      true
    ),
    (
      "min(grade), bool_or(grade > 5)",
      "SELECT t.grade FROM slot s JOIN takes t ON s.course_id = t.course_id AND s.semester = t.semester AND s.hall < 'hall 2'",
      true
    ),
    (
      "count(DISTINCT hall)",
      "SELECT s.hall FROM takes t JOIN slot s ON s.course_id = t.course_id AND s.semester IS NOT DISTINCT FROM t.semester",
      true
    ),
    (
      "count(DISTINCT name)", "SELECT s.name FROM student s JOIN takes t ON t.student_id = s.id",
      true
    ),
    (
      "count(DISTINCT name)",
      "SELECT s.name FROM student s JOIN takes t ON t.student_id = s.id AND t.grade > 18 JOIN slot l ON l.course_id = s.city",
      true
    ),
    (
      "count(DISTINCT (name, hall))",
      "SELECT s.name, l.hall FROM student s JOIN takes t ON t.student_id = s.id AND t.grade > 18 JOIN slot l ON l.course_id = t.course_id",
      false
    ),
    (
      "sum(DISTINCT credits)",
      "SELECT c.credits FROM course c JOIN slot l ON l.course_id + 0 = c.id", true
    ),
    // These see how often a row comes, or that something fails for a later match.
    ("sum(credits)", "SELECT c.credits FROM course c JOIN slot l ON l.course_id + 0 = c.id", false),
    ("count(*)", "SELECT s.name FROM student s JOIN takes t ON t.student_id = s.id", false),
    (
      "max(credits)",
      "SELECT c.credits FROM course c JOIN slot l ON l.course_id = c.id AND 1 / (l.semester - 9) < c.credits",
      false
    ),
    (
      "max(city), count(DISTINCT city)",
      "SELECT s.city FROM student s LEFT JOIN slot l ON l.course_id = s.city", false
    ),
  ]

  @Test("give what they give with all matches", arguments: queries.indices)
  func answers(place: Int) throws {
    let (asked, rows, isOfMatch) = Self.queries[place]
    let query = "SELECT \(asked) FROM (\(rows)) x"
    let expected = try Self.school.rows("SELECT \(asked) FROM (\(rows) OFFSET 0) x", in: "loose")
    for schema in ["kept", "loose"] {
      #expect(try Self.school.rows(query, in: schema) == expected, "\(schema)")
    }
    let plan = try Self.school.rows("EXPLAIN \(query)", in: "loose")
    #expect(plan.contains { $0.contains("Semi Join") } == isOfMatch, "\(plan)")
  }

  @Test(
    "below DISTINCT and UNION, and in sides that are only looked into, too",
    arguments: [
      "SELECT DISTINCT t.student_id FROM takes t JOIN slot s ON s.course_id = t.course_id AND s.semester = t.semester",
      "SELECT t.student_id FROM takes t JOIN slot s ON s.course_id = t.course_id UNION SELECT s.id FROM student s JOIN slot l ON l.course_id = s.city",
      "SELECT id FROM student WHERE id NOT IN (SELECT t.student_id FROM takes t JOIN slot s ON s.course_id = t.course_id AND s.semester = t.semester)",
      "SELECT id FROM student s WHERE EXISTS (SELECT FROM takes t JOIN slot l ON l.course_id = t.course_id AND l.semester = t.semester WHERE t.student_id = s.id)",
      "SELECT name, max(grade) FROM (SELECT s.name, t.grade FROM student s JOIN takes t ON t.student_id = s.id JOIN slot l ON l.course_id = t.grade) x GROUP BY name",
    ])
  func others(query: String) throws {
    let found = try Self.school.rows("SELECT * FROM (\(query)) x ORDER BY 1", in: "loose")
    let whole = query.replacing("slot", with: "(SELECT * FROM slot OFFSET 0)")
    #expect(try found == Self.school.rows("SELECT * FROM (\(whole)) x ORDER BY 1", in: "kept"))
    #expect(try found == Self.school.rows("SELECT * FROM (\(query)) x ORDER BY 1", in: "kept"))
    let plan = try Self.school.rows("EXPLAIN \(query)", in: "loose")
    #expect(plan.contains { $0.contains("Semi Join") }, "\(plan)")
  }
}
