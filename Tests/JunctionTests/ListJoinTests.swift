import Diagnostics
import Junction
import Testing

@Suite("Joins of edges with edges of the same parent")
struct ListJoinTests {
  /// One school with keys, whose lists can be joined, and the same rows without any.
  private struct Schools {
    let keyed: Connection
    let plain: Connection
  }

  /// Lists of a few edges and, with `hub`, one of so many that it is looked up by hash.
  private static func schools(_ random: inout RepeatableNumbers) throws -> Schools {
    let students = random.pick([3, 20, 60])
    let courses = random.pick([2, 8, 30])
    let (edges, hub) = (random.pick([5, 60, 260]), random.next(3) == 0)
    let isRequired = random.next(2) == 0
    func orNull(_ value: String, _ isAllowed: Bool = true) -> String {
      isAllowed && random.next(10) == 0 ? "NULL" : value
    }
    var takes: [String] = []
    var friends: [String] = []
    for _ in 0..<edges {
      let student = hub && random.next(5) > 1 ? 1 : 1 + random.next(students)
      let note = random.pick(["'x'", "'yy'", "'a longer text'"])
      takes.append(
        """
        (\(orNull("\(student)", !isRequired)), \(orNull("\(1 + random.next(courses))", !isRequired)),
        \(orNull("\(random.next(5))")), \(orNull("\(Double(random.next(40)) / 10)")),
        \(orNull("\(random.next(10))000000000000")), \(orNull(note)))
        """)
    }
    for _ in 0..<min(edges, 100) {
      friends.append(
        "(\(orNull("\(1 + random.next(students))")), \(orNull("\(1 + random.next(students))")), \(random.next(10)))"
      )
    }
    func connection(_ student: String, _ course: String) throws -> Connection {
      let connection = Database().connect()
      let required = isRequired ? " NOT NULL" : ""
      try connection.execute(
        """
        CREATE TABLE student (id int PRIMARY KEY, city int);
        CREATE TABLE course (id int PRIMARY KEY, kind int, name text);
        INSERT INTO student SELECT i, i % 4 FROM generate_series(1, \(students)) i;
        INSERT INTO course SELECT i, nullif(i % 4, 3), 'course ' || i % 5 FROM generate_series(1, \(courses)) i;
        CREATE TABLE takes (student_id int\(required)\(student), course_id int\(required)\(course),
          semester int, grade numeric(3, 1), big bigint, note text);
        CREATE TABLE friend (a int\(student), b int\(student), since int);
        INSERT INTO takes VALUES \(takes.joined(separator: ", "));
        INSERT INTO friend VALUES \(friends.joined(separator: ", "));
        DELETE FROM takes WHERE big = 3000000000000;
        INSERT INTO takes SELECT * FROM takes WHERE semester = 1;
        ANALYZE;
        """)
      return connection
    }
    return Schools(
      keyed: try connection(" REFERENCES student", " REFERENCES course"),
      plain: try connection("", ""))
  }

  private static func condition(_ random: inout RepeatableNumbers) -> String {
    let column = random.pick(["semester", "grade", "big", "note", "course_id", "student_id"])
    switch random.next(8) {
    case 0: return "a.\(column) IS NOT DISTINCT FROM b.\(column)"
    case 1:
      return random.pick([
        "a.semester + 1 = b.semester", "a.big > b.semester", "b.semester > 1", "a.semester < 3",
        "(a.grade < b.grade OR a.note = b.note)", "a.semester = b.course_id",
      ])
    default:
      return "a.\(column) \(random.pick(["=", "=", "<", ">", "<=", ">=", "<>"])) b.\(column)"
    }
  }

  private static func query(_ random: inout RepeatableNumbers) -> String {
    let key = random.pick(["student_id", "course_id"])
    let conditions = (0...random.next(3)).map { _ in condition(&random) }
    let on = (["a.\(key) = b.\(key)"] + conditions).joined(separator: " AND ")
    let join = random.pick(["JOIN", "LEFT JOIN"])
    switch random.next(12) {
    case 8...11: return followed(join, conditions, &random)
    case 0: return "SELECT a.*, b.* FROM takes a \(join) takes b ON \(on)"
    case 1, 2:
      return
        "SELECT * FROM takes a WHERE \(random.pick(["", "NOT "]))EXISTS (SELECT FROM takes b WHERE \(on))"
    case 3:
      return
        "SELECT a.course_id, b.course_id, count(*), sum(b.grade) FROM takes a JOIN takes b ON \(on) GROUP BY 1, 2"
    case 4:
      return """
        SELECT s.city, count(*), max(b.note) FROM student s JOIN takes a ON a.student_id = s.id
        JOIN takes b ON b.student_id = s.id AND \(conditions.joined(separator: " AND ")) WHERE s.city > 0 GROUP BY 1
        """
    case 5:
      return """
        SELECT x.a, y.b, x.since FROM friend x JOIN friend y ON y.a = x.b AND y.since
        \(random.pick(["=", "<", ">"])) x.since \(random.pick(["", "AND y.b = x.a", "AND y.b > x.a"]))
        """
    case 6: return "SELECT a.student_id, count(*) FROM takes a \(join) takes b ON \(on) GROUP BY 1"
    default:
      return
        "SELECT a.semester, b.* FROM takes a JOIN takes b ON \(on) WHERE a.big IS NOT NULL AND b.semester < 4"
    }
  }

