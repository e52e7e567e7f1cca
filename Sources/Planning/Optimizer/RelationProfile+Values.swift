import Columnar

extension RelationProfile {
  /// About how many different values an expression has in these rows.
  ///
  /// A guess from the columns that it is made of; what nothing is known of is thought to have as many as there are kinds of
  /// something.
  func valueCount(_ expression: BoundExpression) -> Double {
    min(max(1, unboundedValueCount(expression)), max(1, rows))
  }

  private static let kindCount = 50.0

  private func unboundedValueCount(_ expression: BoundExpression) -> Double {
    switch expression {
    case .column(let id, _): return distinctCount(id)
    case .constant, .parameter: return 1
    case .comparison, .and, .or, .not, .distinct, .isNull, .isBoolean, .inList, .quantified,
      .quantifiedCall:
      return 2
    case .cast(let cast): return cast.target.type == .boolean ? 2 : valueCount(cast.operand)
    case .coalesce(let list, _): return (list.map(valueCount).max() ?? 1) + 1
    case .extreme(let list, _, _): return list.map(valueCount).max() ?? 1
    case .caseWhen(let branches, let otherwise, _):
      return branches.reduce(valueCount(otherwise)) { $0 + valueCount($1.result) }
    case .decoded(let operand, _, _): return valueCount(operand)
    case .call(let call): return valueCount(call)
    case .array(let list, _), .row(let list, _):
      return list.reduce(1) { $0 * valueCount($1) }
    case .field, .shared, .local, .session, .subquery, .aggregate, .window: return Self.kindCount
    }
  }

  private func valueCount(_ call: BoundCall) -> Double {
    let all = call.arguments.reduce(1) { $0 * valueCount($1) }
    let divisor = call.arguments.last?.asConstant?.asDouble.map { max(1, $0.magnitude) }
    switch call.name {
    case "+", "-":
      // As many days lie between two days as there are from the first possible one to the last.
      return min(all, span(.call(call)).map { $0 + 1 } ?? all)
    case "*", "||", "abs", "upper", "lower", "initcap", "btrim", "trim", "concat":
      return all
    case "%", "mod": return min(all, divisor ?? all)
    case "/": return call.type.isInteger ? all / (divisor ?? 1) : all
    case "extract", "date_part", "date_trunc": return min(all, periodCount(call) ?? all)
    default: return min(all, Self.kindCount)
    }
  }

  /// How far values of an expression over whole numbers or days lie from each other at most; nil where that is not known.
  private func span(_ expression: BoundExpression) -> Double? {
    guard expression.type.isInteger || expression.type == .date else { return nil }
    switch expression {
    case .column(let id, _): return columns[id]?.range.map { $0.upperBound - $0.lowerBound }
    case .constant, .parameter: return 0
    case .cast(let cast): return span(cast.operand)
    case .call(let call) where call.name == "+" || call.name == "-":
      return call.arguments.reduce(0) { sum, argument in
        sum.flatMap { sum in span(argument).map { sum + $0 } }
      }
    case .call, .comparison, .and, .or, .not, .distinct, .isNull, .isBoolean, .inList, .quantified,
      .quantifiedCall, .coalesce, .extreme, .caseWhen, .decoded, .array, .row, .field, .shared,
      .local, .session, .subquery, .aggregate, .window:
      return nil
    }
  }

  /// How many years, months and so on there are between the bounds of a column of dates, or in those that go round.
  private func periodCount(_ call: BoundCall) -> Double? {
    guard call.arguments.count > 1, case .text(let bytes)? = call.arguments[0].asConstant else {
      return Self.kindCount
    }
    let unit = String(decoding: bytes, as: UTF8.self)
    if call.name != "date_trunc", let count = Self.rounds[unit] { return count }
    guard let days = Self.days[unit] else { return nil }
    var operand = call.arguments[1]
    if case .cast(let cast) = operand { operand = cast.operand }
    guard operand.type == .date, let range = operand.asColumn.flatMap({ columns[$0]?.range }) else {
      return Self.kindCount
    }
    return (range.upperBound - range.lowerBound) / days + 1
  }

  private static let rounds: [String: Double] = [
    "month": 12, "quarter": 4, "day": 31, "dow": 7, "isodow": 7, "doy": 366, "week": 53,
    "hour": 24, "minute": 60,
  ]
  private static let days: [String: Double] = [
    "day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365, "isoyear": 365, "decade": 3652,
  ]
}
