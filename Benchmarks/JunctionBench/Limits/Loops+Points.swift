/// The queries as loops over plain arrays, doing exactly that and nothing else.
///
/// Each writes its rows to `rows`, where the harness reads every value as it does for the engines. Anti-joins are
/// done row by row (mark, then look), not answered by a difference of degrees.
struct Loops {
  let school: SchoolArrays
  let scratch: LimitScratch
  let threads: Int

  var rows: LimitRows { scratch.rows }

  /// P1 and A1: keys and names of a student's courses.
  func coursesOfStudent(_ student: Int) {
    let names = school.courseNames
    let (numbers, starts, lengths) = (rows.numbers[0], rows.starts[0], rows.lengths[0])
    let targets = school.coursesOfStudent.targets
    var count = 0
    for index in school.coursesOfStudent.start(student)..<school.coursesOfStudent.end(student) {
      let course = targets[index]
      numbers[count] = course &+ 1
      starts[count] = UInt64(truncatingIfNeeded: names.starts[course])
      lengths[count] = UInt32(truncatingIfNeeded: names.lengths[course])
      count &+= 1
    }
    finish(count, texts: names.bytes)
  }

  /// P2: keys and last names of a course's students.
  func studentsOfCourse(_ course: Int) {
    let names = school.names
    let (numbers, starts, lengths) = (rows.numbers[0], rows.starts[0], rows.lengths[0])
    let targets = school.studentsOfCourse.targets
    var count = 0
    for index in school.studentsOfCourse.start(course)..<school.studentsOfCourse.end(course) {
      let student = targets[index]
      let name = names[student]
      numbers[count] = student &+ 1
      starts[count] = UInt64(truncatingIfNeeded: name.last)
      lengths[count] = UInt32(truncatingIfNeeded: name.lastLength)
      count &+= 1
    }
    finish(count, texts: names.bytes)
  }

  /// P3: the courses that a student does not take, by name.
  func availableCourses(_ student: Int) {
    let names = school.courseNames
    let taken = markCourses(of: student)
    let (numbers, starts, lengths) = (rows.numbers[0], rows.starts[0], rows.lengths[0])
    let order = school.coursesByName
    var count = 0
    for place in 0..<school.courses {
      let course = order[place]
      numbers[count] = course &+ 1
      starts[count] = UInt64(truncatingIfNeeded: names.starts[course])
      lengths[count] = UInt32(truncatingIfNeeded: names.lengths[course])
      // A row that is not wanted is written over by the next: no branch to guess.
      if !taken.contains(Int(course)) { count &+= 1 }
    }
    finish(count, texts: names.bytes)
  }

  /// P3c: their number.
  func availableCourseCount(_ student: Int) {
    let taken = markCourses(of: student)
    rows.set(school.courses &- taken.population(from: 0, to: taken.words.count))
  }

  private func markCourses(of student: Int) -> Bits {
    let taken = scratch.courseBits[0]
    taken.clear()
    let targets = school.coursesOfStudent.targets
    for index in school.coursesOfStudent.start(student)..<school.coursesOfStudent.end(student) {
      taken.insert(targets[index])
    }
    return taken
  }

  private func finish(_ count: Int, texts: Cells<UInt8>) {
    rows.count = count
    rows.heaps[0] = texts
    rows.columns = Self.keyAndText
  }

  private static let keyAndText: [LimitRows.Column] = [.number(0), .text(0)]
  static let twoNumbers: [LimitRows.Column] = [.number(0), .number(1)]
  static let threeNumbers: [LimitRows.Column] = [.number(0), .number(1), .number(2)]

  /// A number of each thread's, in cache lines apart.
  func setSum(_ value: Int, thread: Int) { scratch.sums[thread &* 16] = value }

  var sumOfThreads: Int {
    var sum = 0
    for thread in 0..<threads { sum &+= scratch.sums[thread &* 16] }
    return sum
  }
}
