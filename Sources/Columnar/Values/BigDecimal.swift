import Diagnostics

/// A decimal number of any size: what aggregates keep where 38 digits do not hold a sum exactly.
struct BigDecimal {
  private var magnitude: BigInteger
  private(set) var isNegative: Bool
  private(set) var scale: Int

  private init(_ magnitude: BigInteger, isNegative: Bool, scale: Int) {
    self.magnitude = magnitude
    self.isNegative = isNegative && !magnitude.isZero
    self.scale = scale
  }

  /// A finite number.
  init(_ value: Numeric) {
    self.init(
      BigInteger(value.magnitude), isNegative: value.isNegative, scale: Int(value.scale))
  }

  /// A count.
  init(_ value: Int64) {
    self.init(BigInteger(UInt128(value.magnitude)), isNegative: value < 0, scale: 0)
  }

  var isZero: Bool { magnitude.isZero }

  private func magnitude(at other: Int) -> BigInteger {
    other == scale ? magnitude : magnitude * .powerOfTen(other - scale)
  }

  static prefix func - (value: Self) -> Self {
    Self(value.magnitude, isNegative: !value.isNegative, scale: value.scale)
  }

  static func + (left: Self, right: Self) -> Self {
    let scale = max(left.scale, right.scale)
    let a = left.magnitude(at: scale)
    let b = right.magnitude(at: scale)
    if left.isNegative == right.isNegative {
      return Self(a + b, isNegative: left.isNegative, scale: scale)
    }
    return a < b
      ? Self(b - a, isNegative: right.isNegative, scale: scale)
      : Self(a - b, isNegative: left.isNegative, scale: scale)
  }

  static func - (left: Self, right: Self) -> Self { left + (-right) }

  static func * (left: Self, right: Self) -> Self {
    Self(
      left.magnitude * right.magnitude, isNegative: left.isNegative != right.isNegative,
      scale: left.scale + right.scale)
  }

  /// The quotient by a number other than zero, with as many digits as PostgreSQL gives it.
  static func / (left: Self, right: Self) -> Self {
    let (weight, first) = left.leadingGroup
    let (otherWeight, otherFirst) = right.leadingGroup
    let distance = weight - otherWeight - (first <= otherFirst ? 1 : 0)
    let scale = max(16 - distance * 4, left.scale, right.scale, 0)
    // The places that the division itself takes off are put on before.
    let places = scale + right.scale - left.scale
    let dividend = places > 0 ? left.magnitude * .powerOfTen(places) : left.magnitude
    let divisor = places < 0 ? right.magnitude * .powerOfTen(0 - places) : right.magnitude
    return Self(
      dividend.dividedRounding(by: divisor), isNegative: left.isNegative != right.isNegative,
      scale: scale)
  }

  /// The square root of a number that is not negative, with as many places as it has.
  var squareRoot: Self {
    // One digit more than wanted, cut off, and then rounded.
    let root = (magnitude * .powerOfTen(scale + 2)).squareRoot
    return Self(
      root.dividedRounding(by: BigInteger(10)), isNegative: false, scale: scale)
  }

  /// How many decimal digits the number has without its point.
  private var digitCount: Int {
    // 1234 / 4096 is just above log10(2), so the estimate is right or one too high up to thousands of bits.
    var count = magnitude.bitWidth * 1234 / 4096 + 1
    while count > 1 && magnitude < .powerOfTen(count - 1) { count -= 1 }
    return count
  }

  /// The power of 10,000 of the first group of four digits that is not zero, and that group.
  private var leadingGroup: (weight: Int, digits: Int) {
    if isZero { return (0, 0) }
    let count = digitCount
    let exponent = count - 1 - scale
    let weight = exponent >> 2
    let taken = exponent - weight * 4 + 1
    let group =
      count >= taken
      ? magnitude.divided(by: .powerOfTen(count - taken)).quotient
      : magnitude * .powerOfTen(taken - count)
    return (weight, group.narrow.map { Int(truncatingIfNeeded: $0) } ?? 0)
  }

  /// The number of the bucket that a finite number falls into, of `count` between two finite bounds.
  ///
  /// The number lies between the bounds.
  static func bucket(
    _ value: Numeric, from low: Numeric, to high: Numeric, count: Int32
  ) -> Int32 {
    let low = BigDecimal(low)
    let place = (BigDecimal(value) - low) * BigDecimal(Int64(count)) / (BigDecimal(high) - low)
    let whole = place.magnitude.divided(by: .powerOfTen(place.scale)).quotient
    // The quotient is rounded, and so can be as great as the number of buckets.
    guard let number = whole.narrow.flatMap(Int32.init(exactly:)), number < count else {
      return count
    }
    return number + 1
  }

  /// The number with its fraction rounded so far as 38 digits demand.
  ///
  /// - Throws: 22003 where the whole part alone has more than 38 digits.
  func numeric() throws(SQLError) -> Numeric {
    var drop = max(0, scale - Numeric.digitCountMax, digitCount - Numeric.digitCountMax - 1)
    while drop <= scale {
      let rounded = drop == 0 ? magnitude : magnitude.dividedRounding(by: .powerOfTen(drop))
      if let narrow = rounded.narrow, narrow <= UInt128(Numeric.coefficientMax) {
        return Numeric(magnitude: narrow, isNegative: isNegative, scale: scale - drop)
      }
      drop += 1
    }
    throw Numeric.overflow
  }
}
