/// psql's table: a header, a rule, values in columns, `(n rows)`.
struct AlignedLayout {
  let settings: PrintSettings
  private let lines: TableLines
  private let table: TextTable
  private let header: [CellText]
  private let cells: [[CellText]]
  private let widths: [Int]
  private let border: Int

  init(_ table: TextTable, settings: PrintSettings) {
    self.settings = settings
    self.table = table
    lines = TableLines(settings)
    border = settings.border
    header = table.names.map(CellText.init)
    cells = table.cells
    var widths = header.map(\.width)
    for row in cells {
      for (index, cell) in row.enumerated() where cell.width > widths[index] {
        widths[index] = cell.width
      }
    }
    self.widths = widths
  }

  /// The width of the whole table.
  var totalWidth: Int {
    let count = widths.count
    let frame =
      switch border {
      case 0: count
      case 1: count * 3 - (count > 0 ? 1 : 0)
      default: count * 3 + 1
      }
    return widths.reduce(frame, +)
  }

  /// The number of lines it takes.
  var height: Int {
    cells.reduce(table.footerLines.count + 3) { $0 + ($1.map(\.lines.count).max() ?? 1) }
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
    output.writeLine(blanks((totalWidth - DisplayWidth.of(title)) / 2) + title)
  }

  private func rule(_ joints: TableLines.Rule) -> String {
    let line = lines.horizontal
    var result = border == 2 ? joints.left + line : border == 1 ? line : ""
    for (index, width) in widths.enumerated() {
      if index > 0 { result += border == 0 ? " " : line + joints.middle + line }
      result += String(repeating: line, count: width)
    }
    return result + (border == 2 ? line + joints.right : border == 1 ? line : "")
  }

  /// Column names stand in the middle of their columns.
  private func printHeader(to output: OutputStream) {
    let height = header.map(\.lines.count).max() ?? 0
    for line in 0..<height {
      var text = border == 2 ? lines.vertical : ""
      for (index, cell) in header.enumerated() {
        if border > 0 {
          if index > 0 { text += lines.vertical }
          text += " "
        }
        if line < cell.lines.count {
          let space = widths[index] - cell.widths[line]
          text += blanks(space / 2) + cell.lines[line] + blanks(space - space / 2)
        } else {
          text += blanks(widths[index])
        }
        text += line + 1 < cell.lines.count ? lines.goesOn : " "
      }
      output.writeLine(border == 2 ? text + lines.vertical : text)
    }
  }

  private func printRow(_ row: [CellText], to output: OutputStream) {
    let height = row.map(\.lines.count).max() ?? 0
    for line in 0..<height {
      var text = border == 2 ? lines.vertical : ""
      for (index, cell) in row.enumerated() {
        if border > 0 {
          if index > 0 { text += lines.vertical }
          text += " "
        }
        // Nothing but what must stand there follows the last value of a line.
        let endsInSpace = border == 2 || index + 1 < row.count
        let goesOn = line + 1 < cell.lines.count
        if line >= cell.lines.count {
          if endsInSpace { text += blanks(widths[index]) }
        } else {
          let space = widths[index] - cell.widths[line]
          if table.isNumeric[index] {
            text += blanks(space) + cell.lines[line]
          } else {
            text += cell.lines[line]
            if endsInSpace || goesOn { text += blanks(space) }
          }
        }
        if goesOn { text += lines.goesOn } else if endsInSpace { text += " " }
      }
      output.writeLine(border == 2 ? text + lines.vertical : text)
    }
  }
}

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

  init(_ table: TextTable, settings: PrintSettings) {
    self.settings = settings
    self.table = table
    lines = TableLines(settings)
    border = settings.border
    header = table.names.map(CellText.init)
    cells = table.cells
    nameWidth = header.reduce(0) { max($0, $1.width) }
    valueWidth = cells.reduce(0) { $1.reduce($0) { max($0, $1.width) } }
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
    let line = border > 0 ? lines.horizontal : " "
    var result = border == 2 ? joints.left + line : border == 1 ? line : ""
    var reach = 0
    if let record {
      let label = border == 0 ? "* Record \(record)" : "[ RECORD \(record) ]"
      result += label
      reach = label.count
    }
    if border != 2 { reach += 1 }
    result += String(repeating: line, count: max(0, nameWidth - reach))
    reach -= nameWidth
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
    let isMultiline = header.contains { $0.lines.count > 1 }
    for line in 0..<max(name.lines.count, value.lines.count) {
      var text = border == 2 ? lines.vertical + " " : ""
      if line < name.lines.count {
        text += name.lines[line] + blanks(nameWidth - name.widths[line])
        if border > 0 || isMultiline { text += line + 1 < name.lines.count ? lines.goesOn : " " }
      } else {
        text += blanks(nameWidth + (border > 0 || isMultiline ? 1 : 0))
      }
      if border > 0 { text += lines.vertical }
      if line < value.lines.count {
        text += " " + value.lines[line]
        let space = blanks(valueWidth - value.widths[line])
        if line + 1 < value.lines.count {
          text += space + lines.goesOn
        } else if border == 2 {
          text += space + " "
        }
        if border == 2 { text += lines.vertical }
      } else if border == 2 {
        text += blanks(valueWidth) + "  " + lines.vertical
      }
      output.writeLine(text)
    }
  }
}
