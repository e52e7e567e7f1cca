extension Numeric {
  /// The quotient of finite numbers whose digits 64 bits hold, and that is not zero; nil where it takes more to find it.
  ///
  /// Most numbers are such, and divisions of 128 bits take several times as long.
  static func shortQuotient(_ left: Numeric, _ right: Numeric) -> Numeric? {
    guard let dividend = UInt64(exactly: left.magnitude), dividend > 0,
      let divisor = UInt64(exactly: right.magnitude), divisor > 0
    else { return nil }
    let (weight1, first1) = leadingGroup(dividend, scale: Int(left.scale))
    let (weight2, first2) = leadingGroup(divisor, scale: Int(right.scale))
    let scale = quotientScale(
      weight1 - weight2 - (first1 <= first2 ? 1 : 0), Int(left.scale), Int(right.scale))
    let shift = scale - Int(left.scale) + Int(right.scale)
    guard scale <= digitCountMax, shift >= 0, let product = product(dividend, tenTo: shift)
    else { return nil }
    let (high, rest) = product.high.quotientAndRemainder(dividingBy: divisor)
    let (low, remainder) = divisor.dividingFullWidth((rest, product.low))
    var quotient = UInt128(high) &<< 64 | UInt128(low)
    if remainder >= divisor &- remainder { quotient &+= 1 }
    // A quotient of more digits than fit is rounded to fewer, which is not done here.
    guard quotient > 0, quotient <= UInt128(coefficientMax) else { return nil }
    return Numeric(
      magnitude: quotient, isNegative: left.isNegative != right.isNegative, scale: scale)
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
    let group =
      count >= taken
      ? digits / powersOfTen[count &- taken] : digits &* powersOfTen[taken &- count]
    return (weight, group)
  }
}
