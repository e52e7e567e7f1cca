import Catalog
import Diagnostics
import Foundation
import SimulatedDisk
import Storage
import Synchronization
import Testing

@testable import Junction

@Suite("Single rows that are committed to disk")
struct CommittedRowTests {
  private static let path = "rows.junction"
  private static let schema = """
    CREATE TABLE student (id int PRIMARY KEY, name text NOT NULL);
    CREATE TABLE course (id int PRIMARY KEY, code varchar UNIQUE);
    CREATE TABLE enrols_in (
      student_id int REFERENCES student, course_id int REFERENCES course,
      PRIMARY KEY (student_id, course_id));
    CREATE TABLE reading (
      id bigint PRIMARY KEY, kind smallint, weight double precision, ratio real, mark uuid,
      is_open boolean, body text, student_id int REFERENCES student);
    CREATE TEMPORARY TABLE scratch (id int PRIMARY KEY);
    CREATE SEQUENCE ticket;
    INSERT INTO student SELECT i, 'student ' || i FROM generate_series(1, 40) i;
    INSERT INTO course SELECT i, 'c' || i FROM generate_series(1, 30) i;
    """
  private static let contents = [
    "SELECT * FROM student ORDER BY id", "SELECT * FROM course ORDER BY id",
    "SELECT * FROM enrols_in ORDER BY student_id, course_id",
    "SELECT * FROM reading ORDER BY id",
    "SELECT c.id, count(e.course_id) FROM course c LEFT JOIN enrols_in e ON e.course_id = c.id"
      + " GROUP BY c.id ORDER BY 1",
  ]

  private static func options(_ durability: DatabaseOptions.Durability) -> DatabaseOptions {
    var options = DatabaseOptions()
    options.durability = durability
    return options
  }

  private static func rows(_ database: Database) throws(SQLError) -> [[[SQLValue]]] {
    var all: [[[SQLValue]]] = []
    let connection = database.connect()
    for sql in contents { all.append(try connection.query(sql).map(\.values)) }
    return all
  }

  private static func number(_ limit: Int64, _ random: inout SystemRandomNumberGenerator)
    -> SQLValue
  {
    .integer(Int64.random(in: 1...limit, using: &random))
  }

  /// Runs a random statement, and says whether it changed something.
  private static func step(
    _ statements: [PreparedStatement], _ random: inout SystemRandomNumberGenerator
  ) -> Bool {
    let index = Int.random(in: 0..<statements.count, using: &random)
    let text: SQLValue =
      Bool.random(using: &random) ? .text("c\(Int.random(in: 0..<50, using: &random))") : .null
    let parameters: [SQLValue] =
      switch index {
      case 0: [number(45, &random), .text("a name of more than twelve bytes")]
      case 1, 2: [number(42, &random), number(32, &random)]
      case 3: [number(60, &random), text]
      case 4:
        [
          number(900, &random), number(9, &random), .double(0.1), .double(0.5),
          .text("8c9b2f0e-4f0a-4d62-9a3e-0c7d1f6b5a42"), .boolean(Bool.random(using: &random)),
          text, Bool.random(using: &random) ? .null : number(42, &random),
        ]
      default: [number(60, &random)]
      }
    guard let result = try? statements[index].execute(with: parameters) else { return false }
    return !result.commandTag.hasSuffix(" 0")
  }

  private static func prepare(_ connection: Connection) throws(SQLError) -> [PreparedStatement] {
    var statements: [PreparedStatement] = []
    for sql in [
      "INSERT INTO student VALUES ($1, $2)", "INSERT INTO enrols_in VALUES ($1, $2)",
      "DELETE FROM enrols_in WHERE student_id = $1 AND course_id = $2",
      "INSERT INTO course VALUES ($1, $2)",
      "INSERT INTO reading VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      "DELETE FROM reading WHERE id = $1", "INSERT INTO scratch VALUES ($1)",
      "DELETE FROM scratch WHERE id = $1", "DELETE FROM course WHERE id = $1",
    ] { statements.append(try connection.prepare(sql)) }
    return statements
  }

