/// What a synthetic school with attributes looks like.
struct AttributedSchoolParameters {
  var students = 10_000
  /// How many distinct pairs of a course and a semester each student takes.
  var coursesPerStudent = 9
  /// The most friends that a student names.
  var friendsPerStudent = 4
  var seed: UInt64 = 42

  /// Sixty students to a course, and never so few that enrolments could not be distinct.
  var courses: Int { max(20, students / 60) }
}

/// Writes a school whose rows have attributes, some of them NULL, as CSV files with a `schema.sql`.
///
/// Tables: `department`, `course` (of a department), `student`, `takes` (student ↔ course in a semester, with a grade
/// and a day) and `friend` (student → student, with a day). It is byte-identical for one seed.
struct AttributedSchoolGenerator {
  let parameters: AttributedSchoolParameters
  let folder: String
  /// Called now and then with the rows written and those to come.
  let progress: (Int, Int) -> Void

  private static let departments = 40
  private static let semesters = 12

  private var files: SchoolFiles { SchoolFiles(folder: folder, seed: parameters.seed) }

  func run() throws(BenchError) {
    try files.writeSchema(Self.schema)
    try writeDepartments()
    try writeStudents()
    var random = files.stream(14)
    let ranked = SchoolFiles.ranked(parameters.courses, &random)
    try writeCourses(ranked)
    try writeEnrolments(ranked, &random)
    try writeFriends()
  }

  private func writeDepartments() throws(BenchError) {
    let file = try files.opened("department", header: "code,title")
    for number in 1...Self.departments {
      file.write("D\(number),Department of \(Names.subjects[number - 1])\n")
    }
    try file.close()
  }

  private func writeStudents() throws(BenchError) {
    var random = files.stream(12)
    let file = try files.opened("student", header: "id,first_name,last_name,city,born,gpa")
    let choice = WeightedChoice(weights: (1...Names.cities.count).map { (1 << 32) / UInt64($0) })
    for id in 1...parameters.students {
      SchoolFiles.writePerson(id, to: file, &random)
      file.write(",")
      let city = choice.draw(&random)
      if random.below(17) > 0 { file.write(Names.cities[city]) }
      file.write(",")
      Self.write(day: Self.firstBirth + random.below(6_000), to: file)
      file.write(",")
      let gpa = random.below(400)
      if random.below(9) > 0 {
        file.write("\(gpa / 100).\(gpa / 10 % 10)\(gpa % 10)")
      }
      file.write("\n")
    }
    try file.close()
  }

  private func writeCourses(_ ranked: [Int]) throws(BenchError) {
    var random = files.stream(13)
    let header = "id,short_code,name,department,credits,compulsory"
    let file = try files.opened("course", header: header)
    // Some that many take, so that there are students who took them all.
    let compulsory = [1, 4, 7].map { ranked[$0] }
    for id in 1...parameters.courses {
      SchoolFiles.writeCourse(id, to: file, &random)
      file.write(",D\(random.below(Self.departments) + 1),\(random.below(6) + 1),")
      file.write(compulsory.contains(id) ? "true\n" : "false\n")
    }
    try file.close()
  }

  private func writeEnrolments(
    _ ranked: [Int], _ random: inout SplitMix
  ) throws(BenchError) {
    let file = try files.opened("takes", header: "student_id,course_id,semester,grade,taken_on")
    // The root is rounded alike on all machines.
    let choice = WeightedChoice(
      weights: ranked.indices.map { UInt64(Double(1 << 32) / Double($0 + 1).squareRoot()) })
    var taken: [Int] = []
    for student in 1...parameters.students {
      taken.removeAll(keepingCapacity: true)
      while taken.count < parameters.coursesPerStudent {
        let course = ranked[choice.draw(&random)]
        let semester = random.below(Self.semesters)
        if taken.contains(course * Self.semesters + semester) { continue }
        taken.append(course * Self.semesters + semester)
        file.write(student)
        file.write(",")
        file.write(course)
        file.write(",")
        file.write(semester)
        file.write(",")
        let grade = random.below(41)
        if random.below(11) > 0 { file.write("\(grade / 10).\(grade % 10)") }
        file.write(",")
        Self.write(day: Self.firstTerm + semester * 182 + random.below(90), to: file)
        file.write("\n")
      }
      if student & 0xFFFF == 0 { progress(student, parameters.students) }
    }
    try file.close()
    progress(parameters.students, parameters.students)
  }

  /// Three of four friends are anybody, some liked more than others; the fourth has a number close by, so that
  /// friends have friends in common.
  private func writeFriends() throws(BenchError) {
    var random = files.stream(15)
    let file = try files.opened("friend", header: "a,b,since")
    let students = parameters.students
    var named: [Int] = []
    for student in 1...students {
      named.removeAll(keepingCapacity: true)
      for place in 0..<parameters.friendsPerStudent {
        let other =
          place == 3
          ? student + random.below(21) - 10
          : 1 + random.below(random.below(students) + 1)
        let day = Self.firstFriendship + random.below(3_000)
        if other < 1 || other > students || other == student || named.contains(other) { continue }
        named.append(other)
        file.write(student)
        file.write(",")
        file.write(other)
        file.write(",")
        Self.write(day: day, to: file)
        file.write("\n")
      }
    }
    try file.close()
  }

  // MARK: Days

  /// Days since 1970 of 1990-01-01, 2018-01-01 and 2015-01-01.
  private static let firstBirth = 7_305
  private static let firstTerm = 17_532
  private static let firstFriendship = 16_436

  private static func write(day: Int, to file: FileWriter) { file.write(text(ofDay: day)) }

  /// A day since 1970, not before it, as ISO 8601 writes it.
  static func text(ofDay day: Int) -> String {
    var year = 1970
    var rest = day
    func length(_ year: Int) -> Int {
      year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
    }
    while rest >= length(year) {
      rest -= length(year)
      year += 1
    }
    var month = 0
    let lengths = [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    while rest >= lengths[month] {
      rest -= lengths[month]
      month += 1
    }
    let twoDigits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(twoDigits(month + 1))-\(twoDigits(rest + 1))"
  }

  private static let schema = """
    -- A synthetic school whose rows have attributes: grades, days, cities, some of them unknown.
    CREATE TABLE department (
        code text PRIMARY KEY,
        title text NOT NULL
    );
    CREATE TABLE student (
        id int PRIMARY KEY,
        first_name text,
        last_name text NOT NULL,
        city text,
        born date,
        gpa numeric(3,2)
    );
    CREATE TABLE course (
        id int PRIMARY KEY,
        short_code text UNIQUE,
        name text,
        department text REFERENCES department (code),
        credits int,
        compulsory boolean NOT NULL
    );
    CREATE TABLE takes (
        student_id int REFERENCES student (id),
        course_id int REFERENCES course (id),
        semester int,
        grade numeric(2,1),
        taken_on date NOT NULL,
        PRIMARY KEY (student_id, course_id, semester)
    );
    CREATE TABLE friend (
        a int REFERENCES student (id),
        b int REFERENCES student (id),
        since date,
        PRIMARY KEY (a, b)
    );

    """
}
