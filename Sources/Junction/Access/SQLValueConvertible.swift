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
    return SQLError(.datatypeMismatch, "\(value.kindName) is no value of type \(type)")
  }

  /// The error for a number that a Swift type cannot hold.
  static func outOfRange(_ number: Int64, _ type: Any.Type) -> SQLError {
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
    case .array: "an array"
    }
  }
}

extension Bool: SQLValueConvertible {
  /// `boolean`.
  public static var sqlType: SQLType { SQLType("boolean") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .boolean(self) }
  /// A value that the engine gave.
  public init(sqlValue: SQLValue) throws(SQLError) {
    guard case .boolean(let flag) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = flag
  }
}

extension FixedWidthInteger where Self: SQLValueConvertible {
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { Int64(exactly: self).map { .integer($0) } ?? .text(description) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is no whole number, 22003 if it does not fit.
  public init(sqlValue: SQLValue) throws(SQLError) {
    guard case .integer(let number) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    guard let exact = Self(exactly: number) else { throw .outOfRange(number, Self.self) }
    self = exact
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
  /// A value that the engine gave; a whole number is taken as well.
  public init(sqlValue: SQLValue) throws(SQLError) {
    switch sqlValue {
    case .double(let number): self = number
    case .integer(let number): self = Double(number)
    case .null, .boolean, .text, .bytes, .array: throw .misfit(sqlValue, Self.self)
    }
  }
}

extension Float: SQLValueConvertible {
  /// `real`.
  public static var sqlType: SQLType { SQLType("real") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .double(Double(self)) }
  /// A value that the engine gave, rounded.
  public init(sqlValue: SQLValue) throws(SQLError) {
    self = Float(try Double(sqlValue: sqlValue))
  }
}

extension String: SQLValueConvertible {
  /// `text`.
  public static var sqlType: SQLType { SQLType("text") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .text(self) }
  /// A value that the engine gave.
  public init(sqlValue: SQLValue) throws(SQLError) {
    guard case .text(let text) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = text
  }
}

/// NULL where there is no value.
extension Optional: SQLValueConvertible where Wrapped: SQLValueConvertible {
  /// The type of the values that there are.
  public static var sqlType: SQLType { Wrapped.sqlType }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { self?.sqlValue ?? .null }
  /// A value that the engine gave.
  public init(sqlValue: SQLValue) throws(SQLError) {
    if case .null = sqlValue { self = nil } else { self = try Wrapped(sqlValue: sqlValue) }
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
    if let bytes = self as? [UInt8] { return .bytes(bytes) }
    return .array(map(\.sqlValue))
  }
  /// A value that the engine gave.
  public init(sqlValue: SQLValue) throws(SQLError) {
    if case .bytes(let bytes) = sqlValue, let own = bytes as? [Element] {
      self = own
      return
    }
    guard case .array(let elements) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = []
    reserveCapacity(elements.count)
    for element in elements { append(try Element(sqlValue: element)) }
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
    let raw = try RawValue(sqlValue: sqlValue)
    guard let value = Self(rawValue: raw) else {
      throw SQLError(.invalidTextRepresentation, "\(raw) is no value of type \(Self.self)")
    }
    self = value
  }
}
