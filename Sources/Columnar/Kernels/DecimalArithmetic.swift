/// Sums, differences and products of exact numbers in the small form.
///
/// The results are those of `NumericArithmetic`, digits behind the point included; what does not fit 64
/// bits is left to that.
package enum DecimalArithmetic {
  /// What is computed.
  package enum Operation: Sendable { case add, subtract, multiply }

  /// An operand as whole numbers.
  private struct Side {
    var values: Buffer<Int64>
    var mask: Int
    var decimals: Int16

    /// nil where the vector has no small form.
    init?(_ vector: Vector) {
      mask = vector.form == .constant ? 0 : -1
      if let own = vector.decimals {
        values = vector.scaledValues
        decimals = own
        return
      }
      guard vector.form == .constant, let one = vector.resized(to: 1).narrowed(count: 1) else {
        return nil
      }
      values = one.scaledValues
      decimals = one.decimals ?? 0
    }

    /// With `places` more digits behind the point; nil where that does not fit.
    func scaled(by places: Int16, count: Int) -> Side? {
      guard places <= 18 else { return nil }
      let factor = Int64(truncatingIfNeeded: DecimalPowers.table[Int(places)])
      let rows = mask == 0 ? 1 : count
      let result = Buffer<Int64>(uninitialized: max(rows, 1))
      var overflows = 0
      for row in 0..<rows {
        let (product, overflow) = values[row].multipliedReportingOverflow(by: factor)
        result[row] = product
        overflows |= bit(overflow)
      }
      if overflows != 0 { return nil }
      var side = self
      side.values = result
      side.decimals += places
      return side
    }
  }

  /// An operation of one operand for each row; nil where the operand has no small form, or a result does not fit.
  ///
  /// - Complexity: O(*n*).
  static func apply(_ operation: NumericArithmetic.UnaryOperation, _ vector: Vector) -> Vector? {
    guard vector.form == .flat, let scale = vector.decimals, scale <= 18 else { return nil }
    let unit = Int64(truncatingIfNeeded: DecimalPowers.table[Int(scale)])
    let half = unit / 2
    switch operation {
    case .negate: return map(vector, scale) { 0 &- $0 }
    case .absolute: return map(vector, scale) { $0 < 0 ? 0 &- $0 : $0 }
    case .sign: return map(vector, 0) { $0.signum() }
    case .truncate: return map(vector, 0) { $0 / unit }
    case .floor: return map(vector, 0) { $0 / unit &- ($0 % unit < 0 ? 1 : 0) }
    case .ceiling: return map(vector, 0) { $0 / unit &+ ($0 % unit > 0 ? 1 : 0) }
    case .round:
      // A half goes away from zero.
      return map(vector, 0) {
        let rest = $0 % unit
        if rest == 0 || abs(rest) < half { return $0 / unit }
        return $0 / unit &+ rest.signum()
      }
    case .plus, .trimScale: return nil
    }
  }

  @inline(__always)
  private static func map(
    _ vector: Vector, _ scale: Int16, _ body: (Int64) -> Int64
  ) -> Vector? {
    let values = vector.scaledValues
    let result = Buffer<Int64>(uninitialized: max(vector.count, 1))
    var isLeast = 0
    for row in 0..<vector.count {
      isLeast |= bit(values[row] == .min)
      result[row] = body(values[row])
    }
    // The least number has no opposite.
    if isLeast != 0 { return nil }
    return Vector(decimals: scale, result, count: vector.count, validity: vector.validity)
  }

  /// `left op right` for each row; nil where the operands or a result do not fit.
  ///
  /// Takes flat and constant vectors, not both constant.
  ///
  /// - Complexity: O(*n*).
  package static func combine(
    _ operation: Operation, _ left: Vector, _ right: Vector, count: Int
  ) -> Vector? {
    var (left, right) = (left, right)
    if operation != .multiply {
      // The result has as many digits as the operand that has more: digits that the other one may lack do not show.
      if left.form == .flat, right.decimals == nil, let scale = left.decimals {
        right = right.narrowed(toScale: scale, count: count) ?? right
      } else if right.form == .flat, left.decimals == nil, let scale = right.decimals {
        left = left.narrowed(toScale: scale, count: count) ?? left
      }
    }
    guard left.decimals != nil || right.decimals != nil, var a = Side(left), var b = Side(right)
    else { return nil }
    let result = Buffer<Int64>(uninitialized: max(count, 1))
    var decimals = a.decimals
    let overflows: Bool
    if operation == .multiply {
      decimals = a.decimals + b.decimals
      if decimals > 38 { return nil }
      overflows = multiply(a, b, count, result)
    } else {
      if a.decimals < b.decimals {
        guard let scaled = a.scaled(by: b.decimals - a.decimals, count: count) else { return nil }
        a = scaled
      } else if b.decimals < a.decimals {
        guard let scaled = b.scaled(by: a.decimals - b.decimals, count: count) else { return nil }
        b = scaled
      }
      decimals = a.decimals
      overflows = add(a, b, negated: operation == .subtract, count, result)
    }
    if overflows { return nil }
    return Vector(
      decimals: decimals, result, count: count, validity: RowLoop.validity([left, right], count))
  }

  private static func multiply(
    _ left: Side, _ right: Side, _ count: Int, _ result: Buffer<Int64>
  ) -> Bool {
    let x = left.values
    let y = right.values
    var overflows = 0
    if left.mask == 0 || right.mask == 0 {
      let constant = left.mask == 0 ? x[0] : y[0]
      let values = left.mask == 0 ? y : x
      for row in 0..<count {
        let (product, overflow) = values[row].multipliedReportingOverflow(by: constant)
        result[row] = product
        overflows |= bit(overflow)
      }
      return overflows != 0
    }
    for row in 0..<count {
      let (product, overflow) = x[row].multipliedReportingOverflow(by: y[row])
      result[row] = product
      overflows |= bit(overflow)
    }
    return overflows != 0
  }

  private static func add(
    _ left: Side, _ right: Side, negated: Bool, _ count: Int, _ result: Buffer<Int64>
  ) -> Bool {
    let x = left.values
    let y = right.values
    // A bit per sign: set where both operands have one sign and the result the other.
    var signs: Int64 = 0
    switch (left.mask == 0, right.mask == 0, negated) {
    case (true, _, false):
      let constant = x[0]
      for row in 0..<count {
        let sum = constant &+ y[row]
        signs |= (sum ^ constant) & (sum ^ y[row])
        result[row] = sum
      }
    case (true, _, true):
      let constant = x[0]
      for row in 0..<count {
        let difference = constant &- y[row]
        signs |= (constant ^ y[row]) & (constant ^ difference)
        result[row] = difference
      }
    case (_, true, _):
      let constant = y[0]
      if negated {
        for row in 0..<count {
          let difference = x[row] &- constant
          signs |= (x[row] ^ constant) & (x[row] ^ difference)
          result[row] = difference
        }
      } else {
        for row in 0..<count {
          let sum = x[row] &+ constant
          signs |= (sum ^ x[row]) & (sum ^ constant)
          result[row] = sum
        }
      }
    case (_, _, false):
      for row in 0..<count {
        let sum = x[row] &+ y[row]
        signs |= (sum ^ x[row]) & (sum ^ y[row])
        result[row] = sum
      }
    default:
      for row in 0..<count {
        let difference = x[row] &- y[row]
        signs |= (x[row] ^ y[row]) & (x[row] ^ difference)
        result[row] = difference
      }
    }
    return signs < 0
  }

  /// Whole numbers as exact ones; nil for a vector of another type.
  ///
  /// Takes flat and constant vectors.
  package static func converted(_ vector: Vector) -> Vector? {
    let width: DecimalForm.Width
    switch vector.type.physical {
    case .int16: width = .two
    case .int32: width = .four
    case .int64: width = .eight
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
    return Vector(
      type: .numeric, count: vector.count, form: vector.form, storage: vector.storage,
      validity: vector.validity, digits: DecimalForm(scale: 0, width: width))
  }
}

/// Comparisons of exact numbers in the small form, as comparisons of whole numbers.
enum DecimalComparison {
  /// What a comparison comes down to.
  enum Outcome {
    case compare(Comparison, Vector, Vector)
    /// The same for every row that is not NULL.
    case always(Bool)
  }

  /// nil where the operands do not allow it.
  static func reduce(_ comparison: Comparison, _ left: Vector, _ right: Vector) -> Outcome? {
    if let common = left.digits?.union(right.digits) {
      return .compare(
        comparison, left.compact(as: common).scaledNumbers,
        right.compact(as: common).scaledNumbers)
    }
    if left.form == .constant && right.form != .constant {
      return reduce(comparison.commuted, right, left)
    }
    if let a = left.digits, let b = right.digits, left.form == .flat, right.form == .flat {
      let scale = max(a.scale, b.scale)
      guard let one = left.rescaled(to: scale), let two = right.rescaled(to: scale) else {
        return nil
      }
      return reduce(comparison, one, two)
    }
    guard let digits = left.digits, right.form == .constant, right.validity.isValid(0) else {
      return nil
    }
    switch reduce(comparison, digits.scale, right.numeric(at: 0)) {
    case .number(let comparison, let number):
      if let always = digits.outcome(comparison, number) { return .always(always) }
      return .compare(comparison, left.scaledNumbers, digits.constant(number, count: right.count))
    case .always(let truth): return .always(truth)
    case nil: return nil
    }
  }

  /// What a comparison with a constant comes down to.
  enum ConstantOutcome {
    case number(Comparison, Int64)
    /// The same for every row that is not NULL.
    case always(Bool)
  }

  /// A comparison with a constant of whole numbers whose last `decimals` digits stand behind the point; nil where that does
  /// not fit.
  static func reduce(
    _ comparison: Comparison, _ decimals: Int16, _ constant: Numeric
  ) -> ConstantOutcome? {
    guard constant.isFinite, let (floor, isExact) = floored(constant, decimals) else { return nil }
    if isExact { return .number(comparison, floor) }
    switch comparison {
    case .equal: return .always(false)
    case .notEqual: return .always(true)
    case .less, .lessOrEqual: return .number(.lessOrEqual, floor)
    case .greater, .greaterOrEqual: return .number(.greater, floor)
    }
  }

  /// The greatest whole number at most `value × 10^decimals`, and whether it is that.
  private static func floored(_ value: Numeric, _ decimals: Int16) -> (Int64, Bool)? {
    let places = decimals - value.scale
    if places >= 0 {
      guard places <= 38 else { return nil }
      let (product, overflow) = value.coefficient.multipliedReportingOverflow(
        by: DecimalPowers.table[Int(places)])
      guard !overflow, let narrow = Int64(exactly: product) else { return nil }
      return (narrow, true)
    }
    let (quotient, rest) = value.coefficient.quotientAndRemainder(
      dividingBy: DecimalPowers.table[Int(-places)])
    guard let narrow = Int64(exactly: rest < 0 ? quotient - 1 : quotient) else { return nil }
    return (narrow, rest == 0)
  }
}
