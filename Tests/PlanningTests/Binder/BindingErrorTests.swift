import Diagnostics
import SQLSyntax
import Testing

@testable import Planning

/// A statement that must be refused.
struct RefusedStatement: CustomTestStringConvertible, Sendable {
  var sql: String
  var state: String
  var message: String
  var hint: String?
  /// The text that the error points at.
  var place: String?

  init(
    _ sql: String, _ state: String, _ message: String, at place: String? = nil, hint: String? = nil
  ) {
    self.sql = sql
    self.state = state
    self.message = message
    self.place = place
    self.hint = hint
  }

  var testDescription: String { sql }
}

@Suite("The binder refuses")
struct BindingErrorTests {
  private static let fixture = Result { try CatalogFixture(CatalogFixture.school) }
  private static let operatorHint =
    "No operator matches the given name and argument types. You might need to add explicit type casts."

  @Test("what PostgreSQL refuses, in its words", arguments: cases)
  func refusal(_ example: RefusedStatement) throws {
    let fixture = try Self.fixture.get()
    do {
      let bound = try fixture.bind(example.sql)
      Issue.record("bound to \(bound.plan)")
    } catch let error as SQLError {
      #expect(error.message == example.message)
      #expect(error.state.code == example.state)
      if let hint = example.hint { #expect(error.hint == hint) }
      if let place = example.place {
        let bytes = Array(example.sql.utf8)
        let range = error.range
        #expect(range.isKnown)
        if range.isKnown {
          let text = String(
            decoding: bytes[Int(range.lower)..<min(Int(range.upper), bytes.count)], as: UTF8.self)
          #expect(text.hasPrefix(place))
        }
      }
    }
  }

  static let cases: [RefusedStatement] = names + grouping + types + queries + changes

  private static let names = [
    RefusedStatement(
      "SELECT nmae FROM course", "42703", "column \"nmae\" does not exist", at: "nmae",
      hint: "Perhaps you meant to reference the column \"course.name\"."),
    RefusedStatement(
      "SELECT c.nam FROM course c", "42703", "column c.nam does not exist", at: "c.nam",
      hint: "Perhaps you meant to reference the column \"c.name\"."),
    RefusedStatement(
      "SELECT * FROM nowhere", "42P01", "relation \"nowhere\" does not exist", at: "nowhere"),
    RefusedStatement(
      "SELECT x.id FROM course", "42P01", "missing FROM-clause entry for table \"x\""),
    RefusedStatement(
      "SELECT course.id FROM course c", "42P01",
      "invalid reference to FROM-clause entry for table \"course\"",
      hint: "Perhaps you meant to reference the table alias \"c\"."),
    RefusedStatement(
      "SELECT * FROM course c, (SELECT c.id) x", "42P01",
      "invalid reference to FROM-clause entry for table \"c\"",
      hint: "There is an entry for table \"c\", but it cannot be referenced from this part of"
        + " the query."),
    RefusedStatement(
      "SELECT id FROM student, course", "42702", "column reference \"id\" is ambiguous", at: "id"),
    RefusedStatement(
      "SELECT 1 FROM course, course", "42712",
      "table name \"course\" specified more than once"),
    RefusedStatement(
      "SELECT * FROM course c(a, b, c, d)", "42P10",
      "table \"c\" has 3 columns available but 4 columns specified"),
    RefusedStatement(
      "SELECT nosuch(1)", "42883", "function nosuch(integer) does not exist", at: "nosuch"),
    RefusedStatement(
      "SELECT get_available_course(1)", "42883",
      "function get_available_course(integer) does not exist",
      hint: "Perhaps you meant the function \"get_available_courses\"."),
    RefusedStatement("SELECT *", "42601", "SELECT * with no tables specified is not valid"),
    RefusedStatement("SELECT 'x'::nosuch", "42704", "type \"nosuch\" does not exist"),
    RefusedStatement(
      "SELECT * FROM student JOIN course USING (nosuch)", "42703",
      "column \"nosuch\" specified in USING clause does not exist in left table"),
  ]

  private static let grouping = [
    RefusedStatement(
      "SELECT first_name, count(*) FROM student GROUP BY last_name", "42803",
      "column \"student.first_name\" must appear in the GROUP BY clause or be used in an"
        + " aggregate function", at: "first_name"),
    RefusedStatement(
      "SELECT (SELECT count(*) FROM course WHERE id = s.id) FROM student s GROUP BY last_name",
      "42803", "subquery uses ungrouped column \"s.id\" from outer query", at: "s.id"),
    RefusedStatement(
      "SELECT id FROM student WHERE count(*) > 1", "42803",
      "aggregate functions are not allowed in WHERE", at: "count"),
    RefusedStatement(
      "SELECT sum(count(*)) FROM student", "42803",
      "aggregate function calls cannot be nested"),
    RefusedStatement(
      "SELECT 1 FROM student GROUP BY count(*)", "42803",
      "aggregate functions are not allowed in GROUP BY"),
    RefusedStatement(
      "SELECT row_number() OVER () FROM student WHERE row_number() OVER () = 1", "42P20",
      "window functions are not allowed in WHERE"),
    RefusedStatement(
      "SELECT 1 FROM student GROUP BY 3", "42P10", "GROUP BY position 3 is not in select list"),
    RefusedStatement(
      "SELECT DISTINCT last_name FROM student ORDER BY id", "42P10",
      "for SELECT DISTINCT, ORDER BY expressions must appear in select list", at: "id"),
    RefusedStatement(
      "SELECT DISTINCT ON (last_name) id FROM student ORDER BY id", "42P10",
      "SELECT DISTINCT ON expressions must match initial ORDER BY expressions"),
    RefusedStatement(
      "SELECT id FROM student ORDER BY 2", "42P10", "ORDER BY position 2 is not in select list"),
    RefusedStatement(
      "SELECT data FROM thing ORDER BY data", "42883",
      "could not identify an ordering operator for type json"),
    RefusedStatement(
      "SELECT rank() FROM student", "42809", "window function rank requires an OVER clause"),
    RefusedStatement(
      "SELECT count(*) OVER w FROM student WINDOW w AS (base), base AS (ORDER BY id)", "42704",
      "window \"base\" does not exist", at: "base"),
    RefusedStatement(
      "SELECT id FROM student ORDER BY NULL", "42601", "non-integer constant in ORDER BY"),
    RefusedStatement(
      "SELECT rank() OVER w FROM student", "42704", "window \"w\" does not exist"),
  ]

  private static let types = [
    RefusedStatement(
      "SELECT id FROM student WHERE id", "42804",
      "argument of WHERE must be type boolean, not type integer", at: "id"),
    RefusedStatement(
      "SELECT id + label FROM thing", "42883", "operator does not exist: integer + text", at: "+",
      hint: operatorHint),
    RefusedStatement(
      "SELECT id = label FROM thing", "42883", "operator does not exist: integer = text", at: "="),
    RefusedStatement(
      "SELECT 1 UNION SELECT label FROM thing", "42804",
      "UNION types integer and text cannot be matched", at: "label"),
    RefusedStatement(
      "SELECT CASE WHEN true THEN id ELSE label END FROM thing", "42804",
      "CASE types text and integer cannot be matched"),
    RefusedStatement(
      "SELECT id FROM student WHERE id = 'x'", "22P02",
      "invalid input syntax for type integer: \"x\"", at: "'x'"),
    RefusedStatement(
      "SELECT ARRAY[]", "42P18", "cannot determine type of empty array"),
    RefusedStatement(
      "SELECT true::date", "42846", "cannot cast type boolean to date"),
    RefusedStatement(
      "SELECT 'angry'::mood", "22P02", "invalid input value for enum mood: \"angry\""),
    RefusedStatement(
      "SELECT id FROM student LIMIT 'x'", "22P02",
      "invalid input syntax for type bigint: \"x\""),
    RefusedStatement(
      "SELECT id FROM student LIMIT id", "42P10", "argument of LIMIT must not contain variables"),
  ]

  private static let queries = [
    RefusedStatement(
      "SELECT (SELECT id, name FROM course)", "42601", "subquery must return only one column"),
    RefusedStatement(
      "SELECT 1 WHERE 1 IN (SELECT id, name FROM course)", "42601",
      "subquery has too many columns"),
    RefusedStatement(
      "SELECT 1 UNION SELECT 1, 2", "42601",
      "each UNION query must have the same number of columns"),
    RefusedStatement(
      "SELECT id FROM course UNION SELECT id FROM student ORDER BY id + 1", "0A000",
      "invalid UNION/INTERSECT/EXCEPT ORDER BY clause"),
    RefusedStatement(
      "SELECT (1, 2) = (1, 2, 3)", "42601", "unequal number of entries in row expressions"),
    RefusedStatement(
      "VALUES (1, 2), (3)", "42601", "VALUES lists must all be the same length"),
    RefusedStatement(
      "WITH a AS (SELECT 1), a AS (SELECT 2) SELECT 1", "42712",
      "WITH query name \"a\" specified more than once"),
    RefusedStatement(
      "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", "42P01",
      "relation \"b\" does not exist"),
    RefusedStatement(
      "WITH RECURSIVE r AS (SELECT * FROM r) SELECT * FROM r", "42P19",
      "recursive query \"r\" does not have the form non-recursive-term UNION [ALL]"
        + " recursive-term"),
    RefusedStatement(
      "WITH RECURSIVE r(n) AS (SELECT n FROM r UNION SELECT 1) SELECT * FROM r", "42P19",
      "recursive reference to query \"r\" must not appear within its non-recursive term"),
    RefusedStatement(
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT 2 WHERE EXISTS (SELECT FROM r))"
        + " SELECT * FROM r", "42P19",
      "recursive reference to query \"r\" must not appear within a subquery"),
    RefusedStatement(
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT a.n FROM r a, r b) SELECT * FROM r", "42P19",
      "recursive reference to query \"r\" must not appear more than once"),
    RefusedStatement(
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT id FROM course LEFT JOIN r ON true)"
        + " SELECT * FROM r", "42P19",
      "recursive reference to query \"r\" must not appear within an outer join"),
  ]

  private static let changes = [
    RefusedStatement(
      "INSERT INTO course (nam) VALUES ('x')", "42703",
      "column \"nam\" of relation \"course\" does not exist", at: "nam"),
    RefusedStatement(
      "INSERT INTO course (name, name) VALUES ('x', 'y')", "42701",
      "column \"name\" specified more than once"),
    RefusedStatement(
      "INSERT INTO course (id) VALUES (1, 2)", "42601",
      "INSERT has more expressions than target columns", at: "2"),
    RefusedStatement(
      "INSERT INTO course (id, name) VALUES (1)", "42601",
      "INSERT has more target columns than expressions", at: "name"),
    RefusedStatement(
      "INSERT INTO course (id) VALUES (true)", "42804",
      "column \"id\" is of type integer but expression is of type boolean", at: "true",
      hint: "You will need to rewrite or cast the expression."),
    RefusedStatement(
      "INSERT INTO thing (id) VALUES (1)", "428C9",
      "cannot insert a non-DEFAULT value into column \"id\"",
      hint: "Use OVERRIDING SYSTEM VALUE to override."),
    RefusedStatement(
      "INSERT INTO thing (twice) VALUES (1)", "428C9",
      "cannot insert a non-DEFAULT value into column \"twice\""),
    RefusedStatement(
      "INSERT INTO course VALUES (1) ON CONFLICT (name) DO NOTHING", "42P10",
      "there is no unique or exclusion constraint matching the ON CONFLICT specification"),
    RefusedStatement(
      "INSERT INTO course VALUES (1) ON CONFLICT DO UPDATE SET name = 'x'", "42601",
      "ON CONFLICT DO UPDATE requires inference specification or constraint name"),
    RefusedStatement(
      "UPDATE course SET name = 'x', name = 'y'", "42601",
      "multiple assignments to same column \"name\""),
    RefusedStatement(
      "UPDATE thing SET twice = 1", "428C9", "column \"twice\" can only be updated to DEFAULT"),
    RefusedStatement(
      "UPDATE course SET (id, name) = (1)", "0A000",
      "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression"),
    RefusedStatement(
      "INSERT INTO counted VALUES (1)", "55000", "cannot insert into view \"counted\""),
    RefusedStatement(
      "UPDATE early SET following = 1", "0A000",
      "cannot update column \"following\" of view \"early\""),
    RefusedStatement(
      "UPDATE early SET nosuch = 1", "42703",
      "column \"nosuch\" of relation \"early\" does not exist"),
    RefusedStatement(
      "DELETE FROM course WHERE nme = 'x'", "42703", "column \"nme\" does not exist"),
  ]
}
