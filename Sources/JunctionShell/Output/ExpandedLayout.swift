/// psql's expanded table: a record a block, a column a line.
struct ExpandedLayout {
  let settings: PrintSettings
  private let lines: TableLines
  private let table: TextTable
  private let header: [CellText]
  private let cells: [[CellText]]
  private let nameWidth: Int
  private let valueWidth: Int
  private let border: Int
  /// Whether some name, or some value, takes more than one line.
  private let hasLongNames: Bool
  private let hasLongValues: Bool

  /// A layout for a screen, or a file, of so many columns; 0 for any number.
  init(_ table: TextTable, settings: PrintSettings, columns: Int = 0) {
    self.settings = settings
    self.table = table
    lines = TableLines(settings)
    border = min(settings.border, 2)
    header = table.names.map(CellText.init)
    cells = table.cells
    nameWidth = header.reduce(0) { max($0, $1.width) }
    hasLongNames = header.contains { $0.lines.count > 1 }
    let natural = cells.reduce(0) { $1.reduce($0) { max($0, $1.width) } }
    let isBroken = cells.contains { $0.contains { $0.lines.count > 1 } }
    guard settings.format == .wrapped else {
      (valueWidth, hasLongValues) = (natural, isBroken)
      return
    }
    let fit = ValueFit(
      border: border, marksRight: lines.marksRight, nameWidth: nameWidth,
      hasLongNames: hasLongNames, rowCount: settings.tuplesOnly ? nil : cells.count)
    (valueWidth, hasLongValues) = fit.width(of: natural, isBroken: isBroken, columns: columns)
  }

  /// The number of lines it takes.
  var height: Int {
    cells.reduce(2) { $0 + 1 + $1.reduce(0) { $0 + $1.lines.count } }
  }

  /// Writes the table.
  func print(to output: OutputStream) {
    if output.isUnwanted { return }
    if cells.isEmpty {
      if !settings.tuplesOnly {
        for footer in table.footerLines { output.writeLine(footer) }
      }
      output.writeLine("")
      return
    }
    if !settings.tuplesOnly, let title = table.title { output.writeLine(title) }
    for (index, row) in cells.enumerated() where !output.isUnwanted {
      let joints = index == 0 ? lines.top : lines.inner
      if !settings.tuplesOnly {
        output.writeLine(rule(joints, record: index + 1))
      } else if index > 0 || border == 2 {
        output.writeLine(rule(joints, record: nil))
      }
      for (name, value) in zip(header, row) { printPair(name, value, to: output) }
    }
    if border == 2 { output.writeLine(rule(lines.bottom, record: nil)) }
    if !settings.tuplesOnly, let footers = table.footers, !footers.isEmpty {
      if border < 2 { output.writeLine("") }
      for footer in footers { output.writeLine(footer) }
    }
    output.writeLine("")
  }

  /// The line between two records, with the number of the one below.
  private func rule(_ joints: TableLines.Rule, record: Int?) -> String {
    let line = border > 0 ? joints.horizontal : " "
    var result = border == 2 ? joints.left + line : border == 1 ? line : ""
    var reach = 0
    if let record {
      let label = border == 0 ? "* Record \(record)" : "[ RECORD \(record) ]"
      result += label
      reach = label.count
    }
    if border != 2 { reach += 1 }
    let width = border < 2 && hasLongNames && !lines.marksRight ? nameWidth + 1 : nameWidth
    result += String(repeating: line, count: max(0, width - reach))
    reach -= width
    if border > 0 {
      for part in [line, joints.middle, line] {
        if reach <= 0 { result += part }
        reach -= 1
      }
    } else {
      if reach <= 0 { result += " " }
      reach -= 1
    }
    result += String(repeating: line, count: max(0, valueWidth - max(0, reach)))
    return border == 2 ? result + line + joints.right : result
  }

  private func printPair(_ name: CellText, _ value: CellText, to output: OutputStream) {
    var pieces = CellPieces(value, width: valueWidth)
    var nameLine = 0
    while nameLine < name.lines.count || !pieces.isAtEnd {
      var text = border == 2 ? lines.leftEdge : ""
      text += namePart(name, nameLine)
      nameLine += 1
      let isWrapped = pieces.state == .isWrapped
      if border > 0 {
        let isBehindEnd = pieces.isAtEnd ? value.lines.count > 1 : pieces.state == .isBehindEnd
        text +=
          isWrapped ? lines.verticalWrapped : isBehindEnd ? lines.verticalBehindEnd : lines.vertical
      }
      if let (piece, width) = pieces.take() {
        text += (isWrapped ? lines.wrapLeft : " ") + piece
        text += mark(behind: width, pieces)
        if border == 2 { text += lines.rightEdge }
      } else if border == 2 {
        text += blanks(valueWidth) + "  " + lines.rightEdge
      }
      output.writeLine(text)
    }
  }

  private func namePart(_ name: CellText, _ line: Int) -> String {
    let hasMark = border > 0 || (hasLongNames && lines.marksRight)
    let isOld = hasLongNames && !lines.marksRight
    guard line < name.lines.count else {
      let marks = (border < 2 && isOld ? 1 : 0) + (border == 0 && hasMark ? 1 : 0)
      return blanks(nameWidth + border + marks)
    }
    var text = border == 2 || isOld ? (line > 0 ? lines.headerLeft : " ") : ""
    text += name.lines[line] + blanks(nameWidth - name.widths[line])
    if hasMark { text += line + 1 < name.lines.count ? lines.headerRight : " " }
    return text
  }

  /// What follows a piece of a value: blanks and a mark where it goes on below.
  private func mark(behind width: Int, _ pieces: CellPieces) -> String {
    let space = blanks(valueWidth - width)
    let hasMark = border > 1 || (hasLongValues && lines.marksRight)
    switch pieces.state {
    case .isWrapped: return hasMark ? space + lines.wrapRight : ""
    case .isBehindEnd: return hasMark ? space + lines.endRight : ""
    case .begins: return border > 1 ? space + " " : ""
    }
  }
}

/// How wide the values of wrapped expanded output may be.
private struct ValueFit {
  let border: Int
  let marksRight: Bool
  let nameWidth: Int
  let hasLongNames: Bool
  /// The number of records that are numbered; nil if none is.
  let rowCount: Int?

  func width(of natural: Int, isBroken: Bool, columns: Int) -> (width: Int, hasMarks: Bool) {
    var separator = border == 0 ? (hasLongNames ? 2 : 1) : border == 1 ? 3 : 7
    if border < 2, isBroken, marksRight { separator += 1 }
    var rule = 0
    if let rowCount {
      rule = String(max(1, rowCount)).count + (border == 0 ? 9 : border == 1 ? 12 : 15)
    }
    func fitted() -> Int {
      let wanted = max(rule, nameWidth + separator + natural)
      let least = max(rule, nameWidth + separator + 3)
      let width = columns == 0 || columns >= wanted ? wanted : max(columns, least)
      return width - nameWidth - separator
    }
    let width = fitted()
    guard width < natural, !isBroken, border < 2, marksRight else { return (width, isBroken) }
    // The marks of wrapped lines take a column of their own.
    separator += 1
    return (fitted(), true)
  }
}
