import Diagnostics

/// A part of a date or time, as `extract`, `date_part` and `date_trunc` name it.
package enum TemporalField: Sendable {
  case microseconds, milliseconds, second, minute, hour
  case day, week, month, quarter, year, decade, century, millennium
  case julian, isoYear, weekday, isoWeekday, dayOfYear, epoch
  case zone, zoneHour, zoneMinute

  private static let names: [String: TemporalField] = [
    "microseconds": .microseconds, "microsecond": .microseconds, "us": .microseconds,
    "usec": .microseconds, "usecs": .microseconds, "useconds": .microseconds,
    "milliseconds": .milliseconds, "millisecond": .milliseconds, "ms": .milliseconds,
    "msec": .milliseconds, "msecs": .milliseconds, "mseconds": .milliseconds,
    "second": .second, "seconds": .second, "sec": .second, "secs": .second, "s": .second,
    "minute": .minute, "minutes": .minute, "min": .minute, "mins": .minute, "m": .minute,
    "hour": .hour, "hours": .hour, "hr": .hour, "hrs": .hour, "h": .hour,
    "day": .day, "days": .day, "d": .day, "week": .week, "weeks": .week, "w": .week,
    "month": .month, "months": .month, "mon": .month, "mons": .month,
    "quarter": .quarter, "qtr": .quarter, "year": .year, "years": .year, "y": .year, "yr": .year,
    "yrs": .year, "decade": .decade, "decades": .decade, "dec": .decade, "decs": .decade,
    "century": .century, "centuries": .century, "cent": .century, "c": .century,
    "millennium": .millennium, "millennia": .millennium, "mil": .millennium, "mils": .millennium,
    "julian": .julian, "jd": .julian, "j": .julian, "isoyear": .isoYear, "dow": .weekday,
    "isodow": .isoWeekday, "doy": .dayOfYear, "epoch": .epoch, "timezone": .zone,
    "timezone_hour": .zoneHour, "timezone_minute": .zoneMinute,
  ]

  /// The field of a name, in any case.
  ///
  /// - Throws: 22023.
  init(_ name: TextBytes, _ type: LogicalType) throws(SQLError) {
    guard let field = Self.names[name.string.lowercased()] else {
      throw Self.unrecognized(name, type)
    }
    self = field
  }

  /// The unit of a name, in any case: a field that is a length of time, or one of the zone.
  ///
  /// - Throws: 22023.
  init(unit name: TextBytes, _ type: LogicalType) throws(SQLError) {
    try self.init(name, type)
    switch self {
    case .julian, .isoYear, .weekday, .isoWeekday, .dayOfYear, .epoch:
      throw Self.unrecognized(name, type)
    case .microseconds, .milliseconds, .second, .minute, .hour, .day, .week, .month, .quarter,
      .year, .decade, .century, .millennium, .zone, .zoneHour, .zoneMinute:
      break
    }
  }

  private static func unrecognized(_ name: TextBytes, _ type: LogicalType) -> SQLError {
    SQLError(
      .invalidParameterValue,
      "unit \"\(name.string.lowercased())\" not recognized for type \(type.name)")
  }

  /// The error for a field that the type does not have.
  static func unsupported(_ name: TextBytes, _ type: LogicalType) -> SQLError {
    SQLError(
      .featureNotSupported,
      "unit \"\(name.string.lowercased())\" not supported for type \(type.name)")
  }

  /// Whether the field only grows with time, so that it is infinite for infinite times.
  var isMonotonic: Bool {
    switch self {
    case .year, .decade, .century, .millennium, .julian, .isoYear, .epoch: true
    case .microseconds, .milliseconds, .second, .minute, .hour, .day, .week, .month, .quarter,
      .weekday, .isoWeekday, .dayOfYear, .zone, .zoneHour, .zoneMinute:
      false
    }
  }

  /// A year as people count: there is no year 0.
  static func displayed(year: Int) -> Int { year > 0 ? year : year - 1 }

  /// The field of a day, or nil for one that days do not have.
  func value(day number: Int) -> Int? {
    let date = CivilDate(days: number)
    let year = date.year
    switch self {
    case .day: return date.day
    case .month: return date.month
    case .quarter: return (date.month - 1) / 3 + 1
    case .week: return date.isoWeek.week
    case .year: return Self.displayed(year: year)
    case .decade: return year >= 0 ? year / 10 : -((8 - (year - 1)) / 10)
    case .century: return year > 0 ? (year + 99) / 100 : -((99 - (year - 1)) / 100)
    case .millennium: return year > 0 ? (year + 999) / 1000 : -((999 - (year - 1)) / 1000)
    case .julian: return number + 2_451_545
    case .isoYear: return Self.displayed(year: date.isoWeek.year)
    case .weekday: return CivilDate.weekday(days: number)
    case .isoWeekday: return (CivilDate.weekday(days: number) + 6) % 7 + 1
    case .dayOfYear: return date.dayOfYear
    case .microseconds, .milliseconds, .second, .minute, .hour, .epoch, .zone, .zoneHour,
      .zoneMinute:
      return nil
    }
  }

  /// The field of each of many days; says false, having written nothing, for one that days do not have.
  ///
  /// - Complexity: O(*n*).
  func values(ofDays days: Buffer<Int32>, count: Int, into result: Buffer<Int32>) -> Bool {
    switch self {
    case .year:
      write(days, count, result) { Self.displayed(year: CivilDate(days: $0).year) }
    case .month: write(days, count, result) { CivilDate(days: $0).month }
    case .day: write(days, count, result) { CivilDate(days: $0).day }
    case .quarter: write(days, count, result) { (CivilDate(days: $0).month &- 1) / 3 &+ 1 }
    case .weekday: write(days, count, result) { CivilDate.weekday(days: $0) }
    case .isoWeekday: write(days, count, result) { (CivilDate.weekday(days: $0) &+ 6) % 7 &+ 1 }
    case .dayOfYear: write(days, count, result) { CivilDate(days: $0).dayOfYear }
    case .week: write(days, count, result) { CivilDate(days: $0).isoWeek.week }
    case .decade, .century, .millennium, .julian, .isoYear:
      write(days, count, result) { value(day: $0) ?? 0 }
    case .microseconds, .milliseconds, .second, .minute, .hour, .epoch, .zone, .zoneHour,
      .zoneMinute:
      return false
    }
    return true
  }

  @inline(__always)
  private func write(
    _ days: Buffer<Int32>, _ count: Int, _ result: Buffer<Int32>, _ value: (Int) -> Int
  ) {
    for row in 0..<count { result[row] = Int32(truncatingIfNeeded: value(Int(days[row]))) }
  }

  /// The first day of the stretch that `number` lies in, or nil for fields below a day.
  func start(ofDay number: Int) -> Int? {
    var date = CivilDate(days: number)
    let year = date.year
    switch self {
    case .day: return number
    case .week: return number - (CivilDate.weekday(days: number) + 6) % 7
    case .month: break
    case .quarter: date.month = (date.month - 1) / 3 * 3 + 1
    case .year, .decade, .century, .millennium:
      date.month = 1
      switch self {
      case .decade: date.year = year >= 0 ? year / 10 * 10 : -((8 - (year - 1)) / 10) * 10
      case .century:
        date.year = year > 0 ? (year + 99) / 100 * 100 - 99 : -((99 - (year - 1)) / 100) * 100 + 1
      case .millennium:
        date.year =
          year > 0 ? (year + 999) / 1000 * 1000 - 999 : -((999 - (year - 1)) / 1000) * 1000 + 1
      case .microseconds, .milliseconds, .second, .minute, .hour, .day, .week, .month, .quarter,
        .year, .julian, .isoYear, .weekday, .isoWeekday, .dayOfYear, .epoch, .zone, .zoneHour,
        .zoneMinute:
        break
      }
    case .microseconds, .milliseconds, .second, .minute, .hour, .julian, .isoYear, .weekday,
      .isoWeekday, .dayOfYear, .epoch, .zone, .zoneHour, .zoneMinute:
      return nil
    }
    date.day = 1
    return date.days
  }

  /// The microseconds of a unit of time of day, or nil for fields from a day on.
  var unit: Int64? {
    switch self {
    case .microseconds: 1
    case .milliseconds: 1000
    case .second: Calendar.microsecondsPerSecond
    case .minute: Calendar.microsecondsPerMinute
    case .hour: Calendar.microsecondsPerHour
    case .day, .week, .month, .quarter, .year, .decade, .century, .millennium, .julian, .isoYear,
      .weekday, .isoWeekday, .dayOfYear, .epoch, .zone, .zoneHour, .zoneMinute:
      nil
    }
  }

  /// The field of a time of day, or nil for one that times do not have.
  func value(time: Int64) -> Numeric? {
    switch self {
    case .microseconds: Numeric(coefficient: Int128(time % 60_000_000), scale: 0)
    case .milliseconds: Numeric(coefficient: Int128(time % 60_000_000), scale: 3)
    case .second: Numeric(coefficient: Int128(time % 60_000_000), scale: 6)
    case .minute: Numeric(coefficient: Int128(time / 60_000_000 % 60), scale: 0)
    case .hour: Numeric(coefficient: Int128(time / 3_600_000_000), scale: 0)
    case .day, .week, .month, .quarter, .year, .decade, .century, .millennium, .julian, .isoYear,
      .weekday, .isoWeekday, .dayOfYear, .epoch, .zone, .zoneHour, .zoneMinute:
      nil
    }
  }
}
