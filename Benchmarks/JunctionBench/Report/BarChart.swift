import Foundation

/// Bars by workload and engine on one logarithmic scale of time.
///
/// Names, bars and numbers stand in columns of their own, so that nothing can cover anything however narrow the page is;
/// a workload's numbers share a unit and are aligned at the point. Lengths are shares of the picture's width, and the
/// grid runs through all pictures.
struct BarChart {
  let record: BenchRecord

  /// The height of a line of each of the columns.
  static let lineHeight = 18.0
  private static let barHeight = 9.0
  private static let junctionHeight = 13.0
  private static let padding = 6.0

  /// One line of a workload.
  private struct Line {
    enum Mark { case bar, limit, none(reason: String) }

    let name: String
    /// The classes that give it a colour and let it be pointed out.
    let classes: String
    let mark: Mark
    let samples: SampleSummary?
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
      page.line("<div class=\"axis\" aria-hidden=\"true\">\(axis(scale))</div>")
      // The widest lead first, as the eye begins at the top.
      let standings = group.results.map(record.standing).sorted {
        $0.speedup ?? -1 > $1.speedup ?? -1
      }
      for standing in standings { row(standing, scale, &page) }
      page.line("</div>")
    }
    return page.text
  }

  /// The greatest number of decades with room for a label each where the page is wide.
  private static let labelledDecadesMax = 9

  private func axis(_ scale: LogScale) -> String {
    let decades = scale.decades(most: 40)
    let isCrowded = decades.count - 1 > Self.labelledDecadesMax
    let labels = decades.map { decade in
      // A narrow screen has room for ns, µs, ms and s alone.
      let isMajor = Int(log10(decade).rounded()) % 3 == 0
      if isCrowded && !isMajor { return "" }
      return
        "<text\(isMajor ? "" : " class=\"minor\"") x=\"\(Self.share(scale.place(decade)))\" y=\"12\" "
        + "text-anchor=\"middle\">\(LogScale.timeLabel(decade))</text>"
    }
    return "<svg class=\"plot\" height=\"16\">\(labels.joined())</svg>"
  }

  private static func share(_ place: Double) -> String { Markup.number(place * 100) + "%" }

  // MARK: - A workload

  private func row(_ standing: Standing, _ scale: LogScale, _ page: inout Markup) {
    let result = standing.result
    let lines = lines(standing)
    page.line("<div class=\"row\">")
    page.line(
      "<div class=\"name\"><b>\(Markup.escaped(result.id))</b> "
        + "\(Markup.escaped(result.title))\(Self.planLink(result))</div>")
    page.line(
      "<div class=\"names\">"
        + lines.map { "<span class=\"\($0.classes)\">\(Markup.escaped($0.name))</span>" }.joined()
        + "</div>")
    page.line(picture(result, lines, scale))
    page.line("<div class=\"numbers\">\(numbers(lines))</div>")
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

  private static func planLink(_ result: BenchResult) -> String {
    guard result.plan != nil else { return "" }
    let page = Page.Name.plans.rawValue
    return " <a href=\"\(page)#\(Markup.escaped(result.id))\">plan</a>"
  }

  /// Junction, its limit if it has one, the peers from the fastest to the slowest, and those without an answer.
  private func lines(_ standing: Standing) -> [Line] {
    var timed: [Line] = []
    var others: [Line] = []
    let engines = record.engines.filter { $0.kind != .limit }
    let measured = engines.compactMap { engine -> (engine: BenchEngine, of: BenchMeasurement)? in
      guard let measurement = standing.result.measurement(of: engine.id) else { return nil }
      return measurement.status == .missing ? nil : (engine, measurement)
    }
    for (engine, measurement) in measured.sorted(by: Self.precedes) {
      let classes = "e-\(Markup.escaped(engine.id)) \(engine.kind.rawValue)"
      guard let samples = measurement.rightSamples else {
        let reason =
          measurement.status == .unsupported ? "does not do this" : measurement.statusWord
        others.append(
          Line(name: engine.name, classes: classes, mark: .none(reason: reason), samples: nil))
        continue
      }
      timed.append(Line(name: engine.name, classes: classes, mark: .bar, samples: samples))
      if engine.kind == .junction, let limit = standing.limit {
        timed.append(
          Line(name: "limit", classes: "e-limit limit", mark: .limit, samples: limit))
      }
    }
    return timed + others
  }

  private static func precedes(
    _ left: (engine: BenchEngine, of: BenchMeasurement),
    _ right: (engine: BenchEngine, of: BenchMeasurement)
  ) -> Bool {
    if left.engine.kind != right.engine.kind { return left.engine.kind == .junction }
    return left.of.rightSamples?.p50 ?? .infinity < right.of.rightSamples?.p50 ?? .infinity
  }

  /// The medians, each in three parts, so that their points and their units stand below one another.
  private func numbers(_ lines: [Line]) -> String {
    let unit = SharedUnit.time(
      lines.compactMap { line in
        if case .bar = line.mark { line.samples?.p50 } else { nil }
      })
    return lines.map { line in
      guard let samples = line.samples else { return "<span class=\"\(line.classes)\">–</span>" }
      let number = unit.number(samples.p50)
      let point = number.firstIndex(of: ".") ?? number.endIndex
      return "<span class=\"\(line.classes)\">\(number[..<point])<i>\(number[point...])</i>"
        + "<em>\(unit.name)</em></span>"
    }.joined()
  }

  private func picture(_ result: BenchResult, _ lines: [Line], _ scale: LogScale) -> String {
    var svg = Markup()
    let height = Double(lines.count) * Self.lineHeight + 2 * Self.padding
    let description = lines.compactMap { line in
      line.samples.map { "\(line.name) \(Quantity.time($0.p50))" }
    }.joined(separator: ", ")
    svg.raw("<svg class=\"plot\" role=\"img\" height=\"\(Markup.number(height))\">")
    svg.raw(
      "<title>\(Markup.escaped(result.id)), medians: \(Markup.escaped(description))</title>")
    for decade in scale.decades(most: 40) {
      let x = Self.share(scale.place(decade))
      svg.raw("<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"100%\"/>")
    }
    for (number, line) in lines.enumerated() {
      draw(line, Self.padding + (Double(number) + 0.5) * Self.lineHeight, scale, &svg)
    }
    svg.raw("</svg>")
    return svg.text
  }

  private func draw(
    _ line: Line, _ middle: Double, _ scale: LogScale, _ svg: inout Markup
  ) {
    svg.raw("<g class=\"\(line.classes)\">")
    if let samples = line.samples {
      svg.raw(
        "<title>\(Markup.escaped(line.name)): median \(Quantity.time(samples.p50)), 90 % within "
          + "\(Quantity.time(samples.p90)), 99 % within \(Quantity.time(samples.p99)), "
          + "\(Quantity.grouped(samples.count)) samples</title>")
    }
    svg.raw(
      "<rect class=\"hit\" x=\"0\" width=\"100%\" y=\"\(Markup.number(middle - 9))\" "
        + "height=\"\(Markup.number(Self.lineHeight))\"/>")
    let end = Self.share(line.samples.map { scale.place($0.p50) } ?? 0)
    switch line.mark {
    case .bar:
      let height =
        line.classes.hasSuffix("junction") ? Self.junctionHeight : Self.barHeight
      svg.raw(
        "<rect class=\"bar\" x=\"0\" width=\"\(end)\" y=\"\(Markup.number(middle - height / 2))\" "
          + "height=\"\(Markup.number(height))\"/>")
    case .limit:
      let y = Markup.number(middle)
      svg.raw(
        "<line class=\"thin\" x1=\"0\" x2=\"\(end)\" y1=\"\(y)\" y2=\"\(y)\"/>"
          + "<line x1=\"\(end)\" x2=\"\(end)\" y1=\"\(Markup.number(middle - 6))\" "
          + "y2=\"\(Markup.number(middle + 6))\"/>")
    case .none(let reason):
      svg.raw(
        "<text class=\"faint\" x=\"6\" y=\"\(Markup.number(middle + 4))\">"
          + "\(Markup.escaped(reason))</text>")
    }
    svg.raw("</g>")
  }
}
