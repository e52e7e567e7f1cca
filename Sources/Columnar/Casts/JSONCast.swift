import Diagnostics

/// Casts between json, jsonb and plain values.
enum JSONCast {
  static func conversion(from source: LogicalType, to target: LogicalType) -> VectorCast? {
    switch (source, target) {
    case (.jsonb, .json): { (vector, _) in vector.retyped(.json) }
    case (.json, .jsonb):
      { (vector, context) throws(SQLError) in
        try TextParser(context).parse(vector.retyped(.text), as: ColumnType(.jsonb))
      }
    case (.jsonb, .boolean):
      { (vector, _) throws(SQLError) in
        try TextLoop.compute([vector], vector.count, .boolean) { row throws(SQLError) -> UInt8 in
          let text = Operand(vector).bytes(row)
          guard text.count > 0, text[0] == UInt8(ascii: "t") || text[0] == UInt8(ascii: "f") else {
            throw refused(text, target)
          }
          return UInt8(bit(text[0] == UInt8(ascii: "t")))
        }
      }
    case (.jsonb, .numeric), (.jsonb, .smallint), (.jsonb, .integer), (.jsonb, .bigint),
      (.jsonb, .real), (.jsonb, .double):
      number(to: target)
    case (.boolean, _), (.smallint, _), (.integer, _), (.bigint, _), (.real, _), (.double, _),
      (.numeric, _), (.text, _), (.varchar, _), (.character, _), (.name, _), (.bytea, _),
      (.date, _), (.time, _), (.timetz, _), (.timestamp, _), (.timestamptz, _), (.interval, _),
      (.bit, _), (.varbit, _), (.uuid, _), (.json, _), (.jsonb, _), (.oid, _), (.array, _),
      (.record, _), (.enumeration, _), (.unknown, _), (.void, _):
      nil
    }
  }

  private static func number(to target: LogicalType) -> VectorCast? {
    guard let narrow = try? castKernel(from: .numeric, to: ColumnType(target)) else { return nil }
    return { (vector, context) throws(SQLError) in
      let numbers = try TextLoop.compute([vector], vector.count, .numeric) {
        row throws(SQLError) -> Numeric in
        let text = Operand(vector).bytes(row)
        guard text.count > 0, isDigit(text[0]) || text[0] == UInt8(ascii: "-") else {
          throw refused(text, target)
        }
        return try Numeric.parse(text)
      }
      return try narrow([numbers], vector.count, context)
    }
  }

  private static func refused(_ text: TextBytes, _ target: LogicalType) -> SQLError {
    let kind = text.count > 0 ? JSONKind(text[0]) : .null
    let what =
      switch kind {
      case .object: "jsonb object"
      case .array: "jsonb array"
      case .string, .number, .boolean, .null: "jsonb \(kind.name)"
      }
    return SQLError(.invalidParameterValue, "cannot cast \(what) to type \(target.name)")
  }
}
