import Diagnostics
import Foundation
import Junction

/// The queries of TPC-H in Junction and in DuckDB: answers are checked first, then both are timed in turn.
final class TPCHRun {
  private let options: TPCHOptions
  private let suite: TPCHSuite
  private let progress = Progress()
  private let connection = Database().connect()
  private var peer: DuckDBDatabase?
  private var engines: [BenchEngine] = []
  private var results: [BenchResult] = []

  init(_ options: TPCHOptions) throws(BenchError) {
    self.options = options
    suite = try TPCHSuite(folder: options.queries, data: options.data, only: options.only)
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
    printTable()
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
      for table in TPCHSuite.tables {
        _ = try connection.execute(copy(table, "WITH (FORMAT csv, HEADER)"))
      }
    } catch {
      throw BenchError(error.rendered(statement: ""))
    }
    var own = BenchEngine(
      id: "junction", name: "Junction", kind: .junction, version: "this commit",
      access: "in process, text sent each time, every value read",
      settings: "primary keys, threads=\(options.threads)")
    own.loadSeconds = Stopwatch.now - start
    engines.append(own)
    guard options.withPeer else { return }
    var other = DuckDBEngine.outline
    other.access = "in process, C interface, text sent each time, every chunk fetched"
    other.settings = "in memory, primary keys, threads=\(options.threads)"
    do throws(BenchError) {
      let library = try DuckDBLibrary(environment: options.peersEnvironment)
      let database = try DuckDBDatabase(library)
      other.version = library.version
      progress.say("loading DuckDB")
      start = Stopwatch.now
      _ = try database.query("SET threads = \(options.threads)")
      _ = try database.query(suite.schema)
      for table in TPCHSuite.tables { _ = try database.query(copy(table, "(HEADER)")) }
      other.loadSeconds = Stopwatch.now - start
      peer = database
    } catch {
      other.missingReason = error.description
    }
    engines.append(other)
  }

  private func copy(_ table: String, _ options: String) -> String {
    let folder = self.options.data.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "''")
    return "COPY \(table) FROM '\(folder)/\(table).csv' \(options)"
  }

  // MARK: Queries

  private func measure(_ item: TPCHSuite.Item) -> BenchResult {
    var result = BenchResult(
      id: item.id, title: "TPC-H \(item.id)", group: "TPC-H", sql: item.sql, measurements: [])
    var own = checked("junction", item) { () throws(BenchError) in try self.rows(item.sql) }
    var other: BenchMeasurement?
    if let peer {
      other = checked("duckdb", item) { () throws(BenchError) in
        try peer.query("SELECT COLUMNS(*)::VARCHAR FROM (\(item.sql))").texts()
      }
    } else if options.withPeer {
      other = BenchMeasurement(engine: "duckdb", status: .missing)
    }
    var times: (own: [Double], other: [Double]) = ([], [])
    for _ in 0..<options.samples {
      if own.status == .ok {
        time(&own, &times.own) { () throws(BenchError) in
          do throws(SQLError) {
            return try connection.query(item.sql).digest()
          } catch {
            throw BenchError(error.rendered(statement: item.sql))
          }
        }
      }
      if let peer, var known = other, known.status == .ok {
        time(&known, &times.other) { () throws(BenchError) in
          try peer.query(item.sql).drain()
        }
        other = known
      }
    }
    own.samples = SampleSummary(seconds: times.own)
    other?.samples = SampleSummary(seconds: times.other)
    result.measurements = [own] + (other.map { [$0] } ?? [])
    return result
  }

  /// The answer of one engine compared with the known one.
  private func checked(
    _ engine: String, _ item: TPCHSuite.Item, _ rows: () throws(BenchError) -> [[String?]]
  ) -> BenchMeasurement {
    var measurement = BenchMeasurement(engine: engine, status: .ok)
    do throws(BenchError) {
      let found = try rows()
      measurement.rows = Double(found.count)
      if let answer = item.answer, let fault = TPCHSuite.fault(of: found, expected: answer) {
        measurement.status = .wrong
        measurement.message = fault
      }
    } catch {
      measurement.status = .error
      measurement.message = error.description
    }
    if let message = measurement.message {
      progress.note("\(item.id), \(engine): \(message)")
    }
    return measurement
  }

  private func rows(_ sql: String) throws(BenchError) -> [[String?]] {
    do throws(SQLError) {
      let result = try connection.query(sql)
      return (0..<result.count).map { row in
        result.columns.indices.map { result.text(row: row, column: $0) }
      }
    } catch {
      throw BenchError(error.rendered(statement: sql))
    }
  }

  private func time(
    _ measurement: inout BenchMeasurement, _ seconds: inout [Double],
    _ execute: () throws(BenchError) -> Int
  ) {
    let start = Stopwatch.now
    do throws(BenchError) {
      Stopwatch.keep(try execute())
      seconds.append(Stopwatch.now - start)
    } catch {
      measurement.status = .error
      measurement.message = error.description
    }
  }

  // MARK: Results

  private func record(_ date: String) -> BenchRecord {
    BenchRecord(
      date: date, commit: MachineDescription.commit(of: FileManager.default.currentDirectoryPath),
      build: MachineDescription.build, machine: MachineDescription.machine(bandwidth: []),
      settings: BenchSettings(
        size: "TPC-H scale \(suite.scale)", students: 0, courses: 0, enrolments: 0,
        distribution: "", seed: 0, threads: options.threads, samples: options.samples,
        secondsPerQuery: 0),
      engines: engines, results: results)
  }

  private func printTable() {
    let known = suite.items.allSatisfy { $0.answer != nil }
    print(
      "TPC-H at scale \(suite.scale), \(options.threads) threads, medians of \(options.samples); "
        + (known ? "answers checked" : "no answers known for this scale"))
    print("query   Junction     DuckDB   ratio")
    var logarithms: [Double] = []
    for result in results {
      let own = result.measurement(of: "junction")
      let other = result.measurement(of: "duckdb")
      var line = result.id.padding(toLength: 5, withPad: " ", startingAt: 0)
      line += Self.column(own) + Self.column(other)
      if let mine = own?.samples?.p50, let theirs = other?.samples?.p50, theirs > 0 {
        logarithms.append(log(mine / theirs))
        line += String(format: "%8.2f", mine / theirs)
      }
      print(line)
    }
    if !logarithms.isEmpty {
      let mean = exp(logarithms.reduce(0, +) / Double(logarithms.count))
      print("geometric mean of the ratios: \(String(format: "%.2f", mean))")
    }
    for engine in engines {
      if let reason = engine.missingReason { print("\(engine.name) is missing: \(reason)") }
    }
  }

  private static func column(_ measurement: BenchMeasurement?) -> String {
    guard let measurement else { return "           " }
    let text =
      measurement.samples.map { String(format: "%.1f ms", $0.p50 * 1e3) }
      ?? measurement.status.rawValue
    return String(repeating: " ", count: max(1, 11 - text.count)) + text
  }
}
