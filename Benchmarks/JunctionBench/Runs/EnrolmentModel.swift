import Diagnostics
import Junction

/// The enrolments of a school as plain lists, changed beside the database to know what it must answer.
struct EnrolmentModel {
  /// A student and a course, both counted from 1 as their ids are.
  typealias Pair = (student: Int, course: Int)

  private(set) var pairs: [Pair] = []
  private var coursesOfStudent: [[Int32]]
  private var studentsOfCourse: [[Int32]]
  /// The last question, plus one, for which each student was counted.
  private var marks: [Int32]
  private var questions: Int32 = 0

  init(_ connection: Connection) throws(SQLError) {
    func count(_ table: String) throws(SQLError) -> Int {
      let rows = try connection.query("SELECT max(id) FROM \(table)")
      return Int(rows.value(row: 0, column: 0).integer ?? 0)
    }
    let studentCount = try count("student")
    coursesOfStudent = Array(repeating: [], count: studentCount + 1)
    studentsOfCourse = Array(repeating: [], count: try count("course") + 1)
    marks = Array(repeating: 0, count: studentCount + 1)
    let rows = try connection.query("SELECT student_id, course_id FROM enrols_in")
    pairs.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      guard let student = rows.value(row: row, column: 0).integer,
        let course = rows.value(row: row, column: 1).integer
      else { continue }
      add((Int(student), Int(course)))
    }
  }

  var studentCount: Int { coursesOfStudent.count - 1 }
  var courseCount: Int { studentsOfCourse.count - 1 }

  private mutating func add(_ pair: Pair) {
    pairs.append(pair)
    coursesOfStudent[pair.student].append(Int32(pair.course))
    studentsOfCourse[pair.course].append(Int32(pair.student))
  }

  /// Takes out any enrolment, each as likely as the others.
  mutating func removeAny(_ random: inout SplitMix) -> Pair {
    let index = random.below(pairs.count)
    let pair = pairs[index]
    pairs.swapAt(index, pairs.count - 1)
    pairs.removeLast()
    Self.remove(Int32(pair.course), from: &coursesOfStudent[pair.student])
    Self.remove(Int32(pair.student), from: &studentsOfCourse[pair.course])
    return pair
  }

  private static func remove(_ value: Int32, from list: inout [Int32]) {
    guard let index = list.firstIndex(of: value) else { return }
    list.swapAt(index, list.count - 1)
    list.removeLast()
  }

  /// Adds an enrolment that is not there, in a course that is the likelier the more students it has.
  mutating func addAny(_ random: inout SplitMix) -> Pair {
    while true {
      let student = random.below(studentCount) + 1
      let course = pairs[random.below(pairs.count)].course
      if coursesOfStudent[student].contains(Int32(course)) { continue }
      add((student, course))
      return (student, course)
    }
  }

  func courses(of student: Int) -> [Int] { coursesOfStudent[student].map { Int($0) }.sorted() }

  /// The number of others who share a course with a student.
  mutating func classmateCount(of student: Int) -> Int {
    questions += 1
    marks[student] = questions
    var count = 0
    for course in coursesOfStudent[student] {
      for other in studentsOfCourse[Int(course)] where marks[Int(other)] != questions {
        marks[Int(other)] = questions
        count += 1
      }
    }
    return count
  }

  /// Writes all enrolments as a CSV file, by student and course.
  func write(to path: String) throws(BenchError) {
    let file = FileWriter(path: path)
    try file.open()
    file.write("student_id,course_id\n")
    for student in 1...max(1, studentCount) {
      for course in courses(of: student) {
        file.write(student)
        file.write(",")
        file.write(course)
        file.write("\n")
      }
    }
    try file.close()
  }
}
