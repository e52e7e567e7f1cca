/// Texts that lie in a file's bytes.
@safe struct TextCells: Sendable {
  let bytes: Cells<UInt8>
  let starts: Cells<UInt32>
  let lengths: Cells<UInt8>

  init(bytes: Cells<UInt8>, count: Int) {
    self.bytes = bytes
    starts = Cells(count: count)
    lengths = Cells(count: count)
  }

  func free() {
    starts.free()
    lengths.free()
  }

  /// The bytes of the longest text.
  func longest(_ count: Int) -> Int {
    var longest: UInt8 = 0
    for row in 0..<count { longest = max(longest, lengths[row]) }
    return Int(longest)
  }

  /// The text as a string, for work that is not timed.
  func string(_ index: Int) -> String {
    let start = Int(starts[index])
    return String(
      decoding: (0..<Int(lengths[index])).lazy.map { bytes[start + $0] }, as: UTF8.self)
  }
}

/// Neighbours of each row in one long array: those of row *r* from `offsets[r]` to `offsets[r + 1]`.
@safe struct Adjacency: Sendable {
  let offsets: Cells<UInt32>
  let targets: Cells<Int32>

  @inline(__always) func start(_ row: Int) -> Int { Int(truncatingIfNeeded: offsets[row]) }
  @inline(__always) func end(_ row: Int) -> Int { Int(truncatingIfNeeded: offsets[row &+ 1]) }
  @inline(__always) func degree(_ row: Int) -> Int { end(row) &- start(row) }

  func free() {
    offsets.free()
    targets.free()
  }
}

/// A school as plain arrays, as one would write it by hand for these queries alone.
///
/// A row is its key less one; the loader has checked that keys are 1, 2, 3, …, that enrolments are distinct and
/// that both sides exist. Both directions of every relationship are sorted.
final class SchoolArrays: Sendable {
  let students: Int
  let courses: Int
  let enrolments: Int
  let coursesOfStudent: Adjacency
  let studentsOfCourse: Adjacency
  let required: Adjacency
  let courseNames: TextCells
  let firstNames: TextCells
  let lastNames: TextCells
  /// The courses in the order of their names' bytes.
  let coursesByName: Cells<Int32>
  let longestFirstName: Int
  let longestLastName: Int
  private let files: [Cells<UInt8>]

  init(
    students: Int, courses: Int, enrolments: Int, coursesOfStudent: Adjacency,
    studentsOfCourse: Adjacency, required: Adjacency, courseNames: TextCells,
    firstNames: TextCells, lastNames: TextCells, coursesByName: Cells<Int32>,
    files: [Cells<UInt8>]
  ) {
    self.students = students
    self.courses = courses
    self.enrolments = enrolments
    self.coursesOfStudent = coursesOfStudent
    self.studentsOfCourse = studentsOfCourse
    self.required = required
    self.courseNames = courseNames
    self.firstNames = firstNames
    self.lastNames = lastNames
    self.coursesByName = coursesByName
    self.files = files
    longestFirstName = firstNames.longest(students)
    longestLastName = lastNames.longest(students)
  }

  deinit {
    coursesOfStudent.free()
    studentsOfCourse.free()
    required.free()
    courseNames.free()
    firstNames.free()
    lastNames.free()
    coursesByName.free()
    for file in files { file.free() }
  }
}
