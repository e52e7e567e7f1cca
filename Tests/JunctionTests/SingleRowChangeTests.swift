import Diagnostics
import Junction
import Testing

@Suite("A prepared change of one row")
struct SingleRowChangeTests {
  private static let schema = """
    CREATE TABLE student (id int PRIMARY KEY, name text);
    CREATE TABLE course (id int PRIMARY KEY, code varchar UNIQUE, leads_to int REFERENCES course);
    CREATE TABLE enrols_in (
      student_id int REFERENCES student, course_id int REFERENCES course,
      PRIMARY KEY (student_id, course_id));
    CREATE TABLE visits (
      student_id int NOT NULL REFERENCES student, course_id int NOT NULL REFERENCES course, note text,
      PRIMARY KEY (student_id, course_id), CARDINALITY (student_id) BETWEEN 0 AND 2,
      CARDINALITY (course_id) BETWEEN 0 AND 3);
    CREATE TABLE pair (id int PRIMARY KEY);
    CREATE TABLE half (
      id int PRIMARY KEY, pair_id int REFERENCES pair, CARDINALITY (pair_id) BETWEEN 1 AND 2);
    CREATE TABLE note (
      id bigint PRIMARY KEY, student_id int NOT NULL REFERENCES student, body text,
      mark smallint, weight double precision, is_open boolean DEFAULT true);
    CREATE INDEX ON note (mark);
    INSERT INTO student SELECT i, 'student ' || i FROM generate_series(1, 40) i;
    INSERT INTO course SELECT i, 'c' || i FROM generate_series(1, 30) i;
    BEGIN;
    INSERT INTO pair SELECT generate_series(1, 10);
    INSERT INTO half SELECT i, i % 10 + 1 FROM generate_series(1, 15) i;
    COMMIT;
    """

  /// A statement in its short form; the same with RETURNING is run in full.
  private struct Pair {
    let short: PreparedStatement
    let full: PreparedStatement

    init(_ sql: String, _ first: Connection, _ second: Connection) throws(SQLError) {
      short = try first.prepare(sql)
      full = try second.prepare(sql + " RETURNING 1")
    }
  }

  private static let statements = [
    "INSERT INTO enrols_in VALUES ($1, $2)",
    "DELETE FROM enrols_in WHERE student_id = $1 AND course_id = $2",
    "DELETE FROM enrols_in WHERE course_id = $2 AND student_id = $1",
    "INSERT INTO note (id, student_id, body, mark, weight) VALUES ($1, $2, $3, $4, 2.5)",
    "DELETE FROM note WHERE id = $1",
    "INSERT INTO course VALUES ($1, $2, $3)",
    "DELETE FROM course WHERE id = $1",
    "INSERT INTO student VALUES ($1, 'a name of more than twelve bytes')",
    "INSERT INTO student (name, id) VALUES (NULL, $1)",
    "DELETE FROM student WHERE id = $1",
    "INSERT INTO visits VALUES ($1, $2, 'x')", "INSERT INTO half VALUES ($1, $2)",
    "DELETE FROM half WHERE id = $1", "INSERT INTO pair VALUES ($1)",
    "DELETE FROM visits WHERE student_id = $1 AND course_id = $2",
    "INSERT INTO enrols_in VALUES ($1, $2) ON CONFLICT DO NOTHING",
    "INSERT INTO course VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    "INSERT INTO visits VALUES ($1, $2, 'x') ON CONFLICT DO NOTHING",
    "INSERT INTO half VALUES ($1, $2) ON CONFLICT DO NOTHING",
  ]

