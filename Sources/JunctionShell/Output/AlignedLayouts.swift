import Junction

/// psql's table: a header, a rule, values in columns, `(n rows)`.
struct AlignedLayout {
  let settings: PrintSettings

  func print(_ result: ResultSet, to output: OutputStream) {
    let table = TextTable(result, null: settings.null)
    if let title = settings.title, !settings.tuplesOnly { output.writeLine(title) }
    let cells = table.rows.map { row in
      row.map {
        DisplayWidth.escapingControls($0)
          .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      }
    }
    let names = table.names.map { DisplayWidth.escapingControls($0) }
    var widths = settings.tuplesOnly ? names.map { _ in 0 } : names.map(DisplayWidth.of)
    for row in cells {
      for (index, lines) in row.enumerated() {
        for line in lines { widths[index] = max(widths[index], DisplayWidth.of(line)) }
      }
    }
    let lines = TableLines(settings: settings, widths: widths)
    if !settings.tuplesOnly {
      if let top = lines.top { output.writeLine(top) }
      output.writeLine(lines.header(names))
      output.writeLine(lines.middle)
    }
    for row in cells {
      let height = row.map(\.count).max() ?? 1
      for line in 0..<height {
        output.writeLine(
          lines.row(row, isNumeric: table.isNumeric, line: line))
      }
    }
    if !settings.tuplesOnly, let bottom = lines.bottom { output.writeLine(bottom) }
    if !settings.tuplesOnly && settings.footer {
      output.writeLine(rowCountFooter(result.count))
    }
    output.writeLine("")
  }
}

/// The lines of a table, for one setting of borders.
private struct TableLines {
  let settings: PrintSettings
  let widths: [Int]

  private var vertical: String { settings.usesUnicodeLines ? "│" : "|" }
  private var horizontal: String { settings.usesUnicodeLines ? "─" : "-" }

  private func rule(_ left: String, _ cross: String, _ right: String) -> String {
    let parts = widths.map { width in
      String(repeating: horizontal, count: width + (settings.border == 0 ? 0 : 2))
    }
    let joined = parts.joined(separator: settings.border == 0 ? " " : cross)
    return settings.border == 2 ? left + joined + right : joined
  }

  var top: String? {
    guard settings.border == 2 else { return nil }
    return settings.usesUnicodeLines ? rule("┌", "┬", "┐") : rule("+", "+", "+")
  }
  var middle: String {
    settings.usesUnicodeLines ? rule("├", "┼", "┤") : rule("+", "+", "+")
  }
  var bottom: String? {
    guard settings.border == 2 else { return nil }
    return settings.usesUnicodeLines ? rule("└", "┴", "┘") : rule("+", "+", "+")
  }

  private func joined(_ cells: [String]) -> String {
    switch settings.border {
    case 0: return cells.joined(separator: " ")
    case 2: return vertical + cells.map { " \($0) " }.joined(separator: vertical) + vertical
    default: return cells.map { " \($0) " }.joined(separator: vertical)
    }
  }

  /// Column names stand in the middle of their columns.
  func header(_ names: [String]) -> String {
    joined(
      zip(names, widths).map { name, width in
        let space = width - DisplayWidth.of(name)
        return String(repeating: " ", count: space / 2) + name
          + String(repeating: " ", count: space - space / 2)
      })
  }

  /// One line of a row; a `+` stands behind a value that goes on in the next line.
  func row(_ cells: [[String]], isNumeric: [Bool], line: Int) -> String {
    var result = settings.border == 2 ? vertical : ""
    for (index, lines) in cells.enumerated() {
      if index > 0 { result += settings.border == 0 ? "" : vertical }
      let text = line < lines.count ? lines[line] : ""
      let space = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(text)))
      let isLast = index == cells.count - 1
      let goesOn = line + 1 < lines.count
      let padded = isNumeric[index] ? space + text : text + space
      let lead = settings.border == 0 ? "" : " "
      if goesOn {
        result += lead + padded + "+"
      } else if isLast && settings.border < 2 {
        // psql leaves no blanks at the end of a line.
        result += lead + (isNumeric[index] ? padded : text)
      } else {
        result += lead + padded + " "
      }
    }
    return settings.border == 2 ? result + vertical : result
  }
}

/// psql's expanded table: a record a block, a column a line.
struct ExpandedLayout {
  let settings: PrintSettings

  func print(_ result: ResultSet, to output: OutputStream) {
    let table = TextTable(result, null: settings.null)
    if table.rows.isEmpty {
      if !settings.tuplesOnly { output.writeLine("(0 rows)\n") }
      return
    }
    let nameWidth = table.names.map(DisplayWidth.of).max() ?? 0
    let cells = table.rows.map { row in
      row.map {
        DisplayWidth.escapingControls($0)
          .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      }
    }
    let valueWidth =
      cells.flatMap { $0.flatMap { $0.map(DisplayWidth.of) } }.max() ?? 0
    for (index, row) in cells.enumerated() {
      if settings.tuplesOnly {
        if index > 0 { output.writeLine("") }
      } else {
        let label = "-[ RECORD \(index + 1) ]"
        let width = nameWidth + valueWidth + 3
        var rule = label + String(repeating: "-", count: max(0, width - label.count))
        if label.count <= nameWidth + 1 {
          rule = label + String(repeating: "-", count: nameWidth + 1 - label.count) + "+"
          rule += String(repeating: "-", count: max(0, width - rule.count))
        }
        output.writeLine(rule)
      }
      for (name, lines) in zip(table.names, row) {
        for (line, text) in lines.enumerated() {
          let label = line == 0 ? name : ""
          let space = String(repeating: " ", count: nameWidth - DisplayWidth.of(label))
          output.writeLine(label + space + " | " + text + (line + 1 < lines.count ? "+" : ""))
        }
      }
    }
    output.writeLine("")
  }
}
