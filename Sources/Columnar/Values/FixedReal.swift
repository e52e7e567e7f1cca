import Diagnostics

/// A real number below 128 in size with 120 bits behind its point: what logarithms and powers of exact numbers are
/// computed in.
///
/// Its resolution is 2^-120, better than 36 decimal places; series lose a few units of that.
struct FixedReal {
  /// The value times 2^120.
  var bits: Int128
  static let pointBits = 120

  init(bits: Int128) { self.bits = bits }
  init(_ value: Int) { bits = Int128(value) << Int128(Self.pointBits) }

  static func + (left: Self, right: Self) -> Self { Self(bits: left.bits &+ right.bits) }
  static func - (left: Self, right: Self) -> Self { Self(bits: left.bits &- right.bits) }

  private init(magnitude: UInt128, isNegative: Bool) {
    let value = Int128(truncatingIfNeeded: magnitude)
    bits = isNegative ? 0 &- value : value
  }

  static func * (left: Self, right: Self) -> Self {
    let product = WideInteger(left.bits.magnitude, times: right.bits.magnitude)
    let magnitude = product.high &<< 8 | product.low &>> 120
    return Self(magnitude: magnitude, isNegative: (left.bits < 0) != (right.bits < 0))
  }

  /// The quotient; it is below 128 in size, and `right` is not zero.
  static func / (left: Self, right: Self) -> Self {
    let dividend = left.bits.magnitude
    let divisor = right.bits.magnitude
    guard dividend &>> 8 < divisor else { return Self(bits: 0) }
    let magnitude = divisor.dividingFullWidth((dividend &>> 8, dividend &<< 120)).quotient
    return Self(magnitude: magnitude, isNegative: (left.bits < 0) != (right.bits < 0))
  }

  func divided(by divisor: Int) -> Self { Self(bits: bits / Int128(divisor)) }

  /// The natural logarithm of 2.
  static let logarithmOfTwo = (FixedReal(1) / FixedReal(3)).areaTangent.doubled

  private var doubled: Self { Self(bits: bits &<< 1) }

  /// The area tangent of a number of at most 1/3 in size, by its series.
  ///
  /// - Complexity: 40 terms at most.
  private var areaTangent: Self {
    let square = self * self
    var power = self
    var sum = self
    var divisor = 3
    while power.bits != 0 && divisor < 200 {
      power = power * square
      sum = sum + power.divided(by: divisor)
      divisor += 2
    }
    return sum
  }

  /// The natural logarithm of `magnitude / 10^scale`, above zero.
  static func logarithm(_ magnitude: UInt128, scale: Int) -> Self {
    // Both are brought to 128 significant bits, so that the quotient lies between a half and two.
    let shift = magnitude.leadingZeroBitCount
    let unit = powerOfTen(scale)
    let unitShift = unit.leadingZeroBitCount
    let dividend = magnitude &<< UInt128(shift)
    let divisor = unit &<< UInt128(unitShift)
    let quotient = divisor.dividingFullWidth((dividend &>> 1, dividend &<< 127)).quotient
    var exponent = unitShift - shift
    var fraction = Self(bits: Int128(truncatingIfNeeded: quotient &>> 7))
    let oneAndHalf = Self(bits: 3 << 119)
    if oneAndHalf.bits < fraction.bits {
      fraction = Self(bits: fraction.bits &>> 1)
      exponent += 1
    } else if fraction.bits < oneAndHalf.bits &>> 1 {
      fraction = fraction.doubled
      exponent -= 1
    }
    let ratio = (fraction - Self(1)) / (fraction + Self(1))
    let rest = ratio.areaTangent.doubled
    return Self(bits: logarithmOfTwo.bits &* Int128(exponent)) + rest
  }

  /// The number of at most 38 digits with `scale` places; nil where it is 128 or more in size.
  init?(_ value: Numeric) {
    let wide = WideInteger(value.magnitude, times: 1 << UInt128(Self.pointBits))
    let quotient = wide.divided(by: powerOfTen(Int(value.scale))).quotient
    guard quotient.high == 0, quotient.low < 1 << 127 else { return nil }
    self.init(magnitude: quotient.low, isNegative: value.isNegative)
  }

  /// e to the power of this number, as a fraction between 0.7 and 1.5 and a power of two.
  ///
  /// - Complexity: 40 terms at most.
  var exponential: (fraction: Self, exponent: Int) {
    let two = Self.logarithmOfTwo
    var exponent = Int(bits / two.bits)
    var rest = Self(bits: bits &- two.bits &* Int128(exponent))
    if rest.bits &<< 1 > two.bits {
      exponent += 1
      rest = rest - two
    } else if rest.bits &<< 1 < 0 &- two.bits {
      exponent -= 1
      rest = rest + two
    }
    var term = Self(1)
    var sum = Self(1)
    var divisor = 1
    while term.bits != 0 && divisor < 100 {
      term = (term * rest).divided(by: divisor)
      sum = sum + term
      divisor += 1
    }
    return (sum, exponent)
  }

  /// The number times 2^`exponent`, rounded to `scale` places, or as many as 38 digits leave.
  ///
  /// - Throws: 22003 where the whole part alone has more than 38 digits.
  func numeric(scale wanted: Int, exponent: Int = 0) throws(SQLError) -> Numeric {
    var scale = min(wanted, Numeric.digitCountMax)
    let shift = Self.pointBits - exponent
    while true {
      let product = WideInteger(bits.magnitude, times: powerOfTen(scale))
      let rounded = product.shiftedRight(by: shift)
      if rounded.high == 0 && rounded.low < powerOfTen(Numeric.digitCountMax) {
        return Numeric(magnitude: rounded.low, isNegative: bits < 0, scale: scale)
      }
      if scale == 0 { throw Numeric.overflow }
      scale -= 1
    }
  }
}

extension WideInteger {
  /// The number divided by 2^`count`, a half rounded up; a negative count multiplies, up to 2^128 - 1.
  func shiftedRight(by count: Int) -> WideInteger {
    if count <= 0 {
      if high != 0 || low.leadingZeroBitCount < -count { return WideInteger(high: .max, low: .max) }
      return WideInteger(high: 0, low: low &<< UInt128(-count))
    }
    if count > 255 { return WideInteger(high: 0, low: 0) }
    var result =
      count >= 128
      ? WideInteger(high: 0, low: high >> UInt128(count - 128))
      : WideInteger(
        high: high >> UInt128(count), low: high << UInt128(128 - count) | low >> UInt128(count))
    let half = count - 1
    let bit = half >= 128 ? high >> UInt128(half - 128) & 1 : low >> UInt128(half) & 1
    result.add(bit)
    return result
  }
}
