import Diagnostics

/// Casts among dates and times.
enum TemporalCast {
  static func conversion(from source: LogicalType, to target: LogicalType) -> VectorCast? {
    switch (source, target) {
    case (.date, .timestamp):
      { (vector, _) throws(SQLError) in
        try map(vector, target, Int32.self) { day throws(SQLError) in
          try TemporalArithmetic.midnight(day)
        }
      }
    case (.date, .timestamptz):
      { (vector, context) throws(SQLError) in
        let zone = context.style.zone
        return try map(vector, target, Int32.self) { day throws(SQLError) in
          try TemporalArithmetic.checked(
            moment: zone.universal(try TemporalArithmetic.midnight(day)))
        }
      }
    case (.timestamp, .date):
      { (vector, _) throws(SQLError) in
        try map(vector, target, Int64.self) { value throws(SQLError) in date(value) }
      }
    case (.timestamptz, .date):
      { (vector, context) throws(SQLError) in
        let zone = context.style.zone
        return try map(vector, target, Int64.self) { value throws(SQLError) in
          date(zone.local(value))
        }
      }
    case (.timestamp, .timestamptz):
      { (vector, context) throws(SQLError) in
        let zone = context.style.zone
        return try map(vector, target, Int64.self) { value throws(SQLError) in
          try TemporalArithmetic.checked(moment: zone.universal(value))
        }
      }
    case (.timestamptz, .timestamp):
      { (vector, context) throws(SQLError) in
        let zone = context.style.zone
        return try map(vector, target, Int64.self) { value throws(SQLError) in
          try TemporalArithmetic.checked(moment: zone.local(value))
        }
      }
    case (.boolean, _), (.smallint, _), (.integer, _), (.bigint, _), (.real, _), (.double, _),
      (.numeric, _), (.text, _), (.varchar, _), (.character, _), (.name, _), (.bytea, _),
      (.date, _), (.time, _), (.timetz, _), (.timestamp, _), (.timestamptz, _), (.interval, _),
      (.bit, _), (.varbit, _), (.uuid, _), (.json, _), (.jsonb, _), (.oid, _), (.array, _),
      (.record, _), (.enumeration, _), (.unknown, _), (.void, _):
      timeConversion(from: source, to: target)
    }
  }

  /// Casts from or to times of day and intervals.
  private static func timeConversion(
    from source: LogicalType, to target: LogicalType
  ) -> VectorCast? {
    switch (source, target) {
    case (.timestamp, .time):
      { (vector, _) throws(SQLError) in
        timeOfDay(vector, .utc)
      }
    case (.timestamptz, .time):
      { (vector, context) throws(SQLError) in
        timeOfDay(vector, context.style.zone)
      }
    case (.time, .timetz): zonedTime
    case (.timetz, .time):
      { (vector, _) throws(SQLError) in
        try map(vector, target, Int64.self) { value throws(SQLError) in
          TimeWithZone(rawValue: value).time
        }
      }
    case (.timestamptz, .timetz): zonedTimeOfDay
    case (.time, .interval):
      { (vector, _) throws(SQLError) in
        try map(vector, target, Int64.self) { value throws(SQLError) in
          Interval(microseconds: value)
        }
      }
    case (.interval, .time):
      { (vector, _) throws(SQLError) in
        try map(vector, target, Interval.self) { value throws(SQLError) in
          Calendar.split(value.microseconds).time
        }
      }
    case (.boolean, _), (.smallint, _), (.integer, _), (.bigint, _), (.real, _), (.double, _),
      (.numeric, _), (.text, _), (.varchar, _), (.character, _), (.name, _), (.bytea, _),
      (.date, _), (.time, _), (.timetz, _), (.timestamp, _), (.timestamptz, _), (.interval, _),
      (.bit, _), (.varbit, _), (.uuid, _), (.json, _), (.jsonb, _), (.oid, _), (.array, _),
      (.record, _), (.enumeration, _), (.unknown, _), (.void, _):
      nil
    }
  }

  @inline(__always)
  private static func map<A: BitwiseCopyable, R: BitwiseCopyable>(
    _ vector: Vector, _ type: LogicalType, _ a: A.Type, _ body: (A) throws(SQLError) -> R
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid([vector], vector.count, type, a, body)
  }

  private static func date(_ value: Int64) -> Int32 {
    if value == Calendar.timestampInfinity { return Calendar.dateInfinity }
    if value == Calendar.timestampNegativeInfinity { return Calendar.dateNegativeInfinity }
    return Int32(truncatingIfNeeded: Calendar.split(value).day)
  }

  /// The time of day with the distance from UTC that the session's zone has now.
  private static let zonedTime: VectorCast = { (vector, context) throws(SQLError) in
    let zone = context.style.zone
    let offset = zone.offset(at: TimeZoneRules.unixSeconds(context.transactionTime))
    return try map(vector, .timetz, Int64.self) { value throws(SQLError) in
      TimeWithZone(time: value, offset: offset).rawValue
    }
  }

  /// The time of day with the distance from UTC at that moment; infinities have none and become NULL.
  private static let zonedTimeOfDay: VectorCast = { (vector, context) throws(SQLError) in
    let zone = context.style.zone
    let times = timeOfDay(vector, zone)
    let rows = vector.form == .constant ? min(1, vector.count) : vector.count
    let moments = vector.values(Int64.self)
    let result = Buffer<Int64>(zeroed: max(1, rows))
    for row in 0..<rows where times.validity.isValid(row) {
      let offset = zone.offset(at: TimeZoneRules.unixSeconds(moments[row]))
      result[row] = TimeWithZone(time: times.values(Int64.self)[row], offset: offset).rawValue
    }
    return Vector(
      type: .timetz, count: vector.count, form: vector.form, storage: result.block,
      validity: times.validity)
  }

  /// The time of day; infinities have none and become NULL.
  private static func timeOfDay(_ vector: Vector, _ zone: TimeZoneRules) -> Vector {
    let rows = vector.form == .constant ? min(vector.count, 1) : vector.count
    let source = vector.values(Int64.self)
    let result = Buffer<Int64>(zeroed: rows)
    var validity = vector.validity.copy(count: max(rows, 1))
    for row in 0..<rows where vector.validity.isValid(row) {
      if Calendar.isFinite(timestamp: source[row]) {
        result[row] = Calendar.split(zone.local(source[row])).time
      } else {
        validity.setNull(row, count: rows)
      }
    }
    return Vector(
      type: .time, count: vector.count, form: vector.form, storage: result.block,
      validity: validity)
  }
}
