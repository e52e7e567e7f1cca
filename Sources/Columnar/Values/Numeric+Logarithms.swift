package import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Logarithms and powers of exact numbers, with as many digits as PostgreSQL gives them: 16 significant ones, and no
/// fewer places than the arguments have.
extension Numeric {
  /// The digits of common and natural logarithms in one: log10(e).
  private static let commonOfE = 0.434294481903252
  /// Numbers of so many places are exact in the arithmetic below.
  private static let exactPlaces = 34

  private static func checkLogarithm(_ value: Numeric) throws(SQLError) {
    if value.isNegative {
      throw SQLError(
        .invalidArgumentForLogarithm, "cannot take logarithm of a negative number")
    }
    if value.isZero {
      throw SQLError(.invalidArgumentForLogarithm, "cannot take logarithm of zero")
    }
  }

  /// About how many digits the logarithm of a number above zero has before its point, less one.
  private static func logarithmWeight(_ value: Numeric) throws(SQLError) -> Int {
    let nearLow = Numeric(coefficient: 9, scale: 1)
    let nearHigh = Numeric(coefficient: 11, scale: 1)
    if value >= nearLow && value <= nearHigh {
      // ln(1 + x) is about x here.
      let distance = try subtract(value, .one)
      if distance.isZero { return 0 }
      let (weight, digits) = distance.leadingGroup
      return weight * 4 + Int(log10(Double(digits)))
    }
    let estimate = log(Double(value.magnitude)) - Double(value.scale) * log(10)
    return Int(log10(estimate.magnitude))
  }

  /// The natural logarithm.
  ///
  /// - Throws: 2201E.
  package static func naturalLogarithm(_ value: Numeric) throws(SQLError) -> Numeric {
    if value.isNaN { return value }
    try checkLogarithm(value)
    if value.isInfinite { return value }
    let scale = max(16 - (try logarithmWeight(value)), Int(value.scale), 0)
    return try FixedReal.logarithm(value.magnitude, scale: Int(value.scale)).numeric(scale: scale)
  }

  /// The logarithm of `value` to `base`.
  ///
  /// - Throws: 2201E, 22012 for the base 1.
  package static func logarithm(_ base: Numeric, _ value: Numeric) throws(SQLError) -> Numeric {
    if base.isNaN || value.isNaN { return .nan }
    try checkLogarithm(base)
    try checkLogarithm(value)
    if base.isInfinite { return value.isInfinite ? .nan : .zero }
    if value.isInfinite { return value }
    let weight = try logarithmWeight(value) - logarithmWeight(base)
    let scale = max(16 - weight, Int(base.scale), Int(value.scale), 0)
    let dividend = try FixedReal.logarithm(value.magnitude, scale: Int(value.scale))
      .numeric(scale: exactPlaces)
    let divisor = try FixedReal.logarithm(base.magnitude, scale: Int(base.scale))
      .numeric(scale: exactPlaces)
    if divisor.isZero { throw divisionByZero }
    return try divide(dividend, divisor, scale: scale)
  }

  /// e to the power of a number.
  ///
  /// - Throws: 22003.
  package static func exponential(_ value: Numeric) throws(SQLError) -> Numeric {
    guard value.isFinite else { return value.isNegative ? .zero : value }
    return try exponential(value, places: Int(value.scale))
  }

  /// e to the power of a finite number, with `places` behind the point at least.
  private static func exponential(_ value: Numeric, places: Int) throws(SQLError) -> Numeric {
    let weight = (value.double * commonOfE).rounded(.towardZero)
    guard weight < 40 else { throw overflow }
    // What has no digit among 38 places is zero.
    guard weight > -40 else { return Numeric(coefficient: 0, scale: Int16(digitCountMax)) }
    let scale = max(16 - Int(weight), places, 0)
    guard let exact = FixedReal(value) else { throw overflow }
    let (fraction, exponent) = exact.exponential
    return try fraction.numeric(scale: scale, exponent: exponent)
  }

  /// A number above zero to the power of any finite number.
  ///
  /// - Throws: 22003.
  static func raised(_ base: Numeric, to exponent: Numeric) throws(SQLError) -> Numeric {
    let places = max(Int(base.scale), Int(exponent.scale))
    let logarithm = try FixedReal.logarithm(base.magnitude, scale: Int(base.scale))
      .numeric(scale: exactPlaces)
    return try exponential(try multiply(exponent, logarithm), places: places)
  }
}
