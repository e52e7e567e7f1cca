import Foundation
import Testing

@testable import JunctionBench

@Suite("A report")
struct ReportTests {
  @Test("is a table with the ratios to the best peer and to the limit")
  func table() {
    let text = TerminalReport(record: ReportRecords.plain, width: 100).text
    let expected = """
      Size S: 80,000 enrolments of 10,000 students in 200 courses, Zipf popularity, seed 42
      A CPU, 2 cores, 16.0 GB of memory, Linux. Memory: 1 thread reads 10.0 GB a second and copies 5.00 GB
      2026-01-02T03:04:05Z, commit abc1234, release, 2 threads

                                Junction   SQLite  loop (1)  × peer  × limit
      ──────────────────────────────────────────────────────────────────────
      P1  courses of a student   1.03 µs  12.4 µs    515 ns     12×     2.0×
      B1  every course           2.00 ms    wrong

      """
    #expect(text.hasPrefix(expected), "\(text)")
    #expect(text.contains("Hyper is missing: it is not <there>; install it with install.sh"))
    #expect(text.contains("B1, SQLite: wrong: 3 instead of 4"))
  }

  @Test("keeps to the width of the terminal", arguments: [56, 64, 72, 90, 200])
  func width(_ width: Int) {
    let text = TerminalReport(record: ReportRecords.plain, width: width).text
    for line in text.split(separator: "\n") {
      #expect(line.unicodeScalars.count <= width, "\(line)")
    }
  }

  @Test("in Markdown has a row a query, all of one width")
  func markdown() {
    let text = MarkdownReport(record: ReportRecords.plain).text
    #expect(
      text.contains("| P1 | courses of a student | **1.03 µs** | 12.4 µs | 515 ns | 12× | 2.0× |"))
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }
    for row in rows { #expect(row.split(separator: "|").count <= 7, "\(row)") }
  }

  @Test("has first runs beside later ones, and says at its end how Junction stands over all")
  func summary() {
    var record = ReportRecords.plain
    var variant = ReportRecords.result("B1.1", ["junction": [3e-3], "sqlite": [6e-3]])
    variant.original = "B1"
    variant.measurements[0].firstSeconds = 5e-3
    variant.measurements[1].firstSeconds = 2.5e-3
    record.results.append(variant)
    let lines = record.summary
    #expect(
      lines[0]
        == "3 of 3 right; best peer / Junction: geometric mean 4.90, worst 2.00 (B1.1), 0 below 1, "
        + "0 below 1.5")
    #expect(lines[1].hasPrefix("First runs, best peer / Junction: geometric mean 0.50"))
    #expect(
      lines.last
        == "1 of 1 near variants that have no more to touch take at most 5.0× the time of their originals"
    )
    for text in [
      TerminalReport(record: record, width: 200).text, MarkdownReport(record: record).text,
    ] {
      for part in ["first", "5.00 ms", "× original", "1.5×", "geometric mean 4.90"] {
        #expect(text.contains(part), "\(part)")
      }
    }
    let page = HTMLReport(records: [record]).text
    for part in ["first", "<td>5.00</td>", "× original", "1.5×", "geometric mean 4.90"] {
      #expect(page.contains(part), "\(part)")
    }
  }

  @Test("reads what it wrote")
  func roundTrip() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("junction-bench-\(UUID().uuidString).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for count in 1...2 {
      let records = Array(repeating: ReportRecords.plain, count: count)
      try BenchRecord.write(records, to: path)
      let read = try BenchRecord.read(path)
      #expect(read.count == count)
      #expect(try BenchRecord.json(of: read) == BenchRecord.json(of: records))
    }
    try Data("no JSON".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: BenchError.self) { try BenchRecord.read(path) }
  }
}

@Suite("A quantity")
struct QuantityTests {
  struct Example: CustomTestStringConvertible, Sendable {
    let seconds: Double
    let text: String
    var testDescription: String { text }
  }

  @Test(
    "of time has three digits and a unit that fits",
    arguments: [
      Example(seconds: 83.14e-9, text: "83.1 ns"), Example(seconds: 999.6e-9, text: "1.00 µs"),
      Example(seconds: 1.236e-6, text: "1.24 µs"), Example(seconds: 0.31, text: "310 ms"),
      Example(seconds: 74.25, text: "74.2 s"), Example(seconds: 0, text: "0 s"),
    ])
  func time(_ example: Example) {
    #expect(Quantity.time(example.seconds) == example.text)
  }

  @Test(
    "of time shares the unit of its row or column, of which the least is a tenth or more",
    arguments: [
      ([573e-9, 25.4e-3], "µs", ["0.573", "25,400"]), ([82e-9, 1.5e-6], "ns", ["82.0", "1,500"]),
      ([0.1, 99.96], "s", ["0.100", "100"]), ([0.0999, 1], "ms", ["99.9", "1,000"]),
      ([3e-12], "ns", ["0.003"]), ([], "s", []), ([0, 4e-3], "ms", ["0", "4.00"]),
      ([1.0, 1e300], "s", ["1.00", "∞"]),
    ] as [([Double], String, [String])])
  func sharedUnit(_ seconds: [Double], _ unit: String, _ numbers: [String]) {
    let shared = SharedUnit.time(seconds)
    #expect(shared.name == unit)
    #expect(seconds.map(shared.number) == numbers)
  }

  @Test("of things is short where there is little room")
  func short() {
    #expect(
      [7, 999, 1000, 80_000, 2_700_000, 80_000_000].map(Quantity.short)
        == ["7", "999", "1 k", "80 k", "2.7 M", "80 M"])
  }

  @Test("of samples is boiled down to what was there")
  func summary() throws {
    let samples = try #require(SampleSummary(seconds: (1...1000).map(Double.init)))
    #expect(samples.count == 1000)
    #expect(samples.p50 == 500.5)
    #expect(samples.p99 == 990.01)
    #expect(samples.quantiles.count == SampleSummary.quantileCountMax)
    #expect((samples.quantiles.first, samples.quantiles.last) == (1, 1000))
    // Samples that rise throughout the run are noisy medians.
    #expect((samples.medianLow, samples.medianHigh) == (100.5, 900.5))
    #expect(SampleSummary(seconds: []) == nil)
  }
}
