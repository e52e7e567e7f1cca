import Junction
import Testing

/// Few rows ask for groups, windows and matches, which an index leads to; the same tables without keys are gone through as a whole.
@Suite("What few rows ask for on the other side of a join")
struct MagicSetTests {
  static let school = KeptAndLoose(
    """
    CREATE TABLE course (id int PRIMARY KEY, name text, credits int);
    CREATE TABLE student (id int PRIMARY KEY, name text NOT NULL, best int);
    CREATE TABLE takes (student_id int REFERENCES student, course_id int REFERENCES course, grade int, hall_id int REFERENCES course,
      PRIMARY KEY (student_id, course_id));
    CREATE TABLE friend (a int REFERENCES student, b int REFERENCES student, mentor int REFERENCES student, PRIMARY KEY (a, b));
    CREATE TABLE room (house text, number int, PRIMARY KEY (house, number));
    CREATE TABLE booking (house text, number int, day int, student_id int REFERENCES student,
      FOREIGN KEY (house, number) REFERENCES room);
    INSERT INTO course SELECT i, CASE WHEN i % 11 > 0 THEN 'course ' || i % 90 END, i % 5 FROM generate_series(1, 400) i;
    INSERT INTO student SELECT i, 'student ' || i, CASE WHEN i % 3 > 0 THEN i * 7 % 9500 END FROM generate_series(1, 9000) i;
    INSERT INTO takes SELECT s, 1 + (s * (c * c + 3) % 1009 * 89 / 100 + c * 7) % 400, CASE WHEN (s + c) % 5 > 0 THEN s * c % 21 END,
        CASE WHEN s % 4 > 0 THEN 1 + s * 7 % 350 END
      FROM generate_series(1, 8500) s, generate_series(1, 4) c ON CONFLICT DO NOTHING;
    INSERT INTO friend SELECT s, 1 + (s * 31 + k * k * 977) % 9000, CASE WHEN s % 5 > 1 THEN 1 + s * 13 % 9000 END
      FROM generate_series(1, 9000) s, generate_series(1, 3) k ON CONFLICT DO NOTHING;
    INSERT INTO room SELECT 'house ' || h, n FROM generate_series(1, 60) h, generate_series(1, 30) n;
    INSERT INTO booking SELECT 'house ' || 1 + i % 60, 1 + i / 60 % 30, i % 7, 1 + i * 7 % 9000 FROM generate_series(1, 30000) i
    """, copying: ["course", "student", "takes", "friend", "room", "booking"])

