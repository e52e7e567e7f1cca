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

  /// The array with a new element; places between its end and the element are NULL.
  ///
  /// NULL becomes an array of the element. An array begins at 1, so nothing can be put before that.
  func arrayAssignment(
    _ array: BoundExpression, _ index: BoundExpression, _ value: BoundExpression
  ) -> BoundExpression {
    let type = array.type
    return .call(
      BoundCall(
        name: "array_assignment", arguments: [array, index, value], type: type, isStrict: false,
        volatility: .immutable
      ) { (arguments, count, _) throws(SQLError) in
        var result = VectorBuilder(type, capacity: count)
        for row in 0..<count {
          guard case .int32(let position) = arguments[1].value(at: row) else {
            throw SQLError(
              .nullNotAllowed, "array subscript in assignment must not be null")
          }
          var items: [Value] = []
          if case .list(let old) = arguments[0].value(at: row) { items = old }
          try Self.extend(&items, to: position)
          items[Int(position) - 1] = arguments[2].value(at: row)
          result.append(.list(items))
        }
        return result.finish()
      })
  }

  /// The array with new elements from `lower` to `upper`, which may be left out unless the array is empty.
  func arraySliceAssignment(
    _ array: BoundExpression, _ lower: BoundExpression?, _ upper: BoundExpression?,
    _ value: BoundExpression
  ) -> BoundExpression {
    let type = array.type
    let isGiven = [lower != nil, upper != nil]
    let none = BoundExpression.constant(.null, .integer)
    return .call(
      BoundCall(
        name: "array_assignment", arguments: [array, lower ?? none, upper ?? none, value],
        type: type, isStrict: false, volatility: .immutable
      ) { (arguments, count, _) throws(SQLError) in
        var result = VectorBuilder(type, capacity: count)
        for row in 0..<count {
          var items: [Value] = []
          if case .list(let old) = arguments[0].value(at: row) { items = old }
          var bounds: [Int32] = [1, Int32(truncatingIfNeeded: items.count)]
          for side in 0...1 where isGiven[side] {
            guard case .int32(let bound) = arguments[1 + side].value(at: row) else {
              throw SQLError(
                .nullNotAllowed, "array subscript in assignment must not be null")
            }
            bounds[side] = bound
          }
          // As in PostgreSQL NULL in place of new elements changes nothing, but for NULL itself.
          guard case .list(let new) = arguments[3].value(at: row) else {
            result.append(.list(items))
            continue
          }
          guard !items.isEmpty || isGiven == [true, true] else {
            throw SQLError(
              .arraySubscriptError, "array slice subscript must provide both boundaries",
              detail: "When assigning to a slice of an empty array value, slice boundaries must be"
                + " fully specified.")
          }
          guard bounds[0] <= bounds[1] else {
            throw SQLError(
              .arraySubscriptError, "upper bound cannot be less than lower bound")
          }
          let length = Int(bounds[1]) - Int(bounds[0]) + 1
          guard new.count >= length else {
            throw SQLError(.arraySubscriptError, "source array too small")
          }
          try Self.extend(&items, to: bounds[0])
          try Self.extend(&items, to: bounds[1])
          items.replaceSubrange(
            Int(bounds[0]) - 1..<Int(bounds[1]), with: new.prefix(length))
          result.append(.list(items))
        }
        return result.finish()
      })
  }

  /// Makes room for an element counted from 1.
  ///
  /// - Throws: 0A000 before 1, where PostgreSQL would move the lower bound; 54000 for too many.
  private static func extend(_ items: inout [Value], to position: Int32) throws(SQLError) {
    if position < 1 || (items.isEmpty && position > 1) {
      throw SQLError.unsupported("an array whose lower bound is not 1")
    }
    if position > 134_217_727 {
      throw SQLError(
        .programLimitExceeded, "array size exceeds the maximum allowed (134217727)")
    }
    if Int(position) > items.count {
      items += Array(repeating: .null, count: Int(position) - items.count)
    }
  }
}
