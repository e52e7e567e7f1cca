import Columnar
import Junction

/// Comma-separated values, quoted by RFC 4180; NULL as the settings say, by default an empty field.
struct CSVLayout {
  let settings: PrintSettings

  func print(_ result: ResultSet, to output: OutputStream) {
    // A result without columns prints nothing at all, as psql does.
    if result.columns.isEmpty { return }
    let separator = Array(settings.csvFieldSeparator.utf8)
    if !settings.tuplesOnly {
      var line: [UInt8] = []
      for (index, column) in result.columns.enumerated() {
        if index > 0 { line += separator }
        Self.append(Array(column.name.utf8), separator: separator, to: &line)
      }
      line.append(UInt8(ascii: "\n"))
      output.write(line)
    }
    let null = Array(settings.null.utf8)
    var line: [UInt8] = []
    var field = ByteBuilder()
    for row in 0..<result.count {
      line.removeAll(keepingCapacity: true)
      for column in result.columns.indices {
        if column > 0 { line += separator }
        field.removeAll()
        if result.appendText(row: row, column: column, to: &field) {
          let bytes = field.bytes.array
          // A text that reads like the NULL marker is quoted, so that the two stay apart.
          if !null.isEmpty && bytes == null {
            line.append(UInt8(ascii: "\""))
            line += bytes
            line.append(UInt8(ascii: "\""))
          } else {
            Self.append(bytes, separator: separator, to: &line)
          }
        } else {
          line += null
        }
      }
      line.append(UInt8(ascii: "\n"))
      output.write(line)
    }
  }

  /// Adds one field, in quotes where it holds a separator, a quote or a line end.
  static func append(_ bytes: [UInt8], separator: [UInt8], to line: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let needsQuotes =
      bytes == [UInt8(ascii: "\\"), UInt8(ascii: ".")]
      || bytes.contains { byte in
        byte == quote || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
          || separator.first == byte
      }
    guard needsQuotes else {
      line += bytes
      return
    }
    line.append(quote)
    for byte in bytes {
      if byte == quote { line.append(quote) }
      line.append(byte)
    }
    line.append(quote)
  }
}

/// psql's unaligned layout: values and separators, nothing else.
struct UnalignedLayout {
  let settings: PrintSettings

  func print(_ result: ResultSet, to output: OutputStream) {
    let table = TextTable(result, null: settings.null)
    var lines: [String] = []
    if settings.expanded == .on {
      for (index, row) in table.rows.enumerated() {
        if index > 0 { lines.append("") }
        for (name, value) in zip(table.names, row) {
          lines.append(name + settings.fieldSeparator + value)
        }
      }
    } else {
      if !settings.tuplesOnly {
        lines.append(table.names.joined(separator: settings.fieldSeparator))
      }
      for row in table.rows { lines.append(row.joined(separator: settings.fieldSeparator)) }
      if !settings.tuplesOnly && settings.footer { lines.append(rowCountFooter(result.count)) }
    }
    guard !lines.isEmpty else { return }
    output.write(lines.joined(separator: settings.recordSeparator))
    output.write("\n")
  }
}

/// An array of objects, one row a line; numbers, booleans and json values bare.
struct JSONLayout {
  func print(_ result: ResultSet, to output: OutputStream) {
    output.write("[")
    for row in 0..<result.count {
      output.write(row == 0 ? "" : ",\n ")
      output.write("{")
      for (index, column) in result.columns.enumerated() {
        if index > 0 { output.write(", ") }
        output.write(Self.quoted(column.name))
        output.write(": ")
        output.write(Self.value(of: result, row: row, column: index))
      }
      output.write("}")
    }
    output.write("]\n")
  }

  private static func value(of result: ResultSet, row: Int, column: Int) -> String {
    let type = result.columns[column].typeName
    switch result.value(row: row, column: column) {
    case .null: return "null"
    case .boolean(let value): return value ? "true" : "false"
    case .integer(let value): return String(value)
    case .double(let value) where !value.isFinite: return quoted(String(value))
    case .double, .bytes, .text:
      let text = result.text(row: row, column: column) ?? ""
      if type == "json" || type == "jsonb" { return text }
      if result.columns[column].isNumeric && text != "NaN" && !text.hasSuffix("Infinity") {
        return text
      }
      return quoted(text)
    }
  }

  /// A JSON string.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// A Markdown table.
struct MarkdownLayout {
  let settings: PrintSettings

  func print(_ result: ResultSet, to output: OutputStream) {
    let table = TextTable(result, null: settings.null)
    func escaped(_ text: String) -> String {
      text.replacing("|", with: "\\|").replacing("\n", with: "<br>")
    }
    output.writeLine("| " + table.names.map(escaped).joined(separator: " | ") + " |")
    output.writeLine(
      "| " + table.isNumeric.map { $0 ? "---:" : "---" }.joined(separator: " | ") + " |")
    for row in table.rows {
      output.writeLine("| " + row.map(escaped).joined(separator: " | ") + " |")
    }
  }
}

/// An HTML table.
struct HTMLLayout {
  let settings: PrintSettings

  func print(_ result: ResultSet, to output: OutputStream) {
    let table = TextTable(result, null: settings.null)
    func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
    output.writeLine("<table border=\"\(settings.border)\">")
    if !settings.tuplesOnly {
      output.writeLine("  <tr>")
      for name in table.names {
        output.writeLine("    <th align=\"center\">\(escaped(name))</th>")
      }
      output.writeLine("  </tr>")
    }
    for row in table.rows {
      output.writeLine("  <tr valign=\"top\">")
      for (value, isNumeric) in zip(row, table.isNumeric) {
        let align = isNumeric ? "right" : "left"
        output.writeLine("    <td align=\"\(align)\">\(escaped(value))</td>")
      }
      output.writeLine("  </tr>")
    }
    output.writeLine("</table>")
    if !settings.tuplesOnly && settings.footer {
      output.writeLine("<p>\(rowCountFooter(result.count))<br />\n</p>")
    }
  }
}
