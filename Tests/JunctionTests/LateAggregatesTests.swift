import Testing

/// Which groups come first is said by counts that an index knows; the same tables without keys are aggregated as a whole.
@Suite("Aggregates of the groups that a limit leaves")
struct LateAggregatesTests {
  private static let school = KeptAndLoose(
    """
    CREATE TABLE course (id int PRIMARY KEY, name text, credits int);
    CREATE TABLE student (id int PRIMARY KEY, name text NOT NULL);
    CREATE TABLE takes (student_id int REFERENCES student, course_id int REFERENCES course, grade int, hall_id int REFERENCES course,
      PRIMARY KEY (student_id, course_id));
    INSERT INTO course SELECT i, CASE WHEN i % 11 > 0 THEN 'course ' || i % 90 END, i % 5 FROM generate_series(1, 900) i;
    INSERT INTO student SELECT i, 'student ' || i FROM generate_series(1, 12000) i;
    INSERT INTO takes SELECT s, 1 + (s * (c * c + 3) % 1009 * 89 / 100 + c * 7) % 900, CASE WHEN (s + c) % 5 > 0 THEN s * c % 21 END,
        CASE WHEN s % 4 > 0 THEN 1 + s * 7 % 850 END
      FROM generate_series(1, 12000) s, generate_series(1, 5) c ON CONFLICT DO NOTHING
    """, copying: ["course", "student", "takes"])

  private static let single = [
    "SELECT course_id, count(*) AS n, avg(grade), min(student_id) FROM takes GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10",
    "SELECT course_id, count(*) AS n, string_agg(grade::text, ',' ORDER BY student_id) FROM takes GROUP BY 1 ORDER BY n, 1 LIMIT 3 OFFSET 4",
    "SELECT course_id, count(*) AS n, max(grade) AS m FROM takes GROUP BY 1 HAVING count(*) < 60 ORDER BY n DESC, m, 1 LIMIT 7",
    "SELECT hall_id, count(*) AS n, count(DISTINCT student_id) FROM takes GROUP BY 1 ORDER BY n DESC, 1 LIMIT 5",
    "SELECT c.id, c.name, count(*) AS n, avg(t.grade), sum(c.credits) FROM course c JOIN takes t ON t.course_id = c.id GROUP BY c.id, c.name ORDER BY n DESC, c.id LIMIT 10",
    "SELECT c.name, c.id, count(t.student_id) AS n, sum(t.grade) FILTER (WHERE t.grade > 3) FROM course c JOIN takes t ON t.course_id = c.id GROUP BY c.id, c.name HAVING count(*) > 20 ORDER BY n, c.name NULLS FIRST, c.id LIMIT 12",
    "SELECT course_id, count(*) + 1 AS n, round(avg(grade), 2) AS a FROM takes GROUP BY course_id ORDER BY count(*) DESC, a, course_id LIMIT 10",
    "SELECT course_id, count(*) AS n, avg(grade) AS a FROM takes GROUP BY 1 HAVING avg(grade) > 10 ORDER BY n DESC, 1 LIMIT 10",
    "SELECT course_id, count(grade) AS n, avg(grade) FROM takes GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10",
    "SELECT grade, count(*) AS n, avg(course_id) FROM takes GROUP BY 1 ORDER BY n DESC, 1 LIMIT 2",
  ]
  private static let pairs = [
    "SELECT a.course_id, b.course_id AS other, count(*) AS n, min(a.grade), max(b.student_id) FROM takes a JOIN takes b ON b.student_id = a.student_id AND a.course_id < b.course_id GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 10",
    "SELECT a.course_id, b.course_id AS other, count(*) AS n, sum(a.grade) AS s FROM takes a JOIN takes b ON b.student_id = a.student_id AND a.course_id <> b.course_id GROUP BY 1, 2 ORDER BY n DESC, s, 1, 2 LIMIT 6 OFFSET 2",
    "SELECT x.name, y.name AS other, count(*) AS n, avg(a.grade) FROM takes a JOIN takes b ON b.student_id = a.student_id AND a.course_id < b.course_id JOIN course x ON x.id = a.course_id JOIN course y ON y.id = b.course_id GROUP BY x.id, x.name, y.id, y.name ORDER BY n DESC, x.id, y.id LIMIT 10",
    "SELECT a.course_id, b.course_id AS other, count(*) AS n, min(s.name) FROM takes a JOIN takes b ON b.student_id = a.student_id JOIN student s ON s.id = a.student_id GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 4",
  ]

  @Test("are those that aggregating all rows gives", arguments: single + pairs)
  func answers(query: String) throws {
    let (found, expected) = (
      try Self.school.rows(query, in: "kept"), try Self.school.rows(query, in: "loose")
    )
    #expect(found == expected)
    #expect(!found.isEmpty)
  }

  @Test("are computed behind the counts where an index knows these")
  func counted() throws {
    let late = try (Self.single + Self.pairs).map { query in
      try Self.school.plan(query).count { $0.contains("Top-N Sort") } > 1
    }
    // What is computed of the groups in the seventh might fail for one that nobody sees.
    #expect(
      late == [
        true, true, true, true, true, true, false, false, false, false, true, true, true, false,
      ])
  }
}
