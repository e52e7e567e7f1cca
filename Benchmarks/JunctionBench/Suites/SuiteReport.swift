import Foundation

/// The table of a suite: both engines' times on each query, and how they compare over all.
struct SuiteReport {
  let record: BenchRecord
  /// Whether all answers could be checked.
  let isKnown: Bool

  var text: String {
    var lines = [
      "\(record.settings.size), \(record.settings.threads) threads, medians of "
        + "\(record.settings.samples); "
        + (isKnown ? "answers checked" : "not all answers are known for this scale"),
      "query   Junction      first   planning     DuckDB      first   ratio",
    ]
    lines += record.results.map(line)
    lines += summary
    for engine in record.missingEngines {
      lines.append("\(engine.name) is missing: \(engine.missingReason.orEmpty)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ result: BenchResult) -> String {
    let own = result.measurement(of: "junction")
    let other = result.measurement(of: "duckdb")
    var line = result.id.padding(toLength: 5, withPad: " ", startingAt: 0)
    line += Self.median(own) + Self.column(own?.firstSeconds) + Self.column(own?.planningSeconds)
    line += Self.median(other) + Self.column(other?.firstSeconds)
    return line + (Self.ratio(result).map { String(format: "%8.2f", $0) } ?? "")
  }

  /// Junction's median over DuckDB's.
  private static func ratio(_ result: BenchResult) -> Double? {
    ratio(result) { $0.rightSamples?.p50 }
  }

  private static func ratio(
    _ result: BenchResult, _ seconds: (BenchMeasurement) -> Double?
  ) -> Double? {
    guard let own = result.measurement(of: "junction").flatMap(seconds),
      let other = result.measurement(of: "duckdb").flatMap(seconds), other > 0
    else { return nil }
    return own / other
  }

  private var summary: [String] {
    let right = record.results.count { $0.measurement(of: "junction")?.status == .ok }
    return ["\(right) of \(record.results.count) right"]
      + [
        comparison("Junction / DuckDB") { $0.rightSamples?.p50 },
        comparison("first runs, Junction / DuckDB") { $0.status == .ok ? $0.firstSeconds : nil },
      ].compactMap(\.self)
  }

  private func comparison(
    _ title: String, _ seconds: (BenchMeasurement) -> Double?
  ) -> String? {
    let ratios = record.results.compactMap { result in
      Self.ratio(result, seconds).map { (id: result.id, ratio: $0) }
    }
    guard let worst = ratios.max(by: { $0.ratio < $1.ratio }) else { return nil }
    let mean = SampleSummary.geometricMean(ratios.map(\.ratio))
    return "\(title): geometric mean \(Quantity.plain(mean)), worst "
      + "\(Quantity.plain(worst.ratio)) (\(worst.id)), above 1: \(ratios.count { $0.ratio > 1 })"
  }

  private static func median(_ measurement: BenchMeasurement?) -> String {
    guard let measurement else { return column(nil) }
    guard let samples = measurement.rightSamples else { return padded(measurement.statusWord) }
    return column(samples.p50)
  }

  private static func column(_ seconds: Double?) -> String {
    padded(seconds.map { String(format: "%.1f ms", $0 * 1e3) }.orEmpty)
  }

  private static func padded(_ text: String) -> String {
    String(repeating: " ", count: max(1, 11 - text.count)) + text
  }
}
