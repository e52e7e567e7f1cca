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
    return try WideReal.logarithm(value).numeric(scale: scale)
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
    let divisor = WideReal.logarithm(base)
    if divisor.isZero { throw divisionByZero }
    return try (WideReal.logarithm(value) / divisor).numeric(scale: scale)
  }

  /// e to the power of a number.
  ///
  /// - Throws: 22003.
  package static func exponential(_ value: Numeric) throws(SQLError) -> Numeric {
    guard value.isFinite else { return value.isNegative ? .zero : value }
    return try exponential(WideReal(value), places: Int(value.scale))
  }

  /// e to the power of a number, with `places` behind the point at least.
  private static func exponential(_ value: WideReal, places: Int) throws(SQLError) -> Numeric {
    let weight = (value.double * commonOfE).rounded(.towardZero)
    guard weight < 40 else { throw overflow }
    // What has no digit among the 1,000 places that PostgreSQL shows is zero there too.
    guard weight > -1000 else { return Numeric(coefficient: 0, scale: Int16(digitCountMax)) }
    guard weight > -40 else { throw underflow }
    let result = try value.exponential.numeric(scale: max(16 - Int(weight), places, 0))
    if result.isZero { throw underflow }
    return result
  }

  /// A number to the power of another.
  ///
  /// - Throws: 2201F, 22003.
  package static func raise(_ base: Numeric, to exponent: Numeric) throws(SQLError) -> Numeric {
    if base.isNaN || exponent.isNaN { return base == .one || exponent.isZero ? .one : .nan }
    if base.isZero && exponent.isNegative {
      throw SQLError(
        .invalidArgumentForPower, "zero raised to a negative power is undefined")
    }
    let whole = exponent.canonical
    if base.isNegative && whole.isFinite && whole.scale > 0 {
      throw SQLError(
        .invalidArgumentForPower,
        "a negative number raised to a non-integer power yields a complex result")
    }
    if base.isInfinite || exponent.isInfinite { return raisedInfinitely(base, whole) }
    if whole.scale == 0, let power = Int32(exactly: whole.coefficient) {
      return try raised(base, to: power)
    }
    if base.isZero { return Numeric(coefficient: 0, scale: 16) }
    let isOdd = whole.scale == 0 && whole.coefficient & 1 == 1
    let places = max(Int(base.scale), Int(exponent.scale))
    let logarithm = WideReal.logarithm(absolute(base))
    let result = try exponential(WideReal(exponent) * logarithm, places: places)
    return base.isNegative && isOdd ? negate(result) : result
  }

  /// A power of which the base or the exponent is infinite; no error is left for it to be.
  private static func raisedInfinitely(_ base: Numeric, _ exponent: Numeric) -> Numeric {
    if exponent.isZero || base == .one { return .one }
    if base.isZero { return .zero }
    if exponent.isInfinite {
      let size = absolute(base)
      if size == .one { return .one }
      return (size > .one) == exponent.isNegative ? .zero : .positiveInfinity
    }
    if exponent.isNegative { return .zero }
    let isOdd = exponent.scale == 0 && exponent.coefficient & 1 == 1
    return base.isNegative && isOdd ? .negativeInfinity : .positiveInfinity
  }

  /// A finite number to a whole power: exact, and then rounded to the greater of 16 places and those of the base.
  ///
  /// One division is all that rounds, so a half is a half.
  private static func raised(_ base: Numeric, to exponent: Int32) throws(SQLError) -> Numeric {
    let scale = max(16, Int(base.scale))
    if base.isZero { return try round(exponent == 0 ? .one : .zero, places: scale) }
    let least = base.canonical
    let times = UInt64(exponent.magnitude)
    let digits = WideReal(least.magnitude, isNegative: least.isNegative).raised(to: times)
    let unit = WideReal(10).raised(to: times * UInt64(least.scale))
    return exponent < 0
      ? try unit.numeric(scale: scale, dividingBy: digits)
      : try digits.numeric(scale: scale, dividingBy: unit)
  }
}
