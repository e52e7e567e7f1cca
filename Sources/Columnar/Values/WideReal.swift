import Diagnostics

/// A real number of 256 significant bits, which are 77 decimal digits: what logarithms and powers of exact numbers
/// are computed in.
///
/// A result has 38 digits, but a base that differs from 1 in its last digit leaves its logarithm half of those here.
/// What does not fit is cut off, so that a result that fits is exact.
struct WideReal {
  /// The significant bits, the highest of which is set unless the number is zero.
  private(set) var high: UInt128
  private(set) var low: UInt128
  /// The number is its bits, read as a whole number, times 2^exponent.
  private(set) var exponent: Int
  private(set) var isNegative: Bool
  static let bitCount = 256

  init(high: UInt128, low: UInt128, exponent: Int, isNegative: Bool) {
    let shift =
      high != 0 ? high.leadingZeroBitCount : UInt128.bitWidth + low.leadingZeroBitCount
    if shift == Self.bitCount {
      (self.high, self.low, self.exponent, self.isNegative) = (0, 0, 0, false)
      return
    }
    if shift >= 128 {
      self.high = low << UInt128(shift - 128)
      self.low = 0
    } else {
      self.high = high << UInt128(shift) | low >> UInt128(128 - shift)
      self.low = low << UInt128(shift)
    }
    self.exponent = exponent - shift
    self.isNegative = isNegative
  }

  /// A whole number that is not negative.
  init(_ value: UInt128, isNegative: Bool = false) {
    self.init(high: 0, low: value, exponent: 0, isNegative: isNegative)
  }

  init(_ value: Int) {
    self.init(UInt128(value.magnitude), isNegative: value < 0)
  }

  /// A finite number, to 256 bits.
  init(_ value: Numeric) {
    let whole = WideReal(value.magnitude, isNegative: value.isNegative)
    self = value.scale == 0 ? whole : whole / WideReal(powerOfTen(Int(value.scale)))
  }

  var isZero: Bool { high == 0 }

  /// The number times 2^`power`.
  func scaled(byPowerOfTwo power: Int) -> Self {
    var result = self
    if !isZero { result.exponent += power }
    return result
  }

  static prefix func - (value: Self) -> Self {
    var result = value
    if !value.isZero { result.isNegative.toggle() }
    return result
  }

  /// About the number; infinite or zero where a double cannot be so great or so small.
  var double: Double {
    if isZero { return 0 }
    return Double(
      sign: isNegative ? .minus : .plus, exponent: exponent + 128, significand: Double(high))
  }

  /// Whether the number without its sign is below another.
  private func isSmaller(than other: Self) -> Bool {
    if isZero || other.isZero { return isZero && !other.isZero }
    if exponent != other.exponent { return exponent < other.exponent }
    return high != other.high ? high < other.high : low < other.low
  }

  /// The bits with `count` of them shifted out.
  private func bits(shiftedRight count: Int) -> WideInteger {
    if count >= Self.bitCount { return WideInteger(high: 0, low: 0) }
    if count >= 128 { return WideInteger(high: 0, low: high >> UInt128(count - 128)) }
    return WideInteger(
      high: high >> UInt128(count),
      low: high << UInt128(128 - count) | low >> UInt128(count))
  }

  static func + (left: Self, right: Self) -> Self {
    let (greater, lesser) = left.isSmaller(than: right) ? (right, left) : (left, right)
    if lesser.isZero { return greater }
    let other = lesser.bits(shiftedRight: greater.exponent - lesser.exponent)
    if left.isNegative == right.isNegative {
      let (low, carry) = greater.low.addingReportingOverflow(other.low)
      let (sum, overflow) = greater.high.addingReportingOverflow(other.high)
      let (high, overflowToo) = sum.addingReportingOverflow(carry ? 1 : 0)
      guard overflow || overflowToo else {
        return Self(
          high: high, low: low, exponent: greater.exponent, isNegative: greater.isNegative)
      }
      return Self(
        high: high >> 1 | 1 << 127, low: low >> 1 | high << 127, exponent: greater.exponent + 1,
        isNegative: greater.isNegative)
    }
    let (low, borrow) = greater.low.subtractingReportingOverflow(other.low)
    let high = greater.high &- other.high &- (borrow ? 1 : 0)
    return Self(high: high, low: low, exponent: greater.exponent, isNegative: greater.isNegative)
  }

