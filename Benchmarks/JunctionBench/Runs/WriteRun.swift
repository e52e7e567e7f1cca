import Diagnostics
import Junction

/// Inserts and deletes of single enrolments over a school, prepared and in process, with all keys checked:
/// Junction against SQLite in memory with both indices and foreign keys on, no journal.
struct WriteRun {
  let folder: String
  var sampleCount = 20_000
  var batchCount = 200_000
  var seed: UInt64 = 11

  private static let insertion = "INSERT INTO enrols_in (student_id, course_id) VALUES ($1, $2)"
  private static let deletion = "DELETE FROM enrols_in WHERE student_id = $1 AND course_id = $2"
  private static let classmates =
    "SELECT count(DISTINCT b.student_id) FROM enrols_in a JOIN enrols_in b"
    + " ON b.course_id = a.course_id WHERE a.student_id = $1"
  private static let courses =
    "SELECT c.id FROM enrols_in e JOIN course c ON c.id = e.course_id WHERE e.student_id = $1"

  private typealias Pair = (student: Int64, course: Int64)

  func run() throws(BenchError) {
    let database: Database
    do throws(SQLError) {
      database = try Database(folder: folder)
    } catch {
      throw BenchError(error.rendered(statement: ""))
    }
    let sqlite = try copy(database)
    print("SQLite \(sqlite.library.version) holds the same rows\n")
    do throws(SQLError) {
      try measure(database, sqlite)
    } catch {
      throw BenchError(error.message)
    }
  }

