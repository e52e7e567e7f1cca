import Columnar
import Diagnostics
import Junction

/// An array of objects, one row a line; numbers, booleans and json values bare, arrays and rows as such.
struct JSONLayout {
  /// How a column's values stand in JSON.
  private enum Spelling {
    case bare, boolean, number, quoted
    /// Arrays and rows, which a function of the engine writes.
    case nested(ScalarKernel)
  }

  func print(_ result: ResultSet, to output: OutputStream) {
    let keys = result.columns.enumerated().map { index, column in
      Array(((index > 0 ? ", " : "") + JSONText.quoted(column.name) + ": ").utf8)
    }
    let spellings = result.columns.map { column -> Spelling in
      switch column.type {
      case .smallint, .integer, .bigint, .oid, .json, .jsonb: .bare
      case .boolean: .boolean
      case .real, .double, .numeric: .number
      case .text, .varchar, .character, .name, .bytea, .date, .time, .timetz, .timestamp,
        .timestamptz, .interval, .bit, .varbit, .uuid, .enumeration, .unknown, .void:
        .quoted
      case .array, .record: .nested(JSONBuilding.convert(column.type, .json))
      }
    }
    var bytes = ByteBuilder(capacity: 1 << 17)
    var value = ByteBuilder()
    let formatter = result.formatter
    bytes.append("[")
    var isFirst = true
    let context = EvaluationContext(
      transactionTime: 0, statementTime: 0, style: formatter.style)
    for chunk in result.chunks {
      let columns = zip(chunk.columns, spellings).map { vector, spelling in
        Self.written(vector, spelling, chunk.count, context)
      }
      for row in 0..<chunk.count {
        bytes.append(isFirst ? "{" : ",\n {")
        isFirst = false
        for (column, vector) in columns.enumerated() {
          for byte in keys[column] { bytes.append(byte) }
          guard vector.isValid(row) else {
            bytes.append("null")
            continue
          }
          value.removeAll()
          formatter.append(row, of: vector, to: &value)
          Self.append(value.bytes, spellings[column], to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        if output.isUnwanted { return }
        if bytes.count >= Self.flushThreshold {
          output.write(bytes.bytes)
          bytes.removeAll()
        }
      }
    }
    bytes.append("]\n")
    output.write(bytes.bytes)
  }

  private static let flushThreshold = 1 << 16

  /// The column with arrays and rows as texts of JSON; as it is if it has none, or if they cannot be written.
  private static func written(
    _ vector: Vector, _ spelling: Spelling, _ count: Int, _ context: EvaluationContext
  ) -> Vector {
    guard case .nested(let kernel) = spelling else { return vector }
    return (try? kernel([vector], count, context)) ?? vector
  }

  private static func append(
    _ value: TextBytes, _ spelling: Spelling, to bytes: inout ByteBuilder
  ) {
    switch spelling {
    case .bare, .nested: bytes.append(value)
    case .boolean: bytes.append(value[0] == UInt8(ascii: "t") ? "true" : "false")
    case .number:
      // NaN and the infinities are no numbers of JSON.
      let last = value[value.count - 1]
      if last >= UInt8(ascii: "0") && last <= UInt8(ascii: "9") {
        bytes.append(value)
      } else {
        JSONText.append(quoting: value, to: &bytes)
      }
    case .quoted: JSONText.append(quoting: value, to: &bytes)
    }
  }

  func print(_ table: TextTable, to output: OutputStream) {
    let rows = table.rows.map { row in
      "{"
        + zip(table.names, row).map { JSONText.quoted($0) + ": " + JSONText.quoted($1) }
        .joined(separator: ", ") + "}"
    }
    output.write("[" + rows.joined(separator: ",\n ") + "]\n")
  }
}
