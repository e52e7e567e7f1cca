/// A table for LaTeX: `tabular`, or `longtable`, which may be broken over pages.
struct LatexLayout {
  let settings: PrintSettings

  func print(_ table: TextTable, to output: OutputStream) {
    if settings.expanded == .on {
      printRecords(table, to: output)
    } else if settings.format == .latexLongtable {
      printLong(table, to: output)
    } else {
      printRows(table, to: output)
    }
  }

  private func printTitle(_ table: TextTable, to output: OutputStream) {
    guard !settings.tuplesOnly, let title = table.title else { return }
    output.writeLine("\\begin{center}\n\(Self.escaped(title))\n\\end{center}\n")
  }

  private func printEnd(_ footers: [String], hasLine: Bool, to output: OutputStream) {
    if hasLine { output.writeLine("\\hline") }
    output.write("\\end{tabular}\n\n\\noindent ")
    if !settings.tuplesOnly {
      for footer in footers { output.writeLine(Self.escaped(footer) + " \\\\") }
    }
    output.writeLine("")
  }

  /// The letters of the columns with the lines between them.
  private func columns(_ letters: [String]) -> String {
    let inside = letters.joined(separator: settings.border > 0 ? " | " : "")
    return settings.border >= 2 ? "| \(inside) |" : inside
  }

  private func printRows(_ table: TextTable, to output: OutputStream) {
    printTitle(table, to: output)
    output.writeLine("\\begin{tabular}{\(columns(table.isNumeric.map { $0 ? "r" : "l" }))}")
    if !settings.tuplesOnly {
      if settings.border >= 2 { output.writeLine("\\hline") }
      output.writeLine(
        table.names.map { "\\textit{\(Self.escaped($0))}" }.joined(separator: " & ")
          + " \\\\\n\\hline")
    }
    for row in table.rows where !output.isUnwanted {
      output.writeLine(row.map(Self.escaped).joined(separator: " & ") + " \\\\")
      if settings.border >= 3 { output.writeLine("\\hline") }
    }
    printEnd(table.footerLines, hasLine: settings.border == 2, to: output)
  }

  private func printRecords(_ table: TextTable, to output: OutputStream) {
    printTitle(table, to: output)
    let border = min(settings.border, 2)
    let columns = border == 0 ? "cl" : border == 1 ? "c|l" : "|c|l|"
    output.writeLine("\\begin{tabular}{\(columns)}")
    for (number, row) in table.rows.enumerated() where !output.isUnwanted {
      if !settings.tuplesOnly {
        if border == 2 { output.writeLine("\\hline") }
        let letters = border == 2 ? "|c|" : "c"
        output.writeLine(
          "\\multicolumn{2}{\(letters)}{\\textit{Record \(number + 1)}} \\\\")
      }
      if border >= 1 { output.writeLine("\\hline") }
      for (name, value) in zip(table.names, row) {
        output.writeLine("\(Self.escaped(name)) & \(Self.escaped(value)) \\\\")
      }
    }
    printEnd(table.footers ?? [], hasLine: border == 2, to: output)
  }

  // Long tables.

  /// The letter of each column, or the share of the page that the settings give it.
  private func longColumns(_ table: TextTable) -> [String] {
    var widths = (settings.tableAttributes ?? "").split { $0.isWhitespace }[...]
    var last: Substring?
    return table.isNumeric.map { isNumeric in
      if isNumeric { return "r" }
      last = widths.popFirst() ?? last
      return last.map { "p{\($0)\\textwidth}" } ?? "l"
    }
  }

  private func printLong(_ table: TextTable, to output: OutputStream) {
    output.writeLine("\\begin{longtable}{\(columns(longColumns(table)))}")
    if !settings.tuplesOnly { printLongHeader(table, to: output) }
    for row in table.rows where !output.isUnwanted {
      output.writeLine(
        row.map { "\\raggedright{\(Self.escaped($0))}" }.joined(separator: "\n&\n")
          + " \\tabularnewline")
      if settings.border >= 3 { output.writeLine(" \\hline") }
    }
    output.writeLine("\\end{longtable}")
  }

  private func printLongHeader(_ table: TextTable, to output: OutputStream) {
    let names = table.names.map { "\\small\\textbf{\\textit{\(Self.escaped($0))}}" }
      .joined(separator: " & ")
    let top = settings.border >= 2 ? "\\toprule\n" : ""
    output.writeLine("\(top)\(names) \\\\\n\\midrule\n\\endfirsthead")
    output.writeLine(
      "\(top)\(names) \\\\\n\(settings.border >= 3 ? "" : "\\midrule\n")\\endhead")
    if let title = table.title.map(Self.escaped) {
      let bottom = settings.border == 2 ? "\\bottomrule\n" : ""
      output.writeLine("\(bottom)\\caption[\(title) (Continued)]{\(title)}\n\\endfoot")
      output.writeLine("\(bottom)\\caption[\(title)]{\(title)}\n\\endlastfoot")
    } else if settings.border >= 2 {
      output.writeLine("\\bottomrule\n\\endfoot\n\\bottomrule\n\\endlastfoot")
    }
  }

  /// The text with what LaTeX would take for its own spelled out.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "#", "$", "%", "&", "_", "{", "}": result += "\\\(character)"
      case "<": result += "\\textless{}"
      case ">": result += "\\textgreater{}"
      case "\\": result += "\\textbackslash{}"
      case "^": result += "\\^{}"
      case "|": result += "\\textbar{}"
      case "~": result += "\\~{}"
      case "\n": result += "\\\\"
      default: result.append(character)
      }
    }
    return result
  }
}
