import Columnar
public import Diagnostics

/// A type whose values stand in one column, and may be interpolated into `SQL`.
public protocol SQLValueConvertible: Codable, Sendable {
  /// The type of a column that is made for it.
  static var sqlType: SQLType { get }
  /// The value as the engine takes it.
  var sqlValue: SQLValue { get }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is of another type, 22003 if it does not fit.
  init(sqlValue: SQLValue) throws(SQLError)
  /// The value in a cell of a result.
  ///
  /// Without it an `SQLValue` is made first, of which a value is made by `init(sqlValue:)`.
  ///
  /// - Throws: as `init(sqlValue:)`.
  static func read(_ cell: borrowing SQLCell) throws(SQLError) -> Self
}

extension SQLValueConvertible {
  /// The value in a cell of a result, made of an `SQLValue`.
  ///
  /// - Throws: as `init(sqlValue:)`.
  public static func read(_ cell: borrowing SQLCell) throws(SQLError) -> Self {
    try Self(sqlValue: cell.value)
  }
}

/// A type of SQL, by its name.
public struct SQLType: Hashable, Sendable {
  /// The name as it is written in CREATE TABLE.
  public let name: String

  /// The type of this name.
  public init(_ name: String) { self.name = name }
}

extension SQLError {
  /// The error for a value that is none of a Swift type.
  static func misfit(_ value: SQLValue, _ type: Any.Type) -> SQLError {
    if case .null = value {
      return SQLError(
        .datatypeMismatch, "NULL is no value of type \(type)",
        hint: "Ask for an optional, \(type)?, where a value may be missing.")
    }
    return SQLError(
      .datatypeMismatch, "\(value.kindName) is no value of type \(type)",
      hint: value.swiftType.map { "Ask for a value of type \($0), or cast it in the query." })
  }

  /// The error for a number that a Swift type cannot hold.
  static func outOfRange(_ number: Int64, _ type: Any.Type) -> SQLError {
    SQLError(.numericOutOfRange, "\(number) is out of range for type \(type)")
  }

  /// The error for a number that no whole number of a Swift type is.
  static func outOfRange(_ number: SQLNumeric, _ type: Any.Type) -> SQLError {
    SQLError(.numericOutOfRange, "\(number) is out of range for type \(type)")
  }
}

extension SQLValue {
  /// What kind of value it is, for messages.
  var kindName: String {
    switch self {
    case .null: "NULL"
    case .boolean: "a boolean"
    case .integer: "a whole number"
    case .double: "a floating-point number"
    case .text: "a text"
    case .bytes: "a bytea"
    case .numeric: "a numeric"
    case .uuid: "a uuid"
    case .date: "a date"
    case .time: "a time"
    case .timestamp: "a timestamp"
    case .interval: "an interval"
    case .json: "a json"
    case .array: "an array"
    }
  }

  /// The Swift type that holds every value of the kind, for messages.
  fileprivate var swiftType: String? {
    switch self {
    case .null, .array: nil
    case .boolean: "Bool"
    case .integer: "Int"
    case .double: "Double"
    case .text: "String"
    case .bytes: "[UInt8]"
    case .numeric: "SQLNumeric"
    case .uuid: "SQLUUID"
    case .date: "SQLDate"
    case .time: "SQLTime"
    case .timestamp: "SQLTimestamp"
    case .interval: "SQLInterval"
    case .json: "JSON"
    }
  }
}

