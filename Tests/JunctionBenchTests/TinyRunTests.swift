import Foundation
import Testing

@testable import JunctionBench

@Suite("A run over a tiny school")
struct TinyRunTests {
  private static var home: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Benchmarks").path
  }

  /// Options for 200 students in a folder of their own.
  private func options(_ folder: String) -> RunOptions {
    var options = RunOptions()
    options.size = .XS
    options.isQuiet = true
    options.home = Self.home
    options.samples = 5
    options.seconds = 0.01
    options.data = folder
    options.peers = ["sqlite"]
    options.only = [
      "P1", "P2", "P3", "P3c", "B1", "B2a", "B2b", "B3", "B4", "B5", "B6", "B7", "B7all", "B8",
      "B9", "W1", "W2", "A1",
    ]
    return options
  }

  private func generated(
    _ parameters: SchoolParameters, _ body: (String) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("junction-bench-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try SchoolGenerator(parameters: parameters, folder: folder, progress: { _, _ in }).run()
    try body(folder)
  }

  @Test("gives right answers in Junction, in SQLite where it is there, and in both loops")
  func tiny() throws {
    var parameters = SchoolParameters()
    (parameters.students, parameters.courses) = (200, 20)
    try generated(parameters) { folder in
      let run = try BenchmarkRun(options(folder))
      let record = try run.run()
      #expect(run.isDefaultData)
      #expect(record.results.count == 20)
      // A change is planned within a transaction that is rolled back.
      let missing = record.results.filter { $0.plan?.contains("<ul class=\"plan\">") != true }
      #expect(missing.map(\.id) == [], "each query has a plan")
      for result in record.results {
        for measurement in result.measurements {
          let isFine = measurement.status == .ok || measurement.status == .unsupported
          #expect(isFine, "\(result.id) in \(measurement.engine): \(measurement.message ?? "")")
        }
      }
    }
  }

  @Test("takes a school in which students have no or every course")
  func extremes() throws {
    for perStudent in [0, 1, 6] {
      var parameters = SchoolParameters()
      (parameters.students, parameters.courses) = (70, 6)
      parameters.coursesPerStudent = perStudent
      parameters.isZipf = false
      try generated(parameters) { folder in
        var options = options(folder)
        options.only = [
          "P1", "P2", "P3", "P3c", "B1", "B2a", "B2b", "B3", "B4", "B5", "B6", "B7", "B8", "W1",
        ]
        let record = try BenchmarkRun(options).run()
        for result in record.results {
          for measurement in result.measurements {
            let isFine = measurement.status == .ok || measurement.status == .unsupported
            #expect(isFine, "\(result.id) in \(measurement.engine): \(measurement.message ?? "")")
          }
        }
      }
    }
  }
}
