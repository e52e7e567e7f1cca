package import Diagnostics

/// Arithmetic of exact numbers over whole vectors.
package enum NumericArithmetic {
  /// The operations of two operands.
  package enum Operation: Sendable { case add, subtract, multiply, divide, remainder, quotient }

  /// The operation as a kernel.
  package static func kernel(_ operation: Operation) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      switch operation {
      case .add:
        return try map(arguments, count) { (a, b) throws(SQLError) in try Numeric.add(a, b) }
      case .subtract:
        return try map(arguments, count) { (a, b) throws(SQLError) in try Numeric.subtract(a, b) }
      case .multiply:
        return try map(arguments, count) { (a, b) throws(SQLError) in try Numeric.multiply(a, b) }
      case .divide:
        return try map(arguments, count) { (a, b) throws(SQLError) in try Numeric.divide(a, b) }
      case .remainder:
        return try map(arguments, count) { (a, b) throws(SQLError) in try Numeric.remainder(a, b) }
      case .quotient:
        return try map(arguments, count) { (a, b) throws(SQLError) in
          try Numeric.divideTruncating(a, b)
        }
      }
    }
  }

  @inline(__always)
  private static func map(
    _ arguments: [Vector], _ count: Int,
    _ body: (Numeric, Numeric) throws(SQLError) -> Numeric
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .numeric, Numeric.self, Numeric.self, body)
  }

  /// The operations of one operand.
  package enum UnaryOperation: Sendable {
    case negate, plus, absolute, sign, ceiling, floor, round, truncate, trimScale
  }

  /// The operation as a kernel.
  package static func kernel(_ operation: UnaryOperation) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      if operation == .plus { return arguments[0] }
      if let small = DecimalArithmetic.apply(operation, arguments[0]) { return small }
      let whole = arguments.map { $0.normalized() }
      return try RowLoop.mapValid(whole, count, .numeric, Numeric.self) {
        (value) throws(SQLError) -> Numeric in
        switch operation {
        case .negate: Numeric.negate(value)
        case .absolute: Numeric.absolute(value)
        case .sign: Numeric.sign(value)
        case .ceiling: try Numeric.ceiling(value)
        case .floor: try Numeric.floor(value)
        case .round: try Numeric.round(value, places: 0)
        case .truncate: try Numeric.truncate(value, places: 0)
        case .trimScale: Numeric.trimScale(value)
        case .plus: value
        }
      }
    }
  }

  /// `round(value, places)`.
  package static func round(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .numeric, Numeric.self, Int32.self) {
      (value, places) throws(SQLError) in try Numeric.round(value, places: Int(places))
    }
  }

  /// `trunc(value, places)`.
  package static func truncate(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .numeric, Numeric.self, Int32.self) {
      (value, places) throws(SQLError) in try Numeric.truncate(value, places: Int(places))
    }
  }

  /// `scale(value)`: the digits behind the point.
  package static func scale(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try nullable(arguments, count) { Int32($0.scale) }
  }

  /// `min_scale(value)`: the digits behind the point that are needed.
  package static func minimumScale(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try nullable(arguments, count) { Int32(Numeric.trimScale($0).scale) }
  }

  /// NULL for what is no finite number.
  private static func nullable(
    _ arguments: [Vector], _ count: Int, _ body: (Numeric) -> Int32
  ) throws(SQLError) -> Vector {
    let values = Operand(arguments[0], Numeric.self)
    var validity = RowLoop.spread(arguments[0], count).copy(count: count)
    let result = Buffer<Int32>(zeroed: count)
    for row in 0..<count where validity.isValid(row) {
      if values[row].kind == .finite {
        result[row] = body(values[row])
      } else {
        validity.setNull(row, count: count)
      }
    }
    return Vector(.integer, result, count: count, validity: validity)
  }

  /// `gcd` and `lcm` of exact numbers.
  package static func divisor(isMultiple: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      try map(arguments, count) { (a, b) throws(SQLError) -> Numeric in
        guard a.kind == .finite && b.kind == .finite else { return Numeric(Numeric.Kind.nan) }
        var x = Numeric.absolute(a)
        var y = Numeric.absolute(b)
        let scale = max(a.scale, b.scale)
        while y.coefficient != 0 {
          (x, y) = (y, try Numeric.remainder(x, y))
        }
        if !isMultiple { return try Numeric.round(x, places: Int(scale)) }
        if x.coefficient == 0 { return Numeric(coefficient: 0, scale: scale) }
        let product = try Numeric.multiply(
          try Numeric.divideTruncating(Numeric.absolute(a), x), Numeric.absolute(b))
        return try Numeric.round(product, places: Int(scale))
      }
    }
  }
}

