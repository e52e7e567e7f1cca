import Columnar

extension Builtins {
  /// Operators of dates, times and intervals.
  static var temporalOperators: [OperatorFunction] {
    typealias Row = (String, LogicalType, LogicalType, LogicalType, TemporalArithmetic.Operation)
    let rows: [Row] = [
      ("+", .date, .integer, .date, .datePlusDays), ("+", .integer, .date, .date, .daysPlusDate),
      ("-", .date, .integer, .date, .dateMinusDays), ("-", .date, .date, .integer, .dateMinusDate),
      ("+", .date, .time, .timestamp, .datePlusTime),
      ("+", .time, .date, .timestamp, .timePlusDate),
      ("+", .date, .interval, .timestamp, .datePlusInterval),
      ("+", .interval, .date, .timestamp, .intervalPlusDate),
      ("-", .date, .interval, .timestamp, .dateMinusInterval),
      ("+", .timestamp, .interval, .timestamp, .timestampPlusInterval),
      ("+", .interval, .timestamp, .timestamp, .intervalPlusTimestamp),
      ("-", .timestamp, .interval, .timestamp, .timestampMinusInterval),
      ("+", .timestamptz, .interval, .timestamptz, .zonedPlusInterval),
      ("+", .interval, .timestamptz, .timestamptz, .intervalPlusZoned),
      ("-", .timestamptz, .interval, .timestamptz, .zonedMinusInterval),
      ("-", .timestamp, .timestamp, .interval, .timestampMinusTimestamp),
      ("-", .timestamptz, .timestamptz, .interval, .timestampMinusTimestamp),
      ("+", .time, .interval, .time, .timePlusInterval),
      ("+", .interval, .time, .time, .intervalPlusTime),
      ("-", .time, .interval, .time, .timeMinusInterval),
      ("-", .time, .time, .interval, .timeMinusTime),
      ("+", .interval, .interval, .interval, .intervalPlusInterval),
      ("-", .interval, .interval, .interval, .intervalMinusInterval),
      ("*", .interval, .double, .interval, .intervalTimesNumber),
      ("*", .double, .interval, .interval, .numberTimesInterval),
      ("/", .interval, .double, .interval, .intervalDividedByNumber),
    ]
    return rows.map { symbol, left, right, result, operation in
      OperatorFunction(
        symbol, left, right, result, kernel: TemporalArithmetic.kernel(operation))
    } + [
      OperatorFunction("-", nil, .interval, .interval, kernel: TemporalArithmetic.negate),
      OperatorFunction(
        "+", .timetz, .interval, .timetz, kernel: TemporalArithmetic.zonedTime(isMinus: false)),
      OperatorFunction(
        "+", .interval, .timetz, .timetz,
        kernel: TemporalArithmetic.zonedTime(isMinus: false, isFlipped: true)),
      OperatorFunction(
        "-", .timetz, .interval, .timetz, kernel: TemporalArithmetic.zonedTime(isMinus: true)),
      OperatorFunction(
        "+", .date, .timetz, .timestamptz, kernel: TemporalArithmetic.moment(isFlipped: false)),
      OperatorFunction(
        "+", .timetz, .date, .timestamptz, kernel: TemporalArithmetic.moment(isFlipped: true)),
    ]
  }

  /// Functions of dates, times and intervals.
  static var temporalFunctions: [ScalarFunction] {
    clocks + fields + makers + shapers + pictures
  }

  private static var clocks: [ScalarFunction] {
    let names: [(String, TemporalFunctions.Clock)] = [
      ("now", .transaction), ("transaction_timestamp", .transaction),
      ("statement_timestamp", .statement), ("clock_timestamp", .wall),
    ]
    return names.map { name, clock in
      ScalarFunction(
        name, [], .timestamptz, volatility: clock == .wall ? .volatile : .stable,
        kernel: TemporalFunctions.now(clock))
    }
  }

  private static var fields: [ScalarFunction] {
    var list: [ScalarFunction] = []
    for type in [LogicalType.date, .time, .timestamp, .timestamptz, .interval] {
      let volatility: FunctionVolatility = type == .timestamptz ? .stable : .immutable
      list.append(
        ScalarFunction(
          "extract", [.text, type], .numeric, volatility: volatility,
          kernel: TemporalExtraction.extract(from: type, asDouble: false)))
      list.append(
        ScalarFunction(
          "date_part", [.text, type], .double, volatility: volatility,
          kernel: TemporalExtraction.extract(from: type, asDouble: true)))
    }
    for type in [LogicalType.timestamp, .timestamptz, .interval] {
      list.append(
        ScalarFunction(
          "date_trunc", [.text, type], type,
          volatility: type == .timestamptz ? .stable : .immutable,
          kernel: TemporalExtraction.truncate(type)))
    }
    list.append(
      ScalarFunction(
        "date_trunc", [.text, .timestamptz, .text], .timestamptz, volatility: .stable,
        kernel: TemporalExtraction.truncate(.timestamptz)))
    return list
  }

