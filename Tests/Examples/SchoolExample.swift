import Junction
import Observation
import Testing

// Students, courses and who takes what: the two ways in which a program may ask. The first is that of a client of a
// server, with its DTOs and a view model; the second is records and their relations.

// MARK: - Model

struct Student: Record, Hashable, Identifiable {
  var id: Int?
  var firstName: String?
  var lastName: String?

  struct Relations: Sendable {
    let courses = Many<Course>()  // through enrols_in, which nobody names
    let enrolments = Through<Enrolment, Course>()  // the same with the rows of the junction table
  }
  static let relations = Relations()
}

struct Course: Record, Hashable, Identifiable {
  var id: Int?
  var shortCode: String?
  var name: String?

  struct Relations: Sendable { let students = Many<Student>() }
  static let relations = Relations()
}

struct Enrolment: Record, Hashable {
  var studentID: Int
  var courseID: Int
  static let table = "enrols_in"
}

/// The struct is the query: courses with their students, each with the names of all its courses.
struct CourseCard: Decodable, Sendable, Equatable {
  var shortCode: String?
  var name: String
  var students: [StudentCard]

  struct StudentCard: Decodable, Sendable, Equatable {
    var firstName: String
    var courses: [CourseName]
  }
  struct CourseName: Decodable, Sendable, Equatable { var name: String }
}

// MARK: - As for a server

/// The view model of the many-to-many guide; only the type of `supabase` is another one.
@MainActor @Observable
final class EnrolmentsViewModel {
  struct CourseWithStudents: Codable, Identifiable, Sendable {
    var id: Int
    var shortCode: String
    var name: String
    var students: [Student]

    enum CodingKeys: String, CodingKey {
      case id, name
      case shortCode = "short_code"
      case students = "student"
    }
  }
  struct NewEnrolment: Codable, Sendable {
    var student_id: Int
    var course_id: Int
  }

  var coursesWithStudents: [CourseWithStudents] = []
  var coursesAvailable: [Course] = []
  private let supabase: Database

  init(_ supabase: Database) { self.supabase = supabase }

  func getCourses() async throws {
    coursesWithStudents =
      try await supabase
      .from("course")
      .select("id, short_code, name, student(id, last_name, first_name)")
      .order("short_code", ascending: true)
      .execute()
      .value
  }

  func getCoursesAvailable(to student: Int) async throws {
    coursesAvailable =
      try await supabase
      .rpc("get_available_courses", params: ["for_student_id": student])
      .execute()
      .value
  }

  func enrol(_ student: Int, in course: Int) async throws {
    try await supabase
      .from("enrols_in")
      .insert(NewEnrolment(student_id: student, course_id: course))
      .execute()
  }
}

@Suite("Example: a school, as for a server")
struct SchoolForAServerExample {
  private static func school() throws -> Database {
    let database = try Datasets.school.get().fork()
    try database.execute(
      """
      CREATE OR REPLACE FUNCTION get_available_courses(for_student_id int)
      RETURNS TABLE (id int, short_code varchar, name varchar) LANGUAGE plpgsql AS $$
      BEGIN
        RETURN QUERY
        SELECT course.id, course.short_code, course.name FROM course
        WHERE course.id NOT IN (
          SELECT course_id AS enrolment_course_id FROM enrols_in WHERE student_id = for_student_id)
        ORDER BY name;
      END; $$;
      """)
    return database
  }

