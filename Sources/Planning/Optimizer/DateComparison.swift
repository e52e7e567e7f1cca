import Columnar

/// Comparisons of what is computed of a day or a moment as comparisons of the day or moment itself, which are read in place
/// and can be answered by zone maps.
enum DateComparison {
  /// `day::timestamp < timestamp '1995-01-01 00:00'` as `day < date '1995-01-01'`: what adding an interval to a date leads to.
  ///
  /// - Returns: the comparison of the dates; nil where the sides are others, or the timestamp is infinite.
  static func withoutTime(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
  ) -> BoundExpression? {
    guard case .cast(let cast) = left, cast.operand.type == .date,
      cast.target == ColumnType(.timestamp), case .constant(.int64(let moment), .timestamp) = right,
      Calendar.isFinite(timestamp: moment)
    else { return nil }
    let (day, time) = Calendar.split(moment)
    guard let narrow = Int32(exactly: day), narrow > Int32.min, narrow < Int32.max else {
      return nil
    }
    var found = comparison
    if time != 0 {
      // No date is equal to a moment within a day; the day itself starts before the moment.
      switch comparison {
      case .equal, .notEqual: return nil
      case .less, .lessOrEqual: found = .lessOrEqual
      case .greater, .greaterOrEqual: found = .greater
      }
    }
    return .comparison(found, cast.operand, .constant(.int32(narrow), .date))
  }

  /// `extract(year FROM day) = 1995` as `day >= date '1995-01-01' AND day < date '1996-01-01'`, of a date or a timestamp in a column.
  ///
  /// Infinite ones are before and behind all years.
  /// - Returns: nil where the sides are others, or the year is none of the common era.
  static func ofYear(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
  ) -> BoundExpression? {
    guard case .call(let call) = left, ["extract", "date_part"].contains(call.name),
      call.arguments.count == 2, case .constant(.text(let field), _) = call.arguments[0],
      field.elementsEqual("year".utf8), call.arguments[1].asColumn != nil,
      let year = right.asConstant?.asYear,
      let first = start(of: year, call.arguments[1].type),
      let next = start(of: year + 1, call.arguments[1].type)
    else { return nil }
    let moment = call.arguments[1]
    let (from, before) = (
      BoundExpression.comparison(.greaterOrEqual, moment, first),
      BoundExpression.comparison(.less, moment, next)
    )
    switch comparison {
    case .equal: return .and([from, before])
    case .notEqual:
      return .or([.comparison(.less, moment, first), .comparison(.greaterOrEqual, moment, next)])
    case .less: return .comparison(.less, moment, first)
    case .lessOrEqual: return before
    case .greater: return .comparison(.greaterOrEqual, moment, next)
    case .greaterOrEqual: return from
    }
  }

  /// The first day or moment of a year as a constant of a type; nil for types with another clock.
  private static func start(of year: Int, _ type: LogicalType) -> BoundExpression? {
    let days = CivilDate(year: year, month: 1, day: 1).days
    if type == .date { return .constant(.int32(Int32(truncatingIfNeeded: days)), type) }
    if type == .timestamp {
      return .constant(.int64(Int64(days) * Calendar.microsecondsPerDay), type)
    }
    return nil
  }
}

extension Value {
  /// The number as a year of the common era; nil for others.
  fileprivate var asYear: Int? {
    let year: Int
    switch self {
    case .numeric(let number) where number.kind == .finite && number.scale == 0:
      year = Int(clamping: number.coefficient)
    case .double(let number): year = Int(exactly: number) ?? 0
    case .null, .boolean, .int16, .int32, .int64, .float, .numeric, .interval, .uuid, .text, .list,
      .record:
      return nil
    }
    return (1..<9999).contains(year) ? year : nil
  }
}
