import Junction
import Testing

/// A school whose tables requests change.
enum RestSchool {
  struct Course: Codable, Equatable, Sendable {
    var id: Int?
    var shortCode: String?
    var name: String?
  }
  struct Student: Codable, Equatable, Sendable {
    var id: Int?
    var firstName: String?
  }
  struct CourseWithStudents: Codable, Equatable, Sendable {
    var id: Int
    var students: [Student]
  }

  static func make() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE student (id serial PRIMARY KEY, first_name text);
      CREATE TABLE course (id serial PRIMARY KEY, short_code varchar(10) UNIQUE, name text DEFAULT 'new');
      CREATE TABLE enrols_in (
        student_id int REFERENCES student, course_id int REFERENCES course, mark int, notes jsonb, tags text[],
        PRIMARY KEY (student_id, course_id));
      INSERT INTO student (first_name) VALUES ('John'), ('Jane'), ('Emily');
      INSERT INTO course (short_code, name) VALUES ('ICS3U', 'Science'), ('MCR3U', 'Functions'), ('ENG3U', 'English');
      INSERT INTO enrols_in (student_id, course_id) VALUES (1, 1), (1, 2), (2, 2), (3, 2);
      CREATE FUNCTION get_available_courses(for_student_id int)
        RETURNS TABLE (id int, short_code varchar, name text) LANGUAGE plpgsql AS $$
        BEGIN
          RETURN QUERY SELECT course.id, course.short_code, course.name FROM course
            WHERE course.id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = for_student_id) ORDER BY name;
        END; $$;
      CREATE FUNCTION courses_from(first int DEFAULT 1) RETURNS SETOF course LANGUAGE sql
        AS $$ SELECT * FROM course WHERE id >= $1 ORDER BY id $$;
      CREATE FUNCTION best_course() RETURNS course LANGUAGE sql AS $$ SELECT * FROM course WHERE id = 2 $$;
      CREATE FUNCTION sum_of(numbers int[]) RETURNS bigint LANGUAGE sql AS $$ SELECT sum(n) FROM unnest($1) n $$;
      CREATE FUNCTION codes() RETURNS SETOF text LANGUAGE sql AS $$ SELECT short_code::text FROM course ORDER BY id $$;
      CREATE FUNCTION nothing() RETURNS void LANGUAGE sql AS $$ SELECT 1 $$;
      CREATE FUNCTION echo(json) RETURNS json LANGUAGE sql AS $$ SELECT $1 $$;
      """)
    return database
  }
}

@Suite("A change in PostgREST's way")
struct RestChangeTests {
  private typealias Course = RestSchool.Course

  @Test("inserts a row whose id the engine makes, and gives it back")
  func insertSingle() async throws {
    let database = try RestSchool.make()
    let drama: Course = try await database.from("course")
      .insert(Course(shortCode: "ADA3M", name: "Drama")).select().single().execute().value
    #expect(drama == Course(id: 4, shortCode: "ADA3M", name: "Drama"))
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM course") == 4)
  }

  @Test("inserts rows of different columns, which have defaults where a row says nothing")
  func insertSeveral() async throws {
    let database = try RestSchool.make()
    let rows: [Course] = try await database.from("course")
      .insert([
        Course(shortCode: "A"), Course(id: 9, name: "Nine"), Course(name: "Ten"),
      ])
      .select("id, name, short_code").order("id").execute().value
    #expect(
      rows == [
        Course(id: 4, shortCode: "A", name: "new"), Course(id: 5, name: "Ten"),
        Course(id: 9, name: "Nine"),
      ])
    try await database.from("course").insert([String: Int]()).execute()
    try await database.from("course").insert([[String: Int](), [:]]).execute()
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM course WHERE name = 'new'") == 4)
    let none: [Course] = try await database.from("course").insert([Course]()).execute().value
    #expect(none.isEmpty)
  }

  @Test("gives back what is embedded in the rows it changed")
  func embeds() async throws {
    let database = try RestSchool.make()
    let changed: [RestSchool.CourseWithStudents] = try await database.from("course")
      .update(["name": "Functions and Applications"]).eq("short_code", value: "MCR3U")
      .select("id, students:student(id, first_name)").order("id", referencedTable: "students")
      .limit(2, referencedTable: "students").execute().value
    let expected = [RestSchool.Student(id: 1, firstName: "John"), .init(id: 2, firstName: "Jane")]
    #expect(changed == [RestSchool.CourseWithStudents(id: 2, students: expected)])
    struct Link: Decodable, Sendable {
      struct Name: Decodable { var name: String }
      var course: Name
    }
    let link: Link = try await database.from("enrols_in")
      .insert(["student_id": 2, "course_id": 3]).select("course(name)").single().execute().value
    #expect(link.course.name == "English")
  }

  @Test("updates the rows that filters leave, also those that do not meet them any more")
  func update() async throws {
    let database = try RestSchool.make()
    let response: RestResponse<[Course]> = try await database.from("course")
      .update(Course(name: "Other"), count: .exact).in("name", values: ["Science", "English"])
      .order("id", ascending: false).limit(1).execute()
    #expect(response.value == [Course(id: 3, shortCode: "ENG3U", name: "Other")])
    #expect(response.count == 2)
    let none: [Course] = try await database.from("course").update([String: Int]()).execute().value
    #expect(none.isEmpty)
    #expect(
      try database.fetchOne(Int.self, "SELECT count(*) FROM course WHERE name = 'Other'") == 2)
  }

  @Test("finds the rows to be changed by what belongs to them")
  func presence() async throws {
    let database = try RestSchool.make()
    let gone: [Course] = try await database.from("course").delete()
      .select("*, enrols_in()").is("enrols_in", value: nil).execute().value
    #expect(gone == [Course(id: 3, shortCode: "ENG3U", name: "English")])
  }

  @Test("deletes the rows that filters leave")
  func delete() async throws {
    let database = try RestSchool.make()
    let response = try await database.from("enrols_in").delete(count: .exact)
      .eq("student_id", value: 1).gt("course_id", value: 1).execute()
    #expect(response.count == 1)
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM enrols_in") == 3)
    try await database.from("enrols_in").delete().execute()
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM enrols_in") == 0)
  }

  @Test("inserts or updates by the primary key, or by other columns")
  func upsert() async throws {
    let database = try RestSchool.make()
    let rows: [Course] = try await database.from("course")
      .upsert([Course(id: 1, name: "Computers"), Course(id: 7, name: "Seven")]).order("id")
      .execute().value
    #expect(
      rows == [
        Course(id: 1, shortCode: "ICS3U", name: "Computers"), Course(id: 7, name: "Seven"),
      ])
    let named: Course = try await database.from("course")
      .upsert(Course(shortCode: "ENG3U", name: "Reading"), onConflict: "short_code")
      .select().single().execute().value
    #expect(named == Course(id: 3, shortCode: "ENG3U", name: "Reading"))
    let ignored: [Course] = try await database.from("course")
      .upsert(
        Course(shortCode: "ENG3U", name: "Writing"), onConflict: "shortCode", ignoreDuplicates: true
      )
      .execute().value
    #expect(ignored.isEmpty)
    let same: [[String: Int]] = try await database.from("enrols_in")
      .upsert(["student_id": 1, "course_id": 1]).select("student_id, course_id").execute().value
    #expect(same == [["student_id": 1, "course_id": 1]])
  }

  @Test("brings values of every kind into their columns")
  func kinds() async throws {
    struct Row: Codable, Equatable, Sendable {
      struct Notes: Codable, Equatable { var text: String; var parts: [Int] }
      var studentID: Int
      var courseID: Int
      var mark: Int?
      var notes: Notes?
      var tags: [String?]?
    }
    let database = try RestSchool.make()
    let row = Row(
      studentID: 3, courseID: 3, notes: .init(text: "\"'\\", parts: [1, 2]),
      tags: ["a,b", "{\"}", nil, ""])
    try await database.from("enrols_in").insert(row).execute()
    #expect(
      try await database.from("enrols_in").select().match(["student_id": 3, "course_id": 3])
        .single().execute().value == row)
    try database.execute("CREATE TABLE data (bytes bytea, moment timestamptz, day date, id uuid)")
    struct Data: Codable, Equatable, Sendable {
      var bytes: [UInt8]
      var moment: SQLTimestamp
      var day: SQLDate
      var id: SQLUUID
    }
    let data = Data(
      bytes: [0, 255], moment: SQLTimestamp(microsecondsSince1970: 1_000_001),
      day: try SQLDate(year: 2024, month: 2, day: 29), id: .random())
    try await database.from("data").insert(data).execute()
    #expect(
      try database.fetchAll(Data.self, "SELECT * FROM data") == [data])
    let found =
      try await database.from("data").select().eq("id", value: data.id)
      .eq("day", value: data.day).eq("moment", value: data.moment).eq("bytes", value: data.bytes)
      .select("count()").execute().value as [[String: Int]]
    #expect(found == [["count": 1]])
  }

  @Test("says what is wrong, and changes nothing")
  func errors() async throws {
    let database = try RestSchool.make()
    let course = database.from("course")
    func code(_ query: RestQuery) async -> String? {
      await #expect(throws: NestedSelectError.self) { try await query.execute() }?.code
    }
    #expect(await code(course.insert(["nmae": "x"])) == "PGRST204")
    #expect(await code(course.insert([1, 2])) == "PGRST102")
    #expect(await code(course.update([["name": "a"], ["name": "b"]])) == "PGRST102")
    #expect(await code(course.insert(["short_code": "ICS3U"])) == "23505")
    #expect(await code(course.insert(["short_code": "longer than ten"])) == "22001")
    #expect(await code(course.insert(["id": "one"])) == "22P02")
    #expect(await code(course.insert(["id": Double.nan])) == "22023")
    #expect(await code(course.insert(["name": ["a": 1]])) == "42804")
    #expect(await code(course.insert(["shortCode": "a", "short_code": "b"])) == "42701")
    #expect(await code(course.upsert(["id": 1], onConflict: "nme")) == "PGRST204")
    #expect(await code(course.delete().eq("id", value: 1)) == "23503")
    #expect(await code(database.from("cuorse").insert(["id": 1])) == "PGRST205")
    // More rows than the one that is asked for: none of them is changed.
    let several = await #expect(throws: NestedSelectError.self) {
      try await course.update(["name": "x"]).select().single().execute()
    }
    #expect(several?.code == "PGRST116")
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM course WHERE name = 'x'") == 0)
  }

  @Test("is part of a connection's transaction")
  func connection() throws {
    let connection = try RestSchool.make().connect()
    try connection.execute("BEGIN")
    let drama: Course = try connection.from("course").insert(["name": "Drama"]).single()
    #expect(drama.id == 4)
    #expect(try connection.from("course").select("id").all(as: [String: Int].self).count == 4)
    try connection.execute("ROLLBACK")
    #expect(
      String(decoding: try connection.from("course").select("id").limit(1).json(), as: UTF8.self)
        == #"[{"id":1}]"#)
  }

  @Test("changes no more rows than it may, and none for a trial")
  func terms() async throws {
    let database = try RestSchool.make()
    let course = database.from("course")
    func names() throws -> Int {
      try database.fetchOne(Int.self, "SELECT count(*) FROM course WHERE name = 'x'")
    }
    let error = await #expect(throws: NestedSelectError.self) {
      try await course.update(["name": "x"]).maxAffected(2).execute()
    }
    #expect(error?.code == "PGRST124")
    #expect(error?.details == "The query affects 3 rows")
    let trial: [Course] = try await course.update(["name": "x"]).dryRun().execute().value
    #expect(trial.map(\.name) == ["x", "x", "x"])
    #expect(throws: NestedSelectError.self) { try course.update(["name": "x"]).singleJSON() }
    #expect(try names() == 0)
    try await course.update(["name": "x"]).maxAffected(3).execute()
    #expect(try names() == 3)
    let connection = database.connect()
    try connection.execute("BEGIN")
    try connection.execute("INSERT INTO course (name) VALUES ('y')")
    #expect(throws: NestedSelectError.self) {
      try connection.from("course").update(["name": "z"]).single(as: Course.self)
    }
    #expect(
      try connection.from("course").delete().eq("name", value: "y").dryRun().all(as: Course.self)
        .count == 1)
    try connection.execute("COMMIT")
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM course WHERE name = 'y'") == 1)
    let none: Course? = try await course.delete().eq("id", value: 99).maybeSingle().execute().value
    #expect(none == nil)
  }
}
