import Columnar
import Diagnostics
import SQLSyntax
import Testing

@testable import Planning

/// A statement and the names and types of its result.
struct BoundExample: CustomTestStringConvertible, Sendable {
  var sql: String
  var columns: String

  init(_ sql: String, _ columns: String) {
    self.sql = sql
    self.columns = columns
  }

  var testDescription: String { sql }
}

@Suite("The binder gives results")
struct BindingTests {
  private static let fixture = Result { try CatalogFixture(CatalogFixture.school) }

  @Test("with PostgreSQL's names and types", arguments: cases)
  func columns(_ example: BoundExample) throws {
    let bound = try Self.fixture.get().bind(example.sql)
    let shown = bound.columns.map { "\($0.name) \($0.columnType.name)" }.joined(separator: ", ")
    #expect(shown == example.columns)
    #expect(bound.plan.freeColumns.isEmpty)
  }

  static let cases: [BoundExample] = simple + joins + grouped + nested + changing

  private static let simple = [
    BoundExample("SELECT 1", "?column? integer"),
    BoundExample("SELECT 'a'", "?column? text"),
    BoundExample("SELECT 3000000000", "?column? bigint"),
    BoundExample("SELECT NULL", "?column? text"),
    BoundExample("SELECT 1 + 2 AS three, true", "three integer, ?column? boolean"),
    BoundExample("SELECT id::bigint FROM course", "id bigint"),
    BoundExample("SELECT 1::bigint", "int8 bigint"),
    BoundExample("SELECT CASE WHEN true THEN 1 ELSE 2 END", "case integer"),
    BoundExample("SELECT coalesce(NULL, 1), nullif(1, 2)", "coalesce integer, nullif integer"),
    BoundExample("SELECT EXISTS (SELECT FROM course)", "exists boolean"),
    BoundExample("SELECT ARRAY[1, 2]", "array integer[]"),
    BoundExample(
      "SELECT * FROM course",
      "id integer, short_code character varying(10), name character varying(100)"),
    BoundExample("SELECT c FROM course c", "c course"),
    BoundExample("SELECT (c).name FROM course c", "name character varying(100)"),
    BoundExample("TABLE enrols_in", "student_id integer, course_id integer"),
    BoundExample("SELECT", ""),
    BoundExample("VALUES (1, 'x'), (NULL, 'y')", "column1 integer, column2 text"),
    BoundExample("SELECT id FROM course ORDER BY name DESC NULLS LAST LIMIT 3", "id integer"),
    BoundExample("SELECT DISTINCT ON (name) id FROM course ORDER BY name, id", "id integer"),
    BoundExample(
      "SELECT id FROM course WHERE id BETWEEN 1 AND 3 AND name IN ('a', 'b')",
      "id integer"),
    BoundExample("SELECT tags[1], tags[1:2] FROM thing", "tags text, tags text[]"),
    BoundExample("SELECT 'sad'::mood", "mood mood"),
    BoundExample(
      "SELECT plus_one(1), plus_one(n => 2, by => 3)",
      "plus_one integer, plus_one integer"),
    BoundExample(
      "SELECT 1 WHERE 3 = ANY (ARRAY[1, 2]) AND 'a' = ANY ('{a,b}')", "?column? integer"),
  ]

  private static let joins = [
    BoundExample(
      "SELECT * FROM student s JOIN enrols_in e ON e.student_id = s.id WHERE s.id = 1",
      "id integer, first_name character varying(50), last_name character varying(50),"
        + " student_id integer, course_id integer"),
    BoundExample(
      "SELECT * FROM course JOIN student USING (id)",
      "id integer, short_code character varying(10), name character varying(100),"
        + " first_name character varying(50), last_name character varying(50)"),
    BoundExample(
      "SELECT id, a.name FROM course a FULL JOIN course b USING (id)",
      "id integer, name character varying(100)"),
    BoundExample("SELECT j.id FROM (course JOIN student USING (id)) AS j", "id integer"),
    BoundExample("SELECT x.n FROM course c, LATERAL (SELECT c.id AS n) x", "n integer"),
    BoundExample("SELECT code FROM roster", "code character varying(10)"),
    BoundExample(
      "SELECT * FROM get_available_courses(1)",
      "id integer, short_code character varying, name character varying"),
    BoundExample("SELECT get_available_courses(1)", "get_available_courses record"),
    BoundExample("SELECT id FROM available(3) ORDER BY id", "id integer"),
    BoundExample(
      "SELECT s.id, count(a.id) FROM student s LEFT JOIN LATERAL get_available_courses(s.id) a"
        + " ON true GROUP BY s.id ORDER BY s.id", "id integer, count bigint"),
  ]

