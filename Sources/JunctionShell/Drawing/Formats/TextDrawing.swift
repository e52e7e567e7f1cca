/// A diagram in the characters of a terminal.
struct TextDrawing {
  private let diagram: Diagram
  /// The cells from left to right.
  private let width: Int

  init(_ diagram: Diagram, width: Int) {
    self.diagram = diagram
    self.width = width
  }

  /// The lines of the drawing: boxes with lines between them, then what found no room, and what the marks mean.
  var lines: [String] {
    var request = DiagramLayout.Request()
    request.room.widthMax = width
    request.details = [.typed, .named, .keys, .title]
    request.mayList = true
    let layout = DiagramLayout(diagram, request)
    var canvas = TextCanvas(width: max(width, layout.width), height: layout.height)
    for part in layout.parts { draw(part, on: &canvas) }
    var lines = canvas.lines
    if !layout.listed.isEmpty {
      if !lines.isEmpty { lines.append("") }
      lines += StackedDrawing(diagram, boxes: layout.listed, width: width).lines
    }
    let notes = notes(layout)
    if !notes.isEmpty { lines += [""] + notes }
    let legend = legend(layout)
    if !legend.isEmpty { lines += ["", legend] }
    return lines
  }

  private func draw(_ part: DiagramLayout.Part, on canvas: inout TextCanvas) {
    let component = part.component
    for item in component.items {
      let (x, y) = (part.x + item.x, part.y + item.y)
      switch item.content {
      case .box(_, let shape):
        canvas.put(TextBox(shape, width: item.width).lines, x: x, y: y)
      case .label(_, let label):
        for (row, line) in label.lines.enumerated() { canvas.put(line, x: x + 1, y: y + row) }
      }
    }
    for y in component.rows {
      for x in 0..<component.width {
        guard let character = Self.character(component.ink(at: Cell(x: x, y: y))) else { continue }
        canvas.put(character, x: part.x + x, y: part.y + y)
      }
    }
    for line in component.lines {
      for end in [line.start, line.end] {
        draw(end, part, on: &canvas)
        extend(end, part, on: &canvas)
      }
    }
  }

  /// The mark beside a box, and the joint in its border.
  private func draw(
    _ end: ComponentLayout.LineEnd, _ part: DiagramLayout.Part, on canvas: inout TextCanvas
  ) {
    guard let multiplicity = end.multiplicity else { return }
    let (x, y) = (part.x + end.border.x, part.y + end.border.y)
    let isRight = end.side == .right
    canvas.put(isRight ? "├" : "┤", x: x, y: y)
    canvas.put(
      Self.mark(multiplicity, isRight: isRight), x: isRight ? x + 1 : x - ComponentLayout.markWidth,
      y: y)
  }

  /// Leads a line from the end of a label that is narrower than its other lines.
  private func extend(
    _ end: ComponentLayout.LineEnd, _ part: DiagramLayout.Part, on canvas: inout TextCanvas
  ) {
    let item = part.component.items[end.item]
    guard case .label(_, let label) = item.content, end.side == .right,
      let first = label.lines.first
    else { return }
    let start = DisplayWidth.of(first) + 2
    guard start < item.width else { return }
    canvas.put(
      String(repeating: "─", count: item.width - start), x: part.x + item.x + start,
      y: part.y + item.y)
  }

  /// What stands for a multiplicity beside a box: the box is to the left of a right end.
  static func mark(_ multiplicity: Diagram.Multiplicity, isRight: Bool) -> String {
    switch multiplicity {
    case .exactlyOne: isRight ? "╫─" : "─╫"
    case .zeroOrOne: isRight ? "┼○" : "○┼"
    case .zeroOrMany: isRight ? ">○" : "○<"
    }
  }

  /// The character for lines that leave a cell in some directions; nil for an empty cell.
  private static func character(_ ink: EdgeRouter.Ink) -> String? {
    guard case .line(let links) = ink else { return ink == .crossing ? "│" : nil }
    // Bits: right 1, down 2, left 4, up 8.
    let characters: [UInt8: String] = [
      1: "─", 4: "─", 5: "─", 2: "│", 8: "│", 10: "│", 3: "╭", 6: "╮", 9: "╰", 12: "╯",
      7: "┬", 13: "┴", 11: "├", 14: "┤", 15: "┼",
    ]
    return characters[links]
  }

