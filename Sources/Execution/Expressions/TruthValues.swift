import Columnar

/// Three-valued truth of many rows: 0 false, 1 true, 2 unknown.
struct TruthValues {
  let values: Buffer<UInt8>
  let count: Int

  static let unknown: UInt8 = 2

  /// The truth of each row of a boolean vector of any form.
  init(_ vector: Vector, count: Int) {
    self.count = count
    if vector.form == .constant {
      let value: UInt8 = vector.isConstantNull ? Self.unknown : vector.values(UInt8.self)[0]
      values = Buffer(repeating: value, count: count)
      return
    }
    let flat = vector.flattened()
    let result = Buffer<UInt8>(uninitialized: count)
    result.copy(flat.values(UInt8.self), count: count, to: 0)
    if let words = flat.validity.words {
      for row in 0..<count {
        let missing = ~words[row &>> 6] &>> UInt64(truncatingIfNeeded: row & 63) & 1
        // Unknown whatever the value under the NULL was: 2 is or-ed in, a 1 below it cleared.
        let mask = UInt8(truncatingIfNeeded: missing)
        result[row] = (result[row] & ~mask) | (mask &<< 1)
      }
    }
    values = result
  }

  init(values: Buffer<UInt8>, count: Int) {
    self.values = values
    self.count = count
  }

  /// Makes each truth that of AND with another's: false wins, then unknown.
  func and(_ other: TruthValues) {
    let (values, others) = (values, other.values)
    for row in 0..<count {
      let (one, two) = (values[row], others[row])
      values[row] = min(one, two) == 0 ? 0 : max(one, two)
    }
  }

  /// Makes each truth that of OR with another's: true wins, then unknown.
  func or(_ other: TruthValues) {
    let (values, others) = (values, other.values)
    for row in 0..<count {
      let (one, two) = (values[row], others[row])
      values[row] = (one | two) & 1 != 0 ? 1 : one | two
    }
  }

  /// The boolean vector.
  func vector() -> Vector {
    let result = Buffer<UInt8>(uninitialized: max(count, 1))
    var unknowns: UInt8 = 0
    for row in 0..<count {
      let value = values[row]
      unknowns |= value
      result[row] = value & 1
    }
    var validity = ValidityMask.allValid
    if unknowns & Self.unknown != 0 {
      for row in 0..<count where values[row] == Self.unknown { validity.setNull(row, count: count) }
    }
    return Vector(.boolean, result, count: count, validity: validity)
  }

  /// The rows whose truth is not `value`.
  func rows(not value: UInt8) -> SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: count)
    var found = 0
    for row in 0..<count {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(values[row] != value)
    }
    return SelectionVector(kept, count: found)
  }
}

extension Vector {
  /// A boolean vector without NULLs that is true at the selected rows.
  static func booleans(trueAt selection: SelectionVector, count: Int, negated: Bool) -> Vector {
    let values = Buffer<UInt8>(repeating: negated ? 1 : 0, count: max(count, 1))
    let mark: UInt8 = negated ? 0 : 1
    for index in 0..<selection.count { values[selection.positions[index]] = mark }
    return Vector(.boolean, values, count: count)
  }

  /// A constant boolean.
  static func boolean(_ value: Bool, count: Int) -> Vector {
    Vector(constant: .boolean(value), type: .boolean, count: count)
  }
}
