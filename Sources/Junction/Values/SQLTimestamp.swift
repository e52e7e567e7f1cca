import Columnar
public import Diagnostics

/// A moment to the microsecond: a `timestamptz`, or a `timestamp` as clocks in UTC show it.
///
/// It reaches from 4713 BC to the year 294276, and has the two infinities.
public struct SQLTimestamp: Hashable, Sendable, Comparable, LosslessStringConvertible,
  BitwiseCopyable
{
  /// Microseconds since 2000-01-01 in UTC, as PostgreSQL counts; the least and the greatest number are the infinities.
  public let microsecondsSince2000: Int64

  /// The moment so many microseconds after the year 2000 began; an infinity where that is out of the range.
  public init(microsecondsSince2000: Int64) {
    let range = Calendar.timestampRange
    self.microsecondsSince2000 =
      microsecondsSince2000 < range.lowerBound
      ? Calendar.timestampNegativeInfinity
      : microsecondsSince2000 > range.upperBound
        ? Calendar.timestampInfinity : microsecondsSince2000
  }

  /// A moment that the engine has.
  init(engine microsecondsSince2000: Int64) { self.microsecondsSince2000 = microsecondsSince2000 }

  /// The moment so many microseconds after the year 1970 began; an infinity where that is out of the range.
  public init(microsecondsSince1970: Int64) {
    let (moved, isFar) = microsecondsSince1970.addingReportingOverflow(Calendar.unixEpoch)
    self.init(microsecondsSince2000: isFar ? .min : moved)
  }

  /// The moment that a text spells, as PostgreSQL reads it, in UTC where it names no zone; nil for a text that spells none.
  public init?(_ description: String) {
    guard case .int64(let moment)? = Value(spelled: description, as: .timestamptz) else {
      return nil
    }
    microsecondsSince2000 = moment
  }

  /// Later than every moment.
  public static var infinity: SQLTimestamp { SQLTimestamp(microsecondsSince2000: .max) }
  /// Earlier than every moment.
  public static var negativeInfinity: SQLTimestamp { SQLTimestamp(microsecondsSince2000: .min) }

  /// Whether it is a moment, and no infinity.
  public var isFinite: Bool { Calendar.isFinite(timestamp: microsecondsSince2000) }

  /// How many microseconds after the year 1970 began it is; the nearest number for what is further away, after the year 294246.
  public var microsecondsSince1970: Int64 {
    guard isFinite else { return microsecondsSince2000 }
    let (moved, isFar) = microsecondsSince2000.subtractingReportingOverflow(Calendar.unixEpoch)
    return isFar ? .max : moved
  }

  /// The moment as PostgreSQL prints it in UTC: `2025-01-27 10:11:12+00`.
  public var description: String { Value.int64(microsecondsSince2000).text(of: .timestamptz) }

  /// Whether one moment is before another.
  public static func < (left: SQLTimestamp, right: SQLTimestamp) -> Bool {
    left.microsecondsSince2000 < right.microsecondsSince2000
  }
}

extension SQLTimestamp: Codable {
  /// The value that a text spells.
  ///
  /// - Throws: `DecodingError` for what is no text, and for one that spells none.
  public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }

  /// Writes the text that PostgreSQL prints.
  public func encode(to encoder: any Encoder) throws { try encodeText(to: encoder) }
}

extension SQLTimestamp: SQLValueConvertible {
  /// `timestamptz`.
  public static var sqlType: SQLType { SQLType("timestamptz") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .timestamp(self) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is of another type.
  public init(sqlValue: SQLValue) throws(SQLError) {
    guard case .timestamp(let value) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = value
  }
}

/// A span of time as PostgreSQL keeps it: an `interval`, whose months and days have no fixed length.
///
/// Equal are spans of the same parts; SQL also calls a month and 30 days equal.
public struct SQLInterval: Hashable, Sendable, LosslessStringConvertible, BitwiseCopyable {
  /// Months, twelve to a year.
  public var months: Int32
  /// Days, which a change of the clocks makes longer or shorter.
  public var days: Int32
  /// Microseconds.
  public var microseconds: Int64

  /// A span of these parts.
  public init(months: Int32 = 0, days: Int32 = 0, microseconds: Int64 = 0) {
    self.months = months
    self.days = days
    self.microseconds = microseconds
  }

  init(_ interval: Interval) {
    self.init(
      months: interval.months, days: interval.days, microseconds: interval.microseconds)
  }

  /// As the engine has it.
  var interval: Interval { Interval(months: months, days: days, microseconds: microseconds) }

  /// The span that a text spells, as PostgreSQL reads it; nil for a text that spells none.
  public init?(_ description: String) {
    guard case .interval(let interval)? = Value(spelled: description, as: .interval) else {
      return nil
    }
    self.init(interval)
  }

  /// The span as PostgreSQL prints it: `1 mon 2 days 03:04:05`.
  public var description: String { Value.interval(interval).text(of: .interval) }
}

extension SQLInterval: Codable {
  /// The value that a text spells.
  ///
  /// - Throws: `DecodingError` for what is no text, and for one that spells none.
  public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }

  /// Writes the text that PostgreSQL prints.
  public func encode(to encoder: any Encoder) throws { try encodeText(to: encoder) }
}

extension SQLInterval: SQLValueConvertible {
  /// `interval`.
  public static var sqlType: SQLType { SQLType("interval") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .interval(self) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is of another type.
  public init(sqlValue: SQLValue) throws(SQLError) {
    guard case .interval(let value) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = value
  }
}