  private static let grouped = [
    "SELECT f.b, x.n, x.g FROM friend f JOIN (SELECT student_id, count(*) AS n, avg(grade) AS g FROM takes GROUP BY 1) x ON x.student_id = f.b WHERE f.a = 70",
    "SELECT f.b, x.n FROM (SELECT student_id, count(*) AS n FROM takes GROUP BY 1) x JOIN friend f ON f.b = x.student_id WHERE f.a < 30 AND x.n > 2",
    "SELECT f.a, f.mentor, x.n FROM friend f LEFT JOIN (SELECT student_id, count(*) AS n, max(c.name) AS m FROM takes t JOIN course c ON c.id = t.course_id WHERE c.credits > 1 GROUP BY 1) x ON x.student_id = f.mentor AND x.n < 4 WHERE f.a BETWEEN 100 AND 120",
    "SELECT f.b, (SELECT sum(t.grade) FROM takes t JOIN course c ON c.id = t.course_id WHERE t.student_id = f.b AND c.credits = 3) FROM friend f WHERE f.a IN (5, 8990)",
    "SELECT f.b, x.n, y.m FROM friend f JOIN (SELECT student_id, count(*) AS n FROM takes GROUP BY 1) x ON x.student_id = f.b JOIN (SELECT a, min(b) AS m FROM friend GROUP BY a) y ON y.a = f.b JOIN student s ON s.id = f.b WHERE f.a = 4711",
    "SELECT f.b, x.hall_id, x.n FROM friend f JOIN (SELECT student_id, hall_id, count(*) AS n FROM takes GROUP BY 1, 2) x ON x.student_id = f.b AND x.hall_id < 200 WHERE f.a = 333",
    "SELECT f.b, x.g FROM friend f JOIN (SELECT DISTINCT ON (student_id) student_id, grade AS g FROM takes ORDER BY student_id, grade DESC NULLS LAST) x ON x.student_id = f.b WHERE f.a < 6",
    "SELECT f.b, x.g FROM friend f JOIN (SELECT DISTINCT student_id, grade % 4 AS g FROM takes) x ON x.student_id = f.b WHERE f.a < 6",
    "SELECT f.b, x.course_id FROM friend f JOIN (SELECT student_id, course_id, row_number() OVER (PARTITION BY student_id ORDER BY grade DESC NULLS LAST, course_id) AS place FROM takes) x ON x.student_id = f.b AND x.place <= 2 WHERE f.a = 17",
    "SELECT f.b, x.course_id FROM friend f, LATERAL (SELECT course_id FROM takes t WHERE t.student_id = f.b ORDER BY grade, course_id LIMIT 2) x WHERE f.a = 18",
    "SELECT f.b, x.other FROM friend f JOIN (SELECT student_id AS s, course_id AS other FROM takes UNION ALL SELECT a, b FROM friend) x ON x.s = f.b WHERE f.a = 19",
    "SELECT f.b, x.s FROM friend f LEFT JOIN (SELECT t.student_id AS s, c.name FROM takes t JOIN course c ON c.id = t.course_id WHERE c.credits = 2) x ON x.s = f.b WHERE f.a < 12",
    "SELECT s.name, x.n FROM (SELECT * FROM student ORDER BY name DESC LIMIT 5) s LEFT JOIN (SELECT t.student_id, count(*) AS n FROM takes t GROUP BY 1) x ON x.student_id = s.id",
    "SELECT f.b, x.n, (SELECT count(*) FROM friend g WHERE g.a = f.b AND EXISTS (SELECT FROM takes t JOIN course c ON c.id = t.course_id WHERE t.student_id = g.b AND c.credits = 4)) FROM friend f JOIN (SELECT student_id, count(*) AS n FROM takes GROUP BY 1) x ON x.student_id = f.b WHERE f.a = 21",
    "SELECT f.b, x.n FROM friend f JOIN booking k ON k.student_id = f.b JOIN (SELECT house, number, count(*) AS n, min(day) AS d FROM booking GROUP BY 1, 2) x ON x.house = k.house AND x.number = k.number WHERE f.a = 27",
  ]
  private static let matched = [
    "SELECT f.b FROM friend f WHERE f.a = 70 AND EXISTS (SELECT FROM takes t JOIN course c ON c.id = t.course_id WHERE t.student_id = f.b AND c.credits > 1)",
    "SELECT f.a, f.mentor FROM friend f WHERE f.a < 25 AND NOT EXISTS (SELECT FROM takes t JOIN course c ON c.id = t.course_id WHERE t.student_id = f.mentor AND c.credits = 3)",
    "SELECT f.b FROM friend f WHERE f.a < 25 AND f.b IN (SELECT o.student_id FROM takes m JOIN takes o ON o.course_id = m.course_id WHERE m.student_id < 40)",
    "SELECT f.b FROM friend f WHERE f.a < 25 AND f.b NOT IN (SELECT t.student_id FROM takes t JOIN course c ON c.id = t.course_id WHERE c.credits > 3)",
    "SELECT f.b FROM friend f WHERE f.a < 9 AND f.b IN (SELECT student_id FROM takes GROUP BY student_id HAVING count(grade) > 2)",
    "SELECT count(DISTINCT g.b) FROM friend f JOIN friend g ON g.a = f.b WHERE f.a = 44 AND EXISTS (SELECT FROM takes m JOIN takes o ON o.course_id = m.course_id WHERE m.student_id < 400 AND o.student_id = g.b)",
    "SELECT s.id FROM student s WHERE s.id > 8990 AND EXISTS (SELECT FROM friend f JOIN takes t ON t.student_id = f.b WHERE f.a = s.id AND t.grade = 1)",
    "SELECT s.id FROM student s WHERE s.id < 30 AND NOT EXISTS (SELECT FROM friend f JOIN takes t ON t.student_id = f.b JOIN course c ON c.id = t.course_id WHERE f.a = s.id AND c.credits = 1)",
  ]
  /// Of unknown values it must be known whether there are any, and joins that keep rows as they are can be ordered with the others.
  private static let whole = [
    "SELECT f.b, x.other FROM friend f JOIN (SELECT student_id AS s, course_id AS other FROM takes EXCEPT SELECT a, b FROM friend) x ON x.s = f.b WHERE f.a = 20",
    "SELECT f.mentor FROM friend f WHERE f.a < 25 AND f.mentor NOT IN (SELECT g.mentor FROM friend g JOIN student s ON s.id = g.a WHERE s.best > 4000 AND g.mentor IS NOT NULL)",
    "SELECT count(*) FROM friend f WHERE f.a < 25 AND f.b NOT IN (SELECT g.mentor FROM friend g JOIN student s ON s.id = g.a WHERE s.best > 4000)",
    "SELECT f.b, f.b IN (SELECT g.mentor FROM friend g JOIN student s ON s.id = g.a WHERE s.best > 4000) FROM friend f WHERE f.a < 25",
    "SELECT x.s, x.n FROM (SELECT student_id AS s, count(*) AS n FROM takes GROUP BY 1 LIMIT 10000) x JOIN friend f ON f.b = x.s WHERE f.a = 23",
    "SELECT count(*) FROM friend f WHERE f.a < 90 AND NOT EXISTS (SELECT FROM takes x JOIN takes y ON y.course_id = x.course_id WHERE x.student_id = f.a AND y.student_id = f.b)",
    "SELECT count(*), sum(x.n) FROM friend f JOIN (SELECT student_id, count(*) AS n FROM takes GROUP BY 1) x ON x.student_id = f.b",
    "SELECT f.b, x.n FROM friend f JOIN (SELECT grade, count(*) AS n FROM takes GROUP BY 1) x ON x.grade = f.b WHERE f.a < 25",
    "SELECT f.b, x.p FROM friend f JOIN (SELECT student_id, row_number() OVER (ORDER BY student_id, course_id) AS p FROM takes) x ON x.student_id = f.b WHERE f.a = 17",
  ]

