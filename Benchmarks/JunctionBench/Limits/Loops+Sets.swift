/// Loops that mark students in a bitmap.
extension Loops {
  /// B1: enrolments of each course, none included.
  func enrolmentsPerCourse() {
    let (keys, counts) = (rows.numbers[0], rows.numbers[1])
    let offsets = school.studentsOfCourse.offsets
    for course in 0..<school.courses {
      keys[course] = Int32(truncatingIfNeeded: course &+ 1)
      counts[course] = Int32(truncatingIfNeeded: offsets[course &+ 1] &- offsets[course])
    }
    rows.count = school.courses
    rows.columns = Self.twoNumbers
  }

  /// B2a: the number of students who do not take a course.
  func studentsNotInCourse(_ course: Int) {
    eachStudentShare { marked, students, thread in
      mark(marked, course: Int32(truncatingIfNeeded: course), students)
      setSum(unmarked(marked, students), thread: thread)
    }
    rows.set(sumOfThreads)
  }

  /// B2b: the number of students who share no course with a student.
  func strangers(_ student: Int) {
    eachStudentShare { marked, students, thread in
      markClassmates(marked, of: student, students)
      setSum(unmarked(marked, students), thread: thread)
    }
    rows.set(sumOfThreads)
  }

  /// B3: the number of other students who share a course with a student.
  func classmateCount(_ student: Int) {
    eachStudentShare { marked, students, thread in
      markClassmates(marked, of: student, students)
      setSum(marked.population(words(of: students)), thread: thread)
    }
    let alone = school.coursesOfStudent.degree(student) == 0
    rows.set(sumOfThreads &- (alone ? 0 : 1))
  }

  /// Gives each thread its share of the students, at whole words of the bitmap that all write to.
  func eachStudentShare(_ body: @Sendable (Bits, Range<Int>, Int) -> Void) {
    let marked = scratch.studentBits[0]
    let (students, threads) = (school.students, threads)
    Threads.run(threads) { thread in
      let share = Threads.share(students, thread: thread, of: threads, step: 64)
      let words = words(of: share)
      for index in words { marked.words[index] = 0 }
      body(marked, share, thread)
    }
  }

  func words(of students: Range<Int>) -> Range<Int> {
    students.lowerBound / 64..<(students.upperBound + 63) / 64
  }

  private func unmarked(_ marked: Bits, _ students: Range<Int>) -> Int {
    students.count &- marked.population(words(of: students))
  }

  func markClassmates(_ marked: Bits, of student: Int, _ students: Range<Int>) {
    let targets = school.coursesOfStudent.targets
    for index in school.coursesOfStudent.start(student)..<school.coursesOfStudent.end(student) {
      mark(marked, course: targets[index], students)
    }
  }

  /// Marks the students of a course that are in a range.
  @inline(__always)
  func mark(_ marked: Bits, course: Int32, _ students: Range<Int>) {
    let targets = school.studentsOfCourse.targets
    let course = Int(truncatingIfNeeded: course)
    var lower = school.studentsOfCourse.start(course)
    var upper = school.studentsOfCourse.end(course)
    if students.count < school.students {
      lower = place(of: students.lowerBound, lower, upper)
      upper = place(of: students.upperBound, lower, upper)
    }
    for index in lower..<upper { marked.insert(targets[index]) }
  }

  /// The first place in a sorted part of a course's students that is not below a student.
  private func place(of student: Int, _ start: Int, _ end: Int) -> Int {
    let targets = school.studentsOfCourse.targets
    var (low, high) = (start, end)
    while low < high {
      let middle = (low &+ high) &>> 1
      if Int(targets[middle]) < student { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}

extension Bits {
  @inline(__always) func population(_ range: Range<Int>) -> Int {
    population(from: range.lowerBound, to: range.upperBound)
  }
}
