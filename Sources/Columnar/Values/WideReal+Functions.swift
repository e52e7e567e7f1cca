#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension WideReal {
  /// The natural logarithm of 2.
  static let logarithmOfTwo =
    (WideReal(1) / WideReal(3)).areaTangent.scaled(byPowerOfTwo: 1)

  /// Whether the number is too small to change `sum`.
  private func isNegligible(beside sum: WideReal) -> Bool {
    isZero || exponent < sum.exponent - Self.bitCount
  }

  /// The area tangent of a number of at most 1/3 in size, by its series.
  ///
  /// - Complexity: 80 terms at most.
  private var areaTangent: WideReal {
    let square = self * self
    var power = self
    var sum = self
    var divisor = 3
    while !power.isNegligible(beside: sum) {
      power = power * square
      sum = sum + power.divided(by: divisor)
      divisor += 2
    }
    return sum
  }

  /// The natural logarithm of a finite number above zero.
  ///
  /// Near 1 it is as exact in its own digits as it is elsewhere, since the distance from 1 is taken of whole numbers.
  static func logarithm(_ value: Numeric) -> WideReal {
    let unit = WideReal(powerOfTen(Int(value.scale)))
    var dividend = WideReal(value.magnitude)
    // The number is 2^exponent times a fraction between 2/3 and 4/3.
    var exponent = dividend.exponent - unit.exponent
    let ratio = Double(dividend.high) / Double(unit.high)
    if ratio > 4.0 / 3 { exponent += 1 }
    if ratio < 2.0 / 3 { exponent -= 1 }
    dividend = dividend.scaled(byPowerOfTwo: 0 - exponent)
    let rest = ((dividend - unit) / (dividend + unit)).areaTangent.scaled(byPowerOfTwo: 1)
    return logarithmOfTwo * WideReal(exponent) + rest
  }

  /// e to the power of a number below a million in size.
  ///
  /// - Complexity: 60 terms at most.
  var exponential: WideReal {
    let exponent = Int((double / log(2)).rounded())
    let rest = self - Self.logarithmOfTwo * WideReal(exponent)
    var term = WideReal(1)
    var sum = WideReal(1)
    var divisor = 1
    while !term.isNegligible(beside: sum) {
      term = (term * rest).divided(by: divisor)
      sum = sum + term
      divisor += 1
    }
    return sum.scaled(byPowerOfTwo: exponent)
  }

  /// The number to a whole power, by squaring.
  func raised(to power: UInt64) -> WideReal {
    var result = WideReal(1)
    var square = self
    var rest = power
    while rest > 0 {
      if rest & 1 == 1 { result = result * square }
      rest >>= 1
      if rest > 0 { square = square * square }
    }
    return result
  }
}
