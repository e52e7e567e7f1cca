import Catalog
import Columnar
import Diagnostics
import Durability
import Foundation
import SimulatedDisk
import Storage
import Testing

@testable import Junction

/// Everything that outlives a session, in a form that can be compared.
private struct Contents: Equatable {
  var catalog: [UInt8] = []
  /// By table the position and the text of each row.
  var tables: [UInt32: [UInt32: [UInt8]]] = [:]
  var sequences: [ObjectID: SequencePosition] = [:]

  init(_ database: Database, sequences withSequences: Bool = true) {
    let version = database.state.current
    var writer = ByteWriter()
    version.catalog.encode(into: &writer)
    catalog = writer.bytes
    for definition in version.catalog.tables.values where !definition.isTemporary {
      guard let table = version.tables[definition.id] else { continue }
      table.checkInvariants()
      tables[definition.id.number] = Self.rows(of: table)
    }
    for (id, sequence) in version.catalog.sequences where withSequences {
      sequences[id] = database.state.sequences.position(of: sequence)
    }
  }

  /// The texts of all live rows.
  private static func rows(of table: TableStore) -> [UInt32: [UInt8]] {
    let positions = (0..<UInt32(table.rowCount)).filter(table.isLive)
    let chunk = table.gather(
      Buffer(positions), count: positions.count, columns: Array(table.types.indices))
    var rows: [UInt32: [UInt8]] = [:]
    let formatter = TextFormatter()
    for (row, position) in positions.enumerated() {
      var text = ByteBuilder()
      for vector in chunk.columns {
        text.append(vector.isValid(row) ? 1 : 0)
        if vector.isValid(row) { formatter.append(row, of: vector, to: &text) }
      }
      rows[position] = text.bytes.array
    }
    return rows
  }
}

@Suite("A database on disk, opened again")
struct ReopenedDatabaseTests {
  private static let path = "school.junction"

  /// What would be found if the power went now.
  private static func reopened(_ disk: SimulatedDisk, seed: UInt64) throws -> Database {
    try Database(
      path: path, on: SimulatedDisk(disk.state.crash(seed: seed)), DatabaseOptions())
  }

  private static let isFull =
    ProcessInfo.processInfo.environment["JUNCTION_DURABILITY_CASES"] != nil
  /// Of the specification's files every fifth, and of their statements every sixtieth; all of them in a full run.
  private static let files = SpecificationFile.all.enumerated()
    .filter { isFull || $0.offset % 5 == 0 }.map(\.element)
  private static let step = isFull ? 1 : 60

