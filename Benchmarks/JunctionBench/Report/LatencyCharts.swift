import Foundation

/// Latency by the share of executions that were at least as fast, a picture a workload.
struct LatencyCharts {
  let record: BenchRecord

  /// Shares of executions as the number of nines: half is 0.3, 99 % is 2.
  private static let ninesMax = 2.3

  private static func nines(_ share: Double) -> Double {
    min(ninesMax, -log10(max(1e-9, 1 - share)))
  }

  /// Too few samples have no distribution worth a picture.
  private static let sampleCountMin = 20

  func markup() -> String {
    record.standings.compactMap { standing -> String? in
      let result = standing.result
      let all = record.drawnEngines(standing)
      let lines = all.compactMap { engine, samples -> LineChart.Line? in
        guard samples.count >= Self.sampleCountMin else { return nil }
        return LineChart.Line(engine: engine, points: Self.points(samples))
      }
      guard lines.contains(where: { $0.engine.kind == .junction }) else { return nil }
      let description = all.map { engine, samples in
        "\(engine.name): half within \(Quantity.time(samples.p50)), "
          + "99 % within \(Quantity.time(samples.p99))"
      }
      return LineChart(
        title: result.id, subtitle: result.title,
        description: description.joined(separator: "; "), lines: lines,
        ticks: [(0.0, "0"), (0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %")].map {
          LineChart.Tick(x: Self.nines($0.0) / Self.ninesMax, label: $0.1)
        },
        placeOfX: { Self.nines($0) / Self.ninesMax }
      ).markup()
    }.joined()
  }

  /// The curve of the quantiles, thinned to what 200 points of width can show.
  private static func points(_ samples: SampleSummary) -> [(x: Double, y: Double)] {
    let quantiles = samples.quantiles
    guard quantiles.count > 1 else { return [] }
    let shares = [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9]
    let tail = stride(from: 0.91, through: 0.985, by: 0.005) + [0.99, 0.995]
    return (shares + Array(tail)).map { ($0, SampleSummary.quantile($0, of: quantiles)) }
  }
}

extension BenchRecord {
  /// What a picture of one workload shows: Junction, the peers, and the faster loop where it is a limit.
  func drawnEngines(_ standing: Standing) -> [(engine: BenchEngine, samples: SampleSummary)] {
    var drawn: [(engine: BenchEngine, samples: SampleSummary)] = []
    for engine in presentEngines where engine.kind != .limit {
      if let samples = standing.result.measurement(of: engine.id)?.rightSamples {
        drawn.append((engine, samples))
      }
    }
    if let limit = standing.limit { drawn.append((.limit, limit)) }
    return drawn
  }
}

extension BenchEngine {
  /// The faster of the hand-written loops, where Junction is no faster.
  static let limit = BenchEngine(id: "limit", name: "limit", kind: .limit)
}
