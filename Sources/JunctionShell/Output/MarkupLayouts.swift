/// A Markdown table.
struct MarkdownLayout {
  func print(_ table: TextTable, to output: OutputStream) {
    func escaped(_ text: String) -> String {
      text.replacing("\\", with: "\\\\").replacing("|", with: "\\|")
        .replacing("\n", with: "<br>")
    }
    output.writeLine("| " + table.names.map(escaped).joined(separator: " | ") + " |")
    output.writeLine(
      "| " + table.isNumeric.map { $0 ? "---:" : "---" }.joined(separator: " | ") + " |")
    for row in table.rows where !output.isUnwanted {
      output.writeLine("| " + row.map(escaped).joined(separator: " | ") + " |")
    }
  }
}

/// An HTML table.
struct HTMLLayout {
  let settings: PrintSettings

  func print(_ table: TextTable, to output: OutputStream) {
    let attributes = settings.tableAttributes.map { " " + $0 } ?? ""
    output.writeLine("<table border=\"\(settings.border)\"\(attributes)>")
    if !settings.tuplesOnly, let title = table.title {
      output.writeLine("  <caption>\(Self.escaped(title))</caption>")
    }
    if settings.expanded == .on {
      printRecords(table, to: output)
    } else {
      printRows(table, to: output)
    }
    output.writeLine("</table>")
    let footers = settings.expanded == .on ? table.footers ?? [] : table.footerLines
    if !settings.tuplesOnly && !footers.isEmpty {
      output.write("<p>")
      for footer in footers { output.writeLine(Self.escaped(footer) + "<br />") }
      output.write("</p>")
    }
    output.writeLine("")
  }

  private func printRows(_ table: TextTable, to output: OutputStream) {
    if !settings.tuplesOnly {
      output.writeLine("  <tr>")
      for name in table.names {
        output.writeLine("    <th align=\"center\">\(Self.escaped(name))</th>")
      }
      output.writeLine("  </tr>")
    }
    for row in table.rows where !output.isUnwanted {
      output.writeLine("  <tr valign=\"top\">")
      for (value, isNumeric) in zip(row, table.isNumeric) {
        output.writeLine("    " + Self.cell(value, isNumeric))
      }
      output.writeLine("  </tr>")
    }
  }

  private func printRecords(_ table: TextTable, to output: OutputStream) {
    for (number, row) in table.rows.enumerated() where !output.isUnwanted {
      output.writeLine(
        settings.tuplesOnly
          ? "\n  <tr><td colspan=\"2\">&nbsp;</td></tr>"
          : "\n  <tr><td colspan=\"2\" align=\"center\">Record \(number + 1)</td></tr>")
      for (index, value) in row.enumerated() {
        output.writeLine(
          "  <tr valign=\"top\">\n    <th>\(Self.escaped(table.names[index]))</th>\n    "
            + Self.cell(value, table.isNumeric[index]) + "\n  </tr>")
      }
    }
  }

  /// A value; a cell of nothing but blanks keeps its place.
  private static func cell(_ value: String, _ isNumeric: Bool) -> String {
    let isBlank = value.allSatisfy { $0 == " " || $0 == "\t" }
    return "<td align=\"\(isNumeric ? "right" : "left")\">"
      + (isBlank ? "&nbsp; " : escaped(value)) + "</td>"
  }

  /// The text with what HTML would take for its own spelled out; blanks in front stay.
  static func escaped(_ text: String) -> String {
    let indent = text.prefix { $0 == " " }.count
    return String(repeating: "&nbsp;", count: indent)
      + text.dropFirst(indent).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
      .replacing("\n", with: "<br />\n")
  }
}

/// An AsciiDoc table.
struct AsciidocLayout {
  let settings: PrintSettings

