import Foundation
import Testing

@testable import JunctionBench

@Suite("The school with attributes")
struct EverydayTests {
  private static var home: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Benchmarks").path
  }

  private func generated(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("junction-bench-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var parameters = AttributedSchoolParameters()
    parameters.students = 200
    try AttributedSchoolGenerator(parameters: parameters, folder: folder, progress: { _, _ in })
      .run()
    try body(folder)
  }

  private func options(_ group: WorkloadGroup, _ folder: String) -> RunOptions {
    var options = RunOptions()
    options.group = group
    options.size = .XS
    options.isQuiet = true
    options.home = Self.home
    options.samples = 1
    options.seconds = 0.001
    options.data = folder
    options.peers = []
    return options
  }

  @Test("is the same, byte for byte, on every machine")
  func bytes() throws {
    try generated { folder in
      #expect(
        DataFingerprint.matches(
          folder, size: "XS", workloads: WorkloadGroup.everyday.folder(home: Self.home)))
      let shape = try SchoolShape(folder: folder)
      #expect(shape.students == 200)
      #expect(shape.courses == 20)
      #expect(shape.enrolments == 1_800)
    }
  }

  @Test("writes days as ISO 8601 does")
  func days() {
    #expect(AttributedSchoolGenerator.text(ofDay: 0) == "1970-01-01")
    #expect(AttributedSchoolGenerator.text(ofDay: 11_016) == "2000-02-29")
    #expect(AttributedSchoolGenerator.text(ofDay: 7_305) == "1990-01-01")
    #expect(AttributedSchoolGenerator.text(ofDay: 17_531) == "2017-12-31")
  }

  @Test("gets the known answers to everyday questions, and first runs apart from later ones")
  func answers() throws {
    try generated { folder in
      var options = options(.everyday, folder)
      // One of each kind: all of them would take longer than a test should.
      options.only = [
        "E01", "E02", "E05", "E06", "E12", "E13", "E15", "E16", "E17", "E20", "E25", "E26", "E27",
        "E28", "E30", "V01", "V15", "V29", "V35",
      ]
      let record = try BenchmarkRun(options).run()
      #expect(record.results.count == 19)
      for result in record.results {
        let own = result.measurement(of: "junction")
        #expect(own?.status == .ok, "\(result.id): \(own?.message ?? "")")
        #expect((own?.firstSeconds ?? 0) > 0)
      }
    }
  }

  @Test("has a question for each file, with answers for each size")
  func shipped() throws {
    let workloads = try WorkloadParser.parseFolder(
      WorkloadGroup.everyday.folder(home: Self.home))
    #expect(workloads.count == 68)
    for workload in workloads {
      for size in ["XS", "S", "M", "L"] {
        #expect(workload.expectations.contains { $0.size == size }, "\(workload.id) at \(size)")
      }
    }
  }

  @Test("and near variants stand behind their originals, five to each")
  func variants() throws {
    let all = try WorkloadGroup.near.workloads(home: Self.home, size: .S, only: [])
    #expect(all.count == 78)
    #expect(all.prefix(3).map(\.id) == ["B1", "B1.1", "B1.2"])
    #expect(all[1].original == "B1")
    let one = try WorkloadGroup.near.workloads(home: Self.home, size: .S, only: ["G4.2"])
    #expect(one.map(\.id) == ["G4", "G4.2"])
  }
}

@Suite("A school's schema")
struct SchoolSchemaTests {
  private let text = """
    -- tables
    CREATE TABLE a (
        id int PRIMARY KEY,
        mark numeric(3,2),
        is_old boolean NOT NULL
    );
    CREATE TABLE b (
        x int REFERENCES a (id),
        y int REFERENCES a (id),
        day date,
        PRIMARY KEY (x, y)
    );
    """

  @Test("is given to DuckDB without keys")
  func plain() {
    let tables = SchoolSchema(text: text).tables
    #expect(tables.map(\.name) == ["a", "b"])
    #expect(
      tables[0].plainDefinition == "CREATE TABLE a (id int, mark numeric(3,2), is_old boolean)")
    #expect(tables[0].columns.map(\.isBoolean) == [false, false, true])
  }

  @Test("is given to SQLite with keys, and an index for each direction")
  func sqlite() {
    let tables = SchoolSchema(text: text).tables
    #expect(
      tables[0].sqliteDefinition
        == "CREATE TABLE a (id INTEGER PRIMARY KEY, mark REAL, is_old INTEGER NOT NULL)")
    #expect(
      tables[1].sqliteDefinition
        == "CREATE TABLE b (x INTEGER REFERENCES a (id), y INTEGER REFERENCES a (id), day TEXT, "
        + "PRIMARY KEY (x, y)) WITHOUT ROWID")
    #expect(tables[0].sqliteIndices == [])
    #expect(tables[1].sqliteIndices == ["CREATE INDEX b_by_y ON b (y, x)"])
  }
}
