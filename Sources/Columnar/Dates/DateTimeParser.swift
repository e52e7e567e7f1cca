package import Diagnostics

/// Reads dates and times in the forms that PostgreSQL takes, month before day.
///
/// Sendable, and cheap to make: one for each statement.
package struct DateTimeParser: Sendable {
  /// The transaction's time, for `now` and its kin.
  let now: Int64
  /// The zone of a time that names none.
  let zone: TimeZoneRules

  package init(now: Int64 = 0, zone: TimeZoneRules = .utc) {
    self.now = now
    self.zone = zone
  }

  /// The parser of a statement.
  package init(_ context: EvaluationContext) {
    self.init(now: context.transactionTime, zone: .named(context.timeZone) ?? .utc)
  }

  /// - Throws: 22007, 22008, 22009.
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
    let day = try fields.day(text, "date")
    guard let narrow = Int32(exactly: day), Calendar.dateRange.contains(narrow) else {
      throw Self.outOfRange("date", text)
    }
    return narrow
  }

  /// - Throws: 22007, 22008, 22009.
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
    return try Self.combine(fields.day(text, "timestamp"), fields.time, 0, text)
  }

  /// - Throws: 22007, 22008, 22009.
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
    let day = try fields.day(text, "timestamp with time zone")
    if let offset = fields.offset {
      return try Self.combine(day, fields.time, Int64(offset), text)
    }
    let local = try Self.combine(day, fields.time, 0, text)
    return (fields.zone ?? zone).universal(local)
  }

  /// - Throws: 22007, 22008.
  package func time(_ text: TextBytes) throws(SQLError) -> Int64 {
    let fields = try DateTimeFields(text, "time", self, isTime: true)
    if fields.special == .now { return Calendar.split(zone.local(now)).time }
    guard fields.special == nil, fields.hasTime else {
      throw Self.invalid("time", text)
    }
    // What the clocks of a place show depends on the day.
    if let zone = fields.zone, !zone.isFixed, fields.year == nil, fields.wholeDay == nil {
      throw Self.invalid("time", text)
    }
    return fields.time
  }

  /// - Throws: 22007, 22008, 22009.
  package func timetz(_ text: TextBytes) throws(SQLError) -> Int64 {
    let fields = try DateTimeFields(text, "time with time zone", self, isTime: true)
    let seconds = TimeZoneRules.unixSeconds(now)
    if fields.special == .now {
      return TimeWithZone(
        time: Calendar.split(zone.local(now)).time, offset: zone.offset(at: seconds)
      ).rawValue
    }
    guard fields.special == nil, fields.hasTime else {
      throw Self.invalid("time with time zone", text)
    }
    if let offset = fields.offset {
      return TimeWithZone(time: fields.time, offset: offset).rawValue
    }
    let rules = fields.zone ?? zone
    var offset = rules.offset(at: seconds)
    if fields.year != nil || fields.wholeDay != nil {
      let local = try Self.combine(
        fields.day(text, "time with time zone"), fields.time, 0, text)
      offset = Int((local - rules.universal(local)) / 1_000_000)
    } else if fields.zone != nil, !rules.isFixed {
      throw Self.invalid("time with time zone", text)
    }
    return TimeWithZone(time: fields.time, offset: offset).rawValue
  }

  static func combine(_ day: Int, _ time: Int64, _ offset: Int64, _ text: TextBytes)
    throws(SQLError) -> Int64
  {
    let (whole, overflow) = Int64(day).multipliedReportingOverflow(by: 86_400_000_000)
    let (sum, carried) = whole.addingReportingOverflow(time &- offset &* 1_000_000)
    guard !overflow && !carried && Calendar.timestampRange.contains(sum) else {
      throw outOfRange("timestamp", text)
    }
    return sum
  }

  static func outOfRange(_ type: String, _ text: TextBytes) -> SQLError {
    SQLError(.datetimeOverflow, "\(type) out of range: \"\(text.string)\"")
  }

  static func fieldOutOfRange(_ text: TextBytes, hint: Bool) -> SQLError {
    SQLError(
      .datetimeOverflow, "date/time field value out of range: \"\(text.string)\"",
      hint: hint ? "Perhaps you need a different \"datestyle\" setting." : nil)
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
