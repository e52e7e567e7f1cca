package import Diagnostics

/// Whether text is made by the rules of json, as given, or of jsonb, in its one canonical form.
package enum JSONStyle: Sendable {
  case json, jsonb

  /// The type of the text.
  package var type: LogicalType { self == .json ? .json : .jsonb }
}

/// Writes values of any type as JSON, as `to_json` and `to_jsonb` do.
struct JSONWriter {
  let style: JSONStyle
  private let formatter: TextFormatter

  init(_ style: JSONStyle, _ values: ValueStyle = ValueStyle()) {
    self.style = style
    formatter = TextFormatter(values)
  }

  init(_ style: JSONStyle, _ context: EvaluationContext) {
    self.style = style
    formatter = TextFormatter(context.style)
  }

  /// Adds row `row`, NULL as `null`.
  ///
  /// - Throws: 22P05 and 22003 for json that has no jsonb form.
  /// - Complexity: O(*n*) in the bytes added; no allocation but for json that becomes jsonb.
  func append(
    _ row: Int, of vector: Vector, _ shape: JSONShape, isPretty: Bool = false,
    to target: inout ByteBuilder
  ) throws(SQLError) {
    let position = vector.position(row)
    guard vector.validity.isValid(position) else {
      target.append("null")
      return
    }
    try append(position: position, of: vector, shape, isPretty, &target)
  }

  private func append(
    position: Int, of vector: Vector, _ shape: JSONShape, _ isPretty: Bool,
    _ target: inout ByteBuilder
  ) throws(SQLError) {
    switch shape.form {
    case .boolean, .int16, .int32, .int64:
      appendScalar(position, of: vector, shape, &target)
    case .numeric:
      let value = vector.numeric(at: position)
      let isQuoted = value.kind != .finite
      if isQuoted { target.append(UInt8(ascii: "\"")) }
      value.append(to: &target)
      if isQuoted { target.append(UInt8(ascii: "\"")) }
    case .float:
      let value = vector.values(Float.self)[position]
      let start = target.count
      target.append(float: value, extraDigits: formatter.style.extraFloatDigits)
      try finishNumber(from: start, isFinite: value.isFinite, &target)
    case .double:
      let value = vector.values(Double.self)[position]
      let start = target.count
      target.append(double: value, extraDigits: formatter.style.extraFloatDigits)
      try finishNumber(from: start, isFinite: value.isFinite, &target)
    case .text:
      JSONText.append(quoting: vector.values(TextView.self).bytes(at: position), to: &target)
    case .label:
      let label = self.label(position, of: vector, shape)
      JSONText.append(quoting: label.bytes(0..<label.count), to: &target)
    case .bytes:
      if formatter.style.escapesBytes {
        var text = ByteBuilder()
        appendScalar(position, of: vector, shape, &text)
        JSONText.append(quoting: text.bytes, to: &target)
      } else {
        // The backslash that begins the text of bytes is escaped.
        target.append("\"\\")
        appendScalar(position, of: vector, shape, &target)
        target.append(UInt8(ascii: "\""))
      }
    case .date, .timestamp, .timestamptz, .plainText:
      target.append(UInt8(ascii: "\""))
      appendScalar(position, of: vector, shape, &target)
      target.append(UInt8(ascii: "\""))
    case .json:
      let text = vector.values(TextView.self).bytes(at: position)
      if style == .json {
        target.append(text)
      } else {
        try JSONText.appendCanonical(text, to: &target)
      }
    case .jsonb: target.append(vector.values(TextView.self).bytes(at: position))
    case .array: try appendArray(position, of: vector, shape, isPretty, &target)
    case .record: try appendRecord(position, of: vector, shape, isPretty, &target)
    }
  }

  /// Ends a floating-point number: what is no number becomes a string, and jsonb has no exponents.
  private func finishNumber(
    from start: Int, isFinite: Bool, _ target: inout ByteBuilder
  ) throws(SQLError) {
    if isFinite && style == .json { return }
    let text = target.buffer.bytes(start..<target.count).array
    let copy = Buffer(text)
    // Text bytes do not keep the buffer alive that they point into.
    defer { withExtendedLifetime(copy) {} }
    target.truncate(to: start)
    if isFinite {
      try JSONNumber.appendPlain(copy.bytes(0..<text.count), to: &target)
    } else {
      JSONText.append(quoting: copy.bytes(0..<text.count), to: &target)
    }
  }

  private func label(_ position: Int, of vector: Vector, _ shape: JSONShape) -> Buffer<UInt8> {
    let index = Int(vector.values(Int32.self)[position])
    return shape.names.indices.contains(index) ? shape.names[index] : Buffer(uninitialized: 0)
  }

