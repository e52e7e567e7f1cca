public import Diagnostics
public import Foundation
public import Junction

/// A moment of a `timestamptz` or `timestamp`, to the microsecond.
extension Date: SQLValueConvertible {
  /// `timestamptz`.
  public static var sqlType: SQLType { SQLTimestamp.sqlType }

  /// The value as the engine takes it, rounded to microseconds; the distant past and future of `Date` are the infinities.
  public var sqlValue: SQLValue {
    if self == .distantFuture { return .timestamp(.infinity) }
    if self == .distantPast { return .timestamp(.negativeInfinity) }
    let microseconds = ((timeIntervalSinceReferenceDate + Self.secondsFrom2000To2001) * 1e6)
      .rounded(.toNearestOrEven)
    if let exact = Int64(exactly: microseconds) {
      return .timestamp(SQLTimestamp(microsecondsSince2000: exact))
    }
    // NaN is no moment, and stands behind all of them as it does in SQL.
    return .timestamp(microseconds < 0 ? .negativeInfinity : .infinity)
  }

  /// A value that the engine gave; the infinities are the distant past and future.
  ///
  /// - Throws: 42804 if it is no timestamp.
  public init(sqlValue: SQLValue) throws(SQLError) {
    let moment = try SQLTimestamp(sqlValue: sqlValue)
    if moment == .infinity {
      self = .distantFuture
    } else if moment == .negativeInfinity {
      self = .distantPast
    } else {
      self.init(
        timeIntervalSinceReferenceDate: Double(moment.microsecondsSince2000) / 1e6
          - Self.secondsFrom2000To2001)
    }
  }

  private static var secondsFrom2000To2001: Double { 366 * 86_400 }
}

/// A `uuid`.
extension UUID: SQLValueConvertible {
  /// `uuid`.
  public static var sqlType: SQLType { SQLUUID.sqlType }

  /// The value as the engine takes it.
  public var sqlValue: SQLValue {
    let bytes = uuid
    func word(_ parts: [UInt8]) -> UInt64 { parts.reduce(0) { $0 << 8 | UInt64($1) } }
    return .uuid(
      SQLUUID(
        high: word([
          bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7,
        ]),
        low: word([
          bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
        ])))
  }

  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is no uuid.
  public init(sqlValue: SQLValue) throws(SQLError) {
    let value = try SQLUUID(sqlValue: sqlValue)
    func byte(_ index: Int) -> UInt8 {
      let word = index < 8 ? value.high : value.low
      return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
    }
    self.init(
      uuid: (
        byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7), byte(8), byte(9),
        byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)
      ))
  }
}
