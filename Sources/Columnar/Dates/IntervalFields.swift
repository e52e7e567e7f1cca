/// The fields of an interval while its text is read: each is checked as it grows.
struct IntervalFields {
  typealias Problem = DateTimeFields.Problem

  var years: Int32 = 0
  var months: Int32 = 0
  var days: Int32 = 0
  var microseconds: Int64 = 0

  /// Adds a whole number of units and a part of one.
  ///
  /// What is left of years becomes months, of months and weeks days (a month has 30), of days time.
  mutating func add(_ whole: Int64, _ part: Double, _ unit: IntervalUnit) throws(Problem) {
    switch unit {
    case .microsecond: try addTime(whole, part, 1)
    case .millisecond: try addTime(whole, part, 1000)
    case .second: try addTime(whole, part, Calendar.microsecondsPerSecond)
    case .minute: try addTime(whole, part, Calendar.microsecondsPerMinute)
    case .hour: try addTime(whole, part, Calendar.microsecondsPerHour)
    case .day:
      try Self.add(whole, 1, to: &days)
      try addTime(0, part, Calendar.microsecondsPerDay)
    case .week:
      try Self.add(whole, 7, to: &days)
      try addDays(part * 7)
    case .month:
      try Self.add(whole, 1, to: &months)
      try addDays(part * 30)
    case .year: try addYears(whole, part, 1)
    case .decade: try addYears(whole, part, 10)
    case .century: try addYears(whole, part, 100)
    case .millennium: try addYears(whole, part, 1000)
    }
  }

  /// `whole * unit + target` in 32 bits.
  private static func add(
    _ whole: Int64, _ unit: Int32, to target: inout Int32
  ) throws(Problem) {
    guard let narrow = Int32(exactly: whole) else { throw .field }
    let product = narrow.multipliedReportingOverflow(by: unit)
    let sum = target.addingReportingOverflow(product.partialValue)
    if product.overflow || sum.overflow { throw .field }
    target = sum.partialValue
  }

  private mutating func addYears(_ whole: Int64, _ part: Double, _ unit: Int32) throws(Problem) {
    try Self.add(whole, unit, to: &years)
    let rest = (part * Double(unit) * 12).rounded(.toNearestOrEven)
    try Self.add(Int64(rest), 1, to: &months)
  }

  private mutating func addDays(_ value: Double) throws(Problem) {
    let whole = value.rounded(.towardZero)
    try Self.add(Int64(whole), 1, to: &days)
    try addTime(0, value - whole, Calendar.microsecondsPerDay)
  }

  private mutating func addTime(_ whole: Int64, _ part: Double, _ unit: Int64) throws(Problem) {
    let product = whole.multipliedReportingOverflow(by: unit)
    let sum = microseconds.addingReportingOverflow(product.partialValue)
    // A part is less than one, so that its microseconds are less than a day's; half of one is not rounded up.
    let rest = part * Double(unit)
    var extra = Int64(rest)
    let beyond = rest - Double(extra)
    if beyond > 0.5 { extra += 1 } else if beyond < -0.5 { extra -= 1 }
    let total = sum.partialValue.addingReportingOverflow(extra)
    if product.overflow || sum.overflow || total.overflow { throw .field }
    microseconds = total.partialValue
  }

  /// Takes the time of a clock in place of what was there.
  mutating func setTime(_ clock: ClockText) throws(Problem) {
    microseconds = clock.microsecond
    try addTime(clock.hour, 0, Calendar.microsecondsPerHour)
    try addTime(clock.minute, 0, Calendar.microsecondsPerMinute)
    try addTime(clock.second, 0, Calendar.microsecondsPerSecond)
  }

  /// Turns the sign of all fields.
  mutating func negate() throws(Problem) {
    guard years != .min, months != .min, days != .min, microseconds != .min else { throw .field }
    (years, months, days, microseconds) = (-years, -months, -days, -microseconds)
  }

  /// The interval; nil where its months are too many.
  var interval: Interval? {
    Int32(exactly: Int64(years) * 12 + Int64(months)).map {
      Interval(months: $0, days: days, microseconds: microseconds)
    }
  }
}
