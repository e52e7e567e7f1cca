import Junction
import Testing

/// The same tables as those of `MagicSetTests`, with keys and without.
@Suite("Alternatives that an index leads to each")
struct AlternativeTests {
  private static let lookUps = [
    "SELECT * FROM friend f WHERE f.a = 77 OR f.b = 77",
    "SELECT count(*), sum(a), sum(mentor) FROM friend WHERE a = 77 OR b IN (77, 78, 4000) OR (a, b) = (5, 4) OR a IN (77, 79)",
    "SELECT * FROM friend f WHERE (f.a = 77 OR f.mentor = 78) AND f.b % 2 = 0",
    "SELECT a, b FROM friend WHERE a = 5 AND mentor IS NULL OR mentor = 6 AND b > 100 OR b = 30",
    "SELECT s.name FROM friend f JOIN student s ON s.id = CASE WHEN f.a = 77 THEN f.b ELSE f.a END WHERE f.a = 77 OR f.b = 77",
    "SELECT t.course_id, count(*) FROM takes t JOIN friend f ON f.b = t.student_id WHERE f.a = 31 OR f.mentor = 31 GROUP BY 1",
    "SELECT a, b FROM friend WHERE a = 77 OR b = 77 ORDER BY b, a LIMIT 3 OFFSET 1",
    "SELECT s.id FROM student s WHERE EXISTS (SELECT FROM friend f WHERE f.a = s.id AND (f.b = 77 OR f.mentor = 77))",
  ]
  private static let marks = [
    "SELECT s.id FROM student s WHERE s.id = 77 OR s.id IN (SELECT a FROM friend WHERE b = 77)",
    "SELECT s.id, s.name FROM student s WHERE s.id IN (5, 77) OR s.id IN (SELECT a FROM friend WHERE b = 77) OR s.id IN (SELECT b FROM friend WHERE a = 77)",
    "SELECT s.id FROM student s WHERE (s.id = 77 OR EXISTS (SELECT FROM friend f WHERE f.b = 5 AND f.a = s.id)) AND s.best > 100",
  ]
  private static let whole = [
    "SELECT count(*), sum(b) FROM friend WHERE a = 77 OR b + 0 = 77",
    "SELECT count(*), sum(b) FROM friend WHERE a = 77 OR mentor IS NULL",
    "SELECT count(*), sum(b) FROM friend WHERE a < 77 OR b = 77",
    "SELECT count(*) FROM student s WHERE s.best = 77 OR s.id IN (SELECT a FROM friend WHERE b = 77)",
    "SELECT count(*) FROM student s WHERE s.id = 77 OR s.id NOT IN (SELECT a FROM friend WHERE b = 77)",
  ]

  @Test("give what asking each row gives", arguments: lookUps + marks + whole)
  func answers(query: String) throws {
    let (found, expected) = (
      try MagicSetTests.school.rows(query, in: "kept"),
      try MagicSetTests.school.rows(query, in: "loose")
    )
    #expect(found.sorted() == expected.sorted())
    #expect(!found.isEmpty)
  }

  @Test(
    "give that for the values of parameters",
    arguments: [[77, 77], [77, 4], [5, nil], [nil, nil]])
  func parameters(values: [Int?]) throws {
    let query = "SELECT * FROM friend WHERE a = $1 OR b = $2 OR mentor = $1"
    let given = values.map { $0.map { .integer(Int64($0)) } ?? SQLValue.null }
    let (found, expected) = (
      try MagicSetTests.school.rows(query, given, in: "kept"),
      try MagicSetTests.school.rows(query, given, in: "loose")
    )
    #expect(found.sorted() == expected.sorted())
  }

  @Test("are look-ups one behind another", arguments: lookUps)
  func planned(query: String) throws {
    let plan = try MagicSetTests.school.plan(query)
    #expect(plan.contains { $0.contains("Append") }, "\(plan)")
    #expect(!plan.contains { $0.contains("Seq Scan on friend") }, "\(plan)")
  }

  @Test("are one set to look up where some are found by a query", arguments: marks)
  func marked(query: String) throws {
    let plan = try MagicSetTests.school.plan(query)
    #expect(plan.contains { $0.contains("Append") }, "\(plan)")
    #expect(!plan.contains { $0.contains("Mark Join") }, "\(plan)")
  }

  @Test("are asked of each row where no index leads to one of them", arguments: whole)
  func unchanged(query: String) throws {
    #expect(try !MagicSetTests.school.plan(query).contains { $0.contains("Append") })
  }

  @Test("lead to rows that are changed, each once")
  func changes() throws {
    var outcomes: [[String]] = []
    for schema in ["kept", "loose"] {
      let connection = try MagicSetTests.school.connect(schema)
      try connection.execute("BEGIN")
      var lines: [String] = []
      for statement in [
        "UPDATE friend SET mentor = coalesce(mentor, 0) + 1 WHERE a = 77 OR b = 4 OR mentor = 99 RETURNING a, b, mentor",
        "DELETE FROM friend WHERE a = 78 OR b = 78 RETURNING a, b",
      ] {
        lines += try connection.query(SQL(raw: statement)).map { $0.line }.sorted()
      }
      lines += try connection.query("SELECT count(*), sum(a), sum(mentor) FROM friend").map {
        $0.line
      }
      try connection.execute("ROLLBACK")
      outcomes.append(lines)
    }
    #expect(outcomes[0] == outcomes[1])
  }
}