extension Bool: SQLValueConvertible {
  /// `boolean`.
  public static var sqlType: SQLType { SQLType("boolean") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .boolean(self) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is of another type.
  public init(sqlValue: SQLValue) throws(SQLError) {
    guard case .boolean(let flag) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = flag
  }
  /// The value in a cell of a result.
  ///
  /// - Throws: 42804 if it is no boolean.
  @inlinable
  public static func read(_ cell: borrowing SQLCell) throws(SQLError) -> Bool {
    if let flag = cell.boolean { return flag }
    return try Self(sqlValue: cell.value)
  }
}

extension FixedWidthInteger where Self: SQLValueConvertible {
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { Int64(exactly: self).map { .integer($0) } ?? .text(description) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is no whole number, 22003 if it does not fit.
  public init(sqlValue: SQLValue) throws(SQLError) {
    switch sqlValue {
    case .integer(let number):
      guard let exact = Self(exactly: number) else { throw .outOfRange(number, Self.self) }
      self = exact
    case .numeric(let number):
      // Sums of whole numbers are numerics.
      guard let exact = number.integer.flatMap({ Self(exactly: $0) }) else {
        throw .outOfRange(number, Self.self)
      }
      self = exact
    case .null, .boolean, .double, .text, .bytes, .uuid, .date, .time, .timestamp, .interval, .json,
      .array:
      throw .misfit(sqlValue, Self.self)
    }
  }
  /// The value in a cell of a result.
  ///
  /// - Throws: 42804 if it is no whole number, 22003 if it does not fit.
  @inlinable
  public static func read(_ cell: borrowing SQLCell) throws(SQLError) -> Self {
    if let number = cell.integer, let exact = Self(exactly: number) { return exact }
    return try Self(sqlValue: cell.value)
  }
}

extension Int: SQLValueConvertible {
  /// `bigint`.
  public static var sqlType: SQLType { SQLType("bigint") }
}

extension Int64: SQLValueConvertible {
  /// `bigint`.
  public static var sqlType: SQLType { SQLType("bigint") }
}

extension Int32: SQLValueConvertible {
  /// `integer`.
  public static var sqlType: SQLType { SQLType("integer") }
}

extension Int16: SQLValueConvertible {
  /// `smallint`.
  public static var sqlType: SQLType { SQLType("smallint") }
}

/// Of use in an array, which is a `bytea`.
extension UInt8: SQLValueConvertible {
  /// `smallint`, the least type that holds all of them.
  public static var sqlType: SQLType { SQLType("smallint") }
}

extension Double: SQLValueConvertible {
  /// `double precision`.
  public static var sqlType: SQLType { SQLType("double precision") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .double(self) }
  /// A value that the engine gave; a whole number or a numeric is taken as well.
  ///
  /// - Throws: 42804 if it is no number.
  public init(sqlValue: SQLValue) throws(SQLError) {
    switch sqlValue {
    case .double(let number): self = number
    case .integer(let number): self = Double(number)
    case .numeric(let number): self = number.numeric.double
    case .null, .boolean, .text, .bytes, .uuid, .date, .time, .timestamp, .interval, .json, .array:
      throw .misfit(sqlValue, Self.self)
    }
  }
  /// The value in a cell of a result.
  ///
  /// - Throws: 42804 if it is no number.
  @inlinable
  public static func read(_ cell: borrowing SQLCell) throws(SQLError) -> Double {
    if let number = cell.double { return number }
    return try Self(sqlValue: cell.value)
  }
}

extension Float: SQLValueConvertible {
  /// `real`.
  public static var sqlType: SQLType { SQLType("real") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .double(Double(self)) }
  /// A value that the engine gave, rounded.
  ///
  /// - Throws: 42804 if it is no number.
  public init(sqlValue: SQLValue) throws(SQLError) {
    self = Float(try Double(sqlValue: sqlValue))
  }
  /// The value in a cell of a result, rounded.
  ///
  /// - Throws: 42804 if it is no number.
  @inlinable
  public static func read(_ cell: borrowing SQLCell) throws(SQLError) -> Float {
    Float(try Double.read(cell))
  }
}

extension String: SQLValueConvertible {
  /// `text`.
  public static var sqlType: SQLType { SQLType("text") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .text(self) }
  /// A value that the engine gave; of a json its text.
  ///
  /// - Throws: 42804 if it is of a type that is not given as text.
  public init(sqlValue: SQLValue) throws(SQLError) {
    switch sqlValue {
    case .text(let text), .json(let text): self = text
    case .null, .boolean, .integer, .double, .bytes, .numeric, .uuid, .date, .time, .timestamp,
      .interval, .array:
      throw .misfit(sqlValue, Self.self)
    }
  }
  /// The value in a cell of a result; of a json its text.
  ///
  /// - Throws: 42804 if it is no text.
  @inlinable
  public static func read(_ cell: borrowing SQLCell) throws(SQLError) -> String {
    if let text = cell.text { return text }
    return try Self(sqlValue: cell.value)
  }
}

/// NULL where there is no value.
extension Optional: SQLValueConvertible where Wrapped: SQLValueConvertible {
  /// The type of the values that there are.
  public static var sqlType: SQLType { Wrapped.sqlType }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { self?.sqlValue ?? .null }
  /// A value that the engine gave.
  ///
  /// - Throws: as the wrapped type does.
  public init(sqlValue: SQLValue) throws(SQLError) {
    if case .null = sqlValue { self = nil } else { self = try Wrapped(sqlValue: sqlValue) }
  }
  /// The value in a cell of a result.
  ///
  /// - Throws: as the type of the values that there are.
  @inlinable
  public static func read(_ cell: borrowing SQLCell) throws(SQLError) -> Wrapped? {
    cell.isNull ? nil : try Wrapped.read(cell)
  }
}

/// `[UInt8]` is a bytea, every other array an array.
extension Array: SQLValueConvertible where Element: SQLValueConvertible {
  /// `bytea`, or an array of the elements' type.
  public static var sqlType: SQLType {
    Element.self == UInt8.self ? SQLType("bytea") : SQLType(Element.sqlType.name + "[]")
  }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue {
    // An empty array of anything is one of bytes to a cast.
    if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .bytes(bytes) }
    return .array(map(\.sqlValue))
  }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is no array, and as the type of the elements does.
  public init(sqlValue: SQLValue) throws(SQLError) {
    if case .bytes(let bytes) = sqlValue, Element.self == UInt8.self,
      let own = bytes as? [Element]
    {
      self = own
      return
    }
    if case .json(let text) = sqlValue {
      self = try JSONNode.decode(text, as: Self.self)
      return
    }
    guard case .array(let elements) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = []
    reserveCapacity(elements.count)
    for element in elements { append(try Element(sqlValue: element)) }
  }
  /// The value in a cell of a result; an array of JSON is decoded.
  ///
  /// - Throws: 42804 if it is no array, and what its elements throw.
  public static func read(_ cell: borrowing SQLCell) throws(SQLError) -> [Element] {
    guard let (elements, range) = cell.elements else { return try Self(sqlValue: cell.value) }
    var result: [Element] = []
    result.reserveCapacity(range.count)
    for row in range {
      do throws(SQLError) {
        result.append(try elements.read(Element.self, row))
      } catch {
        throw error.inside("[\(row - range.lowerBound)]")
      }
    }
    return result
  }
}

extension RawRepresentable where Self: SQLValueConvertible, RawValue: SQLValueConvertible {
  /// The type of raw values.
  public static var sqlType: SQLType { RawValue.sqlType }
  /// The raw value as the engine takes it.
  public var sqlValue: SQLValue { rawValue.sqlValue }
  /// The case whose raw value the engine gave.
  ///
  /// - Throws: 22P02 if there is none.
  public init(sqlValue: SQLValue) throws(SQLError) {
    self = try Self.checked(try RawValue(sqlValue: sqlValue))
  }
  /// The case whose raw value is in a cell of a result.
  ///
  /// - Throws: 22P02 if there is none.
  public static func read(_ cell: borrowing SQLCell) throws(SQLError) -> Self {
    try checked(try RawValue.read(cell))
  }

  private static func checked(_ raw: RawValue) throws(SQLError) -> Self {
    guard let value = Self(rawValue: raw) else {
      throw SQLError(.invalidTextRepresentation, "\(raw) is no value of type \(Self.self)")
    }
    return value
  }
}
