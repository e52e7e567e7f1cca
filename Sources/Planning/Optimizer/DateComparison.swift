import Columnar

/// `day::timestamp < timestamp '1995-01-01 00:00'` as `day < date '1995-01-01'`: what adding an
/// interval to a date leads to, in a form that is read in place and that zone maps can answer.
enum DateComparison {
  /// The comparison of the dates; nil where the sides are others, or the timestamp is infinite.
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
}
