import Diagnostics
import Junction

/// Point queries over a school, prepared, in process: Junction against SQLite with both indices.
///
/// Both run the same query for the same parameters in turn, and must give the same digest of their rows.
struct PointRun {
  let folder: String
  var sampleCount = 2_000
  var seed: UInt64 = 7

  /// One query and where its parameters come from.
  private struct Query {
    let name: String
    let sql: String
    /// Whether the parameter is a course rather than a student.
    let isOfCourse: Bool
    /// The query runs for one in so many of the samples.
    let sampleShare: Int
  }

  private static let queries = [
    Query(
      name: "courses of one student",
      sql: "SELECT c.id, c.name FROM enrols_in e JOIN course c ON c.id = e.course_id "
        + "WHERE e.student_id = $1",
      isOfCourse: false, sampleShare: 1),
    Query(
      name: "students of one course",
      sql: "SELECT s.id, s.last_name FROM enrols_in e JOIN student s ON s.id = e.student_id "
        + "WHERE e.course_id = $1",
      isOfCourse: true, sampleShare: 4),
    Query(
      name: "available courses of one student",
      sql: "SELECT id, name FROM course WHERE id NOT IN "
        + "(SELECT course_id FROM enrols_in WHERE student_id = $1) ORDER BY name",
      isOfCourse: false, sampleShare: 40),
  ]

  func run() throws(BenchError) {
    let clock = ContinuousClock()
    let start = clock.now
    let database: Database
    do throws(SQLError) {
      database = try Database(folder: folder)
    } catch {
      throw BenchError(error.rendered(statement: ""))
    }
    print("Junction opened \(folder) in \(Self.milliseconds(clock.now - start)) ms")
    let sqlite = try loadSQLite(database)
    print("SQLite \(sqlite.library.version) holds the same rows, with both indices\n")
    print("query                               rows   junction µs   sqlite µs   ratio")
    for query in Self.queries {
      do throws(SQLError) {
        try measure(query, database, sqlite)
      } catch {
        throw BenchError("\(query.name): \(error.message)")
      }
    }
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    Int(microseconds(duration) / 1000)
  }

  private static func microseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) / 1e12
  }

  /// Copies every table into SQLite, through prepared inserts in one transaction.
  private func loadSQLite(_ database: Database) throws(BenchError) -> SQLiteDatabase {
    let sqlite = try SQLiteDatabase(SQLiteLibrary())
    let tables = [
      ("course", "id, short_code, name", "(id INTEGER PRIMARY KEY, short_code TEXT, name TEXT)"),
      (
        "student", "id, first_name, last_name",
        "(id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT)"
      ),
      (
        "enrols_in", "student_id, course_id",
        "(student_id INT, course_id INT, PRIMARY KEY (student_id, course_id)) WITHOUT ROWID"
      ),
    ]
    let connection = database.connect()
    for (name, columns, definition) in tables {
      try sqlite.execute("CREATE TABLE \(name) \(definition)")
      try sqlite.execute("BEGIN")
      let rows: ResultSet
      do throws(SQLError) {
        rows = try connection.query("SELECT \(columns) FROM \(name)")
      } catch {
        throw BenchError(error.message)
      }
      let marks = rows.columns.map { _ in "?" }.joined(separator: ", ")
      let insert = try SQLiteStatement(sqlite, "INSERT INTO \(name) VALUES (\(marks))")
      for row in 0..<rows.count {
        for column in rows.columns.indices {
          switch rows.value(row: row, column: column) {
          case .integer(let number): insert.bind(Int32(column + 1), number)
          case .text(let text): insert.bind(Int32(column + 1), text)
          case .null, .boolean, .double, .bytes, .numeric, .uuid, .date, .time, .timestamp,
            .interval, .json, .array:
            throw BenchError("\(name) holds a value that this run does not copy")
          }
        }
        _ = try insert.step()
        insert.reset()
      }
      try sqlite.execute("COMMIT")
    }
    try sqlite.execute("CREATE INDEX by_course ON enrols_in (course_id, student_id)")
    try sqlite.execute("ANALYZE")
    return sqlite
  }

  private func measure(
    _ query: Query, _ database: Database, _ sqlite: SQLiteDatabase
  ) throws(SQLError) {
    let connection = database.connect()
    let prepared = try connection.prepare(query.sql)
    let peer = try Self.bridged { () throws(BenchError) in try SQLiteStatement(sqlite, query.sql) }
    let table = query.isOfCourse ? "course" : "student"
    let most = try connection.query("SELECT count(*) FROM \(table)").value(row: 0, column: 0)
    var random = SplitMix(seed: seed)
    var own: [Double] = []
    var other: [Double] = []
    var rowCount = 0
    let samples = max(20, sampleCount / query.sampleShare)
    for sample in 0..<(samples + samples / 10) {
      let parameter = Int64(random.below(Int(most.integer ?? 1)) + 1)
      let (ownTime, ownDigest, ownRows) = try runOwn(prepared, parameter)
      let (peerTime, peerDigest, peerRows) = try Self.bridged { () throws(BenchError) in
        try runPeer(peer, parameter)
      }
      guard ownDigest == peerDigest, ownRows == peerRows else {
        throw SQLError(
          .internalError, "answers for \(parameter) differ: \(ownRows) and \(peerRows) rows")
      }
      // The first tenth warms up.
      if sample >= samples / 10 {
        own.append(ownTime)
        other.append(peerTime)
        rowCount += ownRows
      }
    }
    report(query.name, rowCount / own.count, Self.median(own), Self.median(other))
  }

  /// Runs `body`, giving its error the type that the engine throws.
  private static func bridged<Result>(
    _ body: () throws(BenchError) -> Result
  ) throws(SQLError) -> Result {
    do throws(BenchError) {
      return try body()
    } catch {
      throw SQLError(.internalError, error.description)
    }
  }

  private func report(_ name: String, _ rows: Int, _ own: Double, _ other: Double) {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    func rounded(_ value: Double) -> String { String((value * 100).rounded() / 100) }
    let title = name + String(repeating: " ", count: max(0, 34 - name.count))
    print(
      title + padded(String(rows), 6) + padded(rounded(own), 14) + padded(rounded(other), 12)
        + padded(rounded(other / own), 8))
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private func runOwn(
    _ prepared: PreparedStatement, _ parameter: Int64
  ) throws(SQLError) -> (Double, Int, Int) {
    let clock = ContinuousClock()
    let start = clock.now
    let rows = try prepared.query(.integer(parameter))
    let digest = rows.digest()
    return (Self.microseconds(clock.now - start), digest, rows.count)
  }

  private func runPeer(
    _ statement: SQLiteStatement, _ parameter: Int64
  ) throws(BenchError) -> (Double, Int, Int) {
    let clock = ContinuousClock()
    let start = clock.now
    var digest = 0
    var count = 0
    statement.bind(1, parameter)
    while try statement.step() {
      digest &+= Int(statement.integer(0)) &+ statement.textDigest(1)
      count += 1
    }
    statement.reset()
    return (Self.microseconds(clock.now - start), digest, count)
  }
}
