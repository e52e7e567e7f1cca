package import Diagnostics

extension Numeric {
  /// The nearest whole number, a half rounded away from zero.
  ///
  /// - Throws: 22003 where it does not fit `name`; 0A000 for NaN and the infinities.
  @inline(__always)
  func wholeNumber<Whole: FixedWidthInteger>(_ name: String) throws(SQLError) -> Whole {
    if kind == .finite && scale == 0, let whole = Whole(exactly: coefficient) { return whole }
    return try roundedWhole(name)
  }

  private func roundedWhole<Whole: FixedWidthInteger>(_ name: String) throws(SQLError) -> Whole {
    guard isFinite else {
      let what = isNaN ? "NaN" : "infinity"
      throw SQLError(.featureNotSupported, "cannot convert \(what) to \(name)")
    }
    let rounded = try rescaled(to: 0, .halfAwayFromZero)
    guard let whole = Whole(exactly: rounded.coefficient) else {
      throw SQLError(.numericOutOfRange, "\(name) out of range")
    }
    return whole
  }

  /// - Throws: 22003, 0A000.
  package func int16() throws(SQLError) -> Int16 { try wholeNumber("smallint") }
  /// - Throws: 22003, 0A000.
  package func int32() throws(SQLError) -> Int32 { try wholeNumber("integer") }
  /// - Throws: 22003, 0A000.
  package func int64() throws(SQLError) -> Int64 { try wholeNumber("bigint") }

  /// The nearest double.
  package var double: Double {
    switch kind {
    case .nan: return .nan
    case .positiveInfinity: return .infinity
    case .negativeInfinity: return -.infinity
    case .finite:
      // Both numbers are exact below these bounds, so one division rounds once.
      if scale <= 22, let whole = Int64(exactly: coefficient), whole.magnitude <= 1 << 53 {
        return Double(whole) / exactPowersOfTen[Int(scale)]
      }
      return Double(description) ?? .nan
    }
  }

  /// The nearest float.
  package var float: Float {
    if kind == .finite, scale <= 10, let whole = Int64(exactly: coefficient),
      whole.magnitude <= 1 << 24
    {
      return Float(whole) / Float(powersOfTen[Int(scale)])
    }
    return isFinite ? Float(description) ?? .nan : Float(double)
  }

  /// The number that 15 significant digits of a double give, as PostgreSQL converts it.
  ///
  /// - Throws: 22003.
  package init(_ value: Double) throws(SQLError) {
    if let whole = Int64(exactly: value), whole.magnitude < 1_000_000_000_000_000 {
      self.init(coefficient: Int128(whole), scale: 0)
      return
    }
    self = try Numeric.shortened(value, digits: 15)
  }

  /// The number that 6 significant digits of a float give, as PostgreSQL converts it.
  ///
  /// - Throws: 22003.
  package init(_ value: Float) throws(SQLError) {
    if let whole = Int32(exactly: value), whole.magnitude < 1_000_000 {
      self.init(coefficient: Int128(whole), scale: 0)
      return
    }
    self = try Numeric.shortened(Double(value), digits: 6)
  }

  private static func shortened(_ value: Double, digits: Int) throws(SQLError) -> Numeric {
    if value.isNaN { return .nan }
    if value.isInfinite { return value < 0 ? .negativeInfinity : .positiveInfinity }
    let decimal = SignificantDigits(value.magnitude, count: digits)
    // A trailing zero is not written by C's %g, so it does not count as a digit behind the point.
    var coefficient = decimal.digits
    var scale = -decimal.exponent
    while coefficient % 10 == 0 && coefficient != 0 {
      coefficient /= 10
      scale -= 1
    }
    if coefficient == 0 { return .zero }
    if scale < 0 {
      guard -scale <= digitCountMax else { throw overflow }
      return try fitted(
        WideInteger(UInt128(coefficient), times: powerOfTen(-scale)), isNegative: value < 0,
        scale: 0)
    }
    return try fitted(
      WideInteger(high: 0, low: UInt128(coefficient)), isNegative: value < 0, scale: scale)
  }
}

/// A finite double rounded to some significant decimal digits, as C's `%.*e` rounds it.
struct SignificantDigits {
  /// The digits as a whole number.
  var digits: UInt64
  /// The number is `digits × 10^exponent`.
  var exponent: Int

