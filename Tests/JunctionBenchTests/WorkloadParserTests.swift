import Foundation
import Testing

@testable import JunctionBench

@Suite("A workload file")
struct WorkloadParserTests {
  private let text = """
    -- id: X1
    -- title: a title: with a colon
    -- group: point
    -- parameters: student: random 3
    -- ordered: yes
    -- json: 1 2
    -- numeric: 0
    -- variant of: X0
    -- touches more: every row
    -- limit: coursesOfStudent
    -- sizes: S M
    -- unsupported hyper: no such thing
    -- expect S (17): 8 rows 00000004a1b2c3d4
    -- expect M (17, 4): 0 rows 0000000000000000
    SELECT a
    FROM b

    -- section: sqlite
    SELECT 2
    -- section: must fail
    SELECT 3
    -- section: after
    SELECT 4

    """

  @Test("says what is asked, how, and what the answer is")
  func parts() throws {
    let workload = try WorkloadParser.parse(text, path: "X1.sql")
    #expect(workload.id == "X1")
    #expect(workload.title == "a title: with a colon")
    #expect(workload.sql == "SELECT a\nFROM b")
    #expect(workload.dialects == ["sqlite": "SELECT 2"])
    #expect(workload.mustFail == ["SELECT 3"])
    #expect(workload.after == "SELECT 4")
    #expect(workload.isOrdered)
    #expect(workload.jsonColumns == [1, 2])
    #expect(workload.numericColumns == [0])
    #expect(workload.original == "X0")
    #expect(workload.touchesMore == "every row")
    #expect(workload.sizes == ["S", "M"])
    #expect(workload.unsupported == ["hyper": "no such thing"])
    #expect(workload.parameters == (try ParameterSource("student: random 3")))
    #expect(
      workload.expectations == [
        .init(
          size: "S", parameters: [.integer(17)], answer: Answer(rows: 8, digest: 0x4_A1B2_C3D4)),
        .init(
          size: "M", parameters: [.integer(17), .integer(4)], answer: Answer(rows: 0, digest: 0)),
      ])
  }

  @Test(
    "that is not understood is refused with its line",
    arguments: [
      "-- id: X\n-- titel: y\nSELECT 1", "-- id: X\n-- kind: z\nSELECT 1",
      "-- id: X\n-- parameters: pupil: random 3\nSELECT 1",
      "-- id: X\n-- expect S (1): many rows\nSELECT 1",
    ])
  func faults(_ text: String) {
    #expect {
      try WorkloadParser.parse(text, path: "X.sql")
    } throws: { error in
      "\(error)".hasPrefix("X.sql:2: ")
    }
  }

  @Test("may hold several, each beginning with its id")
  func several() throws {
    let two = text + text.replacingOccurrences(of: "X1", with: "X2")
    let workloads = try WorkloadParser.parseAll(two, path: "X.sql")
    #expect(workloads.map(\.id) == ["X1", "X2"])
    #expect(workloads[0].after == "SELECT 4")
  }

  @Test("needs an id, a title and a text")
  func incomplete() {
    #expect(throws: BenchError.self) { try WorkloadParser.parse("SELECT 1", path: "X.sql") }
  }

  @Test("gets a size's answers replaced and keeps the others")
  func replacing() throws {
    let line = "-- expect S (5): 1 rows 0000000000000001"
    let replaced = ExpectCommand.replacing(text, size: "S", by: [line])
    let workload = try WorkloadParser.parse(replaced, path: "X1.sql")
    #expect(workload.expectations.map(\.size) == ["M", "S"])
    #expect(workload.expectations.last?.parameters == [.integer(5)])
    #expect(workload.sql == "SELECT a\nFROM b")
    #expect(ExpectCommand.replacing(replaced, size: "S", by: [line]) == replaced)
  }

  @Test("puts literals in place of parameters")
  func literals() {
    let query = Query(
      id: "", kind: .text, sql: "SELECT $1, $2, $10, $1", isOrdered: false, jsonColumns: [],
      loop: nil)
    #expect(
      query.text(with: [.integer(7), .text("it's")]) == "SELECT 7, 'it''s', $10, 7")
  }

  @Test("of every workload of the repository is understood, has a text and an answer for each size")
  func shipped() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let workloads = try WorkloadParser.parseFolder(
      root.appendingPathComponent("Benchmarks/Workloads").path)
    #expect(workloads.count == 30)
    #expect(workloads.first?.id == "P1")
    #expect(workloads.last?.id == "L")
    for workload in workloads where workload.kind == .rows || workload.kind == .text {
      for size in ["XS", "S", "M", "L"] {
        #expect(workload.expectations.contains { $0.size == size }, "\(workload.id) at \(size)")
      }
    }
  }
}
