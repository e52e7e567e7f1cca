/// Loops that count in arrays, one counter a course.
extension Loops {
  /// B4: the twenty pairs of courses with most students in common, by counting every pair of every student.
  ///
  /// A counter for each pair of courses would be a table far larger than the caches. So the pairs are first dealt out
  /// by ranges of their first course, in the order of the students, and then each range is counted in a table of its own that
  /// stays in the cache.
  func topPairs() {
    let ranges = PairRanges(courses: school.courses)
    let ends = scratch.pairEnds(ranges.count)
    countPairs(ranges, ends)
    let pairs = scratch.pairs(place(ends, ranges.count))
    dealPairs(ranges, ends, to: pairs)
    let tops = (0..<threads).map { _ in TopRows(limit: 20) }
    let tables = scratch.pairTables(ranges.width * school.courses)
    Threads.run(threads) { thread in
      var range = thread
      while range < ranges.count {
        // The places were moved on by dealing: each thread's end is the next one's start.
        let last = ends[threads &- 1][range]
        let start = range == 0 ? 0 : ends[threads &- 1][range &- 1]
        count(pairs, Int(start)..<Int(last), ranges, range, tables[thread], tops[thread])
        range &+= threads
      }
    }
    giveTop(tops)
  }

  /// B9: the twenty pairs of courses with most prerequisites in common, course by course: few others need the same, so
  /// the counters that were touched are noted, and only those are read and cleared.
  func topPairsByNeed() {
    let (required, needs) = (school.required, school.required.targets)
    let (requiring, others) = (school.requiring, school.requiring.targets)
    let tops = (0..<threads).map { _ in TopRows(limit: 20) }
    Threads.run(threads) { thread in
      let (counts, touched) = (scratch.courseCounts[thread], scratch.stack[thread])
      let top = tops[thread]
      counts.clear(school.courses)
      for course in Threads.share(school.courses, thread: thread, of: threads) {
        var touchedCount = 0
        for index in required.start(course)..<required.end(course) {
          let need = Int(truncatingIfNeeded: needs[index])
          var place = requiring.end(need)
          while place > requiring.start(need) {
            place &-= 1
            let other = others[place]
            if Int(truncatingIfNeeded: other) <= course { break }
            if counts[other] == 0 {
              touched[touchedCount] = other
              touchedCount &+= 1
            }
            counts[other] &+= 1
          }
        }
        for place in 0..<touchedCount {
          let other = touched[place]
          if counts[other] >= max(1, top.least) {
            top.offer(.init(count: counts[other], first: Int32(course), second: other))
          }
          counts[other] = 0
        }
      }
    }
    giveTop(tops)
  }

  /// Makes the rows of what the threads found greatest.
  private func giveTop(_ tops: [TopRows]) {
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

  /// Counts the pairs of each thread's students in each range.
  private func countPairs(_ ranges: PairRanges, _ counts: [Cells<UInt64>]) {
    let (taken, targets) = (school.coursesOfStudent, school.coursesOfStudent.targets)
    Threads.run(threads) { thread in
      let count = counts[thread]
      for range in 0..<ranges.count { count[range] = 0 }
      for student in Threads.share(school.students, thread: thread, of: threads) {
        let (start, end) = (taken.start(student), taken.end(student))
        for index in start..<end {
          let range = Int(truncatingIfNeeded: targets[index]) &>> ranges.shift
          count[range] &+= UInt64(truncatingIfNeeded: end &- index &- 1)
        }
      }
    }
  }

  /// Turns counts into the places where each thread's pairs of each range begin; gives their sum.
  private func place(_ counts: [Cells<UInt64>], _ ranges: Int) -> Int {
    var next: UInt64 = 0
    for range in 0..<ranges {
      for thread in 0..<threads {
        let count = counts[thread][range]
        counts[thread][range] = next
        next &+= count
      }
    }
    return Int(next)
  }

  /// Writes each pair, as its place in the table of its range, to that range's part of `pairs`.
  private func dealPairs(
    _ ranges: PairRanges, _ places: [Cells<UInt64>], to pairs: Cells<UInt32>
  ) {
    let (taken, targets) = (school.coursesOfStudent, school.coursesOfStudent.targets)
    let courses = school.courses
    Threads.run(threads) { thread in
      let next = places[thread]
      for student in Threads.share(school.students, thread: thread, of: threads) {
        let end = taken.end(student)
        for index in taken.start(student)..<end {
          let course = Int(truncatingIfNeeded: targets[index])
          let range = course &>> ranges.shift
          let row = UInt32(truncatingIfNeeded: (course & ranges.mask) &* courses)
          var place = Int(truncatingIfNeeded: next[range])
          for later in index &+ 1..<end {
            pairs[place] = row &+ UInt32(truncatingIfNeeded: targets[later])
            place &+= 1
          }
          next[range] = UInt64(truncatingIfNeeded: place)
        }
      }
    }
  }

  private func count(
    _ pairs: Cells<UInt32>, _ places: Range<Int>, _ ranges: PairRanges, _ range: Int,
    _ table: Cells<UInt32>, _ top: TopRows
  ) {
    for place in places { table[Int(truncatingIfNeeded: pairs[place])] &+= 1 }
    let first = range &* ranges.width
    for course in first..<min(school.courses, first &+ ranges.width) {
      let start = (course &- first) &* school.courses
      for other in course &+ 1..<max(course &+ 1, school.courses)
      where table[start &+ other] >= max(1, top.least) {
        top.offer(
          .init(count: table[start &+ other], first: Int32(course), second: Int32(other)))
      }
    }
    table.clear(ranges.width &* school.courses)
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

/// Ranges of courses whose counters of pairs fit the second cache, as far as there are not too many of them.
struct PairRanges {
  let shift: Int
  let count: Int
  var width: Int { 1 << shift }
  var mask: Int { width - 1 }

  init(courses: Int) {
    var shift = 0
    while shift < 20,
      (2 << shift) * courses * 4 <= 4 << 20 || (courses >> shift) >= 512
    {
      shift += 1
    }
    self.shift = shift
    count = (courses + (1 << shift) - 1) >> shift
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
