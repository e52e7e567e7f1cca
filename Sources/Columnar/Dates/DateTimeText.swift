/// The text of dates and times.
package enum DateTimeText {
  /// Adds a date: `2025-01-27`, `0044-03-15 BC`, `infinity`.
  package static func append(
    date: Int32, _ style: ValueStyle.Dates = .iso, _ order: ValueStyle.Order = .monthFirst,
    to target: inout ByteBuilder
  ) {
    guard Calendar.isFinite(date: date) else {
      target.append(date > 0 ? "infinity" : "-infinity")
      return
    }
    let day = CivilDate(days: Int(date))
    append(day, style, order, style == .postgres ? UInt8(ascii: "-") : nil, to: &target)
    if day.year <= 0 { target.append(" BC") }
  }

  /// Adds year, month and day as a style orders them; `mark` replaces the style's own separator.
  private static func append(
    _ day: CivilDate, _ style: ValueStyle.Dates, _ order: ValueStyle.Order, _ mark: UInt8?,
    to target: inout ByteBuilder
  ) {
    switch style {
    case .iso:
      append(year: day.year, to: &target)
      target.append(UInt8(ascii: "-"))
      target.append(digits: UInt64(day.month), width: 2)
      target.append(UInt8(ascii: "-"))
      target.append(digits: UInt64(day.day), width: 2)
    case .sql, .postgres, .german:
      let isDayFirst = style == .german || order == .dayFirst
      let separator = mark ?? UInt8(ascii: style == .german ? "." : "/")
      target.append(digits: UInt64(isDayFirst ? day.day : day.month), width: 2)
      target.append(separator)
      target.append(digits: UInt64(isDayFirst ? day.month : day.day), width: 2)
      target.append(separator)
      append(year: day.year, to: &target)
    }
  }

  /// Adds a year in four digits or more; one before Christ is counted from there.
  private static func append(year: Int, to target: inout ByteBuilder) {
    let shown = UInt64(year <= 0 ? 1 - year : year)
    if shown < 10_000 {
      target.append(digits: shown, width: 4)
    } else {
      target.append(digits: shown)
    }
  }

  /// Adds a time of day: `04:05:06.789`.
  package static func append(time: Int64, to target: inout ByteBuilder) {
    let microseconds = UInt64(time.magnitude)
    let seconds = microseconds / 1_000_000
    let hours = seconds / 3600
    if hours < 100 { target.append(digits: hours, width: 2) } else { target.append(digits: hours) }
    target.append(UInt8(ascii: ":"))
    target.append(digits: seconds / 60 % 60, width: 2)
    target.append(UInt8(ascii: ":"))
    target.append(digits: seconds % 60, width: 2)
    appendFraction(microseconds % 1_000_000, to: &target)
  }

  /// Adds a point and the digits of a fraction without zeros at the end.
  static func appendFraction(_ microseconds: UInt64, to target: inout ByteBuilder) {
    guard microseconds != 0 else { return }
    target.append(UInt8(ascii: "."))
    var value = microseconds
    var width = 6
    while value % 10 == 0 {
      value /= 10
      width -= 1
    }
    target.append(digits: value, width: width)
  }

  /// Adds a timestamp; `separator` is a space, or the T of JSON.
  package static func append(
    timestamp: Int64, separator: UInt8 = 32, _ style: ValueStyle.Dates = .iso,
    _ order: ValueStyle.Order = .monthFirst, to target: inout ByteBuilder
  ) {
    guard Calendar.isFinite(timestamp: timestamp) else {
      target.append(timestamp > 0 ? "infinity" : "-infinity")
      return
    }
    if append(local: timestamp, separator, style, order, to: &target) { target.append(" BC") }
  }

  /// Adds a timestamp without the mark of a year before Christ, and says whether that is to follow.
  private static func append(
    local timestamp: Int64, _ separator: UInt8, _ style: ValueStyle.Dates,
    _ order: ValueStyle.Order, to target: inout ByteBuilder
  ) -> Bool {
    let (number, time) = Calendar.split(timestamp)
    let day = CivilDate(days: Int(number))
    guard style == .postgres else {
      append(day, style, order, nil, to: &target)
      target.append(separator)
      append(time: time, to: &target)
      return day.year <= 0
    }
    // Thu Jan 27 10:11:12 2025
    let month = DateTimeNames.shortMonths[day.month - 1]
    target.append(DateTimeNames.shortDays[CivilDate.weekday(days: Int(number))])
    target.append(UInt8(ascii: " "))
    if order == .dayFirst {
      target.append(digits: UInt64(day.day), width: 2)
      target.append(UInt8(ascii: " "))
      target.append(month)
    } else {
      target.append(month)
      target.append(UInt8(ascii: " "))
      target.append(digits: UInt64(day.day), width: 2)
    }
    target.append(UInt8(ascii: " "))
    append(time: time, to: &target)
    target.append(UInt8(ascii: " "))
    append(year: day.year, to: &target)
    return day.year <= 0
  }

  /// Adds a timestamptz as the clocks of `zone` show it: `2025-01-27 10:11:12+01`.
  package static func append(
    timestamptz: Int64, zone: TimeZoneRules, separator: UInt8 = 32, isJSON: Bool = false,
    _ style: ValueStyle.Dates = .iso, _ order: ValueStyle.Order = .monthFirst,
    to target: inout ByteBuilder
  ) {
    guard Calendar.isFinite(timestamp: timestamptz) else {
      target.append(timestamptz > 0 ? "infinity" : "-infinity")
      return
    }
    let period = zone.period(at: TimeZoneRules.unixSeconds(timestamptz))
    let local = timestamptz &+ Int64(period.offset) &* 1_000_000
    let isBefore = append(local: local, separator, style, order, to: &target)
    if style == .iso {
      append(offset: period.offset, withMinutes: isJSON, to: &target)
    } else {
      target.append(UInt8(ascii: " "))
      target.append(period.abbreviation)
    }
    if isBefore { target.append(" BC") }
  }

  /// Adds the distance from UTC: `+00`, `+05:30`; JSON always has minutes.
  static func append(offset: Int, withMinutes: Bool, to target: inout ByteBuilder) {
    target.append(offset < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    let seconds = UInt64(offset.magnitude)
    target.append(digits: seconds / 3600, width: 2)
    if seconds % 3600 != 0 || withMinutes {
      target.append(UInt8(ascii: ":"))
      target.append(digits: seconds / 60 % 60, width: 2)
    }
    if seconds % 60 != 0 {
      target.append(UInt8(ascii: ":"))
      target.append(digits: seconds % 60, width: 2)
    }
  }
}
