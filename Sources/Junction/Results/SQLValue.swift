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
  /// Any other value, in the text form that PostgreSQL prints.
  case text(String)
  /// A bytea.
  case bytes([UInt8])
  /// An array of one dimension, as a parameter.
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
