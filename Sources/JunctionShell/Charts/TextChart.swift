/// A chart drawn with block characters.
struct TextChart {
  private let chart: Chart
  private let width: Int
  private let height: Int

  /// A drawing for a screen of so many columns and rows.
  init(_ chart: Chart, width: Int, height: Int) {
    self.chart = chart
    self.width = max(30, width)
    self.height = max(6, min(height, 20))
  }

  var lines: [String] {
    let drawing =
      switch chart.kind {
      case .bars, .histogram: bars
      case .lines: curves
      }
    return drawing + (notes.isEmpty ? [] : [""] + notes)
  }

  /// What a reader has to know besides.
  private var notes: [String] {
    chart.nullCount == 0
      ? []
      : ["\(chart.nullCount) NULL value\(chart.nullCount == 1 ? " is" : "s are") not drawn"]
  }

  // Bars.

  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
  private static let labelWidthMax = 24

  private var bars: [String] {
    let all = chart.series.flatMap { $0.values.compactMap { $0 } }
    let low = min(0, all.min() ?? 0)
    let high = max(0, all.max() ?? 0)
    let labels = chart.labels.map { cut($0, to: Self.labelWidthMax) }
    let labelWidth = labels.map { DisplayWidth.of($0) }.max() ?? 0
    let names = chart.series.count > 1 ? chart.series.map { cut($0.name, to: 16) } : [""]
    let nameWidth = names.map { DisplayWidth.of($0) }.max() ?? 0
    let numbers = chart.series.map { series in series.values.map { $0.map(Self.text) ?? "NULL" } }
    let numberWidth = numbers.flatMap { $0 }.map(\.count).max() ?? 0
    let left = labelWidth + (nameWidth > 0 ? nameWidth + 1 : 0) + 2
    let room = max(8, width - left - numberWidth - 2)
    let scale = high > low ? Double(room) / (high - low) : 0
    var lines = [chart.axis + " ┊ " + chart.series.map(\.name).joined(separator: ", ")]
    for (row, label) in labels.enumerated() {
      for (index, series) in chart.series.enumerated() {
        var line = padded(index == 0 ? label : "", labelWidth)
        if nameWidth > 0 { line += " " + padded(names[index], nameWidth) }
        line += " ┤" + bar(series.values[row], low: low, scale: scale)
        lines.append(line + " " + numbers[index][row])
      }
    }
    return lines
  }

  /// A bar from zero to the value; eighths of a cell where it ends on the right.
  private func bar(_ value: Double?, low: Double, scale: Double) -> String {
    guard let value else { return "" }
    let zero = Int((-low * scale).rounded())
    if value < 0 {
      let count = min(zero, Int((-value * scale).rounded()))
      return blanks(zero - count) + String(repeating: "█", count: count)
    }
    let eighths = Int((value * scale * 8).rounded())
    let text = String(repeating: "█", count: eighths / 8) + Self.eighths[eighths % 8]
    // What is not nothing can be seen.
    return blanks(zero) + (text.isEmpty && value > 0 ? "▏" : text)
  }

  // Lines.

  private static let marks = ["●", "○", "▲", "△", "■", "□"]

  private var curves: [String] {
    let all = chart.series.flatMap { $0.values.compactMap { $0 } }
    guard let low = all.min(), let high = all.max(), let positions = chart.positions,
      let first = positions.first, let last = positions.last
    else { return [chart.axis + " ┊ nothing but NULL"] }
    let ticks = NiceScale(low, high, about: 5)
    let texts = (0..<ticks.count).map { ticks.text($0) }
    let margin = texts.map(\.count).max() ?? 0
    let columns = max(10, width - margin - 3)
    var grid = [[String]](
      repeating: [String](repeating: " ", count: columns), count: height)
    func row(_ value: Double) -> Int {
      let share = (value - ticks.low) / (ticks.high - ticks.low)
      return height - 1 - Int((share * Double(height - 1)).rounded())
    }
    func column(_ place: Double) -> Int {
      last > first ? Int(((place - first) / (last - first) * Double(columns - 1)).rounded()) : 0
    }
    for (index, series) in chart.series.enumerated() {
      let mark = Self.marks[index % Self.marks.count]
      var previous: (column: Int, row: Int)?
      for (place, value) in zip(positions, series.values) {
        guard let value else {
          previous = nil
          continue
        }
        let point = (column: column(place), row: row(value))
        if let previous { connect(previous, point, in: &grid) }
        grid[point.row][point.column] = mark
        previous = point
      }
    }
    var lines = [
      chart.series.enumerated().map { index, series in
        Self.marks[index % Self.marks.count] + " " + series.name
      }.joined(separator: "   ")
    ]
    let marked = Dictionary(
      (0..<ticks.count).map { (row(ticks.value($0)), texts[$0]) }, uniquingKeysWith: { $1 })
    for (number, cells) in grid.enumerated() {
      let text = marked[number] ?? ""
      lines.append(
        blanks(margin - text.count) + text + (text.isEmpty ? " │" : " ┤") + trimmed(cells.joined()))
    }
    lines.append(blanks(margin) + " └" + String(repeating: "─", count: columns))
    lines.append(axisLine(margin: margin + 2, columns: columns))
    return lines
  }

  /// The first and the last label of the axis, with its name between them.
  private func axisLine(margin: Int, columns: Int) -> String {
    let (first, last) = (chart.labels.first ?? "", chart.labels.last ?? "")
    let space = columns - DisplayWidth.of(first) - DisplayWidth.of(last)
    let name = cut(chart.axis, to: max(1, space - 2))
    let before = max(1, (space - DisplayWidth.of(name)) / 2)
    return blanks(margin) + first + blanks(before) + name
      + blanks(max(1, space - before - DisplayWidth.of(name))) + last
  }

  /// Dots between two points, where there is room for them.
  private func connect(
    _ from: (column: Int, row: Int), _ to: (column: Int, row: Int), in grid: inout [[String]]
  ) {
    let steps = max(abs(to.column - from.column), abs(to.row - from.row))
    guard steps > 1 else { return }
    for step in 1..<steps {
      let share = Double(step) / Double(steps)
      let column = from.column + Int((Double(to.column - from.column) * share).rounded())
      let row = from.row + Int((Double(to.row - from.row) * share).rounded())
      if grid[row][column] == " " { grid[row][column] = "·" }
    }
  }

  // Texts.

  /// A number in as few digits as tell it.
  static func text(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
    let text = Shell.decimal(value, digits: abs(value) < 1 ? 4 : 2)
    var trimmed = text[...]
    while trimmed.last == "0" { trimmed.removeLast() }
    return String(trimmed.last == "." ? trimmed.dropLast() : trimmed)
  }

  private func cut(_ text: String, to cells: Int) -> String {
    let line = DisplayWidth.visible(text.prefix { $0 != "\n" })
    if DisplayWidth.of(line) <= cells { return line }
    return DisplayWidth.prefix(of: line, cells: cells - 1) + "…"
  }

  private func padded(_ text: String, _ cells: Int) -> String {
    text + blanks(cells - DisplayWidth.of(text))
  }

  private func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