  func print(_ table: TextTable, to output: OutputStream) {
    output.writeLine("")
    if !settings.tuplesOnly, let title = table.title { output.writeLine("." + title) }
    let frame =
      switch settings.border {
      case 0: ",frame=\"none\",grid=\"none\""
      case 1: ",frame=\"none\""
      default: ",frame=\"all\",grid=\"all\""
      }
    if settings.expanded == .on {
      output.writeLine("[cols=\"h,l\"\(frame)]\n|====")
      printRecords(table, to: output)
    } else {
      let columns = table.isNumeric.map { $0 ? ">l" : "<l" }.joined(separator: ",")
      let header = settings.tuplesOnly ? "" : "options=\"header\","
      output.writeLine("[\(header)cols=\"\(columns)\"\(frame)]\n|====")
      printRows(table, to: output)
    }
    output.writeLine("|====")
    let footers = settings.expanded == .on ? table.footers ?? [] : table.footerLines
    if !settings.tuplesOnly && !footers.isEmpty {
      output.writeLine("\n....\n" + footers.joined(separator: "\n") + "\n....")
    }
  }

  private func printRows(_ table: TextTable, to output: OutputStream) {
    if !settings.tuplesOnly {
      output.writeLine(table.names.map { "^l|" + Self.escaped($0) }.joined(separator: " "))
    }
    for row in table.rows where !output.isUnwanted {
      output.writeLine(
        row.enumerated().map { index, value in
          Self.isBlank(value)
            ? (index + 1 < row.count ? "| " : "|") : "|" + Self.escaped(value)
        }.joined(separator: " "))
    }
  }

  private func printRecords(_ table: TextTable, to output: OutputStream) {
    for (number, row) in table.rows.enumerated() where !output.isUnwanted {
      output.writeLine(settings.tuplesOnly ? "2+|" : "2+^|Record \(number + 1)")
      for (index, value) in row.enumerated() {
        output.writeLine(
          "<l|\(Self.escaped(table.names[index])) \(table.isNumeric[index] ? ">" : "<")l|"
            + (Self.isBlank(value) ? " " : Self.escaped(value)))
      }
    }
  }

  private static func isBlank(_ text: String) -> Bool {
    text.allSatisfy { $0 == " " || $0 == "\t" }
  }

  private static func escaped(_ text: String) -> String { text.replacing("|", with: "\\|") }
}

/// A table for troff's ms macros.
struct TroffLayout {
  let settings: PrintSettings

  func print(_ table: TextTable, to output: OutputStream) {
    if !settings.tuplesOnly, let title = table.title {
      output.writeLine(".LP\n.DS C\n\(Self.escaped(title))\n.DE")
    }
    output.writeLine(".LP\n.TS\n" + (settings.border >= 2 ? "center box;" : "center;"))
    if settings.expanded == .on {
      printRecords(table, to: output)
    } else {
      printRows(table, to: output)
    }
    output.writeLine(".TE\n.DS L")
    let footers = settings.expanded == .on ? table.footers ?? [] : table.footerLines
    if !settings.tuplesOnly {
      for footer in footers { output.writeLine(Self.escaped(footer)) }
    }
    output.writeLine(".DE")
  }

  private func printRows(_ table: TextTable, to output: OutputStream) {
    let separator = settings.border > 0 ? " | " : ""
    output.writeLine(
      table.isNumeric.map { $0 ? "r" : "l" }.joined(separator: separator) + ".")
    if !settings.tuplesOnly {
      output.writeLine(
        table.names.map { "\\fI\(Self.escaped($0))\\fP" }.joined(separator: "\t") + "\n_")
    }
    for row in table.rows where !output.isUnwanted {
      output.writeLine(row.map(Self.escaped).joined(separator: "\t"))
    }
  }

  private func printRecords(_ table: TextTable, to output: OutputStream) {
    if settings.tuplesOnly { output.writeLine("c l;") }
    for (number, row) in table.rows.enumerated() where !output.isUnwanted {
      if !settings.tuplesOnly {
        if settings.border >= 2 && number > 0 { output.writeLine("_") }
        if number > 0 { output.writeLine(".T&") }
        output.writeLine("c s.\n\\fIRecord \(number + 1)\\fP")
      }
      if settings.border >= 1 { output.writeLine("_") }
      if !settings.tuplesOnly {
        output.writeLine(".T&\n" + (settings.border == 1 ? "c | l." : "c l."))
      }
      for (name, value) in zip(table.names, row) {
        output.writeLine(Self.escaped(name) + "\t" + Self.escaped(value))
      }
    }
  }

  private static func escaped(_ text: String) -> String { text.replacing("\\", with: "\\(rs") }
}
