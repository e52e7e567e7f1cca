import Foundation

/// How large a school is, and its pairs where a loop has read them.
struct SchoolShape {
  var students = 0
  var courses = 0
  var enrolments = 0
  var arrays: SchoolArrays?

  init(_ arrays: SchoolArrays) {
    students = arrays.students
    courses = arrays.courses
    enrolments = arrays.enrolments
    self.arrays = arrays
  }

  /// Counts the lines of a school with attributes.
  init(folder: String) throws(BenchError) {
    students = try Self.rows(of: "\(folder)/student.csv")
    courses = try Self.rows(of: "\(folder)/course.csv")
    enrolments = try Self.rows(of: "\(folder)/takes.csv")
  }

  private static func rows(of path: String) throws(BenchError) -> Int {
    let file = try Cells<UInt8>(mapping: path)
    defer { file.free() }
    return unsafe file.bytes(from: 0, count: file.count).count { $0 == 10 } - 1
  }
}
