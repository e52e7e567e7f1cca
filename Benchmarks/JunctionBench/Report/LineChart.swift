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
    /// What stands below it in smaller letters.
    var note = ""
  }

  let title: String
  let subtitle: String
  let description: String
  let lines: [Line]
  /// Places along the x axis from 0 to 1, rising, with what they say.
  let ticks: [Tick]
  /// The places of points, from their x.
  let placeOfX: (Double) -> Double

  private static let width = 330.0
  private static let height = 194.0
  private static let left = 46.0
  private static let right = 246.0
  private static let top = 10.0
  private static let bottom = 160.0
  /// What a letter of a tick takes, at least.
  private static let letterWidth = 6.2
  /// From one label to the next.
  static let labelGap = 12.5

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
    let places = LabelPlacement.spread(
      ends, gap: Self.labelGap, within: Self.top...Self.bottom)
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
    for value in scale.ticks() {
      let y = Markup.number(y(scale, value))
      svg.raw(
        "<line class=\"grid\" x1=\"\(Self.left)\" x2=\"\(Self.right)\" y1=\"\(y)\" y2=\"\(y)\"/>"
          + "<text class=\"tick\" text-anchor=\"end\" x=\"\(Self.left - 5)\" y=\"\(y)\" dy=\"4\">"
          + "\(LogScale.timeLabel(value))</text>")
    }
    let places = ticks.map { Self.left + $0.x * (Self.right - Self.left) }
    let widths = ticks.map { Self.letterWidth * Double(max($0.label.count, $0.note.count)) }
    let shown = Set(LabelPlacement.visible(places, widths: widths, gap: 4))
    for (index, tick) in ticks.enumerated() {
      let x = Markup.number(places[index])
      svg.raw(
        "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(Self.top)\" "
          + "y2=\"\(Self.bottom + 4)\"/>")
      guard shown.contains(index) else { continue }
      svg.raw(
        "<text class=\"tick\" text-anchor=\"middle\" x=\"\(x)\" y=\"\(Self.bottom + 16)\">"
          + "\(Markup.escaped(tick.label))</text>")
      if tick.note.isEmpty { continue }
      svg.raw(
        "<text class=\"tick note\" text-anchor=\"middle\" x=\"\(x)\" y=\"\(Self.bottom + 28)\">"
          + "\(Markup.escaped(tick.note))</text>")
    }
  }

  private func draw(
    _ line: Line, labelAt label: Double, _ scale: LogScale, _ svg: inout Markup
  ) {
    let points = line.points.map { point in
      "\(Markup.number(x(point.x))),\(Markup.number(y(scale, point.y)))"
    }
    guard let last = line.points.last else { return }
    let name = Markup.escaped(String(line.engine.shortName.prefix(11)))
    svg.raw(
      "<g class=\"e-\(Markup.escaped(line.engine.id)) \(line.engine.kind.rawValue)\">"
        + "<title>\(Markup.escaped(line.engine.name)), at the end \(Quantity.time(last.y))</title>"
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
        "<line class=\"leader\" x1=\"\(Markup.number(endX + 3))\" y1=\"\(Markup.number(endY))\" "
          + "x2=\"\(Self.right + 9)\" y2=\"\(Markup.number(label))\"/>")
    }
    svg.raw(
      "<text x=\"\(Self.right + 11)\" y=\"\(Markup.number(label + 4))\">\(name)</text></g>")
  }
}
