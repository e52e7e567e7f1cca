package import Diagnostics

extension Numeric {
  /// The negative.
  @inlinable
  package static func negate(_ value: Numeric) -> Numeric {
    switch value.kind {
    case .finite: Numeric(coefficient: 0 &- value.coefficient, scale: value.scale)
    case .nan: value
    case .positiveInfinity: .negativeInfinity
    case .negativeInfinity: .positiveInfinity
    }
  }

  /// The value without its sign.
  @inlinable
  package static func absolute(_ value: Numeric) -> Numeric {
    value.isNegative ? negate(value) : value
  }

  /// -1, 0 or 1, or NaN.
  package static func sign(_ value: Numeric) -> Numeric {
    value.isNaN ? value : Numeric(value.signum)
  }

  /// The sum, with the greater scale of the two.
  ///
  /// - Throws: 22003.
  @inlinable
  package static func add(_ left: Numeric, _ right: Numeric) throws(SQLError) -> Numeric {
    if left.kind == .finite && right.kind == .finite && left.scale == right.scale {
      let (sum, overflow) = left.coefficient.addingReportingOverflow(right.coefficient)
      if !overflow && fits(sum) { return Numeric(coefficient: sum, scale: left.scale) }
    }
    return try addUnaligned(left, right)
  }

  /// The sum of finite numbers with all of its digits; nil where no coefficient holds them.
  static func addExactly(_ left: Numeric, _ right: Numeric) -> Numeric? {
    let scale = max(left.scale, right.scale)
    guard let a = left.lengthened(to: scale), let b = right.lengthened(to: scale) else {
      return nil
    }
    let (sum, overflow) = a.addingReportingOverflow(b)
    return !overflow && fits(sum) ? Numeric(coefficient: sum, scale: scale) : nil
  }

  /// The sum as a limit of others, which are not below it if it `isLower`, otherwise not above: where no number holds it,
  /// the limit that the same of them keep to.
  package static func limit(_ value: Numeric, movedBy distance: Numeric, isLower: Bool) -> Numeric {
    do {
      return try add(value, distance)
    } catch {
      if distance.isNegative {
        return isLower ? Numeric(coefficient: -coefficientMax, scale: 0) : .negativeInfinity
      }
      return isLower ? .positiveInfinity : Numeric(coefficient: coefficientMax, scale: 0)
    }
  }

