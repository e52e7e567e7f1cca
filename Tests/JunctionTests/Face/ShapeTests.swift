import Diagnostics
import Junction
import Synchronization
import Testing

private struct Student: Record, Hashable {
  var id: Int?
  var firstName: String?
  struct Relations: Sendable {
    let courses = Many<Course>()
    let enrolments = Through<Enrolment, Course>()
  }
  static let relations = Relations()
}

private struct Course: Record, Hashable, Identifiable {
  var id: Int?
  var shortCode: String?
  var teacherID: Int?
  struct Relations: Sendable {
    let students = Many<Student>()
    let teacher = One<Teacher>()
  }
  static let relations = Relations()
}

private struct Teacher: Record, Hashable {
  var id: Int?
  var name: String
}

private struct Enrolment: Record, Hashable {
  var studentID: Int
  var courseID: Int
  var mark: Double?
  static let table = "enrols_in"
}

private struct Person: Record, Hashable {
  var id: Int?
  var name: String
  struct Relations: Sendable {
    let follows = Many<Person>(through: "follow", from: "follower_id")
  }
  static let relations = Relations()
}

private struct CourseCard: Decodable, Sendable, Equatable {
  var id: Int
  var shortCode: String
  var students: [StudentCard]
  var teacher: TeacherCard?

  struct StudentCard: Decodable, Sendable, Equatable {
    var firstName: String
    var courses: [CourseName]
    var link: Link
  }
  struct CourseName: Decodable, Sendable, Equatable { var shortCode: String }
  struct TeacherCard: Decodable, Sendable, Equatable { var name: String }
  struct Link: Decodable, Sendable, Equatable { var mark: Double? }
}

@Suite("Rows with what belongs to them")
struct ShapeTests {
  private let db: Database
  private let students: [Student]
  private let courses: [Course]

  init() throws {
    db = Database()
    try db.execute(
      """
      CREATE TABLE teacher (id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE student (id serial PRIMARY KEY, first_name text);
      CREATE TABLE course (id serial PRIMARY KEY, short_code text UNIQUE, teacher_id int REFERENCES teacher);
      CREATE TABLE enrols_in (student_id int REFERENCES student, course_id int REFERENCES course, mark float8,
        PRIMARY KEY (student_id, course_id));
      """)
    let ada = try Teacher(name: "Ada").inserted(db)
    students = try ["Jo", "Ann", "Max"].map { Student(firstName: $0) }.inserted(db)
    courses = try ["A", "B", "C"].map { Course(shortCode: $0, teacherID: $0 == "B" ? ada.id : nil) }
      .inserted(db)
    try students[0].enrolments.add(courses[0], db) { $0.mark = 1.5 }
    try students[0].courses.add(courses[1], db)
    try students[1].courses.add(courses[0], db)
    try students[2].courses.add(courses[0...1], db)
  }

  @Test("are fetched with lists, rows and numbers")
  func with() throws {
    let lists = try Course.order(by: \.id).with(\.students).fetch(db)
    #expect(lists.map(\.row) == courses)
    #expect(lists.map(\.related) == [students, [students[0], students[2]], []])
    #expect(lists[0].shortCode == "A" && lists[0].id == 1)
    let teachers = try Course.order(by: \.id).with(\.teacher).fetch(db)
    #expect(teachers.map(\.related?.name) == [nil, "Ada", nil])
    let counts = try Student.order(by: \.id).withCount(of: \.courses).fetch(db)
    #expect(counts.map(\.related) == [2, 1, 2])
    let linked = try Student.order(by: \.id).with(\.enrolments).fetch(db)
    #expect(linked[0].related.map(\.link.mark) == [1.5, nil])
    #expect(linked[0].related.map(\.row) == Array(courses[0...1]))
    #expect(try Course.all.with(\.students).count(db) == 3)
    #expect(try Course.where { $0.id == 2 }.with(\.students).one(db).related.count == 2)
  }

  @Test("are refined for each row")
  func refined() throws {
    let firsts = try Course.order(by: \.id)
      .with(\.students) { $0.order(by: \.firstName).limit(1) }.fetch(db)
    #expect(firsts.map { $0.related.map(\.firstName) } == [["Ann"], ["Jo"], []])
    let named = try Course.order(by: \.id)
      .with(\.students) { $0.where { $0.firstName == "Max" } }.fetch(db)
    #expect(named.map(\.related.count) == [1, 1, 0])
  }

  @Test("go down several levels in one statement")
  func levels() throws {
    let count = Mutex(0)
    db.trace { _ in count.withLock { $0 += 1 } }
    let deep = try Course.order(by: \.id)
      .with(\.students) { $0.with(\.courses) { $0.with(\.teacher) } }.fetch(db)
    #expect(count.withLock { $0 } == 1)
    let names = deep.map { $0.related.map { $0.related.map { $0.related?.name ?? "-" } } }
    #expect(names == [[["-", "Ada"], ["-"], ["-", "Ada"]], [["-", "Ada"], ["-", "Ada"]], []])
    #expect(deep[0].related[0].related[1].related?.name == "Ada")
  }

