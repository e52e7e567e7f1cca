/// Powers of ten that fit 64 bits: `10^index`.
///
/// An inline array is a constant of the program; an array would be asked at each use whether it has been made yet.
@usableFromInline
let powersOfTen: InlineArray<20, UInt64> = [
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
  1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
  1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]

/// `10^exponent` for an exponent of 0 to 38.
@inlinable @inline(__always)
package func powerOfTen(_ exponent: Int) -> UInt128 {
  if exponent < 20 { return UInt128(powersOfTen[exponent]) }
  return UInt128(powersOfTen[19]) &* UInt128(powersOfTen[exponent &- 19])
}

/// How many decimal digits a number has; 1 for 0.
@inlinable
package func decimalDigitCount(_ value: UInt128) -> Int {
  // 1233 / 4096 is just above log10(2), so the estimate is right or one too low.
  let bits = 128 &- value.leadingZeroBitCount
  let estimate = (bits &* 1233) &>> 12
  if estimate >= 39 { return 39 }
  return value >= powerOfTen(estimate) ? estimate &+ 1 : max(estimate, 1)
}

/// A whole number of 256 bits: the product of two coefficients before it is brought back to 38 digits.
struct WideInteger {
  var high: UInt128
  var low: UInt128

  static let zero = WideInteger(high: 0, low: 0)

  init(high: UInt128, low: UInt128) {
    self.high = high
    self.low = low
  }

  /// The product of two numbers, never too wide.
  @inline(__always)
  init(_ left: UInt128, times right: UInt128) {
    let product = left.multipliedFullWidth(by: right)
    high = product.high
    low = product.low
  }

  /// Quotient and remainder by a number above zero.
  func divided(by divisor: UInt128) -> (quotient: WideInteger, remainder: UInt128) {
    if high == 0 {
      let (quotient, remainder) = low.quotientAndRemainder(dividingBy: divisor)
      return (WideInteger(high: 0, low: quotient), remainder)
    }
    let (top, rest) = high.quotientAndRemainder(dividingBy: divisor)
    let (quotient, remainder) = divisor.dividingFullWidth((rest, low))
    return (WideInteger(high: top, low: quotient), remainder)
  }

  /// The quotient by a number above zero, a half rounded up.
  func dividedRounding(by divisor: UInt128) -> WideInteger {
    var (quotient, remainder) = divided(by: divisor)
    if remainder >= divisor &- remainder { quotient.add(1) }
    return quotient
  }

  mutating func add(_ value: UInt128) {
    let (sum, overflow) = low.addingReportingOverflow(value)
    low = sum
    if overflow { high &+= 1 }
  }

  static func < (left: WideInteger, right: WideInteger) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  static func == (left: WideInteger, right: WideInteger) -> Bool {
    left.high == right.high && left.low == right.low
  }

  /// The number of significant bits.
  var bitWidth: Int {
    high == 0 ? 128 - low.leadingZeroBitCount : 256 - high.leadingZeroBitCount
  }
}
