/// What a synthetic school looks like.
struct SchoolParameters {
  var students = 10_000
  var courses = 200
  /// How many distinct courses each student takes, compulsory ones included.
  var coursesPerStudent = 8
  /// The first courses, which every student takes.
  var compulsory = 0
  /// Whether course *k* by popularity is taken 1/*k* as often as the first, or all are alike.
  var isZipf = true
  var seed: UInt64 = 42

  /// What is wrong with the parameters, if anything.
  var fault: String? {
    if students < 1 || courses < 1 { return "there must be at least one student and one course" }
    if students > 100_000_000 || courses > 1_000_000 { return "that is too large a school" }
    if coursesPerStudent < 0 || coursesPerStudent > courses {
      return "a student cannot take \(coursesPerStudent) of \(courses) courses"
    }
    if compulsory < 0 || compulsory > coursesPerStudent {
      return "\(compulsory) compulsory courses do not fit \(coursesPerStudent) a student"
    }
    return nil
  }
}

/// Writes a school as a folder of CSV files with a `schema.sql`; byte-identical for one seed.
///
/// Tables: `teacher`, `course` (one teacher each), `student`, `enrols_in` (student ↔ course) and
/// `prerequisite` (course ↔ course, without cycles: a course needs only earlier ones).
struct SchoolGenerator {
  let parameters: SchoolParameters
  let folder: String
  /// Called now and then with the rows written and those to come.
  let progress: (Int, Int) -> Void

  func run() throws(BenchError) {
    try files.writeSchema(Self.schema)
    try writeTeachers()
    try writeCourses()
    try writeStudents()
    try writeEnrolments()
    try writePrerequisites()
  }

  private var files: SchoolFiles { SchoolFiles(folder: folder, seed: parameters.seed) }

  private var teacherCount: Int { max(1, parameters.courses / 4) }

  private func writeTeachers() throws(BenchError) {
    var random = files.stream(1)
    let file = try files.opened("teacher", header: "id,first_name,last_name")
    for id in 1...teacherCount {
      SchoolFiles.writePerson(id, to: file, &random)
      file.write("\n")
    }
    try file.close()
  }

  private func writeStudents() throws(BenchError) {
    var random = files.stream(2)
    let file = try files.opened("student", header: "id,first_name,last_name")
    for id in 1...parameters.students {
      SchoolFiles.writePerson(id, to: file, &random)
      file.write("\n")
    }
    try file.close()
  }

  private func writeCourses() throws(BenchError) {
    var random = files.stream(3)
    let file = try files.opened("course", header: "id,short_code,name,teacher_id")
    for id in 1...parameters.courses {
      SchoolFiles.writeCourse(id, to: file, &random)
      file.write(",")
      file.write(random.below(teacherCount) + 1)
      file.write("\n")
    }
    try file.close()
  }

  private func writeEnrolments() throws(BenchError) {
    var random = files.stream(4)
    let file = try files.opened("enrols_in", header: "student_id,course_id")
    let courses = parameters.courses
    let ranked = SchoolFiles.ranked(courses, &random)
    let weights = (1...courses).map {
      parameters.isZipf ? (1 << 32) / UInt64($0) : 1 << 16
    }
    let choice = WeightedChoice(weights: weights)
    var taken: [Int] = []
    for student in 1...parameters.students {
      taken.removeAll(keepingCapacity: true)
      for course in 0..<parameters.compulsory { taken.append(course + 1) }
      var misses = 0
      while taken.count < parameters.coursesPerStudent {
        // Where nearly every course is taken, drawing by popularity would miss for ever.
        let course =
          misses < 64
          ? ranked[choice.draw(&random)] : random.below(courses) + 1
        if taken.contains(course) { misses += 1 } else { taken.append(course) }
      }
      for course in taken {
        file.write(student)
        file.write(",")
        file.write(course)
        file.write("\n")
      }
      if student & 0xFFFF == 0 { progress(student, parameters.students) }
    }
    try file.close()
    progress(parameters.students, parameters.students)
  }

  private func writePrerequisites() throws(BenchError) {
    var random = files.stream(5)
    let file = try files.opened("prerequisite", header: "course_id,requires_id")
    if parameters.courses > 1 {
      for course in 2...parameters.courses {
        var required: [Int] = []
        for _ in 0..<random.below(3) {
          let earlier = random.below(course - 1) + 1
          if !required.contains(earlier) { required.append(earlier) }
        }
        for earlier in required { file.write("\(course),\(earlier)\n") }
      }
    }
    try file.close()
  }

  private static let schema = """
    -- A synthetic school: who teaches, what is taught, who takes it, and what must come before.
    CREATE TABLE teacher (
        id INT PRIMARY KEY,
        first_name VARCHAR(50),
        last_name VARCHAR(50)
    );
    CREATE TABLE course (
        id INT PRIMARY KEY,
        short_code VARCHAR(10) UNIQUE,
        name VARCHAR(100),
        teacher_id INT REFERENCES teacher (id)
    );
    CREATE TABLE student (
        id INT PRIMARY KEY,
        first_name VARCHAR(50),
        last_name VARCHAR(50)
    );
    CREATE TABLE enrols_in (
        student_id INT REFERENCES student (id),
        course_id INT REFERENCES course (id),
        PRIMARY KEY (student_id, course_id)
    );
    CREATE TABLE prerequisite (
        course_id INT REFERENCES course (id),
        requires_id INT REFERENCES course (id),
        PRIMARY KEY (course_id, requires_id)
    );

    """
}
