import Diagnostics
import Foundation
import Junction

/// The queries of a suite in Junction and in DuckDB: answers are checked first, then both are timed in turn.
final class SuiteRun {
  private let options: SuiteOptions
  private let suite: QuerySuite
  private let progress = Progress()
  private let watchdog = Watchdog()
  private let connection = Database().connect()
  private var peer: DuckDBDatabase?
  private var engines: [BenchEngine] = []
  private var results: [BenchResult] = []

  init(_ kind: SuiteKind, _ options: SuiteOptions) throws(BenchError) {
    self.options = options
    suite = try QuerySuite(
      kind, folder: options.queries, data: options.data, only: options.only)
  }

  /// Runs everything; says false where an answer was wrong.
  func run() throws(BenchError) -> Bool {
    let date = ISO8601DateFormatter().string(from: Date())
    try load()
    for (number, item) in suite.items.enumerated() {
      progress.say("\(number + 1) of \(suite.items.count): \(item.id)", isStep: false)
      results.append(measure(item))
    }
    progress.clear()
    let known = suite.items.allSatisfy { $0.answer != nil }
    print(SuiteReport(record: record(date), isKnown: known).text, terminator: "")
    if let folder = options.out { try ReportCommand.write([record(date)], to: folder) }
    return results.allSatisfy { $0.measurement(of: "junction")?.status == .ok }
  }

  // MARK: Loading

  private func load() throws(BenchError) {
    progress.say("loading Junction")
    var start = Stopwatch.now
    do throws(SQLError) {
      _ = try connection.execute("SET threads = \(options.threads)")
      _ = try connection.execute(suite.schema)
      for table in suite.tables {
        _ = try connection.execute(copy(table, "WITH (FORMAT csv, HEADER)"))
      }
    } catch {
      throw BenchError(error.rendered(statement: ""))
    }
    var own = BenchEngine(
      id: "junction", name: "Junction", kind: .junction, version: "this commit",
      access: "in process, text sent each time, every value read",
      settings: "primary and foreign keys, threads=\(options.threads)")
    own.loadSeconds = Stopwatch.now - start
    engines.append(own)
    guard options.withPeer else { return }
    var other = DuckDBEngine.outline
    other.access = "in process, C interface, text sent each time, every chunk fetched"
    other.settings = "in memory, threads=\(options.threads)"
    do throws(BenchError) {
      let library = try DuckDBLibrary(environment: options.peersEnvironment)
      let database = try DuckDBDatabase(library)
      other.version = library.version
      progress.say("loading DuckDB")
      start = Stopwatch.now
      for statement in Self.peerSettings + ["SET threads = \(options.threads)", suite.peerSchema] {
        _ = try database.query(statement)
      }
      for table in suite.tables { _ = try database.query(copy(table, "(HEADER)")) }
      other.loadSeconds = Stopwatch.now - start
      peer = database
    } catch {
      other.missingReason = error.description
    }
    engines.append(other)
  }

  /// With these DuckDB divides integers and sorts NULLs as PostgreSQL does.
  private static let peerSettings = [
    "SET integer_division = true",
    "SET default_null_order = 'nulls_last_on_asc_first_on_desc'",
  ]