extension NumericArithmetic {
  /// `sqrt(value)`.
  ///
  /// - Throws: 2201F.
  package static func squareRoot(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .numeric, Numeric.self) {
      (value) throws(SQLError) -> Numeric in try Numeric.squareRoot(value)
    }
  }

  /// `exp(value)`.
  ///
  /// - Throws: 22003.
  package static func exponential(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .numeric, Numeric.self) {
      (value) throws(SQLError) -> Numeric in try Numeric.exponential(value)
    }
  }

  /// `ln(value)`.
  ///
  /// - Throws: 2201E.
  package static func naturalLogarithm(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .numeric, Numeric.self) {
      (value) throws(SQLError) -> Numeric in try Numeric.naturalLogarithm(value)
    }
  }

  /// `log(value)`: to the base 10.
  ///
  /// - Throws: 2201E.
  package static func commonLogarithm(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let ten = Numeric(10)
    return try RowLoop.mapValid(arguments, count, .numeric, Numeric.self) {
      (value) throws(SQLError) -> Numeric in try Numeric.logarithm(ten, value)
    }
  }

  /// `log(base, value)`.
  ///
  /// - Throws: 2201E, 22012.
  package static func logarithm(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .numeric, Numeric.self, Numeric.self) {
      (base, value) throws(SQLError) -> Numeric in try Numeric.logarithm(base, value)
    }
  }

  /// `power(base, exponent)`: exact for whole exponents, else to 16 significant digits at least.
  ///
  /// - Throws: 2201F, 22003.
  package static func power(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .numeric, Numeric.self, Numeric.self) {
      (base, exponent) throws(SQLError) -> Numeric in try Numeric.raise(base, to: exponent)
    }
  }

  /// `width_bucket(operand, low, high, count)` of exact numbers.
  ///
  /// - Throws: 2201G for bounds or counts that make no buckets, 22003.
  package static func widthBucket(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let operands = Operand(arguments[0], Numeric.self)
    let lows = Operand(arguments[1], Numeric.self)
    let highs = Operand(arguments[2], Numeric.self)
    let counts = Operand(arguments[3], Int32.self)
    return try TextLoop.compute(arguments, count, .integer) { (row) throws(SQLError) -> Int32 in
      let (value, low, high) = (operands[row], lows[row], highs[row])
      let buckets = counts[row]
      if buckets <= 0 {
        throw MathFunctions.bucketError("count must be greater than zero")
      }
      if value.isNaN || low.isNaN || high.isNaN {
        throw MathFunctions.bucketError(
          "operand, lower bound, and upper bound cannot be NaN")
      }
      if low.isInfinite || high.isInfinite {
        throw MathFunctions.bucketError("lower and upper bounds must be finite")
      }
      if low == high {
        throw MathFunctions.bucketError("lower bound cannot equal upper bound")
      }
      let isRising = low < high
      if isRising ? value < low : value > low { return 0 }
      if isRising ? value < high : value > high {
        return BigDecimal.bucket(value, from: low, to: high, count: buckets)
      }
      let (next, overflow) = buckets.addingReportingOverflow(1)
      if overflow { throw IntegerArithmetic.overflow(.integer) }
      return next
    }
  }
}
