/// psql's table: a header, a rule, values in columns, `(n rows)`.
struct AlignedLayout {
  let settings: PrintSettings
  private let lines: TableLines
  private let table: TextTable
  private let header: [CellText]
  private let cells: [[CellText]]
  /// The widths that the columns have, which is less than their values need where these are wrapped.
  private let widths: [Int]
  private let border: Int
  /// Whether some column is narrower than its values.
  private let isShrunk: Bool
  /// The width of the whole table.
  let totalWidth: Int
  /// Whether the columns' names alone are wider than what the table is made for.
  let isHeaderTooWide: Bool

  /// A layout for a screen, or a file, of so many columns; 0 for any number.
  init(_ table: TextTable, settings: PrintSettings, columns: Int = 0) {
    self.settings = settings
    self.table = table
    lines = TableLines(settings)
    border = min(settings.border, 2)
    header = table.names.map(CellText.init)
    cells = table.cells
    var fit = ColumnFit(header: header, cells: cells, border: border)
    let natural = fit.total
    if settings.format == .wrapped, columns > 0 { fit.shrink(to: columns) }
    isShrunk = fit.total < natural
    widths = fit.widths
    totalWidth = fit.total
    isHeaderTooWide = columns > 0 && fit.headerTotal > columns
  }

  /// The number of lines it takes.
  var height: Int {
    cells.reduce(table.footerLines.count + 3) { count, row in
      count
        + (zip(row, widths).map { cell, width in
          cell.widths.reduce(0) { $0 + max(1, ($1 + width - 1) / max(1, width)) }
        }.max() ?? 1)
    }
  }

  /// Writes the table.
  func print(to output: OutputStream) {
    if output.isUnwanted { return }
    if !settings.tuplesOnly {
      printTitle(to: output)
      if border == 2 { output.writeLine(rule(lines.top)) }
      printHeader(to: output)
      output.writeLine(rule(lines.inner))
    }
    for row in cells where !output.isUnwanted { printRow(row, to: output) }
    if output.isUnwanted { return }
    if border == 2 { output.writeLine(rule(lines.bottom)) }
    if !settings.tuplesOnly {
      for footer in table.footerLines { output.writeLine(footer) }
    }
    output.writeLine("")
  }

  private func printTitle(to output: OutputStream) {
    guard let title = table.title else { return }
    output.writeLine(blanks((totalWidth - CellText(title).width) / 2) + title)
  }

  private func rule(_ rule: TableLines.Rule) -> String {
    let line = rule.horizontal
    var result = border == 2 ? rule.left + line : border == 1 ? line : ""
    for (index, width) in widths.enumerated() {
      if index > 0 { result += border == 0 ? " " : line + rule.middle + line }
      result += String(repeating: line, count: width)
    }
    return result + (border == 2 ? line + rule.right : border == 1 ? line : "")
  }

  /// Column names stand in the middle of their columns.
  private func printHeader(to output: OutputStream) {
    let height = header.map(\.lines.count).max() ?? 0
    for line in 0..<height {
      var text = border == 2 ? lines.leftEdge : ""
      for (index, cell) in header.enumerated() {
        if border > 0 || (!lines.marksRight && index > 0) {
          text += line > 0 ? lines.headerLeft : " "
        }
        if line < cell.lines.count {
          let space = widths[index] - cell.widths[line]
          text += blanks(space / 2) + cell.lines[line] + blanks(space - space / 2)
        } else {
          text += blanks(widths[index])
        }
        if border > 0 || lines.marksRight {
          text += line + 1 < cell.lines.count ? lines.headerRight : " "
        }
        if border > 0, index + 1 < header.count { text += lines.vertical }
      }
      output.writeLine(border == 2 ? text + lines.rightEdge : text)
    }
  }

