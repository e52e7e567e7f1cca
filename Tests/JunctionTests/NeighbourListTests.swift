import Testing

/// Texts and lists of each parent's rows are made from its list of edges; the same tables without keys keep all rows of a join.
@Suite("Lists of what each row is linked with")
struct NeighbourListTests {
  private static let school = KeptAndLoose(
    """
    CREATE TABLE course (id int PRIMARY KEY, name text);
    CREATE TABLE student (id int PRIMARY KEY, name text, born date NOT NULL);
    CREATE TABLE takes (student_id int REFERENCES student, course_id int REFERENCES course, grade int, PRIMARY KEY (student_id, course_id));
    INSERT INTO course SELECT i, 'course ' || i FROM generate_series(1, 90) i;
    INSERT INTO student SELECT i, CASE WHEN i % 7 > 0 THEN 'student ' || i * 31 % 1000 END, DATE '2000-01-01' + i * 17 % 900 FROM generate_series(1, 1000) i;
    INSERT INTO takes SELECT 1 + s * 37 % 1000, 1 + (s * 13 + c * 29) % 85, CASE WHEN (s + c) % 5 > 0 THEN s * c % 21 END
      FROM generate_series(1, 1000) s, generate_series(1, 6) c
    """, copying: ["course", "student", "takes"])

  private static let aggregates = [
    "string_agg(s.name, ', ' ORDER BY s.id)",
    "string_agg(s.name, ', ' ORDER BY s.born DESC, s.id), count(*)",
    "string_agg(DISTINCT s.name, '|' ORDER BY s.name)",
    "array_agg(s.id ORDER BY t.grade NULLS FIRST, s.id), sum(t.grade)",
    "array_agg(t.grade ORDER BY s.id) FILTER (WHERE t.grade > 3)",
    "jsonb_agg(s.name ORDER BY s.id), max(s.born)",
    "json_agg(json_build_object('id', s.id, 'born', s.born) ORDER BY s.id)",
    "json_object_agg(coalesce(s.id, 0), t.grade ORDER BY s.id)",
    "percentile_cont(0.3) WITHIN GROUP (ORDER BY t.grade), mode() WITHIN GROUP (ORDER BY t.grade)",
    "percentile_disc(0.5) WITHIN GROUP (ORDER BY s.name), avg(t.grade)",
    "(array_agg(s.name ORDER BY s.born, s.id))[1:2]",
  ]
  private static let sources = [
    "course c JOIN takes t ON t.course_id = c.id JOIN student s ON s.id = t.student_id",
    "course c LEFT JOIN takes t ON t.course_id = c.id LEFT JOIN student s ON s.id = t.student_id",
    "course c LEFT JOIN (takes t JOIN student s ON s.id = t.student_id) ON t.course_id = c.id AND t.grade > 4",
    "course c JOIN takes t ON t.course_id = c.id AND t.grade <> 7 JOIN student s ON s.id = t.student_id AND s.born > DATE '2000-06-01'",
    "student c JOIN takes t ON t.student_id = c.id JOIN student s ON s.id = t.course_id * 3",
  ]

  @Test("are those that all rows of the join give", arguments: aggregates, sources)
  func answers(aggregate: String, source: String) throws {
    for keys in ["c.id, c.name", "c.id"] {
      let query = "SELECT \(keys), \(aggregate) FROM \(source) GROUP BY \(keys) ORDER BY c.id"
      let (found, expected) = (
        try Self.school.rows(query, in: "kept"), try Self.school.rows(query, in: "loose")
      )
      #expect(found == expected)
    }
  }
}
