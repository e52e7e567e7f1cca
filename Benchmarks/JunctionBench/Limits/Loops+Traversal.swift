/// Loops that go along relationships again and again.
extension Loops {
  /// B6: the number of students within so many classmate hops of a student, the student included.
  ///
  /// A hop goes from the new courses to their students, or, where those are most of all enrolments, from each student
  /// not yet reached to any course that is. Both sides of a hop are bitmaps.
  func studentsWithin(_ hops: Int, of student: Int) {
    let reached = scratch.studentBits[0]
    let courses = scratch.courseBits[0]
    reached.clear()
    courses.clear()
    guard school.coursesOfStudent.degree(student) > 0 else { return rows.set(0) }
    scratch.stack[0][0] = Int32(truncatingIfNeeded: student)
    reached.insert(Int32(truncatingIfNeeded: student))
    var fresh = 1
    var total = 1
    for hop in 1...hops {
      let (found, edges) = markCourses(ofFresh: fresh, courses)
      if found == 0 { break }
      // Looking from the other side stops at a student's first reached course: about two looks each.
      let looksBack = edges > (school.students &- total) &* 2
      if threads > 1 {
        fresh = hopTogether(looksBack, found, reached, courses, keeps: hop < hops)
      } else if looksBack {
        fresh = lookBack(0..<school.students, reached, courses, thread: 0)
      } else {
        fresh = goOn(found, reached)
      }
      total &+= fresh
      if total == school.students { break }
    }
    rows.set(total)
  }

  /// Marks the courses of the students on the stack that are new, and lists them.
  ///
  /// - Returns: the number of the new courses and that of their enrolments.
  private func markCourses(ofFresh count: Int, _ courses: Bits) -> (found: Int, edges: Int) {
    let (taken, targets) = (school.coursesOfStudent, school.coursesOfStudent.targets)
    let (list, students) = (scratch.stamps[0], scratch.stack[0])
    var unknown = school.courses &- courses.population(from: 0, to: courses.words.count)
    var found = 0
    var edges = 0
    for place in 0..<count {
      if unknown == 0 { break }
      let student = Int(students[place])
      for index in taken.start(student)..<taken.end(student) {
        let course = targets[index]
        if courses.contains(Int(course)) { continue }
        courses.insert(course)
        list[found] = UInt32(truncatingIfNeeded: course)
        found &+= 1
        unknown &-= 1
        edges &+= school.studentsOfCourse.degree(Int(course))
      }
    }
    return (found, edges)
  }

  /// Reaches the students of the new courses; those that are new become the stack.
  private func goOn(_ found: Int, _ reached: Bits) -> Int {
    let members = school.studentsOfCourse.targets
    let (list, students) = (scratch.stamps[0], scratch.stack[0])
    var count = 0
    for place in 0..<found {
      let course = Int(list[place])
      for index in school.studentsOfCourse.start(course)..<school.studentsOfCourse.end(course) {
        let student = members[index]
        students[count] = student
        if !reached.contains(Int(student)) { count &+= 1 }
        reached.insert(student)
      }
    }
    return count
  }

  /// Reaches those students of a range who take a reached course; they become the thread's stack.
  private func lookBack(
    _ students: Range<Int>, _ reached: Bits, _ courses: Bits, thread: Int
  ) -> Int {
    let (taken, targets) = (school.coursesOfStudent, school.coursesOfStudent.targets)
    let stack = scratch.stack[thread]
    var count = 0
    for word in words(of: students) {
      var left = ~reached.words[word]
      let bits = students.upperBound &- word &<< 6
      if bits < 64 { left &= (1 &<< UInt64(bits)) &- 1 }
      var new: UInt64 = 0
      while left != 0 {
        let bit = left.trailingZeroBitCount
        left &= left &- 1
        let student = word &<< 6 &+ bit
        for index in taken.start(student)..<taken.end(student)
        where courses.contains(Int(targets[index])) {
          new |= 1 &<< UInt64(bit)
          stack[count] = Int32(truncatingIfNeeded: student)
          count &+= 1
          break
        }
      }
      reached.words[word] |= new
    }
    return count
  }

  /// One hop by two threads, each for its share of the students; gives the number of new ones.
  private func hopTogether(
    _ looksBack: Bool, _ found: Int, _ reached: Bits, _ courses: Bits, keeps: Bool
  ) -> Int {
    let (students, threads) = (school.students, threads)
    let before = scratch.studentBits[1]
    Threads.run(threads) { thread in
      let share = Threads.share(students, thread: thread, of: threads, step: 64)
      if looksBack {
        setSum(lookBack(share, reached, courses, thread: thread), thread: thread)
        return
      }
      let words = words(of: share)
      for word in words { before.words[word] = reached.words[word] }
      for place in 0..<found {
        mark(reached, course: Int32(truncatingIfNeeded: scratch.stamps[0][place]), share)
      }
      let stack = scratch.stack[thread]
      var count = 0
      for word in words {
        var new = reached.words[word] & ~before.words[word]
        if !keeps {
          count &+= new.nonzeroBitCount
          continue
        }
        while new != 0 {
          stack[count] = Int32(truncatingIfNeeded: word &<< 6 &+ new.trailingZeroBitCount)
          new &= new &- 1
          count &+= 1
        }
      }
      setSum(count, thread: thread)
    }
    if keeps {
      var count = scratch.sums[0]
      for thread in 1..<threads {
        let more = scratch.sums[thread &* 16]
        scratch.stack[0].copy(from: scratch.stack[thread], at: 0, count: more, to: count)
        count &+= more
      }
    }
    return sumOfThreads
  }

  /// B7: the number of courses that a course needs, directly or not.
  func closureOfCourse(_ course: Int) {
    scratch.stamps[0].clear(school.courses)
    rows.set(closure(course, stamp: 1, thread: 0))
  }

  /// B7 for all courses: the number of pairs of a course and one that it needs.
  func closureOfAll() {
    Threads.run(threads) { thread in
      scratch.stamps[thread].clear(school.courses)
      var sum = 0
      var course = thread
      while course < school.courses {
        sum &+= closure(course, stamp: UInt32(truncatingIfNeeded: course &+ 1), thread: thread)
        course &+= threads
      }
      setSum(sum, thread: thread)
    }
    rows.set(sumOfThreads)
  }

  private func closure(_ course: Int, stamp: UInt32, thread: Int) -> Int {
    let (stamps, stack) = (scratch.stamps[thread], scratch.stack[thread])
    let targets = school.required.targets
    var found = 0
    var next = course
    var visited = 0
    while true {
      for index in school.required.start(next)..<school.required.end(next) {
        let needed = targets[index]
        if stamps[needed] != stamp {
          stamps[needed] = stamp
          stack[found] = needed
          found &+= 1
        }
      }
      if visited == found { return found }
      next = Int(stack[visited])
      visited &+= 1
    }
  }
}
