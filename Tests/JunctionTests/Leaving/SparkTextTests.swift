import Foundation
import Junction
import Testing

@Suite("For Spark a query is written")
struct SparkTextTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let query: String
    let text: String

    init(_ claim: String, _ query: String, _ text: String) {
      (testDescription, self.query, self.text) = (claim, query, text)
    }
  }

  static let examples = [
    Example(
      "with NULLs where PostgreSQL has them", "SELECT id FROM student ORDER BY born DESC, id",
      "SELECT student.id FROM student ORDER BY student.born DESC NULLS FIRST, student.id NULLS LAST"
    ),
    Example(
      "with NULLs behind other elements of arrays",
      "SELECT id FROM student ORDER BY ARRAY[id, length(name)]",
      "SELECT student.id FROM student ORDER BY transform(array(student.id, char_length(student.name)),"
        + " x -> struct(x IS NULL, x)) NULLS LAST"),
    Example(
      "with LIMIT before OFFSET", "SELECT id FROM student ORDER BY id OFFSET 1 LIMIT 2",
      "SELECT student.id FROM student ORDER BY student.id NULLS LAST LIMIT 2 OFFSET 1"),
    Example(
      "with div for whole numbers", "SELECT id / 2 AS half FROM student",
      "SELECT CAST(student.id div 2 AS int) AS half FROM student"),
    Example(
      "with quotes of its own", "SELECT 'it''s \\' AS \"Order\" FROM student",
      "SELECT 'it\\'s \\\\' AS `Order` FROM student"),
    Example(
      "with NOT IN as it is", "SELECT a FROM t WHERE a NOT IN (SELECT a FROM u)",
      "SELECT t.a FROM t WHERE t.a NOT IN (SELECT u.a AS value FROM u)"),
    Example(
      "with NOT EXISTS for an anti-join", "SELECT a FROM t LEFT ANTI JOIN u ON u.b = t.b",
      "SELECT t.a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.b = t.b)"),
    Example(
      "with IN of three values where it is a value",
      "SELECT a IN (SELECT a FROM u) AS found FROM t",
      "SELECT CASE WHEN EXISTS (SELECT 1 FROM u WHERE t.a = u.a) THEN true"
        + " WHEN EXISTS (SELECT 1 FROM u WHERE (t.a = u.a) IS NULL) THEN CAST(NULL AS boolean)"
        + " ELSE false END AS found FROM t"),
    Example(
      "with > ALL as an anti-join", "SELECT a FROM t WHERE a > ALL (SELECT a FROM u)",
      "SELECT t.a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE (t.a <= u.a) IS NOT FALSE)"),
    Example(
      "with row_number for DISTINCT ON",
      "SELECT DISTINCT ON (course_id) course_id, grade FROM enrols_in ORDER BY course_id, grade",
      "SELECT q.course_id, q.grade FROM (SELECT enrols_in.course_id, enrols_in.grade,"
        + " row_number() OVER (PARTITION BY enrols_in.course_id ORDER BY enrols_in.course_id NULLS LAST,"
        + " enrols_in.grade NULLS LAST) AS `number of row` FROM enrols_in) AS q"
        + " WHERE q.`number of row` = 1 ORDER BY q.course_id NULLS LAST, q.grade NULLS LAST"),
    Example(
      "with a series that is empty where it goes down", "SELECT g FROM generate_series(5, 1) AS g",
      "SELECT f.generate_series AS g FROM explode(CASE WHEN CAST(5 AS int) <= CAST(1 AS int) THEN"
        + " sequence(CAST(5 AS int), CAST(1 AS int)) ELSE CAST(array() AS array<int>) END) AS f(generate_series)"
    ),
    Example(
      "with a bound for its rounds",
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r",
      "WITH RECURSIVE reached(`column`) MAX RECURSION LEVEL 1000000 AS (SELECT CAST(1 AS int) AS `column`"
        + " UNION ALL SELECT CAST(c.`column` + 1 AS int) AS `column` FROM reached AS c"
        + " WHERE c.`column` < 5) SELECT c_2.`column` AS n FROM reached AS c_2"),
    Example(
      "with joins for a pattern of a graph",
      "SELECT * FROM GRAPH_TABLE (* MATCH (s IS student)-[IS enrols_in]->(c IS course)"
        + " COLUMNS (s.name AS who, c.name AS what))",
      "SELECT s.name AS who, c.name AS what FROM student AS s CROSS JOIN enrols_in"
        + " CROSS JOIN course AS c WHERE enrols_in.student_id = s.id AND enrols_in.course_id = c.id"
    ),
    Example(
      "with the copy of a junction table whose key is given",
      "SELECT count(*) AS n FROM enrols_in e WHERE e.course_id = 1",
      "SELECT count(*) AS n FROM enrols_in_by_course_id AS e WHERE e.course_id = 1"),
    Example(
      "with a test whether a text is like another", "SELECT name ~ '^A' AS it FROM student",
      "SELECT regexp(student.name, '(?s)^A') AS it FROM student"),
    Example(
      "with days and months apart",
      "SELECT since + interval '1 month 2 days' AS then FROM enrols_in",
      "SELECT enrols_in.since + INTERVAL '1' MONTH + INTERVAL '2' DAY AS `then` FROM enrols_in"),
    Example(
      "without its blanks at the end of a text of fixed length",
      "SELECT id FROM course WHERE kind = 'x'",
      "SELECT course.id FROM course WHERE rtrim(course.kind) = rtrim('x')"),
    Example(
      "with rounded numbers as PostgreSQL rounds them", "SELECT fee::int AS fee FROM course",
      "SELECT CAST(round(course.fee) AS int) AS fee FROM course"),
    Example(
      "with the grand total by itself",
      "SELECT a, count(*) AS n FROM t GROUP BY ROLLUP (a)",
      "SELECT u.a, u.count AS n FROM (SELECT t.a, count(*) AS count FROM t GROUP BY GROUPING SETS (t.a)"
        + " UNION ALL SELECT CAST(NULL AS int) AS a, count(*) AS count FROM t AS t_2) AS u"),
  ]

  @Test("so that it means the same there", arguments: examples)
  func text(_ example: Example) throws {
    #expect(try LeavingFixture.spark(example.query) == example.text)
  }

  @Test("or refused with the place and the reason")
  func refusals() throws {
    let queries = try LeavingFixture.text("refused.sql")
    let connection = try LeavingFixture.connection()
    let lines = try LeavingFixture.withPath { path in
      let account = try connection.export(toSpark: path, queries: queries)
      #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/queries").isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/answers").isEmpty)
      return account.lines.filter { $0.hasPrefix("quer") }
    }
    #expect(lines.last == "queries: 0 of 8 translated")
    #expect(
      lines.contains(
        "query 2 not translated, line 2, column 8: function initcap(text) has no translation"))
    #expect(
      lines.contains(
        "query 3 not translated, line 4, column 3: function regexp_match(text, text) has no translation"
      ))
    #expect(
      lines.contains {
        $0.hasPrefix("query 5 not translated, line 6, column 1: only queries leave")
      })
  }

  @Test(
    "a search for paths that is no round by round is refused with what it asks for",
    arguments: [
      ("(a IS course)-[IS prerequisite]->{1,3}(b IS course)", "a.id", "all paths, or several"),
      ("TRAIL (a IS course)-[IS prerequisite]->{1,3}(b IS course)", "a.id", "all paths"),
      (
        "ANY SHORTEST ACYCLIC (a IS course)-[IS prerequisite]->+(b IS course)", "a.id",
        "a path by TRAIL"
      ),
      (
        "p = ANY (a IS course)-[IS prerequisite]->{1,3}(b IS course)", "path_length(p)",
        "a value of a path by ANY"
      ),
      (
        "ANY SHORTEST (a IS course) ((x)-[IS prerequisite]->(y))+ (b IS course)", "array_agg(y.id)",
        "the elements of a path"
      ),
      (
        "ANY SHORTEST (a IS course)-[IS prerequisite]->+(b)-[IS prerequisite]->+(c)", "a.id",
        "a path of several parts"
      ),
    ])
  func paths(_ pattern: String, _ columns: String, _ reason: String) throws {
    let refusal = try LeavingFixture.spark(
      "SELECT * FROM GRAPH_TABLE (* MATCH \(pattern) COLUMNS (\(columns) AS x))")
    #expect(refusal.contains("there is no translation for \(reason)"), "\(refusal)")
  }

  @Test(
    "whatever the spelling of an anti-join, and for all the rest",
    arguments: ["queries.sql", "antijoins.sql"])
  func all(_ file: String) throws {
    let connection = try LeavingFixture.connection()
    let queries = try LeavingFixture.queries(file)
    let account = try LeavingFixture.withPath { path in
      try connection.export(toSpark: path, queries: queries)
    }
    #expect(account.lines.filter { $0.contains("not translated") } == [])
  }

  @Test("as rounds where a recursion drops what it found before")
  func rounds() throws {
    let connection = try LeavingFixture.connection()
    try LeavingFixture.withPath { path in
      let query =
        "WITH RECURSIVE n(id) AS (SELECT 5 UNION SELECT p.requires_id FROM n"
        + " JOIN prerequisite p ON p.course_id = n.id) SELECT id FROM n"
      _ = try connection.export(toSpark: path, queries: query)
      let step = try LeavingFixture.read(path + "/queries/1.reached.step.sql")
      #expect(step.contains("FROM reached_new AS c JOIN prerequisite"))
      #expect(try LeavingFixture.read(path + "/queries/1.sql").contains("FROM reached AS"))
      #expect(try LeavingFixture.read(path + "/answers/1.csv") == "id\n5\n2\n4\n3\n1\n")
    }
  }
}
