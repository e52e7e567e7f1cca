import Junction

/// The tables that the face is measured on beside those of the school, the same rows in both databases.
enum FaceTables {
  private static let definitions = [
    "CREATE TABLE sample (id int PRIMARY KEY, credits int, mark double precision, name text, code text)",
    "CREATE TABLE inserted (id int PRIMARY KEY, credits int, mark double precision, name text, code text)",
    "CREATE TABLE nested_course (id int PRIMARY KEY, name text)",
    "CREATE TABLE nested_student (id int PRIMARY KEY, first_name text, last_name text)",
    "CREATE TABLE nested_link (course_id int REFERENCES nested_course (id), student_id int REFERENCES nested_student (id), PRIMARY KEY (course_id, student_id))",
  ]

  /// Row `number` of the samples.
  static func sample(_ number: Int) -> (credits: Int, mark: Double, name: String, code: String?) {
    (
      number % 30, Double(number) / 4, "course \(number % 1000)",
      number % 5 == 0 ? nil : "C\(number)"
    )
  }

  static func fill(
    _ database: Database, _ sqlite: SQLiteDatabase, _ rowCount: Int
  ) throws {
    for definition in definitions {
      try database.execute(SQL(raw: definition))
      try sqlite.execute(definition)
    }
    try sqlite.execute("BEGIN")
    let insert = try SQLiteStatement(sqlite, "INSERT INTO sample VALUES (?, ?, ?, ?, ?)")
    var rows: [SampleRow] = []
    for number in 1...rowCount {
      let row = sample(number)
      rows.append(
        SampleRow(
          id: number, credits: row.credits, mark: row.mark, name: row.name, code: row.code))
      insert.bind(1, Int64(number))
      insert.bind(2, Int64(row.credits))
      insert.bind(3, number: row.mark)
      insert.bind(4, row.name)
      if let code = row.code { insert.bind(5, code) } else { insert.bindNull(5) }
      _ = try insert.step()
      insert.reset()
    }
    try database.insert(rows, into: "sample")
    try fillNested(database, sqlite)
    try sqlite.execute("COMMIT")
    try sqlite.execute("ANALYZE")
  }

  /// 5,000 courses with ten students each, of 50,000.
  private static func fillNested(_ database: Database, _ sqlite: SQLiteDatabase) throws {
    let course = try SQLiteStatement(sqlite, "INSERT INTO nested_course VALUES (?, ?)")
    let student = try SQLiteStatement(sqlite, "INSERT INTO nested_student VALUES (?, ?, ?)")
    let link = try SQLiteStatement(sqlite, "INSERT INTO nested_link VALUES (?, ?)")
    var courses: [NestedCourse] = []
    var students: [NestedStudent] = []
    var links: [(any SQLValueConvertible, any SQLValueConvertible)] = []
    for number in 1...5000 {
      courses.append(NestedCourse(id: number, name: "course \(number)"))
      course.bind(1, Int64(number))
      course.bind(2, "course \(number)")
      _ = try course.step()
      course.reset()
    }
    for number in 1...50_000 {
      students.append(
        NestedStudent(id: number, firstName: "f\(number % 500)", lastName: "l\(number)"))
      student.bind(1, Int64(number))
      student.bind(2, "f\(number % 500)")
      student.bind(3, "l\(number)")
      _ = try student.step()
      student.reset()
    }
    for number in 0..<50_000 {
      // Students of a course do not stand together.
      let pair = (number / 10 + 1, number * 7919 % 50_000 + 1)
      links.append(pair)
      link.bind(1, Int64(pair.0))
      link.bind(2, Int64(pair.1))
      _ = try link.step()
      link.reset()
    }
    try database.insert(courses, into: "nested_course")
    try database.insert(students, into: "nested_student")
    try database.link(\NestedCourse.Relations.students, links)
  }
}
