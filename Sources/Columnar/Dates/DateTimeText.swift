/// The ISO text of dates and times.
package enum DateTimeText {
  /// Adds a date: `2025-01-27`, `0044-03-15 BC`, `infinity`.
  package static func append(date: Int32, to target: inout ByteBuilder) {
    if date == Calendar.dateInfinity {
      target.append("infinity")
    } else if date == Calendar.dateNegativeInfinity {
      target.append("-infinity")
    } else if appendDay(CivilDate(days: Int(date)), to: &target) {
      target.append(" BC")
    }
  }

  /// Adds year, month and day; true where the year is before Christ, which the caller is to say at the end.
  private static func appendDay(_ day: CivilDate, to target: inout ByteBuilder) -> Bool {
    let isBefore = day.year <= 0
    let year = UInt64(isBefore ? 1 - day.year : day.year)
    if year < 10_000 { target.append(digits: year, width: 4) } else { target.append(digits: year) }
    target.append(UInt8(ascii: "-"))
    target.append(digits: UInt64(day.month), width: 2)
    target.append(UInt8(ascii: "-"))
    target.append(digits: UInt64(day.day), width: 2)
    return isBefore
  }

  /// Adds a time of day: `04:05:06.789`.
  package static func append(time: Int64, to target: inout ByteBuilder) {
    let microseconds = UInt64(time.magnitude)
    let seconds = microseconds / 1_000_000
    appendPair(seconds / 3600, to: &target)
    target.append(UInt8(ascii: ":"))
    target.append(digits: seconds / 60 % 60, width: 2)
    target.append(UInt8(ascii: ":"))
    target.append(digits: seconds % 60, width: 2)
    appendFraction(microseconds % 1_000_000, to: &target)
  }

  private static func appendPair(_ value: UInt64, to target: inout ByteBuilder) {
    if value < 100 { target.append(digits: value, width: 2) } else { target.append(digits: value) }
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
    timestamp: Int64, separator: UInt8 = 32, to target: inout ByteBuilder
  ) {
    if appendLocal(timestamp, separator, to: &target) { target.append(" BC") }
  }

  private static func appendLocal(
    _ timestamp: Int64, _ separator: UInt8, to target: inout ByteBuilder
  ) -> Bool {
    guard Calendar.isFinite(timestamp: timestamp) else {
      target.append(timestamp > 0 ? "infinity" : "-infinity")
      return false
    }
    let (day, time) = Calendar.split(timestamp)
    let isBefore = appendDay(CivilDate(days: Int(day)), to: &target)
    target.append(separator)
    append(time: time, to: &target)
    return isBefore
  }

  /// Adds a timestamptz as the clocks of `zone` show it: `2025-01-27 10:11:12+01`.
  package static func append(
    timestamptz: Int64, zone: TimeZoneRules, separator: UInt8 = 32, isJSON: Bool = false,
    to target: inout ByteBuilder
  ) {
    guard Calendar.isFinite(timestamp: timestamptz) else {
      target.append(timestamptz > 0 ? "infinity" : "-infinity")
      return
    }
    let offset = zone.offset(at: TimeZoneRules.unixSeconds(timestamptz))
    let isBefore = appendLocal(timestamptz &+ Int64(offset) &* 1_000_000, separator, to: &target)
    append(offset: offset, withMinutes: isJSON, to: &target)
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

  /// Adds an interval: `1 year 2 mons -3 days +04:05:06`.
  package static func append(_ value: Interval, to target: inout ByteBuilder) {
    var isFirst = true
    var isAfterNegative = false
    func unit(_ number: Int64, _ name: StaticString, _ target: inout ByteBuilder) {
      guard number != 0 else { return }
      if !isFirst { target.append(UInt8(ascii: " ")) }
      if isAfterNegative && number > 0 { target.append(UInt8(ascii: "+")) }
      target.append(integer: number)
      target.append(name)
      if number != 1 { target.append(UInt8(ascii: "s")) }
      isAfterNegative = number < 0
      isFirst = false
    }
    unit(Int64(value.months / 12), " year", &target)
    unit(Int64(value.months % 12), " mon", &target)
    unit(Int64(value.days), " day", &target)
    guard isFirst || value.microseconds != 0 else { return }
    if !isFirst { target.append(UInt8(ascii: " ")) }
    if value.microseconds < 0 {
      target.append(UInt8(ascii: "-"))
    } else if isAfterNegative {
      target.append(UInt8(ascii: "+"))
    }
    append(time: value.microseconds, to: &target)
  }
}
