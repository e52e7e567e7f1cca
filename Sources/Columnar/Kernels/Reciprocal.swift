/// Division by a number that is the same for all rows, as a multiplication: a fifth of the time, and in vector registers.
///
/// Exact for dividends up to 2³¹ in magnitude. (Granlund and Montgomery, "Division by Invariant Integers using
/// Multiplication", PLDI 1994.)
struct Reciprocal {
  private let divisor: UInt64
  private let isNegative: Bool
  /// 2^`shift` / `divisor`, rounded up: so little too large that no dividend of 31 bits shows it.
  private let factor: UInt64
  private let shift: UInt64

  /// Dividends have bits below this only; the greatest magnitude has it alone.
  static let dividendLimit: UInt64 = 1 << 31

  /// nil for divisors by which division may fail or needs no multiplication, and for those beyond 31 bits.
  init?(_ divisor: some FixedWidthInteger & SignedInteger) {
    let magnitude = UInt64(divisor.magnitude)
    guard magnitude >= 2, magnitude < Self.dividendLimit else { return nil }
    let width = UInt64(UInt64.bitWidth - (magnitude - 1).leadingZeroBitCount)
    self.divisor = magnitude
    isNegative = divisor < 0
    shift = 31 + width
    factor = ((1 << shift) + magnitude - 1) / magnitude
  }

  @inline(__always)
  private func quotient(_ magnitude: UInt64) -> UInt64 { (magnitude &* factor) &>> shift }

  /// The quotient, rounded towards zero.
  ///
  /// - Precondition: the magnitude of `dividend` is at most `dividendLimit`; of others the result means nothing.
  @inline(__always)
  func quotient<Number: FixedWidthInteger & SignedInteger>(_ dividend: Number) -> Number {
    let found = Number(truncatingIfNeeded: quotient(UInt64(truncatingIfNeeded: dividend.magnitude)))
    return (dividend < 0) != isNegative ? 0 &- found : found
  }

  /// The remainder, which has the sign of the dividend.
  ///
  /// - Precondition: as for `quotient`.
  @inline(__always)
  func remainder<Number: FixedWidthInteger & SignedInteger>(_ dividend: Number) -> Number {
    let magnitude = UInt64(truncatingIfNeeded: dividend.magnitude)
    let found = Number(truncatingIfNeeded: magnitude &- quotient(magnitude) &* divisor)
    return dividend < 0 ? 0 &- found : found
  }
}