  private static func microseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) / 1e12
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

  /// Copies the keys of the school into SQLite.
  private func copy(_ database: Database) throws(BenchError) -> SQLiteDatabase {
    let sqlite = try SQLiteDatabase(SQLiteLibrary())
    for pragma in ["journal_mode = OFF", "synchronous = OFF", "foreign_keys = ON"] {
      try sqlite.execute("PRAGMA \(pragma)")
    }
    let tables = [
      ("course", "id", "(id INTEGER PRIMARY KEY)"),
      ("student", "id", "(id INTEGER PRIMARY KEY)"),
      (
        "enrols_in", "student_id, course_id",
        "(student_id INT REFERENCES student (id), course_id INT REFERENCES course (id),"
          + " PRIMARY KEY (student_id, course_id)) WITHOUT ROWID"
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
          insert.bind(Int32(column + 1), rows.value(row: row, column: column).integer ?? 0)
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

  private func measure(_ database: Database, _ sqlite: SQLiteDatabase) throws(SQLError) {
    let connection = database.connect()
    let insert = try connection.prepare(Self.insertion)
    let delete = try connection.prepare(Self.deletion)
    let (peerInsert, peerDelete) = try Self.bridged { () throws(BenchError) in
      (try SQLiteStatement(sqlite, Self.insertion), try SQLiteStatement(sqlite, Self.deletion))
    }
    var random = SplitMix(seed: seed)
    let pairs = try freshPairs(sampleCount, connection, &random)
    let fresh = try traversal(connection)
    print("statement                      junction p50      p90      p99     mean")
    print("                                 sqlite p50      p90      p99     mean   ratio of p50")
    try compare("insert one enrolment", pairs, insert, peerInsert)
    try compare("delete one enrolment", pairs.reversed(), delete, peerDelete)
    try alternate(connection, pairs, insert, delete)
    let batch = try freshPairs(batchCount, connection, &random)
    try runBatch("insert", connection, sqlite, batch, insert, peerInsert)
    try check(connection, sqlite)
    let changed = try traversal(connection)
    try runBatch("delete", connection, sqlite, batch, delete, peerDelete)
    let restored = try traversal(connection)
    guard restored.digest == fresh.digest else {
      throw SQLError(.internalError, "traversal gives other answers after the changes")
    }
    print(
      "classmates of 200 students: fresh \(Self.rounded(fresh.time)) µs each, with"
        + " \(batchCount) more \(Self.rounded(changed.time)), without them again"
        + " \(Self.rounded(restored.time)): \(Self.rounded(restored.time / fresh.time)) ×")
    try check(connection, sqlite)
  }

  /// Pairs that are not enrolments, each once.
  private func freshPairs(
    _ count: Int, _ connection: Connection, _ random: inout SplitMix
  ) throws(SQLError) -> [Pair] {
    let students = try connection.query("SELECT count(*) FROM student").value(row: 0, column: 0)
    let courses = try connection.query("SELECT count(*) FROM course").value(row: 0, column: 0)
    let known = try connection.prepare(
      "SELECT 1 FROM enrols_in WHERE student_id = $1 AND course_id = $2")
    var seen = Set<Int64>()
    var pairs: [Pair] = []
    while pairs.count < count {
      let student = Int64(random.below(Int(students.integer ?? 1)) + 1)
      let course = Int64(random.below(Int(courses.integer ?? 1)) + 1)
      guard seen.insert(student << 24 | course).inserted,
        try known.query(.integer(student), .integer(course)).count == 0
      else { continue }
      pairs.append((student, course))
    }
    return pairs
  }

  /// Runs a statement for each pair on both sides in turn.
  private func compare(
    _ name: String, _ pairs: [Pair], _ own: PreparedStatement, _ peer: SQLiteStatement
  ) throws(SQLError) {
    var ownTimes: [Double] = []
    var peerTimes: [Double] = []
    for pair in pairs {
      let clock = ContinuousClock()
      let start = clock.now
      let result = try own.execute(.integer(pair.student), .integer(pair.course))
      ownTimes.append(Self.microseconds(clock.now - start))
      guard result.commandTag.hasSuffix(" 1") else {
        throw SQLError(.internalError, "\(name): \(result.commandTag)")
      }
      peerTimes.append(try Self.run(peer, pair))
    }
    let first = Self.summary(ownTimes)
    let second = Self.summary(peerTimes)
    print(name + String(repeating: " ", count: max(0, 31 - name.count)) + first.text)
    let ratio = Self.rounded(second.median / first.median)
    print(String(repeating: " ", count: 31) + second.text + "   \(ratio) ×")
  }

  private static func run(_ peer: SQLiteStatement, _ pair: Pair) throws(SQLError) -> Double {
    try Self.bridged { () throws(BenchError) in
      let clock = ContinuousClock()
      let start = clock.now
      peer.bind(1, pair.student)
      peer.bind(2, pair.course)
      _ = try peer.step()
      peer.reset()
      return Self.microseconds(clock.now - start)
    }
  }

  /// Inserts and deletes while a point query is read between every two of them, and while a result of an older
  /// version is held.
  private func alternate(
    _ connection: Connection, _ pairs: [Pair], _ insert: PreparedStatement,
    _ delete: PreparedStatement
  ) throws(SQLError) {
    let query = try connection.prepare(Self.courses)
    for isHeld in [false, true] {
      var times: [Double] = []
      for pair in pairs.prefix(5000) {
        for statement in [insert, delete] {
          let held = try query.query(.integer(pair.student))
          let clock = ContinuousClock()
          let start = clock.now
          _ = try statement.execute(.integer(pair.student), .integer(pair.course))
          times.append(Self.microseconds(clock.now - start))
          if isHeld, held.count == 0 { print("no rows") }
        }
      }
      print(
        (isHeld ? "the same, rows of a query held" : "the same, each after a query  ") + " "
          + Self.summary(times).text)
    }
  }

  private func runBatch(
    _ name: String, _ connection: Connection, _ sqlite: SQLiteDatabase, _ pairs: [Pair],
    _ own: PreparedStatement, _ peer: SQLiteStatement
  ) throws(SQLError) {
    let clock = ContinuousClock()
    let start = clock.now
    try connection.execute("BEGIN")
    for pair in pairs { _ = try own.execute(.integer(pair.student), .integer(pair.course)) }
    try connection.execute("COMMIT")
    let middle = clock.now
    try Self.bridged { () throws(BenchError) in
      try sqlite.execute("BEGIN")
      for pair in pairs {
        peer.bind(1, pair.student)
        peer.bind(2, pair.course)
        _ = try peer.step()
        peer.reset()
      }
      try sqlite.execute("COMMIT")
    }
    let ownTime = Self.microseconds(middle - start) / Double(pairs.count)
    let peerTime = Self.microseconds(clock.now - middle) / Double(pairs.count)
    print(
      "\(pairs.count) × \(name) in one transaction: \(Self.rounded(ownTime)) µs each, sqlite"
        + " \(Self.rounded(peerTime)), \(Self.rounded(peerTime / ownTime)) ×")
  }

  /// Classmates of some students: their sum, and the time for each.
  private func traversal(_ connection: Connection) throws(SQLError) -> (time: Double, digest: Int) {
    let query = try connection.prepare(Self.classmates)
    var random = SplitMix(seed: 99)
    var digest = 0
    var times: [Double] = []
    let students = try connection.query("SELECT count(*) FROM student").value(row: 0, column: 0)
    for sample in 0..<220 {
      let student = Int64(random.below(Int(students.integer ?? 1)) + 1)
      let clock = ContinuousClock()
      let start = clock.now
      let found = try query.query(.integer(student)).value(row: 0, column: 0).integer ?? 0
      if sample >= 20 { times.append(Self.microseconds(clock.now - start)) }
      digest = digest &* 31 &+ Int(found)
    }
    return (times.reduce(0, +) / Double(times.count), digest)
  }

  /// Both sides hold the same enrolments.
  private func check(_ connection: Connection, _ sqlite: SQLiteDatabase) throws(SQLError) {
    let sql =
      "SELECT count(*), sum(student_id * 7 + course_id), sum(student_id * (course_id % 1000))"
      + " FROM enrols_in"
    let rows = try connection.query(sql)
    for column in 0..<3 {
      let own = rows.value(row: 0, column: column)
      let other = try Self.bridged { () throws(BenchError) in
        let statement = try SQLiteStatement(sqlite, sql)
        _ = try statement.step()
        return statement.integer(Int32(column))
      }
      guard own.integer == other else {
        throw SQLError(.internalError, "the tables differ: \(own) and \(other)")
      }
    }
  }

  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

  private static func summary(_ times: [Double]) -> (median: Double, text: String) {
    let sorted = times.sorted()
    let figures = [
      sorted[sorted.count / 2], sorted[sorted.count * 9 / 10], sorted[sorted.count * 99 / 100],
      times.reduce(0, +) / Double(times.count),
    ]
    let texts = figures.map { figure in
      let text = String(rounded(figure))
      return String(repeating: " ", count: max(0, 9 - text.count)) + text
    }
    return (figures[0], "    " + texts.joined())
  }
}
