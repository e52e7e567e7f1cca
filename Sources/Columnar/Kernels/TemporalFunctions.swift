package import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The other functions of dates and times.
package enum TemporalFunctions {
  /// The zone of a name.
  ///
  /// - Throws: 22023.
  static func zone(_ name: TextBytes) throws(SQLError) -> TimeZoneRules {
    if let zone = TimeZoneRules.named(name.string) { return zone }
    throw SQLError(.invalidParameterValue, "time zone \"\(name.string)\" not recognized")
  }

  /// Which clock is read.
  package enum Clock: Sendable { case transaction, statement, wall }

  /// `now()`, `statement_timestamp()`, `clock_timestamp()`.
  package static func now(_ clock: Clock) -> ScalarKernel {
    { (_: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let time: Int64
      switch clock {
      case .transaction: time = context.transactionTime
      case .statement: time = context.statementTime
      case .wall: time = wallTime()
      }
      return Vector(constant: .int64(time), type: .timestamptz, count: count)
    }
  }

  /// Microseconds since 2000-01-01 UTC.
  package static func wallTime() -> Int64 {
    var time = timespec()
    unsafe _ = clock_gettime(CLOCK_REALTIME, &time)
    return (Int64(time.tv_sec) &- 946_684_800) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
  }

  /// `age(later, earlier)`: years, months and days as a calendar counts them.
  package static func age(
    _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    var arguments = arguments
    let isZoned = arguments[0].type == .timestamptz
    let zone = isZoned ? TimeZoneRules.named(context.timeZone) ?? .utc : .utc
    if arguments.count == 1 {
      let local = (TimeZoneRules.named(context.timeZone) ?? .utc).local(context.transactionTime)
      let today = Calendar.split(local).day * Calendar.microsecondsPerDay
      let start = isZoned ? zone.universal(today) : today
      arguments.insert(
        Vector(constant: .int64(start), type: arguments[0].type, count: count), at: 0)
    }
    return try RowLoop.mapValid(arguments, count, .interval, Int64.self, Int64.self) {
      (later, earlier) throws(SQLError) -> Interval in
      guard Calendar.isFinite(timestamp: later) && Calendar.isFinite(timestamp: earlier) else {
        throw TemporalArithmetic.timestampOutOfRange
      }
      let a = isZoned ? zone.local(later) : later
      let b = isZoned ? zone.local(earlier) : earlier
      if a < b { return try Interval.negate(span(from: a, to: b)) }
      return span(from: b, to: a)
    }
  }

  /// The calendar span between two times.
  private static func span(from start: Int64, to end: Int64) -> Interval {
    let (startDay, startTime) = Calendar.split(start)
    let (endDay, endTime) = Calendar.split(end)
    let a = CivilDate(days: Int(startDay))
    let b = CivilDate(days: Int(endDay))
    var time = endTime - startTime
    var days = b.day - a.day
    var months = b.month - a.month + (b.year - a.year) * 12
    if time < 0 {
      time += Calendar.microsecondsPerDay
      days -= 1
    }
    while days < 0 {
      // Days are borrowed from the month of the earlier time, whichever way it runs.
      days += CivilDate.length(ofMonth: a.month, year: a.year)
      months -= 1
    }
    return Interval(
      months: Int32(truncatingIfNeeded: months), days: Int32(truncatingIfNeeded: days),
      microseconds: time)
  }

  /// `make_date(year, month, day)`; negative years are BC.
  ///
  /// - Throws: 22008.
  package static func makeDate(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let years = Operand(arguments[0], Int32.self)
    let months = Operand(arguments[1], Int32.self)
    let days = Operand(arguments[2], Int32.self)
    return try TextLoop.compute(arguments, count, .date) { (row) throws(SQLError) -> Int32 in
      try TemporalArithmetic.checked(Int64(day(years[row], months[row], days[row])))
    }
  }

  private static func day(_ year: Int32, _ month: Int32, _ day: Int32) throws(SQLError) -> Int {
    let civil = year < 0 ? Int(year) + 1 : Int(year)
    guard year != 0, (1...12).contains(month), day >= 1,
      Int(day) <= CivilDate.length(ofMonth: Int(month), year: civil)
    else {
      throw SQLError(
        .datetimeOverflow, "date field value out of range: \(year)-\(padded(month))-\(padded(day))")
    }
    return CivilDate(year: civil, month: Int(month), day: Int(day)).days
  }

  private static func padded(_ value: Int32) -> String {
    (0...9).contains(value) ? "0\(value)" : "\(value)"
  }

  private static func time(
    _ hour: Int32, _ minute: Int32, _ second: Double
  ) throws(SQLError) -> Int64 {
    let isWhole = hour == 24 && minute == 0 && second == 0
    guard (0...23).contains(hour) || isWhole, (0...59).contains(minute), second >= 0, second <= 60
    else {
      throw SQLError(
        .datetimeOverflow,
        "time field value out of range: \(hour):\(padded(minute)):\(Numeric.short(second))")
    }
    return Int64(hour) * 3_600_000_000 + Int64(minute) * 60_000_000
      + Int64((second * 1_000_000).rounded(.toNearestOrEven))
  }

  /// `make_time(hour, minute, second)`.
  ///
  /// - Throws: 22008.
  package static func makeTime(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let hours = Operand(arguments[0], Int32.self)
    let minutes = Operand(arguments[1], Int32.self)
    let seconds = Operand(arguments[2], Double.self)
    return try TextLoop.compute(arguments, count, .time) { (row) throws(SQLError) -> Int64 in
      try time(hours[row], minutes[row], seconds[row])
    }
  }

  /// `make_timestamp(…)` and `make_timestamptz(… [, zone])`.
  ///
  /// - Throws: 22008, 22023.
  package static func makeTimestamp(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let parts = (0..<5).map { Operand(arguments[$0], Int32.self) }
      let seconds = Operand(arguments[5], Double.self)
      let zones = arguments.count > 6 ? Operand(arguments[6]) : nil
      let session = TimeZoneRules.named(context.timeZone) ?? .utc
      return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Int64 in
        let day = try day(parts[0][row], parts[1][row], parts[2][row])
        let time = try time(parts[3][row], parts[4][row], seconds[row])
        let start = try TemporalArithmetic.midnight(try TemporalArithmetic.checked(Int64(day)))
        let local = start + time
        if type != .timestamptz { return local }
        let zone = try zones.map { (names) throws(SQLError) in try self.zone(names.bytes(row)) }
        return (zone ?? session).universal(local)
      }
    }
  }

  /// `make_interval(years, months, weeks, days, hours, mins, secs)`; those left out are 0.
  ///
  /// - Throws: 22008.
  package static func makeInterval(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let parts = arguments.prefix(6).map { Operand($0, Int32.self) }
    let seconds = arguments.count > 6 ? Operand(arguments[6], Double.self) : nil
    if arguments.isEmpty {
      return Vector(constant: .interval(Interval()), type: .interval, count: count)
    }
    return try TextLoop.compute(arguments, count, .interval) { (row) throws(SQLError) -> Interval in
      let values = (0..<6).map { $0 < parts.count ? Int64(parts[$0][row]) : 0 }
      let micro = ((seconds?[row] ?? 0) * 1_000_000).rounded(.toNearestOrEven)
      guard let months = Int32(exactly: values[0] * 12 + values[1]),
        let days = Int32(exactly: values[2] * 7 + values[3]), let rest = Int64(exactly: micro)
      else { throw SQLError(.datetimeOverflow, "interval out of range") }
      let (sum, overflow) = (values[4] * 3_600_000_000 + values[5] * 60_000_000)
        .addingReportingOverflow(rest)
      if overflow { throw SQLError(.datetimeOverflow, "interval out of range") }
      return Interval(months: months, days: days, microseconds: sum)
    }
  }

  /// `to_timestamp(seconds since 1970)`.
  ///
  /// - Throws: 22008.
  package static func fromEpoch(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .timestamptz, Double.self) {
      (seconds) throws(SQLError) -> Int64 in
      if seconds.isNaN { throw SQLError(.datetimeOverflow, "timestamp cannot be NaN") }
      if seconds.isInfinite { return seconds > 0 ? .max : .min }
      let whole = ((seconds - 946_684_800) * 1_000_000).rounded(.toNearestOrEven)
      guard let time = Int64(exactly: whole), Calendar.timestampRange.contains(time) else {
        throw SQLError(
          .datetimeOverflow, "timestamp out of range: \"\(Numeric.short(seconds))\"")
      }
      return time
    }
  }

  /// `timezone(zone, value)`, also `value AT TIME ZONE zone`: from timestamp to timestamptz and back.
  ///
  /// - Throws: 22023.
  package static func atTimeZone(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let times = Operand(arguments[1], Int64.self)
      let target: LogicalType = type == .timestamptz ? .timestamp : .timestamptz
      let isSpan = arguments[0].type == .interval
      let names = isSpan ? nil : Operand(arguments[0])
      let spans = isSpan ? Operand(arguments[0], Interval.self) : nil
      return try TextLoop.compute(arguments, count, target) { (row) throws(SQLError) -> Int64 in
        var zone = TimeZoneRules.utc
        if let names { zone = try self.zone(names.bytes(row)) }
        if let spans {
          zone = TimeZoneRules(name: "", offset: Int(spans[row].microseconds / 1_000_000))
        }
        return type == .timestamptz ? zone.local(times[row]) : zone.universal(times[row])
      }
    }
  }

  /// How an interval is brought into shape.
  package enum Justification: Sendable { case hours, days, both }

  /// `justify_hours`, `justify_days`, `justify_interval`.
  ///
  /// - Throws: 22008.
  package static func justify(_ justification: Justification) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      try RowLoop.mapValid(arguments, count, .interval, Interval.self) {
        (span) throws(SQLError) -> Interval in
        switch justification {
        case .hours: try Interval.justifyHours(span)
        case .days: try Interval.justifyDays(span)
        case .both: try Interval.justify(span)
        }
      }
    }
  }

  /// `isfinite(value)`.
  package static func isFinite(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    switch arguments[0].type.physical {
    case .int32:
      RowLoop.map(arguments, count, .boolean, Int32.self) { date -> UInt8 in
        UInt8(truncatingIfNeeded: bit(Calendar.isFinite(date: date)))
      }
    case .int64:
      RowLoop.map(arguments, count, .boolean, Int64.self) { time -> UInt8 in
        UInt8(truncatingIfNeeded: bit(Calendar.isFinite(timestamp: time)))
      }
    default: RowLoop.map(arguments, count, .boolean, Interval.self) { _ -> UInt8 in 1 }
    }
  }

  /// `date_bin(stride, time, origin)`.
  ///
  /// - Throws: 22008 for a stride that is not positive or has months.
  package static func bin(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let strides = Operand(arguments[0], Interval.self)
      let times = Operand(arguments[1], Int64.self)
      let origins = Operand(arguments[2], Int64.self)
      return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Int64 in
        let stride = strides[row]
        if stride.months != 0 {
          throw SQLError(
            .featureNotSupported,
            "timestamps cannot be binned into intervals containing months or years")
        }
        let length = Int64(stride.days) * Calendar.microsecondsPerDay + stride.microseconds
        if length <= 0 {
          throw SQLError(.datetimeOverflow, "stride must be greater than zero")
        }
        let time = times[row]
        guard Calendar.isFinite(timestamp: time) else { return time }
        let (distance, overflow) = time.subtractingReportingOverflow(origins[row])
        if overflow { throw TemporalArithmetic.timestampOutOfRange }
        let rest = distance % length
        let (result, under) = time.subtractingReportingOverflow(rest < 0 ? rest + length : rest)
        return try TemporalArithmetic.checked(timestamp: result, under)
      }
    }
  }

  /// `overlaps(start, end, start, end)` of two periods, half open; all of one type.
  package static func overlaps(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let isDate = arguments[0].type == .date
    let sides = isDate ? arguments.map { MixedOperands.widen($0, to: .timestamp) } : arguments
    let times = sides.map { Operand($0, Int64.self) }
    return try TextLoop.compute(sides, count, .boolean) { row -> UInt8 in
      let a = (min(times[0][row], times[1][row]), max(times[0][row], times[1][row]))
      let b = (min(times[2][row], times[3][row]), max(times[2][row], times[3][row]))
      if a.0 == b.0 { return 1 }
      return UInt8(truncatingIfNeeded: bit(a.0 < b.0 ? b.0 < a.1 : a.0 < b.1))
    }
  }
}

extension Numeric {
  /// A double as `%g` writes it: for messages.
  static func short(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}
