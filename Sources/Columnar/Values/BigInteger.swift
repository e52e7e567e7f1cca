/// A whole number of any size that is not negative, for sums that no fixed width holds.
///
/// Every operation allocates: kernels take numbers of fixed width first.
struct BigInteger {
  /// Digits to the base 2^32, the lowest first, without zeros at the end.
  private var digits: [UInt32]

  static let zero = BigInteger(digits: [])

  private init(digits: [UInt32]) {
    var digits = digits
    while digits.last == 0 { digits.removeLast() }
    self.digits = digits
  }

  init(_ value: UInt128) {
    self.init(
      digits: (0..<4).map { UInt32(truncatingIfNeeded: value >> UInt128($0 * 32)) })
  }

  var isZero: Bool { digits.isEmpty }

  /// The number of significant bits.
  var bitWidth: Int {
    digits.last.map { digits.count * 32 - $0.leadingZeroBitCount } ?? 0
  }

  /// The number where 128 bits hold it.
  var narrow: UInt128? {
    if digits.count > 4 { return nil }
    return digits.reversed().reduce(0) { $0 << 32 | UInt128($1) }
  }

  /// `10^exponent`.
  static func powerOfTen(_ exponent: Int) -> BigInteger {
    var result = BigInteger(1)
    var rest = exponent
    while rest > 0 {
      let step = min(rest, Numeric.digitCountMax)
      result = result * BigInteger(Columnar.powerOfTen(step))
      rest -= step
    }
    return result
  }

  static func < (left: BigInteger, right: BigInteger) -> Bool {
    if left.digits.count != right.digits.count { return left.digits.count < right.digits.count }
    for place in left.digits.indices.reversed() where left.digits[place] != right.digits[place] {
      return left.digits[place] < right.digits[place]
    }
    return false
  }

  static func + (left: BigInteger, right: BigInteger) -> BigInteger {
    var result: [UInt32] = []
    result.reserveCapacity(max(left.digits.count, right.digits.count) + 1)
    var carry: UInt64 = 0
    for place in 0..<max(left.digits.count, right.digits.count) {
      carry += UInt64(left.digit(place)) + UInt64(right.digit(place))
      result.append(UInt32(truncatingIfNeeded: carry))
      carry >>= 32
    }
    result.append(UInt32(carry))
    return BigInteger(digits: result)
  }

  /// The difference; `right` is not above `left`.
  static func - (left: BigInteger, right: BigInteger) -> BigInteger {
    precondition(!(left < right), "a difference below zero")
    var result = left.digits
    var borrow: Int64 = 0
    for place in result.indices {
      let difference = Int64(result[place]) - Int64(right.digit(place)) + borrow
      result[place] = UInt32(truncatingIfNeeded: difference)
      borrow = difference >> 32
    }
    return BigInteger(digits: result)
  }

  static func * (left: BigInteger, right: BigInteger) -> BigInteger {
    var result = [UInt32](repeating: 0, count: left.digits.count + right.digits.count)
    for (place, digit) in left.digits.enumerated() {
      var carry: UInt64 = 0
      for (other, factor) in right.digits.enumerated() {
        // At most (2^32 - 1)^2 + 2 * (2^32 - 1), which 64 bits just hold.
        carry += UInt64(digit) * UInt64(factor) + UInt64(result[place + other])
        result[place + other] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      result[place + right.digits.count] = UInt32(carry)
    }
    return BigInteger(digits: result)
  }

  private func digit(_ place: Int) -> UInt32 { place < digits.count ? digits[place] : 0 }

  /// Quotient and remainder by a number above zero, by long division (Knuth, algorithm D).
  func divided(by divisor: BigInteger) -> (quotient: BigInteger, remainder: BigInteger) {
    precondition(!divisor.isZero, "a division by zero")
    if self < divisor { return (.zero, self) }
    // Both are multiplied so that the divisor's highest bit is set: then no guess is more than two too great.
    let shift = UInt128(divisor.digits[divisor.digits.count - 1].leadingZeroBitCount)
    let unit = BigInteger(1 << shift)
    let by = (divisor * unit).digits
    var rest = (self * unit).digits
    rest += [UInt32](repeating: 0, count: max(0, digits.count + 1 - rest.count))
    var quotient = [UInt32](repeating: 0, count: rest.count - by.count)
    for place in quotient.indices.reversed() {
      quotient[place] = Self.takeMultiple(of: by, from: &rest, at: place)
    }
    let remainder = BigInteger(digits: rest).shiftedRight(by: Int(shift))
    return (BigInteger(digits: quotient), remainder)
  }

  /// Takes the divisor as often as it goes into the digits of `rest` from `place` on, and says how often that was.
  private static func takeMultiple(
    of divisor: [UInt32], from rest: inout [UInt32], at place: Int
  ) -> UInt32 {
    let count = divisor.count
    let top = UInt64(rest[place + count]) << 32 | UInt64(rest[place + count - 1])
    var guess = min(top / UInt64(divisor[count - 1]), UInt64(UInt32.max))
    var borrow: Int64 = 0
    var carry: UInt64 = 0
    for index in 0..<count {
      carry += guess * UInt64(divisor[index])
      let difference =
        Int64(rest[place + index]) - Int64(carry & 0xFFFF_FFFF) + borrow
      rest[place + index] = UInt32(truncatingIfNeeded: difference)
      borrow = difference >> 32
      carry >>= 32
    }
    var last = Int64(rest[place + count]) - Int64(carry) + borrow
    while last < 0 {
      guess -= 1
      var back: UInt64 = 0
      for index in 0..<count {
        back += UInt64(rest[place + index]) + UInt64(divisor[index])
        rest[place + index] = UInt32(truncatingIfNeeded: back)
        back >>= 32
      }
      last += Int64(back)
    }
    rest[place + count] = UInt32(truncatingIfNeeded: last)
    return UInt32(guess)
  }

  /// The number divided by 2^`count`, cut off.
  func shiftedRight(by count: Int) -> BigInteger {
    let whole = count / 32
    guard whole < digits.count else { return .zero }
    let bits = UInt64(count % 32)
    return BigInteger(
      digits: (whole..<digits.count).map {
        let pair = UInt64(digit($0 + 1)) << 32 | UInt64(digits[$0])
        return UInt32(truncatingIfNeeded: pair >> bits)
      })
  }

  /// The quotient by a number above zero, a half rounded up.
  func dividedRounding(by divisor: BigInteger) -> BigInteger {
    let (quotient, remainder) = divided(by: divisor)
    return remainder + remainder < divisor ? quotient : quotient + BigInteger(1)
  }

  /// The greatest number whose square is not above this one, by Newton's method from above.
  var squareRoot: BigInteger {
    if isZero { return self }
    var root = BigInteger(1).shiftedLeft(by: (bitWidth + 1) / 2)
    while true {
      let next = (root + divided(by: root).quotient).shiftedRight(by: 1)
      if !(next < root) { return root }
      root = next
    }
  }

  private func shiftedLeft(by count: Int) -> BigInteger {
    let zeros = [UInt32](repeating: 0, count: count / 32)
    return BigInteger(digits: zeros + digits) * BigInteger(1 << UInt128(count % 32))
  }
}
