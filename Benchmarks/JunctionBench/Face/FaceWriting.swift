import Junction

/// Rows and links that are made.
struct FaceWriting {
  private let database: Database
  private let sqlite: SQLiteDatabase
  private let insert: SQLiteStatement
  private let link: SQLiteStatement
  private let records: [NewRow]
  /// Links that are not there.
  private let links: [(student: FaceStudent, course: FaceCourse)]

  init(_ database: Database, _ sqlite: SQLiteDatabase, rowCount: Int) throws {
    self.database = database
    self.sqlite = sqlite
    insert = try SQLiteStatement(sqlite, "INSERT INTO inserted VALUES (?, ?, ?, ?, ?)")
    link = try SQLiteStatement(
      sqlite, "INSERT OR IGNORE INTO enrols_in (student_id, course_id) VALUES (?, ?)")
    records = (1...rowCount).map { number in
      let row = FaceTables.sample(number)
      return NewRow(
        id: number, credits: row.credits, mark: row.mark, name: row.name, code: row.code)
    }
    links = try FaceStudent.order(by: \.id).limit(64).fetch(database).map { student in
      (student, try student.courses.available.limit(1).one(database))
    }
  }

  var lines: [FaceRun.Line] {
    let (database, sqlite, links, records) = (database, sqlite, links, records)
    // Each execution takes the next link; both sides go around all of them.
    var next = 0
    func takeLink() -> (student: FaceStudent, course: FaceCourse) {
      next = (next + 1) % links.count
      return links[next]
    }
    return [
      FaceRun.Line(
        name: "add of one link, checked", goal: 0.5,
        junction: {
          let (student, course) = takeLink()
          return try student.courses.add(course, database) ? 1 : 0
        },
        peer: {
          let (student, course) = takeLink()
          link.reset()
          link.bind(1, Int64(student.id))
          link.bind(2, Int64(course.id))
          _ = try link.step()
          link.reset()
          return 1
        }, repetitions: links.count,
        afterwards: {
          next = 0
          for (student, course) in links {
            try student.courses.remove(course, database)
            try sqlite.execute(
              "DELETE FROM enrols_in WHERE student_id = \(student.id) AND course_id = \(course.id)"
            )
          }
        }),
      FaceRun.Line(
        name: "100,000 records inserted at once", goal: 0.5,
        junction: { try database.insert(records, into: "inserted") },
        peer: { try peerInsert() },
        afterwards: {
          try database.execute("TRUNCATE inserted")
          try sqlite.execute("DELETE FROM inserted")
        }),
      FaceRun.Line(
        name: "fork of the school", goal: 20,
        junction: { database.fork() === database ? 1 : 0 }, peer: nil, repetitions: 100),
    ]
  }

  private func peerInsert() throws -> Int {
    try sqlite.execute("BEGIN")
    for record in records {
      insert.bind(1, Int64(record.id))
      insert.bind(2, Int64(record.credits))
      insert.bind(3, number: record.mark)
      insert.bind(4, record.name)
      if let code = record.code { insert.bind(5, code) } else { insert.bindNull(5) }
      _ = try insert.step()
      insert.reset()
    }
    try sqlite.execute("COMMIT")
    return records.count
  }
}
