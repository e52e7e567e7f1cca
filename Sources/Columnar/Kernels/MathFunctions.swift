package import Diagnostics
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The mathematical functions of double precision and of whole numbers.
package enum MathFunctions {
  /// The functions of one double.
  package enum Function: Sendable {
    case ceiling, floor, round, truncate, squareRoot, cubeRoot, exponential, logarithm
    case commonLogarithm, degrees, radians
    case sine, cosine, tangent, cotangent, arcSine, arcCosine, arcTangent
    case hyperbolicSine, hyperbolicCosine, hyperbolicTangent
    case areaSine, areaCosine, areaTangent
    case sineDegrees, cosineDegrees, tangentDegrees, cotangentDegrees
    case arcSineDegrees, arcCosineDegrees, arcTangentDegrees
  }

  static let inputOutOfRange = SQLError(.numericOutOfRange, "input is out of range")

  /// The function as a kernel of double precision.
  package static func kernel(_ function: Function) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      try FloatArithmetic.map(arguments, count) { (value) throws(SQLError) -> Double in
        try compute(function, value)
      }
    }
  }

  private static func compute(_ function: Function, _ value: Double) throws(SQLError) -> Double {
    switch function {
    case .ceiling: return value.rounded(.up)
    case .floor: return value.rounded(.down)
    // Half to even, as rint() does.
    case .round: return value.rounded(.toNearestOrEven)
    case .truncate: return value.rounded(.towardZero)
    case .squareRoot:
      if value < 0 {
        throw SQLError(
          .invalidArgumentForPower, "cannot take square root of a negative number")
      }
      return value.squareRoot()
    case .cubeRoot: return cbrt(value)
    case .exponential:
      let result = exp(value)
      if result.isInfinite && value.isFinite { throw FloatArithmetic.overflow }
      if result == 0 && value.isFinite { throw FloatArithmetic.underflow }
      return result
    case .logarithm:
      try checkLogarithm(value)
      return log(value)
    case .commonLogarithm:
      try checkLogarithm(value)
      return log10(value)
    case .degrees:
      let result = value / (Double.pi / 180)
      if result.isInfinite && value.isFinite { throw FloatArithmetic.overflow }
      return result
    case .radians:
      let result = value * (Double.pi / 180)
      if result == 0 && value != 0 { throw FloatArithmetic.underflow }
      return result
    case .sine, .cosine, .tangent, .cotangent, .arcSine, .arcCosine, .arcTangent, .hyperbolicSine,
      .hyperbolicCosine, .hyperbolicTangent, .areaSine, .areaCosine, .areaTangent, .sineDegrees,
      .cosineDegrees, .tangentDegrees, .cotangentDegrees, .arcSineDegrees, .arcCosineDegrees,
      .arcTangentDegrees:
      return try trigonometric(function, value)
    }
  }

  private static func checkLogarithm(_ value: Double) throws(SQLError) {
    if value == 0 {
      throw SQLError(.invalidArgumentForLogarithm, "cannot take logarithm of zero")
    }
    if value < 0 {
      throw SQLError(
        .invalidArgumentForLogarithm, "cannot take logarithm of a negative number")
    }
  }

  private static func trigonometric(_ function: Function, _ value: Double) throws(SQLError)
    -> Double
  {
    if value.isNaN { return value }
    switch function {
    case .arcSine, .arcCosine:
      if value < -1 || value > 1 { throw inputOutOfRange }
      return function == .arcSine ? asin(value) : acos(value)
    case .arcSineDegrees, .arcCosineDegrees:
      if value < -1 || value > 1 { throw inputOutOfRange }
      return function == .arcSineDegrees
        ? DegreeTrigonometry.arcSine(value) : DegreeTrigonometry.arcCosine(value)
    case .arcTangent: return atan(value)
    case .arcTangentDegrees: return DegreeTrigonometry.arcTangent(value)
    case .hyperbolicSine: return sinh(value)
    case .hyperbolicCosine: return cosh(value)
    case .hyperbolicTangent: return tanh(value)
    case .areaSine: return asinh(value)
    case .areaCosine:
      if value < 1 { throw inputOutOfRange }
      return acosh(value)
    case .areaTangent:
      if value < -1 || value > 1 { throw inputOutOfRange }
      return atanh(value)
    case .ceiling, .floor, .round, .truncate, .squareRoot, .cubeRoot, .exponential, .logarithm,
      .commonLogarithm, .degrees, .radians, .sine, .cosine, .tangent, .cotangent, .sineDegrees,
      .cosineDegrees, .tangentDegrees, .cotangentDegrees:
      break
    }
    if value.isInfinite { throw inputOutOfRange }
    switch function {
    case .sine: return sin(value)
    case .cosine: return cos(value)
    case .tangent: return tan(value)
    case .cotangent: return 1 / tan(value)
    case .sineDegrees: return DegreeTrigonometry.sine(value)
    case .cosineDegrees: return DegreeTrigonometry.cosine(value)
    case .tangentDegrees: return DegreeTrigonometry.tangent(value)
    case .ceiling, .floor, .round, .truncate, .squareRoot, .cubeRoot, .exponential, .logarithm,
      .commonLogarithm, .degrees, .radians, .arcSine, .arcCosine, .arcTangent, .hyperbolicSine,
      .hyperbolicCosine, .hyperbolicTangent, .areaSine, .areaCosine, .areaTangent,
      .cotangentDegrees, .arcSineDegrees, .arcCosineDegrees, .arcTangentDegrees:
      return DegreeTrigonometry.cotangent(value)
    }
  }

  /// `atan2(y, x)`.
  package static func arcTangent2(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    RowLoop.map(arguments, count, .double, Double.self, Double.self) { atan2($0, $1) }
  }

  /// `atan2d(y, x)`, in degrees.
  package static func arcTangent2Degrees(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    RowLoop.map(arguments, count, .double, Double.self, Double.self) {
      DegreeTrigonometry.arcTangent(y: $0, x: $1)
    }
  }

  /// `pi()`.
  package static func pi(
    _: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    Vector(constant: .double(.pi), type: .double, count: count)
  }

  /// `gcd` and `lcm` of whole numbers.
  ///
  /// - Throws: 22003.
  package static func divisor(_ type: LogicalType, isMultiple: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      if type == .integer {
        return try divisor(arguments, count, type, isMultiple, Int32.self)
      }
      return try divisor(arguments, count, type, isMultiple, Int64.self)
    }
  }

  @inline(__always)
  private static func divisor<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType, _ isMultiple: Bool,
    _ number: Number.Type
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, type, number, number) {
      (a, b) throws(SQLError) -> Number in
      var x = a.magnitude
      var y = b.magnitude
      while y != 0 { (x, y) = (y, x % y) }
      var result = x
      if isMultiple {
        if x == 0 { return 0 }
        let (product, overflow) = (a.magnitude / x).multipliedReportingOverflow(by: b.magnitude)
        if overflow { throw IntegerArithmetic.overflow(type) }
        result = product
      }
      guard let fitting = Number(exactly: result) else { throw IntegerArithmetic.overflow(type) }
      return fitting
    }
  }

  /// `factorial(n)`, exact.
  ///
  /// - Throws: 22003.
  package static func factorial(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try RowLoop.mapValid(arguments, count, .numeric, Int64.self) {
      (value) throws(SQLError) -> Numeric in
      if value < 0 {
        throw SQLError(.numericOutOfRange, "factorial of a negative number is undefined")
      }
      var result: Int128 = 1
      var factor: Int64 = 2
      while factor <= value {
        let (product, overflow) = result.multipliedReportingOverflow(by: Int128(factor))
        if overflow || product >= DecimalPowers.table[38] {
          throw Numeric.overflow
        }
        result = product
        factor &+= 1
      }
      return Numeric(coefficient: result, scale: 0)
    }
  }

  /// `width_bucket(operand, low, high, count)` of double precision.
  ///
  /// - Throws: 2201G for bounds or counts that make no buckets.
  package static func widthBucket(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let operands = Operand(arguments[0], Double.self)
    let lows = Operand(arguments[1], Double.self)
    let highs = Operand(arguments[2], Double.self)
    let counts = Operand(arguments[3], Int32.self)
    return try TextLoop.compute(arguments, count, .integer) { (row) throws(SQLError) -> Int32 in
      let value = operands[row]
      let low = lows[row]
      let high = highs[row]
      let buckets = counts[row]
      if buckets <= 0 { throw bucketError("count must be greater than zero") }
      if value.isNaN || low.isNaN || high.isNaN {
        throw bucketError("operand, lower bound, and upper bound cannot be NaN")
      }
      if low.isInfinite || high.isInfinite {
        throw bucketError("lower and upper bounds must be finite")
      }
      if low == high { throw bucketError("lower bound cannot equal upper bound") }
      let isRising = low < high
      if isRising ? value < low : value > low { return 0 }
      if isRising ? value >= high : value <= high {
        let (next, overflow) = buckets.addingReportingOverflow(1)
        if overflow { throw IntegerArithmetic.overflow(.integer) }
        return next
      }
      // Halves have a finite difference where the bounds have none.
      let share =
        (high - low).isFinite
        ? (value - low) / (high - low) : (value / 2 - low / 2) / (high / 2 - low / 2)
      return min(Int32((share * Double(buckets)).rounded(.down)), buckets - 1) + 1
    }
  }

  static func bucketError(_ message: String) -> SQLError {
    SQLError(SQLState("2201G"), message)
  }

  /// The numbers of `random()` where the database has none of its own; `setseed` fixes them.
  private static let numbers = RandomSequence(seed: UInt64.random(in: 1 ... .max))

  /// `random()`: one number in [0, 1) for each row.
  package static func random(
    _: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    let result = Buffer<Double>(uninitialized: count)
    var stretch = (context.surroundings.random ?? numbers).next(count)
    for row in 0..<count { result[row] = Double(stretch.next() &>> 11) * 0x1p-53 }
    return Vector(.double, result, count: count)
  }

  /// `setseed(value)` with a value from -1 to 1.
  ///
  /// - Throws: 22023 for another value.
  package static func setSeed(
    _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    let seeds = Operand(arguments[0], Double.self)
    for row in 0..<count where RowLoop.spread(arguments[0], count).isValid(row) {
      guard seeds[row] >= -1 && seeds[row] <= 1 else {
        throw SQLError(
          .invalidParameterValue,
          "setseed parameter \(seeds[row]) is out of allowed range [-1,1]")
      }
      (context.surroundings.random ?? numbers).restart(seeds[row].bitPattern)
    }
    return Vector(constant: .text([]), type: .void, count: count)
  }

  /// `gen_random_uuid()`: version 4.
  package static func randomUUID(
    _: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    let result = Buffer<UUIDValue>(uninitialized: count)
    // Only who asks for it gets numbers that can be foretold.
    var stretch = context.surroundings.random?.next(2 * count)
    var source = SystemRandomNumberGenerator()
    for row in 0..<count {
      let high = (stretch?.next() ?? source.next()) & ~0xF000 | 0x4000
      let low = (stretch?.next() ?? source.next()) & ~(3 &<< 62) | 1 &<< 63
      result[row] = UUIDValue(high: high, low: low)
    }
    return Vector(.uuid, result, count: count)
  }
}
