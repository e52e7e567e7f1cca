import Junction
import Testing

// A junction table with columns of its own, and the same columns read as memory.

// MARK: - Model

struct Pupil: Record, Hashable {
  var id: Int?
  var name: String

  struct Relations: Sendable {
    let subjects = Many<Subject>()
    let marks = Through<Mark, Subject>()  // the same links, with their own columns
  }
  static let relations = Relations()
}

struct Subject: Record, Hashable {
  var id: Int?
  var name: String

  struct Relations: Sendable { let pupils = Many<Pupil>() }
  static let relations = Relations()
}

/// A row of the junction table.
struct Mark: Record, Hashable {
  var pupilID: Int
  var subjectID: Int
  var mark: Double?
  var since: SQLDate?
}

/// A pupil with subjects, each with the row of the junction table that leads to it.
struct Report: Decodable, Sendable {
  var name: String
  var subjects: [Line]

  struct Line: Decodable, Sendable {
    var name: String
    var link: Mark
  }
}

enum Marks {
  static let seeded = Result {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE pupil (id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE subject (id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE mark (
        pupil_id int REFERENCES pupil ON DELETE CASCADE,
        subject_id int REFERENCES subject,
        mark double precision CHECK (mark BETWEEN 0 AND 100),
        since date DEFAULT '2024-09-03',
        PRIMARY KEY (pupil_id, subject_id));
      """)
    try database.write { db in
      _ = try ["John", "Jane"].map { Pupil(name: $0) }.inserted(db)
      _ = try ["Drama", "Maths", "Physics"].map { Subject(name: $0) }.inserted(db)
    }
    return database
  }
}

// MARK: - What comes of it

@Suite("Example: marks")
struct MarksExample {
  private let database: Database
  private let john: Pupil
  private let drama: Subject
  private let maths: Subject

  init() throws {
    database = try Marks.seeded.get().fork()
    john = try Pupil.where { $0.name == "John" }.one(database)
    drama = try Subject.where { $0.name == "Drama" }.one(database)
    maths = try Subject.where { $0.name == "Maths" }.one(database)
  }

  @Test("sets the columns of a link when it is made, and later by the same call")
  func adding() throws {
    try john.subjects.add(maths, database)  // a link without a mark
    try john.marks.add(drama, database) { $0.mark = 92.5 }
    try john.marks.add(maths, database) { $0.mark = 81 }  // the link that there is

    #expect(try john.subjects.count(database) == 2)
    let link = try #require(try john.marks.link(to: drama, database))
    #expect(link.mark == 92.5)
    #expect(link.since == SQLDate("2024-09-03"))

    let error = #expect(throws: SQLError.self) {
      try john.marks.add(drama, database) { $0.mark = 101 }
    }
    #expect(error?.state == .checkViolation)
    #expect(try john.marks.link(to: drama, database) == link)
  }

  @Test("gives rows with their links, links alone, and links within a shape")
  func reading() throws {
    try john.marks.add([drama, maths], database) { subject, link in
      link.mark = subject == drama ? 92.5 : 81
    }

    let linked = try john.marks.linked.fetch(database)
    #expect(linked.map { "\($0.name): \($0.link.mark ?? 0)" } == ["Drama: 92.5", "Maths: 81.0"])

    let good = try john.marks.links.where { $0.mark > 90 }.fetch(database)
    #expect(good.map(\.subjectID) == [drama.id])

    let report = try Pupil.where { $0.name == "John" }.shaped(as: Report.self).one(database)
    #expect(report.subjects.map(\.link.mark) == [92.5, 81])
  }

  @Test("reads and writes whole columns")
  func columns() throws {
    let pupils = (3...1002).map { (id: Int) in Pupil(id: id, name: "P\(id)") }
    try database.insert(pupils, into: "pupil")
    let marks = pupils.indices.map { Double($0 % 101) }
    try database.append(
      [
        ColumnInput("pupil_id", pupils.map(\.id)),
        ColumnInput("subject_id", pupils.map { _ in maths.id }),
        ColumnInput("mark", marks),
      ], to: "mark")

    let rows = try database.query("SELECT mark FROM mark WHERE subject_id = \(maths.id)")
    var sum = 0.0
    try rows.column("mark", as: Double.self).withSpans { values, _ in
      for index in values.indices { sum += values[index] }
    }
    #expect(sum == marks.reduce(0, +))

    let average = try database.fetchOne(Double.self, "SELECT avg(mark) FROM mark")
    #expect(average == sum / Double(marks.count))
  }
}
