package import Diagnostics

/// Reads values from text as PostgreSQL's input functions do.
package struct TextParser: Sendable {
  let dates: DateTimeParser

  package init(_ dates: DateTimeParser = DateTimeParser()) { self.dates = dates }

  /// The parser of a statement.
  package init(_ context: EvaluationContext) { self.init(DateTimeParser(context)) }

  /// The values that a vector of texts spells; NULL stays NULL.
  ///
  /// `isExplicit` lets `varchar(n)` and `char(n)` cut what is too long, as an explicit cast does.
  /// - Throws: 22P02, 22003, 22007, 22008, 22001 and so on, with the message of the type's input function.
  package func parse(_ texts: Vector, as column: ColumnType, isExplicit: Bool = false)
    throws(SQLError) -> Vector
  {
    let source = texts.normalized()
    let parsed = try parseUnmodified(source, column.type, column.modifier)
    return try LengthCast.apply(column.modifier, to: parsed, isExplicit: isExplicit)
  }

  private func parseUnmodified(_ source: Vector, _ type: LogicalType, _ modifier: TypeModifier)
    throws(SQLError) -> Vector
  {
    switch type {
    case .text, .varchar, .character, .unknown, .void: return source.retyped(type)
    case .name: return try LengthCast.name(source)
    case .smallint:
      return try map(source, type) { text throws(SQLError) in
        try NumberText.integer(text, "smallint", Int16.self)
      }
    case .integer:
      return try map(source, type) { text throws(SQLError) in
        try NumberText.integer(text, "integer", Int32.self)
      }
    case .bigint:
      return try map(source, type) { text throws(SQLError) in
        try NumberText.integer(text, "bigint", Int64.self)
      }
    case .oid:
      return try map(source, type) { text throws(SQLError) in try Self.oid(text) }
    case .real:
      return try map(source, type) { text throws(SQLError) in try NumberText.float(text) }
    case .double:
      return try map(source, type) { text throws(SQLError) in try NumberText.double(text) }
    case .numeric:
      return try map(source, type) { text throws(SQLError) in try Numeric.parse(text) }
    case .boolean:
      return try map(source, type) { text throws(SQLError) in
        UInt8(bit(try NumberText.boolean(text)))
      }
    case .date:
      return try map(source, type) { text throws(SQLError) in try dates.date(text) }
    case .time:
      return try map(source, type) { text throws(SQLError) in try dates.time(text) }
    case .timetz:
      return try map(source, type) { text throws(SQLError) in try dates.timetz(text) }
    case .bit, .varbit:
      return try build(source, type) { text, output throws(SQLError) in
        try BitStrings.append(text, to: &output)
      }
    case .timestamp:
      return try map(source, type) { text throws(SQLError) in try dates.timestamp(text) }
    case .timestamptz:
      return try map(source, type) { text throws(SQLError) in try dates.timestamptz(text) }
    case .interval:
      var range: IntervalRange?
      if case .interval(let fields, _) = modifier { range = fields }
      return try map(source, type) { text throws(SQLError) in
        try IntervalParser.parse(text, range: range, style: dates.intervals)
      }
    case .uuid:
      return try map(source, type) { text throws(SQLError) in try UUIDValue.parse(text) }
    case .enumeration(let labels): return try parseLabels(source, labels)
    case .json:
      _ = try map(source, .boolean) { text throws(SQLError) in
        try JSONText.validate(text)
        return UInt8(1)
      }
      return source.retyped(.json)
    case .jsonb:
      return try build(source, type) { text, output throws(SQLError) in
        try JSONText.appendCanonical(text, to: &output)
      }
    case .bytea:
      return try build(source, type) { text, output throws(SQLError) in
        try Self.appendBytes(text, to: &output)
      }
    case .array, .record: return try parseNested(source, ColumnType(type, modifier))
    }
  }

  @inline(__always)
  private func map<Result: BitwiseCopyable>(
    _ source: Vector, _ type: LogicalType, _ body: (TextBytes) throws(SQLError) -> Result
  ) throws(SQLError) -> Vector {
    let rows = source.form == .constant ? min(source.count, 1) : source.count
    let result = Buffer<Result>(zeroed: rows)
    let values = source.values(TextView.self)
    if source.validity.isAllValid {
      for row in 0..<rows { result[row] = try body(values.bytes(at: row)) }
    } else {
      for row in 0..<rows where source.validity.isValid(row) {
        result[row] = try body(values.bytes(at: row))
      }
    }
    return Vector(
      type: type, count: source.count, form: source.form, storage: result.block,
      validity: source.validity)
  }

  @inline(__always)
  private func build(
    _ source: Vector, _ type: LogicalType,
    _ body: (TextBytes, inout ByteBuilder) throws(SQLError) -> Void
  ) throws(SQLError) -> Vector {
    let rows = source.form == .constant ? min(source.count, 1) : source.count
    let values = source.values(TextView.self)
    let result = try TextLoop.build(rows, type, source.validity) { row, output throws(SQLError) in
      try body(values.bytes(at: row), &output)
    }
    return Vector(
      type: type, count: source.count, form: source.form, storage: result.storage,
      validity: result.validity, heaps: result.heaps)
  }

  private func parseLabels(_ source: Vector, _ type: EnumerationType) throws(SQLError) -> Vector {
    var places: [[UInt8]: Int32] = [:]
    for (index, label) in type.labels.enumerated() { places[Array(label.utf8)] = Int32(index) }
    return try map(source, .enumeration(type)) { text throws(SQLError) in
      guard let place = places[text.array] else {
        throw SQLError(
          .invalidTextRepresentation,
          "invalid input value for enum \(type.name): \"\(text.string)\"")
      }
      return place
    }
  }

  private func parseNested(_ source: Vector, _ column: ColumnType) throws(SQLError) -> Vector {
    let rows = source.form == .constant ? min(source.count, 1) : source.count
    var builder = VectorBuilder(column.type, capacity: max(rows, 1))
    let values = source.values(TextView.self)
    for row in 0..<rows {
      if source.validity.isValid(row) {
        builder.append(try value(values.bytes(at: row), column.type))
      } else {
        builder.appendNull()
      }
    }
    let result = builder.finish()
    guard source.form == .constant else { return result }
    return Vector(
      type: column.type, count: source.count, form: .constant, storage: result.storage,
      validity: result.validity, children: result.children, heaps: result.heaps)
  }

  /// One value; for constants and what lies inside arrays and records.
  ///
  /// - Throws: as `parse`.
  package func value(_ text: TextBytes, _ type: LogicalType) throws(SQLError) -> Value {
    switch type {
    case .array(let element): return try NestedText.array(text, element, self)
    case .record(let record): return try NestedText.record(text, record, self)
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .enumeration, .unknown, .void:
      let views = Buffer<TextView>(repeating: TextView(referring: text), count: 1)
      return try parse(Vector(.text, views, count: 1), as: ColumnType(type)).value(at: 0)
    }
  }

  private static func oid(_ text: TextBytes) throws(SQLError) -> Int64 {
    let value = try NumberText.integer(text, "oid", Int64.self)
    guard value >= -2_147_483_648 && value <= 4_294_967_295 else {
      throw SQLError(.numericOutOfRange, "value \"\(text.string)\" is out of range for type oid")
    }
    return Int64(UInt32(truncatingIfNeeded: value))
  }

  /// Adds the bytes that `\x0afe` or the escape form stands for.
  ///
  /// - Throws: 22023, 22P02.
  static func appendBytes(_ text: TextBytes, to target: inout ByteBuilder) throws(SQLError) {
    guard text.count >= 2 && text[0] == 92 && text[1] == UInt8(ascii: "x") else {
      return try appendEscaped(text, to: &target)
    }
    var position = 2
    while position < text.count {
      if isSpace(text[position]) {
        position += 1
        continue
      }
      guard let high = hexDigit(text[position]) else { throw badHex(text, position) }
      guard position + 1 < text.count else {
        throw SQLError(.invalidParameterValue, "invalid hexadecimal data: odd number of digits")
      }
      guard let low = hexDigit(text[position + 1]) else { throw badHex(text, position + 1) }
      target.append(high << 4 | low)
      position += 2
    }
  }

  private static func badHex(_ text: TextBytes, _ position: Int) -> SQLError {
    let rest = text.slice(position..<text.count).string
    return SQLError(
      .invalidParameterValue,
      "invalid hexadecimal digit: \"\(rest.unicodeScalars.first.map(String.init) ?? "")\"")
  }

  private static func appendEscaped(_ text: TextBytes, to target: inout ByteBuilder)
    throws(SQLError)
  {
    var position = 0
    while position < text.count {
      let byte = text[position]
      if byte != 92 {
        target.append(byte)
        position += 1
      } else if position + 1 < text.count && text[position + 1] == 92 {
        target.append(92)
        position += 2
      } else if position + 3 < text.count, text[position + 1] &- 48 < 4,
        text[position + 2] &- 48 < 8, text[position + 3] &- 48 < 8
      {
        target.append(
          (text[position + 1] - 48) << 6 | (text[position + 2] - 48) << 3
            | (text[position + 3] - 48))
        position += 4
      } else {
        throw SQLError(.invalidTextRepresentation, "invalid input syntax for type bytea")
      }
    }
  }
}

extension Value {
  /// The value of a type that a string spells; for edges.
  ///
  /// - Throws: as `TextParser.parse`.
  package init(
    parsing text: String, as column: ColumnType, dates: DateTimeParser = DateTimeParser(),
    isExplicit: Bool = true
  ) throws(SQLError) {
    let parser = TextParser(dates)
    let texts = Vector(.text, [.string(text)])
    self = try parser.parse(texts, as: column, isExplicit: isExplicit).value(at: 0)
  }
}