  /// Prints a row whose values take a line each, as nearly all do.
  private func printLine(_ row: [CellText], to output: OutputStream) {
    var text = border == 2 ? lines.leftEdge : ""
    for (index, cell) in row.enumerated() {
      if border > 0 { text += index > 0 ? lines.vertical + " " : " " }
      let space = widths[index] - cell.width
      if table.isNumeric[index] { text += blanks(space) }
      text += cell.lines[0]
      // Nothing but what must stand there follows the last value of a line.
      if border == 2 || index + 1 < row.count {
        text += table.isNumeric[index] ? " " : blanks(space + 1)
      }
    }
    output.writeLine(border == 2 ? text + lines.rightEdge : text)
  }

  private func printRow(_ row: [CellText], to output: OutputStream) {
    if !isShrunk, row.allSatisfy({ $0.lines.count == 1 }) {
      printLine(row, to: output)
      return
    }
    var pieces = row.indices.map { CellPieces(row[$0], width: widths[$0]) }
    repeat {
      var text = border == 2 ? lines.leftEdge : ""
      for index in pieces.indices {
        let endsInSpace = border == 2 || index + 1 < pieces.count
        if border > 0 { text += mark(pieces[index].state, lines.wrapLeft, lines.endLeft) ?? " " }
        if let (piece, width) = pieces[index].take() {
          let space = blanks(widths[index] - width)
          let goesOn = pieces[index].state != .begins
          if table.isNumeric[index] {
            text += space + piece
          } else {
            text += endsInSpace || goesOn ? piece + space : piece
          }
        } else if endsInSpace {
          text += blanks(widths[index])
        }
        text +=
          mark(pieces[index].state, lines.wrapRight, lines.endRight) ?? (endsInSpace ? " " : "")
        if border > 0, index + 1 < pieces.count { text += divider(before: pieces[index + 1]) }
      }
      output.writeLine(border == 2 ? text + lines.rightEdge : text)
    } while pieces.contains { !$0.isAtEnd }
  }

  private func mark(_ state: CellPieces.State, _ wrapped: String, _ ended: String) -> String? {
    switch state {
    case .begins: nil
    case .isWrapped: wrapped
    case .isBehindEnd: ended
    }
  }

  private func divider(before cell: CellPieces) -> String {
    switch cell.state {
    case .isWrapped: lines.verticalWrapped
    case .isBehindEnd: lines.verticalBehindEnd
    case .begins: cell.isAtEnd ? lines.verticalBlank : lines.vertical
    }
  }
}

/// How wide columns are, and which of them are made narrower where they do not fit.
struct ColumnFit {
  private(set) var widths: [Int]
  private(set) var total: Int
  /// The width that the names of the columns alone ask for.
  let headerTotal: Int
  private let headerWidths: [Int]
  private let averages: [Int]

  /// The widths that the values ask for.
  init(header: [CellText], cells: [[CellText]], border: Int) {
    headerWidths = header.map(\.width)
    var widths = headerWidths
    var sums = widths.map { _ in 0 }
    for row in cells {
      for (index, cell) in row.enumerated() {
        if cell.width > widths[index] { widths[index] = cell.width }
        sums[index] += cell.width
      }
    }
    let count = header.count
    let frame = border == 0 ? count : border == 1 ? count * 3 - (count > 0 ? 1 : 0) : count * 3 + 1
    averages = sums.map { cells.isEmpty ? 0 : $0 / cells.count }
    headerTotal = headerWidths.reduce(frame, +)
    total = widths.reduce(frame, +)
    self.widths = widths
  }

  /// Takes cells from the columns whose longest values are the farthest from the average, until all fit.
  ///
  /// No column gets narrower than its name; where the names do not fit nothing is done.
  mutating func shrink(to columns: Int) {
    guard columns >= headerTotal else { return }
    let widest = widths
    while total > columns {
      var worst: (index: Int, ratio: Double)?
      for index in widths.indices where averages[index] > 0 && widths[index] > headerWidths[index] {
        let ratio = Double(widths[index]) / Double(averages[index]) + Double(widest[index]) * 0.01
        if ratio > worst?.ratio ?? 0 { worst = (index, ratio) }
      }
      guard let worst else { return }
      widths[worst.index] -= 1
      total -= 1
    }
  }
}
