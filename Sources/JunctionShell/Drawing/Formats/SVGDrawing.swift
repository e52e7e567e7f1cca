import Diagnostics

/// A diagram as a picture that needs nothing but itself: light or dark as whoever looks at it likes.
struct SVGDrawing {
  private let diagram: Diagram
  private let title: String
  private let layout: DiagramLayout

  /// The size of a cell in pixels: a character of the font, and a line.
  static let cellWidth = 8
  static let cellHeight = 20
  private static let margin = 24
  /// Cells that lines get beyond those they need, as a picture has room.
  private static let slack = 3

  init(_ diagram: Diagram, title: String) {
    self.diagram = diagram
    self.title = title
    var request = DiagramLayout.Request()
    request.room.slack = Self.slack
    request.gap = 6
    layout = DiagramLayout(diagram, request)
  }

  /// The picture.
  var text: String {
    element(style: Self.style, isStandalone: true)
  }

  /// The size in pixels.
  private var size: (width: Int, height: Int) {
    (
      layout.width * Self.cellWidth + 2 * Self.margin,
      layout.height * Self.cellHeight + 2 * Self.margin
    )
  }

  /// The `svg` element; in a page its style is the page's.
  func element(style: String, isStandalone: Bool) -> String {
    let (width, height) = size
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" "
        + "width=\"\(width)\" height=\"\(height)\" class=\"erd\" role=\"img\">",
      "<title>\(MarkupEscape.visible(title))</title>",
    ]
    if isStandalone {
      lines.append("<style>\(style)</style>")
      lines.append("<rect class=\"page\" width=\"\(width)\" height=\"\(height)\"/>")
    }
    lines.append("<g class=\"edges\">")
    var firstItem = 0
    for part in layout.parts {
      for line in part.component.lines { lines.append(path(line, part, firstItem)) }
      firstItem += part.component.items.count
    }
    lines.append("</g>")
    firstItem = 0
    for part in layout.parts {
      for (index, item) in part.component.items.enumerated() {
        lines += group(item, part, number: firstItem + index)
      }
      firstItem += part.component.items.count
    }
    lines.append("</svg>")
    return lines.map { $0 + "\n" }.joined()
  }

  // Places.

  /// The middle of a cell.
  private static func point(_ cell: Cell, _ part: DiagramLayout.Part) -> (x: Int, y: Int) {
    (
      margin + (part.x + cell.x) * cellWidth + cellWidth / 2,
      margin + (part.y + cell.y) * cellHeight + cellHeight / 2
    )
  }

  // Tables and labels.

  private func group(
    _ item: ComponentLayout.Item, _ part: DiagramLayout.Part, number: Int
  ) -> [String] {
    let corner = Self.point(Cell(x: item.x, y: item.y), part)
    let width = max(0, item.width - 1) * Self.cellWidth
    switch item.content {
    case .box(let box, let shape):
      let height = (item.height - 1) * Self.cellHeight
      return [
        "<g class=\"node table\" id=\"n\(number)\" transform=\"translate(\(corner.x),\(corner.y))\" "
          + "data-w=\"\(width)\" data-h=\"\(height)\">",
        "<title>\(MarkupEscape.visible(diagram.boxes[box].title))</title>",
        "<rect class=\"box\" width=\"\(width)\" height=\"\(height)\" rx=\"5\"/>",
      ] + table(shape, width: width) + ["</g>"]
    case .label(_, let shape):
      // A label is as high and as wide as its first line, where its edge passes; the others stand below.
      let inset = Self.inset(item)
      let top = corner.y - Self.cellHeight / 2
      let own = width - 2 * inset
      let place = "translate(\(corner.x + inset),\(top))"
      var lines = [
        "<g class=\"node label\" id=\"n\(number)\" transform=\"\(place)\" "
          + "data-w=\"\(own)\" data-h=\"\(Self.cellHeight)\">",
        "<rect class=\"back\" width=\"\(own)\" height=\"\(Self.cellHeight)\"/>",
      ]
      if item.height > 1 {
        lines.append(
          "<rect class=\"back\" x=\"\(-inset)\" y=\"\(Self.cellHeight)\" width=\"\(width)\" "
            + "height=\"\((item.height - 1) * Self.cellHeight)\"/>")
      }
      for (row, line) in shape.lines.enumerated() {
        lines.append(
          "<text class=\"\(row == 0 ? "link" : "extra")\" x=\"\(own / 2)\" "
            + "y=\"\(row * Self.cellHeight + 14)\" text-anchor=\"middle\">"
            + "\(MarkupEscape.visible(line))</text>")
      }
      return lines + ["</g>"]
    }
  }

  /// How far the first line of a label is from either side of it, in pixels; 0 for a table.
  private static func inset(_ item: ComponentLayout.Item) -> Int {
    guard case .label(_, let shape) = item.content, let first = shape.lines.first else { return 0 }
    return max(0, item.width - DisplayWidth.of(first) - 2) * cellWidth / 2
  }

  /// The title and the columns of a table, from its upper left corner.
  private func table(_ shape: BoxShape, width: Int) -> [String] {
    func baseline(_ row: Int) -> Int { row * Self.cellHeight + 5 }
    func text(_ style: String, _ x: Int, _ row: Int, _ text: String) -> String {
      "<text class=\"\(style)\" x=\"\(x)\" y=\"\(baseline(row))\">\(MarkupEscape.visible(text))</text>"
    }
    let left = Self.cellWidth * 3 / 2
    let titleHeight = 2 * Self.cellHeight
    var lines: [String] = []
    if shape.hasBody {
      lines.append(
        "<path class=\"head\" d=\"M0 \(titleHeight)V5a5 5 0 0 1 5 -5H\(width - 5)"
          + "a5 5 0 0 1 5 5V\(titleHeight)Z\"/>")
    }
    lines.append(text("name", left, BoxShape.titleRow, shape.title))
    let nameStart = left + (shape.marksWidth > 0 ? (shape.marksWidth + 1) * Self.cellWidth : 0)
    let typeStart = nameStart + (shape.nameWidth + 1) * Self.cellWidth
    for (index, line) in shape.lines.enumerated() {
      let row = BoxShape.row(ofLine: index)
      if !line.marks.isEmpty { lines.append(text("marks", left, row, line.marks)) }
      lines.append(text(line.marks.contains("PK") ? "key" : "column", nameStart, row, line.name))
      if !line.type.isEmpty { lines.append(text("type", typeStart, row, line.type)) }
    }
    return lines
  }

  // Lines.

  private func path(
    _ line: ComponentLayout.Line, _ part: DiagramLayout.Part, _ firstItem: Int
  ) -> String {
    var points = (line.corners ?? [line.start.border, line.end.border])
      .map { Self.point($0, part) }
    // A line goes on to the name in a label.
    for (place, end) in [(0, line.start), (points.count - 1, line.end)] {
      let inset = Self.inset(part.component.items[end.item])
      points[place].x += end.side == .left ? inset : -inset
    }
    func attributes(_ name: String, _ end: ComponentLayout.LineEnd) -> String {
      let top = part.component.items[end.item]
      let offset: Int
      switch top.content {
      case .box: offset = (end.border.y - top.y) * Self.cellHeight
      case .label: offset = Self.cellHeight / 2
      }
      return "data-\(name)=\"n\(firstItem + end.item)\" data-\(name)y=\"\(offset)\" "
        + "data-\(name)m=\"\(Self.letter(end.multiplicity))\""
    }
    let marks = [(line.start, points.first), (line.end, points.last)].compactMap { end, point in
      point.map { Self.mark(end, $0) }
    }.joined()
    let edge = diagram.edges[line.edge]
    return "<g class=\"edge\" data-e=\"\(line.edge)\" \(attributes("a", line.start)) "
      + "\(attributes("b", line.end))><title>\(MarkupEscape.visible(edge.name))</title>"
      + "<path class=\"wide\" d=\"\(Self.rounded(points))\"/>"
      + "<path class=\"line\" d=\"\(Self.rounded(points))\"/>"
      + "<path class=\"mark\" d=\"\(marks)\"/></g>"
  }

  private static func letter(_ multiplicity: Diagram.Multiplicity?) -> String {
    switch multiplicity {
    case .exactlyOne: "1"
    case .zeroOrOne: "o"
    case .zeroOrMany: "m"
    case nil: ""
    }
  }

  /// A path through corners, which are rounded.
  private static func rounded(_ points: [(x: Int, y: Int)]) -> String {
    guard let first = points.first, let last = points.last else { return "" }
    var path = "M\(first.x) \(first.y)"
    for index in points.indices.dropFirst().dropLast() {
      let (before, corner, after) = (points[index - 1], points[index], points[index + 1])
      func toward(_ other: (x: Int, y: Int)) -> (x: Int, y: Int) {
        let (width, height) = (other.x - corner.x, other.y - corner.y)
        let radius = min(6, (abs(width) + abs(height)) / 2)
        return (corner.x + width.signum() * radius, corner.y + height.signum() * radius)
      }
      let (enter, leave) = (toward(before), toward(after))
      path += "L\(enter.x) \(enter.y)Q\(corner.x) \(corner.y) \(leave.x) \(leave.y)"
    }
    return path + "L\(last.x) \(last.y)"
  }

  /// The mark of a multiplicity beside a border: bars for one, a circle for none, a crow's foot for many.
  private static func mark(_ end: ComponentLayout.LineEnd, _ point: (x: Int, y: Int)) -> String {
    let sign = end.side == .right ? 1 : -1
    let (x, y) = point
    func bar(_ distance: Int) -> String { "M\(x + sign * distance) \(y - 6)v12" }
    func circle(_ distance: Int) -> String {
      "M\(x + sign * distance - 4) \(y)a4 4 0 1 0 8 0a4 4 0 1 0 -8 0"
    }
    switch end.multiplicity {
    case .exactlyOne: return bar(7) + bar(12)
    case .zeroOrOne: return bar(7) + circle(15)
    case .zeroOrMany:
      return "M\(x) \(y - 7)L\(x + sign * 11) \(y)L\(x) \(y + 7)" + circle(15)
    case nil: return ""
    }
  }

  // Style.

  /// Colours for light and dark.
  static let style = """
    svg.erd { --page: #ffffff; --box: #ffffff; --head: #e8eef7; --border: #5b6b82; --text: #1c2430; \
    --faint: #6b7686; --line: #4a5a70; --accent: #0b62c4; color-scheme: light dark; \
    font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
    @media (prefers-color-scheme: dark) { svg.erd { --page: #14181f; --box: #1c222c; \
    --head: #27313f; --border: #76869c; --text: #e6ebf2; --faint: #98a4b5; --line: #93a3b8; \
    --accent: #6cb2ff; } }
    .erd .page, .erd .back { fill: var(--page); }
    .erd text { fill: var(--text); white-space: pre; }
    .erd .box { fill: var(--box); stroke: var(--border); stroke-width: 1.2; }
    .erd .head { fill: var(--head); stroke: var(--border); stroke-width: 1.2; }
    .erd .name, .erd .link { font-weight: 600; }
    .erd .marks { fill: var(--accent); font-size: 11px; }
    .erd .key { font-weight: 600; }
    .erd .type, .erd .extra { fill: var(--faint); }
    .erd .line, .erd .mark { fill: none; stroke: var(--line); stroke-width: 1.4; }
    .erd .mark { fill: var(--page); }
    .erd .wide { fill: none; stroke: transparent; stroke-width: 9; }
    .erd .edge:hover .line, .erd .edge:hover .mark, .erd .edge.lit .line, .erd .edge.lit .mark \
    { stroke: var(--accent); stroke-width: 2.2; }
    """
}
