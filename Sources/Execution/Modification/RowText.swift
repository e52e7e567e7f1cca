import Columnar

/// Values as their types' output shows them, for the details of errors.
enum RowText {
  static func string(_ column: Vector, _ row: Int) -> String {
    string(column.value(at: row), column.type)
  }

  private static func string(_ value: Value, _ type: LogicalType) -> String {
    switch value {
    case .null: return "null"
    case .boolean(let value): return value ? "t" : "f"
    case .int16(let value): return String(value)
    case .int32(let value):
      if case .enumeration(let enumeration) = type, Int(value) < enumeration.labels.count {
        return enumeration.labels[Int(value)]
      }
      return String(value)
    case .int64(let value): return String(value)
    case .float(let value): return "\(value)"
    case .double(let value): return "\(value)"
    case .text(let bytes): return String(decoding: bytes, as: UTF8.self)
    default: return "\(value)"
    }
  }
}
