import Diagnostics
import Durability
import SimulatedDisk
import Testing

@testable import Junction

@Suite("A backup")
struct BackupTests {
  private static let path = "/school.junction"

  private static func connection(_ disk: SimulatedDisk) throws -> Connection {
    let connection = try Database(path: path, on: disk, DatabaseOptions()).connect()
    for statement in [
      "CREATE TABLE student (id serial PRIMARY KEY, name text)",
      "CREATE TABLE mark (student_id int REFERENCES student, mark int)",
      "INSERT INTO student (name) SELECT 'number ' || i FROM generate_series(1, 100) i",
      "INSERT INTO mark SELECT i, i % 6 FROM generate_series(1, 100) i",
    ] { try connection.execute(statement) }
    return connection
  }

  private static func count(_ connection: Connection) throws -> SQLValue {
    try connection.query("SELECT count(*) FROM student JOIN mark ON student.id = student_id")
      .value(row: 0, column: 0)
  }

  @Test("holds what was committed, opens by its path, and takes no changes")
  func reading() throws {
    let disk = SimulatedDisk()
    let connection = try Self.connection(disk)
    try connection.execute("BACKUP TO '/copy'")
    try connection.execute("DELETE FROM mark")
    let backup = try Database(path: "/copy", on: disk, DatabaseOptions()).connect()
    #expect(try Self.count(backup) == .integer(100))
    for statement in ["INSERT INTO mark VALUES (1, 1)", "DROP TABLE mark", "CHECKPOINT"] {
      let error = #expect(throws: SQLError.self) { try backup.execute(statement) }
      #expect(error?.state == .readOnlyTransaction && error?.hint != nil)
    }
    #expect(try backup.query("VERIFY").allSatisfy { $0["sqlstate"] == .text("00000") })
    try backup.database.save(to: "/again.junction", on: disk)
    let again = try Database(path: "/again.junction", on: disk, DatabaseOptions()).connect()
    try again.execute("INSERT INTO student (name) VALUES ('another')")
    #expect(
      try again.query("SELECT max(id) FROM student").value(row: 0, column: 0) == .integer(101))
  }

  @Test("takes the place of no file, and leaves nothing when the disk fails")
  func refusals() throws {
    let disk = SimulatedDisk()
    let connection = try Self.connection(disk)
    try connection.execute("BACKUP TO '/copy'")
    let error = #expect(throws: SQLError.self) { try connection.execute("BACKUP TO '/copy'") }
    #expect(error?.state == .duplicateFile)
    for offset in 0..<12 {
      disk.plan = SimulatedFaultPlan(
        at: disk.operationCount + offset, .error(DiskError.noSpace))
      let isWritten = (try? connection.execute("BACKUP TO '/other'")) != nil
      disk.plan = nil
      let names = try disk.list("/")
      #expect(!names.contains { $0.hasSuffix(".new") }, "call \(offset)")
      if isWritten || names.contains("other") {
        let other = try Database(path: "/other", on: disk, DatabaseOptions()).connect()
        #expect(try Self.count(other) == .integer(100))
        try disk.unlink("/other")
      }
    }
    #expect(try Self.count(connection) == .integer(100))
    try connection.execute("INSERT INTO student (name) VALUES ('another')")
  }

  @Test("is whole or not there, whenever the power goes")
  func powerCuts() throws {
    let disk = SimulatedDisk()
    let connection = try Self.connection(disk)
    disk.isRecording = true
    try connection.execute("BACKUP TO '/copy'")
    for (index, state) in (disk.history + [disk.state]).enumerated() {
      for seed in UInt64(0)..<8 {
        let survivor = SimulatedDisk(state.crash(seed: seed < 4 ? seed : seed << 8 | UInt64(index)))
        guard try survivor.exists("/copy") else {
          #expect(index < disk.history.count, "it was acknowledged")
          continue
        }
        let backup = try Database(path: "/copy", on: survivor, DatabaseOptions()).connect()
        #expect(try Self.count(backup) == .integer(100))
      }
    }
  }

  @Test("is refused when a bit of it is another, and so is a file that never was one")
  func damage() throws {
    let disk = SimulatedDisk()
    try Self.connection(disk).execute("BACKUP TO '/copy'")
    let bytes = try #require(disk.bytes(of: "/copy"))
    for bit in stride(from: 0, to: bytes.count * 8, by: 61) {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      disk.place(changed, at: "/copy")
      let error = #expect(throws: SQLError.self, "bit \(bit)") {
        try Database(path: "/copy", on: disk, DatabaseOptions())
      }
      #expect(error?.state == .dataCorrupted)
    }
    for size in stride(from: 0, to: bytes.count, by: 97) {
      disk.place(Array(bytes.prefix(size)), at: "/copy")
      #expect(throws: SQLError.self) {
        try Database(path: "/copy", on: disk, DatabaseOptions())
      }
    }
  }
}
