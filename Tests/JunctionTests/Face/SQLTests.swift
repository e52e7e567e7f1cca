import Diagnostics
import Junction
import Testing

@Suite("SQL with values in it")
struct SQLTests {
  private enum Colour: String, SQLValueConvertible { case red, green }

  @Test("takes what is interpolated for a value")
  func values() throws {
    let database = Database()
    try database.execute("CREATE TABLE t (id int, name text, tags text[])")
    let hostile = "x'); DROP TABLE t; --"
    let tags = ["a,b", "\"", "\\", "{}", "NULL", ""]
    try database.execute("INSERT INTO t VALUES (\(1), \(hostile), \(tags))")
    #expect(
      try database.query("SELECT name FROM t WHERE name = \(hostile)").first?[0] == .text(hostile))
    #expect(try database.query("SELECT 1 FROM t WHERE tags = \(tags)").count == 1)
    for tag in tags {
      #expect(try database.query("SELECT 1 FROM t WHERE \(tag) = ANY(tags)").count == 1)
    }
  }

  @Test("has one parameter for an array")
  func arrays() throws {
    let ids = [3, 5, 9]
    let sql: SQL = "SELECT i FROM generate_series(1, 10) i WHERE i = ANY(\(ids)) ORDER BY i"
    #expect(sql.text == "SELECT i FROM generate_series(1, 10) i WHERE i = ANY($1) ORDER BY i")
    #expect(sql.arguments == [.array([3, 5, 9])])
    #expect(try Database().query(sql).map { $0[0] } == [3, 5, 9])
    let some: [Int?] = [3, nil]
    #expect(try Database().query("SELECT \(some)::int[]").first?[0] == .array([3, nil]))
    let several: [[UInt8]] = [[0, 255, 10], []]
    #expect(
      try Database().query("SELECT \(several)::bytea[] = ARRAY['\\x00ff0a', '']::bytea[]").first?[0]
        == true)
    let bytes: [UInt8] = [0, 255]
    #expect(try Database().query("SELECT \(bytes)::bytea").first?[0] == .bytes(bytes))
  }

  @Test("has a place for every kind of value")
  func kinds() throws {
    let missing: String? = nil
    let rows = try Database().query(
      "SELECT \(true)::bool, \(Int16.min)::int2, \(1.5)::float8, \(Float(0.25))::float4, \(missing)::text, \(Colour.green)::text"
    )
    #expect(rows.first?.values == [true, -32768, 1.5, 0.25, nil, "green"])
  }

  @Test("puts other SQL into its place, and numbers its values on")
  func nesting() throws {
    let part: SQL = "i > \(2) AND i < \(9) -- not $1\n AND '$1' <> \"i\"::text AND $$ $2 $$ <> ''"
    let sql: SQL = "SELECT \(1) WHERE \(part) OR \(part) AND \(7) = 7"
    #expect(sql.arguments == [1, 2, 9, 2, 9, 7])
    #expect(
      sql.text
        == "SELECT $1 WHERE i > $2 AND i < $3 -- not $1\n AND '$1' <> \"i\"::text AND $$ $2 $$ <> '' OR i > $4 AND i < $5 -- not $1\n AND '$1' <> \"i\"::text AND $$ $2 $$ <> '' AND $6 = 7"
    )
    #expect(("a \(1)" as SQL) + " b \(2)" == "a \(1) b \(2)")
    #expect(("\(identifier: "a\"b") = \(1)" as SQL).text == "\"a\"\"b\" = $1")
  }

  @Test("is planned once for equal texts, whatever their values")
  func plans() throws {
    let database = Database()
    try database.execute(
      "CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 2), (2, 3)")
    let log = Log()
    database.trace { log.add("\($0.sql) \($0.rowCount) \($0.error?.state.code ?? "")") }
    for id in 1...3 { _ = try database.query("SELECT v FROM t WHERE id = \(id)") }
    #expect(throws: SQLError.self) { try database.query("SELECT \(1)::int / \(0)") }
    #expect(throws: SQLError.self) { try database.query("SELECT nothing") }
    database.trace(nil)
    _ = try database.query("SELECT 1")
    let text = "SELECT v FROM t WHERE id = $1"
    #expect(
      log.entries == [
        "\(text) 1 ", "\(text) 1 ", "\(text) 0 ", "SELECT $1::int / $2 0 22012",
        "SELECT nothing 0 42703",
      ])
  }

  @Test("is prepared without values")
  func preparing() throws {
    let connection = Database().connect()
    let error = #expect(throws: SQLError.self) { try connection.prepare("SELECT \(1)" as SQL) }
    #expect(error?.hint?.contains("$1") == true)
    #expect(try connection.query("SELECT \(1)::int + $2" as SQL, [2]).first?[0] == 3)
  }

  private struct Course: Record, Equatable {
    var id: Int?
    var shortCode: String?
    struct Relations: Sendable { let students = Many<Student>() }
    static let relations = Relations()
  }
  private struct Student: Record, Equatable {
    var id: Int?
    var name: String?
    struct Relations: Sendable { let courses = Many<Course>() }
    static let relations = Relations()
  }

  private static func school() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE student (id serial PRIMARY KEY, name text);
      CREATE TABLE course (id serial PRIMARY KEY, short_code text);
      CREATE TABLE enrols_in (student_id int REFERENCES student, course_id int REFERENCES course,
        PRIMARY KEY (student_id, course_id));
      INSERT INTO student (name) VALUES ('John'), ('Jane');
      INSERT INTO course (short_code) VALUES ('A'), ('B'), ('C');
      INSERT INTO enrols_in VALUES (1, 1), (1, 2), (2, 2);
      """)
    return database
  }

  @Test("takes a query for a subquery, whose values are numbered behind its own")
  func queries() throws {
    let database = try Self.school()
    let log = Log()
    database.trace { log.add($0.sql) }
    let (low, high) = (0, 9)
    let query = Course.where { $0.shortCode != "C" && $0.students.any { $0.name == "John" } }
    let sql: SQL =
      "SELECT count(*) FROM (\(query)) q WHERE id > \(low) AND id < \(high) AND id IN (SELECT id FROM (\(query.limit(1))) r)"
    #expect(
      sql.text
        == "SELECT count(*) FROM (…) q WHERE id > $1 AND id < $2 AND id IN (SELECT id FROM (…) r)")
    #expect(sql.arguments == [0, 9])
    #expect(try database.fetchOne(Int.self, sql) == 1)
    let text = try #require(log.entries.first)
    #expect(!text.contains("…") && text.contains("$6") && !text.contains("$7"))
    #expect(try database.fetchOne(Int.self, "SELECT \(7) + (\(sql)) + \(1)") == 9)
    let john = try #require(try Student.find(1, in: database))
    #expect(
      try database.fetchAll(Int.self, "SELECT id FROM (\(john.courses.available)) c") == [3])
    #expect(
      try Course.where { $0.sql("course.id IN (SELECT id FROM (\(john.courses)) c)") }
        .fetch(database).map(\.id) == [1, 2])
    #expect(
      try database.write { db in
        try db.execute("DELETE FROM enrols_in WHERE course_id IN (SELECT id FROM (\(query)) c)")
      } == 3)
  }

  @Test("takes a column of a record for its name")
  func columns() throws {
    let database = try Self.school()
    #expect(
      try Course.where { $0.sql("lower(\($0.shortCode)) = \("b") AND \($0.students.count) = 2") }
        .fetch(database).map(\.id) == [2])
    #expect(
      try Student.where { $0.courses.any { $0.sql("\($0.shortCode) = 'A'") } }.fetch(database)
        .map(\.name) == ["John"])
    #expect(
      try Course.all.order("\(Course.column(\.shortCode)) DESC").fetch(database).map(\.id)
        == [3, 2, 1])
    #expect(
      try database.fetchAll(
        String.self, "SELECT \(Course.column(\.shortCode)) FROM \(Course.self)"
      ).count == 3)
  }

  @Test("finds queries in it for a connection as well, which has values of its own")
  func connections() throws {
    let connection = try Self.school().connect()
    let query = Course.where { $0.id >= 2 }
    let some: SQL = "SELECT id FROM (\(query)) q WHERE id <> $1 ORDER BY 1"
    #expect(try connection.query(some, [3]).map { $0[0] } == [2])
    let typed: SQL = "SELECT \(1) FROM (\(query)) q"
    #expect(try connection.execute(typed).first?.rows?.count == 2)
    let all: SQL = "SELECT id FROM (\(Course.all)) q"
    #expect(try connection.prepare(all).execute().rows?.count == 3)
    #expect(throws: SQLError.self) { try connection.prepare(typed) }
    let other = Course.where { $0.sql("1 = 2") }
    #expect(throws: SQLError.self) { try Database().query("SELECT 1 FROM (\(other)) q") }
  }

  @Test("is equal to SQL of the same text, values, queries and columns")
  func equality() throws {
    func sql(_ code: String, _ student: Student) -> SQL {
      "SELECT 1 FROM (\(Course.where { $0.shortCode == code }.order(by: \.id))) q, (\(student.courses)) r"
    }
    let john = Student(id: 1, name: "John")
    #expect(sql("A", john) == sql("A", john))
    #expect(Set([sql("A", john), sql("A", john)]).count == 1)
    #expect(sql("A", john) != sql("B", john))
    #expect(sql("A", john) != sql("A", Student(id: 2, name: "John")))
    #expect(("\(Course.all)" as SQL) != "\(Student.all)")
    #expect(("\(Course.all)" as SQL) != "…")
  }

  @Test("is told apart from other statements of the same length")
  func lengths() throws {
    let database = Database()
    for number in [1, 2, 1, 3, 2, 1] {
      #expect(
        try database.fetchOne(Int.self, SQL(raw: "SELECT \(number) + $1", [.integer(1)])) == number
          + 1)
    }
  }
}
