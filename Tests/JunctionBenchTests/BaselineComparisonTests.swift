import Testing

@testable import JunctionBench

@Suite("A comparison with a baseline")
struct BaselineComparisonTests {
  /// Twenty samples that stray by a share around a median.
  private static func samples(_ median: Double, straying share: Double = 0.01) -> [Double] {
    (0..<20).map { median * (1 + (Double($0) / 19 - 0.5) * 2 * share) }
  }

  private static func record(_ seconds: [Double]?) -> BenchRecord {
    guard let seconds else {
      var result = ReportRecords.result("P1", ["sqlite": [1]])
      result.measurements.append(
        BenchMeasurement(engine: "junction", status: .error, message: "no"))
      return ReportRecords.record(results: [result])
    }
    return ReportRecords.record(results: [ReportRecords.result("P1", ["junction": seconds])])
  }

  struct Example: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let before: [Double]?
    let after: [Double]?
    let change: BaselineComparison.Change
    let status: Int32
  }

  static let examples = [
    Example(
      testDescription: "the same time", before: samples(1), after: samples(1), change: .same,
      status: 0),
    Example(
      testDescription: "a twentieth slower is within the threshold", before: samples(1),
      after: samples(1.05), change: .same, status: 0),
    Example(
      testDescription: "a fifth slower", before: samples(1), after: samples(1.2), change: .slower,
      status: 1),
    Example(
      testDescription: "a fifth slower, within the noise", before: samples(1, straying: 0.4),
      after: samples(1.2, straying: 0.4), change: .same, status: 0),
    Example(
      testDescription: "a third faster", before: samples(1), after: samples(0.66), change: .faster,
      status: 0),
    Example(
      testDescription: "no right answer any more", before: samples(1), after: nil, change: .broken,
      status: 1),
    Example(
      testDescription: "a right answer at last", before: nil, after: samples(1), change: .appeared,
      status: 0),
  ]

  @Test("fails after what is slower by more than threshold and noise", arguments: examples)
  func decision(_ example: Example) {
    let comparison = BaselineComparison(
      baseline: Self.record(example.before), record: Self.record(example.after))
    #expect(comparison.lines.map(\.change) == [example.change])
    #expect(comparison.exitStatus == example.status)
    #expect(comparison.warnings.isEmpty)
  }

  @Test("takes the threshold that it is given, as a share or in percent")
  func threshold() throws {
    let (before, after) = ([Self.record(Self.samples(1))], [Self.record(Self.samples(1.2))])
    for (text, status) in [("10%", 1), ("0.1", 1), ("25%", 0), ("0.25", 0)] {
      let threshold = try CompareCommand.share(text)
      let outcome = try CompareCommand.compare(before, after, threshold: threshold)
      #expect(outcome.status == Int32(status), "\(text)")
    }
    #expect(throws: BenchError.self) { try CompareCommand.share("much") }
    #expect(throws: BenchError.self) { try CompareCommand.share(nil) }
  }

  @Test("warns where the machine or the data differ, and names workloads that have gone")
  func warnings() {
    let old = Self.record(Self.samples(1))
    var new = ReportRecords.record(results: [])
    new.machine.cpu = "Another"
    new.settings.seed = 1
    let comparison = BaselineComparison(baseline: old, record: new)
    #expect(comparison.warnings.count == 2)
    #expect(comparison.lines.map(\.change) == [.gone])
    #expect(comparison.text.contains("warning: the processor differs: A CPU, then Another"))
    #expect(comparison.exitStatus == 0)
  }
}