  private static let grouped = [
    BoundExample("SELECT count(*), sum(id) FROM course", "count bigint, sum bigint"),
    BoundExample(
      "SELECT short_code, count(*) FROM course GROUP BY id",
      "short_code character varying(10), count bigint"),
    BoundExample(
      "SELECT student_id AS s, count(*) FROM enrols_in GROUP BY s HAVING count(*) > 1",
      "s integer, count bigint"),
    BoundExample(
      "SELECT student_id, course_id, GROUPING(course_id) FROM enrols_in"
        + " GROUP BY ROLLUP (student_id, course_id)",
      "student_id integer, course_id integer, grouping integer"),
    BoundExample(
      "SELECT id, row_number() OVER (PARTITION BY name ORDER BY id) FROM course",
      "id integer, row_number bigint"),
    BoundExample(
      "SELECT student_id, rank() OVER (ORDER BY count(*) DESC) FROM enrols_in"
        + " GROUP BY student_id", "student_id integer, rank bigint"),
    BoundExample(
      "SELECT (SELECT sum(s.id) FROM course) FROM student s", "sum bigint"),
    BoundExample("SELECT sum(id) OVER w FROM course WINDOW w AS (ORDER BY id)", "sum bigint"),
  ]

  private static let nested = [
    BoundExample(
      "SELECT 'n ' || 1, 1 || 'x', '1' COLLATE \"C\" = 'a'",
      "?column? text, ?column? text, ?column? boolean"),
    BoundExample("SELECT a = b FROM course a, course b", "?column? boolean"),
    BoundExample(
      "WITH RECURSIVE r(a, b) AS (SELECT student_id, course_id FROM enrols_in UNION ALL"
        + " SELECT e.student_id, e.course_id FROM enrols_in e, r WHERE r.b = e.student_id)"
        + " SEARCH DEPTH FIRST BY a SET path CYCLE a SET seen USING way SELECT a, seen FROM r",
      "a integer, seen boolean"),
    BoundExample("SELECT 1 UNION ALL SELECT 2.5", "?column? numeric"),
    BoundExample("SELECT 'a' UNION SELECT name FROM course", "?column? character varying"),
    BoundExample("SELECT id FROM course EXCEPT SELECT id FROM student ORDER BY id", "id integer"),
    BoundExample("WITH c AS (SELECT id FROM course) SELECT a.id FROM c a, c b", "id integer"),
    BoundExample("WITH c(x) AS (SELECT id FROM course) SELECT x FROM c", "x integer"),
    BoundExample(
      "WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 5)"
        + " SELECT n FROM r", "n integer"),
    BoundExample(
      "SELECT count(*) FROM student s CROSS JOIN course c WHERE (s.id, c.id) NOT IN"
        + " (SELECT student_id, course_id FROM enrols_in)", "count bigint"),
    BoundExample("SELECT (SELECT name FROM course LIMIT 1)", "name character varying(100)"),
  ]

  private static let changing = [
    BoundExample(
      "INSERT INTO course (name) VALUES ('x') RETURNING id, name",
      "id integer, name character varying(100)"),
    BoundExample("INSERT INTO course (name) VALUES ('x'), (DEFAULT)", ""),
    BoundExample(
      "INSERT INTO course (short_code, name) VALUES ('a', 'b') ON CONFLICT (short_code)"
        + " DO UPDATE SET name = excluded.name WHERE course.id > 1 RETURNING *",
      "id integer, short_code character varying(10), name character varying(100)"),
    BoundExample(
      "INSERT INTO early (title) VALUES ('x') RETURNING *",
      "title character varying(100), id integer, following integer"),
    BoundExample(
      "UPDATE early SET title = 'x' WHERE following > 2 RETURNING early.title",
      "title character varying(100)"),
    BoundExample("DELETE FROM early WHERE title = 'x'", ""),
    BoundExample("UPDATE course SET name = 'x' WHERE id = 1 RETURNING id", "id integer"),
    BoundExample(
      "UPDATE course c SET (name, short_code) = (SELECT last_name, 'a' FROM student s"
        + " WHERE s.id = c.id)", ""),
    BoundExample(
      "DELETE FROM enrols_in e USING course c WHERE c.id = e.course_id"
        + " RETURNING c.short_code", "short_code character varying(10)"),
    BoundExample(
      "WITH d AS (DELETE FROM enrols_in RETURNING *) SELECT count(*) FROM d",
      "count bigint"),
    BoundExample(
      "MERGE INTO course c USING student s ON c.id = s.id WHEN MATCHED AND s.id > 3"
        + " THEN DELETE WHEN MATCHED THEN UPDATE SET name = s.last_name WHEN NOT MATCHED THEN"
        + " INSERT (name) VALUES (s.first_name)", ""),
  ]
}