  private static func number(
    _ limit: Int, _ random: inout SystemRandomNumberGenerator
  ) -> SQLValue {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: .null
    case 1: .integer(Int64.random(in: .min ... .max, using: &random))
    default: .integer(Int64(Int.random(in: 0...limit, using: &random)))
    }
  }

  private static func parameters(
    _ statement: Int, _ random: inout SystemRandomNumberGenerator
  ) -> [SQLValue] {
    let text: SQLValue =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: .null
      case 1: .text("c\(Int.random(in: 0..<60, using: &random))")
      default: .text("a text that stands apart \(Int.random(in: 0..<60, using: &random))")
      }
    switch statement {
    case 0...2, 10, 14, 15, 17: return [number(45, &random), number(35, &random)]
    case 11, 18: return [number(30, &random), number(11, &random)]
    case 12, 13: return [number(30, &random)]
    case 3: return [number(300, &random), number(45, &random), text, number(9, &random)]
    case 5, 16: return [number(60, &random), text, number(35, &random)]
    default: return [number(statement == 4 ? 300 : 60, &random)]
    }
  }

  private static func outcome(
    _ statement: PreparedStatement, _ parameters: [SQLValue]
  ) -> String {
    do throws(SQLError) {
      return try statement.execute(with: parameters).commandTag
    } catch {
      return "\(error.state) \(error.message) \(error.detail ?? "-") \(error.hint ?? "-")"
    }
  }

  private static let contents = [
    "SELECT * FROM student ORDER BY id", "SELECT * FROM course ORDER BY id",
    "SELECT * FROM enrols_in ORDER BY student_id, course_id", "SELECT * FROM note ORDER BY id",
    "SELECT s.id, c.id FROM student s JOIN enrols_in e ON e.student_id = s.id"
      + " JOIN course c ON c.id = e.course_id WHERE s.id < 20 ORDER BY 1, 2",
    "SELECT c.id, count(e.course_id) FROM course c LEFT JOIN enrols_in e ON e.course_id = c.id"
      + " GROUP BY c.id ORDER BY 1",
    "SELECT id FROM note WHERE mark = 3 ORDER BY id",
    "SELECT * FROM visits ORDER BY student_id, course_id", "SELECT * FROM half ORDER BY id",
    "SELECT * FROM pair ORDER BY id",
    "SELECT n.id FROM student s JOIN note n ON n.student_id = s.id WHERE s.id = 7 ORDER BY 1",
  ]

  private static func rows(_ connection: Connection, _ sql: String) throws(SQLError) -> [[SQLValue]]
  {
    try connection.query(sql).map(\.values)
  }

  @Test("does and says what the statement does when it is run in full", arguments: 0..<4)
  func sameAsInFull(_ round: Int) throws {
    var random = SystemRandomNumberGenerator()
    let first = Database().connect()
    let second = Database().connect()
    for connection in [first, second] { try connection.execute(Self.schema) }
    let reader = first.database.connect()
    let pairs = try Self.statements.map { sql in try Pair(sql, first, second) }
    var held: [(ResultSet, [[SQLValue]])] = []
    for step in 0..<1500 {
      let statement = Int.random(in: 0..<pairs.count, using: &random)
      let parameters = Self.parameters(statement, &random)
      let seen = Self.outcome(pairs[statement].short, parameters)
      let wanted = Self.outcome(pairs[statement].full, parameters)
      #expect(seen == wanted, "\(Self.statements[statement]) \(parameters)")
      // Transactions in some rounds; rounds without them change in place.
      if round > 1, step % 7 == 0 {
        for sql in [
          ["BEGIN", "SAVEPOINT a", "ROLLBACK TO a", "COMMIT", "ROLLBACK", "RELEASE a"]
            .randomElement(using: &random) ?? ""
        ] {
          for connection in [first, second] { _ = try? connection.execute(sql) }
        }
      }
      if round % 2 == 1, step % 11 == 0 {
        let sql = Self.contents[step % Self.contents.count]
        let result = try reader.query(sql)
        held.append((result, result.map(\.values)))
      }
      guard step % 100 == 99 else { continue }
      // Rows are counted when a transaction commits, which both then fail to do.
      for connection in [first, second] where connection.transactionStatus != .idle {
        _ = try? connection.execute("COMMIT")
      }
      for sql in Self.contents {
        #expect(try Self.rows(first, sql) == Self.rows(second, sql), "\(sql)")
      }
    }
    for (result, rows) in held { #expect(result.map(\.values) == rows) }
  }

  @Test("is not seen by a transaction that began before it, nor taken for its own")
  func isolation() throws {
    let database = Database()
    let writer = database.connect()
    try writer.execute(Self.schema)
    let reader = database.connect()
    let insert = try writer.prepare(Self.statements[0])
    let count = "SELECT count(*), sum(course_id) FROM enrols_in WHERE student_id = 3"
    try insert.execute(.integer(3), .integer(4))
    try reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    #expect(try Self.rows(reader, count) == [[.integer(1), .integer(4)]])
    for course in 5...20 { try insert.execute(.integer(3), .integer(Int64(course))) }
    #expect(try Self.rows(reader, count) == [[.integer(1), .integer(4)]])
    #expect(try Self.rows(writer, count) == [[.integer(17), .integer(204)]])
    try reader.execute("COMMIT")
    #expect(try Self.rows(reader, count) == [[.integer(17), .integer(204)]])
  }

  @Test("is taken back with its transaction, and rows read before stay as they were")
  func rollback() throws {
    let database = Database()
    let connection = database.connect()
    try connection.execute(Self.schema)
    let insert = try connection.prepare(Self.statements[0])
    let delete = try connection.prepare(Self.statements[1])
    let all = "SELECT student_id, course_id FROM enrols_in ORDER BY 1, 2"
    try insert.execute(.integer(1), .integer(1))
    try connection.execute("BEGIN")
    try insert.execute(.integer(1), .integer(2))
    try insert.execute(.integer(1), .integer(3))
    let inside = try connection.query(all)
    try insert.execute(.integer(1), .integer(4))
    try connection.execute("SAVEPOINT one")
    try delete.execute(.integer(1), .integer(1))
    try insert.execute(.integer(1), .integer(5))
    #expect(try Self.rows(connection, all).count == 4)
    try connection.execute("ROLLBACK TO one")
    #expect(try Self.rows(connection, all).count == 4)
    try insert.execute(.integer(2), .integer(5))
    try connection.execute("ROLLBACK")
    #expect(try Self.rows(connection, all) == [[.integer(1), .integer(1)]])
    for course in 2...9 { try insert.execute(.integer(4), .integer(Int64(course))) }
    #expect(inside.map(\.values).count == 3)
    #expect(inside.map(\.values).last == [.integer(1), .integer(3)])
    #expect(try Self.rows(connection, all).count == 9)
  }

  @Test("is refused like the statement where the session may only read")
  func readOnly() throws {
    let connection = Database().connect()
    try connection.execute(Self.schema)
    let insert = try connection.prepare(Self.statements[0])
    try connection.execute("BEGIN READ ONLY")
    let error = #expect(throws: SQLError.self) { try insert.execute(.integer(1), .integer(1)) }
    #expect(error?.state == .readOnlyTransaction)
    try connection.execute("ROLLBACK")
    try connection.execute("SET default_transaction_read_only = on")
    #expect(throws: SQLError.self) { try insert.execute(.integer(1), .integer(1)) }
    try connection.execute("SET default_transaction_read_only = off")
    #expect(try insert.execute(.integer(1), .integer(1)).commandTag == "INSERT 0 1")
    try connection.execute("ALTER TABLE enrols_in ADD CHECK (course_id < 10)")
    #expect(throws: SQLError.self) { try insert.execute(.integer(1), .integer(11)) }
  }

  @Test("is seen by plans that keep an order of the table")
  func keptOrders() throws {
    let connection = Database().connect()
    try connection.execute("CREATE TABLE word (id int PRIMARY KEY, text text)")
    try connection.execute(
      "INSERT INTO word SELECT i, 'w' || i % 91 FROM generate_series(1, 500) i")
    let insert = try connection.prepare("INSERT INTO word VALUES ($1, $2)")
    let delete = try connection.prepare("DELETE FROM word WHERE id = $1")
    let sorted = try connection.prepare("SELECT id, text FROM word ORDER BY text, id")
    for step in 0..<40 {
      for _ in 0..<3 { #expect(try sorted.query().count == 500 + step % 2) }
      let rows = try sorted.query().map(\.values)
      #expect(rows.contains([.integer(1000), .text("aa")]) == (step % 2 == 1))
      if step % 2 == 0 {
        try insert.execute(.integer(1000), .text("aa"))
      } else {
        try delete.execute(.integer(1000))
      }
    }
  }
}
