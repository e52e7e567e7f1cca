import Columnar

/// One value of a result or a parameter, as Swift sees it.
public enum SQLValue: Hashable, Sendable {
  /// NULL.
  case null
  /// A boolean.
  case boolean(Bool)
  /// A smallint, integer, bigint or oid.
  case integer(Int64)
  /// A real or double precision.
  case double(Double)
  /// A text, varchar, char(n), name or label of an enumeration; and any value without a case of its own, such as a bit string, a
  /// time with time zone or a row, in the text form that PostgreSQL prints.
  case text(String)
  /// A bytea.
  case bytes([UInt8])
  /// A numeric.
  case numeric(SQLNumeric)
  /// A uuid.
  case uuid(SQLUUID)
  /// A date.
  case date(SQLDate)
  /// A time without time zone.
  case time(SQLTime)
  /// A timestamp with or without time zone.
  case timestamp(SQLTimestamp)
  /// An interval.
  case interval(SQLInterval)
  /// The text of a json or jsonb.
  case json(String)
  /// An array of one dimension.
  case array([SQLValue])
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
  /// The integer written.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// The text written.
  public init(stringLiteral value: String) { self = .text(value) }
  /// The boolean written.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// The number written.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// NULL.
  public init(nilLiteral: ()) { self = .null }
}

extension SQLValue {
  /// The value as an integer, if it is one.
  public var integer: Int64? {
    if case .integer(let value) = self { return value }
    return nil
  }

  /// The value as a text, if it is one.
  public var text: String? {
    if case .text(let value) = self { return value }
    return nil
  }

  /// The value as a boolean, if it is one.
  public var boolean: Bool? {
    if case .boolean(let value) = self { return value }
    return nil
  }
}

extension SQLValue {
  /// The value of a row of a vector; the formatter writes what has no case of its own.
  init(_ vector: Vector, row: Int, _ formatter: TextFormatter) {
    let position = vector.position(row)
    guard vector.validity.isValid(position) else {
      self = .null
      return
    }
    switch vector.type {
    case .boolean: self = .boolean(vector.values(UInt8.self)[position] != 0)
    case .smallint: self = .integer(Int64(vector.values(Int16.self)[position]))
    case .integer: self = .integer(Int64(vector.values(Int32.self)[position]))
    case .bigint, .oid: self = .integer(vector.values(Int64.self)[position])
    case .real: self = .double(Double(vector.values(Float.self)[position]))
    case .double: self = .double(vector.values(Double.self)[position])
    case .numeric: self = .numeric(SQLNumeric(vector.numeric(at: position)))
    case .uuid: self = .uuid(SQLUUID(vector.values(UUIDValue.self)[position]))
    case .date: self = .date(SQLDate(days: vector.values(Int32.self)[position]))
    case .time: self = .time(SQLTime(engine: vector.values(Int64.self)[position]))
    case .timestamp, .timestamptz:
      self = .timestamp(SQLTimestamp(engine: vector.values(Int64.self)[position]))
    case .interval: self = .interval(SQLInterval(vector.values(Interval.self)[position]))
    case .bytea: self = .bytes(vector.values(TextView.self).bytes(at: position).array)
    case .json, .jsonb: self = .json(vector.values(TextView.self).bytes(at: position).string)
    case .text, .varchar, .character, .name, .unknown, .void:
      self = .text(vector.values(TextView.self).bytes(at: position).string)
    case .timetz, .bit, .varbit, .record, .enumeration:
      var bytes = ByteBuilder()
      formatter.append(row, of: vector, to: &bytes)
      self = .text(bytes.bytes.string)
    case .array:
      let slice = vector.values(ListSlice.self)[position]
      let (elements, start) = (vector.children[0], Int(slice.offset))
      self = .array(
        (start..<(start + Int(slice.count))).map { SQLValue(elements, row: $0, formatter) })
    }
  }
}
