import Columnar
public import Diagnostics

/// A day of the calendar, without a time: a `date`, from 4713 BC to the year 5874897, or one of the two infinities.
public struct SQLDate: Hashable, Sendable, Comparable, LosslessStringConvertible, BitwiseCopyable {
  /// As the engine has it: days since 2000-01-01.
  let days: Int32

  init(days: Int32) { self.days = days }

  /// Later than every day.
  public static var infinity: SQLDate { SQLDate(days: Calendar.dateInfinity) }
  /// Earlier than every day.
  public static var negativeInfinity: SQLDate { SQLDate(days: Calendar.dateNegativeInfinity) }

  /// The day so many days after 1970-01-01; an infinity where that is no day of the calendar.
  public init(daysSince1970: Int) {
    let (days, isFar) = daysSince1970.addingReportingOverflow(Int(Calendar.unixEpochDay))
    let isBelow = isFar || days < Int(Calendar.dateRange.lowerBound)
    let isAbove = !isFar && days > Int(Calendar.dateRange.upperBound)
    self = isAbove ? .infinity : isBelow ? .negativeInfinity : SQLDate(days: Int32(days))
  }

  /// A day by year, month and day; the year 0 is 1 BC.
  ///
  /// - Throws: 22008 if there is no such day.
  public init(year: Int, month: Int, day: Int) throws(SQLError) {
    let name = "\(year)-\(month)-\(day)"
    guard year.magnitude < 6_000_000, (1...12).contains(month), day >= 1,
      day <= CivilDate.length(ofMonth: month, year: year)
    else {
      throw SQLError(.datetimeOverflow, "date/time field value out of range: \"\(name)\"")
    }
    let number = CivilDate(year: year, month: month, day: day).days
    guard let days = Int32(exactly: number), Calendar.dateRange.contains(days) else {
      throw SQLError(.datetimeOverflow, "date out of range: \"\(name)\"")
    }
    self.days = days
  }

  /// The day that a text spells, as PostgreSQL reads it; nil for a text that spells none.
  public init?(_ description: String) {
    guard case .int32(let days)? = Value(spelled: description, as: .date) else { return nil }
    self.days = days
  }

  /// Whether it is a day of the calendar, and no infinity.
  public var isFinite: Bool { Calendar.isFinite(date: days) }

  /// How many days after 1970-01-01 it is; of an infinity more than, or less than, of any day.
  public var daysSince1970: Int { Int(days) - Int(Calendar.unixEpochDay) }

  /// Year, month and day; nil for an infinity.
  ///
  /// The year 0 is 1 BC.
  public var components: (year: Int, month: Int, day: Int)? {
    guard isFinite else { return nil }
    let date = CivilDate(days: Int(days))
    return (date.year, date.month, date.day)
  }

  /// The day as PostgreSQL prints it: `2025-01-27`, `0044-03-15 BC`, `infinity`.
  public var description: String { Value.int32(days).text(of: .date) }

  /// Whether one day is before another.
  public static func < (left: SQLDate, right: SQLDate) -> Bool { left.days < right.days }
}

extension SQLDate: Codable {
  /// The value that a text spells.
  ///
  /// - Throws: `DecodingError` for what is no text, and for one that spells none.
  public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }

  /// Writes the text that PostgreSQL prints.
  public func encode(to encoder: any Encoder) throws { try encodeText(to: encoder) }
}

extension SQLDate: SQLValueConvertible {
  /// `date`.
  public static var sqlType: SQLType { SQLType("date") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .date(self) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is of another type.
  public init(sqlValue: SQLValue) throws(SQLError) {
    guard case .date(let value) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = value
  }
}

/// A time of day without a day: a `time`.
public struct SQLTime: Hashable, Sendable, Comparable, LosslessStringConvertible, BitwiseCopyable {
  /// Microseconds since midnight, from 0 to those of 24:00.
  public let microseconds: Int64

  /// The time so many microseconds after midnight; the nearest one of the day for any other number.
  public init(microseconds: Int64) {
    self.microseconds = min(max(microseconds, 0), Calendar.microsecondsPerDay)
  }

  /// A time that the engine has.
  init(engine microseconds: Int64) { self.microseconds = microseconds }

  /// The time that a text spells, as PostgreSQL reads it; nil for a text that spells none.
  public init?(_ description: String) {
    guard case .int64(let microseconds)? = Value(spelled: description, as: .time) else {
      return nil
    }
    self.microseconds = microseconds
  }

  /// The time as PostgreSQL prints it: `04:05:06.789`.
  public var description: String { Value.int64(microseconds).text(of: .time) }

  /// Whether one time is before another.
  public static func < (left: SQLTime, right: SQLTime) -> Bool {
    left.microseconds < right.microseconds
  }
}

extension SQLTime: Codable {
  /// The value that a text spells.
  ///
  /// - Throws: `DecodingError` for what is no text, and for one that spells none.
  public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }

  /// Writes the text that PostgreSQL prints.
  public func encode(to encoder: any Encoder) throws { try encodeText(to: encoder) }
}

extension SQLTime: SQLValueConvertible {
  /// `time`.
  public static var sqlType: SQLType { SQLType("time") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .time(self) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is of another type.
  public init(sqlValue: SQLValue) throws(SQLError) {
    guard case .time(let value) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = value
  }
}
