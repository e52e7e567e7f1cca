import Foundation

/// A column behind those of the engines, the same in every kind of report.
struct RemarkColumn {
  let heading: String
  /// What a reader is told of it.
  let explanation: String
  /// The cell's time, where it is one.
  var seconds: (Standing) -> Double? = { _ in nil }
  let cell: (Standing) -> String
}

extension BenchRecord {
  /// Those that have something to say of any query.
  var remarks: [RemarkColumn] {
    let columns = [
      RemarkColumn(
        heading: "first",
        explanation: "Junction's first execution of the query after loading, planning included",
        seconds: { $0.first }, cell: { $0.first.map(Quantity.time).orEmpty }),
      RemarkColumn(
        heading: "first, peer", explanation: "the fastest first execution of a peer's",
        seconds: { $0.bestFirst }, cell: { $0.bestFirst.map(Quantity.time).orEmpty }),
      RemarkColumn(
        heading: "planning", explanation: "Junction's time from text to plan",
        seconds: { $0.planning }, cell: { $0.planning.map(Quantity.time).orEmpty }),
      RemarkColumn(
        heading: "× original",
        explanation: "how many times the time of the query it is a variant of, "
          + "with + where it has more to touch",
        cell: { standing in
          standing.multipleOfOriginal.map(Quantity.ratio).orEmpty
            + (standing.result.touchesMore == nil ? "" : "+")
        }),
    ]
    let standings = standings
    return (Self.ratios + columns).filter { column in
      standings.contains { !column.cell($0).isEmpty }
    }
  }

  private static var ratios: [RemarkColumn] {
    [
      RemarkColumn(
        heading: "× peer", explanation: "how many times faster than the best peer",
        cell: { $0.speedup.map(Quantity.ratio).orEmpty }),
      RemarkColumn(
        heading: "× limit",
        explanation:
          "how many times the time of the faster hand-written loop, which does that query "
          + "and nothing else; empty where Junction is faster",
        cell: { $0.multipleOfLimit.map(Quantity.ratio).orEmpty }),
    ]
  }

  /// What the columns behind the engines' are, in a sentence.
  var remarkSentence: String {
    "Medians. " + remarks.map { "\"\($0.heading)\": \($0.explanation)" }.joined(separator: "; ")
      + "."
  }

  /// The run in a few lines: what was right, and how Junction stands over all.
  var summary: [String] {
    let standings = standings.filter { $0.result.measurement(of: "junction") != nil }
    guard !standings.isEmpty else { return [] }
    let right = standings.count { $0.result.measurement(of: "junction")?.status == .ok }
    var lines = ["\(right) of \(standings.count) right"]
    if let text = Self.summary(of: standings, \.speedup) {
      lines[0] += "; best peer / Junction: \(text)"
    }
    if let text = Self.summary(of: standings, \.firstSpeedup) {
      lines.append("First runs, best peer / Junction: \(text)")
    }
    let means = presentEngines.filter { $0.kind == .peer }.compactMap { peer -> String? in
      let ratios = standings.compactMap { $0.speedup(against: peer.id) }
      guard !ratios.isEmpty else { return nil }
      let mean = SampleSummary.geometricMean(ratios)
      return "\(peer.name) \(Quantity.plain(mean)) (of \(ratios.count))"
    }
    if means.count > 1 {
      lines.append("Geometric means by peer: \(means.joined(separator: ", "))")
    }
    return lines + variantSummary(standings)
  }

  /// "geometric mean 2.41, worst 0.81 (V01), 3 below 1, 9 below 1.5".
  private static func summary(of standings: [Standing], _ ratio: (Standing) -> Double?) -> String? {
    let ratios = standings.compactMap { standing in
      ratio(standing).map { (id: standing.result.id, ratio: $0) }
    }
    guard let worst = ratios.min(by: { $0.ratio < $1.ratio }) else { return nil }
    let mean = SampleSummary.geometricMean(ratios.map(\.ratio))
    return "geometric mean \(Quantity.plain(mean)), worst \(Quantity.plain(worst.ratio)) "
      + "(\(worst.id)), \(ratios.count { $0.ratio < 1 }) below 1, "
      + "\(ratios.count { $0.ratio < 1.5 }) below 1.5"
  }

  /// The most that a near variant may take, as a multiple of its original, unless it has more to touch.
  private static let variantBar = 5.0

  private func variantSummary(_ standings: [Standing]) -> [String] {
    let variants = standings.filter { $0.result.touchesMore == nil }.compactMap { standing in
      standing.multipleOfOriginal.map { (id: standing.result.id, multiple: $0) }
    }
    if variants.isEmpty { return [] }
    let slow = variants.filter { $0.multiple > Self.variantBar }
      .sorted { $0.multiple > $1.multiple }
    let names = slow.map { "\($0.id) \(Quantity.ratio($0.multiple))" }.joined(separator: ", ")
    return [
      "\(variants.count - slow.count) of \(variants.count) near variants that have no more to touch take at most "
        + "\(Quantity.ratio(Self.variantBar)) the time of their originals"
        + (names.isEmpty ? "" : "; more: \(names)")
    ]
  }
}
