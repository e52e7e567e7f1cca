/// What a small school has, in the plainest form: what sessions that change the database are compared with.
struct SchoolModel: Equatable {
  struct Edge: Hashable {
    var student: Int
    var course: Int
  }
  struct Note: Equatable {
    var student: Int
    var mark: Int?
  }
  var students: Set<Int> = []
  var courses: [Int: String] = [:]
  var edges: Set<Edge> = []
  var notes: [Int: Note] = [:]

  static let schema = """
    CREATE TABLE student (id int PRIMARY KEY);
    CREATE TABLE course (id int PRIMARY KEY, name text);
    CREATE TABLE enrols_in (
      student_id int REFERENCES student, course_id int REFERENCES course,
      PRIMARY KEY (student_id, course_id));
    CREATE TABLE note (
      id bigint PRIMARY KEY, student_id int NOT NULL REFERENCES student, mark smallint);
    CREATE INDEX ON note (mark);
    """

  /// The statements that `write` knows, by their place; the first seven are changes of one row.
  static let writes = [
    "INSERT INTO enrols_in VALUES ($1, $2)",
    "DELETE FROM enrols_in WHERE student_id = $1 AND course_id = $2",
    "INSERT INTO note VALUES ($1, $2, $3)",
    "DELETE FROM note WHERE id = $1",
    "INSERT INTO course VALUES ($1, $2)",
    "INSERT INTO student VALUES ($1)",
    "DELETE FROM course WHERE id = $1",
    "DELETE FROM student WHERE id = $1",
    "INSERT INTO enrols_in SELECT $1, id FROM course WHERE id BETWEEN $2 AND $3",
    "DELETE FROM enrols_in WHERE course_id = $1",
    "UPDATE enrols_in SET course_id = $3 WHERE student_id = $1 AND course_id = $2",
    "UPDATE note SET mark = $2 WHERE id = $1",
    "UPDATE note SET student_id = $2 WHERE id = $1",
    "UPDATE course SET name = $2 WHERE id = $1",
  ]

  /// What becomes of a statement.
  enum Outcome: Equatable {
    case rows(Int)
    case error(String)

    static let duplicate = Outcome.error("23505")
    static let violation = Outcome.error("23503")
  }

  /// Carries out a statement with whole numbers; the name of a course is made of its second.
  mutating func write(_ statement: Int, _ values: [Int]) -> Outcome {
    switch statement {
    case 0: return insert([Edge(student: values[0], course: values[1])])
    case 1:
      return .rows(edges.remove(Edge(student: values[0], course: values[1])) == nil ? 0 : 1)
    case 2:
      if notes[values[0]] != nil { return .duplicate }
      if !students.contains(values[1]) { return .violation }
      notes[values[0]] = Note(student: values[1], mark: values[2])
      return .rows(1)
    case 3: return .rows(notes.removeValue(forKey: values[0]) == nil ? 0 : 1)
    case 4:
      if courses[values[0]] != nil { return .duplicate }
      courses[values[0]] = Self.name(values[1])
      return .rows(1)
    case 5: return students.insert(values[0]).inserted ? .rows(1) : .duplicate
    case 6:
      if edges.contains(where: { $0.course == values[0] }) { return .violation }
      return .rows(courses.removeValue(forKey: values[0]) == nil ? 0 : 1)
    case 7:
      if edges.contains(where: { $0.student == values[0] })
        || notes.values.contains(where: { $0.student == values[0] })
      {
        return .violation
      }
      return .rows(students.remove(values[0]) == nil ? 0 : 1)
    default: return writeMore(statement, values)
    }
  }

  private mutating func writeMore(_ statement: Int, _ values: [Int]) -> Outcome {
    switch statement {
    case 8:
      return insert(
        courses.keys.filter { $0 >= values[1] && $0 <= values[2] }
          .map { Edge(student: values[0], course: $0) })
    case 9:
      let gone = edges.filter { $0.course == values[0] }
      edges.subtract(gone)
      return .rows(gone.count)
    case 10:
      guard edges.contains(Edge(student: values[0], course: values[1])) else { return .rows(0) }
      let moved = Edge(student: values[0], course: values[2])
      if values[1] == values[2] { return .rows(1) }
      if edges.contains(moved) { return .duplicate }
      if courses[values[2]] == nil { return .violation }
      edges.remove(Edge(student: values[0], course: values[1]))
      edges.insert(moved)
      return .rows(1)
    case 11:
      if notes[values[0]] == nil { return .rows(0) }
      notes[values[0]]?.mark = values[1]
      return .rows(1)
    case 12:
      if notes[values[0]] == nil { return .rows(0) }
      if !students.contains(values[1]) { return .violation }
      notes[values[0]]?.student = values[1]
      return .rows(1)
    default:
      if courses[values[0]] == nil { return .rows(0) }
      courses[values[0]] = Self.name(values[1])
      return .rows(1)
    }
  }