  /// The coefficient at a scale that is not less; nil where that is none.
  private func lengthened(to other: Int16) -> Int128? {
    if other == scale { return coefficient }
    let factor = Int128(truncatingIfNeeded: powerOfTen(Int(other - scale)))
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: factor)
    return overflow || !Self.fits(product) ? nil : product
  }

  /// The product of finite numbers with all of its digits; nil where no coefficient holds them.
  static func multiplyExactly(_ left: Numeric, _ right: Numeric) -> Numeric? {
    let (product, overflow) = left.coefficient.multipliedReportingOverflow(by: right.coefficient)
    let scale = left.scale + right.scale
    guard !overflow, fits(product), scale <= digitCountMax else { return nil }
    return Numeric(coefficient: product, scale: scale)
  }

  /// The difference, with the greater scale of the two.
  ///
  /// - Throws: 22003.
  @inlinable
  package static func subtract(_ left: Numeric, _ right: Numeric) throws(SQLError) -> Numeric {
    try add(left, negate(right))
  }

  @usableFromInline
  static func addUnaligned(_ left: Numeric, _ right: Numeric) throws(SQLError) -> Numeric {
    guard left.isFinite && right.isFinite else {
      if left.isNaN || right.isNaN { return .nan }
      if left.isFinite { return right }
      return right.isFinite || left.kind == right.kind ? left : .nan
    }
    let scale = max(left.scale, right.scale)
    let (a, b) = aligned(left, right)
    if left.isNegative == right.isNegative {
      var sum = a
      sum.high &+= b.high
      sum.add(b.low)
      return try fitted(sum, isNegative: left.isNegative, scale: Int(scale))
    }
    let flipped = a < b
    let (greater, lesser) = flipped ? (b, a) : (a, b)
    let (low, borrow) = greater.low.subtractingReportingOverflow(lesser.low)
    let high = greater.high &- lesser.high &- (borrow ? 1 : 0)
    return try fitted(
      WideInteger(high: high, low: low), isNegative: flipped != left.isNegative, scale: Int(scale))
  }

  /// The product, its scale the sum of the two scales; its fraction is rounded where all digits do not fit.
  ///
  /// - Throws: 22003.
  @inlinable
  package static func multiply(_ left: Numeric, _ right: Numeric) throws(SQLError) -> Numeric {
    if left.kind == .finite && right.kind == .finite {
      let a = left.coefficient
      let b = right.coefficient
      let (product, overflow) = a.multipliedReportingOverflow(by: b)
      let scale = left.scale &+ right.scale
      if !overflow && fits(product) && scale <= 38 {
        return Numeric(coefficient: product, scale: scale)
      }
    }
    return try multiplyWide(left, right)
  }

  @usableFromInline
  static func multiplyWide(_ left: Numeric, _ right: Numeric) throws(SQLError) -> Numeric {
    guard left.isFinite && right.isFinite else {
      if left.isNaN || right.isNaN || left.isZero || right.isZero { return .nan }
      return left.isNegative == right.isNegative ? .positiveInfinity : .negativeInfinity
    }
    return try fitted(
      WideInteger(left.magnitude, times: right.magnitude),
      isNegative: left.isNegative != right.isNegative, scale: Int(left.scale + right.scale))
  }

  /// The quotient, with as many digits as PostgreSQL gives it: 16 significant ones at least.
  ///
  /// - Throws: 22012, 22003.
  package static func divide(_ left: Numeric, _ right: Numeric) throws(SQLError) -> Numeric {
    guard left.isFinite && right.isFinite else {
      if left.isNaN || right.isNaN { return .nan }
      if right.isInfinite { return left.isInfinite ? .nan : .zero }
      if right.isZero { throw divisionByZero }
      return left.isNegative == right.isNegative ? .positiveInfinity : .negativeInfinity
    }
    if right.isZero { throw divisionByZero }
    if let short = shortQuotient(left, right) { return short }
    let quotient = try divide(left, right, scale: quotientScale(left, right))
    if quotient.isZero && !left.isZero { throw underflow }
    return quotient
  }

  /// The quotient of finite numbers, rounded to `scale` digits or so many as 38 digits leave.
  static func divide(_ left: Numeric, _ right: Numeric, scale wanted: Int) throws(SQLError)
    -> Numeric
  {
    if left.isZero { return Numeric(coefficient: 0, scale: Int16(min(wanted, digitCountMax))) }
    let isNegative = left.isNegative != right.isNegative
    let a = left.magnitude
    let b = right.magnitude
    let base = Int(left.scale) - Int(right.scale)
    // The quotient has this many digits before its point, or one fewer.
    let whole = decimalDigitCount(a) - decimalDigitCount(b) - base + 1
    var scale = max(min(wanted, digitCountMax, digitCountMax - max(whole, 0) + 1), 0)
    while true {
      let shift = scale - base
      let quotient: WideInteger
      if shift < 0 {
        // The dividend has more fraction digits than the result: the divisor grows instead.
        let grown = WideInteger(b, times: powerOfTen(min(-shift, digitCountMax)))
        if grown.high != 0 { return Numeric(coefficient: 0, scale: Int16(scale)) }
        quotient = WideInteger(high: 0, low: a).dividedRounding(by: grown.low)
      } else if shift <= digitCountMax {
        quotient = WideInteger(a, times: powerOfTen(shift)).dividedRounding(by: b)
      } else {
        let product = WideInteger(a, times: powerOfTen(digitCountMax))
        let rest = powerOfTen(min(shift - digitCountMax, digitCountMax))
        let (top, overflow) = product.high.multipliedReportingOverflow(by: rest)
        let low = WideInteger(product.low, times: rest)
        let (high, carried) = top.addingReportingOverflow(low.high)
        if overflow || carried {
          if scale == 0 { throw self.overflow }
          scale -= 1
          continue
        }
        quotient = WideInteger(high: high, low: low.low).dividedRounding(by: b)
      }
      if quotient.high == 0 && quotient.low <= UInt128(coefficientMax) {
        return Numeric(magnitude: quotient.low, isNegative: isNegative, scale: scale)
      }
      if scale == 0 { throw self.overflow }
      scale -= 1
    }
  }

  package static var divisionByZero: SQLError { SQLError(.divisionByZero, "division by zero") }

  /// The scale of a quotient, found as PostgreSQL finds it: from the leading groups of four digits.
  private static func quotientScale(_ left: Numeric, _ right: Numeric) -> Int {
    let (weight1, first1) = left.leadingGroup
    let (weight2, first2) = right.leadingGroup
    var weight = weight1 - weight2
    if first1 <= first2 { weight -= 1 }
    return quotientScale(weight, Int(left.scale), Int(right.scale))
  }

  /// The scale of a quotient with its first digits in the group of four that has this power of 10,000.
  static func quotientScale(_ weight: Int, _ left: Int, _ right: Int) -> Int {
    max(16 - weight * 4, left, right, 0)
  }

  /// The power of 10,000 of the first group of four digits that is not zero, and that group.
  var leadingGroup: (weight: Int, digits: Int) {
    let digits = magnitude
    if digits == 0 { return (0, 0) }
    let count = decimalDigitCount(digits)
    let exponent = count - 1 - Int(scale)
    let weight = exponent >> 2
    let taken = exponent - weight * 4 + 1
    let group =
      count >= taken
      ? digits / powerOfTen(count - taken) : digits &* powerOfTen(taken - count)
    return (weight, Int(truncatingIfNeeded: group))
  }

  /// The quotient without its fraction.
  ///
  /// - Throws: 22012, 22003.
  package static func divideTruncating(_ left: Numeric, _ right: Numeric) throws(SQLError)
    -> Numeric
  {
    guard left.isFinite && right.isFinite else { return try divide(left, right) }
    if right.isZero { throw divisionByZero }
    let (dividend, divisor) = aligned(left, right)
    // Only one of the two grew, so a divisor past 128 bits exceeds the dividend.
    let quotient = divisor.high != 0 ? .zero : dividend.divided(by: divisor.low).quotient
    return try fitted(quotient, isNegative: left.isNegative != right.isNegative, scale: 0)
  }

  /// The coefficients of two finite numbers at one scale, without their signs.
  private static func aligned(_ left: Numeric, _ right: Numeric) -> (WideInteger, WideInteger) {
    let scale = max(left.scale, right.scale)
    return (
      WideInteger(left.magnitude, times: powerOfTen(Int(scale - left.scale))),
      WideInteger(right.magnitude, times: powerOfTen(Int(scale - right.scale)))
    )
  }

  /// The remainder of the truncated quotient; it has the sign of `left`.
  ///
  /// - Throws: 22012, 22003.
  package static func remainder(_ left: Numeric, _ right: Numeric) throws(SQLError) -> Numeric {
    guard left.isFinite && right.isFinite else {
      if left.isNaN || right.isNaN { return .nan }
      if left.isInfinite {
        if right.isZero { throw divisionByZero }
        return .nan
      }
      return left
    }
    if right.isZero { throw divisionByZero }
    let scale = max(left.scale, right.scale)
    let (dividend, divisor) = aligned(left, right)
    // Only one of the two grew, so a divisor past 128 bits exceeds the dividend.
    let rest =
      divisor.high != 0
      ? dividend
      : WideInteger(
        high: 0, low: dividend.divided(by: divisor.low).remainder)
    return try fitted(rest, isNegative: left.isNegative, scale: Int(scale))
  }
}
