package import Diagnostics

/// Reads dates and times in the forms that PostgreSQL takes.
///
/// Sendable, and cheap to make: one for each statement.
package struct DateTimeParser: Sendable {
  /// The transaction's time, for `now` and its kin.
  let now: Int64
  /// The zone of a time that names none.
  let zone: TimeZoneRules
  /// Which number of a date comes first.
  let order: ValueStyle.Order
  /// How intervals are written, as a sign at their start may count for all fields.
  let intervals: ValueStyle.Intervals

  package init(now: Int64 = 0, style: ValueStyle = ValueStyle()) {
    self.now = now
    zone = style.zone
    order = style.order
    intervals = style.intervals
  }

  /// The parser of a statement.
  package init(_ context: EvaluationContext) {
    self.init(now: context.transactionTime, style: context.style)
  }

  /// - Throws: 22007, 22008, 22009, 22023.
  package func date(_ text: TextBytes) throws(SQLError) -> Int32 {
    if let day = Self.isoDay(text, upTo: text.count) { return Int32(day) }
    let fields = try DateTimeFields(text, "date", self)
    switch fields.special {
    case .infinity: return Calendar.dateInfinity
    case .negativeInfinity: return Calendar.dateNegativeInfinity
    case .epoch: return Int32(Calendar.unixEpochDay)
    case .now: return Int32(Calendar.split(zone.local(now)).day)
    case nil: break
    }
    guard fields.year.magnitude < 6_000_000, let narrow = Int32(exactly: fields.dayNumber),
      Calendar.dateRange.contains(narrow)
    else { throw Self.outOfRange("date", text) }
    return narrow
  }

  /// - Throws: 22007, 22008, 22009, 22023.
  package func timestamp(_ text: TextBytes) throws(SQLError) -> Int64 {
    if let fast = Self.isoTimestamp(text) { return fast }
    let fields = try DateTimeFields(text, "timestamp", self)
    switch fields.special {
    case .infinity: return Calendar.timestampInfinity
    case .negativeInfinity: return Calendar.timestampNegativeInfinity
    case .epoch: return Calendar.unixEpoch
    case .now: return zone.local(now)
    case nil: break
    }
    return try checked(try local(fields, text), text)
  }

  /// - Throws: 22007, 22008, 22009, 22023.
  package func timestamptz(_ text: TextBytes) throws(SQLError) -> Int64 {
    if zone.isFixed, let fast = Self.isoTimestamp(text) { return zone.universal(fast) }
    let fields = try DateTimeFields(text, "timestamp with time zone", self)
    switch fields.special {
    case .infinity: return Calendar.timestampInfinity
    case .negativeInfinity: return Calendar.timestampNegativeInfinity
    case .epoch: return Calendar.unixEpoch
    case .now: return now
    case nil: break
    }
    let local = try local(fields, text)
    let offset = offset(fields, local)
    let (moment, isTooLarge) = local.subtractingReportingOverflow(Int64(offset) * 1_000_000)
    if isTooLarge { throw Self.outOfRange("timestamp", text) }
    return try checked(moment, text)
  }

  /// - Throws: 22007, 22008, 22009, 22023.
  package func time(_ text: TextBytes) throws(SQLError) -> Int64 {
    try timeOfDay(text, "time").time
  }

  /// - Throws: 22007, 22008, 22009, 22023.
  package func timetz(_ text: TextBytes) throws(SQLError) -> Int64 {
    try timeOfDay(text, "time with time zone").rawValue
  }

  private func timeOfDay(_ text: TextBytes, _ type: String) throws(SQLError) -> TimeWithZone {
    var fields = try DateTimeFields(text, type, self, isTime: true)
    let today = Calendar.split(zone.local(now)).day
    if fields.special == .now {
      let local = zone.local(now)
      return TimeWithZone(
        time: Calendar.split(local).time, offset: Int((local - now) / 1_000_000))
    }
    let hasDate = fields.mask.isSuperset(of: .date)
    // What the clocks of a place show depends on the day.
    let isDayNeeded = !(fields.zone?.isFixed ?? true) || fields.abbreviation != nil
    let hasZone = fields.offset != nil || fields.zone != nil
    let isDayBroken = !hasZone && !fields.mask.isDisjoint(with: .date)
    if !hasDate && (isDayNeeded || isDayBroken) { throw Self.invalid(type, text) }
    if !hasDate {
      let civil = CivilDate(days: Int(today))
      (fields.year, fields.month, fields.day) = (civil.year, civil.month, civil.day)
    }
    let offset = offset(fields, try local(fields, text))
    return TimeWithZone(time: fields.time, offset: offset)
  }

  /// The seconds east of Greenwich that fields with a local time have.
  private func offset(_ fields: DateTimeFields, _ local: Int64) -> Int {
    if let rules = fields.zone { return rules.offset(wall: TimeZoneRules.unixSeconds(local)) }
    if let name = fields.abbreviation { return ZoneAbbreviation.offset(name, wall: local) }
    return fields.offset ?? zone.offset(wall: TimeZoneRules.unixSeconds(local))
  }

  /// What clocks show, whether or not a timestamp may be that far away.
  private func local(_ fields: DateTimeFields, _ text: TextBytes) throws(SQLError) -> Int64 {
    guard fields.year.magnitude < 6_000_000 else { throw Self.outOfRange("timestamp", text) }
    let (whole, isTooLarge) = Int64(fields.dayNumber)
      .multipliedReportingOverflow(by: Calendar.microsecondsPerDay)
    let (sum, isTooLong) = whole.addingReportingOverflow(fields.time)
    if isTooLarge || isTooLong { throw Self.outOfRange("timestamp", text) }
    return sum
  }

  private func checked(_ timestamp: Int64, _ text: TextBytes) throws(SQLError) -> Int64 {
    guard Calendar.timestampRange.contains(timestamp) else {
      throw Self.outOfRange("timestamp", text)
    }
    return timestamp
  }

  static func outOfRange(_ type: String, _ text: TextBytes) -> SQLError {
    SQLError(.datetimeOverflow, "\(type) out of range: \"\(text.string)\"")
  }

  static func fieldOutOfRange(_ text: TextBytes, hint: Bool) -> SQLError {
    SQLError(
      .datetimeOverflow, "date/time field value out of range: \"\(text.string)\"",
      hint: hint ? "Perhaps you need a different \"datestyle\" setting." : nil)
  }

  /// The error of a text that is no value of a type.
  static func error(
    _ problem: DateTimeFields.Problem, _ text: TextBytes, _ type: String
  ) -> SQLError {
    switch problem {
    case .format: invalid(type, text)
    case .field: fieldOutOfRange(text, hint: false)
    case .monthOrDay: fieldOutOfRange(text, hint: true)
    case .displacement:
      SQLError(SQLState("22009"), "time zone displacement out of range: \"\(text.string)\"")
    case .zone(let name):
      SQLError(.invalidParameterValue, "time zone \"\(name)\" not recognized")
    }
  }

  static func invalid(_ type: String, _ text: TextBytes) -> SQLError {
    SQLError(
      .invalidDatetimeFormat, "invalid input syntax for type \(type): \"\(text.string)\"")
  }

  /// The day of a text that is exactly `YYYY-MM-DD` in its first `length` bytes.
  @inline(__always)
  static func isoDay(_ text: TextBytes, upTo length: Int) -> Int? {
    guard length == 10, text[4] == 45, text[7] == 45 else { return nil }
    guard let upper = pair(text, 0), let lower = pair(text, 2), let month = pair(text, 5),
      let day = pair(text, 8)
    else { return nil }
    let year = upper &* 100 &+ lower
    guard year > 0 && month >= 1 && month <= 12 && day >= 1 else { return nil }
    guard day <= 28 || day <= CivilDate.length(ofMonth: month, year: year) else { return nil }
    return CivilDate(year: year, month: month, day: day).days
  }

  @inline(__always)
  private static func pair(_ text: TextBytes, _ at: Int) -> Int? {
    let tens = text[at] &- 48
    let ones = text[at &+ 1] &- 48
    guard tens < 10 && ones < 10 else { return nil }
    return Int(tens) &* 10 &+ Int(ones)
  }

  /// The timestamp of a text in the form `YYYY-MM-DD[ HH:MM:SS[.ffffff]]`.
  @inline(__always)
  static func isoTimestamp(_ text: TextBytes) -> Int64? {
    guard text.count >= 10, let day = isoDay(text, upTo: 10) else { return nil }
    let start = Int64(day) &* 86_400_000_000
    if text.count == 10 { return start }
    guard text.count >= 19, text.count <= 26, text[10] == 32 || text[10] == 84, text[13] == 58,
      text[16] == 58, let hour = pair(text, 11), let minute = pair(text, 14),
      let second = pair(text, 17), hour < 24 && minute < 60 && second < 60
    else { return nil }
    var fraction: Int64 = 0
    if text.count > 19 {
      guard text[19] == 46, text.count > 20 else { return nil }
      for position in 20..<26 {
        let digit = position < text.count ? text[position] &- 48 : 0
        guard digit < 10 else { return nil }
        fraction = fraction &* 10 &+ Int64(digit)
      }
    }
    let seconds = Int64(hour &* 3600 &+ minute &* 60 &+ second)
    return start &+ seconds &* 1_000_000 &+ fraction
  }
}
