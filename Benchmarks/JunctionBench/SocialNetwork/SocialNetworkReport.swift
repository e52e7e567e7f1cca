import Foundation

/// The table of a run over a social network: Junction's two wordings and each peer's times, and how they compare over all.
struct SocialNetworkReport {
  let record: BenchRecord
  /// Whether all answers could be checked.
  let isKnown: Bool

  private var peers: [BenchEngine] { record.engines.filter { $0.kind == .peer && $0.isPresent } }
  private var plain: [BenchResult] { record.results.filter { !$0.id.hasSuffix("g") } }

  private func pattern(of result: BenchResult) -> BenchResult? {
    record.results.first { $0.id == "\(result.id)g" }
  }

  var text: String {
    var lines = [
      "\(record.settings.size), \(record.settings.threads) threads; medians; "
        + (isKnown ? "answers checked" : "not all answers are known"),
      Self.cell("query", 6) + Self.right("SQL") + Self.right("patterns")
        + peers.map { Self.right($0.name) }.joined()
        + peers.map { Self.right("\($0.name)/") + Self.right("pattern") }.joined(),
    ]
    lines += plain.map(line)
    lines += summary
    for engine in record.missingEngines {
      lines.append("\(engine.name) is missing: \(engine.missingReason.orEmpty)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ result: BenchResult) -> String {
    let pattern = pattern(of: result)
    var line = Self.cell(result.id, 6) + Self.time(result, "junction")
    line += pattern.map { Self.time($0, "junction") } ?? Self.right("")
    line += peers.map { Self.time(result, $0.id) }.joined()
    for peer in peers {
      for wording in [result, pattern] {
        let ratio = wording.flatMap { Self.ratio($0, peer.id) }
        line += Self.right(ratio.map(Quantity.ratio).orEmpty)
      }
    }
    return line + "  \(result.title)"
  }

  /// A peer's median over Junction's.
  private static func ratio(_ result: BenchResult, _ peer: String) -> Double? {
    guard let own = result.measurement(of: "junction")?.rightSamples?.p50, own > 0,
      let other = result.measurement(of: peer)?.rightSamples?.p50
    else { return nil }
    return other / own
  }

  private var summary: [String] {
    let patterns = plain.compactMap(pattern)
    return [("SQL", plain), ("patterns", patterns)].flatMap { name, results in
      let right = results.count { $0.measurement(of: "junction")?.status == .ok }
      return ["by \(name): \(right) of \(results.count) right"]
        + peers.compactMap { peer in comparison(name, results, peer) }
    }
  }

  private func comparison(
    _ name: String, _ results: [BenchResult], _ peer: BenchEngine
  ) -> String? {
    let ratios = results.compactMap { result in
      Self.ratio(result, peer.id).map { (id: result.id, ratio: $0) }
    }
    guard let least = ratios.min(by: { $0.ratio < $1.ratio }) else { return nil }
    let mean = SampleSummary.geometricMean(ratios.map(\.ratio))
    return "\(peer.name) / Junction by \(name): geometric mean \(Quantity.plain(mean)) of "
      + "\(ratios.count), least \(Quantity.plain(least.ratio)) (\(least.id)), "
      + "below 1: \(ratios.count { $0.ratio < 1 })"
  }

  private static func time(_ result: BenchResult, _ engine: String) -> String {
    guard let measurement = result.measurement(of: engine) else { return right("") }
    return right(
      measurement.rightSamples.map { Quantity.time($0.p50) } ?? measurement.statusWord)
  }

  private static func cell(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.unicodeScalars.count))
  }

  private static func right(_ text: String) -> String {
    String(repeating: " ", count: max(1, 11 - text.unicodeScalars.count)) + text
  }
}
