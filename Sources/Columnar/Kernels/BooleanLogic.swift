/// Three-valued logic over boolean vectors.
package enum BooleanLogic {
  /// `left AND right`: false where either is false, NULL where one is NULL and none false.
  package static func and(_ left: Vector, _ right: Vector, count: Int) -> Vector {
    combine(left.flattened(), right.flattened(), count, deciding: 0)
  }

  /// `left OR right`: true where either is true, NULL where one is NULL and none true.
  package static func or(_ left: Vector, _ right: Vector, count: Int) -> Vector {
    combine(left.flattened(), right.flattened(), count, deciding: 1)
  }

  private static func combine(
    _ left: Vector, _ right: Vector, _ count: Int, deciding: UInt8
  ) -> Vector {
    let x = left.values(UInt8.self)
    let y = right.values(UInt8.self)
    let result = Buffer<UInt8>(uninitialized: count)
    if left.validity.isAllValid && right.validity.isAllValid {
      if deciding == 0 {
        for row in 0..<count { result[row] = x[row] & y[row] }
      } else {
        for row in 0..<count { result[row] = x[row] | y[row] }
      }
      return Vector(.boolean, result, count: count)
    }
    var validity = ValidityMask.writable(count: count)
    for row in 0..<count {
      let a = left.validity.isValid(row)
      let b = right.validity.isValid(row)
      if (a && x[row] == deciding) || (b && y[row] == deciding) {
        result[row] = deciding
      } else if a && b {
        result[row] = 1 &- deciding
      } else {
        result[row] = 0
        validity.setNull(row, count: count)
      }
    }
    return Vector(.boolean, result, count: count, validity: validity)
  }

  /// `NOT operand`.
  package static func not(_ operand: Vector, count: Int) -> Vector {
    RowLoop.map([operand.normalized()], count, .boolean, UInt8.self) { ($0 ^ 1) & 1 }
  }

  /// `operand IS [NOT] NULL`; a record is NULL if all its fields are, and not NULL if none is.
  package static func isNull(_ operand: Vector, negated: Bool, count: Int) -> Vector {
    if case .record = operand.type { return isRecordNull(operand.flattened(), negated, count) }
    let missing: UInt8 = negated ? 0 : 1
    let operand = operand.normalized()
    let validity = RowLoop.spread(operand, count)
    let result = Buffer<UInt8>(repeating: missing ^ 1, count: count)
    if !validity.isAllValid {
      for row in 0..<count where !validity.isValid(row) { result[row] = missing }
    }
    return Vector(.boolean, result, count: count)
  }

  private static func isRecordNull(_ operand: Vector, _ negated: Bool, _ count: Int) -> Vector {
    let result = Buffer<UInt8>(repeating: 1, count: count)
    for row in 0..<count {
      let whole = operand.validity.isValid(row)
      if !whole {
        result[row] = negated ? 0 : 1
        continue
      }
      for field in operand.children where field.validity.isValid(row) != negated { result[row] = 0 }
    }
    return Vector(.boolean, result, count: count)
  }

  /// `operand IS [NOT] TRUE` or `FALSE`: never NULL.
  package static func isBoolean(
    _ operand: Vector, _ wanted: Bool, negated: Bool, count: Int
  ) -> Vector {
    let operand = operand.normalized()
    let validity = RowLoop.spread(operand, count)
    let values = Operand(operand, UInt8.self)
    let result = Buffer<UInt8>(uninitialized: count)
    let wanted: UInt8 = wanted ? 1 : 0
    for row in 0..<count {
      let holds = validity.isValid(row) && values[row] == wanted
      result[row] = UInt8(truncatingIfNeeded: bit(holds != negated))
    }
    return Vector(.boolean, result, count: count)
  }
}