  @Test(
    "are there when the database is opened again",
    arguments: [DatabaseOptions.Durability.sync, .async], [false, true])
  func reopened(_ durability: DatabaseOptions.Durability, isRead: Bool) throws {
    var random = SystemRandomNumberGenerator()
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, Self.options(durability))
    let connection = database.connect()
    try connection.execute(Self.schema)
    let statements = try Self.prepare(connection)
    let reader = database.connect()
    if isRead { try reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1") }
    for step in 0..<600 {
      _ = Self.step(statements, &random)
      if step % 100 == 50, connection.transactionStatus == .idle { try database.checkpoint() }
      if step % 40 == 9 { try connection.execute(step % 80 == 9 ? "BEGIN" : "COMMIT") }
      if step % 150 == 149, connection.transactionStatus == .idle {
        // As after the loss of power; of deferred commits the last may be gone.
        let other = try Database(
          path: Self.path, on: SimulatedDisk(disk.state.crash(seed: UInt64(step))),
          DatabaseOptions())
        if durability == .sync { #expect(try Self.rows(other) == Self.rows(database)) }
      }
    }
    if connection.transactionStatus != .idle { try connection.execute("COMMIT") }
    let wanted = try Self.rows(database)
    try database.close()
    let other = try Database(path: Self.path, on: disk, DatabaseOptions())
    #expect(try Self.rows(other) == wanted)
    for table in other.state.current.tables.values { table.checkInvariants() }
  }

  @Test(
    "by many threads are all there, beside transactions of several rows and readers",
    arguments: [DatabaseOptions.Durability.sync, .async])
  func manyThreads(_ durability: DatabaseOptions.Durability) throws {
    let folder = NSTemporaryDirectory() + "junction-rows-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/rows.junction"
    let database = try Database(path: path, options: Self.options(durability))
    try database.connect().execute("CREATE TABLE entry (id int PRIMARY KEY, note text)")
    let complaints = Mutex<[String]>([])
    let running = DispatchGroup()
    let (threadCount, rowCount) = (6, 120)
    for thread in 0..<threadCount {
      running.enter()
      Thread.detachNewThread {
        defer { running.leave() }
        do throws(SQLError) {
          let connection = database.connect()
          let insert = try connection.prepare("INSERT INTO entry VALUES ($1, $2)")
          for row in 0..<rowCount {
            let isLarger = (row + thread) % 20 == 0
            if isLarger { try connection.execute("BEGIN") }
            try insert.execute(
              .integer(Int64(thread * 1000 + row)), .text("written by thread \(thread)"))
            if isLarger {
              try insert.execute(.integer(Int64(100_000 + thread * 1000 + row)), .null)
              try connection.execute("COMMIT")
            }
            // What was acknowledged is seen, by everybody.
            let seen = try connection.query(
              "SELECT count(*) FROM entry WHERE id >= \(thread * 1000) AND id <= \(thread * 1000 + row)"
            )
            if seen.value(row: 0, column: 0) != .integer(Int64(row + 1)) {
              complaints.withLock { $0.append("thread \(thread) misses rows at \(row)") }
            }
            let pairs = try connection.query(
              "SELECT count(*) FROM entry l LEFT JOIN entry s ON s.id = l.id - 100000"
                + " WHERE l.id >= 100000 AND s.id IS NULL")
            if pairs.value(row: 0, column: 0) != .integer(0) {
              complaints.withLock { $0.append("half of a transaction is seen") }
            }
          }
        } catch { complaints.withLock { $0.append(error.message) } }
      }
    }
    running.wait()
    #expect(complaints.withLock { $0 } == [])
    let all = "SELECT count(*), sum(id) FROM entry"
    let wanted = try database.connect().query(all).map(\.values)
    #expect(wanted[0][0] == .integer(Int64(threadCount * rowCount + threadCount * rowCount / 20)))
    try database.close()
    #expect(try Database(path: path).connect().query(all).map(\.values) == wanted)
  }

  @Test("leave nothing where the log has no room, and go on when it has")
  func fullDisk() throws {
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, DatabaseOptions())
    let connection = database.connect()
    try connection.execute("CREATE TABLE entry (id int PRIMARY KEY, note text)")
    let insert = try connection.prepare("INSERT INTO entry VALUES ($1, $2)")
    try insert.execute(.integer(1), .text("first"))
    disk.spaceLimit = 1 << 21
    let long = SQLValue.text(String(repeating: "x", count: 3_000_000))
    #expect(throws: SQLError.self) { try insert.execute(.integer(2), long) }
    #expect(try connection.query("SELECT id FROM entry").map(\.values) == [[.integer(1)]])
    disk.spaceLimit = nil
    try insert.execute(.integer(2), long)
    try database.close()
    let other = try Database(path: Self.path, on: disk, DatabaseOptions())
    #expect(
      try other.connect().query("SELECT id, length(note) FROM entry ORDER BY 1").map(\.values) == [
        [.integer(1), .integer(5)], [.integer(2), .integer(3_000_000)],
      ])
  }

  @Test("Values of sequences are kept while another session's transaction is open")
  func sequencesBesideTransactions() throws {
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, DatabaseOptions())
    let writer = database.connect()
    try writer.execute("CREATE TABLE entry (id int); CREATE SEQUENCE ticket")
    try writer.execute("BEGIN; INSERT INTO entry VALUES (1)")
    let other = database.connect()
    #expect(try other.query("SELECT nextval('ticket')").map(\.values) == [[.integer(1)]])
    #expect(try other.query("SELECT nextval('ticket')").map(\.values) == [[.integer(2)]])
    let found = try Database(
      path: Self.path, on: SimulatedDisk(disk.state.crash(seed: 1)), DatabaseOptions())
    #expect(
      try found.connect().query("SELECT nextval('ticket')").map(\.values) == [[.integer(3)]])
    try writer.execute("COMMIT")
    try database.close()
    let last = try Database(path: Self.path, on: disk, DatabaseOptions())
    #expect(
      try last.connect().query("SELECT nextval('ticket'), (SELECT count(*) FROM entry)")
        .map(\.values) == [[.integer(3), .integer(1)]])
  }

  @Test("Another session's values of sequences tell nothing of a transaction that is still open")
  func sequencesOfOpenTransactions() throws {
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, DatabaseOptions())
    let writer = database.connect()
    try writer.execute("CREATE SEQUENCE ticket; CREATE SEQUENCE old; SELECT nextval('old')")
    try writer.execute("SELECT setval('old', 1000)")
    try writer.execute("BEGIN; CREATE TABLE entry (id serial PRIMARY KEY)")
    for _ in 0..<5 { try writer.execute("INSERT INTO entry DEFAULT VALUES") }
    try writer.execute("ALTER SEQUENCE old RESTART")
    _ = try database.connect().query("SELECT nextval('ticket')")
    let cut = try Database(
      path: Self.path, on: SimulatedDisk(disk.state.crash(seed: 1)), DatabaseOptions())
    #expect(
      try cut.connect().query("SELECT nextval('old'), nextval('ticket')").map(\.values) == [
        [.integer(1001), .integer(2)]
      ])
    try writer.execute("COMMIT")
    let whole = try Database(
      path: Self.path, on: SimulatedDisk(disk.state.crash(seed: 2)), DatabaseOptions())
    let connection = whole.connect()
    try connection.execute("INSERT INTO entry DEFAULT VALUES")
    #expect(
      try connection.query("SELECT max(id), nextval('old'), nextval('ticket') FROM entry")
        .map(\.values) == [[.integer(6), .integer(1), .integer(2)]])
  }

  @Test("A database is closed once, however often it is asked to, and takes no checkpoint then")
  func closedTwice() throws {
    let database = try Database(path: Self.path, on: SimulatedDisk(), DatabaseOptions())
    try database.connect().execute("CREATE TABLE entry (id int)")
    try database.close()
    try database.close()
    let error = #expect(throws: SQLError.self) { try database.checkpoint() }
    #expect(error?.message == "the database was closed")
    #expect(throws: SQLError.self) {
      try database.connect().execute("INSERT INTO entry VALUES (1)")
    }
  }

  @Test("A checkpoint that waits for a transaction ends with the lock's timeout")
  func waitingCheckpoint() throws {
    let database = try Database(path: Self.path, on: SimulatedDisk(), DatabaseOptions())
    let writer = database.connect()
    try writer.execute("CREATE TABLE entry (id int); BEGIN; INSERT INTO entry VALUES (1)")
    let other = database.connect()
    try other.execute("SET lock_timeout = 20")
    let error = #expect(throws: SQLError.self) { try other.execute("CHECKPOINT") }
    #expect(error?.state == .lockNotAvailable)
    try writer.execute("COMMIT")
    try other.execute("CHECKPOINT")
  }

  @Test(
    "A checkpoint waits for the one that is being written, whether or not something was committed since",
    arguments: [false, true])
  func concurrentCheckpoints(_ writesMeanwhile: Bool) throws {
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, DatabaseOptions())
    try database.connect().execute("CREATE TABLE entry (id int)")
    disk.syncMilliseconds = 20
    let failures = Mutex<[SQLError]>([])
    DispatchQueue.concurrentPerform(iterations: 6) { worker in
      do throws(SQLError) {
        let connection = database.connect()
        if writesMeanwhile { try connection.execute("INSERT INTO entry VALUES (\(worker))") }
        try connection.execute("CHECKPOINT")
      } catch { failures.withLock { $0.append(error) } }
    }
    #expect(failures.withLock { $0 } == [])
    let after = try Database(
      path: Self.path, on: SimulatedDisk(disk.state.crash(seed: 1)), DatabaseOptions())
    #expect(
      try after.connect().query("SELECT count(*) FROM entry").map(\.values)
        == [[.integer(writesMeanwhile ? 6 : 0)]])
  }

  @Test("A text with a zero byte is refused as a parameter", arguments: [false, true])
  func zeroByte(_ isShort: Bool) throws {
    let connection = Database().connect()
    try connection.execute("CREATE TABLE entry (id int PRIMARY KEY, note text)")
    let insert = try connection.prepare(
      "INSERT INTO entry VALUES ($1, $2)" + (isShort ? "" : " RETURNING id"))
    let error = #expect(throws: SQLError.self) { try insert.execute(.integer(1), .text("a\0b")) }
    #expect(error?.state == .characterNotInRepertoire)
    #expect(try connection.query("SELECT count(*) FROM entry").map(\.values) == [[.integer(0)]])
  }
}