  @Test("of a table related to itself keep their levels apart")
  func selfRelation() throws {
    try db.execute(
      """
      CREATE TABLE person (id serial PRIMARY KEY, name text);
      CREATE TABLE follow (follower_id int REFERENCES person, followee_id int REFERENCES person,
        PRIMARY KEY (follower_id, followee_id))
      """)
    let people = try ["Ada", "Bob", "Cy"].map { Person(name: $0) }.inserted(db)
    try people[0].follows.add(people[1...2], db)
    try people[1].follows.add(people[2], db)
    let found = try Person.order(by: \.id).with(\.follows) { $0.with(\.follows) }.fetch(db)
    let names = found.map { $0.related.map { "\($0.row.name):\($0.related.map(\.name).joined())" } }
    #expect(names == [["Bob:Cy", "Cy:"], ["Cy:"], []])
  }

  @Test("take the shape of a struct")
  func shapes() throws {
    let count = Mutex(0)
    db.trace { _ in count.withLock { $0 += 1 } }
    let cards = try Course.order(by: \.shortCode).shaped(as: CourseCard.self).fetch(db)
    #expect(count.withLock { $0 } == 1)
    let both = [CourseCard.CourseName(shortCode: "A"), CourseCard.CourseName(shortCode: "B")]
    func card(_ name: String, _ courses: [CourseCard.CourseName], _ mark: Double? = nil)
      -> CourseCard.StudentCard
    { .init(firstName: name, courses: courses, link: .init(mark: mark)) }
    #expect(
      cards == [
        CourseCard(
          id: 1, shortCode: "A",
          students: [card("Jo", both, 1.5), card("Ann", [both[0]]), card("Max", both)], teacher: nil
        ),
        CourseCard(
          id: 2, shortCode: "B", students: [card("Jo", both), card("Max", both)],
          teacher: .init(name: "Ada")),
        CourseCard(id: 3, shortCode: "C", students: [], teacher: nil),
      ])
    let some: [CourseCard] = try Course.where { $0.students.isEmpty }.shaped().fetch(db)
    #expect(some.map(\.id) == [3])
    let sql = try Course.all.shaped(as: CourseCard.self).sql(in: db).text
    #expect(!sql.contains("teacher_id AS") && sql.contains("course.short_code"))
  }

  @Test("find tables that no record stands for")
  func catalog() throws {
    struct TeacherCard: Decodable, Sendable, Equatable {
      var name: String
      var courses: [Course]
      struct Course: Decodable, Sendable, Equatable {
        var shortCode: String
        var students: [Student]
      }
      struct Student: Decodable, Sendable, Equatable { var id: Int }
    }
    let cards = try Teacher.all.shaped(as: TeacherCard.self).fetch(db)
    #expect(cards.map(\.courses).map { $0.map(\.shortCode) } == [["B"]])
    #expect(cards[0].courses[0].students.map(\.id) == [1, 3])
  }

  @Test("tell which rows share some with a row")
  func sharing() throws {
    let others = try students[0].sharing(\.courses).fetch(db)
    #expect(others.map(\.row) == [students[2], students[1]])
    #expect(others.map(\.count) == [2, 1])
    #expect(others.map(\.shared) == [Array(courses[0...1]), [courses[0]]])
    #expect(try courses[2].sharing(\.students).fetch(db).isEmpty)
    #expect(try students[0].sharing(\.courses).limit(1).fetch(db).map(\.row) == [students[2]])
  }

  @Test("say what is wrong with a shape")
  func wrong() throws {
    struct Unknown: Decodable, Sendable {
      var shortCode: String
      var studnts: [Part]
      struct Part: Decodable, Sendable { var id: Int }
    }
    let unknown = #expect(throws: SQLError.self) {
      try Course.all.shaped(as: Unknown.self).fetch(db)
    }
    #expect(unknown?.state == .undefinedColumn)
    #expect(
      unknown?.message
        == "property studnts of shape Unknown is neither a column nor a relation of table \"course\""
    )
    #expect(unknown?.hint?.contains("students") == true, "\(unknown?.hint ?? "")")
    final class Recursive: Decodable, Sendable {
      let id: Int
      let students: [Recursive]
    }
    let recursive = #expect(throws: SQLError.self) {
      try Course.all.shaped(as: Recursive.self).fetch(db)
    }
    #expect(recursive?.state == .programLimitExceeded)
    struct One: Decodable, Sendable {
      var teacher: [Part]
      struct Part: Decodable, Sendable { var name: String }
    }
    let many = #expect(throws: SQLError.self) { try Course.all.shaped(as: One.self).fetch(db) }
    #expect(many?.state == .datatypeMismatch)
  }
}
