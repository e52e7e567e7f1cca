import Diagnostics

/// The comparisons of SQL.
package enum Comparison: Sendable, Hashable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

  /// Whether an order (negative, zero, positive) satisfies the comparison.
  @inline(__always)
  package func holds(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// The comparison with its sides exchanged.
  package var commuted: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

/// Comparisons of whole vectors.
///
/// Both sides are of one physical type.
package enum Comparisons {
  /// The strict comparison as a kernel.
  package static func kernel(_ comparison: Comparison) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      compare(comparison, arguments[0], arguments[1], count: count)
    }
  }

  /// `left op right` of each row; NULL where a side is.
  ///
  /// - Complexity: O(*n*).
  package static func compare(
    _ comparison: Comparison, _ left: Vector, _ right: Vector, count: Int
  ) -> Vector {
    if left.decimals != nil || right.decimals != nil {
      let small = DecimalComparison.reduce(
        comparison, left.compactNormalized(), right.compactNormalized())
      if case .compare(let comparison, let a, let b) = small {
        return compare(comparison, a, b, count: count)
      }
    }
    let sides = [left.normalized(), right.normalized()]
    if RowLoop.isNull(sides) { return .null(.boolean, count: count) }
    switch left.type.physical {
    case .bool: return integers(comparison, sides, count, UInt8.self)
    case .int16: return integers(comparison, sides, count, Int16.self)
    case .int32: return integers(comparison, sides, count, Int32.self)
    case .int64: return integers(comparison, sides, count, Int64.self)
    case .float: return floats(comparison, sides, count, Float.self)
    case .double: return floats(comparison, sides, count, Double.self)
    case .numeric:
      return ordered(comparison, sides, count, Numeric.self) { ValueOrder.compare($0, $1) }
    case .interval:
      return ordered(comparison, sides, count, Interval.self) { ValueOrder.compare($0, $1) }
    case .uuid:
      return ordered(comparison, sides, count, UUIDValue.self) { ValueOrder.compare($0, $1) }
    case .text where left.type != .character && left.type != .jsonb && right.type != .character:
      return texts(comparison, sides, count)
    case .text, .list, .record: return nested(comparison, sides, count)
    }
  }

  /// `IS [NOT] DISTINCT FROM`: never NULL, and NULL equals NULL.
  package static func distinct(
    _ left: Vector, _ right: Vector, negated: Bool, count: Int
  ) -> Vector {
    let left = left.normalized()
    let right = right.normalized()
    let a = RowLoop.spread(left, count)
    let b = RowLoop.spread(right, count)
    let result = Buffer<UInt8>(uninitialized: count)
    let none = left.isConstantNull || right.isConstantNull
    let compared =
      none ? left : compare(.notEqual, left, right, count: count).flattened()
    let differs = none ? result : compared.values(UInt8.self)
    let flip: UInt8 = negated ? 1 : 0
    if !none && a.isAllValid && b.isAllValid {
      for row in 0..<count { result[row] = differs[row] ^ flip }
      return Vector(.boolean, result, count: count)
    }
    for row in 0..<count {
      let x = a.isValid(row)
      let y = b.isValid(row)
      var value = UInt8(truncatingIfNeeded: bit(x != y))
      if x && y { value = differs[row] }
      result[row] = value ^ flip
    }
    return Vector(.boolean, result, count: count)
  }

  @inline(__always)
  private static func truth(_ condition: Bool) -> UInt8 {
    UInt8(truncatingIfNeeded: bit(condition))
  }

  @inline(__always)
  private static func integers<Element: FixedWidthInteger & BitwiseCopyable>(
    _ comparison: Comparison, _ sides: [Vector], _ count: Int, _ type: Element.Type
  ) -> Vector {
    switch comparison {
    case .equal: RowLoop.map(sides, count, .boolean, type, type) { truth($0 == $1) }
    case .notEqual: RowLoop.map(sides, count, .boolean, type, type) { truth($0 != $1) }
    case .less: RowLoop.map(sides, count, .boolean, type, type) { truth($0 < $1) }
    case .lessOrEqual: RowLoop.map(sides, count, .boolean, type, type) { truth($0 <= $1) }
    case .greater: RowLoop.map(sides, count, .boolean, type, type) { truth($0 > $1) }
    case .greaterOrEqual: RowLoop.map(sides, count, .boolean, type, type) { truth($0 >= $1) }
    }
  }

  /// NaN equals itself and is greater than every other number.
  @inline(__always)
  private static func floats<Element: FloatingPoint & BitwiseCopyable>(
    _ comparison: Comparison, _ sides: [Vector], _ count: Int, _ type: Element.Type
  ) -> Vector {
    switch comparison {
    case .equal:
      RowLoop.map(sides, count, .boolean, type, type) { truth(same($0, $1)) }
    case .notEqual:
      RowLoop.map(sides, count, .boolean, type, type) { truth(!same($0, $1)) }
    case .less:
      RowLoop.map(sides, count, .boolean, type, type) { truth(precedes($0, $1)) }
    case .lessOrEqual:
      RowLoop.map(sides, count, .boolean, type, type) { truth(!precedes($1, $0)) }
    case .greater:
      RowLoop.map(sides, count, .boolean, type, type) { truth(precedes($1, $0)) }
    case .greaterOrEqual:
      RowLoop.map(sides, count, .boolean, type, type) { truth(!precedes($0, $1)) }
    }
  }

  @inline(__always)
  static func same<Element: FloatingPoint>(_ left: Element, _ right: Element) -> Bool {
    left == right || (left != left && right != right)
  }

  @inline(__always)
  static func precedes<Element: FloatingPoint>(_ left: Element, _ right: Element) -> Bool {
    left < right || (right != right && left == left)
  }

  @inline(__always)
  private static func ordered<Element: BitwiseCopyable>(
    _ comparison: Comparison, _ sides: [Vector], _ count: Int, _ type: Element.Type,
    _ order: (Element, Element) -> Int
  ) -> Vector {
    let validity = RowLoop.validity(sides, count)
    let result = Buffer<UInt8>(zeroed: count)
    let left = Operand(sides[0], type)
    let right = Operand(sides[1], type)
    for row in 0..<count where validity.isValid(row) {
      result[row] = truth(comparison.holds(order(left[row], right[row])))
    }
    return Vector(.boolean, result, count: count, validity: validity)
  }

  private static func texts(_ comparison: Comparison, _ sides: [Vector], _ count: Int) -> Vector {
    let validity = RowLoop.validity(sides, count)
    let left = Operand(sides[0])
    let right = Operand(sides[1])
    let result = Buffer<UInt8>(zeroed: count)
    switch comparison {
    case .equal:
      for row in 0..<count where validity.isValid(row) {
        result[row] = truth(left[row] == right[row])
      }
    case .notEqual:
      for row in 0..<count where validity.isValid(row) {
        result[row] = truth(left[row] != right[row])
      }
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      for row in 0..<count where validity.isValid(row) {
        result[row] = truth(comparison.holds(TextView.order(left[row], right[row])))
      }
    }
    return Vector(.boolean, result, count: count, validity: validity)
  }

  private static func nested(_ comparison: Comparison, _ sides: [Vector], _ count: Int) -> Vector {
    let validity = RowLoop.validity(sides, count)
    let result = Buffer<UInt8>(zeroed: count)
    let left = sides[0]
    for row in 0..<count where validity.isValid(row) {
      let order = ValueOrder.compare(left, left.position(row), sides[1], sides[1].position(row))
      result[row] = truth(comparison.holds(order))
    }
    return Vector(.boolean, result, count: count, validity: validity)
  }
}
