import Foundation

/// A small picture with a line an engine, labelled at its end: one of many side by side.
struct LineChart {
  struct Line {
    let engine: BenchEngine
    let points: [(x: Double, y: Double)]
    var isMarked = false
  }

  struct Tick {
    let x: Double
    let label: String
  }

  let title: String
  let subtitle: String
  let description: String
  let lines: [Line]
  /// Places along the x axis from 0 to 1, with what they say.
  let ticks: [Tick]
  /// The places of points, from their x.
  let placeOfX: (Double) -> Double

  private static let width = 330.0
  private static let height = 190.0
  private static let left = 46.0
  private static let right = 248.0
  private static let top = 10.0
  private static let bottom = 164.0

  func markup() -> String {
    let scale = LogScale(covering: lines.flatMap { $0.points.map(\.y) })
    var svg = Markup()
    svg.line("<figure class=\"small\">")
    svg.line(
      "<figcaption><b>\(Markup.escaped(title))</b> \(Markup.escaped(subtitle))</figcaption>")
    svg.line(
      "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\">"
        + "<title>\(Markup.escaped(title)) \(Markup.escaped(subtitle))</title>"
        + "<desc>\(Markup.escaped(description))</desc>")
    frame(scale, &svg)
    let ends = lines.map { y(scale, $0.points.last?.y ?? 0) }
    let places = LabelPlacement.spread(ends, gap: 12.5, within: Self.top + 2...Self.bottom)
    // Junction comes last and so lies on top.
    for kind in [BenchEngine.Kind.limit, .peer, .junction] {
      for (index, line) in lines.enumerated() where line.engine.kind == kind {
        draw(line, labelAt: places[index], scale, &svg)
      }
    }
    svg.line("</svg></figure>")
    return svg.text
  }

  private func y(_ scale: LogScale, _ value: Double) -> Double {
    Self.bottom - scale.place(value) * (Self.bottom - Self.top)
  }

  private func x(_ value: Double) -> Double {
    Self.left + placeOfX(value) * (Self.right - Self.left)
  }

  private func frame(_ scale: LogScale, _ svg: inout Markup) {
    for decade in scale.decades(most: 6) {
      let y = Markup.number(y(scale, decade))
      svg.raw(
        "<line class=\"grid\" x1=\"\(Self.left)\" x2=\"\(Self.right)\" y1=\"\(y)\" y2=\"\(y)\"/>"
          + "<text class=\"tick\" text-anchor=\"end\" x=\"\(Self.left - 5)\" y=\"\(y)\" dy=\"4\">"
          + "\(LogScale.timeLabel(decade))</text>")
    }
    for tick in ticks {
      let x = Markup.number(Self.left + tick.x * (Self.right - Self.left))
      svg.raw(
        "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(Self.bottom)\" "
          + "y2=\"\(Self.bottom + 4)\"/>"
          + "<text class=\"tick\" text-anchor=\"middle\" x=\"\(x)\" y=\"\(Self.bottom + 16)\">"
          + "\(Markup.escaped(tick.label))</text>")
    }
  }

  private func draw(
    _ line: Line, labelAt label: Double, _ scale: LogScale, _ svg: inout Markup
  ) {
    let points = line.points.map { point in
      "\(Markup.number(x(point.x))),\(Markup.number(y(scale, point.y)))"
    }
    guard let last = line.points.last else { return }
    let name = Markup.escaped(line.engine.shortName)
    svg.raw(
      "<g class=\"e-\(Markup.escaped(line.engine.id)) \(line.engine.kind.rawValue)\">"
        + "<title>\(name), at the end \(Quantity.time(last.y))</title>"
        + "<polyline class=\"line\" points=\"\(points.joined(separator: " "))\"/>")
    if line.isMarked {
      for point in line.points {
        svg.raw(
          "<circle cx=\"\(Markup.number(x(point.x)))\" "
            + "cy=\"\(Markup.number(y(scale, point.y)))\" r=\"2.5\"/>")
      }
    }
    let endX = x(last.x)
    let endY = y(scale, last.y)
    if abs(label - endY) > 1 || endX < Self.right - 1 {
      svg.raw(
        "<line class=\"leader\" x1=\"\(Markup.number(endX + 1))\" y1=\"\(Markup.number(endY))\" "
          + "x2=\"\(Self.right + 8)\" y2=\"\(Markup.number(label))\"/>")
    }
    svg.raw(
      "<text x=\"\(Self.right + 10)\" y=\"\(Markup.number(label + 4))\">\(name)</text></g>")
  }
}

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
    record.results.compactMap { result -> String? in
      let lines = record.presentEngines.compactMap { engine -> LineChart.Line? in
        guard let samples = result.measurement(of: engine.id)?.rightSamples,
          samples.count >= Self.sampleCountMin
        else { return nil }
        return LineChart.Line(engine: engine, points: Self.points(samples))
      }
      guard lines.contains(where: { $0.engine.kind == .junction }) else { return nil }
      let description = lines.map { line in
        let samples = result.measurement(of: line.engine.id)?.rightSamples
        return "\(line.engine.name): half within \(Quantity.time(samples?.p50 ?? 0)), "
          + "99 % within \(Quantity.time(samples?.p99 ?? 0))"
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

/// Medians against the number of enrolments, a picture a workload, over records of several sizes.
struct ScalingCharts {
  /// From the smallest to the largest.
  let records: [BenchRecord]

  func markup() -> String {
    guard records.count > 1, let largest = records.last else { return "" }
    let sizes = records.map { Double($0.settings.enrolments) }
    let scale = LogScale(covering: sizes)
    return largest.results.compactMap { result -> String? in
      let lines = largest.engines.compactMap { engine in line(engine, result.id) }
      guard lines.contains(where: { $0.engine.kind == .junction }) else { return nil }
      return LineChart(
        title: result.id, subtitle: result.title,
        description: lines.map(Self.sentence).joined(separator: "; "), lines: lines,
        ticks: records.map {
          LineChart.Tick(
            x: scale.place(Double($0.settings.enrolments)), label: $0.settings.size)
        },
        placeOfX: scale.place
      ).markup()
    }.joined()
  }

  private func line(_ engine: BenchEngine, _ id: String) -> LineChart.Line? {
    let points = records.compactMap { record -> (x: Double, y: Double)? in
      let result = record.results.first { $0.id == id }
      return result?.measurement(of: engine.id)?.rightSamples.map {
        (Double(record.settings.enrolments), $0.p50)
      }
    }
    return points.count > 1 ? LineChart.Line(engine: engine, points: points, isMarked: true) : nil
  }

  private static func sentence(_ line: LineChart.Line) -> String {
    "\(line.engine.name): "
      + line.points.map { point in
        "\(Quantity.time(point.y)) at \(Quantity.grouped(Int(point.x)))"
      }.joined(separator: ", ")
  }
}
