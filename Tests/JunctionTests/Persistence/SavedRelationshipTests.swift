import Catalog
import Columnar
import Diagnostics
import Durability
import SimulatedDisk
import Storage
import Testing

@testable import Junction

@Suite("A relationship that is saved")
struct SavedRelationshipTests {
  /// How the rows stand: in no order, by student, by student and course, by course.
  private static let orders = [
    "(s * 7919 + c * 104729) % 100003", "s, (c * 17) % 40", "s, c", "c, s",
  ]

  /// More edges than one stretch of a section takes, in each of the ways that lists are kept.
  @Test("is the same when it is opened, however its rows stand", arguments: orders.indices)
  func order(_ order: Int) throws {
    let database = Database()
    let connection = database.connect()
    try connection.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY);
      CREATE TABLE course (id int PRIMARY KEY);
      CREATE TABLE enrols (student_id int REFERENCES student, course_id int REFERENCES course,
        PRIMARY KEY (student_id, course_id));
      INSERT INTO student SELECT generate_series(1, 5000);
      INSERT INTO course SELECT generate_series(1, 60);
      INSERT INTO enrols SELECT s, c FROM generate_series(1, 4500) s, generate_series(1, 19) c
        WHERE (s + c) % 19 <> 0 OR c < 3 ORDER BY \(Self.orders[order]);
      """)
    try Self.check(database)
    // Lists that have changed since stand elsewhere.
    try connection.execute(
      """
      DELETE FROM enrols WHERE (student_id + course_id) % 211 = 0;
      INSERT INTO enrols SELECT s, 50 + s % 7 FROM generate_series(4000, 5000) s;
      UPDATE enrols SET course_id = 58 WHERE course_id = 50 AND student_id % 3 = 0;
      """)
    try Self.check(database)
  }

  private static func check(_ database: Database) throws {
    let disk = SimulatedDisk()
    try database.save(to: "/s.junction", on: disk)
    var options = DatabaseOptions()
    options.verifiesAtOpening = true
    let opened = try Database(path: "/s.junction", on: disk, options)
    let (version, other) = (database.state.current, opened.state.current)
    for (id, table) in version.tables {
      let found = try #require(other.tables[id])
      found.checkInvariants()
      guard let definition = version.catalog.tables[id] else { continue }
      for source in definition.foreignKeys.indices {
        for target in definition.foreignKeys.indices where target != source {
          let lists = try #require(table.adjacency(from: source, to: target))
          let copies = try #require(found.adjacency(from: source, to: target))
          #expect(lists.edgeCount == copies.edgeCount)
          for list in 0..<lists.sourceLimit {
            let same = Self.edges(lists, list) == Self.edges(copies, list)
            if !same { Issue.record("list \(list) differs") }
          }
        }
      }
    }
    let rows = try opened.connect().query("VERIFY")
    #expect(rows.allSatisfy { $0["sqlstate"] == .text("00000") })
    try opened.close()
  }

  /// The targets of a list, and behind them its rows.
  private static func edges(_ lists: AdjacencyIndex, _ list: Int) -> [UInt32] {
    let neighbours = lists.neighbours(of: UInt32(list))
    let runs = (0..<neighbours.runCount).map { neighbours.run($0) }
    return runs.flatMap { $0.targets.array($0.count) } + runs.flatMap { $0.rows.array($0.count) }
  }

  @Test("leaves nothing behind when the disk is full")
  func fullDisk() throws {
    let database = try Self.small()
    let disk = SimulatedDisk()
    disk.spaceLimit = 300
    let error = #expect(throws: SQLError.self) { try database.save(to: "/s.junction", on: disk) }
    #expect(error?.state == .diskFull)
    #expect(try disk.list("/").isEmpty)
    disk.spaceLimit = nil
    try database.save(to: "/s.junction", on: disk)
    _ = try Database(path: "/s.junction", on: disk, DatabaseOptions())
  }

  @Test("leaves nothing behind when a call to the disk fails, and is there when none does")
  func faults() throws {
    let database = try Self.small()
    var (index, failures) = (0, 0)
    while true {
      let disk = SimulatedDisk(
        SimulatedState(), SimulatedFaultPlan(at: index, .error(DiskError.ioError)))
      do throws(SQLError) { try database.save(to: "/s.junction", on: disk) } catch {
        failures += 1
        #expect(try disk.list("/").isEmpty, "call \(index)")
        index += 1
        continue
      }
      let isPast = disk.operationCount <= index
      disk.plan = nil
      _ = try Database(path: "/s.junction", on: disk, DatabaseOptions())
      if isPast { break }
      index += 1
    }
    #expect(failures > 20)
  }

  @Test("is there whole or not at all, whenever the power goes")
  func powerCuts() throws {
    let database = try Self.small()
    let disk = SimulatedDisk()
    disk.isRecording = true
    try database.save(to: "/s.junction", on: disk)
    var options = DatabaseOptions()
    options.createsIfMissing = false
    func rows(_ state: SimulatedState) throws -> SQLValue? {
      guard
        let found = try? Database(path: "/s.junction", on: SimulatedDisk(state), options)
      else { return nil }
      return try found.connect().query("SELECT count(*) FROM t").map { $0[0] }.first
    }
    for state in disk.history {
      for seed in UInt64(0)..<8 {
        let found = try rows(state.crash(seed: seed))
        #expect(found == nil || found == .integer(90))
      }
    }
    for seed in UInt64(0)..<8 { #expect(try rows(disk.state.crash(seed: seed)) == .integer(90)) }
  }

  @Test("leaves alone what was there before")
  func presence() throws {
    let database = try Self.small()
    let disk = SimulatedDisk()
    try disk.makeDirectory("/s.junction")
    disk.place([1, 2, 3], at: "/s.junction/wal.1")
    disk.place([4], at: "/file")
    for path in ["/s.junction", "/file"] {
      let error = #expect(throws: SQLError.self) { try database.save(to: path, on: disk) }
      #expect(error?.state == .duplicateFile)
    }
    #expect(disk.bytes(of: "/s.junction/wal.1") == [1, 2, 3])
    #expect(try disk.list("/s.junction") == ["wal.1"])
    #expect(disk.bytes(of: "/file") == [4])
  }

  private static func small() throws -> Database {
    let database = Database()
    try database.connect().execute(
      "CREATE TABLE t (a int PRIMARY KEY, b text); INSERT INTO t SELECT i, 'n' || i FROM generate_series(1, 90) i"
    )
    return database
  }
}
