@testable import JunctionBench

/// Small records made up for tests of reports.
enum ReportRecords {
  static let engines = [
    BenchEngine(id: "junction", name: "Junction", kind: .junction, version: "1", loadSeconds: 0.9),
    BenchEngine(id: "sqlite", name: "SQLite", kind: .peer, version: "3"),
    BenchEngine(
      id: "hyper", name: "Hyper", kind: .peer, missingReason: "it is not <there>",
      installCommand: "install.sh"),
    BenchEngine(id: "limit1", name: "loop, 1 thread", kind: .limit),
  ]

  static func record(
    size: String = "S", enrolments: Int = 80_000, results: [BenchResult]
  ) -> BenchRecord {
    BenchRecord(
      date: "2026-01-02T03:04:05Z", commit: "abc1234", build: "release",
      machine: BenchMachine(
        cpu: "A CPU", cores: 2, memoryBytes: 16_000_000_000, operatingSystem: "Linux",
        bandwidth: [
          MemoryBandwidth(threads: 1, readBytesPerSecond: 1e10, copyBytesPerSecond: 5e9)
        ]),
      settings: BenchSettings(
        size: size, students: enrolments / 8, courses: 200, enrolments: enrolments,
        distribution: "Zipf", seed: 42, threads: 2, samples: 100, secondsPerQuery: 1),
      engines: engines, results: results)
  }

  /// The seconds of each engine's executions, by its id.
  static func result(
    _ id: String, title: String = "a query", group: String = "point",
    _ seconds: KeyValuePairs<String, [Double]>
  ) -> BenchResult {
    BenchResult(
      id: id, title: title, group: group, sql: "SELECT '<&>'",
      measurements: seconds.map { engine, seconds in
        BenchMeasurement(engine: engine, status: .ok, samples: SampleSummary(seconds: seconds))
      })
  }

  /// One query that all answer, and one that SQLite answers wrongly.
  static var plain: BenchRecord {
    var wrong = result("B1", title: "every course", group: "bulk", ["junction": [2e-3]])
    wrong.measurements.append(
      BenchMeasurement(engine: "sqlite", status: .wrong, message: "3 instead of 4"))
    let many = (0..<50).map { 1e-6 * (1 + Double($0 % 7) / 100) }
    return record(results: [
      result(
        "P1", title: "courses of a student",
        ["junction": many, "sqlite": many.map { $0 * 12 }, "limit1": many.map { $0 / 2 }]),
      wrong,
    ])
  }
}
