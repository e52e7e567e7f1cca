package import Diagnostics

extension Numeric {
  /// The square root, with as many digits as PostgreSQL gives it.
  ///
  /// - Throws: 2201F for a negative number.
  package static func squareRoot(_ value: Numeric) throws(SQLError) -> Numeric {
    if value.kind == .finite ? value.coefficient < 0 : value.kind == .negativeInfinity {
      throw SQLError(
        .invalidArgumentForPower, "cannot take square root of a negative number")
    }
    if value.kind != .finite { return value }
    // 16 significant digits at least: the root has half as many groups before its point.
    let weight = value.leadingGroup.weight
    let before = (weight + 1) * 2 - 1
    return try squareRoot(value, scale: max(16 - before, Int(value.scale), 0))
  }

  /// The square root of a number that is not negative, rounded to `scale` digits.
  static func squareRoot(_ value: Numeric, scale wanted: Int) throws(SQLError) -> Numeric {
    var scale = min(wanted, digitCountMax)
    while true {
      // The root with one digit more than wanted, cut off, and then rounded.
      let shift = 2 * (scale + 1) - Int(value.scale)
      if let target = scaled(value.magnitude, by: shift) {
        let root = integerRoot(target)
        let rounded = root / 10 + (root % 10 < 5 ? 0 : 1)
        if rounded <= UInt128(coefficientMax) {
          return Numeric(coefficient: Int128(rounded), scale: Int16(scale))
        }
      }
      if scale == 0 { throw overflow }
      scale -= 1
    }
  }

  private static func scaled(_ magnitude: UInt128, by shift: Int) -> WideInteger? {
    if shift < 0 {
      return WideInteger(high: 0, low: magnitude / powerOfTen(min(-shift, digitCountMax)))
    }
    var product = WideInteger(magnitude, times: powerOfTen(min(shift, digitCountMax)))
    if shift > digitCountMax {
      let rest = powerOfTen(min(shift - digitCountMax, digitCountMax))
      let low = WideInteger(product.low, times: rest)
      let (top, overflow) = product.high.multipliedReportingOverflow(by: rest)
      let (high, carried) = top.addingReportingOverflow(low.high)
      if overflow || carried || shift > 2 * digitCountMax { return nil }
      product = WideInteger(high: high, low: low.low)
    }
    return product
  }

  /// The greatest number whose square is not above `value`.
  ///
  /// The square root of a double is right in its first 50 digits, so that only those behind are tried one by one.
  ///
  /// - Complexity: one multiplication for each binary digit of the root past the 48th, and four.
  private static func integerRoot(_ value: WideInteger) -> UInt128 {
    let digits = min(127, (value.bitWidth + 1) / 2)
    let margin: UInt128 = 1 << UInt128(max(2, digits - 48))
    let guess = whole((double(value.high) * 0x1p128 + double(value.low)).squareRoot())
    // A root below the true one, by less than the steps add up to.
    var root = guess > margin ? guess - margin : 0
    var step = margin << 1
    while step > 0 {
      let (candidate, overflow) = root.addingReportingOverflow(step)
      if !overflow && !(value < WideInteger(candidate, times: candidate)) { root = candidate }
      step >>= 1
    }
    return root
  }

  /// - Note: `Double(_:)` of a number of 128 bits is a call for each word.
  private static func double(_ value: UInt128) -> Double {
    Double(UInt64(truncatingIfNeeded: value >> 64)) * 0x1p64
      + Double(UInt64(truncatingIfNeeded: value))
  }

  /// A number that is not negative, cut off; at most the greatest there is.
  private static func whole(_ value: Double) -> UInt128 {
    if value >= 0x1p128 { return .max }
    let high = (value * 0x1p-64).rounded(.down)
    return UInt128(UInt64(high)) << 64 | UInt128(UInt64(value - high * 0x1p64))
  }
}
