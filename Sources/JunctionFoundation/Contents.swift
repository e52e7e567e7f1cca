public import Diagnostics
public import Foundation
public import Junction

/// A `bytea`.
extension Data: SQLValueConvertible {
  /// `bytea`.
  public static var sqlType: SQLType { SQLType("bytea") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .bytes(Array(self)) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is no bytea.
  public init(sqlValue: SQLValue) throws(SQLError) {
    self.init(try [UInt8](sqlValue: sqlValue))
  }
}

/// A `numeric`; NaN is kept, an infinity is none of a `Decimal`'s values.
extension Decimal: SQLValueConvertible {
  /// `numeric`.
  public static var sqlType: SQLType { SQLNumeric.sqlType }

  /// The value as the engine takes it; a text that fails to be a number where it has more digits than a numeric.
  public var sqlValue: SQLValue {
    if isNaN { return SQLNumeric("NaN")?.sqlValue ?? .null }
    let text = description
    return SQLNumeric(text)?.sqlValue ?? .text(text)
  }

  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is no number, 22003 for an infinity.
  public init(sqlValue: SQLValue) throws(SQLError) {
    let number = try SQLNumeric(sqlValue: sqlValue)
    let text = number.description
    if text == "NaN" {
      self = .nan
    } else if number.isFinite, let value = Decimal(string: text, locale: nil) {
      self = value
    } else {
      throw SQLError(.numericOutOfRange, "\(text) is out of range for type Decimal")
    }
  }
}

/// A `text` that is a URL.
extension URL: SQLValueConvertible {
  /// `text`.
  public static var sqlType: SQLType { String.sqlType }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .text(absoluteString) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is no text, 22P02 if the text is no URL.
  public init(sqlValue: SQLValue) throws(SQLError) {
    let text = try String(sqlValue: sqlValue)
    guard let url = URL(string: text) else {
      throw SQLError(.invalidTextRepresentation, "\"\(text)\" is no URL")
    }
    self = url
  }
}
