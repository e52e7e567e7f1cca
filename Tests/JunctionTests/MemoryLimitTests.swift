import Diagnostics
import Foundation
import Junction
import Testing

@Suite("The limit of memory", .serialized)
struct MemoryLimitTests {
  static let hungry = [
    "SELECT a.i, b.i FROM generate_series(1, 10000) a(i), generate_series(1, 10000) b(i)",
    "SELECT i, md5(i::text) FROM generate_series(1, 100000000) i ORDER BY 2",
    "SELECT array_agg(i) FROM generate_series(1, 100000000) i",
    "SELECT string_agg(repeat('x', 1000), ',') FROM generate_series(1, 10000000) i GROUP BY i % 1000",
    "SELECT i * 7919::bigint, count(*) FROM generate_series(1, 100000000) i GROUP BY 1",
    "SELECT DISTINCT md5(i::text) FROM generate_series(1, 100000000) i",
    "SELECT sum(i) OVER (ORDER BY i DESC) FROM generate_series(1, 100000000) i",
    "SELECT count(*) FROM generate_series(1, 100000000) a(i), generate_series(1, 100000000) b(i) WHERE a.i + b.i < 0",
    "WITH RECURSIVE r(n) AS (SELECT md5(i::text) FROM generate_series(1, 20000) i UNION SELECT md5(n) FROM r) SELECT count(*) FROM r",
    "WITH c AS MATERIALIZED (SELECT i, repeat('y', 100) t FROM generate_series(1, 100000000) i) SELECT count(*) FROM c x, c y",
    "INSERT INTO taken SELECT i, repeat('z', 200) || i FROM generate_series(1, 100000000) i",
    "SELECT count(x) FROM (SELECT repeat(i::text, 1000000) x FROM generate_series(1, 100000) i ORDER BY x) y",
  ]

  @Test(
    "ends whatever would hold more, and says how to raise it", arguments: MemoryLimitTests.hungry)
  func limit(_ sql: String) throws {
    let connection = Database().connect()
    try connection.execute(
      "CREATE TABLE taken (i bigint, t text); SET memory_limit = '12MB'; SET statement_timeout = '60s'"
    )
    let error = #expect(throws: SQLError.self) { try connection.execute(sql) }
    #expect(error?.state == .outOfMemory)
    #expect(error?.detail?.contains("memory_limit") == true)
    #expect(error?.hint?.contains("SET memory_limit = '") == true)
    #expect(
      try connection.query("SELECT count(*) FROM taken").value(row: 0, column: 0) == .integer(0))
  }

  @Test("lets a text that many rows have count once")
  func repeated() throws {
    let connection = Database().connect()
    try connection.execute("SET memory_limit = '128MB'")
    let sql = "SELECT cardinality(array_agg(repeat('x', 10000000))) FROM generate_series(1, 200)"
    #expect(try connection.query(sql).value(row: 0, column: 0) == .integer(200))
  }

  @Test("is by default four fifths of what the machine has")
  func standard() throws {
    let connection = Database().connect()
    guard case .text(let text) = try connection.query("SHOW memory_limit").value(row: 0, column: 0),
      let limit = Int(text)
    else {
      Issue.record("SHOW gives no number")
      return
    }
    #expect(limit > 0 && limit <= Int(ProcessInfo.processInfo.physicalMemory) / 5 * 4)
  }

  @Test("counts the results that somebody keeps")
  func kept() throws {
    let connection = Database().connect()
    try connection.execute("SET memory_limit = '48MB'")
    var kept: [ResultSet] = []
    let error = #expect(throws: SQLError.self) {
      for _ in 0..<40 {
        kept.append(try connection.query("SELECT i, i + 1 FROM generate_series(1, 200000) i"))
      }
    }
    #expect(error?.state == .outOfMemory)
    #expect(kept.count > 2)
    kept = []
    #expect(
      try connection.query("SELECT i, i + 1 FROM generate_series(1, 20000) i").count == 20_000)
  }
}
