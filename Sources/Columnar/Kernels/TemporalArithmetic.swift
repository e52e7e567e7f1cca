package import Diagnostics

/// Arithmetic of dates, times, timestamps and intervals.
package enum TemporalArithmetic {
  static let dateOutOfRange = SQLError(.datetimeOverflow, "date out of range")
  static let timestampOutOfRange = SQLError(.datetimeOverflow, "timestamp out of range")

  static func checked(_ date: Int64) throws(SQLError) -> Int32 {
    guard let narrow = Int32(exactly: date), Calendar.dateRange.contains(narrow) else {
      throw dateOutOfRange
    }
    return narrow
  }

  static func checked(timestamp: Int64, _ overflow: Bool) throws(SQLError) -> Int64 {
    if overflow || !Calendar.timestampRange.contains(timestamp) { throw timestampOutOfRange }
    return timestamp
  }

  /// A timestamp that may be infinite, and otherwise must be in range.
  ///
  /// - Throws: 22008.
  static func checked(moment: Int64) throws(SQLError) -> Int64 {
    Calendar.isFinite(timestamp: moment) ? try checked(timestamp: moment, false) : moment
  }

  /// The timestamp of a date's midnight.
  ///
  /// - Throws: 22008.
  package static func midnight(_ date: Int32) throws(SQLError) -> Int64 {
    if date == .max { return .max }
    if date == .min { return .min }
    let (result, overflow) = Int64(date).multipliedReportingOverflow(
      by: Calendar.microsecondsPerDay)
    if overflow || !Calendar.timestampRange.contains(result) {
      throw SQLError(.datetimeOverflow, "date out of range for timestamp")
    }
    return result
  }

  /// `timestamp + interval`: months first, then days, then time; on the way too nothing may be out of range.
  ///
  /// - Throws: 22008.
  package static func add(_ timestamp: Int64, _ span: Interval) throws(SQLError) -> Int64 {
    guard Calendar.isFinite(timestamp: timestamp) else { return timestamp }
    var result = timestamp
    if span.months != 0 {
      let (day, time) = Calendar.split(result)
      let later = CivilDate(days: Int(day)).adding(months: Int(span.months)).days
      result = try self.timestamp(day: later, time)
    }
    if span.days != 0 {
      let (day, time) = Calendar.split(result)
      result = try self.timestamp(day: Int(day) + Int(span.days), time)
    }
    let (sum, overflow) = result.addingReportingOverflow(span.microseconds)
    return try checked(timestamp: sum, overflow)
  }

  /// The timestamp of a time of a day.
  ///
  /// - Throws: 22008.
  static func timestamp(day: Int, _ time: Int64) throws(SQLError) -> Int64 {
    let (start, isTooLarge) = Int64(day).multipliedReportingOverflow(
      by: Calendar.microsecondsPerDay)
    let (result, overflow) = start.addingReportingOverflow(time)
    return try checked(timestamp: result, isTooLarge || overflow)
  }

  /// `timestamptz + interval`: months and days on the zone's calendar, time as it passes.
  ///
  /// - Throws: 22008.
  package static func add(
    _ timestamp: Int64, _ span: Interval, _ zone: TimeZoneRules
  ) throws(SQLError) -> Int64 {
    if zone.isFixed || (span.months == 0 && span.days == 0) { return try add(timestamp, span) }
    var result = timestamp
    let parts = [Interval(months: span.months), Interval(days: span.days)]
    for part in parts where part != Interval() {
      result = zone.universal(try add(zone.local(result), part))
    }
    return try add(result, Interval(microseconds: span.microseconds))
  }

  /// What is added in place of an interval that is subtracted: the least number of a field, which has no opposite, stays.
  package static func negated(_ span: Interval) -> Interval {
    Interval(
      months: 0 &- span.months, days: 0 &- span.days, microseconds: 0 &- span.microseconds)
  }

  /// `timestamp - timestamp`, in days and time.
  ///
  /// - Throws: 22008.
  static func difference(_ left: Int64, _ right: Int64) throws(SQLError) -> Interval {
    guard Calendar.isFinite(timestamp: left) && Calendar.isFinite(timestamp: right) else {
      throw SQLError(.datetimeOverflow, "cannot subtract infinite timestamps")
    }
    let (span, overflow) = left.subtractingReportingOverflow(right)
    if overflow { throw SQLError(.datetimeOverflow, "interval out of range") }
    return Interval(
      days: Int32(truncatingIfNeeded: span / Calendar.microsecondsPerDay),
      microseconds: span % Calendar.microsecondsPerDay)
  }

  /// What an operator does.
  package enum Operation: Sendable {
    case datePlusDays, daysPlusDate, dateMinusDays, dateMinusDate, datePlusTime, timePlusDate
    case datePlusInterval, intervalPlusDate, dateMinusInterval
    case timestampPlusInterval, intervalPlusTimestamp, timestampMinusInterval
    case zonedPlusInterval, intervalPlusZoned, zonedMinusInterval
    case timestampMinusTimestamp, timePlusInterval, intervalPlusTime, timeMinusInterval
    case timeMinusTime
    case intervalPlusInterval, intervalMinusInterval, intervalTimesNumber, numberTimesInterval
    case intervalDividedByNumber
  }

  /// The operation as a kernel.
  package static func kernel(_ operation: Operation) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      switch operation {
      case .daysPlusDate, .timePlusDate, .intervalPlusDate, .intervalPlusTimestamp,
        .intervalPlusZoned, .intervalPlusTime, .numberTimesInterval:
        return try compute(operation, [arguments[1], arguments[0]], count, context)
      case .datePlusDays, .dateMinusDays, .dateMinusDate, .datePlusTime, .datePlusInterval,
        .dateMinusInterval, .timestampPlusInterval, .timestampMinusInterval, .zonedPlusInterval,
        .zonedMinusInterval, .timestampMinusTimestamp, .timePlusInterval, .timeMinusInterval,
        .timeMinusTime, .intervalPlusInterval, .intervalMinusInterval, .intervalTimesNumber,
        .intervalDividedByNumber:
        return try compute(operation, arguments, count, context)
      }
    }
  }

  /// Takes the arguments with the date or time first.
  private static func compute(
    _ operation: Operation, _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    switch operation {
    case .datePlusDays, .daysPlusDate, .dateMinusDays, .dateMinusDate, .datePlusTime, .timePlusDate,
      .datePlusInterval, .intervalPlusDate, .dateMinusInterval:
      return try dates(operation, arguments, count)
    case .timestampPlusInterval, .intervalPlusTimestamp, .timestampMinusInterval,
      .zonedPlusInterval, .intervalPlusZoned, .zonedMinusInterval, .timestampMinusTimestamp:
      return try timestamps(operation, arguments, count, context)
    case .timePlusInterval, .intervalPlusTime, .timeMinusInterval, .timeMinusTime,
      .intervalPlusInterval, .intervalMinusInterval, .intervalTimesNumber, .numberTimesInterval,
      .intervalDividedByNumber:
      return try spans(operation, arguments, count)
    }
  }

  private static func dates(
    _ operation: Operation, _ arguments: [Vector], _ count: Int
  ) throws(SQLError) -> Vector {
    switch operation {
    case .datePlusDays, .daysPlusDate:
      return try RowLoop.mapValid(arguments, count, .date, Int32.self, Int32.self) {
        (date, days) throws(SQLError) -> Int32 in
        Calendar.isFinite(date: date) ? try checked(Int64(date) + Int64(days)) : date
      }
    case .dateMinusDays:
      return try RowLoop.mapValid(arguments, count, .date, Int32.self, Int32.self) {
        (date, days) throws(SQLError) -> Int32 in
        Calendar.isFinite(date: date) ? try checked(Int64(date) - Int64(days)) : date
      }
    case .dateMinusDate:
      return try RowLoop.mapValid(arguments, count, .integer, Int32.self, Int32.self) {
        (left, right) throws(SQLError) -> Int32 in
        guard Calendar.isFinite(date: left) && Calendar.isFinite(date: right) else {
          throw SQLError(.datetimeOverflow, "cannot subtract infinite dates")
        }
        return left &- right
      }
    case .datePlusTime, .timePlusDate:
      return try RowLoop.mapValid(arguments, count, .timestamp, Int32.self, Int64.self) {
        (date, time) throws(SQLError) -> Int64 in
        let start = try midnight(date)
        guard Calendar.isFinite(timestamp: start) else { return start }
        let (sum, overflow) = start.addingReportingOverflow(time)
        return try checked(timestamp: sum, overflow)
      }
    case .dateMinusInterval:
      return try RowLoop.mapValid(arguments, count, .timestamp, Int32.self, Interval.self) {
        (date, span) throws(SQLError) -> Int64 in try add(try midnight(date), negated(span))
      }
    case .datePlusInterval, .intervalPlusDate, .timestampPlusInterval, .intervalPlusTimestamp,
      .timestampMinusInterval, .zonedPlusInterval, .intervalPlusZoned, .zonedMinusInterval,
      .timestampMinusTimestamp, .timePlusInterval, .intervalPlusTime, .timeMinusInterval,
      .timeMinusTime, .intervalPlusInterval, .intervalMinusInterval, .intervalTimesNumber,
      .numberTimesInterval, .intervalDividedByNumber:
      return try RowLoop.mapValid(arguments, count, .timestamp, Int32.self, Interval.self) {
        (date, span) throws(SQLError) -> Int64 in try add(try midnight(date), span)
      }
    }
  }

  private static func timestamps(
    _ operation: Operation, _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    switch operation {
    case .timestampMinusTimestamp:
      return try RowLoop.mapValid(arguments, count, .interval, Int64.self, Int64.self) {
        (left, right) throws(SQLError) -> Interval in try difference(left, right)
      }
    case .timestampMinusInterval:
      return try RowLoop.mapValid(arguments, count, .timestamp, Int64.self, Interval.self) {
        (time, span) throws(SQLError) -> Int64 in try add(time, negated(span))
      }
    case .zonedPlusInterval, .intervalPlusZoned, .zonedMinusInterval:
      let zone = context.style.zone
      let isMinus = operation == .zonedMinusInterval
      return try RowLoop.mapValid(arguments, count, .timestamptz, Int64.self, Interval.self) {
        (time, span) throws(SQLError) -> Int64 in
        try add(time, isMinus ? negated(span) : span, zone)
      }
    case .datePlusDays, .daysPlusDate, .dateMinusDays, .dateMinusDate, .datePlusTime, .timePlusDate,
      .datePlusInterval, .intervalPlusDate, .dateMinusInterval, .timestampPlusInterval,
      .intervalPlusTimestamp, .timePlusInterval, .intervalPlusTime, .timeMinusInterval,
      .timeMinusTime, .intervalPlusInterval, .intervalMinusInterval, .intervalTimesNumber,
      .numberTimesInterval, .intervalDividedByNumber:
      return try RowLoop.mapValid(arguments, count, .timestamp, Int64.self, Interval.self) {
        (time, span) throws(SQLError) -> Int64 in try add(time, span)
      }
    }
  }

  /// A time of day some microseconds later, around midnight if need be.
  ///
  /// A sum that 64 bits do not hold goes on from the other end of their range, as it does in PostgreSQL.
  private static func wrapped(_ time: Int64, _ microseconds: Int64) -> Int64 {
    let day = Calendar.microsecondsPerDay
    let rest = (time &+ microseconds) % day
    return rest < 0 ? rest + day : rest
  }

  private static func spans(
    _ operation: Operation, _ arguments: [Vector], _ count: Int
  ) throws(SQLError) -> Vector {
    switch operation {
    case .timePlusInterval, .intervalPlusTime:
      return RowLoop.map(arguments, count, .time, Int64.self, Interval.self) {
        wrapped($0, $1.microseconds)
      }
    case .timeMinusInterval:
      return RowLoop.map(arguments, count, .time, Int64.self, Interval.self) {
        wrapped($0, 0 &- $1.microseconds)
      }
    case .timeMinusTime:
      return RowLoop.map(arguments, count, .interval, Int64.self, Int64.self) {
        Interval(microseconds: $0 &- $1)
      }
    case .intervalPlusInterval:
      return try RowLoop.mapValid(arguments, count, .interval, Interval.self, Interval.self) {
        (left, right) throws(SQLError) -> Interval in try Interval.add(left, right)
      }
    case .intervalMinusInterval:
      return try RowLoop.mapValid(arguments, count, .interval, Interval.self, Interval.self) {
        (left, right) throws(SQLError) -> Interval in try Interval.subtract(left, right)
      }
    case .intervalDividedByNumber:
      return try RowLoop.mapValid(arguments, count, .interval, Interval.self, Double.self) {
        (span, number) throws(SQLError) -> Interval in try Interval.divide(span, number)
      }
    case .datePlusDays, .daysPlusDate, .dateMinusDays, .dateMinusDate, .datePlusTime, .timePlusDate,
      .datePlusInterval, .intervalPlusDate, .dateMinusInterval, .timestampPlusInterval,
      .intervalPlusTimestamp, .timestampMinusInterval, .zonedPlusInterval, .intervalPlusZoned,
      .zonedMinusInterval, .timestampMinusTimestamp, .intervalTimesNumber, .numberTimesInterval:
      return try RowLoop.mapValid(arguments, count, .interval, Interval.self, Double.self) {
        (span, number) throws(SQLError) -> Interval in try Interval.multiply(span, number)
      }
    }
  }

  /// `timetz + interval`, `interval + timetz` and `timetz - interval`: only the time of day changes.
  package static func zonedTime(isMinus: Bool, isFlipped: Bool = false) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let ordered = isFlipped ? [arguments[1], arguments[0]] : arguments
      return RowLoop.map(ordered, count, .timetz, Int64.self, Interval.self) {
        let value = TimeWithZone(rawValue: $0)
        let span = $1.microseconds
        return TimeWithZone(
          time: wrapped(value.time, isMinus ? 0 &- span : span), offset: value.offset
        ).rawValue
      }
    }
  }

  /// `date + timetz` and `timetz + date`.
  ///
  /// - Throws: 22008.
  package static func moment(isFlipped: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let ordered = isFlipped ? [arguments[1], arguments[0]] : arguments
      return try RowLoop.mapValid(ordered, count, .timestamptz, Int32.self, Int64.self) {
        (date, time) throws(SQLError) -> Int64 in
        let start = try midnight(date)
        guard Calendar.isFinite(timestamp: start) else { return start }
        let value = TimeWithZone(rawValue: time)
        let (sum, overflow) = start.addingReportingOverflow(
          value.time - Int64(value.offset) * 1_000_000)
        return try checked(timestamp: sum, overflow)
      }
    }
  }

  /// `- interval`.
  package static func negate(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .interval, Interval.self) {
      (span) throws(SQLError) -> Interval in try Interval.negate(span)
    }
  }
}