  /// The power goes after each statement, some time after a snapshot was written.
  @Test("has what the specification's statements have done", arguments: files)
  func everyStatement(_ file: SpecificationFile) throws {
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, DatabaseOptions())
    let connection = database.connect()
    for (index, record) in file.records.enumerated() {
      _ = try? connection.query(record.sql)
      if index % 25 == 24, connection.session.transaction == nil { try database.checkpoint() }
      guard index % Self.step == 0 || index == file.records.count - 1 else { continue }
      let place = "\(file.name).test:\(record.line): \(record.sentence)"
      let other = try Self.reopened(disk, seed: UInt64(index))
      #expect(Contents(other, sequences: false) == Contents(database, sequences: false), "\(place)")
    }
  }

  @Test("has every kind of change, by the log, by a snapshot, and by both")
  func changes() throws {
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, DatabaseOptions())
    let connection = database.connect()
    let statements = [
      "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
      """
      CREATE TABLE student (id serial PRIMARY KEY, name text NOT NULL UNIQUE, mood mood,
        score numeric(10, 2), marks int[], born date, seen timestamptz, extra jsonb, part real)
      """,
      "CREATE TABLE course (id int PRIMARY KEY, name varchar(80))",
      """
      CREATE TABLE enrols (student_id int REFERENCES student ON DELETE CASCADE,
        course_id int REFERENCES course, PRIMARY KEY (student_id, course_id))
      """,
      """
      INSERT INTO student (name, mood, score, marks, born, seen, extra, part)
      SELECT 'student number ' || i, CASE i % 3 WHEN 0 THEN 'sad' WHEN 1 THEN 'happy' END::mood,
        CASE WHEN i % 7 > 0 THEN i * 1.25 END, ARRAY[i, NULL, i * 2], DATE '2000-01-01' + i,
        TIMESTAMPTZ '2020-01-01 00:00Z' + i * INTERVAL '1 hour', jsonb_build_object('a', i), i / 3.0
      FROM generate_series(1, 3000) i
      """,
      "INSERT INTO course SELECT i, 'course ' || i FROM generate_series(1, 50) i",
      "INSERT INTO enrols SELECT s, c FROM generate_series(1, 3000) s, generate_series(1, 50) c WHERE (s * c) % 11 = 1",
      "UPDATE student SET name = 'x' || name, score = 'NaN' WHERE id % 100 = 5",
      "UPDATE student SET id = id + 10000 WHERE id BETWEEN 2990 AND 2999 AND id NOT IN (SELECT student_id FROM enrols)",
      "DELETE FROM student WHERE id % 13 = 4",
      "UPDATE enrols SET course_id = course_id + 1 WHERE course_id = 17 AND student_id % 2 = 0",
      "BEGIN; INSERT INTO course VALUES (51, 'a'); DELETE FROM course WHERE id = 51; INSERT INTO course VALUES (51, 'b'); COMMIT",
      "ALTER TABLE student ADD COLUMN note text DEFAULT 'none'",
      "ALTER TABLE student DROP COLUMN part",
      "CREATE INDEX by_born ON student (born)",
      "CREATE VIEW happy AS SELECT id, name FROM student WHERE mood = 'happy' WITH CHECK OPTION",
      "CREATE FUNCTION twice(i int) RETURNS int LANGUAGE sql AS 'SELECT i * 2'",
      "CREATE PROPERTY GRAPH school VERTEX TABLES (student, course NO PROPERTIES) EDGE TABLES (enrols SOURCE student DESTINATION course)",
      "SELECT nextval('student_id_seq')",
      "INSERT INTO student (name) VALUES ('last')",
      "TRUNCATE enrols",
      "DROP TABLE enrols CASCADE",
    ]
    for (index, statement) in statements.enumerated() {
      try connection.execute(statement)
      #expect(
        Contents(try Self.reopened(disk, seed: UInt64(index))) == Contents(database), "\(statement)"
      )
      if index % 5 == 4 { try connection.execute("CHECKPOINT") }
    }
    try database.close()
    let again = try Database(path: Self.path, on: disk, DatabaseOptions())
    #expect(Contents(again) == Contents(database))
    #expect(again.notices.isEmpty)
  }

  @Test("forgets what was not committed")
  func uncommitted() throws {
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, DatabaseOptions())
    let connection = database.connect()
    try connection.execute("CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1)")
    try connection.execute("BEGIN; INSERT INTO t VALUES (2); CREATE TABLE u (b int)")
    let rows = try Self.reopened(disk, seed: 1).connect().query("SELECT a FROM t")
    #expect(rows.map { $0.values } == [[.integer(1)]])
  }

  /// A sync fails at every call of a script in turn, and the system forgets what it had not written.
  @Test("takes no more commits after a failed sync, and has all that were acknowledged")
  func failedSync() throws {
    var failures = 0
    for index in 0..<60 {
      let disk = SimulatedDisk(SimulatedState(), SimulatedFaultPlan(at: index, .lostSync))
      var acknowledged = 0
      do {
        let connection = try Database(path: Self.path, on: disk, DatabaseOptions()).connect()
        try connection.execute("CREATE TABLE t (a int)")
        for number in 1...10 {
          try connection.execute("INSERT INTO t VALUES (\(number))")
          acknowledged = number
        }
      } catch { failures += 1 }
      disk.plan = nil
      guard let other = try? Self.reopened(disk, seed: UInt64(index)) else {
        #expect(acknowledged == 0)
        continue
      }
      let rows = (try? other.connect().query("SELECT a FROM t ORDER BY a"))?.map { $0[0].integer }
      let count = rows?.count ?? 0
      #expect(count >= acknowledged && (rows ?? []) == (0..<count).map { Int64($0 + 1) })
    }
    #expect(failures > 0)
  }

  @Test("is refused to a second process, and read by any number")
  func secondProcess() throws {
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, DatabaseOptions())
    try database.connect().execute("CREATE TABLE t (a int); INSERT INTO t VALUES (7)")
    #expect(throws: SQLError.self) {
      try Database(path: Self.path, on: disk, DatabaseOptions())
    }
    var options = DatabaseOptions()
    options.isReadOnly = true
    let reader = try Database(path: Self.path, on: disk, options)
    #expect(try reader.connect().query("SELECT a FROM t").map { $0.values } == [[.integer(7)]])
    #expect(throws: SQLError.self) { try reader.connect().execute("INSERT INTO t VALUES (8)") }
  }
}
