package import Diagnostics

extension TextFormatter {
  /// Refuses the value of a row whose text would be too long.
  ///
  /// Each row or array around a value doubles the quotes in its text, so that a value of some dozen bytes may have a text
  /// of any length. It is asked for before such a text is written.
  ///
  /// - Throws: 54000, 57014.
  /// - Complexity: O(size of the value).
  package func checkLength(_ row: Int, of vector: Vector) throws(SQLError) {
    if vector.type.nesting <= Self.harmlessNesting || !vector.isValid(row) { return }
    var measure = TextMeasure(formatter: self)
    _ = try measure.extent(vector.position(row), of: vector)
  }

  /// The same for all rows.
  package func checkLengths(of vector: Vector) throws(SQLError) {
    if vector.type.nesting <= Self.harmlessNesting { return }
    for row in 0..<vector.count { try checkLength(row, of: vector) }
  }

  /// So few rows and arrays around each other make a text at most a few times as long as the value.
  private static let harmlessNesting = 2
}

extension LogicalType {
  /// How many rows and arrays stand around the innermost values.
  package var nesting: Int {
    switch self {
    case .array(let element): element.nesting + 1
    case .record(let record): record.nesting
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .enumeration, .unknown, .void:
      0
    }
  }
}

/// Finds out how long the text of a value will be, without writing more of it than single values.
private struct TextMeasure {
  /// What counts of a text for the one that it is put into.
  struct Extent {
    var byteCount = 0
    /// Quotes and backslashes, which are written twice between quotes.
    var escapedCount = 0
    /// Whether the text stands between quotes as a field of a row, or as an element of an array.
    var isQuotedInRow = false
    var isQuotedInArray = false

    /// Adds a text that stands between quotes, or as it is.
    mutating func add(_ part: Extent, isQuoted: Bool) {
      byteCount += part.byteCount
      if isQuoted {
        byteCount += part.escapedCount + 2
        escapedCount += part.escapedCount * 2 + 2
      } else {
        escapedCount += part.escapedCount
      }
      isQuotedInRow = isQuotedInRow || part.isQuotedInRow
      isQuotedInArray = isQuotedInArray || part.isQuotedInArray
    }
  }

  let formatter: TextFormatter
  private var scratch = ByteBuilder()
  private var pace = TextLoop.Pace()

  init(formatter: TextFormatter) { self.formatter = formatter }

  /// - Throws: 54000 for a text that is too long, 57014.
  mutating func extent(_ position: Int, of vector: Vector) throws(SQLError) -> Extent {
    try pace.step()
    let extent: Extent
    switch vector.type {
    case .record: extent = try row(position, vector)
    case .array: extent = try array(position, vector)
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .enumeration, .unknown, .void:
      extent = single(position, vector)
    }
    if extent.byteCount > TextLoop.byteCountMax { throw TextLoop.tooLong }
    return extent
  }

  private mutating func row(_ position: Int, _ vector: Vector) throws(SQLError) -> Extent {
    var whole = Extent(byteCount: 2 + max(0, vector.children.count - 1), isQuotedInRow: true)
    whole.isQuotedInArray = vector.children.count > 1
    for field in vector.children where field.isValid(position) {
      let part = try extent(field.position(position), of: field)
      whole.add(part, isQuoted: part.isQuotedInRow || part.byteCount == 0)
    }
    return whole
  }

  private mutating func array(_ position: Int, _ vector: Vector) throws(SQLError) -> Extent {
    let slice = vector.values(ListSlice.self)[position]
    let elements = vector.children[0]
    var whole = Extent(byteCount: 2 + max(0, Int(slice.count) - 1), isQuotedInArray: true)
    whole.isQuotedInRow = slice.count > 1
    for index in 0..<Int(slice.count) {
      let element = Int(slice.offset) + index
      guard elements.isValid(element) else {
        whole.byteCount += 4
        continue
      }
      let part = try extent(elements.position(element), of: elements)
      whole.add(part, isQuoted: part.isQuotedInArray || part.byteCount == 0)
    }
    return whole
  }

  private mutating func single(_ position: Int, _ vector: Vector) -> Extent {
    scratch.removeAll()
    formatter.append(position: position, of: vector, to: &scratch)
    let bytes = scratch.bytes
    var extent = Extent(byteCount: bytes.count)
    extent.isQuotedInArray = bytes.matches("null")
    for index in 0..<bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        extent.escapedCount += 1
        extent.isQuotedInRow = true
        extent.isQuotedInArray = true
      case UInt8(ascii: "("), UInt8(ascii: ")"): extent.isQuotedInRow = true
      case UInt8(ascii: "{"), UInt8(ascii: "}"): extent.isQuotedInArray = true
      case let byte where byte == UInt8(ascii: ",") || isSpace(byte):
        extent.isQuotedInRow = true
        extent.isQuotedInArray = true
      default: break
      }
    }
    return extent
  }
}
