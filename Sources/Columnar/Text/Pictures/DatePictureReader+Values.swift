import Diagnostics

/// What the fields that a picture has read come to.
extension DatePictureReader {
  /// A day and a time of day.
  struct Moment {
    var day: Int
    var time: Int64
    /// Seconds east of Greenwich, where the text names them.
    var offset: Int?
  }

  /// A date being put together; what was not given has the values that a date begins with.
  private struct Date {
    var year = 0
    var month = 1
    var day = 1
    var hasYear = false
    var hasMonth = false
    var hasDay = false

    mutating func set(julian number: Int) {
      let civil = CivilDate(days: number - Calendar.julianEpoch)
      (year, month, day) = (civil.year, civil.month, civil.day)
      (hasYear, hasMonth, hasDay) = (true, true, true)
    }
  }

  private var outOfRange: SQLError {
    SQLError(.datetimeOverflow, "date/time field value out of range: \"\(text.string)\"")
  }

  /// The moment that was read.
  ///
  /// - Throws: 22007, 22008, 22009.
  func moment() throws(SQLError) -> Moment {
    let time = try time()
    let date = try date()
    try check(date)
    guard (0..<24).contains(time.hour), (0..<60).contains(time.minute),
      (0..<60).contains(time.second), (0..<1_000_000).contains(time.microsecond)
    else { throw outOfRange }
    var offset: Int?
    if fields.zoneSign != 0 {
      guard (0...15).contains(fields.zoneHours), (0..<60).contains(fields.zoneMinutes) else {
        throw SQLError(
          SQLState("22009"), "time zone displacement out of range: \"\(text.string)\"")
      }
      offset = fields.zoneSign * (fields.zoneHours * 3600 + fields.zoneMinutes * 60)
    }
    guard date.year.magnitude < 6_000_000 else {
      throw SQLError(.datetimeOverflow, "date out of range: \"\(text.string)\"")
    }
    let seconds = Int64(time.hour * 3600 + time.minute * 60 + time.second)
    return Moment(
      day: CivilDate(year: date.year, month: date.month, day: date.day).days,
      time: seconds * 1_000_000 + Int64(time.microsecond), offset: offset)
  }

  private typealias Time = (hour: Int, minute: Int, second: Int, microsecond: Int)

  private func time() throws(SQLError) -> Time {
    var time: Time = (0, 0, 0, fields.millisecond * 1000 + fields.microsecond)
    if fields.secondOfDay != 0 {
      time.hour = fields.secondOfDay / 3600
      time.minute = fields.secondOfDay % 3600 / 60
      time.second = fields.secondOfDay % 60
    }
    if fields.second != 0 { time.second = fields.second }
    if fields.minute != 0 { time.minute = fields.minute }
    if fields.hour != 0 { time.hour = fields.hour }
    guard fields.isTwelveHours else { return time }
    guard (1...12).contains(time.hour) else {
      throw SQLError(
        .invalidDatetimeFormat, "hour \"\(time.hour)\" is invalid for the 12-hour clock",
        hint: "Use the 24-hour clock, or give an hour between 1 and 12.")
    }
    if fields.meridiem != 0 && time.hour < 12 { time.hour += 12 }
    if fields.meridiem == 0 && time.hour == 12 { time.hour = 0 }
    return time
  }

  private func date() throws(SQLError) -> Date {
    var date = Date()
    setYear(&date)
    if fields.julian != 0 { date.set(julian: fields.julian) }
    var (day, dayOfYear) = (fields.day, fields.dayOfYear)
    if fields.week != 0 {
      if fields.calendar == .isoWeeks {
        // Without a day it is the Monday; days are counted from Sunday here.
        let shift = fields.weekday == 0 ? 0 : fields.weekday > 1 ? fields.weekday - 2 : 6
        date.set(julian: Self.isoStart(date.year) + (fields.week - 1) * 7 + shift)
      } else {
        dayOfYear = (fields.week - 1) * 7 + 1
      }
    }
    if fields.weekOfMonth != 0 { day = (fields.weekOfMonth - 1) * 7 + 1 }
    if day != 0 { (date.day, date.hasDay) = (day, true) }
    if fields.month != 0 { (date.month, date.hasMonth) = (fields.month, true) }
    if dayOfYear != 0 && (date.month <= 1 || date.day <= 1) {
      try set(dayOfYear: dayOfYear, &date)
    }
    return date
  }

  /// The Julian number of the first day of an ISO year.
  private static func isoStart(_ year: Int) -> Int {
    CivilDate.isoYearStart(year) + Calendar.julianEpoch
  }

  private func setYear(_ date: inout Date) {
    let century = fields.era != 0 ? -fields.century : fields.century
    if fields.year != 0 {
      date.hasYear = true
      if century != 0 && fields.yearDigits <= 2 {
        // The two digits count within the century.
        let rest = fields.year % 100
        if rest == 0 {
          date.year = century * 100 + (century >= 0 ? 0 : 1)
        } else {
          date.year = century >= 0 ? rest + (century - 1) * 100 : (century + 1) * 100 - rest + 1
        }
      } else {
        date.year = fields.era != 0 ? -fields.year : fields.year
        if date.year < 0 { date.year += 1 }
      }
    } else if century != 0 {
      date.hasYear = true
      date.year = century >= 0 ? (century - 1) * 100 + 1 : century * 100 + 1
    }
  }

  private func set(dayOfYear: Int, _ date: inout Date) throws(SQLError) {
    if date.year == 0 && fields.era == 0 {
      throw SQLError(
        .invalidDatetimeFormat, "cannot calculate day of year without year information")
    }
    if fields.calendar == .isoWeeks {
      return date.set(julian: Self.isoStart(date.year) - 1 + dayOfYear)
    }
    var month = 1
    var passed = 0
    while month <= 12 {
      let length = CivilDate.length(ofMonth: month, year: date.year)
      if dayOfYear <= passed + length { break }
      passed += length
      month += 1
    }
    if date.month <= 1 { date.month = month }
    if date.day <= 1 { date.day = dayOfYear - passed }
    (date.hasMonth, date.hasDay) = (true, true)
  }

  private func check(_ date: Date) throws(SQLError) {
    if date.hasMonth && !(1...12).contains(date.month) { throw outOfRange }
    if date.hasDay && !(1...31).contains(date.day) { throw outOfRange }
    if date.hasYear && date.hasMonth && date.hasDay,
      date.day > CivilDate.length(ofMonth: date.month, year: date.year)
    {
      throw outOfRange
    }
  }
}