  /// A join of edges that are followed to the table to which they lead.
  private static func followed(
    _ join: String, _ conditions: [String], _ random: inout RepeatableNumbers
  ) -> String {
    let on = (["a.student_id = b.student_id"] + conditions).joined(separator: " AND ")
    let kinds = "x.kind \(random.pick(["=", "<", "<>"])) y.kind"
    switch random.next(5) {
    case 0:
      return """
        SELECT x.kind, y.name, count(*), max(b.grade) FROM takes a JOIN takes b ON \(on)
        JOIN course x ON x.id = a.course_id JOIN course y ON y.id = b.course_id
        \(random.pick(["", "AND \(kinds)", "WHERE y.kind > 0", "WHERE a.semester < 3 AND x.kind < 2"])) GROUP BY 1, 2
        """
    case 1:
      return """
        SELECT a.semester, b.course_id, y.kind FROM takes a \(join) (takes b JOIN course y ON y.id = b.course_id
        AND y.kind \(random.pick(["> 0", "= b.semester", "IS NULL"]))) ON \(on)
        """
    case 2:
      return """
        SELECT a.course_id, x.name FROM takes a JOIN course x ON x.id = a.course_id
        WHERE \(random.pick(["", "NOT "]))EXISTS (SELECT FROM takes b JOIN course y ON y.id = b.course_id
        WHERE \(on) AND \(kinds))
        """
    case 3:
      return """
        SELECT s.city, t.id, x.since FROM friend x JOIN friend y ON y.a = x.a AND y.b <> x.b
        JOIN student s ON s.id = x.b JOIN student t ON t.id = y.b AND t.city \(random.pick(["=", "<"])) s.city
        """
    default:
      return """
        SELECT x.name, b.semester, count(*) FROM takes a JOIN course x ON x.id = a.course_id JOIN takes b ON \(on)
        AND b.course_id > x.kind GROUP BY 1, 2
        """
    }
  }

  @Test("give the rows that tables without keys give", arguments: [0, 3, 4, 7])
  func sameRows(_ seed: Int) throws {
    var random = RepeatableNumbers(seed)
    let schools = try Self.schools(&random)
    var joined = 0
    for _ in 0..<15 {
      let query = Self.query(&random)
      func rows(_ connection: Connection) throws -> [String] {
        // Made in the engine, as there may be many.
        try connection.query(
          "SELECT count(*), min(r::text), max(r::text), sum(length(r::text)) FROM (\(query)) r"
        ).map { $0.line }
      }
      #expect(try rows(schools.keyed) == rows(schools.plain), "\(query)")
      let plan = try schools.keyed.query("EXPLAIN \(query)").map { $0.line }
      if plan.contains(where: { $0.contains("List ") }) { joined += 1 }
    }
    // Where there are few edges, other joins may be cheaper.
    #expect(joined > 0 || seed % 8 != 1, "no list was joined")
  }

  @Test("read a list once and are shown with their conditions")
  func plan() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY);
      CREATE TABLE takes (student int NOT NULL REFERENCES student, course int NOT NULL, semester int);
      INSERT INTO student SELECT generate_series(1, 1000);
      INSERT INTO takes SELECT 1 + i % 1000, i % 37, i % 5 FROM generate_series(1, 9000) i;
      ANALYZE;
      """)
    let plan = try connection.query(
      """
      EXPLAIN (COSTS OFF) SELECT a.course, b.course FROM takes a JOIN takes b
      ON b.student = a.student AND b.semester = a.semester AND b.course > a.course WHERE b.course < 30
      """
    ).map { $0.line }.joined(separator: "\n")
    #expect(plan.contains("List Join on takes b, takes a"), "\(plan)")
    #expect(plan.contains("Edges Marked: (b.course < 30)"), "\(plan)")
  }

  @Test("end when they are told to, within a list of many edges")
  func cancel() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE hub (id int PRIMARY KEY);
      CREATE TABLE spoke (hub int NOT NULL REFERENCES hub, value int);
      INSERT INTO hub VALUES (1);
      INSERT INTO spoke SELECT 1, i FROM generate_series(1, 100000) i;
      SET statement_timeout = 50;
      """)
    let clock = ContinuousClock()
    let start = clock.now
    #expect(throws: SQLError.self) {
      try connection.query(
        "SELECT count(*) FROM spoke a JOIN spoke b ON b.hub = a.hub AND b.value < a.value AND b.value > a.value"
      )
    }
    #expect(clock.now - start < .seconds(2))
  }
}
