import Columnar
import Junction

/// Writes the values of a result one after another, straight from its vectors.
///
/// All bytes go into one buffer that is handed on when it is full: no value becomes a `String`.
struct FieldWriter {
  /// What stands around the values of a layout.
  struct Marks {
    var separator: [UInt8]
    var rowEnd: [UInt8]
    var null: [UInt8]
    /// Whether values are put in quotes where CSV needs it.
    var quotes: Bool
  }
  private let marks: Marks
  private var bytes = ByteBuilder(capacity: 1 << 17)
  private static let flushThreshold = 1 << 16

  init(_ marks: Marks) { self.marks = marks }

  /// Writes all rows; `before` stands in front of each but the first, and of that too if `leads`.
  ///
  /// - Complexity: O(bytes written).
  mutating func write(_ result: ResultSet, to output: OutputStream) {
    let formatter = result.formatter
    for chunk in result.chunks {
      for row in 0..<chunk.count {
        for column in chunk.columns.indices {
          if column > 0 { append(marks.separator) }
          appendField(row, chunk.columns[column], formatter)
        }
        append(marks.rowEnd)
        if output.isUnwanted { return }
        if bytes.count >= Self.flushThreshold { flush(to: output) }
      }
    }
    flush(to: output)
  }

  private mutating func append(_ text: [UInt8]) { for byte in text { bytes.append(byte) } }

  private mutating func flush(to output: OutputStream) {
    output.write(bytes.bytes)
    bytes.removeAll()
  }

  private mutating func appendField(_ row: Int, _ vector: Vector, _ formatter: TextFormatter) {
    guard vector.isValid(row) else {
      append(marks.null)
      return
    }
    let start = bytes.count
    formatter.append(row, of: vector, to: &bytes)
    // Numbers hold no comma, but what else may part fields.
    guard marks.quotes, !vector.type.isNumeric || marks.separator != [UInt8(ascii: ",")],
      needsQuotes(from: start)
    else { return }
    let field = bytes.bytes.slice(start..<bytes.count).array
    bytes.truncate(to: start)
    CSVQuoting.append(field, to: &bytes)
  }

  private func needsQuotes(from start: Int) -> Bool {
    CSVQuoting.isNeeded(
      bytes.bytes.slice(start..<bytes.count), separator: marks.separator)
  }
}

/// When a field of CSV stands in quotes, and how.
enum CSVQuoting {
  /// Whether the field holds a separator, a quote or a line end, or reads like the end of data.
  static func isNeeded(_ field: TextBytes, separator: [UInt8]) -> Bool {
    let mark = separator.first ?? UInt8(ascii: ",")
    for index in 0..<field.count {
      let byte = field[index]
      if byte == mark || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
      {
        return true
      }
    }
    if field.count == 2 && field[0] == UInt8(ascii: "\\") && field[1] == UInt8(ascii: ".") {
      return true
    }
    return false
  }

  /// Adds the field in quotes.
  static func append(_ field: [UInt8], to bytes: inout ByteBuilder) {
    bytes.append(UInt8(ascii: "\""))
    for byte in field {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

/// Comma-separated values, quoted by RFC 4180; NULL as the settings say, by default an empty field.
///
/// As in psql it is quoted like any value, so that a text may read the same.
struct CSVLayout {
  let settings: PrintSettings

  /// Between fields: what the settings say, or tabs.
  private var separator: [UInt8] {
    Array((settings.format == .tsv ? "\t" : settings.csvFieldSeparator).utf8)
  }

  private func field(_ text: String) -> [UInt8] {
    var plain = ByteBuilder()
    plain.append(text)
    guard CSVQuoting.isNeeded(plain.bytes, separator: separator) else {
      return Array(text.utf8)
    }
    var quoted = ByteBuilder()
    CSVQuoting.append(Array(text.utf8), to: &quoted)
    return quoted.bytes.array
  }

  func print(_ result: ResultSet, to output: OutputStream) {
    if settings.expanded == .on || settings.groupsDigits {
      print(TextTable(result, settings: settings), to: output)
      return
    }
    if !settings.tuplesOnly { printHeader(result.columns.map(\.name), to: output) }
    // Rows without columns are no lines.
    if result.columns.isEmpty { return }
    var writer = FieldWriter(
      FieldWriter.Marks(
        separator: separator, rowEnd: [UInt8(ascii: "\n")], null: field(settings.null),
        quotes: true))
    writer.write(result, to: output)
  }

  private func printHeader(_ names: [String], to output: OutputStream) {
    output.write(Array(names.map(field).joined(separator: separator)) + [UInt8(ascii: "\n")])
  }

  func print(_ table: TextTable, to output: OutputStream) {
    if settings.expanded == .on {
      for row in table.rows {
        for (name, value) in zip(table.names, row) {
          output.write(field(name) + separator + field(value) + [UInt8(ascii: "\n")])
        }
      }
      return
    }
    if !settings.tuplesOnly { printHeader(table.names, to: output) }
    for row in table.rows {
      output.write(Array(row.map(field).joined(separator: separator)) + [UInt8(ascii: "\n")])
    }
  }
}

/// psql's unaligned layout: values and separators, nothing else.
struct UnalignedLayout {
  let settings: PrintSettings

  func print(_ result: ResultSet, to output: OutputStream) {
    let record = Array(settings.recordSeparator.utf8)
    // The end of a record and the end of a line are the same byte but for unusual settings.
    guard settings.expanded != .on, !settings.groupsDigits, record == [UInt8(ascii: "\n")],
      !result.columns.isEmpty
    else {
      print(TextTable(result, settings: settings), to: output)
      return
    }
    if !settings.tuplesOnly {
      if let title = settings.title { output.writeLine(title) }
      output.writeLine(result.columns.map(\.name).joined(separator: settings.fieldSeparator))
    }
    var writer = FieldWriter(
      FieldWriter.Marks(
        separator: Array(settings.fieldSeparator.utf8), rowEnd: record,
        null: Array(settings.null.utf8), quotes: false))
    writer.write(result, to: output)
    if !settings.tuplesOnly && settings.footer { output.writeLine(rowCountFooter(result.count)) }
  }

  func print(_ table: TextTable, to output: OutputStream) {
    var parts: [String] = []
    if !settings.tuplesOnly, let title = table.title { parts.append(title) }
    if settings.expanded == .on {
      for (index, row) in table.rows.enumerated() {
        if index > 0 || !parts.isEmpty { parts.append("") }
        parts += zip(table.names, row).map { $0 + settings.fieldSeparator + $1 }
      }
      if !settings.tuplesOnly, let footers = table.footers, !footers.isEmpty {
        parts.append("")
        parts += footers
      }
    } else {
      if !settings.tuplesOnly {
        parts.append(table.names.joined(separator: settings.fieldSeparator))
      }
      parts += table.rows.map { $0.joined(separator: settings.fieldSeparator) }
      if !settings.tuplesOnly { parts += table.footerLines }
    }
    guard !parts.isEmpty else { return }
    output.write(parts.joined(separator: settings.recordSeparator))
    // Only a zero byte also ends the last record.
    output.write(settings.recordSeparator == "\0" ? "\0" : "\n")
  }
}
