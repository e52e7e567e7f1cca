/// Loops that look for the shortest way between two students.
extension Loops {
  /// GP: the number of enrolments on the shortest way from a student to the first one, an even number; no row without a way.
  ///
  /// The courses of the far end are marked; a course that is marked ends the way. What lies one course further is looked
  /// through as it is met, so that the first hit ends the search; what lies beyond that is reached round by round.
  func stepsToFirst(_ student: Int) {
    let (taken, courses) = (school.coursesOfStudent, school.coursesOfStudent.targets)
    let (taking, students) = (school.studentsOfCourse, school.studentsOfCourse.targets)
    let wanted = scratch.courseBits[0]
    wanted.clear()
    for index in taken.start(0)..<taken.end(0) { wanted.insert(courses[index]) }
    for index in taken.start(student)..<taken.end(student)
    where wanted.contains(Int(courses[index])) {
      return rows.set(2)
    }
    for index in taken.start(student)..<taken.end(student) {
      let course = Int(courses[index])
      for place in taking.start(course)..<taking.end(course) {
        let other = Int(students[place])
        for next in taken.start(other)..<taken.end(other) where wanted.contains(Int(courses[next]))
        {
          return rows.set(4)
        }
      }
    }
    rows.set(0)
  }
}
