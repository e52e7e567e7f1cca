import Diagnostics
import Dispatch
import Foundation
import Junction
import Synchronization

/// Hungry statements, many at once, under a limit of memory: what the process takes while they run, and what is left.
struct MemoryProof {
  /// Statements that would hold as much as they are given.
  static let statements = [
    "SELECT a.i, b.i FROM generate_series(1, 100000) a(i), generate_series(1, 100000) b(i)",
    "SELECT i, md5(i::text) FROM generate_series(1, 1000000000) i ORDER BY 2",
    "SELECT array_agg(i) FROM generate_series(1, 1000000000) i",
    "SELECT string_agg(repeat('x', 1000), ',') FROM generate_series(1, 1000000000) i GROUP BY i % 1000",
    "SELECT i * 7919::bigint, count(*) FROM generate_series(1, 1000000000) i GROUP BY 1",
    "SELECT DISTINCT md5(i::text) FROM generate_series(1, 1000000000) i",
    "SELECT sum(i) OVER (ORDER BY i DESC) FROM generate_series(1, 1000000000) i",
    "SELECT count(*) FROM generate_series(1, 1000000000) a(i) JOIN generate_series(1, 1000000000) b(i) ON a.i = b.i",
    "WITH RECURSIVE r(n) AS (SELECT 1::bigint UNION SELECT n * 3 % 1000000007 FROM r) SELECT count(*) FROM r",
    "WITH RECURSIVE r(n) AS (SELECT i::bigint FROM generate_series(1, 1000) i UNION SELECT n + 1000 FROM r) SELECT count(*) FROM r",
    "WITH c AS MATERIALIZED (SELECT i, repeat('y', 100) t FROM generate_series(1, 1000000000) i) SELECT count(*) FROM c x, c y",
    "SELECT json_agg(json_build_object('i', i)) FROM generate_series(1, 1000000000) i GROUP BY i % 3000",
    "INSERT INTO taken SELECT i, repeat('z', 200) || i FROM generate_series(1, 1000000000) i",
    "CREATE TABLE more AS SELECT i, md5(i::text) FROM generate_series(1, 1000000000) i",
    "SELECT count(x) FROM (SELECT repeat(i::text, 10000000) x FROM generate_series(1, 100000) i ORDER BY x) y",
    "SELECT md5(i::text) FROM generate_series(1, 1000000000) i EXCEPT SELECT md5(i::text) FROM generate_series(5, 1000000000) i",
    "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i) FROM generate_series(1, 1000000000) i",
    "SELECT count(*) FROM generate_series(1, 1000000000) a(i), generate_series(1, 50000000) b(i) WHERE a.i + b.i < 0",
  ]

  let limitMegabytes: Int

  func run(count: Int, seconds: Double) throws -> Bool {
    let proof = Proof("\(count) hungry statements at once with \(limitMegabytes) MB")
    let database = Database()
    try database.connect().execute("CREATE TABLE taken (i bigint, t text)")
    // What a process takes once, for code and types that it uses for the first time, is not theirs.
    for sql in Self.statements {
      let connection = database.connect()
      try connection.execute("SET memory_limit = '64MB'")
      _ = try? connection.execute(sql)
    }
    Thread.sleep(forTimeInterval: 1)
    let before = CancelProof.residentBytes
    let greatest = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
    let end = ContinuousClock.now + .seconds(seconds)
    let group = DispatchGroup()
    let limit = limitMegabytes
    for worker in 0..<count {
      group.enter()
      Thread.detachNewThread {
        let connection = database.connect()
        var number = worker
        while ContinuousClock.now < end {
          do throws(SQLError) {
            try connection.execute("SET memory_limit = '\(limit)MB'; SET statement_timeout = '10s'")
            let results = try connection.execute(Self.statements[number % Self.statements.count])
            withExtendedLifetime(results) {}
          } catch {
            switch error.state {
            case .outOfMemory: proof.add(1, to: "ended for memory")
            case .queryCanceled: proof.add(1, to: "ended for time")
            default: proof.fail("\(Self.statements[number % Self.statements.count]): \(error)")
            }
          }
          proof.add()
          number += 7
        }
        group.leave()
      }
    }
    let watch = Thread {
      while !isOver.load(ordering: .relaxed) {
        greatest.store(
          max(greatest.load(ordering: .relaxed), CancelProof.residentBytes), ordering: .relaxed)
        usleep(1000)
      }
    }
    watch.start()
    group.wait()
    isOver.store(true, ordering: .relaxed)
    // What was freed goes back at up to a second a gigabyte.
    let allowedAfter = before + before / 10 + (16 << 20)
    let over = ContinuousClock.now
    var after = CancelProof.residentBytes
    while after > allowedAfter, ContinuousClock.now - over < .seconds(6) {
      usleep(10_000)
      after = CancelProof.residentBytes
    }
    proof.add(Int((ContinuousClock.now - over) / .milliseconds(1)), to: "ms until it is given back")
    let most = greatest.load(ordering: .relaxed)
    let allowed = (limit << 20) / 10 * 11 + (64 << 20)
    proof.add(most >> 20, to: "MB at most")
    proof.add(before >> 20, to: "MB before")
    proof.add(after >> 20, to: "MB after")
    if most > allowed {
      proof.fail("the process had \(most >> 20) MB, of \(allowed >> 20) MB allowed")
    }
    if after > allowedAfter {
      proof.fail("of \(before >> 20) MB before, \(after >> 20) MB were left after")
    }
    return proof.report()
  }
}
