import Catalog
import Diagnostics
import SQLSyntax
import SimulatedDisk
import Storage
import Testing

@testable import Junction

@Suite("VERIFY")
struct VerificationTests {
  private static let script = [
    "CREATE DOMAIN share AS int CHECK (value <= 100)",
    "CREATE TABLE student (id int PRIMARY KEY, name text, code text UNIQUE, part share)",
    "CREATE TABLE course (id int PRIMARY KEY, title varchar(20))",
    """
    CREATE TABLE enrols (student_id int NOT NULL REFERENCES student,
      course_id int NOT NULL REFERENCES course, grade int, UNIQUE (student_id, course_id))
    """,
    "CREATE INDEX by_grade ON enrols (grade)",
    "INSERT INTO student SELECT i, CASE WHEN i % 9 > 0 THEN 'n' || i END, 'c' || i / 2 * 2 + i % 2, i % 90 FROM generate_series(1, 120) i",
    "INSERT INTO course SELECT i, 'course ' || i FROM generate_series(1, 20) i",
    "INSERT INTO enrols SELECT s, c, (s + c) % 7 FROM generate_series(1, 120) s, generate_series(1, 20) c WHERE (s + c) % 5 = 0",
    "DELETE FROM enrols WHERE grade = 3",
    "CREATE VIEW best AS SELECT * FROM enrols WHERE grade = 6",
  ]

  private static func database() throws -> Database {
    let database = Database()
    let connection = database.connect()
    for statement in script { try connection.execute(statement) }
    return database
  }

  /// The states that are found in a version, by check and object.
  private static func found(
    _ catalog: CatalogSnapshot, _ tables: [ObjectID: TableStore]
  ) throws -> [String] {
    let version = DatabaseVersion(number: 99, catalog: catalog, tables: tables)
    let connection = Database(DatabaseState(version), nil, []).connect()
    return try connection.query("VERIFY").compactMap { row in
      guard case .text(let check)? = row["check"], case .text(let object)? = row["object"],
        case .text(let state)? = row["sqlstate"], state != "00000"
      else { return nil }
      return "\(state) \(check) \(object)"
    }
  }

  @Test("finds nothing in a sound database, and counts what it has looked at")
  func sound() throws {
    let rows = try Self.database().connect().query("VERIFY")
    #expect(rows.allSatisfy { $0["sqlstate"] == .text("00000") && $0["result"] == .text("ok") })
    let checks = Set(rows.map { $0["check"] })
    for check in [
      "catalog", "structure", "not null", "domain", "primary key", "unique", "foreign key",
      "reference", "index", "adjacency", "view",
    ] { #expect(checks.contains(.text(check)), "\(check)") }
  }

  @Test("finds rows that break constraints which nobody has enforced")
  func constraints() throws {
    let version = try Self.database().state.current
    var catalog = version.catalog
    guard case .table(var student)? = catalog.relation(schema: nil, "student") else { return }
    student.columns[1].isNotNull = true
    student.checks.append(
      CheckConstraint(
        name: "small", expression: try parseExpression("part < 10")))
    catalog.put(student)
    let found = try Self.found(catalog, version.tables)
    #expect(found.contains("23502 not null public.student.name"))
    #expect(found.contains("23514 check public.student small"))
    #expect(found.count == 2)
  }

  @Test("finds rows without a parent, and keys that stand twice")
  func keys() throws {
    let version = try Self.database().state.current
    let catalog = version.catalog
    guard case .table(let student)? = catalog.relation(schema: nil, "student"),
      case .table(let course)? = catalog.relation(schema: nil, "course")
    else { return }
    // The rows of another table's version, as if the log of one had been lost.
    let other = Database()
    let connection = other.connect()
    for statement in Self.script.prefix(3) { try connection.execute(statement) }
    try connection.execute("INSERT INTO course SELECT i + 1, 'c' FROM generate_series(1, 20) i")
    let shifted = try #require(other.state.current.tables[course.id])
    var tables = version.tables
    tables[course.id] = shifted
    let found = try Self.found(catalog, tables)
    #expect(found.contains { $0.hasPrefix("23503 foreign key public.enrols") })
    #expect(found.contains { $0.hasPrefix("XX001 reference public.enrols") })
    tables = version.tables
    tables[student.id] = nil
    #expect(
      try Self.found(catalog, tables).contains { $0.hasPrefix("XX001 structure public.student") })
  }

  @Test("holds no more memory than its session may")
  func memory() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE a (id int PRIMARY KEY);
      CREATE TABLE b (id int PRIMARY KEY, other int REFERENCES a);
      CREATE TABLE ab (a int REFERENCES a, b int REFERENCES b, PRIMARY KEY (a, b));
      INSERT INTO a SELECT generate_series(1, 9000);
      INSERT INTO b SELECT i, i FROM generate_series(1, 9000) i;
      INSERT INTO ab SELECT i, i FROM generate_series(1, 9000) i;
      SET memory_limit = '64kB';
      """)
    let error = #expect(throws: SQLError.self) { try connection.query("VERIFY") }
    #expect(error?.state == .outOfMemory)
    // All of it is given back from one check to the next.
    try connection.execute("SET memory_limit = '512kB'")
    for _ in 0..<3 {
      #expect(try connection.query("VERIFY").allSatisfy { $0["sqlstate"] == .text("00000") })
    }
  }

  @Test("finds rows that stand under NULL where no NULL may, deleted ones aside")
  func nulls() throws {
    let database = Database()
    try database.connect().execute(
      """
      CREATE TABLE t (a int, b text);
      INSERT INTO t SELECT CASE WHEN i % 700 = 0 THEN NULL ELSE i END, 'x' FROM generate_series(1, 9000) i;
      DELETE FROM t WHERE a BETWEEN 2800 AND 4300;
      """)
    let version = database.state.current
    var catalog = version.catalog
    guard case .table(var table)? = catalog.relation(schema: nil, "t") else { return }
    table.columns[0].isNotNull = true
    catalog.put(table)
    let other = DatabaseVersion(number: 99, catalog: catalog, tables: version.tables)
    let rows = try Database(DatabaseState(other), nil, []).connect().query("VERIFY")
    let found = rows.filter { $0["sqlstate"] == .text("23502") }
    #expect(found.count == 1)
    if case .text(let text)?? = found.first.map({ $0["result"] }) {
      #expect(text.hasSuffix("12 rows have it."))
    }
  }

  @Test("reads the files anew")
  func files() throws {
    let disk = SimulatedDisk()
    let database = try Database(path: "/s.junction", on: disk, DatabaseOptions())
    let connection = database.connect()
    for statement in Self.script { try connection.execute(statement) }
    try connection.execute("CHECKPOINT")
    try connection.execute("INSERT INTO course VALUES (99, 'last')")
    func files() throws -> [String: SQLValue?] {
      var files: [String: SQLValue?] = [:]
      for row in try connection.query("VERIFY") where row["check"] == .text("file") {
        if case .text(let name)? = row["object"] { files[name] = row["sqlstate"] }
      }
      return files
    }
    let sound = try files()
    #expect(sound.count >= 4 && sound.values.allSatisfy { $0 == .text("00000") })
    for name in ["snapshot.2", "wal.1", "manifest"] {
      let path = "/s.junction/\(name)"
      let bytes = try #require(disk.bytes(of: path))
      var changed = bytes
      changed[min(changed.count / 3, 200)] ^= 8
      disk.place(changed, at: path)
      #expect(try files()[path] == .text("XX001"), "\(name)")
      disk.place(bytes, at: path)
    }
    #expect(try files() == sound)
  }
}
