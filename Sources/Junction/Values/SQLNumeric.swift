import Columnar
public import Diagnostics

/// An exact number of up to 38 digits: a `numeric`.
///
/// The digits behind the point are kept as they were written, so that `1.50` prints as `1.50`; `1.5` and `1.50` are equal, as in
/// SQL. NaN equals itself and is greater than every number.
///
/// ```swift
/// let price = SQLNumeric("19.90")
/// ```
public struct SQLNumeric: Hashable, Sendable, Comparable, LosslessStringConvertible {
  let numeric: Numeric

  init(_ numeric: Numeric) { self.numeric = numeric }

  /// A whole number.
  public init(_ value: Int) { numeric = Numeric(value) }

  /// The number that a text spells, as PostgreSQL reads it; nil where it spells none, or one of too many digits.
  public init?(_ description: String) {
    guard let numeric = try? Numeric(parsing: description) else { return nil }
    self.numeric = numeric
  }

  /// The number as PostgreSQL prints it.
  public var description: String { numeric.description }

  /// Whether it is neither NaN nor an infinity.
  public var isFinite: Bool { numeric.isFinite }

  /// Whether numbers are equal, whatever zeros stand at their ends.
  public static func == (left: SQLNumeric, right: SQLNumeric) -> Bool {
    left.numeric == right.numeric
  }

  /// Whether one number is less than another; NaN is greater than all.
  public static func < (left: SQLNumeric, right: SQLNumeric) -> Bool {
    left.numeric < right.numeric
  }

  /// Adds what equal numbers have in common.
  public func hash(into hasher: inout Hasher) {
    let canonical = numeric.canonical
    hasher.combine(canonical.kind)
    hasher.combine(canonical.coefficient)
    hasher.combine(canonical.scale)
  }

  /// The whole number that it is, if it is one and fits.
  var integer: Int64? {
    let canonical = numeric.canonical
    guard canonical.isFinite, canonical.scale == 0 else { return nil }
    return Int64(exactly: canonical.coefficient)
  }
}

extension SQLNumeric: SQLValueConvertible {
  /// `numeric`.
  public static var sqlType: SQLType { SQLType("numeric") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .numeric(self) }
  /// A value that the engine gave; a whole number is taken as well.
  ///
  /// - Throws: 42804 if it is of another type.
  public init(sqlValue: SQLValue) throws(SQLError) {
    if case .numeric(let number) = sqlValue {
      self = number
    } else if case .integer(let number) = sqlValue {
      numeric = Numeric(number)
    } else {
      throw .misfit(sqlValue, Self.self)
    }
  }
}

extension SQLNumeric: Codable {
  /// A number or a text; a text loses no digit.
  ///
  /// - Throws: `DecodingError` for what is no number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = try Self.decoded(text, container)
    } else {
      self = try Self.decoded(try container.decode(Double.self).description, container)
    }
  }

  /// Writes it as a text, which loses no digit.
  public func encode(to encoder: any Encoder) throws {
    try encodeText(to: encoder)
  }
}

extension LosslessStringConvertible {
  /// The value that a decoded text spells.
  ///
  /// - Throws: `DecodingError` for a text that spells none.
  static func decoded(
    _ text: String, _ container: any SingleValueDecodingContainer
  ) throws -> Self {
    if let value = Self(text) { return value }
    throw DecodingError.dataCorruptedError(
      in: container, debugDescription: "\"\(text)\" is no value of type \(Self.self)")
  }

  /// The value that a text spells, from a decoder.
  ///
  /// - Throws: `DecodingError` for what is no text, and for one that spells none.
  static func decoded(from decoder: any Decoder) throws -> Self {
    let container = try decoder.singleValueContainer()
    return try decoded(try container.decode(String.self), container)
  }

  /// Writes the text that spells the value.
  func encodeText(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
