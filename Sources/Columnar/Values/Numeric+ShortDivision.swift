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
    guard scale <= digitCountMax, shift >= 0, shift < powersOfTen.count else { return nil }
    let product = dividend.multipliedFullWidth(by: powersOfTen[shift])
    let (high, rest) = product.high.quotientAndRemainder(dividingBy: divisor)
    let (low, remainder) = divisor.dividingFullWidth((rest, product.low))
    var quotient = UInt128(high) &<< 64 | UInt128(low)
    if remainder >= divisor &- remainder { quotient &+= 1 }
    // A quotient of more digits than fit is rounded to fewer, which is not done here.
    guard quotient > 0, quotient <= UInt128(coefficientMax) else { return nil }
    return Numeric(
      magnitude: quotient, isNegative: left.isNegative != right.isNegative, scale: scale)
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
