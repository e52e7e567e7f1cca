import Diagnostics

/// A chart as a picture that needs nothing but itself: light or dark as whoever looks at it likes.
struct SVGChart {
  private let chart: Chart
  private let title: String

  private static let width = 860
  private static let margin = (left: 70, top: 56, right: 24, bottom: 64)
  private static let barHeight = 22
  private static let plotHeight = 320

  init(_ chart: Chart, title: String) {
    self.chart = chart
    self.title = title
  }

  /// The picture.
  var text: String {
    let isUpright = chart.kind != .bars
    let height =
      isUpright
      ? Self.margin.top + Self.plotHeight + Self.margin.bottom
      : Self.margin.top + chart.labels.count * chart.series.count * Self.barHeight
        + Self.margin.bottom
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.width) \(height)\" "
        + "width=\"\(Self.width)\" height=\"\(height)\" role=\"img\">",
      "<title>\(MarkupEscape.visible(title))</title>", "<style>\(Self.style)</style>",
      "<rect class=\"page\" width=\"\(Self.width)\" height=\"\(height)\"/>",
      "<text class=\"title\" x=\"\(Self.margin.left)\" y=\"26\">\(MarkupEscape.visible(title))</text>",
    ]
    lines += legend
    switch chart.kind {
    case .bars: lines += bars
    case .histogram: lines += columns
    case .lines: lines += curves
    }
    if chart.nullCount > 0 {
      lines.append(
        label(
          "\(chart.nullCount) NULL values are not drawn", Double(Self.margin.left),
          Double(height - 8), "start"))
    }
    lines.append("</svg>")
    return lines.map { $0 + "\n" }.joined()
  }

  /// The same in a page that loads nothing.
  var page: String {
    HTMLPage.text(
      title: title,
      style: """
        body { margin: 0; display: grid; place-items: center; min-height: 100vh }
        svg { max-width: 100%; height: auto }
        """, body: text)
  }

  // Parts.

  private var legend: [String] {
    guard chart.series.count > 1 else { return [] }
    var x = Double(Self.margin.left)
    return chart.series.enumerated().flatMap { index, series -> [String] in
      defer { x += Double(series.name.count * 8 + 34) }
      return [
        "<rect class=\"s\(index % 6)\" x=\"\(Self.number(x))\" y=\"36\" width=\"10\" height=\"10\"/>",
        label(series.name, x + 15, 45, "start"),
      ]
    }
  }

  private var bars: [String] {
    let all = chart.series.flatMap { $0.values.compactMap { $0 } }
    let scale = NiceScale(min(0, all.min() ?? 0), max(0, all.max() ?? 0), about: 6)
    let left = Double(Self.margin.left + 60)
    let room = Double(Self.width - Self.margin.right) - left
    let bottom = Double(
      Self.margin.top + chart.labels.count * chart.series.count * Self.barHeight)
    func x(_ value: Double) -> Double {
      left + (value - scale.low) / (scale.high - scale.low) * room
    }
    var lines = (0..<scale.count).flatMap { mark -> [String] in
      let place = x(scale.value(mark))
      return [
        line(place, Double(Self.margin.top), place, bottom),
        label(scale.text(mark), place, bottom + 18, "middle"),
      ]
    }
    for (row, name) in chart.labels.enumerated() {
      let top = Double(Self.margin.top + row * chart.series.count * Self.barHeight)
      let middle = top + Double(chart.series.count * Self.barHeight) / 2 + 4
      lines.append(label(String(name.prefix(18)), left - 8, middle, "end"))
      for (index, series) in chart.series.enumerated() {
        guard let value = series.values[row] else { continue }
        let (from, to) = (min(x(0), x(value)), max(x(0), x(value)))
        lines.append(
          rectangle(
            index, from, top + Double(index * Self.barHeight) + 3, to - from,
            Double(Self.barHeight - 6), "\(name): \(TextChart.text(value))"))
      }
    }
    lines.append(
      label(
        chart.series.map(\.name).joined(separator: ", "), left + room / 2, bottom + 40, "middle"))
    return lines
  }

  /// The frame of a drawing whose values go upwards: where a value stands, and the lines behind it.
  private func upright(_ scale: NiceScale) -> (y: (Double) -> Double, lines: [String]) {
    let (left, right) = (Double(Self.margin.left), Double(Self.width - Self.margin.right))
    let bottom = Double(Self.margin.top + Self.plotHeight)
    func y(_ value: Double) -> Double {
      bottom - (value - scale.low) / (scale.high - scale.low) * Double(Self.plotHeight)
    }
    let lines = (0..<scale.count).flatMap { mark -> [String] in
      let place = y(scale.value(mark))
      return [
        line(left, place, right, place), label(scale.text(mark), left - 8, place + 4, "end"),
      ]
    }
    return (y, lines + [label(chart.axis, (left + right) / 2, bottom + 44, "middle")])
  }

  private var columns: [String] {
    let values = chart.series[0].values.map { $0 ?? 0 }
    let scale = NiceScale(0, values.max() ?? 1, about: 5)
    var (y, lines) = upright(scale)
    let left = Double(Self.margin.left)
    let step = (Double(Self.width - Self.margin.right) - left) / Double(max(1, values.count))
    for (index, value) in values.enumerated() {
      let x = left + Double(index) * step
      lines.append(
        rectangle(
          0, x + 1, y(value), step - 2, y(0) - y(value),
          "\(chart.labels[index]): \(TextChart.text(value))"))
      if index % max(1, values.count / 8) == 0 {
        lines.append(
          label(String(chart.labels[index].prefix { $0 != " " }), x, y(0) + 18, "middle"))
      }
    }
    return lines
  }

  private var curves: [String] {
    let all = chart.series.flatMap { $0.values.compactMap { $0 } }
    let scale = NiceScale(all.min() ?? 0, all.max() ?? 1, about: 6)
    var (y, lines) = upright(scale)
    let positions = chart.positions ?? []
    guard let first = positions.first, let last = positions.last else { return lines }
    let left = Double(Self.margin.left)
    let room = Double(Self.width - Self.margin.right) - left
    func x(_ place: Double) -> Double {
      last > first ? left + (place - first) / (last - first) * room : left
    }
    for (index, series) in chart.series.enumerated() {
      var path = ""
      var isDrawing = false
      for (place, value) in zip(positions, series.values) {
        guard let value else {
          isDrawing = false
          continue
        }
        path += (isDrawing ? "L" : "M") + Self.number(x(place)) + " " + Self.number(y(value))
        isDrawing = true
      }
      lines.append("<path class=\"l\(index % 6)\" d=\"\(path)\"/>")
    }
    let bottom = Double(Self.margin.top + Self.plotHeight)
    lines.append(label(chart.labels.first ?? "", left, bottom + 18, "start"))
    lines.append(label(chart.labels.last ?? "", left + room, bottom + 18, "end"))
    return lines
  }

  // Elements.

  private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    "<line x1=\"\(Self.number(x1))\" y1=\"\(Self.number(y1))\" "
      + "x2=\"\(Self.number(x2))\" y2=\"\(Self.number(y2))\"/>"
  }

  private func label(_ text: String, _ x: Double, _ y: Double, _ anchor: String) -> String {
    "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor)\">"
      + MarkupEscape.visible(text) + "</text>"
  }

  private func rectangle(
    _ series: Int, _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ title: String
  ) -> String {
    "<rect class=\"s\(series % 6)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
      + "width=\"\(Self.number(max(0, width)))\" height=\"\(Self.number(max(0, height)))\">"
      + "<title>\(MarkupEscape.visible(title))</title></rect>"
  }

  private static func number(_ value: Double) -> String {
    TextChart.text((value * 10).rounded() / 10)
  }

  private static let style: String = {
    let colours = ["#3b6fb6", "#d1793b", "#4f9d69", "#b3527d", "#8a7cc2", "#8c8c3c"]
    let series = colours.enumerated().map { index, colour in
      ".s\(index){fill:\(colour)}.l\(index){fill:none;stroke:\(colour);stroke-width:2}"
    }.joined()
    return "text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:16px;font-weight:600}"
      + ".page{fill:#fff}line{stroke:#ddd}" + series
      + "@media(prefers-color-scheme:dark){.page{fill:#1b1d21}text{fill:#ddd}line{stroke:#3a3d44}}"
  }()
}
