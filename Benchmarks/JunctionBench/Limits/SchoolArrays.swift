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

  /// The text as a string, for work that is not timed.
  func string(_ index: Int) -> String {
    let start = Int(starts[index])
    return String(
      decoding: (0..<Int(lengths[index])).lazy.map { bytes[start + $0] }, as: UTF8.self)
  }
}

/// The first and last names of people: both lie side by side in a file's bytes, and one word says where.
@safe struct PeopleNames: Sendable {
  let bytes: Cells<UInt8>
  /// Where the first name starts, and from bit 32 and 40 on the bytes of the first and the last name.
  private let words: Cells<UInt64>

  var capacity: Int { words.count }

  init(bytes: Cells<UInt8>, count: Int) {
    self.bytes = bytes
    words = Cells(count: count)
  }

  func free() { words.free() }

  func has(_ row: Int) -> Bool { words[row] != 0 }

  /// - Precondition: the last name follows the first and a comma; both are shorter than 256 bytes.
  @inline(__always)
  func set(_ row: Int, first: Range<Int>, last: Range<Int>) {
    words[row] =
      UInt64(truncatingIfNeeded: first.lowerBound) | UInt64(truncatingIfNeeded: first.count) &<< 32
      | UInt64(truncatingIfNeeded: last.count) &<< 40
  }

  /// Where each name starts and how many bytes it has.
  @inline(__always)
  subscript(row: Int32) -> (first: Int, firstLength: Int, last: Int, lastLength: Int) {
    let word = words[row]
    let start = Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
    let length = Int(truncatingIfNeeded: word &>> 32 & 0xFF)
    return (start, length, start &+ length &+ 1, Int(truncatingIfNeeded: word &>> 40))
  }

  func longest(_ count: Int) -> Int {
    var longest = 0
    for row in 0..<count {
      let name = self[Int32(row)]
      longest = max(longest, name.firstLength + name.lastLength)
    }
    return longest
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
  /// The other direction of `required`.
  let requiring: Adjacency
  let courseNames: TextCells
  let names: PeopleNames
  /// The courses in the order of their names' bytes.
  let coursesByName: Cells<Int32>
  /// The bytes of the longest pair of names.
  let longestNames: Int
  private let files: [Cells<UInt8>]

  init(
    students: Int, courses: Int, enrolments: Int, coursesOfStudent: Adjacency,
    studentsOfCourse: Adjacency, required: Adjacency, requiring: Adjacency,
    courseNames: TextCells, names: PeopleNames, coursesByName: Cells<Int32>,
    files: [Cells<UInt8>]
  ) {
    self.students = students
    self.courses = courses
    self.enrolments = enrolments
    self.coursesOfStudent = coursesOfStudent
    self.studentsOfCourse = studentsOfCourse
    self.required = required
    self.requiring = requiring
    self.courseNames = courseNames
    self.names = names
    self.coursesByName = coursesByName
    self.files = files
    longestNames = names.longest(students)
  }

  deinit {
    coursesOfStudent.free()
    studentsOfCourse.free()
    required.free()
    requiring.free()
    courseNames.free()
    names.free()
    coursesByName.free()
    for file in files { file.free() }
  }
}
