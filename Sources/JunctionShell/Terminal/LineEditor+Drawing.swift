extension LineEditor {
  /// Draws the input anew where it was drawn before.
  func draw() {
    let size = terminal.size
    let drawing = layout(columns: size.columns)
    // Of an input taller than the screen the rows around the cursor are shown.
    let height = min(drawing.rows.count, size.rows)
    var top = min(drawn?.top ?? 0, drawing.rows.count - height)
    if drawing.cursorRow < top { top = drawing.cursorRow }
    if drawing.cursorRow >= top + height { top = drawing.cursorRow - height + 1 }
    var output = clearing() + drawing.text(of: top..<(top + height))
    let up = top + height - 1 - drawing.cursorRow
    if up > 0 { output += "\u{1B}[\(up)A" }
    output += "\r"
    if drawing.cursorColumn > 0 { output += "\u{1B}[\(drawing.cursorColumn)C" }
    terminal.write("\u{1B}[?25l" + output + "\u{1B}[?25h")
    drawn = (drawing, top)
  }

  /// Draws the whole input, followed by `mark`, and moves below it.
  func finish(_ mark: String = "") {
    search = nil
    buffer.moveToEnd()
    let drawing = layout(columns: terminal.size.columns)
    terminal.write(clearing() + drawing.text(of: 0..<drawing.rows.count) + mark + "\r\n")
    drawn = nil
  }

  /// Moves below what is drawn and leaves it there.
  func leaveDrawing() {
    let cursor = buffer.cursor
    finish()
    buffer.move(to: cursor)
  }

  /// Draws after the window has changed: the terminal has wrapped the old rows to its new width.
  func redrawResized() {
    if let (drawing, top) = drawn {
      let offset = drawing.cursorOffset(from: top, columns: max(2, terminal.size.columns))
      terminal.write(Self.clearing(rowsAbove: offset))
      drawn = nil
    }
    draw()
  }

  private func clearing() -> String {
    Self.clearing(rowsAbove: drawn.map { $0.drawing.cursorRow - $0.top } ?? 0)
  }

  private static func clearing(rowsAbove: Int) -> String {
    "\r" + (rowsAbove > 0 ? "\u{1B}[\(rowsAbove)A" : "") + "\u{1B}[J"
  }

  private func layout(columns: Int) -> LineDrawing {
    let shown = LineDrawing.shown(buffer.characters)
    var first = prompt
    if let search {
      first = "(\(search.hasFailed ? "failed " : "")reverse-i-search)`\(search.pattern)': "
    }
    return LineDrawing(
      shown, coloured: colour(String(shown)), cursor: buffer.cursor,
      prompts: [first] + continuationPrompts(buffer.text), columns: columns)
  }

  /// Prints the words that are possible below the input, as many as the screen has room for.
  func list(_ words: [String]) {
    leaveDrawing()
    terminal.write(Self.table(of: words, in: terminal.size))
  }

  /// Words in columns that are read downwards; what has no room is counted.
  static func table(of words: [String], in size: (columns: Int, rows: Int)) -> String {
    let width = (words.map(DisplayWidth.of).max() ?? 1) + 2
    let perRow = max(1, size.columns / width)
    let rowsInAll = (words.count + perRow - 1) / perRow
    let rowCount = min(rowsInAll, max(1, size.rows - 3))
    var text = ""
    var count = 0
    for row in 0..<rowCount {
      var line = ""
      var end = 0
      for (column, index) in stride(from: row, to: words.count, by: rowsInAll).enumerated() {
        line += blanks(column * width - end) + words[index]
        end = column * width + DisplayWidth.of(words[index])
        count += 1
      }
      text += line + "\r\n"
    }
    if count < words.count { text += "… and \(words.count - count) more\r\n" }
    return text
  }
}