  static func - (left: Self, right: Self) -> Self { left + (-right) }

  static func * (left: Self, right: Self) -> Self {
    let top = left.high.multipliedFullWidth(by: right.high)
    let cross = left.high.multipliedFullWidth(by: right.low)
    let mixed = left.low.multipliedFullWidth(by: right.high)
    let bottom = left.low.multipliedFullWidth(by: right.low)
    let (sum, carry1) = cross.low.addingReportingOverflow(mixed.low)
    let (third, carry2) = sum.addingReportingOverflow(bottom.high)
    var result = WideInteger(high: top.high, low: top.low)
    result.add(cross.high)
    result.add(mixed.high)
    result.add((carry1 ? 1 : 0) + (carry2 ? 1 : 0))
    let isNegative = left.isNegative != right.isNegative
    let exponent = left.exponent + right.exponent + bitCount
    if result.high >> 127 != 0 || result.high == 0 {
      return Self(
        high: result.high, low: result.low, exponent: exponent, isNegative: isNegative)
    }
    // The product of two numbers with their highest bits set lacks one bit at most.
    return Self(
      high: result.high << 1 | result.low >> 127, low: result.low << 1 | third >> 127,
      exponent: exponent - 1, isNegative: isNegative)
  }

  /// The quotient by a number other than zero, a bit at a time.
  static func / (left: Self, right: Self) -> Self {
    if left.isZero { return left }
    var rest = WideInteger(high: left.high, low: left.low)
    let divisor = WideInteger(high: right.high, low: right.low)
    var quotient = WideInteger(high: 0, low: 0)
    var places = 0
    var takes = !(rest < divisor)
    while true {
      if takes {
        let (low, borrow) = rest.low.subtractingReportingOverflow(divisor.low)
        rest = WideInteger(
          high: rest.high &- divisor.high &- (borrow ? 1 : 0), low: low)
      }
      quotient.high = quotient.high << 1 | quotient.low >> 127
      quotient.low = quotient.low << 1 | (takes ? 1 : 0)
      if quotient.high >> 127 != 0 { break }
      let carries = rest.high >> 127 != 0
      rest = WideInteger(high: rest.high << 1 | rest.low >> 127, low: rest.low << 1)
      takes = carries || !(rest < divisor)
      places += 1
    }
    return Self(
      high: quotient.high, low: quotient.low, exponent: left.exponent - right.exponent - places,
      isNegative: left.isNegative != right.isNegative)
  }

  /// The quotient by a whole number above zero.
  func divided(by divisor: Int) -> Self {
    let quotient = WideInteger(high: high, low: low).divided(by: UInt128(divisor)).quotient
    return Self(
      high: quotient.high, low: quotient.low, exponent: exponent, isNegative: isNegative)
  }

  /// The number, or its quotient by another, rounded to `scale` places, a half away from zero, or to as many as 38
  /// digits leave.
  ///
  /// The quotient is taken last, so that one that ends in a half does so here too.
  /// - Throws: 22003 where the whole part alone has more than 38 digits.
  func numeric(scale wanted: Int, dividingBy divisor: WideReal? = nil) throws(SQLError)
    -> Numeric
  {
    var scale = max(0, min(wanted, Numeric.digitCountMax))
    if isZero { return Numeric(coefficient: 0, scale: Int16(scale)) }
    let isBelowZero = isNegative != (divisor?.isNegative ?? false)
    // 39 digits at least before the point are more than any number of places can mend.
    let size = divisor.map { exponent - $0.exponent - 1 } ?? exponent + Self.bitCount - 1
    if size >= 128 { throw Numeric.overflow }
    while true {
      var product = self * WideReal(powerOfTen(scale))
      if let divisor { product = product / divisor }
      if let rounded = product.roundedMagnitude, rounded <= UInt128(Numeric.coefficientMax) {
        return Numeric(magnitude: rounded, isNegative: isBelowZero, scale: scale)
      }
      if scale == 0 { throw Numeric.overflow }
      scale -= 1
    }
  }

  /// The nearest whole number without its sign; nil where that has more than 128 bits.
  private var roundedMagnitude: UInt128? {
    let shift = 0 - exponent
    guard shift >= 128 else { return nil }
    let whole = bits(shiftedRight: shift).low
    let half = bits(shiftedRight: shift - 1).low & 1
    return whole.addingReportingOverflow(half).overflow ? nil : whole + half
  }
}