  @Test("lists courses as values, in the order of their short codes")
  func list() async throws {
    let courses: [Course] = try await Self.school().from("course").select()
      .order("short_code", ascending: true).execute().value
    #expect(
      courses.map(\.shortCode) == [
        "AVI3M", "CGG3O", "CHW3M", "ENG3U", "FSF3U", "ICS3U", "MCR3U", "SBI3U", "SCH3U", "SPH3U",
      ])
  }

  @Test("creates a course whose id the database makes")
  func create() async throws {
    struct NewCourse: Encodable, Sendable {
      var short_code: String
      var name: String
    }
    let drama: Course = try await Self.school().from("course")
      .insert(NewCourse(short_code: "ADA3M", name: "Drama")).select().single().execute().value
    #expect(drama == Course(id: 11, shortCode: "ADA3M", name: "Drama"))
  }

  @Test("shows courses with their students, across the junction table that is not named")
  @MainActor func viewModel() async throws {
    let model = EnrolmentsViewModel(try Self.school())
    try await model.getCourses()
    #expect(model.coursesWithStudents.count == 10)
    let functions = try #require(model.coursesWithStudents.first { $0.shortCode == "MCR3U" })
    #expect(functions.students.map(\.firstName) == ["John", "Jane", "Emily"])
    let french = try #require(model.coursesWithStudents.first { $0.shortCode == "FSF3U" })
    #expect(french.students == [])

    try await model.getCoursesAvailable(to: 1)
    #expect(
      model.coursesAvailable.map(\.shortCode) == [
        "SBI3U", "FSF3U", "SPH3U", "CGG3O", "AVI3M", "CHW3M",
      ])
    try await model.enrol(1, in: 7)
    try await model.getCoursesAvailable(to: 1)
    #expect(!model.coursesAvailable.contains { $0.id == 7 })
  }

  @Test("gives JSON whose members stand as they were asked for")
  func bytes() throws {
    let json = try Self.school().from("course")
      .select("id, short_code, name, student(id, last_name, first_name)").eq("id", 1).json()
    #expect(
      String(decoding: json, as: UTF8.self)
        == #"[{"id":1,"short_code":"ICS3U","name":"Introduction to Computer Science","#
        + #""student":[{"id":1,"last_name":"Doe","first_name":"John"}]}]"#)
  }

  @Test("goes from either side, and filters by the other one")
  func bothSides() async throws {
    let database = try Self.school()
    struct StudentWithCourses: Decodable, Sendable {
      var firstName: String
      var course: [Course]
    }
    let students: [StudentWithCourses] = try await database.from("student").select("*, course(*)")
      .order("id").order("id", referencedTable: "course").execute().value
    #expect(
      students.map { $0.course.map(\.id) } == [[1, 2, 3, 4], [2, 3, 5, 6], [2, 3, 7, 8]])
    let janes: [Course] = try await database.from("course")
      .select("id, short_code, name, student!inner()").eq("student.id", value: 2)
      .order("short_code").execute().value
    #expect(janes.map(\.shortCode) == ["ENG3U", "MCR3U", "SBI3U", "SPH3U"])
    // What the guide needed a function for: courses that a student does not take.
    let others: [Course] = try await database.from("course")
      .select("id, short_code, name, enrols_in()").eq("enrols_in.student_id", value: 1)
      .is("enrols_in", value: nil).order("id").execute().value
    #expect(others.map(\.id) == [5, 6, 7, 8, 9, 10])
  }

  @Test("names what was misspelt, and what the database refuses")
  func errors() async throws {
    let database = try Self.school()
    func code(_ query: RestQuery) async -> String? {
      await #expect(throws: NestedSelectError.self) { try await query.execute() }?.code
    }
    #expect(
      await code(database.rpc("get_available_course", params: ["for_student_id": 1])) == "PGRST202")
    #expect(await code(database.from("cuorse").select()) == "PGRST205")
    #expect(await code(database.from("course").select("nmae")) == "PGRST204")
    #expect(await code(database.from("course").select("teacher(name)")) == "PGRST200")
    let enrolments = database.from("enrols_in")
    #expect(await code(enrolments.insert(["student_id": 1, "course_id": 1])) == "23505")
    #expect(await code(enrolments.insert(["student_id": 99, "course_id": 1])) == "23503")
    let none = await #expect(throws: NestedSelectError.self) {
      let _: Course = try await database.from("course").select().eq("id", value: 99).single()
        .execute().value
    }
    #expect(none?.code == "PGRST116")
  }
}

// MARK: - As records

@Suite("Example: a school, as records")
struct SchoolExample {
  private let database: Database

  init() throws { database = try Datasets.school.get().fork() }

  private func student(_ id: Int) throws -> Student {
    try #require(try Student.find(id, in: database))
  }

