import Diagnostics
import Junction
import Testing

/// A statement that must be refused.
struct BrokenStatement: CustomTestStringConvertible, Sendable {
  let sql: String
  let state: String

  init(_ state: String, _ sql: String) {
    self.state = state
    self.sql = sql
  }

  var testDescription: String { sql }
}

@Suite("A broken statement")
struct BrokenStatementTests {
  private static let setup = """
    CREATE TABLE student (id serial PRIMARY KEY, name varchar(10) NOT NULL, age int CHECK (age > 0));
    CREATE TABLE course (id int PRIMARY KEY, code varchar(5) UNIQUE);
    CREATE TABLE takes (
      student_id int REFERENCES student, course_id int REFERENCES course,
      PRIMARY KEY (student_id, course_id));
    INSERT INTO student (name, age) VALUES ('Ada', 20), ('Ben', 21);
    INSERT INTO course VALUES (1, 'A'), (2, 'B');
    INSERT INTO takes VALUES (1, 1), (2, 2);
    """

  @Test(
    "gets a clear error and changes nothing",
    arguments: [
      BrokenStatement("42601", "SELEC 1"),
      BrokenStatement("42601", "SELECT FROM WHERE"),
      BrokenStatement("42601", "SELECT (1"),
      BrokenStatement("42601", "SELECT 'open"),
      BrokenStatement("42601", "SELECT \"open"),
      BrokenStatement("42601", "SELECT 1 /* open"),
      BrokenStatement("42601", "INSERT INTO course VALUES (3, 'C'),"),
      BrokenStatement("42601", "CREATE TABLE (id int)"),
      BrokenStatement("42601", "DELETE course"),
      BrokenStatement("42601", "INSERT INTO course VALUES (3, 'C', 4)"),
      BrokenStatement("42P01", "SELECT * FROM students"),
      BrokenStatement("42P01", "UPDATE nowhere SET a = 1"),
      BrokenStatement("42P01", "SELECT s.id FROM course"),
      BrokenStatement("42703", "SELECT nmae FROM student"),
      BrokenStatement("42703", "UPDATE student SET nmae = 'x'"),
      BrokenStatement("42703", "INSERT INTO student (nmae) VALUES ('x')"),
      BrokenStatement("42702", "SELECT id FROM student, course"),
      BrokenStatement("42883", "SELECT nosuch(1)"),
      BrokenStatement("42883", "SELECT name + 1 FROM student"),
      BrokenStatement("42804", "SELECT 1 WHERE 5"),
      BrokenStatement("42804", "SELECT 1 UNION SELECT true"),
      BrokenStatement("42601", "SELECT 1, 2 UNION SELECT 1"),
      BrokenStatement("42803", "SELECT name, count(*) FROM student"),
      BrokenStatement("42803", "SELECT 1 FROM student WHERE count(*) > 1"),
      BrokenStatement("42P10", "SELECT name FROM student ORDER BY 2"),
      BrokenStatement("21000", "SELECT (SELECT id FROM student)"),
      BrokenStatement("22012", "SELECT age / (id - id) FROM student"),
      BrokenStatement("22003", "SELECT 2147483647 + age FROM student"),
      BrokenStatement("22003", "SELECT 99999999999::int"),
      BrokenStatement("22P02", "SELECT 'x'::int"),
      BrokenStatement("22P02", "SELECT 'nope'::uuid"),
      BrokenStatement("22P02", "SELECT '{'::json"),
      BrokenStatement("22007", "SELECT 'yesterdayish'::date"),
      BrokenStatement("22008", "SELECT '2025-02-30'::date"),
      BrokenStatement("22001", "INSERT INTO course VALUES (3, 'TOOLONG')"),
      BrokenStatement("23502", "INSERT INTO student (age) VALUES (3)"),
      BrokenStatement("23503", "INSERT INTO takes VALUES (1, 2), (1, 99)"),
      BrokenStatement("23503", "DELETE FROM course"),
      BrokenStatement("23505", "INSERT INTO course VALUES (3, 'C'), (1, 'D')"),
      BrokenStatement("23505", "UPDATE course SET code = 'A'"),
      BrokenStatement("23514", "UPDATE student SET age = age - 20"),
      BrokenStatement("42P07", "CREATE TABLE course (id int)"),
      BrokenStatement("2BP01", "DROP TABLE course"),
      BrokenStatement("42701", "CREATE TABLE t (a int, a int)"),
      BrokenStatement("42704", "CREATE TABLE t (a nosuchtype)"),
      BrokenStatement("42P16", "CREATE TABLE t (a int PRIMARY KEY, b int PRIMARY KEY)"),
      BrokenStatement("42830", "CREATE TABLE t (a int REFERENCES student (age))"),
      BrokenStatement("54001", "SELECT " + String(repeating: "(", count: 100_000)),
      BrokenStatement("54001", "SELECT " + String(repeating: "NOT ", count: 100_000) + "true"),
      BrokenStatement("54001", "SELECT ('{}'::jsonb)" + String(repeating: "['a']", count: 100_000)),
      BrokenStatement(
        "54001", "UPDATE course SET code" + String(repeating: "['a']", count: 100_000) + " = '1'"),
      BrokenStatement("3F000", "CREATE TABLE nowhere.t (a int)"),
    ])
  func refusal(_ broken: BrokenStatement) throws {
    let connection = Database().connect()
    try connection.execute(Self.setup)
    let before = try Self.content(connection)
    let error = #expect(throws: SQLError.self) { try connection.execute(broken.sql) }
    #expect(error?.state.code == broken.state)
    #expect(error?.message.isEmpty == false)
    #expect(try Self.content(connection) == before)
  }

  /// Every row of every table as text.
  private static func content(_ connection: Connection) throws -> [[SQLValue]] {
    try connection.execute(
      "SELECT * FROM student ORDER BY id; SELECT * FROM course ORDER BY id; "
        + "SELECT * FROM takes ORDER BY 1, 2"
    ).flatMap { $0.rows?.map(\.values) ?? [] }
  }

  @Test("ends a transaction, which can then only be rolled back")
  func failedTransaction() throws {
    let connection = Database().connect()
    try connection.execute(Self.setup)
    try connection.execute("BEGIN; DELETE FROM takes")
    #expect(throws: SQLError.self) { try connection.execute("SELECT 1 / 0") }
    let error = #expect(throws: SQLError.self) { try connection.execute("SELECT 1") }
    #expect(error?.state == .failedTransaction)
    try connection.execute("COMMIT")
    #expect(try connection.query("SELECT count(*) FROM takes").value(row: 0, column: 0) == 2)
  }
}
