import Columnar
import Diagnostics
import Planning
import Storage

/// What is asked of a column of whole numbers in some rows, and can be told without handing the rows on: their number, and what
/// `KeyFold` knows of the values.
package enum KeyMeasure: Sendable {
  case count, least, greatest, sum, average

  /// nil for a call that asks for more; `isSet` says that no value comes twice, so that DISTINCT makes no difference.
  init?(_ call: AggregateCall, isSet: Bool) {
    guard call.arguments.count == 1, call.orderBy.isEmpty, call.filter == nil,
      let argument = call.arguments.first, argument.asColumn != nil, argument.type.isInteger
    else { return nil }
    // A sum of them fits 64 bits, whatever the rows.
    let isNarrow = argument.type.physical != .int64
    switch call.name {
    case "min": self = .least
    case "max": self = .greatest
    case "count" where isSet || !call.isDistinct: self = .count
    case "sum" where isNarrow && (isSet || !call.isDistinct): self = .sum
    case "avg" where isNarrow && (isSet || !call.isDistinct): self = .average
    default: return nil
    }
  }

  /// The aggregate that it is.
  var word: String {
    switch self {
    case .count: "count"
    case .least: "min"
    case .greatest: "max"
    case .sum: "sum"
    case .average: "avg"
    }
  }

  /// How EXPLAIN names it, of a column or of rows.
  func text(of column: String?) -> String { "\(word)(\(column ?? "*"))" }

  /// The measure of the values of several groups together, from a column with the measure of each; nil where that does not tell it.
  func call(over column: PlanColumn, for whole: AggregateCall) -> AggregateCall? {
    switch self {
    case .count: return .sum(ofCounts: column)
    case .least, .greatest:
      var call = whole
      call.arguments = [column.reference]
      call.isDistinct = false
      return call
    case .sum:
      return AggregateCall(
        name: "sum", arguments: [column.reference], type: .bigint, isStrict: true,
        factory: { _, _ in IntegerSumAccumulator(.bigint) })
    case .average: return nil
    }
  }

  /// The measure of each fold, as a column.
  ///
  /// - Throws: 22003 for an average with more digits than there may be.
  func vector(
    of folds: Buffer<KeyFold>, count: Int, as type: LogicalType
  ) throws(SQLError) -> Vector {
    var validity = ValidityMask.allValid
    if case .count = self {
    } else {
      for row in 0..<count where folds[row].count == 0 { validity.setNull(row, count: count) }
    }
    if case .average = self {
      let values = Buffer<Numeric>(uninitialized: max(count, 1))
      for row in 0..<count {
        let sum = Numeric(coefficient: Int128(folds[row].sum), scale: 0)
        let number = Numeric(coefficient: Int128(max(folds[row].count, 1)), scale: 0)
        values[row] = folds[row].count == 0 ? sum : try Numeric.divide(sum, number)
      }
      return Vector(type, values, count: count, validity: validity)
    }
    switch type.physical {
    case .int16:
      return Vector(type, numbers(folds, count, Int16.self), count: count, validity: validity)
    case .int32:
      return Vector(type, numbers(folds, count, Int32.self), count: count, validity: validity)
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      return Vector(type, numbers(folds, count, Int64.self), count: count, validity: validity)
    }
  }

  private func numbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ folds: Buffer<KeyFold>, _ count: Int, _ type: Number.Type
  ) -> Buffer<Number> {
    let values = Buffer<Number>(uninitialized: max(count, 1))
    for row in 0..<count { values[row] = Number(truncatingIfNeeded: number(folds[row])) }
    return values
  }

  /// The measure of a fold as a whole number; anything where it is NULL.
  func number(_ fold: KeyFold) -> Int64 {
    switch self {
    case .count: Int64(fold.count)
    case .least: fold.least
    case .greatest: fold.greatest
    case .sum, .average: fold.sum
    }
  }
}
