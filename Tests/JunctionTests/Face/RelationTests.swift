import Diagnostics
import Junction
import Synchronization
import Testing

private struct Student: Record, Hashable {
  var id: Int?
  var lastName: String?
  struct Relations: Sendable {
    let courses = Many<Course>()
    let enrolments = Through<Enrolment, Course>()
  }
  static let relations = Relations()
}

private struct Course: Record, Hashable {
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
  struct Relations: Sendable { let courses = Many<Course>() }
  static let relations = Relations()
}

private struct Enrolment: Record, Hashable {
  var studentID: Int
  var courseID: Int
  var mark: Double?
  static let table = "enrols_in"
}

private struct Book: Record, Hashable {
  var id: Int?
  var title: String
  struct Relations: Sendable { let authors = Many<Author>(orderedBy: "position") }
  static let relations = Relations()
}

private struct Author: Record, Hashable {
  var id: Int?
  var name: String
  struct Relations: Sendable { let books = Many<Book>() }
  static let relations = Relations()
}

private struct Person: Record, Hashable {
  var id: Int?
  var name: String
  struct Relations: Sendable {
    let follows = Many<Person>(through: "follow", from: "follower_id")
    let followers = Many<Person>(through: "follow", from: "followee_id")
    let unclear = Many<Person>()
  }
  static let relations = Relations()
}

private struct Session: Record, Hashable {
  var id: Int?
  struct Relations: Sendable { let slot = One<TimeSlot>() }
  static let relations = Relations()
}

private struct TimeSlot: Record, Hashable {
  var id: Int?
  var sessionID: Int?
  struct Relations: Sendable { let session = One<Session>() }
  static let relations = Relations()
}

private struct Lecture: Record, Hashable {
  var department: String
  var number: Int
  struct Relations: Sendable {
    let listeners = Many<Listener>()
    let rooms = Many<Place>()
  }
  static let relations = Relations()
}

private struct Listener: Record, Hashable {
  var id: Int
  struct Relations: Sendable { let lectures = Many<Lecture>() }
  static let relations = Relations()
}

private struct Place: Record, Hashable {
  var id: Int
  var lectureDepartment: String?
  var lectureNumber: Int?
  struct Relations: Sendable { let lecture = One<Lecture>() }
  static let relations = Relations()
}

@Suite("Relations")
struct RelationTests {
  private let db: Database
  private let students: [Student]
  private let courses: [Course]

  init() throws {
    db = Database()
    try db.execute(
      """
      CREATE TABLE teacher (id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE student (id serial PRIMARY KEY, last_name text);
      CREATE TABLE course (id serial PRIMARY KEY, short_code text UNIQUE, teacher_id int REFERENCES teacher);
      CREATE TABLE enrols_in (student_id int REFERENCES student ON DELETE CASCADE,
        course_id int REFERENCES course, mark float8, PRIMARY KEY (student_id, course_id));
      """)
    students = try ["Doe", "Ray", nil, "Poe"].map { Student(lastName: $0) }.inserted(db)
    courses = try ["A", "B", "C", nil].map { Course(shortCode: $0) }.inserted(db)
  }

  private func state(_ body: () throws -> Void) -> SQLState? {
    #expect(throws: SQLError.self) { try body() }?.state
  }

  @Test("are one from either side")
  func sides() throws {
    let (john, drama) = (students[0], courses[0])
    #expect(try john.courses.add(drama, db))
    #expect(try !drama.students.add(john, db))
    #expect(try john.courses.contains(drama, db) && drama.students.contains(john, db))
    #expect(try john.courses.fetch(db) == [drama])
    #expect(try drama.students.fetch(db) == [john])
    #expect(try db.fetchOne(Int.self, "SELECT count(*) FROM enrols_in") == 1)
    #expect(try drama.students.remove(john, db))
    #expect(try !john.courses.remove(drama, db))
    #expect(try john.courses.isEmpty(db) && drama.students.count(db) == 0)
  }

