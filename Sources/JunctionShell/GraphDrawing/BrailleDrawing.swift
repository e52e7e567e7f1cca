/// A graph drawn with the dots of braille characters, of which each cell of the screen has two by four.
struct BrailleDrawing {
  private let picture: GraphPicture
  private let columns: Int
  private let rows: Int

  /// So many vertices have their names beside them, where there is room.
  private static let labelCountMax = 60
  private static let labelWidthMax = 16

  /// A drawing for a screen of so many columns and rows.
  init(_ picture: GraphPicture, width: Int, height: Int) {
    self.picture = picture
    columns = max(20, min(width, 160))
    rows = max(8, min(height, 60))
  }

  var lines: [String] {
    var dots = [UInt8](repeating: 0, count: columns * rows)
    for edge in picture.edges {
      draw(dot(picture.vertices[edge.from]), dot(picture.vertices[edge.to]), in: &dots)
    }
    var cells = dots.map { bits in
      bits == 0 ? " " : Unicode.Scalar(0x2800 + UInt32(bits)).map { String(Character($0)) } ?? " "
    }
    var isTaken = dots.map { $0 != 0 }
    for vertex in picture.vertices {
      let cell = cell(of: vertex)
      cells[cell] = "●"
      isTaken[cell] = true
    }
    if picture.vertices.count <= Self.labelCountMax {
      for vertex in picture.vertices { write(vertex, in: &cells, &isTaken) }
    }
    return (0..<rows).map { row in
      var line = cells[row * columns..<(row + 1) * columns].joined()[...]
      while line.last == " " { line.removeLast() }
      return String(line)
    }
  }

  /// The dot of a vertex, from the upper left corner.
  private func dot(_ vertex: GraphPicture.Vertex) -> (x: Int, y: Int) {
    (
      Int(((vertex.x + 1) / 2 * Double(2 * columns - 1)).rounded()),
      Int(((1 - vertex.y) / 2 * Double(4 * rows - 1)).rounded())
    )
  }

  private func cell(of vertex: GraphPicture.Vertex) -> Int {
    let (x, y) = dot(vertex)
    return y / 4 * columns + x / 2
  }

  /// The bits of a cell's dots, row by row.
  private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

  /// The dots of a line.
  private func draw(_ from: (x: Int, y: Int), _ to: (x: Int, y: Int), in dots: inout [UInt8]) {
    let steps = max(abs(to.x - from.x), abs(to.y - from.y), 1)
    for step in 0...steps {
      let share = Double(step) / Double(steps)
      let x = from.x + Int((Double(to.x - from.x) * share).rounded())
      let y = from.y + Int((Double(to.y - from.y) * share).rounded())
      dots[y / 4 * columns + x / 2] |= Self.bits[y % 4][x % 2]
    }
  }

  /// Writes the name of a vertex behind it, before, above or below it, where nothing else is.
  private func write(
    _ vertex: GraphPicture.Vertex, in cells: inout [String], _ isTaken: inout [Bool]
  ) {
    let visible = DisplayWidth.visible(vertex.label.prefix { $0 != "\n" })
    let label = DisplayWidth.prefix(of: visible, cells: Self.labelWidthMax)
    let width = DisplayWidth.of(label)
    if width == 0 { return }
    let (row, column) = cell(of: vertex).quotientAndRemainder(dividingBy: columns)
    let spots = [
      (row, column + 2), (row, column - width - 1), (row - 1, column - width / 2),
      (row + 1, column - width / 2), (row - 1, column), (row + 1, column),
      (row - 1, column - width + 1), (row + 1, column - width + 1),
    ]
    for (line, start) in spots {
      let place = line * columns + start
      guard line >= 0, line < rows, start >= 0, start + width <= columns,
        !isTaken[place..<place + width].contains(true)
      else { continue }
      cells[place] = label
      for cell in place..<place + width {
        if cell > place { cells[cell] = "" }
        isTaken[cell] = true
      }
      return
    }
  }
}