  @Test("reads, writes and deletes rows")
  func rows() throws {
    let drama = try database.write { db in
      try Course(shortCode: "ADA3M", name: "Drama").inserted(db)
    }
    #expect(drama.id == 11)
    #expect(try drama.students.count(database) == 0)
    var theatre = drama
    theatre.name = "Theatre"
    #expect(try theatre.update(database, from: drama))
    #expect(try drama.refreshed(database)?.name == "Theatre")
    #expect(try drama.delete(database))
    #expect(try !drama.delete(database))
    let again = #expect(throws: SQLError.self) {
      try Course(shortCode: "MCR3U", name: "Again").inserted(database)
    }
    #expect(again?.object?.constraint == "course_short_code_key")
    #expect(again?.rule == .unique)
  }

  @Test("goes from student to course and back, to any depth")
  func navigation() throws {
    let functions = try #require(try Course.where { $0.name == "Functions" }.first(database))
    let students = try functions.students.order(by: \.id).fetch(database)
    #expect(students.map(\.firstName) == ["John", "Jane", "Emily"])
    let biology = try #require(
      try students[1].courses.where { $0.shortCode == "SBI3U" }.first(database))
    #expect(try biology.students.fetch(database) == [students[1]])
    let classmates = students[0].courses.students.excluding(students[0]).order(by: \.id)
    #expect(try classmates.fetch(database).map(\.firstName) == ["Jane", "Emily"])
  }

  @Test("links both sides at once, whichever is asked")
  func links() throws {
    let john = try student(1)
    let travel = try #require(try Course.find(7, in: database))
    #expect(try travel.students.add(john, database))
    #expect(try !john.courses.add(travel, database))  // it is the same link
    #expect(try john.courses.contains(travel, database))
    #expect(try john.enrolments.link(to: travel, database) == Enrolment(studentID: 1, courseID: 7))
    #expect(try !john.courses.available.fetch(database).contains(travel))
    #expect(try john.courses.remove(travel, database))
    #expect(try !john.courses.remove(travel, database))
    // Both sides of the guide: all or none of what a transaction does.
    struct Rejected: Error {}
    #expect(throws: Rejected.self) {
      try database.write { db in
        try john.courses.set([travel], db)
        throw Rejected()
      }
    }
    #expect(try john.courses.count(database) == 4)
  }

  @Test("finds what a student could still take")
  func available() throws {
    let john = try student(1)
    let names = try john.courses.available.order(by: \.name).fetch(database).map(\.shortCode)
    #expect(names == ["SBI3U", "FSF3U", "SPH3U", "CGG3O", "AVI3M", "CHW3M"])
  }

  @Test("asks about relations without loading them")
  func conditions() throws {
    let snapshot = database.snapshot
    #expect(try Course.where { $0.students.isEmpty }.fetch(snapshot).map(\.id) == [9, 10])
    #expect(try Course.where { $0.students.count >= 3 }.count(snapshot) == 2)
    let does = Course.where { $0.students.any { $0.lastName == "Doe" } }
    #expect(try does.count(snapshot) == 4)
    let required = try Course.where { $0.shortCode.isIn(["ENG3U", "MCR3U"]) }.fetch(snapshot)
    #expect(try Student.where { $0.courses.contains(allOf: required) }.count(snapshot) == 3)
    #expect(try Student.where { $0.courses.count != 4 }.isEmpty(snapshot))
  }

  @Test("counts, and gives graphs in one statement")
  func graphs() throws {
    let counted = try Course.order(by: \.shortCode).withCount(of: \.students).fetch(database)
    #expect(counted.map(\.related) == [0, 1, 1, 3, 0, 1, 3, 1, 1, 1])
    let pairs = try Course.order(by: \.id).with(\.students) { $0.order(by: \.lastName).limit(2) }
      .fetch(database)
    #expect(pairs[1].name == "Functions")
    #expect(pairs[1].related.map(\.lastName) == ["Doe", "Jones"])
    let card = try Course.where { $0.shortCode == "ICS3U" }.shaped(as: CourseCard.self).one(
      database)
    #expect(card.students.map(\.firstName) == ["John"])
    #expect(card.students[0].courses.count == 4)
  }

  @Test("mixes with SQL, in which values, queries and columns have their places")
  func sql() throws {
    let hostile = "Functions'; DROP TABLE student --"
    #expect(try database.query("SELECT * FROM course WHERE name = \(hostile)").isEmpty)
    let rows = try database.query(
      "SELECT short_code, id FROM course WHERE id = ANY(\([1, 2])) ORDER BY id")
    #expect(try rows.map { try $0["id", as: Int.self] } == [1, 2])
    let crowded = Course.where { $0.students.count >= 3 }
    let number = try database.fetchOne(
      Int.self,
      "SELECT count(*) FROM (\(crowded)) AS q WHERE \(Course.column(\.shortCode)) LIKE 'E%'")
    #expect(number == 1)
  }

  @Test("tells who watches a student's courses of each new link, from whichever side it was made")
  func watching() async throws {
    let (john, drama) = (
      try Student.where { $0.firstName == "John" }.one(database),
      try Course(shortCode: "ADA3M", name: "Drama").inserted(database)
    )
    var courses = john.courses.order(by: \.shortCode).updates(in: database).makeAsyncIterator()
    #expect(try await courses.next()?.count == 4)
    try drama.students.add(john, database)
    #expect(try await courses.next()?.first == drama)
    var nested = database.from("course").select("short_code, student(last_name)").eq(
      "id", value: drama.id ?? 0
    )
    .updates(as: CourseCard.Watched.self).makeAsyncIterator()
    #expect(try await nested.next()?.first?.student.map(\.lastName) == [john.lastName])
    try john.courses.remove(drama, database)
    #expect(try await courses.next()?.count == 4)
    #expect(try await nested.next()?.first?.student.isEmpty == true)
  }
}

extension CourseCard {
  /// A course as `from(_:)` gives it.
  fileprivate struct Watched: Decodable, Sendable {
    var student: [Name]
    struct Name: Decodable, Sendable {
      var lastName: String?
      enum CodingKeys: String, CodingKey { case lastName = "last_name" }
    }
  }
}
