/// A day of the proleptic Gregorian calendar; year 0 is 1 BC.
package struct CivilDate: Hashable, Sendable {
  package var year: Int
  package var month: Int
  package var day: Int

  @inlinable
  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Days from and to which numbers of 32 bits are enough, about 29,000 years each way.
  @usableFromInline static let nearDays = 11_000_000
  /// 82 eras of 400 years, by which years and days are moved to be positive.
  @usableFromInline static let movedYears = 32_800
  @usableFromInline static let movedDays = 719_468 + 146_097 * 82 + 10_957

  /// The day that is `days` after 2000-01-01.
  ///
  /// Years start on 1 March here, so that the leap day ends them. Source: Neri and Schneider, "Euclidean affine functions and their
  /// application to calendar algorithms" (2023), figure 12.
  /// - Complexity: O(1).
  @inlinable
  package init(days: Int) {
    var near = days
    var erasYears = 0
    if days.magnitude >= UInt(Self.nearDays) {
      let era = (days >= 0 ? days : days &- 146_096) / 146_097
      near = days &- era &* 146_097
      erasYears = era &* 400
    }
    let number = UInt32(truncatingIfNeeded: near &+ Self.movedDays)
    let quarters = 4 &* number &+ 3
    let century = quarters / 146_097
    let quartersOfCentury = (quarters &- century &* 146_097) | 3
    let product = 2_939_745 &* UInt64(quartersOfCentury)
    let yearOfCentury = UInt32(truncatingIfNeeded: product &>> 32)
    let dayOfYear = UInt32(truncatingIfNeeded: product) / 2_939_745 / 4
    let months = 2141 &* dayOfYear &+ 197_913
    let shiftedMonth = months &>> 16
    let isOfNextYear = dayOfYear >= 306
    year =
      Int(100 &* century &+ yearOfCentury) &- Self.movedYears &+ (isOfNextYear ? 1 : 0)
      &+ erasYears
    month = Int(shiftedMonth) &- (isOfNextYear ? 12 : 0)
    day = Int((months & 0xFFFF) / 2141) &+ 1
  }

  /// The days from 2000-01-01 to this day; months past 12 are not allowed, days are added as they are.
  @inlinable
  package var days: Int {
    guard year.magnitude < 29_000 else { return farDays }
    let isOfYearBefore = month <= 2
    let shiftedYear = UInt32(
      truncatingIfNeeded: year &+ Self.movedYears &- (isOfYearBefore ? 1 : 0))
    let shiftedMonth = UInt32(truncatingIfNeeded: month &+ (isOfYearBefore ? 12 : 0))
    let century = shiftedYear / 100
    let daysBefore = 1461 &* shiftedYear / 4 &- century &+ century / 4
    let dayOfYear = (979 &* shiftedMonth &- 2919) / 32
    return Int(daysBefore &+ dayOfYear) &+ day &- 1 &- Self.movedDays
  }

  /// As above, of any year.
  @usableFromInline var farDays: Int {
    let era = (year >= 0 ? year : year &- 399) / 400
    let near = CivilDate(year: year &- era &* 400, month: month, day: day)
    return near.days &+ era &* 146_097
  }

  /// Whether a year has 366 days.
  @inlinable
  package static func isLeap(_ year: Int) -> Bool {
    year & 3 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// The days of a month, 28 to 31.
  @inlinable
  package static func length(ofMonth month: Int, year: Int) -> Int {
    month == 2 ? (isLeap(year) ? 29 : 28) : 30 &+ ((month &+ month &>> 3) & 1)
  }

  /// The day of the week of a day number, 0 for Sunday.
  @inlinable
  package static func weekday(days: Int) -> Int {
    let rest = (days &+ 6) % 7
    return rest < 0 ? rest &+ 7 : rest
  }

  /// The day of the year, 1 for 1 January.
  package var dayOfYear: Int { days - CivilDate(year: year, month: 1, day: 1).days + 1 }

  /// The ISO week and the year that it belongs to.
  package var isoWeek: (year: Int, week: Int) {
    let number = days
    // The week belongs to the year of its Thursday.
    let thursday = number + 3 - (CivilDate.weekday(days: number) + 6) % 7
    let yearOfWeek = CivilDate(days: thursday).year
    let first = CivilDate(year: yearOfWeek, month: 1, day: 1).days
    return (yearOfWeek, (thursday - first) / 7 + 1)
  }

  /// The Monday of week 1 of an ISO year, as a day number.
  static func isoYearStart(_ year: Int) -> Int {
    let fourth = CivilDate(year: year, month: 1, day: 4).days
    return fourth - (weekday(days: fourth) + 6) % 7
  }

  /// The day `count` months later, its day no later than that month's last.
  ///
  /// - Complexity: O(1).
  package func adding(months count: Int) -> CivilDate {
    let index = year * 12 + (month - 1) + count
    let newYear = index >= 0 ? index / 12 : (index - 11) / 12
    let newMonth = index - newYear * 12 + 1
    let last = CivilDate.length(ofMonth: newMonth, year: newYear)
    return CivilDate(year: newYear, month: newMonth, day: min(day, last))
  }
}

/// The numbers of PostgreSQL's calendar: days and microseconds since 2000-01-01.
package enum Calendar {
  package static let microsecondsPerSecond: Int64 = 1_000_000
  package static let microsecondsPerMinute: Int64 = 60_000_000
  package static let microsecondsPerHour: Int64 = 3_600_000_000
  package static let microsecondsPerDay: Int64 = 86_400_000_000
  /// 1970-01-01 as a day.
  package static let unixEpochDay: Int64 = -10_957
  /// 1970-01-01 as a timestamp.
  package static let unixEpoch: Int64 = -946_684_800_000_000
  /// `infinity` and `-infinity` of a date.
  package static let dateInfinity = Int32.max
  package static let dateNegativeInfinity = Int32.min
  /// `infinity` and `-infinity` of a timestamp.
  package static let timestampInfinity = Int64.max
  package static let timestampNegativeInfinity = Int64.min
  /// 4713-11-24 BC (Julian day 0) up to the end of 5874897.
  package static let dateRange: ClosedRange<Int32> = -2_451_545...2_145_031_948
  /// 4713-11-24 BC up to the end of 294276.
  package static let timestampRange: ClosedRange<Int64> =
    -211_813_488_000_000_000...9_223_371_331_199_999_999

  @inlinable
  package static func isFinite(date: Int32) -> Bool { date != Int32.max && date != Int32.min }
  @inlinable
  package static func isFinite(timestamp: Int64) -> Bool {
    timestamp != Int64.max && timestamp != Int64.min
  }

  /// The day of a timestamp and the microseconds into that day.
  @inlinable
  package static func split(_ timestamp: Int64) -> (day: Int64, time: Int64) {
    var day = timestamp / 86_400_000_000
    var time = timestamp &- day &* 86_400_000_000
    if time < 0 {
      time &+= 86_400_000_000
      day &-= 1
    }
    return (day, time)
  }
}