  @Test("find what is there along a key that is not enforced")
  func unenforced() throws {
    try db.execute("ALTER TABLE course ALTER CONSTRAINT course_teacher_id_fkey NOT ENFORCED")
    try db.execute("UPDATE course SET teacher_id = 1 + id % 2")
    let courses = try Course.order(by: \.id).fetch(db)
    #expect(try courses[0].teacher.fetch(db).isEmpty && courses[1].teacher.count(db) == 0)
    let teacher = try Teacher(name: "late").inserted(db)
    #expect(try courses[1].teacher.fetch(db) == [teacher])
    #expect(try courses[0].teacher.fetch(db).isEmpty)
    #expect(try teacher.courses.order(by: \.id).fetch(db) == [courses[1], courses[3]])
    #expect(try teacher.courses.add(courses[0], db) && teacher.courses.count(db) == 3)
    #expect(try Course.where { $0.teacher.isEmpty }.count(db) == 1)
    try db.execute("DELETE FROM teacher")
    #expect(try teacher.courses.count(db) == 3 && courses[1].teacher.isEmpty(db))
  }

  @Test("are added, removed and set by the list")
  func lists() throws {
    let john = students[0]
    #expect(try john.courses.add(courses[0...2] + courses[0...1], db) == 3)
    #expect(try john.courses.add(courses, db) == 1)
    let kept = try john.courses.set([courses[1], courses[3]], db)
    #expect(kept == LinkChanges(added: 0, removed: 2))
    let changed = try john.courses.set([courses[0], courses[1], courses[0]], db)
    #expect(changed == LinkChanges(added: 1, removed: 1))
    #expect(try john.courses.order(by: \.id).fetch(db) == Array(courses[0...1]))
    #expect(try john.courses.remove(courses, db) == 2)
    try students[1].courses.add(courses, db)
    #expect(try students[1].courses.removeAll(db) == 4)
    let pairs = (1...4).flatMap { student in (1...4).map { (student, $0) } }
    #expect(try db.link(\Student.Relations.courses, pairs) == 16)
    #expect(try db.link(\Student.Relations.courses, pairs) == 0)
    #expect(
      state { _ = try db.link(\Student.Relations.courses, [(1, 77)]) } == .foreignKeyViolation)
  }

  @Test("say which rows do not belong")
  func available() throws {
    let john = students[0]
    #expect(try john.courses.available.count(db) == 4)
    try john.courses.add(courses[1], db)
    #expect(
      try john.courses.available.order(by: \.id).fetch(db) == [courses[0], courses[2], courses[3]])
    #expect(try john.enrolments.available.where { $0.shortCode == nil }.fetch(db) == [courses[3]])
  }

  @Test("lead on, each row once")
  func hops() throws {
    try students[0].courses.add(courses[0...1], db)
    try students[1].courses.add(courses[0...1], db)
    try students[2].courses.add(courses[1...2], db)
    let classmates = students[0].courses.students
    #expect(try classmates.order(by: \.id).fetch(db) == Array(students[0...2]))
    #expect(
      try classmates.excluding(students[0]).order(by: \.id, .descending).fetch(db)
        == [students[2], students[1]])
    #expect(try classmates.courses.count(db) == 3)
    #expect(try students[3].courses.students.isEmpty(db))
  }

  @Test("test rows without loading any")
  func conditions() throws {
    try students[0].courses.add(courses[0...2], db)
    try students[1].courses.add(courses[0...0], db)
    try students[2].courses.add(courses[1...2], db)
    func ids(_ query: Query<Course>) throws -> [Int?] {
      try query.order(by: \.id).fetch(db).map(\.id)
    }
    #expect(try ids(Course.where { $0.students.isEmpty }) == [4])
    #expect(try ids(Course.where { !$0.students.isEmpty }) == [1, 2, 3])
    #expect(try ids(Course.where { $0.students.count >= 2 && $0.shortCode != nil }) == [1, 2, 3])
    #expect(try ids(Course.where { $0.students.count == 0 }) == [4])
    #expect(try ids(Course.where { $0.students.any { $0.lastName == "Ray" } }) == [1])
    #expect(try ids(Course.where { $0.students.any { $0.lastName == nil } }) == [2, 3])
    #expect(try ids(Course.where { $0.students.none { $0.lastName == "Ray" } }) == [2, 3, 4])
    #expect(try ids(Course.where { $0.students.contains(students[2]) }) == [2, 3])
    #expect(try ids(Course.where { !$0.students.contains(students[2]) }) == [1, 4])
    let inAll = Student.where { $0.courses.contains(allOf: courses[1...2]) }
    #expect(try inAll.order(by: \.id).fetch(db) == [students[0], students[2]])
    #expect(try Student.where { $0.courses.contains(allOf: []) }.count(db) == 4)
    #expect(
      try Student.where { $0.courses.any { $0.students.any { $0.lastName == "Ray" } } }
        .order(by: \.id).fetch(db) == [students[0], students[1]])
  }

  @Test("carry attributes in the junction table")
  func attributes() throws {
    let john = students[0]
    try john.enrolments.add(courses[0], db) { $0.mark = 92.5 }
    try john.enrolments.add(courses[1], db)
    try john.enrolments.add(courses[0], db) { $0.mark = 95 }
    try john.enrolments.add(courses[0], db)
    #expect(try john.enrolments.link(to: courses[0], db)?.mark == 95)
    #expect(try john.enrolments.link(to: courses[2], db) == nil)
    #expect(try john.enrolments.links.count(db) == 2)
    let linked = try john.enrolments.linked.fetch(db)
    #expect(linked.map(\.link.mark) == [95, nil] && linked.map(\.row) == Array(courses[0...1]))
    #expect(linked[0].shortCode == "A")
    #expect(try john.enrolments.linked.count(db) == 2)
    #expect(try john.enrolments.add(courses, db) { $1.mark = Double($0.id ?? 0) } == 4)
    #expect(try john.enrolments.links.where { $0.mark > 2.5 }.count(db) == 2)
    #expect(try john.enrolments.set([courses[3]], db) == LinkChanges(added: 0, removed: 3))
    #expect(try john.enrolments.students.fetch(db) == [john])
    // All of them or none.
    let error = state {
      _ = try john.enrolments.add([courses[2], Course(id: 99)], db)
    }
    #expect(error == .foreignKeyViolation)
    #expect(try john.courses.fetch(db) == [courses[3]])
  }

  @Test("go along foreign keys")
  func parents() throws {
    let (ada, bob) = (try Teacher(name: "Ada").inserted(db), try Teacher(name: "Bob").inserted(db))
    #expect(try ada.courses.add(courses[0...1], db) == 2)
    #expect(try !ada.courses.add(courses[0], db))
    #expect(try bob.courses.add(courses[1], db))
    var first = try #require(try courses[0].refreshed(db))
    #expect(try first.teacher.fetch(db) == ada)
    #expect(try courses[3].teacher.fetch(db) == nil)
    #expect(try ada.courses.contains(courses[0], db) && !ada.courses.contains(courses[1], db))
    #expect(try ada.courses.available.order(by: \.id).fetch(db).map(\.id) == [2, 3, 4])
    #expect(try Course.where { $0.teacher.isEmpty }.count(db) == 2)
    #expect(try Course.where { $0.teacher.any { $0.name == "Bob" } }.fetch(db).map(\.id) == [2])
    #expect(try Course.where { $0.teacher.none { $0.name == "Bob" } }.count(db) == 3)
    #expect(try Teacher.where { $0.courses.count == 1 }.count(db) == 2)
    try first.teacher.set(bob, db)
    #expect(try bob.courses.set([courses[2], first], db) == LinkChanges(added: 1, removed: 1))
    #expect(try bob.courses.remove(courses[2], db))
    first = try #require(try first.refreshed(db))
    try first.teacher.set(nil, db)
    #expect(try bob.courses.isEmpty(db))
    #expect(state { _ = try bob.courses.add(Course(id: 99), db) } == .foreignKeyViolation)
  }

  @Test("to one row let go of the partners of before")
  func oneToOne() throws {
    try db.execute(
      """
      CREATE TABLE session (id serial PRIMARY KEY);
      CREATE TABLE time_slot (id serial PRIMARY KEY, session_id int UNIQUE REFERENCES session)
      """)
    let sessions = try [Session(), Session()].inserted(db)
    let slots = try [TimeSlot(), TimeSlot()].inserted(db)
    func pairs() throws -> [Int?] {
      try TimeSlot.order(by: \.id).fetch(db).map(\.sessionID)
    }
    try sessions[0].slot.set(slots[0], db)
    try sessions[1].slot.set(slots[1], db)
    #expect(try pairs() == [1, 2])
    try sessions[0].slot.set(slots[1], db)
    #expect(try pairs() == [nil, 1])
    try slots[0].session.set(sessions[0], db)
    #expect(try pairs() == [1, nil])
    #expect(try sessions[0].slot.fetch(db)?.id == 1)
    try sessions[0].slot.set(nil, db)
    #expect(try pairs() == [nil, nil])
  }

  @Test("keep an order")
  func ordered() throws {
    try db.execute(
      """
      CREATE TABLE book (id serial PRIMARY KEY, title text);
      CREATE TABLE author (id serial PRIMARY KEY, name text);
      CREATE TABLE writes (book_id int REFERENCES book, author_id int REFERENCES author,
        position int NOT NULL, PRIMARY KEY (book_id, author_id))
      """)
    let book = try Book(title: "Sets").inserted(db)
    let authors = try ["a", "b", "c", "d"].map { Author(name: $0) }.inserted(db)
    func names() throws -> String { try book.authors.fetch(db).map(\.name).joined() }
    try book.authors.add([authors[2], authors[0]], db)
    #expect(try names() == "ca")
    #expect(try book.authors.add([authors[0], authors[3], authors[1]], db) == 2)
    #expect(try names() == "cadb")
    try book.authors.place(authors[1], at: 0, db)
    #expect(try names() == "bcad")
    try book.authors.place(authors[2], at: 2, db)
    #expect(try names() == "bacd")
    try book.authors.place(authors[1], at: 99, db)
    #expect(try names() == "acdb")
    try book.authors.remove(authors[2], db)
    try book.authors.place(authors[2], at: 1, db)
    #expect(try names() == "acdb")
    #expect(
      try book.authors.set([authors[3], authors[0], authors[1]], db)
        == LinkChanges(added: 0, removed: 1))
    #expect(try names() == "dab")
    #expect(
      try db.fetchAll(Int.self, "SELECT position FROM writes ORDER BY position") == [0, 1, 2])
    #expect(try authors[0].books.fetch(db) == [book])
  }

  @Test("from a table to itself know their direction")
  func selfRelation() throws {
    try db.execute(
      """
      CREATE TABLE person (id serial PRIMARY KEY, name text);
      CREATE TABLE follow (follower_id int REFERENCES person, followee_id int REFERENCES person,
        PRIMARY KEY (follower_id, followee_id))
      """)
    let people = try ["Ada", "Bob", "Cy"].map { Person(name: $0) }.inserted(db)
    try people[0].follows.add(people[1], db)
    try people[1].follows.add(people[2], db)
    #expect(try people[1].followers.fetch(db) == [people[0]])
    #expect(try people[0].followers.isEmpty(db))
    #expect(try people[0].follows.follows.fetch(db) == [people[2]])
    #expect(try Person.where { $0.follows.any { $0.name == "Cy" } }.fetch(db) == [people[1]])
    #expect(try Person.where { $0.followers.isEmpty }.fetch(db) == [people[0]])
    let error = #expect(throws: SQLError.self) { try people[0].unclear.fetch(db) }
    #expect(error?.state == .ambiguousFunction)
    #expect(
      error?.detail == "Candidates: through follow(followee_id) and follow(follower_id); "
        + "through follow(follower_id) and follow(followee_id).", "\(error?.detail ?? "")")
  }

  @Test("follow keys of several columns")
  func compositeKeys() throws {
    try db.execute(
      """
      CREATE TABLE lecture (department text, number int, PRIMARY KEY (department, number));
      CREATE TABLE listener (id int PRIMARY KEY);
      CREATE TABLE hears (listener_id int REFERENCES listener, department text, number int, term int DEFAULT 1,
        PRIMARY KEY (listener_id, department, number, term),
        FOREIGN KEY (department, number) REFERENCES lecture ON DELETE CASCADE);
      CREATE TABLE place (id int PRIMARY KEY, lecture_department text, lecture_number int,
        FOREIGN KEY (lecture_department, lecture_number) REFERENCES lecture)
      """)
    let lectures = try [("a", 1), ("a", 2), ("b", 1)].map {
      Lecture(department: $0.0, number: $0.1)
    }
    .inserted(db)
    let listeners = try (1...3).map { Listener(id: $0) }.inserted(db)
    #expect(try listeners[0].lectures.add(lectures[0...1], db) == 2)
    #expect(try lectures[2].listeners.add(listeners[1], db))
    // The same link in another term is another row, and the lecture is one.
    try db.execute("INSERT INTO hears VALUES (1, 'a', 1, 2)")
    #expect(try listeners[0].lectures.order(by: \.number).fetch(db) == Array(lectures[0...1]))
    #expect(try Listener.where { $0.lectures.count == 2 }.fetch(db) == [listeners[0]])
    #expect(
      try Listener.where { $0.lectures.contains(allOf: lectures[0...1]) }.fetch(db)
        == [listeners[0]])
    #expect(try Listener.where { !$0.lectures.contains(lectures[2]) }.count(db) == 2)
    #expect(try listeners[0].lectures.available.fetch(db) == [lectures[2]])
    #expect(try Lecture.where { $0.listeners.isEmpty }.isEmpty(db))
    #expect(try lectures[0].listeners.lectures.count(db) == 2)
    #expect(try listeners[0].sharing(\.lectures).fetch(db).isEmpty)
    #expect(
      try listeners[0].lectures.set([lectures[2], lectures[0]], db)
        == LinkChanges(added: 1, removed: 1))
    #expect(try listeners[0].sharing(\.lectures).fetch(db).map(\.count) == [1])
    #expect(try listeners[0].lectures.remove(lectures, db) == 3)
    let places = try (1...2).map { Place(id: $0) }.inserted(db)
    #expect(try lectures[0].rooms.add(places, db) == 2)
    #expect(try places[0].refreshed(db)?.lecture.fetch(db) == lectures[0])
    #expect(try Place.where { $0.lecture.any { $0.department == "a" } }.count(db) == 2)
    #expect(try lectures[0].rooms.set([places[1]], db) == LinkChanges(added: 0, removed: 1))
    #expect(
      try Lecture.order(by: \.department).order(by: \.number).with(\.rooms).fetch(db)
        .map(\.related.count) == [1, 0, 0])
  }

  @Test("say what is wrong with them")
  func wrong() throws {
    let error = #expect(throws: SQLError.self) { try Student().courses.fetch(db) }
    #expect(error?.state == .objectNotInPrerequisiteState)
    #expect(error?.message == "student has no id yet")
    #expect(state { try students[0].courses.add(Course(), db) } == .objectNotInPrerequisiteState)
    #expect(state { try students[0].courses.add(Course(id: 77), db) } == .foreignKeyViolation)
    struct Room: Record {
      var id: Int?
      struct Relations: Sendable { let students = Many<Student>() }
      static let relations = Relations()
    }
    try db.execute(
      "CREATE TABLE room (id int PRIMARY KEY); CREATE TABLE lives_in (room_id int REFERENCES room, student_id int REFERENCES student)"
    )
    let keyless = #expect(throws: SQLError.self) { try Room(id: 1).students.fetch(db) }
    #expect(keyless?.state == .invalidForeignKey)
    #expect(keyless?.hint == "ALTER TABLE lives_in ADD PRIMARY KEY (room_id, student_id);")
    try db.execute("DROP TABLE lives_in")
    #expect(state { _ = try Room(id: 1).students.fetch(db) } == .undefinedColumn)
  }

  @Test("are one statement each")
  func statements() throws {
    let count = Mutex(0)
    db.trace { _ in count.withLock { $0 += 1 } }
    _ = try students[0].courses.students.excluding(students[0]).fetch(db)
    try students[0].courses.set([courses[0]], db)
    _ = try Student.where { $0.courses.contains(allOf: courses) }.count(db)
    #expect(count.withLock { $0 } == 3)
  }
}
