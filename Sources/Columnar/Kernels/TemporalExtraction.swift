import Diagnostics

/// `extract`, `date_part` and `date_trunc`.
package enum TemporalExtraction {
  /// `extract(field FROM value)` gives numeric, `date_part` double precision; `type` is the value's.
  ///
  /// Of a date, `date_part` gives what it gives of midnight.
  ///
  /// - Throws: 22023, 0A000 for fields the type does not have; 22008.
  package static func extract(from type: LogicalType, asDouble: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let resultType: LogicalType = asDouble ? .double : .numeric
      if RowLoop.isNull(arguments) { return .null(resultType, count: count) }
      let names = Operand(arguments[0])
      if arguments[0].form == .constant,
        RowLoop.validity(arguments, count).nullCount(count) < count,
        let days = try ofDays(
          TemporalField(names.bytes(0), type), arguments[1], type, asDouble: asDouble)
      {
        return days
      }
      let zone = type == .timestamptz ? context.style.zone : .utc
      var validity = RowLoop.validity(arguments, count).copy(count: count)
      let exact = Buffer<Numeric>(zeroed: asDouble ? 0 : count)
      let double = Buffer<Double>(zeroed: asDouble ? count : 0)
      let isConstant = arguments[0].form == .constant
      // What is NULL asks for no unit, not even for one that there is.
      var known: TemporalField?
      for row in 0..<count where validity.isValid(row) {
        let field: TemporalField
        if let known, isConstant {
          field = known
        } else {
          field = try TemporalField(names.bytes(row), type)
          known = field
        }
        let position = arguments[1].position(row)
        let found: Numeric?
        if type == .date && asDouble {
          let date = arguments[1].values(Int32.self)[position]
          found = try value(
            of: field, at: TemporalArithmetic.midnight(date), .timestamp, zone, names.bytes(row))
        } else {
          found = try value(of: field, arguments[1], position, type, zone, names.bytes(row))
        }
        guard let found else {
          validity.setNull(row, count: count)
          continue
        }
        if asDouble { double[row] = found.double } else { exact[row] = found }
      }
      if asDouble { return Vector(.double, double, count: count, validity: validity) }
      return Vector(.numeric, exact, count: count, validity: validity)
    }
  }

  /// A field of days, or of the days of timestamps without time zone; nil where one is infinite or has no midnight, and for fields
  /// that take more.
  private static func ofDays(
    _ field: TemporalField, _ vector: Vector, _ type: LogicalType, asDouble: Bool
  ) -> Vector? {
    guard type == .date || type == .timestamp && field != .julian else { return nil }
    let flat = vector.flattened()
    let count = flat.count
    var days = Buffer<Int32>(uninitialized: 0)
    var areFinite = true
    if type == .date {
      days = flat.values(Int32.self)
      var last = Int32.min
      for row in 0..<count {
        areFinite = Calendar.isFinite(date: days[row]) && areFinite
        last = max(last, days[row])
      }
      // There are dates after the last timestamp.
      if asDouble, areFinite, (try? TemporalArithmetic.midnight(last)) == nil { return nil }
    } else {
      days = Buffer(uninitialized: max(1, count))
      let times = flat.values(Int64.self)
      for row in 0..<count {
        areFinite = Calendar.isFinite(timestamp: times[row]) && areFinite
        days[row] = Int32(truncatingIfNeeded: Calendar.split(times[row]).day)
      }
    }
    let numbers = Buffer<Int32>(uninitialized: max(1, count))
    guard areFinite, field.values(ofDays: days, count: count, into: numbers) else { return nil }
    guard asDouble else {
      return Vector(
        type: .numeric, count: count, storage: numbers.block, validity: flat.validity,
        digits: DecimalForm(scale: 0, width: .four))
    }
    let result = Buffer<Double>(uninitialized: max(1, count))
    for row in 0..<count { result[row] = Double(numbers[row]) }
    return Vector(.double, result, count: count, validity: flat.validity)
  }

  private static func value(
    of field: TemporalField, _ vector: Vector, _ position: Int, _ type: LogicalType,
    _ zone: TimeZoneRules, _ name: TextBytes
  ) throws(SQLError) -> Numeric? {
    let result: Numeric?
    switch type {
    case .date:
      let date = vector.values(Int32.self)[position]
      if !Calendar.isFinite(date: date) { return infinite(field, date > 0) }
      if field == .epoch {
        result = Numeric((Int64(date) - Calendar.unixEpochDay) * 86_400)
      } else {
        result = field.value(day: Int(date)).map { Numeric($0) }
      }
    case .time:
      let time = vector.values(Int64.self)[position]
      result =
        field == .epoch ? Numeric(coefficient: Int128(time), scale: 6) : field.value(time: time)
    case .interval: result = intervalField(field, vector.values(Interval.self)[position])
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .timetz, .timestamp, .timestamptz, .bit, .varbit, .uuid, .json,
      .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
      return try value(of: field, at: vector.values(Int64.self)[position], type, zone, name)
    }
    if let result { return result }
    throw TemporalField.unsupported(name, type)
  }

  /// The field of a timestamp, with time zone or without.
  private static func value(
    of field: TemporalField, at time: Int64, _ type: LogicalType, _ zone: TimeZoneRules,
    _ name: TextBytes
  ) throws(SQLError) -> Numeric? {
    if !Calendar.isFinite(timestamp: time) { return infinite(field, time > 0) }
    if let result = try timestampField(field, time, type, zone) { return result }
    throw TemporalField.unsupported(name, type)
  }

  private static func infinite(_ field: TemporalField, _ isPositive: Bool) -> Numeric? {
    if !field.isMonotonic { return nil }
    return isPositive ? .positiveInfinity : .negativeInfinity
  }

  private static func timestampField(
    _ field: TemporalField, _ time: Int64, _ type: LogicalType, _ zone: TimeZoneRules
  ) throws(SQLError) -> Numeric? {
    if field == .epoch {
      return Numeric(coefficient: Int128(time) - Int128(Calendar.unixEpoch), scale: 6)
    }
    let local = type == .timestamptz ? zone.local(time) : time
    let (day, rest) = Calendar.split(local)
    switch field {
    case .zone, .zoneHour, .zoneMinute:
      guard type == .timestamptz else { return nil }
      let offset = (local - time) / 1_000_000
      if field == .zone { return Numeric(offset) }
      return Numeric(field == .zoneHour ? offset / 3600 : offset / 60 % 60)
    case .julian:
      let fraction = try Numeric.divide(
        Numeric(rest), Numeric(Calendar.microsecondsPerDay))
      return rest == 0
        ? Numeric(day + 2_451_545) : try Numeric.add(Numeric(day + 2_451_545), fraction)
    case .microseconds, .milliseconds, .second, .minute, .hour, .day, .week, .month, .quarter,
      .year, .decade, .century, .millennium, .isoYear, .weekday, .isoWeekday, .dayOfYear, .epoch:
      return field.value(time: rest) ?? field.value(day: Int(day)).map { Numeric($0) }
    }
  }

  private static func intervalField(_ field: TemporalField, _ span: Interval) -> Numeric? {
    let months = Int64(span.months)
    switch field {
    case .epoch:
      // A year has 365.25 days here, a month 30.
      let years = Int128(months / 12) * 31_557_600_000_000
      let rest = (Int128(months % 12) * 30 + Int128(span.days)) * 86_400_000_000
      return Numeric(coefficient: years + rest + Int128(span.microseconds), scale: 6)
    case .day: return Numeric(span.days)
    case .month: return Numeric(months % 12)
    case .quarter: return Numeric(months % 12 / 3 + 1)
    case .year: return Numeric(months / 12)
    case .decade: return Numeric(months / 120)
    case .century: return Numeric(months / 1200)
    case .millennium: return Numeric(months / 12_000)
    case .microseconds, .milliseconds, .second, .minute, .hour, .week, .julian, .isoYear, .weekday,
      .isoWeekday, .dayOfYear, .zone, .zoneHour, .zoneMinute:
      return field.value(time: span.microseconds)
    }
  }

  /// `date_trunc(field, value [, zone])` of timestamp, timestamptz and interval.
  ///
  /// - Throws: 22023, 0A000, 22008.
  package static func truncate(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let names = Operand(arguments[0])
      if type == .interval {
        let spans = Operand(arguments[1], Interval.self)
        return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Interval in
          try truncated(spans[row], names.bytes(row))
        }
      }
      let times = Operand(arguments[1], Int64.self)
      let zones = arguments.count > 2 ? Operand(arguments[2]) : nil
      let session = type == .timestamptz ? context.style.zone : .utc
      let isConstant = arguments[0].form == .constant
      var known: TemporalField?
      return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Int64 in
        let time = times[row]
        // Of an infinite time nobody asks what to cut off.
        guard Calendar.isFinite(timestamp: time) else { return time }
        let field: TemporalField
        if let known, isConstant {
          field = known
        } else {
          field = try TemporalField(unit: names.bytes(row), type)
          known = field
        }
        let zone =
          try zones.map { (names) throws(SQLError) in try SpelledZone(names.bytes(row)) }
          ?? SpelledZone(session)
        let local = type == .timestamptz ? zone.local(time) : time
        let (day, rest) = Calendar.split(local)
        if let unit = field.unit {
          // Below a day the offset stays, so that hours shown twice stay apart.
          return time - rest % unit
        }
        guard let start = field.start(ofDay: Int(day)) else {
          throw TemporalField.unsupported(names.bytes(row), type)
        }
        let result = Int64(start) * Calendar.microsecondsPerDay
        // A millennium may have begun before the first timestamp.
        return try TemporalArithmetic.checked(
          timestamp: type == .timestamptz ? zone.universal(result) : result, false)
      }
    }
  }

  private static func truncated(_ span: Interval, _ name: TextBytes) throws(SQLError) -> Interval {
    let field = try TemporalField(unit: name, .interval)
    var result = span
    if let unit = field.unit {
      result.microseconds -= result.microseconds % unit
      return result
    }
    result.microseconds = 0
    if field == .day { return result }
    result.days = 0
    let months: Int32
    switch field {
    case .month: months = 1
    case .quarter: months = 3
    case .year: months = 12
    case .decade: months = 120
    case .century: months = 1200
    case .millennium: months = 12_000
    case .microseconds, .milliseconds, .second, .minute, .hour, .day, .week, .julian, .isoYear,
      .weekday, .isoWeekday, .dayOfYear, .epoch, .zone, .zoneHour, .zoneMinute:
      throw TemporalField.unsupported(name, .interval)
    }
    result.months -= result.months % months
    return result
  }
}