  /// What the numbers on lines stand for.
  private func notes(_ layout: DiagramLayout) -> [String] {
    let numbered = layout.parts.flatMap(\.component.items).compactMap { item -> (Int, Int)? in
      guard case .label(let edge, let shape) = item.content else { return nil }
      return shape.number.map { ($0, edge) }
    }
    return numbered.sorted(by: <).compactMap { number, edge in
      guard let junction = diagram.edges[edge].junction else { return nil }
      let columns = junction.columns.map(\.name).joined(separator: ", ")
      let note =
        "\(LabelShape.text(ofNumber: number)) \(junction.title)"
        + (columns.isEmpty ? "" : " + \(columns)")
      return DisplayWidth.visible(note)
    }
  }

  /// One line that says what the marks mean that are there.
  private func legend(_ layout: DiagramLayout) -> String {
    let ends = layout.parts.flatMap { $0.component.lines.flatMap { [$0.start, $0.end] } }
    let used = Set(ends.compactMap(\.multiplicity))
    return [Diagram.Multiplicity.exactlyOne, .zeroOrOne, .zeroOrMany].filter(used.contains)
      .map { "\(Self.mark($0, isRight: false)) \($0.words)" }.joined(separator: "   ")
  }
}

/// The lines of one table.
struct TextBox {
  let lines: [String]

  init(_ shape: BoxShape, width: Int) {
    let inner = width - 2
    let rule = String(repeating: "─", count: inner)
    func row(_ text: String) -> String {
      "│ " + Self.fitted(text, cells: inner - 2) + " │"
    }
    var lines = ["┌\(rule)┐", row(shape.title)]
    if shape.hasBody { lines.append("├\(rule)┤") }
    for line in shape.lines {
      var parts: [String] = []
      if shape.marksWidth > 0 { parts.append(Self.fitted(line.marks, cells: shape.marksWidth)) }
      if shape.typeWidth > 0 {
        let used = (shape.marksWidth > 0 ? shape.marksWidth + 1 : 0) + shape.nameWidth + 1
        parts.append(Self.fitted(line.name, cells: shape.nameWidth))
        parts.append(Self.fitted(line.type, cells: max(0, inner - 2 - used)))
      } else {
        parts.append(line.name)
      }
      lines.append(row(parts.joined(separator: " ")))
    }
    lines += Array(repeating: row(""), count: shape.spareLineCount)
    lines.append("└\(rule)┘")
    self.lines = lines
  }

  /// A text with blanks up to so many cells, or cut to them.
  static func fitted(_ text: String, cells: Int) -> String {
    let width = DisplayWidth.of(text)
    if width <= cells { return text + blanks(cells - width) }
    guard cells > 0 else { return "" }
    let cut = DisplayWidth.prefix(of: text, cells: cells - 1) + "…"
    return cut + blanks(cells - DisplayWidth.of(cut))
  }
}

/// A rectangle of cells to write on.
struct TextCanvas {
  private let width: Int
  /// The character of each cell; empty where one of two cells reaches over from the left.
  private var cells: [[String]]

  init(width: Int, height: Int) {
    self.width = width
    cells = Array(repeating: Array(repeating: " ", count: width), count: height)
  }

  /// Writes a text; what stands outside of the canvas is lost.
  mutating func put(_ text: String, x: Int, y: Int) {
    guard cells.indices.contains(y) else { return }
    var x = x
    for character in text {
      let cellCount = DisplayWidth.of(String(character))
      if cellCount == 0 {
        // A mark that combines with what stands before it.
        if x > 0, x <= width { cells[y][x - 1] += String(character) }
        continue
      }
      for offset in 0..<cellCount where (0..<width).contains(x + offset) {
        cells[y][x + offset] = offset == 0 ? String(character) : ""
      }
      x += cellCount
    }
  }

  mutating func put(_ lines: [String], x: Int, y: Int) {
    for (row, line) in lines.enumerated() { put(line, x: x, y: y + row) }
  }

  /// The lines without blanks at their ends.
  var lines: [String] {
    cells.map { row in
      let last = row.lastIndex { $0 != " " }
      return last.map { row[...$0].joined() } ?? ""
    }
  }
}
