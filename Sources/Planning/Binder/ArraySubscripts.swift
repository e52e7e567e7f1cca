import Columnar
import Diagnostics

extension BindingSession {
  /// `array[index]`, counted from 1; NULL outside.
  func arrayElement(_ array: BoundExpression, _ index: BoundExpression) -> BoundExpression {
    let type = array.type.element ?? .text
    return .call(
      BoundCall(
        name: "array_subscript", arguments: [array, index], type: type, isStrict: true,
        volatility: .immutable
      ) { (arguments, count, _) throws(SQLError) in
        var result = VectorBuilder(type, capacity: count)
        for row in 0..<count {
          guard case .list(let items) = arguments[0].value(at: row),
            case .int32(let position) = arguments[1].value(at: row), position >= 1,
            Int(position) <= items.count
          else {
            result.append(.null)
            continue
          }
          result.append(items[Int(position) - 1])
        }
        return result.finish()
      })
  }

  /// `array[lower:upper]`, both ends included.
  func arraySlice(
    _ array: BoundExpression, _ lower: BoundExpression, _ upper: BoundExpression
  ) -> BoundExpression {
    let type = array.type
    return .call(
      BoundCall(
        name: "array_slice", arguments: [array, lower, upper], type: type, isStrict: true,
        volatility: .immutable
      ) { (arguments, count, _) throws(SQLError) in
        var result = VectorBuilder(type, capacity: count)
        for row in 0..<count {
          guard case .list(let items) = arguments[0].value(at: row),
            case .int32(let first) = arguments[1].value(at: row),
            case .int32(let last) = arguments[2].value(at: row)
          else {
            result.append(.null)
            continue
          }
          let start = max(Int(first), 1) - 1
          let end = min(Int(last), items.count)
          result.append(.list(start < end ? Array(items[start..<end]) : []))
        }
        return result.finish()
      })
  }
}
