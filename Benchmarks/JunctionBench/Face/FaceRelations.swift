import Junction

/// Relations that are followed, forward, backward and down.
final class FaceRelations {
  private let database: Database
  private let courses: SQLiteStatement
  private let available: SQLiteStatement
  private let nested: SQLiteStatement
  private let firstOfOrder: SQLiteStatement
  /// The students that are asked about, one after another.
  private let students: [FaceStudent]
  private var next = 0

  init(_ database: Database, _ sqlite: SQLiteDatabase) throws {
    self.database = database
    courses = try SQLiteStatement(
      sqlite,
      "SELECT c.id, c.short_code, c.name FROM enrols_in e JOIN course c ON c.id = e.course_id WHERE e.student_id = ?"
    )
    available = try SQLiteStatement(
      sqlite,
      "SELECT id, short_code, name FROM course c WHERE NOT EXISTS (SELECT 1 FROM enrols_in e WHERE e.student_id = ? AND e.course_id = c.id)"
    )
    nested = try SQLiteStatement(
      sqlite,
      "SELECT c.id, c.name, s.first_name, s.last_name FROM nested_course c JOIN nested_link l ON l.course_id = c.id JOIN nested_student s ON s.id = l.student_id ORDER BY c.id, s.id"
    )
    firstOfOrder = try SQLiteStatement(
      sqlite,
      "SELECT c.id, c.short_code, c.name FROM enrols_in e JOIN course c ON c.id = e.course_id WHERE e.student_id = ? ORDER BY c.name, c.id LIMIT 3"
    )
    students = try FaceStudent.order(by: \.id).limit(5000).fetch(database)
  }

  /// Another student for each execution; both sides ask for the same ones.
  private func student() -> FaceStudent {
    next = (next &+ 1) % 64
    return students[next * 71 % students.count]
  }

  var lines: [FaceRun.Line] {
    let database = database
    return [
      FaceRun.Line(
        name: "courses of one student, by relation", goal: 0.4,
        junction: { [self] in
          try Self.digest(student().courses.fetch(database))
        },
        peer: { [self] in try Self.digest(peerCourses(courses, student())) }, repetitions: 2048,
        afterwards: { [self] in next = 0 }),
      FaceRun.Line(
        name: "the same, RowDecodable", goal: 0.4,
        junction: { [self] in try Self.digest(student().fastCourses.fetch(database)) },
        peer: { [self] in try Self.digest(peerCourses(courses, student())) }, repetitions: 2048,
        afterwards: { [self] in next = 0 }),
      FaceRun.Line(
        name: "the first 3 courses of one student by name", goal: 0.4,
        junction: { [self] in
          try Self.digest(
            student().courses.order(by: \.name).order(by: \.id).limit(3).fetch(database))
        },
        peer: { [self] in try Self.digest(peerCourses(firstOfOrder, student())) },
        repetitions: 2048, afterwards: { [self] in next = 0 }),
      FaceRun.Line(
        name: "available courses of one student", goal: 0.1,
        junction: { [self] in try Self.digest(student().courses.available.fetch(database)) },
        peer: { [self] in try Self.digest(peerCourses(available, student())) }, repetitions: 8,
        afterwards: { [self] in next = 0 }),
      FaceRun.Line(
        name: "the same, RowDecodable", goal: 0.1,
        junction: { [self] in
          try Self.digest(student().fastCourses.available.fetch(database))
        },
        peer: { [self] in try Self.digest(peerCourses(available, student())) }, repetitions: 8,
        afterwards: { [self] in next = 0 }),
      FaceRun.Line(
        name: "how many are available", goal: 0.1,
        junction: { [self] in try student().courses.available.count(database) },
        peer: { [self] in try peerCourses(available, student()).count }, repetitions: 8,
        afterwards: { [self] in next = 0 }),
      FaceRun.Line(
        name: "5,000 courses with 50,000 students, as shape", goal: 0.5,
        junction: {
          Self.digest(
            try NestedCourse.order(by: \.id).shaped(as: CourseCard.self).fetch(database))
        }, peer: { [self] in Self.digest(try peerCards()) }),
    ]
  }

  private func peerCourses(
    _ statement: SQLiteStatement, _ student: FaceStudent
  ) throws -> [FaceCourse] {
    statement.reset()
    statement.bind(1, Int64(student.id))
    var rows: [FaceCourse] = []
    while try statement.step() {
      rows.append(
        FaceCourse(
          id: Int(statement.integer(0)), shortCode: statement.text(1), name: statement.text(2)))
    }
    return rows
  }

  private func peerCards() throws -> [CourseCard] {
    nested.reset()
    var cards: [CourseCard] = []
    while try nested.step() {
      let id = Int(nested.integer(0))
      if cards.last?.id != id {
        cards.append(CourseCard(id: id, name: nested.text(1) ?? "", students: []))
      }
      cards[cards.count - 1].students.append(
        CourseCard.StudentCard(firstName: nested.text(2) ?? "", lastName: nested.text(3) ?? ""))
    }
    return cards
  }

  private static func digest(_ rows: [FaceCourse]) -> Int {
    rows.reduce(rows.count) { $0 &+ $1.id }
  }

  private static func digest(_ rows: [FastFaceCourse]) -> Int {
    rows.reduce(rows.count) { $0 &+ $1.id }
  }

  private static func digest(_ cards: [CourseCard]) -> Int {
    cards.reduce(0) { sum, card in
      sum &+ card.id &* card.students.count &+ (card.students.last?.lastName.utf8.count ?? 0)
    }
  }
}