  private func copy(_ table: String, _ options: String) -> String {
    let folder = self.options.data.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "''")
    return "COPY \(table) FROM '\(folder)/\(table).csv' \(options)"
  }

  // MARK: Queries

  private func measure(_ item: QuerySuite.Item) -> BenchResult {
    let name = suite.kind.rawValue
    var result = BenchResult(
      id: item.id, title: "\(name) \(item.id)", group: name, sql: item.sql, measurements: [])
    var own = BenchMeasurement(engine: "junction", status: .ok)
    var other: BenchMeasurement?
    firstRun(item, &own) { () throws(BenchError) in try self.execute(item.sql) }
    check(item, &own) { () throws(BenchError) in try self.rows(item.sql) }
    own.planningSeconds = own.status == .ok ? planningSeconds(item.sql) : nil
    if let peer {
      var known = BenchMeasurement(engine: "duckdb", status: .ok)
      firstRun(item, &known) { () throws(BenchError) in try peer.query(item.sql).drain() }
      check(item, &known) { () throws(BenchError) in
        try peer.query(DuckDBEngine.asTexts(item.sql)).texts()
      }
      other = known
    } else if options.withPeer {
      other = BenchMeasurement(engine: "duckdb", status: .missing)
    }
    var times: (own: [Double], other: [Double]) = ([], [])
    for _ in 0..<options.samples {
      time(&own, &times.own) { () throws(BenchError) in try self.execute(item.sql) }
      if let peer, var known = other {
        time(&known, &times.other) { () throws(BenchError) in try peer.query(item.sql).drain() }
        other = known
      }
    }
    own.samples = SampleSummary(seconds: times.own)
    other?.samples = SampleSummary(seconds: times.other)
    result.measurements = [own] + (other.map { [$0] } ?? [])
    result.plan = own.status == .ok ? plan(item.sql) : nil
    return result
  }

  /// Times the execution that finds the engine as loading left it.
  private func firstRun(
    _ item: QuerySuite.Item, _ measurement: inout BenchMeasurement,
    _ execute: () throws(BenchError) -> Int
  ) {
    var seconds: [Double] = []
    time(&measurement, &seconds, execute)
    measurement.firstSeconds = seconds.first
    note(item, measurement)
  }

  /// Compares the answer of one engine with the known one.
  private func check(
    _ item: QuerySuite.Item, _ measurement: inout BenchMeasurement,
    _ rows: () throws(BenchError) -> [[String?]]
  ) {
    guard measurement.status == .ok else { return }
    do throws(EngineFailure) {
      let found = try guarded(rows)
      measurement.rows = Double(found.count)
      guard let fault = item.answer?.fault(of: found) else { return }
      measurement.status = .wrong
      measurement.message = fault
    } catch {
      measurement.status = error.status
      measurement.message = error.message
    }
    note(item, measurement)
  }

  private func note(_ item: QuerySuite.Item, _ measurement: BenchMeasurement) {
    guard let message = measurement.message else { return }
    progress.note("\(item.id), \(measurement.engine): \(message)")
  }

  private func time(
    _ measurement: inout BenchMeasurement, _ seconds: inout [Double],
    _ execute: () throws(BenchError) -> Int
  ) {
    guard measurement.status == .ok else { return }
    let start = Stopwatch.now
    do throws(EngineFailure) {
      Stopwatch.keep(try guarded(execute))
      seconds.append(Stopwatch.now - start)
    } catch {
      measurement.status = error.status
      measurement.message = error.message
    }
  }

  /// Breaks off what takes too long.
  private func guarded<Result>(
    _ body: () throws(BenchError) -> Result
  ) throws(EngineFailure) -> Result {
    let limit = Double(options.timeout)
    let interrupt: @Sendable () -> Void = { [connection, peer] in
      connection.cancel()
      peer?.interrupt()
    }
    return try watchdog.run(until: Deadline(soft: limit, hard: limit), interrupt: interrupt) {
      () throws(EngineFailure) in
      do throws(BenchError) {
        return try body()
      } catch {
        throw watchdog.failure(error.description)
      }
    }
  }

  // MARK: Junction

  private func query(_ sql: String) throws(BenchError) -> ResultSet {
    do throws(SQLError) {
      return try connection.query(sql)
    } catch {
      throw BenchError(error.rendered(statement: sql))
    }
  }

  private func execute(_ sql: String) throws(BenchError) -> Int { try query(sql).digest() }

  private func rows(_ sql: String) throws(BenchError) -> [[String?]] {
    let result = try query(sql)
    return (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) }
    }
  }

  /// The plan of a query as it is carried out once more, as markup.
  private func plan(_ sql: String) -> String? {
    let rows = try? guarded { () throws(BenchError) in
      try self.rows("EXPLAIN (ANALYZE, FORMAT html) \(sql)")
    }
    return rows?.first?.first?.flatMap(PlansPage.body)
  }

  /// What reading and planning a query takes, the first time apart: the median of as many times as it is run.
  private func planningSeconds(_ sql: String) -> Double? {
    var seconds: [Double] = []
    for _ in 0..<options.samples {
      let start = Stopwatch.now
      guard (try? query("EXPLAIN \(sql)")) != nil else { return nil }
      seconds.append(Stopwatch.now - start)
    }
    return SampleSummary(seconds: seconds)?.p50
  }

  // MARK: Results

  private func record(_ date: String) -> BenchRecord {
    BenchRecord(
      date: date, commit: MachineDescription.commit(of: FileManager.default.currentDirectoryPath),
      build: MachineDescription.build, machine: MachineDescription.machine(bandwidth: []),
      settings: BenchSettings(
        size: "\(suite.kind.rawValue) scale \(suite.scale)", students: 0, courses: 0,
        enrolments: 0, distribution: "", seed: 0, threads: options.threads,
        samples: options.samples, secondsPerQuery: 0),
      engines: engines, results: results)
  }
}
