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
    output.writeLine("<table border=\"\(settings.border)\">")
    if !settings.tuplesOnly {
      if let title = table.title { output.writeLine("  <caption>\(Self.escaped(title))</caption>") }
      output.writeLine("  <tr>")
      for name in table.names {
        output.writeLine("    <th align=\"center\">\(Self.escaped(name))</th>")
      }
      output.writeLine("  </tr>")
    }
    for row in table.rows where !output.isUnwanted {
      output.writeLine("  <tr valign=\"top\">")
      for (value, isNumeric) in zip(row, table.isNumeric) {
        let align = isNumeric ? "right" : "left"
        output.writeLine("    <td align=\"\(align)\">\(Self.cell(value))</td>")
      }
      output.writeLine("  </tr>")
    }
    output.writeLine("</table>")
    let footers = table.footerLines
    if !settings.tuplesOnly && !footers.isEmpty {
      output.write("<p>")
      for footer in footers { output.writeLine(Self.escaped(footer) + "<br />") }
      output.writeLine("</p>")
    }
  }

  /// A value; a cell of nothing but blanks keeps its place.
  private static func cell(_ value: String) -> String {
    value.allSatisfy { $0 == " " } ? "&nbsp; " : escaped(value)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("\n", with: "<br />\n")
  }
}
