import Columnar
import Junction

/// Rows as INSERT statements, one a line.
struct InsertLayout {
  let settings: PrintSettings

  func print(_ result: ResultSet, to output: OutputStream) {
    let head = head(result.columns.map(\.name))
    for row in 0..<result.count where !output.isUnwanted {
      let values = result.columns.enumerated().map { index, column in
        guard let text = result.text(row: row, column: index) else { return "NULL" }
        switch column.type {
        case .boolean: return text == "t" ? "true" : "false"
        case .smallint, .integer, .bigint, .oid, .real, .double, .numeric:
          // NaN and the infinities are written as strings.
          let isNumber = text.last.map { $0.isASCII && $0.isNumber } ?? false
          return isNumber ? text : Self.quoted(text)
        case .json, .jsonb, .text, .varchar, .character, .name, .bytea, .date, .time, .timetz,
          .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .array, .record,
          .enumeration, .unknown, .void:
          return Self.quoted(text)
        }
      }
      output.writeLine(head + values.joined(separator: ", ") + ");")
    }
  }

  func print(_ table: TextTable, to output: OutputStream) {
    let head = head(table.names)
    for row in table.rows {
      output.writeLine(head + row.map(Self.quoted).joined(separator: ", ") + ");")
    }
  }

  private func head(_ names: [String]) -> String {
    let table = settings.insertTable.split(separator: ".").map { quotedName(String($0)) }
    return "INSERT INTO \(table.joined(separator: ".")) "
      + "(\(names.map(quotedName).joined(separator: ", "))) VALUES ("
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "''") + "'"
  }
}
