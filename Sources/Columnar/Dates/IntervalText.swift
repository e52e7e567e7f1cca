/// The text of intervals, in each form of `IntervalStyle`.
package enum IntervalText {
  package static func append(
    _ value: Interval, _ style: ValueStyle.Intervals = .postgres, to target: inout ByteBuilder
  ) {
    let parts = Parts(value)
    switch style {
    case .postgres: appendPlain(value, parts, to: &target)
    case .verbose: appendVerbose(parts, to: &target)
    case .sqlStandard: appendStandard(value, parts, to: &target)
    case .iso8601: appendISO(parts, to: &target)
    }
  }

  /// An interval taken apart; every field has its own sign.
  private struct Parts {
    let years: Int64
    let months: Int64
    let days: Int64
    let hours: Int64
    let minutes: Int64
    /// Seconds with their fraction, in microseconds.
    let seconds: Int64

    init(_ value: Interval) {
      years = Int64(value.months / 12)
      months = Int64(value.months % 12)
      days = Int64(value.days)
      hours = value.microseconds / Calendar.microsecondsPerHour
      minutes = value.microseconds / Calendar.microsecondsPerMinute % 60
      seconds = value.microseconds % Calendar.microsecondsPerMinute
    }
  }

  /// Writes `1 year 2 mons -3 days +04:05:06`.
  private static func appendPlain(
    _ value: Interval, _ parts: Parts, to target: inout ByteBuilder
  ) {
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
    unit(parts.years, " year", &target)
    unit(parts.months, " mon", &target)
    unit(parts.days, " day", &target)
    guard isFirst || value.microseconds != 0 else { return }
    if !isFirst { target.append(UInt8(ascii: " ")) }
    if value.microseconds < 0 {
      target.append(UInt8(ascii: "-"))
    } else if isAfterNegative {
      target.append(UInt8(ascii: "+"))
    }
    DateTimeText.append(time: value.microseconds, to: &target)
  }

  /// `@ 1 year 2 mons -3 days 4 hours 5 mins 6 secs`, or with `ago` where the first field is negative.
  private static func appendVerbose(_ parts: Parts, to target: inout ByteBuilder) {
    target.append(UInt8(ascii: "@"))
    var isFirst = true
    var isAgo = false
    func unit(_ number: Int64, _ name: StaticString, _ target: inout ByteBuilder) {
      guard number != 0 else { return }
      if isFirst { isAgo = number < 0 }
      isFirst = false
      let shown = isAgo ? 0 &- number : number
      target.append(UInt8(ascii: " "))
      target.append(integer: shown)
      target.append(name)
      if shown != 1 { target.append(UInt8(ascii: "s")) }
    }
    unit(parts.years, " year", &target)
    unit(parts.months, " mon", &target)
    unit(parts.days, " day", &target)
    unit(parts.hours, " hour", &target)
    unit(parts.minutes, " min", &target)
    if parts.seconds != 0 {
      if isFirst { isAgo = parts.seconds < 0 }
      isFirst = false
      target.append(UInt8(ascii: " "))
      if (parts.seconds < 0) != isAgo { target.append(UInt8(ascii: "-")) }
      let magnitude = parts.seconds.magnitude
      target.append(digits: magnitude / 1_000_000)
      DateTimeText.appendFraction(magnitude % 1_000_000, to: &target)
      target.append(magnitude == 1_000_000 ? " sec" : " secs")
    }
    if isFirst { target.append(" 0") }
    if isAgo { target.append(" ago") }
  }

  /// `1-2`, `3 4:05:06`, or `+1-2 -3 +4:05:06` for what SQL's two kinds of intervals do not have.
  private static func appendStandard(
    _ value: Interval, _ parts: Parts, to target: inout ByteBuilder
  ) {
    let hasMonths = value.months != 0
    let hasDays = value.days != 0 || value.microseconds != 0
    if !hasMonths && !hasDays { return target.append("0") }
    let isNegative = value.months < 0 || value.days < 0 || value.microseconds < 0
    let isPositive = value.months > 0 || value.days > 0 || value.microseconds > 0
    func sign(_ isNegative: Bool, _ target: inout ByteBuilder) {
      target.append(isNegative ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    }
    func yearsAndMonths(_ target: inout ByteBuilder) {
      target.append(digits: parts.years.magnitude)
      target.append(UInt8(ascii: "-"))
      target.append(digits: parts.months.magnitude)
    }
    func clock(_ target: inout ByteBuilder) {
      target.append(digits: parts.hours.magnitude)
      target.append(UInt8(ascii: ":"))
      target.append(digits: parts.minutes.magnitude, width: 2)
      target.append(UInt8(ascii: ":"))
      let seconds = parts.seconds.magnitude
      target.append(digits: seconds / 1_000_000, width: 2)
      DateTimeText.appendFraction(seconds % 1_000_000, to: &target)
    }
    if (isNegative && isPositive) || (hasMonths && hasDays) {
      sign(value.months < 0, &target)
      yearsAndMonths(&target)
      target.append(UInt8(ascii: " "))
      sign(value.days < 0, &target)
      target.append(digits: parts.days.magnitude)
      target.append(UInt8(ascii: " "))
      sign(value.microseconds < 0, &target)
      return clock(&target)
    }
    if isNegative { target.append(UInt8(ascii: "-")) }
    if hasMonths { return yearsAndMonths(&target) }
    if value.days != 0 {
      target.append(digits: parts.days.magnitude)
      target.append(UInt8(ascii: " "))
    }
    clock(&target)
  }

  /// Writes `P1Y2M-3DT4H5M6S`.
  private static func appendISO(_ parts: Parts, to target: inout ByteBuilder) {
    target.append(UInt8(ascii: "P"))
    var isFirst = true
    func unit(_ number: Int64, _ letter: UInt8, _ target: inout ByteBuilder) {
      guard number != 0 else { return }
      target.append(integer: number)
      target.append(letter)
      isFirst = false
    }
    unit(parts.years, UInt8(ascii: "Y"), &target)
    unit(parts.months, UInt8(ascii: "M"), &target)
    unit(parts.days, UInt8(ascii: "D"), &target)
    let hasTime = parts.hours != 0 || parts.minutes != 0 || parts.seconds != 0
    if isFirst && !hasTime { return target.append("T0S") }
    guard hasTime else { return }
    target.append(UInt8(ascii: "T"))
    unit(parts.hours, UInt8(ascii: "H"), &target)
    unit(parts.minutes, UInt8(ascii: "M"), &target)
    guard parts.seconds != 0 else { return }
    if parts.seconds < 0 { target.append(UInt8(ascii: "-")) }
    target.append(digits: parts.seconds.magnitude / 1_000_000)
    DateTimeText.appendFraction(parts.seconds.magnitude % 1_000_000, to: &target)
    target.append(UInt8(ascii: "S"))
  }
}
