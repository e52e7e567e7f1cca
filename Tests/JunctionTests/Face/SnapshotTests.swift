import Diagnostics
import Junction
import Testing

@Suite("Snapshots and forks")
struct SnapshotTests {
  private static func makeDatabase() throws -> Database {
    let database = Database()
    try database.execute(
      "CREATE TABLE t (id serial PRIMARY KEY, v int); INSERT INTO t (v) SELECT generate_series(1, 100)"
    )
    return database
  }

  private static func sum(_ db: borrowing some Reader & ~Copyable) throws -> Int64? {
    try db.query("SELECT sum(v)::int8 FROM t").first?[0].integer
  }

  @Test("stay as they are while others commit")
  func stays() throws {
    let database = try Self.makeDatabase()
    let before = database.snapshot
    #expect(try Self.sum(before) == 5050)
    for value in 1...10 {
      try database.execute("UPDATE t SET v = v + \(value) WHERE id = \(value)")
      #expect(try Self.sum(before) == 5050)
    }
    try database.execute("DROP TABLE t")
    #expect(try Self.sum(before) == 5050)
    #expect(before.version < database.snapshot.version)
    #expect(database.snapshot.version == database.snapshot.version)
  }

  @Test(
    "change nothing",
    arguments: ["DELETE FROM t", "CREATE TABLE u ()", "UPDATE t SET v = 1 WHERE id = 1"])
  func readOnly(text: String) throws {
    let database = try Self.makeDatabase()
    for _ in 0..<2 {
      let error = #expect(throws: SQLError.self) {
        try database.snapshot.query(SQL(raw: text))
      }
      #expect(error?.state == .readOnlyTransaction)
    }
    #expect(try Self.sum(database) == 5050)
  }

  @Test("of an open transaction have what it did, whatever becomes of it")
  func ofTransaction() throws {
    struct Stop: Error {}
    let database = try Self.makeDatabase()
    var kept: [Snapshot] = []
    #expect(throws: Stop.self) {
      try database.write { db in
        for value in 1...3 {
          try db.execute("UPDATE t SET v = 0 WHERE id = \(value)")
          kept.append(db.snapshot)
        }
        throw Stop()
      }
    }
    #expect(try kept.map { try Self.sum($0) } == [5049, 5047, 5044])
    #expect(try Self.sum(database) == 5050)
  }

  @Test("are read by many tasks at once")
  func manyTasks() async throws {
    let database = try Self.makeDatabase()
    let before = database.snapshot
    try await withThrowingTaskGroup(of: Int64?.self) { group in
      for number in 0..<40 {
        group.addTask {
          try database.execute("UPDATE t SET v = v + 1 WHERE id = \(number % 100 + 1)")
          let (now, again) = try await database.read { (try Self.sum($0), try Self.sum($0)) }
          #expect(now == again)
          return try Self.sum(before)
        }
      }
      for try await sum in group { #expect(sum == 5050) }
    }
  }

  @Test("become databases that change by themselves, both ways", arguments: [1, 2, 3, 4])
  func forks(seed: UInt64) throws {
    var dice = GraphRandom(state: seed)
    var databases = [(try Self.makeDatabase(), Array(1...100))]
    for _ in 0..<300 {
      let place = Int.random(in: 0..<databases.count, using: &dice)
      let id = Int.random(in: 1...100, using: &dice)
      let value = Int.random(in: 0..<1000, using: &dice)
      switch Int.random(in: 0..<10, using: &dice) {
      case 0 where databases.count < 8:
        databases.append((databases[place].0.fork(), databases[place].1))
      case 1 where databases.count > 2: databases.remove(at: place)
      case 2:
        try databases[place].0.write { db in
          try db.execute("UPDATE t SET v = \(value) WHERE id = \(id)")
          try db.execute("UPDATE t SET v = v + 1 WHERE id <= \(id)")
        }
        databases[place].1[id - 1] = value
        for other in 0..<id { databases[place].1[other] += 1 }
      default:
        try databases[place].0.execute("UPDATE t SET v = \(value) WHERE id = \(id)")
        databases[place].1[id - 1] = value
      }
      for (database, values) in databases {
        #expect(try Self.sum(database) == Int64(values.reduce(0, +)))
      }
    }
  }

  @Test("go on counting where the sequences stood")
  func sequences() throws {
    let database = try Self.makeDatabase()
    let fork = database.fork()
    for _ in 0..<2 {
      for each in [database, fork] { try each.execute("INSERT INTO t (v) VALUES (0)") }
    }
    for each in [database, fork] {
      #expect(try each.query("SELECT max(id) FROM t").first?[0] == 102)
    }
  }
}