  private mutating func insert(_ new: [Edge]) -> Outcome {
    if new.contains(where: edges.contains) { return .duplicate }
    let isWhole = new.allSatisfy {
      students.contains($0.student) && courses[$0.course] != nil
    }
    if !isWhole { return .violation }
    edges.formUnion(new)
    return .rows(new.count)
  }

  /// Some names take more than the twelve bytes that stand in a column itself.
  static func name(_ number: Int) -> String {
    number % 3 == 0 ? "a course with a long name \(number % 7)" : "c\(number % 7)"
  }

  /// The queries that `rows` answers, and whether their rows come in an order.
  static let reads = [
    (
      "SELECT c.id FROM enrols_in e JOIN course c ON c.id = e.course_id WHERE e.student_id = $1",
      false
    ),
    (
      "SELECT s.id FROM enrols_in e JOIN student s ON s.id = e.student_id WHERE e.course_id = $1",
      false
    ),
    ("SELECT count(*) FROM enrols_in", false),
    (
      "SELECT c.id, c.name FROM course c WHERE NOT EXISTS (SELECT 1 FROM enrols_in e"
        + " WHERE e.course_id = c.id AND e.student_id = $1) ORDER BY c.name, c.id", true
    ),
    (
      "SELECT count(*) FROM course c WHERE NOT EXISTS (SELECT 1 FROM enrols_in e"
        + " WHERE e.course_id = c.id AND e.student_id = $1)", false
    ),
    (
      "SELECT c.id, count(e.student_id) FROM course c LEFT JOIN enrols_in e"
        + " ON e.course_id = c.id GROUP BY c.id", false
    ),
    ("SELECT id FROM note WHERE mark = $1", false),
    ("SELECT n.id FROM student s JOIN note n ON n.student_id = s.id WHERE s.id = $1", false),
    ("SELECT id, student_id, mark FROM note", false),
    ("SELECT id, name FROM course ORDER BY name, id", true),
    ("SELECT id, mark FROM note WHERE id = $1", false),
    ("SELECT student_id, course_id FROM enrols_in WHERE student_id = $1 AND course_id = 3", false),
    (
      "SELECT DISTINCT o.student_id FROM enrols_in m JOIN enrols_in o"
        + " ON o.course_id = m.course_id WHERE m.student_id = $1", false
    ),
  ]

  /// The rows of a query, its values joined, in its order or sorted as texts.
  func rows(_ query: Int, _ value: Int) -> [String] {
    switch query {
    case 0: edges.filter { $0.student == value }.map { "\($0.course)" }.sorted()
    case 1: edges.filter { $0.course == value }.map { "\($0.student)" }.sorted()
    case 2: ["\(edges.count)"]
    case 3: named(courses.filter { !edges.contains(Edge(student: value, course: $0.key)) })
    case 4:
      ["\(courses.keys.count { !edges.contains(Edge(student: value, course: $0)) })"]
    case 5:
      courses.keys.map { course in "\(course)|\(edges.count { $0.course == course })" }.sorted()
    case 6: notes.filter { $0.value.mark == value }.map { "\($0.key)" }.sorted()
    case 7: notes.filter { $0.value.student == value }.map { "\($0.key)" }.sorted()
    case 8:
      notes.map { "\($0.key)|\($0.value.student)|\($0.value.mark.map { "\($0)" } ?? "-")" }.sorted()
    case 9: named(courses)
    case 10:
      notes[value].map { ["\(value)|\($0.mark.map { "\($0)" } ?? "-")"] } ?? []
    case 11: edges.contains(Edge(student: value, course: 3)) ? ["\(value)|3"] : []
    default:
      Set(
        edges.filter { edges.contains(Edge(student: value, course: $0.course)) }
          .map { "\($0.student)" }
      ).sorted()
    }
  }

  private func named(_ courses: [Int: String]) -> [String] {
    courses.sorted { left, right in
      left.value == right.value ? left.key < right.key : left.value < right.value
    }.map { "\($0.key)|\($0.value)" }
  }
}