  private static var makers: [ScalarFunction] {
    let integers = Array(repeating: LogicalType.integer, count: 5)
    var list: [ScalarFunction] = [
      ScalarFunction(
        "make_date", [.integer, .integer, .integer], .date, kernel: TemporalFunctions.makeDate),
      ScalarFunction(
        "make_time", [.integer, .integer, .double], .time, kernel: TemporalFunctions.makeTime),
      ScalarFunction(
        "make_timestamp", integers + [.double], .timestamp,
        kernel: TemporalFunctions.makeTimestamp(.timestamp)),
      ScalarFunction(
        "make_timestamptz", integers + [.double], .timestamptz, volatility: .stable,
        kernel: TemporalFunctions.makeTimestamp(.timestamptz)),
      ScalarFunction(
        "make_timestamptz", integers + [.double, .text], .timestamptz, volatility: .stable,
        kernel: TemporalFunctions.makeTimestamp(.timestamptz)),
      ScalarFunction(
        "to_timestamp", [.double], .timestamptz, kernel: TemporalFunctions.fromEpoch),
    ]
    let parts = integers + [.integer, .double]
    for count in 0...parts.count {
      list.append(
        ScalarFunction(
          "make_interval", Array(parts.prefix(count)), .interval,
          kernel: TemporalFunctions.makeInterval))
    }
    return list
  }

  private static var shapers: [ScalarFunction] {
    var list: [ScalarFunction] = [
      ScalarFunction(
        "justify_hours", [.interval], .interval, kernel: TemporalFunctions.justify(.hours)),
      ScalarFunction(
        "justify_days", [.interval], .interval, kernel: TemporalFunctions.justify(.days)),
      ScalarFunction(
        "justify_interval", [.interval], .interval, kernel: TemporalFunctions.justify(.both)),
    ]
    for type in [LogicalType.date, .timestamp, .timestamptz, .interval] {
      list.append(
        ScalarFunction("isfinite", [type], .boolean, kernel: TemporalFunctions.isFinite))
    }
    for type in [LogicalType.timestamp, .timestamptz] {
      let volatility: FunctionVolatility = type == .timestamptz ? .stable : .immutable
      let other: LogicalType = type == .timestamptz ? .timestamp : .timestamptz
      list += [
        ScalarFunction(
          "age", [type, type], .interval, volatility: volatility, kernel: TemporalFunctions.age),
        ScalarFunction(
          "age", [type], .interval, volatility: .stable, kernel: TemporalFunctions.age),
        ScalarFunction(
          "date_bin", [.interval, type, type], type, kernel: TemporalFunctions.bin(type)),
        ScalarFunction(
          "timezone", [.text, type], other, kernel: TemporalFunctions.atTimeZone(type)),
        ScalarFunction(
          "timezone", [.interval, type], other, kernel: TemporalFunctions.atTimeZone(type)),
      ]
    }
    list += [LogicalType.text, .interval].map { zone in
      ScalarFunction(
        "timezone", [zone, .timetz], .timetz, volatility: .stable,
        kernel: TemporalFunctions.timeAtTimeZone)
    }
    return list + periods
  }

  /// `overlaps`, with ends or lengths.
  private static var periods: [ScalarFunction] {
    var list: [ScalarFunction] = []
    for type in [LogicalType.date, .time, .timetz, .timestamp, .timestamptz] {
      var ends: [(LogicalType, LogicalType)] = [(type, type)]
      if type != .date && type != .timetz {
        ends += [(.interval, .interval), (type, .interval), (.interval, type)]
      }
      list += ends.map { first, second in
        ScalarFunction(
          "overlaps", [type, first, type, second], .boolean, isStrict: false,
          volatility: type == .timestamptz ? .stable : .immutable,
          kernel: TemporalFunctions.overlaps(type))
      }
    }
    return list
  }

  /// Functions that write and read by a picture.
  private static var pictures: [ScalarFunction] {
    [LogicalType.timestamp, .timestamptz, .interval].map { type in
      ScalarFunction(
        "to_char", [type, .text], .text, volatility: .stable,
        kernel: PictureFunctions.timeText(type))
    }
      + [LogicalType.integer, .bigint, .real, .double, .numeric].map { type in
        ScalarFunction(
          "to_char", [type, .text], .text, volatility: .stable,
          kernel: PictureFunctions.numberText(type))
      } + [
        ScalarFunction(
          "to_date", [.text, .text], .date, volatility: .stable,
          kernel: PictureFunctions.read(.date)),
        ScalarFunction(
          "to_timestamp", [.text, .text], .timestamptz, volatility: .stable,
          kernel: PictureFunctions.read(.timestamptz)),
        ScalarFunction(
          "to_number", [.text, .text], .numeric, volatility: .stable,
          kernel: PictureFunctions.number),
      ]
  }
}
