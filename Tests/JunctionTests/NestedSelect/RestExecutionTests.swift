import Junction
import Synchronization
import Testing

@Suite("A request in PostgREST's way, carried out by the engine's threads")
struct RestExecutionTests {
  private typealias Course = RestSchool.Course
  private static let school = Result { try RestSchool.make() }

  @Test("gives rows as values, whose properties are found by their snake case")
  func rows() async throws {
    let database = try Self.school.get()
    let courses: [Course] = try await database.from("course").select().order("short_code")
      .execute().value
    #expect(courses.map(\.shortCode) == ["ENG3U", "ICS3U", "MCR3U"])
    let cards: [RestSchool.CourseWithStudents] = try await database.from("course")
      .select("id, students:student(id, first_name)").order("id")
      .order("id", ascending: false, referencedTable: "students").execute().value
    #expect(
      cards.map { $0.students.map(\.firstName) } == [["John"], ["Emily", "Jane", "John"], []])
  }

  @Test("gives one row, or nil where there may be none")
  func single() async throws {
    let courses = try Self.school.get().from("course").select()
    let one: Course = try await courses.eq("id", value: 2).single().execute().value
    #expect(one.name == "Functions")
    let found: Course? = try await courses.eq("id", value: 2).maybeSingle().execute().value
    #expect(found == one)
    let none: Course? = try await courses.eq("id", value: 99).maybeSingle().execute().value
    #expect(none == nil)
    for query in [courses.single(), courses.maybeSingle(), courses.eq("id", value: 99).single()] {
      let error = await #expect(throws: NestedSelectError.self) {
        let _: Course? = try await query.execute().value
      }
      #expect(error?.code == "PGRST116")
    }
    let error = await #expect(throws: NestedSelectError.self) {
      try await courses.eq("id", value: 99).single().execute()
    }
    #expect(error?.details == "The result contains 0 rows")
  }

  @Test("counts the rows as they are without a limit, with the rows or alone")
  func counts() async throws {
    let course = try Self.school.get().from("course")
    let page: RestResponse<[Course]> = try await course.select(count: .exact).order("id")
      .range(from: 1, to: 1).execute()
    #expect(page.value.map(\.id) == [2])
    #expect(page.count == 3)
    let beyond: RestResponse<[Course]> = try await course.select(count: .exact)
      .range(from: 10, to: 20).execute()
    #expect(beyond.value.isEmpty)
    #expect(beyond.count == 3)
    let head = try await course.select("id, student!inner()", head: true, count: .planned)
      .gt("id", value: 1).execute()
    #expect(head.count == 1)
    let all: RestResponse<[Course]> = try await course.select(count: .estimated).execute()
    #expect(all.count == 3)
    #expect(try await course.select().execute().count == nil)
    let groups: RestResponse<[[String: Int]]> = try await course.select(
      "n:id.count(), short_code::int4", count: .exact
    ).eq("id", value: 99).limit(1).execute()
    #expect(groups.count == 0)
  }

  @Test("filters with every word of the client")
  func filters() async throws {
    let course = try Self.school.get().from("course").select("id").order("id")
    func ids(_ query: RestQuery) async throws -> [Int] {
      let rows: [[String: Int]] = try await query.execute().value
      return rows.compactMap { $0["id"] }
    }
    #expect(try await ids(course.neq("id", value: 2)) == [1, 3])
    #expect(try await ids(course.gte("id", value: 2).lt("id", value: 3)) == [2])
    #expect(try await ids(course.lte("id", value: 2)) == [1, 2])
    #expect(try await ids(course.like("name", pattern: "S*")) == [1])
    #expect(try await ids(course.ilike("name", pattern: "%s%")) == [1, 2, 3])
    #expect(try await ids(course.likeAnyOf("name", patterns: ["S%", "E%"])) == [1, 3])
    #expect(try await ids(course.likeAllOf("name", patterns: ["S%", "E%"])) == [])
    #expect(try await ids(course.iLikeAnyOf("name", patterns: ["s%", "f%"])) == [1, 2])
    #expect(try await ids(course.iLikeAllOf("name", patterns: ["f%", "%s"])) == [2])
    #expect(try await ids(course.match("name", pattern: "^[SF]")) == [1, 2])
    #expect(try await ids(course.imatch("name", pattern: "^[sf]")) == [1, 2])
    #expect(try await ids(course.notIn("id", values: [1, 3])) == [2])
    #expect(try await ids(course.isDistinct("id", value: 1)) == [2, 3])
    #expect(try await ids(course.not("id", operator: .in, value: "(1,2)")) == [3])
    #expect(try await ids(course.not("name", operator: "is", value: Int?.none)) == [1, 2, 3])
    #expect(try await ids(course.or("id.eq.1,name.eq.English")) == [1, 3])
    #expect(try await ids(course.filter("id", operator: "gt", value: "2")) == [3])
    #expect(try await ids(course.eq("name", value: String?.none)) == [])
    #expect(
      try await ids(
        course.select("id, student()").or("id.eq.2", referencedTable: "student").isNull("student"))
        == [1, 3])
    let tags = Database()
    try tags.execute(
      "CREATE TABLE t (id int, a int[]); INSERT INTO t VALUES (1, '{1,2}'), (2, '{3}')")
    let rows = tags.from("t").select("id")
    #expect(try await ids(rows.contains("a", value: [1])) == [1])
    #expect(try await ids(rows.containedBy("a", value: [3, 4])) == [2])
    #expect(try await ids(rows.overlaps("a", value: [2, 3])) == [1, 2])
  }

  @Test("calls functions by their names and those of their parameters")
  func calls() async throws {
    let database = try Self.school.get()
    let available: [Course] =
      try await database
      .rpc("get_available_courses", params: ["for_student_id": 1]).execute().value
    #expect(available == [Course(id: 3, shortCode: "ENG3U", name: "English")])
    struct Parameters: Encodable { var forStudentID: Int }
    let page: RestResponse<[Course]> =
      try await database
      .rpc("get_available_courses", params: Parameters(forStudentID: 99), count: .exact)
      .select("name").order("name", ascending: false).limit(1).execute()
    #expect(page.value == [Course(name: "Science")])
    #expect(page.count == 3)
    let embedded: [RestSchool.CourseWithStudents] =
      try await database
      .rpc("courses_from", params: ["first": 2]).select("id, students:student(id)").lt(
        "id", value: 3
      )
      .execute().value
    #expect(embedded.map { $0.students.count } == [3])
    #expect(try await (database.rpc("courses_from").execute().value as [Course]).count == 3)
    #expect(
      try await database.rpc("best_course").execute().value
        == Course(id: 2, shortCode: "MCR3U", name: "Functions"))
    #expect(try await database.rpc("sum_of", params: ["numbers": [1, 2, 3]]).execute().value == 6)
    #expect(
      try await database.rpc("sum_of", params: ["numbers": Int?.none]).execute().value == Int?.none)
    #expect(try await database.rpc("codes").execute().value == ["ICS3U", "MCR3U", "ENG3U"])
    #expect(try await database.rpc("echo", params: ["a": [1]]).execute().value == ["a": [1]])
    try await database.rpc("nothing").execute()
    #expect(
      try await database.rpc("public.codes", head: true, count: .exact).execute().count == 3)
  }

  @Test("names functions that are near, and those between which the choice is")
  func unknownFunctions() async throws {
    let database = try RestSchool.make()
    var error = await #expect(throws: NestedSelectError.self) {
      try await database.rpc("get_available_course", params: ["for_student_id": 1]).execute()
    }
    #expect(error?.code == "PGRST202")
    #expect(
      error?.message
        == "Could not find the function public.get_available_course(for_student_id) in the schema cache"
    )
    #expect(
      error?.hint
        == "Perhaps you meant to call the function public.get_available_courses(for_student_id)")
    error = await #expect(throws: NestedSelectError.self) {
      try await database.rpc("get_available_courses").execute()
    }
    #expect(
      error?.message
        == "Could not find the function public.get_available_courses without parameters in the schema cache"
    )
    try database.execute(
      """
      CREATE FUNCTION twice(n int) RETURNS int LANGUAGE sql AS 'SELECT 2 * n';
      CREATE FUNCTION twice(n text) RETURNS text LANGUAGE sql AS 'SELECT n || n';
      """)
    error = await #expect(throws: NestedSelectError.self) {
      try await database.rpc("twice", params: ["n": 1]).execute()
    }
    #expect(error?.code == "PGRST203")
    error = await #expect(throws: NestedSelectError.self) {
      try await database.rpc("sum_of", params: ["numbers": "x"]).execute()
    }
    #expect(error?.code == "22P02")
  }

  @Test("tells where a value does not fit its type")
  func paths() async throws {
    let query = try Self.school.get().from("course")
      .select("id, students:student(id, first_name)").order("id").order("id", on: "students")
    struct Card: Decodable, Sendable {
      struct Student: Decodable { var firstName: Int }
      var students: [Student]
    }
    let error = await #expect(throws: DecodingError.self) {
      let _: [Card] = try await query.execute().value
    }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["0", "students", "0", "firstName"])
    #expect(context.debugDescription.hasPrefix("[0].students[0].firstName: "))
  }

  @Test("ends with its task, and leaves nothing of a change")
  func cancellation() async throws {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE number (n int);
      INSERT INTO number VALUES (1);
      CREATE VIEW forever AS SELECT count(*) AS n
        FROM generate_series(1, 100000) a, generate_series(1, 100000) b WHERE a # b = 7;
      """)
    let connection = database.connect()
    for query in [database.from("forever").select(), connection.from("forever").select()] {
      let task = Task { try await query.execute() }
      try await Task.sleep(for: .milliseconds(5))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let task = Task { try await database.from("number").insert(["n": 2]).execute() }
    task.cancel()
    _ = try? await task.value
    let (started, start) = AsyncStream<Void>.makeStream()
    let holder = Task {
      try await database.write { db in
        start.yield()
        _ = try? db.query("SELECT * FROM forever")
      }
    }
    for await _ in started { break }
    let waiting = Task { try await database.from("number").insert(["n": 3]).execute() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    holder.cancel()
    _ = try? await holder.value
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM number WHERE n = 3") == 0)
  }

  @Test("is one statement for any depth, of which a trace tells the method and the table")
  func traces() async throws {
    let database = try RestSchool.make()
    let log = Mutex<[String]>([])
    database.trace { event in log.withLock { $0.append(event.sql) } }
    _ = try await database.from("course").select("*, student(*, enrols_in(*))").execute()
    try await database.from("course").insert(["name": "a"]).execute()
    try await database.rpc("codes").execute()
    #expect(log.withLock { $0 } == ["GET /course", "POST /course", "POST /rpc/codes"])
  }
}
