/// Loops that count in arrays, one counter a course.
extension Loops {
  /// B4: the twenty pairs of courses with most students in common, by counting every pair of every student.
  ///
  /// For one course after another, the later courses of each of its students are counted in an array that stays in
  /// the first cache. A student's courses are sorted, and so one cursor a student says where the later ones begin.
  func topPairs() {
    let bounds = pairBounds()
    let tops = (0..<threads).map { _ in TopRows(limit: 20) }
    Threads.run(threads) { thread in
      countPairs(from: bounds[thread], to: bounds[thread + 1], thread, tops[thread])
    }
    for top in tops.dropFirst() { for row in top.rows { tops[0].offer(row) } }
    let sorted = tops[0].sorted
    for (place, row) in sorted.enumerated() {
      rows.numbers[0][place] = row.first &+ 1
      rows.numbers[1][place] = row.second &+ 1
      rows.numbers[2][place] = Int32(truncatingIfNeeded: row.count)
    }
    rows.count = sorted.count
    rows.columns = Self.threeNumbers
  }

  /// Splits the courses so that each thread has about as many pairs: a course meets the share of courses behind it.
  private func pairBounds() -> [Int] {
    guard threads > 1 else { return [0, school.courses] }
    let weights = (0..<school.courses).map {
      school.studentsOfCourse.degree($0) * (school.courses - $0)
    }
    let all = weights.reduce(0, +)
    var bounds = [0]
    var sum = 0
    for course in 0..<school.courses where bounds.count < threads {
      sum += weights[course]
      if sum >= all / threads * bounds.count { bounds.append(course + 1) }
    }
    while bounds.count <= threads { bounds.append(school.courses) }
    return bounds
  }

  private func countPairs(from lower: Int, to upper: Int, _ thread: Int, _ top: TopRows) {
    let (counts, cursors) = (scratch.courseCounts[thread], scratch.cursors[thread])
    let (taken, targets) = (school.coursesOfStudent, school.coursesOfStudent.targets)
    for student in 0..<school.students {
      var cursor = taken.start(student)
      if lower > 0 {
        let end = taken.end(student)
        while cursor < end, Int(targets[cursor]) < lower { cursor &+= 1 }
      }
      cursors[student] = UInt32(truncatingIfNeeded: cursor)
    }
    counts.clear(school.courses)
    let members = school.studentsOfCourse.targets
    for course in lower..<upper {
      for index in school.studentsOfCourse.start(course)..<school.studentsOfCourse.end(course) {
        let student = members[index]
        let start = Int(truncatingIfNeeded: cursors[student]) &+ 1
        cursors[student] = UInt32(truncatingIfNeeded: start)
        for later in start..<taken.end(Int(student)) { counts[targets[later]] &+= 1 }
      }
      for other in course &+ 1..<max(course &+ 1, school.courses) where counts[other] > 0 {
        let count = counts[other]
        counts[other] = 0
        if count >= top.least {
          top.offer(.init(count: count, first: Int32(course), second: Int32(other)))
        }
      }
    }
  }

  /// B5: the ten courses that most of a student's classmates take and the student does not.
  func classmatesCourses(_ student: Int) {
    let (taken, targets) = (school.coursesOfStudent, school.coursesOfStudent.targets)
    eachStudentShare { marked, students, thread in
      let counts = scratch.courseCounts[thread]
      counts.clear(school.courses)
      markClassmates(marked, of: student, students)
      if students.contains(student) {
        marked.words[student &>> 6] &= ~(1 &<< UInt64(student & 63))
      }
      for word in words(of: students) {
        var bits = marked.words[word]
        while bits != 0 {
          let other = word &<< 6 &+ bits.trailingZeroBitCount
          bits &= bits &- 1
          for index in taken.start(other)..<taken.end(other) { counts[targets[index]] &+= 1 }
        }
      }
    }
    let counts = scratch.courseCounts[0]
    for thread in 1..<max(1, threads) {
      let others = scratch.courseCounts[thread]
      for course in 0..<school.courses { counts[course] &+= others[course] }
    }
    for index in taken.start(student)..<taken.end(student) { counts[targets[index]] = 0 }
    let top = TopRows(limit: 10)
    for course in 0..<school.courses where counts[course] >= max(1, top.least) {
      top.offer(.init(count: counts[course], first: Int32(course), second: 0))
    }
    let sorted = top.sorted
    for (place, row) in sorted.enumerated() {
      rows.numbers[0][place] = row.first &+ 1
      rows.numbers[1][place] = Int32(truncatingIfNeeded: row.count)
    }
    rows.count = sorted.count
    rows.columns = Self.twoNumbers
  }
}

/// The rows of greatest count, the smaller keys first among equals.
///
/// Sendable by rule: one thread at a time offers to it.
final class TopRows: @unchecked Sendable {
  struct Row {
    var count: UInt32
    var first: Int32
    var second: Int32

    static func isBefore(_ left: Row, _ right: Row) -> Bool {
      if left.count != right.count { return left.count > right.count }
      if left.first != right.first { return left.first < right.first }
      return left.second < right.second
    }
  }

  private(set) var rows: [Row] = []
  /// A row of a lesser count has no place any more.
  private(set) var least: UInt32 = 0
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  var sorted: [Row] { Array(rows.sorted(by: Row.isBefore).prefix(limit)) }

  /// - Complexity: O(`limit`), and most rows of a scan are below `least` before they come here.
  func offer(_ row: Row) {
    rows.append(row)
    if rows.count >= limit * 8 { cut() }
  }

  private func cut() {
    rows = sorted
    if rows.count == limit, let last = rows.last { least = last.count }
  }
}
