package import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The other functions of dates and times.
package enum TemporalFunctions {
  /// Which clock is read.
  package enum Clock: Sendable { case transaction, statement, wall }

  /// `now()`, `statement_timestamp()`, `clock_timestamp()`.
  package static func now(_ clock: Clock) -> ScalarKernel {
    { (_: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let time: Int64
      switch clock {
      case .transaction: time = context.transactionTime
      case .statement: time = context.statementTime
      case .wall: time = context.surroundings.time ?? wallTime()
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
    let zone = isZoned ? context.style.zone : .utc
    if arguments.count == 1 {
      let local = context.style.zone.local(context.transactionTime)
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
      return try span(from: b, to: a, isNegative: later < earlier)
    }
  }

  /// The calendar span between two times, field by field; days are borrowed from the month of the earlier one.
  private static func span(
    from start: Int64, to end: Int64, isNegative: Bool
  ) throws(SQLError) -> Interval {
    let (startDay, startTime) = Calendar.split(start)
    let (endDay, endTime) = Calendar.split(end)
    let a = CivilDate(days: Int(startDay))
    let b = CivilDate(days: Int(endDay))
    let sign = isNegative ? -1 : 1
    var time = (endTime - startTime) * Int64(sign)
    var days = (b.day - a.day) * sign
    var months = (b.month - a.month + (b.year - a.year) * 12) * sign
    while time < 0 {
      time += Calendar.microsecondsPerDay
      days -= 1
    }
    let lender = isNegative ? b : a
    while days < 0 {
      days += CivilDate.length(ofMonth: lender.month, year: lender.year)
      months -= 1
    }
    let span = Interval(
      months: Int32(truncatingIfNeeded: months), days: Int32(truncatingIfNeeded: days),
      microseconds: time)
    return isNegative ? try Interval.negate(span) : span
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
    let rest = (second * 1_000_000).rounded(.toNearestOrEven)
    if (0...24).contains(hour), (0...59).contains(minute), rest >= 0, rest <= 60_000_000 {
      let time = Int64(hour) * 3_600_000_000 + Int64(minute) * 60_000_000 + Int64(rest)
      if time <= Calendar.microsecondsPerDay { return time }
    }
    throw SQLError(
      .datetimeOverflow,
      "time field value out of range: \(hour):\(padded(minute)):\(Numeric.short(second))")
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
      let session = context.style.zone
      return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Int64 in
        let day = try day(parts[0][row], parts[1][row], parts[2][row])
        let time = try time(parts[3][row], parts[4][row], seconds[row])
        let local = try TemporalArithmetic.timestamp(day: day, time)
        if type != .timestamptz { return local }
        let zone = try zones.map { (names) throws(SQLError) in
          try SpelledZone(numeric: names.bytes(row))
        }
        let moment = (zone ?? SpelledZone(session)).universal(local)
        return try TemporalArithmetic.checked(timestamp: moment, false)
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
      func part(_ index: Int) -> Int32 { index < parts.count ? parts[index][row] : 0 }
      let rest = ((seconds?[row] ?? 0) * 1_000_000).rounded(.toNearestOrEven)
      // Fields that 32 bits do not hold go on from the other end of their range, as they do in PostgreSQL.
      let time =
        Int64(part(4)) * Calendar.microsecondsPerHour
        + Int64(part(5)) * Calendar.microsecondsPerMinute
      guard rest.isFinite else { throw Interval.overflow }
      return Interval(
        months: part(0) &* 12 &+ part(1), days: part(2) &* 7 &+ part(3),
        microseconds: time &+ Numeric.machineInteger(rest))
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
    case .bool, .int16, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      RowLoop.map(arguments, count, .boolean, Interval.self) { _ -> UInt8 in 1 }
    }
  }
}

extension Numeric {
  /// A double as `%g` writes it: for messages.
  static func short(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }

  /// A double without its fraction; the least number for one that 64 bits do not hold, as the machine has it.
  static func machineInteger(_ value: Double) -> Int64 {
    Int64(exactly: value.rounded(.towardZero)) ?? .min
  }
}
