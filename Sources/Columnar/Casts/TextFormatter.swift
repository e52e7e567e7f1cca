package import Diagnostics

/// Writes values as PostgreSQL's output functions do: what a client sees.
package struct TextFormatter: Sendable {
  /// How a session wants values to be written.
  package let style: ValueStyle

  package init(_ style: ValueStyle = ValueStyle()) { self.style = style }

  /// The formatter of a statement.
  package init(_ context: EvaluationContext) { self.init(context.style) }

  /// Adds the text of row `row`, which must not be NULL.
  package func append(_ row: Int, of vector: Vector, to target: inout ByteBuilder) {
    append(position: vector.position(row), of: vector, to: &target)
  }

  /// The same for the value at a position.
  func append(position: Int, of vector: Vector, to target: inout ByteBuilder) {
    switch vector.type {
    case .boolean:
      target.append(
        vector.values(UInt8.self)[position] != 0 ? UInt8(ascii: "t") : UInt8(ascii: "f"))
    case .smallint: target.append(integer: Int64(vector.values(Int16.self)[position]))
    case .integer: target.append(integer: Int64(vector.values(Int32.self)[position]))
    case .bigint, .oid: target.append(integer: vector.values(Int64.self)[position])
    case .real:
      target.append(
        float: vector.values(Float.self)[position], extraDigits: style.extraFloatDigits)
    case .double:
      target.append(
        double: vector.values(Double.self)[position], extraDigits: style.extraFloatDigits)
    case .numeric: vector.numeric(at: position).append(to: &target)
    case .date:
      DateTimeText.append(
        date: vector.values(Int32.self)[position], style.dates, style.order, to: &target)
    case .time: DateTimeText.append(time: vector.values(Int64.self)[position], to: &target)
    case .timetz:
      let value = TimeWithZone(rawValue: vector.values(Int64.self)[position])
      DateTimeText.append(time: value.time, to: &target)
      DateTimeText.append(offset: value.offset, withMinutes: false, to: &target)
    case .timestamp:
      DateTimeText.append(
        timestamp: vector.values(Int64.self)[position], style.dates, style.order, to: &target)
    case .timestamptz:
      DateTimeText.append(
        timestamptz: vector.values(Int64.self)[position], zone: style.zone, style.dates,
        style.order, to: &target)
    case .interval:
      IntervalText.append(vector.values(Interval.self)[position], style.intervals, to: &target)
    case .uuid: vector.values(UUIDValue.self)[position].append(to: &target)
    case .enumeration(let type):
      let index = Int(vector.values(Int32.self)[position])
      target.append(type.labels.indices.contains(index) ? type.labels[index] : "")
    case .bytea:
      let bytes = vector.values(TextView.self).bytes(at: position)
      if style.escapesBytes {
        Self.append(escaped: bytes, to: &target)
      } else {
        Self.append(hex: bytes, to: &target)
      }
    case .text, .varchar, .character, .name, .json, .jsonb, .bit, .varbit, .unknown, .void:
      target.append(vector.values(TextView.self).bytes(at: position))
    case .array: appendArray(position, of: vector, to: &target)
    case .record: appendRecord(position, of: vector, to: &target)
    }
  }

  /// Adds bytes as `\x0afe`.
  static func append(hex bytes: TextBytes, to target: inout ByteBuilder) {
    target.append("\\x")
    for index in 0..<bytes.count { target.append(hex: UInt64(bytes[index]), width: 2) }
  }

  /// Adds bytes as characters, those that cannot be seen in octal digits: `a\000\\`.
  static func append(escaped bytes: TextBytes, to target: inout ByteBuilder) {
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\\") {
        target.append("\\\\")
      } else if byte < 0x20 || byte > 0x7E {
        target.append(UInt8(ascii: "\\"))
        for shift in [UInt8(6), 3, 0] { target.append(48 | (byte >> shift & 7)) }
      } else {
        target.append(byte)
      }
    }
  }

  private func appendArray(_ position: Int, of vector: Vector, to target: inout ByteBuilder) {
    let slice = vector.values(ListSlice.self)[position]
    let elements = vector.children[0]
    target.append(UInt8(ascii: "{"))
    for index in 0..<Int(slice.count) {
      if index > 0 { target.append(UInt8(ascii: ",")) }
      let element = Int(slice.offset) + index
      guard elements.isValid(element) else {
        target.append("NULL")
        continue
      }
      let start = target.count
      append(element, of: elements, to: &target)
      if case .array = elements.type { continue }
      Self.quoteElement(from: start, in: &target)
    }
    target.append(UInt8(ascii: "}"))
  }

  /// Puts an array's element between quotes if it needs them.
  private static func quoteElement(from start: Int, in target: inout ByteBuilder) {
    let length = target.count - start
    let bytes = target.buffer.bytes(start..<target.count)
    var needsQuotes = length == 0 || bytes.matches("null")
    for index in 0..<length {
      let byte = bytes[index]
      if byte == 34 || byte == 92 || byte == 123 || byte == 125 || byte == 44 || isSpace(byte) {
        needsQuotes = true
      }
    }
    if needsQuotes { quote(from: start, in: &target, doubling: false) }
  }

  /// Quotes what was added from `start` on; quotes and backslashes in it are doubled, or escaped.
  private static func quote(from start: Int, in target: inout ByteBuilder, doubling: Bool) {
    let content = target.buffer.bytes(start..<target.count).array
    target.truncate(to: start)
    target.append(UInt8(ascii: "\""))
    for byte in content {
      if byte == 34 || byte == 92 { target.append(doubling ? byte : 92) }
      target.append(byte)
    }
    target.append(UInt8(ascii: "\""))
  }

  private func appendRecord(_ position: Int, of vector: Vector, to target: inout ByteBuilder) {
    target.append(UInt8(ascii: "("))
    for (index, field) in vector.children.enumerated() {
      if index > 0 { target.append(UInt8(ascii: ",")) }
      guard field.isValid(position) else { continue }
      let start = target.count
      append(position, of: field, to: &target)
      let bytes = target.buffer.bytes(start..<target.count)
      var needsQuotes = bytes.count == 0
      for place in 0..<bytes.count {
        let byte = bytes[place]
        if byte == 34 || byte == 92 || byte == 40 || byte == 41 || byte == 44 || isSpace(byte) {
          needsQuotes = true
        }
      }
      if needsQuotes { Self.quote(from: start, in: &target, doubling: true) }
    }
    target.append(UInt8(ascii: ")"))
  }

  /// The texts of a whole vector, of the string type `type`; NULL stays NULL.
  ///
  /// - Throws: nothing of its own; the loops it shares may.
  package func texts(of vector: Vector, as type: LogicalType = .text) throws(SQLError) -> Vector {
    let source = vector.normalized()
    let rows = source.form == .constant ? min(source.count, 1) : source.count
    let result: Vector
    switch source.type {
    case .boolean:
      result = try TextLoop.build(rows, type, source.validity) { row, output in
        output.append(source.values(UInt8.self)[row] != 0 ? "true" : "false")
      }
    case .smallint:
      let values = source.values(Int16.self)
      result = try TextLoop.build(rows, type, source.validity) { row, output in
        output.append(integer: Int64(values[row]))
      }
    case .integer:
      let values = source.values(Int32.self)
      result = try TextLoop.build(rows, type, source.validity) { row, output in
        output.append(integer: Int64(values[row]))
      }
    case .bigint, .oid:
      let values = source.values(Int64.self)
      result = try TextLoop.build(rows, type, source.validity) { row, output in
        output.append(integer: values[row])
      }
    case .double:
      let values = source.values(Double.self)
      result = try TextLoop.build(rows, type, source.validity) { row, output in
        output.append(double: values[row], extraDigits: style.extraFloatDigits)
      }
    case .numeric:
      let values = source.values(Numeric.self)
      result = try TextLoop.build(rows, type, source.validity) { row, output in
        values[row].append(to: &output)
      }
    case .date:
      let values = source.values(Int32.self)
      result = try TextLoop.build(rows, type, source.validity) { row, output in
        DateTimeText.append(date: values[row], style.dates, style.order, to: &output)
      }
    case .timestamp:
      let values = source.values(Int64.self)
      result = try TextLoop.build(rows, type, source.validity) { row, output in
        DateTimeText.append(timestamp: values[row], style.dates, style.order, to: &output)
      }
    case .real, .text, .varchar, .character, .name, .bytea, .time, .timetz, .timestamptz, .interval,
      .bit, .varbit, .uuid, .json, .jsonb, .array, .record, .enumeration, .unknown, .void:
      result = try TextLoop.build(rows, type, source.validity) { (row, output) throws(SQLError) in
        try checkLength(row, of: source)
        append(position: row, of: source, to: &output)
      }
    }
    guard source.form == .constant else { return result }
    return Vector(
      type: type, count: source.count, form: .constant, storage: result.storage,
      validity: result.validity, heaps: result.heaps)
  }
}

extension Value {
  /// The value's output text, empty for NULL; for edges.
  package func text(of type: LogicalType, style: ValueStyle = ValueStyle()) -> String {
    if isNull { return "" }
    var builder = ByteBuilder()
    TextFormatter(style).append(0, of: Vector(type, [self]), to: &builder)
    return builder.string
  }
}