  @Test("is what making all of it gives", arguments: grouped + matched + whole)
  func answers(query: String) throws {
    let (found, expected) = (
      try Self.school.rows(query, in: "kept"), try Self.school.rows(query, in: "loose")
    )
    #expect(found.sorted() == expected.sorted())
    #expect(!found.isEmpty)
  }

  @Test("is made for them alone", arguments: grouped + matched)
  func planned(query: String) throws {
    let plan = try Self.school.plan(query)
    #expect(plan.contains { $0.contains("CTE Scan") }, "\(plan)")
  }

  @Test("is made as a whole where that must be, or is better", arguments: whole)
  func unchanged(query: String) throws {
    let plan = try Self.school.plan(query)
    #expect(!plan.contains { $0.contains("CTE Scan") }, "\(plan)")
  }

  @Test(
    "is made for the rows that are changed",
    arguments: [
      "DELETE FROM friend f WHERE f.a < 40 AND EXISTS (SELECT FROM takes t JOIN course c ON c.id = t.course_id WHERE t.student_id = f.b AND c.credits = 2) RETURNING a, b",
      "UPDATE friend f SET mentor = NULL WHERE f.a BETWEEN 50 AND 70 AND NOT EXISTS (SELECT FROM takes t JOIN course c ON c.id = t.course_id WHERE t.student_id = f.mentor AND c.credits = 4) RETURNING a, b",
      "UPDATE student s SET best = x.n FROM (SELECT student_id, count(*) AS n FROM takes GROUP BY 1) x WHERE x.student_id = s.id AND s.id < 30 RETURNING s.id, s.best",
    ])
  func changes(statement: String) throws {
    var outcomes: [[String]] = []
    for schema in ["kept", "loose"] {
      let connection = try Self.school.connect(schema)
      try connection.execute("BEGIN")
      let changed = try connection.query(SQL(raw: statement)).map { $0.line }
      let left = try connection.query(
        "SELECT count(*), sum(a), sum(b), sum(mentor), (SELECT sum(best) FROM student) FROM friend"
      ).map { $0.line }
      try connection.execute("ROLLBACK")
      outcomes.append(changed.sorted() + left)
    }
    #expect(outcomes[0] == outcomes[1])
    #expect(outcomes[0].count > 1)
  }
}
