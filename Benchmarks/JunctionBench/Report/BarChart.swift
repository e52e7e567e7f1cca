import Foundation

/// Bars by workload and engine on one logarithmic scale of time.
///
/// Each workload is a picture of its own whose lengths are shares of its width, so that the page may be narrow or wide
/// while letters keep their size; the grid runs through all of them.
struct BarChart {
  let record: BenchRecord

  private static let barHeight = 11.0
  private static let pitch = 15.0
  private static let junctionHeight = 15.0
  private static let junctionPitch = 20.0
  private static let padding = 7.0

  private struct Bar {
    let engine: BenchEngine
    let samples: SampleSummary
  }

  private var scale: LogScale {
    LogScale(
      covering: record.results.flatMap { result in
        result.measurements.compactMap { $0.rightSamples?.p50 }
      }, isRounded: true)
  }

  func markup() -> String {
    let scale = scale
    var page = Markup()
    for group in record.groups {
      page.line("<h3>\(Markup.escaped(BenchRecord.title(ofGroup: group.name)))</h3>")
      page.line("<div class=\"bars\">")
      page.line(
        "<div class=\"axis\" aria-hidden=\"true\"><span></span>\(axis(scale))<span></span></div>")
      // The widest lead first, as the eye begins at the top.
      let standings = group.results.map(record.standing).sorted {
        $0.speedup ?? -1 > $1.speedup ?? -1
      }
      for standing in standings { row(standing, scale, &page) }
      page.line("</div>")
    }
    return page.text
  }

  private func axis(_ scale: LogScale) -> String {
    let labels = scale.decades().map { decade in
      // A narrow screen has room for ns, µs, ms and s alone.
      let isMajor = Int(log10(decade).rounded()) % 3 == 0
      return
        "<text\(isMajor ? "" : " class=\"minor\"") x=\"\(Self.share(scale.place(decade)))\" y=\"12\" "
        + "text-anchor=\"\(decade == scale.decades().first ? "start" : "middle")\">"
        + "\(LogScale.timeLabel(decade))</text>"
    }
    return "<svg class=\"plot\" height=\"16\">\(labels.joined())</svg>"
  }

  private static func share(_ place: Double) -> String { Markup.number(place * 100) + "%" }

  private func row(_ standing: Standing, _ scale: LogScale, _ page: inout Markup) {
    let result = standing.result
    let bars = record.engines.filter { $0.kind != .limit }.compactMap { engine -> Bar? in
      result.measurement(of: engine.id)?.rightSamples.map { Bar(engine: engine, samples: $0) }
    }.sorted { left, right in
      if left.engine.kind != right.engine.kind { return left.engine.kind == .junction }
      return left.samples.p50 < right.samples.p50
    }
    page.line("<div class=\"row\">")
    page.line(
      "<div class=\"name\"><b>\(Markup.escaped(result.id))</b> "
        + "\(Markup.escaped(result.title))</div>")
    page.line(picture(standing, bars, scale))
    if let speedup = standing.speedup, let best = standing.bestPeer {
      let word = speedup >= 1 ? "faster than" : "slower than"
      let factor = speedup >= 1 ? speedup : 1 / speedup
      page.line(
        "<div class=\"lead\(speedup < 1 ? " behind" : "")\"><b>\(Quantity.ratio(factor))</b>"
          + "<small>\(word) \(Markup.escaped(best.engine.name))</small></div>")
    } else {
      page.line("<div class=\"lead\"></div>")
    }
    page.line("</div>")
  }

  private func picture(_ standing: Standing, _ bars: [Bar], _ scale: LogScale) -> String {
    var svg = Markup()
    var y = Self.padding
    var drawn = Markup()
    for bar in bars {
      let isJunction = bar.engine.kind == .junction
      let height = isJunction ? Self.junctionHeight : Self.barHeight
      self.bar(bar, y, height, scale, &drawn)
      if isJunction, let limit = standing.limit { tick(limit, y, height, scale, &drawn) }
      y += isJunction ? Self.junctionPitch : Self.pitch
    }
    let others = standing.result.measurements.compactMap { measurement -> String? in
      guard measurement.rightSamples == nil, measurement.status != .missing,
        let engine = record.engines.first(where: { $0.id == measurement.engine }),
        engine.kind != .limit
      else { return nil }
      let word = measurement.status == .unsupported ? "does not do this" : measurement.statusWord
      return "\(engine.name): \(word)"
    }
    if !others.isEmpty {
      drawn.raw(
        "<text class=\"faint\" x=\"6\" y=\"\(Markup.number(y + 9))\">"
          + "\(Markup.escaped(others.joined(separator: " · ")))</text>")
      y += Self.pitch
    }
    let height = y + Self.padding - 3
    let description = bars.map { "\($0.engine.name) \(Quantity.time($0.samples.p50))" }
      .joined(separator: ", ")
    svg.raw("<svg class=\"plot\" role=\"img\" height=\"\(Markup.number(height))\">")
    svg.raw(
      "<title>\(Markup.escaped(standing.result.id)), medians: \(Markup.escaped(description))</title>"
    )
    for decade in scale.decades() {
      let x = Self.share(scale.place(decade))
      svg.raw("<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"100%\"/>")
    }
    svg.raw(drawn.text)
    svg.raw("</svg>")
    return svg.text
  }

  private func bar(
    _ bar: Bar, _ y: Double, _ height: Double, _ scale: LogScale, _ svg: inout Markup
  ) {
    let end = Self.share(scale.place(bar.samples.p50))
    let name = Markup.escaped(bar.engine.name)
    let samples = bar.samples
    svg.raw(
      "<g class=\"e-\(Markup.escaped(bar.engine.id)) \(bar.engine.kind.rawValue)\"><title>\(name): "
        + "median \(Quantity.time(samples.p50)), 90 % within \(Quantity.time(samples.p90)), "
        + "99 % within \(Quantity.time(samples.p99)), \(Quantity.grouped(samples.count)) "
        + "samples</title>"
        + "<rect class=\"hit\" x=\"0\" width=\"100%\" y=\"\(Markup.number(y - 2))\" "
        + "height=\"\(Markup.number(height + 4))\"/>"
        + "<rect class=\"bar\" x=\"0\" width=\"\(end)\" y=\"\(Markup.number(y))\" "
        + "height=\"\(Markup.number(height))\"/>"
        + "<text x=\"\(end)\" dx=\"6\" y=\"\(Markup.number(y + height / 2 + 4))\">"
        + "\(name) <tspan class=\"value\">\(Quantity.time(samples.p50))</tspan></text></g>")
  }

  private func tick(
    _ limit: SampleSummary, _ y: Double, _ height: Double, _ scale: LogScale,
    _ svg: inout Markup
  ) {
    let x = Self.share(scale.place(limit.p50))
    svg.raw(
      "<g class=\"limit\"><title>hand-written loop: median \(Quantity.time(limit.p50))</title>"
        + "<line x1=\"\(x)\" x2=\"\(x)\" y1=\"\(Markup.number(y - 4))\" "
        + "y2=\"\(Markup.number(y + height + 4))\"/></g>")
  }
}
