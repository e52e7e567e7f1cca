import Diagnostics

/// Writes values of any type as JSON, as `to_json` does.
struct JSONWriter {
  private let formatter: TextFormatter
  private var scratch = ByteBuilder()

  init(_ context: EvaluationContext) { formatter = TextFormatter(context) }

  init(_ formatter: TextFormatter) { self.formatter = formatter }

  /// Adds row `row` of a vector, `null` for NULL.
  mutating func append(_ row: Int, of vector: Vector, to output: inout ByteBuilder) {
    append(position: vector.position(row), of: vector, to: &output)
  }

  private mutating func append(
    position: Int, of vector: Vector, to output: inout ByteBuilder
  ) {
    guard vector.validity.isValid(position) else {
      output.append("null")
      return
    }
    switch vector.type {
    case .boolean: output.append(vector.values(UInt8.self)[position] != 0 ? "true" : "false")
    case .json, .jsonb: output.append(vector.values(TextView.self).bytes(at: position))
    case .array: appendList(position, of: vector, to: &output)
    case .record(let type): appendRecord(position, of: vector, type, to: &output)
    case .text, .varchar, .character, .name, .unknown:
      JSONText.append(quoting: vector.values(TextView.self).bytes(at: position), to: &output)
    default:
      scratch.removeAll()
      formatter.append(position, of: flat(vector), to: &scratch)
      appendScalar(vector.type, to: &output)
    }
  }

  /// The vector with positions for rows.
  private func flat(_ vector: Vector) -> Vector {
    if vector.form == .flat { return vector }
    return Vector(
      type: vector.type, count: vector.count, storage: vector.storage, validity: vector.validity,
      children: vector.children, heaps: vector.heaps)
  }

  /// Adds what stands in the scratch: numbers bare, all else between quotes, times with a T.
  private mutating func appendScalar(_ type: LogicalType, to output: inout ByteBuilder) {
    let bytes = scratch.bytes
    if type.isNumeric {
      let last = bytes.count > 0 ? bytes[bytes.count - 1] : 0
      // NaN and the infinities are no numbers of JSON.
      if isDigit(last) {
        output.append(bytes)
      } else {
        JSONText.append(quoting: bytes, to: &output)
      }
      return
    }
    guard type == .timestamp || type == .timestamptz,
      let space = bytes.firstIndex(of: 0x20), bytes[0] != 0x69, bytes[0] != 0x2D
    else {
      JSONText.append(quoting: bytes, to: &output)
      return
    }
    output.append(0x22)
    output.append(bytes.slice(0..<space))
    output.append(0x54)
    output.append(bytes.slice((space + 1)..<bytes.count))
    // An offset of whole hours is written with its minutes in JSON.
    if type == .timestamptz, bytes.count > 3,
      bytes[bytes.count - 3] == 0x2B || bytes[bytes.count - 3] == 0x2D
    {
      output.append(":00")
    }
    output.append(0x22)
  }

  private mutating func appendList(
    _ position: Int, of vector: Vector, to output: inout ByteBuilder
  ) {
    let slice = vector.values(ListSlice.self)[position]
    output.append(0x5B)
    for index in 0..<Int(slice.count) {
      if index > 0 { output.append(0x2C) }
      append(position: Int(slice.offset) + index, of: vector.children[0], to: &output)
    }
    output.append(0x5D)
  }

  private mutating func appendRecord(
    _ position: Int, of vector: Vector, _ type: RecordType, to output: inout ByteBuilder
  ) {
    output.append(0x7B)
    for (index, field) in vector.children.enumerated() {
      if index > 0 { output.append(0x2C) }
      let name = Buffer(Array(type.fields[index].name.utf8))
      withExtendedLifetime(name) {
        JSONText.append(quoting: name.bytes(0..<name.count), to: &output)
      }
      output.append(0x3A)
      append(position: position, of: field, to: &output)
    }
    output.append(0x7D)
  }

  /// Adds a row as the key of an object.
  ///
  /// - Throws: 22023 for NULL.
  mutating func append(
    key row: Int, of vector: Vector, nullMessage: String, to output: inout ByteBuilder
  ) throws(SQLError) {
    guard vector.isValid(row) else { throw SQLError(.invalidParameterValue, nullMessage) }
    scratch.removeAll()
    if vector.type == .boolean {
      scratch.append(
        vector.values(UInt8.self)[vector.position(row)] != 0 ? "true" : "false")
    } else {
      formatter.append(row, of: vector, to: &scratch)
    }
    JSONText.append(quoting: scratch.bytes, to: &output)
  }
}
