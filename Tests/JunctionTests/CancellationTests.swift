import Diagnostics
import Dispatch
import Foundation
import Junction
import Synchronization
import Testing

@Suite("A statement that is asked to end", .serialized)
struct CancellationTests {
  private static let database: Database? = {
    let database = Database()
    _ = try? database.connect().execute(
      """
      CREATE TABLE big (a integer, b integer, t text);
      INSERT INTO big SELECT (i * 7919::bigint) % 400000, i % 100, 'text ' || (i * 31) % 400000 FROM generate_series(1, 400000) i
      """)
    return database
  }()

  /// Work that takes seconds in a debug build, by its parts that no operator runs chunk by chunk.
  static let statements = [
    "SELECT a FROM big, generate_series(1, 20) ORDER BY a OFFSET 8000000",
    "SELECT t FROM big, generate_series(1, 10) ORDER BY t, a OFFSET 8000000",
    "SELECT a FROM big, generate_series(1, 20) ORDER BY a LIMIT 3000000",
    "SELECT count(r) FROM (SELECT rank() OVER (PARTITION BY b ORDER BY t) r FROM big, generate_series(1, 5)) x",
    "SELECT count(*) FROM big x JOIN (SELECT t FROM big, generate_series(1, 10)) y ON x.t = y.t",
    "SELECT count(*) FROM (SELECT t, a FROM big, generate_series(1, 10) i GROUP BY t, a + i, a) x",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM big, generate_series(1, 20)",
    "SELECT cardinality(array_agg(a ORDER BY t)) FROM big, generate_series(1, 5)",
    "CREATE INDEX ON big (t); CREATE INDEX ON big (t, a); CREATE INDEX ON big (a, b, t)",
    "SELECT sum(length(replace(repeat('ab' || i, 100000), 'b', 'cd'))) FROM generate_series(1, 100000) i",
    "SELECT count(*) FROM big x, big y WHERE x.a + y.a < 0",
    "SELECT length(regexp_replace(repeat('a,', 20000000), 'a', 'bb', 'g'))",
    "SELECT regexp_count(repeat('ab', 20000000), '[ab]')",
    "SELECT length(translate(reverse(repeat('ab', 20000000)), 'a', 'b'))",
    "SELECT cardinality(('{' || repeat('1,', 20000000) || '1}')::int[])",
  ]

  @Test("ends soon, whatever it is at", arguments: CancellationTests.statements)
  func cancel(_ sql: String) throws {
    let connection = try #require(Self.database).connect()
    let delay = Double.random(in: 0.05...0.6)
    // A machine that is busy with other tests, and a debug build, get ten times the time of a release build. What keeps the
    // processors for longer once is no part of the statement: it is asked three times at the same place then.
    var took = try ended(sql, by: connection, after: delay)
    for _ in 0..<2 where took >= .milliseconds(500) {
      took = min(took, try ended(sql, by: connection, after: delay))
    }
    #expect(took < .milliseconds(500), "\(sql), \(delay) s after its start: \(took)")
  }

  /// How long a statement in a transaction of its own goes on after it is asked to end, `delay` seconds after its start.
  private func ended(
    _ sql: String, by connection: Connection, after delay: Double
  ) throws -> Duration {
    try connection.execute("BEGIN")
    let outcome = Mutex<(state: SQLState?, moment: ContinuousClock.Instant)?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      var state: SQLState?
      do throws(SQLError) { try connection.execute(sql) } catch { state = error.state }
      outcome.withLock { $0 = (state, ContinuousClock.now) }
      done.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    Thread.sleep(forTimeInterval: delay)
    let asked = ContinuousClock.now
    connection.cancel()
    while done.wait(timeout: .now() + 5) != .success { connection.cancel() }
    let ended = try #require(outcome.withLock { $0 })
    #expect(ended.state == .queryCanceled || ended.state == nil)
    try connection.execute("ROLLBACK")
    return ended.moment - asked
  }

  @Test("ends at its timeout, within a sort as well")
  func timeout() throws {
    let connection = try #require(Self.database).connect()
    try connection.execute("SET statement_timeout = '200ms'")
    let start = ContinuousClock.now
    let error = #expect(throws: SQLError.self) {
      try connection.execute(
        "SELECT t FROM big, generate_series(1, 50) ORDER BY t OFFSET 100000000")
    }
    #expect(error?.message == "canceling statement due to statement timeout")
    #expect(ContinuousClock.now - start < .seconds(2))
  }

  @Test("ends while it is bound and optimized", arguments: ["", "PREPARE counted AS ", "EXPLAIN "])
  func planning(_ prefix: String) throws {
    let connection = Database().connect()
    // Each view has twice as many tables as the one below.
    var script = "CREATE TABLE v0 (a integer);"
    for level in 1...8 {
      script +=
        "CREATE VIEW v\(level) AS SELECT x.a FROM v\(level - 1) x, v\(level - 1) y WHERE x.a < y.a;"
    }
    try connection.execute(script)
    try connection.execute("SET statement_timeout = '200ms'")
    let all = (0..<100).map { "v8 x\($0)" }.joined(separator: ", ")
    let start = ContinuousClock.now
    let error = #expect(throws: SQLError.self) {
      try connection.execute("\(prefix)SELECT count(*) FROM \(all)")
    }
    #expect(error?.message == "canceling statement due to statement timeout")
    #expect(ContinuousClock.now - start < .seconds(2))
  }

  @Test("leaves the connection as it was")
  func goesOn() throws {
    let connection = try #require(Self.database).connect()
    for _ in 0..<3 {
      try connection.execute("SET statement_timeout = '50ms'")
      #expect(throws: SQLError.self) {
        try connection.execute("SELECT count(*) FROM big x JOIN big y ON x.b = y.b AND x.t > y.t")
      }
      try connection.execute("RESET statement_timeout")
      let rows = try connection.query("SELECT count(*) FROM big WHERE b = 7")
      #expect(rows.value(row: 0, column: 0) == .integer(4000))
    }
  }

  @Test("is refused to a second thread while a first one uses the connection")
  func oneThreadAtATime() throws {
    let connection = Database().connect()
    let outcomes = Mutex<[SQLState?]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<200 {
        var state: SQLState?
        do throws(SQLError) {
          switch (thread + round) % 3 {
          case 0: _ = try connection.query("SELECT sum(i) FROM generate_series(1, 1000) i")
          case 1: _ = try connection.prepare("SELECT $1::integer + 1").query(.integer(1))
          default: try connection.execute("SET application_name = 'thread \(thread)'")
          }
        } catch { state = error.state }
        outcomes.withLock { $0.append(state) }
      }
    }
    let states = outcomes.withLock { $0 }
    #expect(states.allSatisfy { $0 == nil || $0 == .objectInUse })
    #expect(states.contains(nil))
    #expect(try connection.query("SELECT 1").count == 1)
  }
}
