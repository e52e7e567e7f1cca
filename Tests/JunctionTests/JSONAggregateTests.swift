import Diagnostics
import Junction
import Testing

@Suite("An array of JSON objects over rows")
struct JSONAggregateTests {
  private static func school(_ studentCount: Int = 3000) throws(SQLError) -> Connection {
    let connection = Database().connect()
    try connection.execute(
      #"""
      CREATE TABLE student (id int PRIMARY KEY, name text, nick varchar(12), big bigint, small smallint,
        grade numeric(5, 2), born date, active boolean, notes json);
      CREATE TABLE course (id int PRIMARY KEY, name text);
      CREATE TABLE enrols_in (
        student_id int REFERENCES student, course_id int REFERENCES course, mark int,
        PRIMARY KEY (student_id, course_id));
      INSERT INTO student SELECT i,
        CASE WHEN i % 13 = 0 THEN NULL WHEN i % 7 = 0 THEN 'a "quoted\" name of ' || i
          WHEN i % 5 = 0 THEN E'line\n' || i ELSE repeat('x', i % 30) END,
        CASE WHEN i % 11 > 0 THEN substr(E'abc"defghijkl', 1, i % 13) END,
        CASE WHEN i % 3 = 0 THEN -i * 1234567890123 ELSE i END, i % 100 - 50, i / 7.0,
        date '2000-01-01' + i, i % 2 = 0, '{"k": [1, {}]}'
        FROM generate_series(1, \#(studentCount)) i;
      INSERT INTO course SELECT i, 'course ' || i FROM generate_series(1, 40) i;
      INSERT INTO enrols_in SELECT s, c, s % 10 FROM generate_series(1, \#(studentCount)) s, generate_series(1, 38) c
        WHERE s % c = 0 AND c <> 20 OR c = 38 AND s < 5;
      DELETE FROM enrols_in WHERE student_id = 17;
      """#)
    return connection
  }

  private static let objects = [
    "json_build_object('id', s.id, 'name', s.name)",
    "json_build_object('small', s.small, 'nick', s.nick, 'big', s.big)",
    #"json_build_object('a "key"', s.grade, 'born', s.born, 'is', s.active)"#,
    "json_build_object('notes', s.notes, 'name', s.name || '!')",
    "json_build_object('course', c.name, 'mark', e.mark, 'name', s.name)",
    "json_build_object('none', NULL, 'text', 'it''s')",
  ]

  @Test("is the objects one behind another", arguments: objects)
  func sameAsJoined(_ object: String) throws {
    let connection = try Self.school(400)
    let from =
      "FROM course c LEFT JOIN enrols_in e ON e.course_id = c.id LEFT JOIN student s ON s.id = e.student_id"
    let inner =
      "FROM course c JOIN enrols_in e ON e.course_id = c.id JOIN student s ON s.id = e.student_id"
    let tails = [
      "", " ORDER BY s.id", " ORDER BY s.name DESC NULLS LAST, s.id",
      ") FILTER (WHERE s.id IS NOT NULL", " ORDER BY s.id) FILTER (WHERE s.id % 2 = 0",
    ]
    for source in [from, inner] {
      for tail in tails {
        // Without an ORDER BY of its own the aggregate takes rows as they come, from both ways alike.
        let parts = tail.split(separator: ")", maxSplits: 1, omittingEmptySubsequences: false)
        let order = parts[0].isEmpty ? " ORDER BY e.student_id" : String(parts[0])
        let rest = parts.count > 1 ? ")" + parts[1] : ""
        let fused = "json_agg(\(object)\(order)\(rest))::text"
        let joined = "'[' || string_agg((\(object))::text, ', '\(order)\(rest)) || ']'"
        let result = try connection.query(
          "SELECT c.id, \(fused), \(joined) \(source) GROUP BY c.id, c.name")
        #expect(result.count > 30)
        for row in result { #expect(row[1] == row[2], "\(object) \(tail)") }
        let plain = try connection.query(
          "SELECT c.id, json_agg(\(object)\(rest)), count(s.id) \(source) GROUP BY c.id, c.name ORDER BY c.id"
        )
        let sorted = try connection.query(
          "SELECT c.id, json_agg(\(object)\(order)\(rest)), count(s.id) \(source) GROUP BY c.id + 0, c.name, c.id "
            + "ORDER BY c.id")
        if parts[0].isEmpty {
          #expect(plain.map(\.values) == sorted.map(\.values), "\(object) \(tail)")
        }
      }
    }
  }

  @Test("is right in a run after one that failed half-way")
  func afterFailure() throws {
    let connection = try Self.school()
    let prepared = try connection.prepare(
      """
      SELECT c.id, json_agg(json_build_object('id', s.id, 'part', 1000 / (s.id - $1)))::text
      FROM course c LEFT JOIN enrols_in e ON e.course_id = c.id LEFT JOIN student s ON s.id = e.student_id
      GROUP BY c.id, c.name
      """)
    let whole = try prepared.query(.integer(-5))
    for number in [1, 900, 2888] as [Int64] {
      let error = #expect(throws: SQLError.self) { try prepared.query(.integer(number)) }
      #expect(error?.state == .divisionByZero)
      let again = try prepared.query(.integer(-5))
      #expect(again.map(\.values) == whole.map(\.values))
    }
  }

  @Test("has one element for each row of all, and is NULL of none")
  func edges() throws {
    let connection = try Self.school()
    let whole = try connection.query(
      "SELECT json_array_length(json_agg(json_build_object('id', id))) FROM student")
    #expect(whole.value(row: 0, column: 0) == .integer(3000))
    let none = try connection.query(
      "SELECT json_agg(json_build_object('id', id)) FROM student WHERE id < 0")
    #expect(none.value(row: 0, column: 0) == .null)
    let error = #expect(throws: SQLError.self) {
      try connection.query("SELECT json_agg(json_build_object(name, 1)) FROM student")
    }
    #expect(error?.state == .invalidParameterValue)
  }
}