  init(_ value: Double, count: Int) {
    guard value != 0 else {
      digits = 0
      exponent = 0
      return
    }
    // The shortest digits that give the double back are at most 17; where they are no more than asked
    // for they are the answer, otherwise they are rounded, unless they end in the very middle.
    var shortest: UInt64 = 0
    var places = 0
    var sawPoint = false
    var written = 0
    var power = 0
    var inExponent = false
    var negative = false
    for byte in value.description.utf8 {
      if inExponent {
        if byte == UInt8(ascii: "-") {
          negative = true
        } else if isDigit(byte) {
          power = power * 10 + Int(byte - 48)
        }
      } else if isDigit(byte) {
        shortest = shortest * 10 + UInt64(byte - 48)
        if shortest != 0 { written += 1 }
        if sawPoint { places += 1 }
      } else if byte == UInt8(ascii: ".") {
        sawPoint = true
      } else {
        inExponent = true
      }
    }
    var exponent = (negative ? -power : power) - places
    while shortest % 10 == 0 {
      shortest /= 10
      written -= 1
      exponent += 1
    }
    if written > count {
      let drop = written - count
      let unit = powersOfTen[drop]
      let rest = shortest % unit
      var rounded = shortest / unit
      let half = unit / 2
      if rest > half || (rest == half && Self.isAtLeast(value, shortest, exponent, rounded)) {
        rounded += 1
      }
      if rounded == powersOfTen[count] {
        rounded /= 10
        exponent += 1
      }
      digits = rounded
      self.exponent = exponent + drop
    } else {
      digits = shortest
      self.exponent = exponent
    }
  }

  /// Whether the exact value of a double lies above the decimal `tie`, or on it and `even` is odd.
  ///
  /// Compared with a remainder of a higher precision: the double's distance to the decimal that was read
  /// back is found with a fused multiply, which loses nothing.
  private static func isAtLeast(
    _ value: Double, _ tie: UInt64, _ exponent: Int, _ even: UInt64
  ) -> Bool {
    let order = ExactDecimal.order(value, tie, exponent)
    return order > 0 || (order == 0 && even & 1 == 1)
  }
}

/// Exact comparison of a double with a decimal number.
enum ExactDecimal {
  /// Negative, zero or positive as `value` is below, equal to or above `digits × 10^exponent`.
  static func order(_ value: Double, _ digits: UInt64, _ exponent: Int) -> Int {
    let significand = value.significandBitPattern | (value.isNormal ? 1 << 52 : 0)
    let power = (value.isNormal ? Int(value.exponent) : -1022) - 52
    // significand × 2^power against digits × 10^exponent, both brought to whole numbers.
    var left = Limbs(significand)
    var right = Limbs(digits)
    if power > 0 {
      left.multiply(by: 2, times: power)
    } else {
      right.multiply(by: 2, times: -power)
    }
    if exponent > 0 {
      right.multiply(by: 10, times: exponent)
    } else {
      left.multiply(by: 10, times: -exponent)
    }
    return Limbs.order(left, right)
  }

  /// A whole number of any size, least limb first.
  struct Limbs {
    var words: [UInt32]

    init(_ value: UInt64) {
      words = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
    }

    mutating func multiply(by factor: UInt32, times: Int) {
      for _ in 0..<times {
        var carry: UInt64 = 0
        for index in words.indices {
          carry += UInt64(words[index]) * UInt64(factor)
          words[index] = UInt32(truncatingIfNeeded: carry)
          carry >>= 32
        }
        if carry > 0 { words.append(UInt32(truncatingIfNeeded: carry)) }
      }
    }

    static func order(_ left: Limbs, _ right: Limbs) -> Int {
      for index in (0..<max(left.words.count, right.words.count)).reversed() {
        let a = index < left.words.count ? left.words[index] : 0
        let b = index < right.words.count ? right.words[index] : 0
        if a != b { return a < b ? -1 : 1 }
      }
      return 0
    }
  }
}

/// The powers of ten that a double holds exactly: a table, as the conversion of a number of 128 bits is a call for each.
let exactPowersOfTen: InlineArray<23, Double> = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]