  /// Adds the text of a value that is neither nested nor text, without quotes.
  private func appendScalar(
    _ position: Int, of vector: Vector, _ shape: JSONShape, _ target: inout ByteBuilder
  ) {
    switch shape.form {
    case .boolean:
      target.append(vector.values(UInt8.self)[position] != 0 ? "true" : "false")
    case .int16: target.append(integer: Int64(vector.values(Int16.self)[position]))
    case .int32: target.append(integer: Int64(vector.values(Int32.self)[position]))
    case .int64: target.append(integer: vector.values(Int64.self)[position])
    case .date: DateTimeText.append(date: vector.values(Int32.self)[position], to: &target)
    case .timestamp:
      DateTimeText.append(
        timestamp: vector.values(Int64.self)[position], separator: UInt8(ascii: "T"), to: &target)
    case .timestamptz:
      DateTimeText.append(
        timestamptz: vector.values(Int64.self)[position], zone: formatter.style.zone,
        separator: UInt8(ascii: "T"), isJSON: true, to: &target)
    case .float, .double, .numeric, .text, .plainText, .label, .bytes, .json, .jsonb, .array,
      .record:
      formatter.append(position: position, of: vector, to: &target)
    }
  }

  /// Adds the plain characters of the key that a value is in an object.
  ///
  /// - Throws: 22023 for a type of which no key can be made.
  func appendKey(
    _ row: Int, of vector: Vector, _ shape: JSONShape, to target: inout ByteBuilder
  ) throws(SQLError) {
    if shape.isNested {
      throw SQLError(
        .invalidParameterValue, "key value must be scalar, not array, composite, or json")
    }
    let position = vector.position(row)
    if shape.form == .float || shape.form == .double {
      let start = target.count
      try append(position: position, of: vector, shape, false, &target)
      guard target.buffer[start] == UInt8(ascii: "\"") else { return }
      // A number that is none stands between quotes.
      target.truncate(to: start)
      formatter.append(position: position, of: vector, to: &target)
    } else {
      appendScalar(position, of: vector, shape, &target)
    }
  }

  private func appendArray(
    _ position: Int, of vector: Vector, _ shape: JSONShape, _ isPretty: Bool,
    _ target: inout ByteBuilder
  ) throws(SQLError) {
    let slice = vector.values(ListSlice.self)[position]
    let elements = vector.children[0]
    target.append(UInt8(ascii: "["))
    for index in 0..<Int(slice.count) {
      if index > 0 { appendSeparator(isPretty, &target) }
      try append(Int(slice.offset) &+ index, of: elements, shape.children[0], to: &target)
    }
    target.append(UInt8(ascii: "]"))
  }

  private func appendRecord(
    _ position: Int, of vector: Vector, _ shape: JSONShape, _ isPretty: Bool,
    _ target: inout ByteBuilder
  ) throws(SQLError) {
    target.append(UInt8(ascii: "{"))
    let isSorted = style == .jsonb
    let count = isSorted ? shape.sortedFields.count : shape.children.count
    for index in 0..<count {
      let field = isSorted ? shape.sortedFields[index] : index
      if index > 0 { appendSeparator(isPretty, &target) }
      let name = shape.names[field]
      target.append(name.bytes(0..<name.count))
      target.append(UInt8(ascii: ":"))
      if isSorted { target.append(UInt8(ascii: " ")) }
      try append(position, of: vector.children[field], shape.children[field], to: &target)
    }
    target.append(UInt8(ascii: "}"))
  }

  private func appendSeparator(_ isPretty: Bool, _ target: inout ByteBuilder) {
    target.append(UInt8(ascii: ","))
    if isPretty {
      target.append("\n ")
    } else if style == .jsonb {
      target.append(UInt8(ascii: " "))
    }
  }
}

/// Writes the values of one type as json.
package struct JSONFieldWriter: Sendable {
  private let writer: JSONWriter
  private let shape: JSONShape

  package init(_ type: LogicalType, _ context: EvaluationContext) {
    writer = JSONWriter(.json, context)
    shape = JSONShape(type)
  }

  /// Adds row `row`, NULL as `null`, as a field of an object.
  ///
  /// - Throws: 54001 for json within other values that is nested too deeply.
  package func append(
    _ row: Int, of vector: Vector, to target: inout ByteBuilder
  ) throws(SQLError) {
    let start = target.count
    try writer.append(row, of: vector, shape, to: &target)
    if target.count > start + JSONText.depthMax {
      try JSONText.checkDepth(target.buffer.bytes(start..<target.count), within: 1)
    }
  }
}
