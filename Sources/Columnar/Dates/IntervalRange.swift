/// The fields that `interval year to month` and its kin keep.
package enum IntervalRange: UInt8, Sendable, Hashable, CaseIterable {
  case year, month, day, hour, minute, second
  case yearToMonth, dayToHour, dayToMinute, dayToSecond, hourToMinute, hourToSecond, minuteToSecond

  /// The unit of a number that names none: the least field of the range.
  var unit: IntervalUnit {
    switch self {
    case .year: .year
    case .month, .yearToMonth: .month
    case .day: .day
    case .hour, .dayToHour: .hour
    case .minute, .hourToMinute, .dayToMinute: .minute
    case .second, .dayToSecond, .hourToSecond, .minuteToSecond: .second
    }
  }

  /// The words of SQL.
  package var name: String {
    switch self {
    case .year: "year"
    case .month: "month"
    case .day: "day"
    case .hour: "hour"
    case .minute: "minute"
    case .second: "second"
    case .yearToMonth: "year to month"
    case .dayToHour: "day to hour"
    case .dayToMinute: "day to minute"
    case .dayToSecond: "day to second"
    case .hourToMinute: "hour to minute"
    case .hourToSecond: "hour to second"
    case .minuteToSecond: "minute to second"
    }
  }

  /// The interval without what lies below the range.
  package func apply(_ value: Interval) -> Interval {
    switch self {
    case .year: Interval(months: value.months / 12 * 12)
    case .month, .yearToMonth: Interval(months: value.months)
    case .day: Interval(months: value.months, days: value.days)
    case .hour, .dayToHour: cut(value, Calendar.microsecondsPerHour)
    case .minute, .dayToMinute, .hourToMinute: cut(value, Calendar.microsecondsPerMinute)
    case .second, .dayToSecond, .hourToSecond, .minuteToSecond: value
    }
  }

  private func cut(_ value: Interval, _ unit: Int64) -> Interval {
    Interval(
      months: value.months, days: value.days, microseconds: value.microseconds / unit * unit)
  }
}

/// A unit of an interval's text.
enum IntervalUnit {
  case microsecond, millisecond, second, minute, hour, day, week, month, year, decade, century
  case millennium

  init?(_ word: String) {
    switch word {
    case "us", "usec", "usecond", "useconds", "usecs", "microsecon": self = .microsecond
    case "ms", "msec", "msecs", "msecond", "mseconds", "millisecon": self = .millisecond
    case "s", "sec", "secs", "second", "seconds": self = .second
    case "m", "min", "mins", "minute", "minutes": self = .minute
    case "h", "hr", "hrs", "hour", "hours": self = .hour
    case "d", "day", "days": self = .day
    case "w", "week", "weeks": self = .week
    case "mon", "mons", "month", "months": self = .month
    case "y", "yr", "yrs", "year", "years": self = .year
    case "dec", "decs", "decade", "decades": self = .decade
    case "c", "cent", "century", "centuries": self = .century
    case "mil", "mils", "millennium", "millennia": self = .millennium
    default: return nil
    }
  }
}
