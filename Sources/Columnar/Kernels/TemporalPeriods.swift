import Diagnostics

/// Functions of stretches of time.
extension TemporalFunctions {
  /// `date_bin(stride, time, origin)`.
  ///
  /// - Throws: 22008 for a stride that is not positive, 0A000 for one with months.
  package static func bin(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let strides = Operand(arguments[0], Interval.self)
      let times = Operand(arguments[1], Int64.self)
      let origins = Operand(arguments[2], Int64.self)
      return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Int64 in
        try start(ofBin: strides[row], times[row], origins[row])
      }
    }
  }

  private static func start(
    ofBin stride: Interval, _ time: Int64, _ origin: Int64
  ) throws(SQLError) -> Int64 {
    guard Calendar.isFinite(timestamp: time) else { return time }
    guard Calendar.isFinite(timestamp: origin) else {
      throw SQLError(.datetimeOverflow, "origin out of range")
    }
    if stride.months != 0 {
      throw SQLError(
        .featureNotSupported,
        "timestamps cannot be binned into intervals containing months or years")
    }
    let days = Int64(stride.days).multipliedReportingOverflow(by: Calendar.microsecondsPerDay)
    let length = days.partialValue.addingReportingOverflow(stride.microseconds)
    if days.overflow || length.overflow { throw Interval.overflow }
    let step = length.partialValue
    if step <= 0 { throw SQLError(.datetimeOverflow, "stride must be greater than zero") }
    let (distance, isTooFar) = time.subtractingReportingOverflow(origin)
    if isTooFar { throw Interval.overflow }
    let rest = distance % step
    // The start is at or before the time, also where that is before the origin.
    let (result, isBelow) = time.subtractingReportingOverflow(rest < 0 ? rest + step : rest)
    return try TemporalArithmetic.checked(timestamp: result, isBelow)
  }

  /// `overlaps(start, end, start, end)` of two periods, half open; an end may be a length.
  ///
  /// An end that is missing leaves open how long a period is: the result is NULL where it depends on that.
  /// - Throws: 22008.
  package static func overlaps(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      var sides = arguments
      for end in [1, 3] where sides[end].type == .interval {
        sides[end] = try TemporalArithmetic.sum(type, [sides[end - 1], sides[end]], count, context)
      }
      if type == .date { sides = sides.map { MixedOperands.widen($0, to: .timestamp) } }
      let times = sides.map { Operand($0, Int64.self) }
      let isPresent = sides.map { RowLoop.spread($0, count) }
      let result = Buffer<UInt8>(zeroed: count)
      var validity = ValidityMask.allValid
      for row in 0..<count {
        let ends = (0..<4).map { isPresent[$0].isValid(row) ? times[$0][row] : nil }
        if let answer = Self.overlap(ends) {
          result[row] = UInt8(truncatingIfNeeded: bit(answer))
        } else {
          validity.setNull(row, count: count)
        }
      }
      return Vector(.boolean, result, count: count, validity: validity)
    }
  }

  /// Whether two periods have a moment in common; nil where that depends on an end that is missing.
  private static func overlap(_ ends: [Int64?]) -> Bool? {
    guard let (start, end) = ordered(ends[0], ends[1]),
      let (otherStart, otherEnd) = ordered(ends[2], ends[3])
    else { return nil }
    if start == otherStart { return end == nil || otherEnd == nil ? nil : true }
    let (later, laterEnd, earlierEnd) =
      start > otherStart ? (start, end, otherEnd) : (otherStart, otherEnd, end)
    guard let earlierEnd else { return nil }
    if later < earlierEnd { return true }
    return laterEnd == nil ? nil : false
  }

  /// The ends of a period, the earlier one first; one that is missing counts as the end.
  private static func ordered(_ first: Int64?, _ second: Int64?) -> (Int64, Int64?)? {
    guard let first else { return second.map { ($0, nil) } }
    guard let second else { return (first, nil) }
    return (min(first, second), max(first, second))
  }
}

extension TemporalArithmetic {
  /// `value + interval` of a type of times, NULL where either is.
  ///
  /// - Throws: 22008.
  static func sum(
    _ type: LogicalType, _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    let operation: Operation =
      switch type {
      case .time: .timePlusInterval
      case .timestamptz: .zonedPlusInterval
      case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
        .character, .name, .bytea, .date, .timetz, .timestamp, .interval, .bit, .varbit, .uuid,
        .json, .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
        .timestampPlusInterval
      }
    return try kernel(operation)(arguments, count, context)
  }
}
