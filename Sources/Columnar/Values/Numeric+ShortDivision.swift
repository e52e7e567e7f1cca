extension Numeric {
  /// The quotient of finite numbers whose digits 64 bits hold, and that is not zero; nil where it takes more to find it.
  ///
  /// Most numbers are such, and divisions of 128 bits take several times as long.
  static func shortQuotient(_ left: Numeric, _ right: Numeric) -> Numeric? {
    guard let dividend = UInt64(exactly: left.magnitude),
      let divisor = UInt64(exactly: right.magnitude)
    else { return nil }
    return shortQuotient(
      (dividend, Int(left.scale)), (divisor, Int(right.scale)),
      isNegative: left.isNegative != right.isNegative)
  }

  /// The same for digits and how many of them stand behind the point.
  static func shortQuotient(
    _ left: (digits: UInt64, scale: Int), _ right: (digits: UInt64, scale: Int), isNegative: Bool
  ) -> Numeric? {
    let (dividend, divisor) = (left.digits, right.digits)
    guard dividend > 0, divisor > 0 else { return nil }
    let (weight1, first1) = leadingGroup(dividend, scale: left.scale)
    let (weight2, first2) = leadingGroup(divisor, scale: right.scale)
    let scale = quotientScale(
      weight1 - weight2 - (first1 <= first2 ? 1 : 0), left.scale, right.scale)
    let shift = scale - left.scale + right.scale
    guard scale <= digitCountMax, shift >= 0, let product = product(dividend, tenTo: shift)
    else { return nil }
    var (quotient, remainder) = divide(product, by: divisor)
    if remainder >= divisor &- remainder { quotient &+= 1 }
    // A quotient of more digits than fit is rounded to fewer, which is not done here.
    guard quotient > 0, quotient <= UInt128(coefficientMax) else { return nil }
    return Numeric(magnitude: quotient, isNegative: isNegative, scale: scale)
  }

  /// Quotient and remainder of a number of 128 bits, by divisions of 64 where these suffice: those of 128 are calls.
  @inline(__always)
  private static func divide(
    _ number: (high: UInt64, low: UInt64), by divisor: UInt64
  ) -> (quotient: UInt128, remainder: UInt64) {
    if number.high == 0 {
      let (quotient, remainder) = number.low.quotientAndRemainder(dividingBy: divisor)
      return (UInt128(quotient), remainder)
    }
    let (high, rest) =
      number.high < divisor
      ? (0, number.high) : number.high.quotientAndRemainder(dividingBy: divisor)
    if divisor &>> 32 == 0 {
      // The rest is below the divisor, so that it leaves room for 32 bits more.
      let (middle, rest) = (rest &<< 32 | number.low &>> 32)
        .quotientAndRemainder(dividingBy: divisor)
      let (low, remainder) = (rest &<< 32 | number.low & 0xFFFF_FFFF)
        .quotientAndRemainder(dividingBy: divisor)
      return (UInt128(high) &<< 64 | UInt128(middle &<< 32 | low), remainder)
    }
    let (low, remainder) = divisor.dividingFullWidth((rest, number.low))
    return (UInt128(high) &<< 64 | UInt128(low), remainder)
  }

  /// A number with `shift` zeros behind it; nil where 128 bits do not hold it.
  @inline(__always)
  private static func product(
    _ number: UInt64, tenTo shift: Int
  ) -> (high: UInt64, low: UInt64)? {
    let most = powersOfTen.count - 1
    let first = number.multipliedFullWidth(by: powersOfTen[min(shift, most)])
    if shift <= most { return first }
    // Quotients below 1 have twenty digits behind the point and more.
    guard shift - most <= most else { return nil }
    let lower = first.low.multipliedFullWidth(by: powersOfTen[shift - most])
    let (upper, isTooLong) = first.high.multipliedReportingOverflow(by: powersOfTen[shift - most])
    let (high, carries) = upper.addingReportingOverflow(lower.high)
    return isTooLong || carries ? nil : (high, lower.low)
  }

  /// As the property of that name, of a number above zero.
  @inline(__always)
  private static func leadingGroup(_ digits: UInt64, scale: Int) -> (weight: Int, digits: UInt64) {
    let count = decimalDigitCount64(digits)
    let exponent = count &- 1 &- scale
    let weight = exponent >> 2
    let taken = exponent &- weight &* 4 &+ 1
    if count == taken { return (weight, digits) }
    let group =
      count > taken
      ? digits / powersOfTen[count &- taken] : digits &* powersOfTen[taken &- count]
    return (weight, group)
  }
}
