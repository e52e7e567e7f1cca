package import Diagnostics

extension Numeric {
  /// How many digits any coefficient may have, and the most places behind the point.
  package static let digitCountMax = 38
  /// The greatest coefficient, 2^127 - 1: it has 39 digits, of which not all others fit.
  @usableFromInline static var coefficientMax: Int128 { .max }

  package static var zero: Numeric { Numeric(coefficient: 0, scale: 0) }
  package static var one: Numeric { Numeric(coefficient: 1, scale: 0) }
  package static var nan: Numeric { Numeric(Kind.nan) }
  package static var positiveInfinity: Numeric { Numeric(Kind.positiveInfinity) }
  package static var negativeInfinity: Numeric { Numeric(Kind.negativeInfinity) }

  /// A whole number.
  @inlinable
  package init(_ value: some FixedWidthInteger & SignedInteger) {
    self.init(coefficient: Int128(truncatingIfNeeded: value), scale: 0)
  }

  @inlinable package var isFinite: Bool { kind == .finite }
  @inlinable package var isNaN: Bool { kind == .nan }
  @inlinable package var isInfinite: Bool {
    kind == .positiveInfinity || kind == .negativeInfinity
  }
  @inlinable package var isZero: Bool { kind == .finite && low == 0 && high == 0 }
  /// Whether the value is below zero; NaN is not.
  @inlinable package var isNegative: Bool {
    kind == .negativeInfinity || (kind == .finite && high < 0)
  }
  /// -1, 0 or 1; NaN counts as 1 and is to be asked for first.
  @inlinable package var signum: Int { isZero ? 0 : isNegative ? -1 : 1 }

  /// The coefficient without its sign.
  @inlinable package var magnitude: UInt128 { coefficient.magnitude }

  /// Whether a number may be a coefficient: its negative has to be one too.
  @inlinable @inline(__always)
  static func fits(_ coefficient: Int128) -> Bool { coefficient != .min }

  /// A value from magnitude and sign.
  @inlinable
  init(magnitude: UInt128, isNegative: Bool, scale: Int) {
    let value = Int128(truncatingIfNeeded: magnitude)
    self.init(coefficient: isNegative ? 0 &- value : value, scale: Int16(truncatingIfNeeded: scale))
  }

  /// The error of a result whose digits before its point are no coefficient.
  package static var overflow: SQLError {
    SQLError(
      .numericOutOfRange, "value overflows numeric format",
      detail: "A numeric has at most 38 digits.")
  }

  /// The error of a result that is nearer to zero than any value, but is not zero.
  package static var underflow: SQLError {
    SQLError(
      .numericOutOfRange, "value underflows numeric format",
      detail: "A numeric has at most 38 digits behind its point.")
  }

  /// A value of any width, its fraction rounded so far as the greatest coefficient demands.
  ///
  /// - Throws: 22003 where the whole part alone is greater, and where nothing but zeros would be left.
  static func fitted(_ magnitude: WideInteger, isNegative: Bool, scale: Int) throws(SQLError)
    -> Numeric
  {
    let limit = UInt128(coefficientMax)
    if magnitude.high == 0 && magnitude.low <= limit && scale <= digitCountMax {
      return Numeric(magnitude: magnitude.low, isNegative: isNegative, scale: scale)
    }
    // Each digit has more than three bits, so this many digits at least are too many.
    var drop = max(scale - digitCountMax, (magnitude.bitWidth * 1233) >> 12 - digitCountMax - 1, 1)
    while drop <= scale && drop <= digitCountMax {
      let rounded = magnitude.dividedRounding(by: powerOfTen(drop))
      if rounded.high == 0 && rounded.low <= limit {
        if rounded.low == 0 && (magnitude.high | magnitude.low) != 0 { throw underflow }
        return Numeric(magnitude: rounded.low, isNegative: isNegative, scale: scale - drop)
      }
      drop += 1
    }
    if scale - digitCountMax > digitCountMax {
      if (magnitude.high | magnitude.low) != 0 { throw underflow }
      return Numeric(coefficient: 0, scale: 38)
    }
    throw overflow
  }
}

extension Numeric: Comparable {
  /// Negative, zero or positive as `left` is below, equal to or above `right`; 1.5 equals 1.50, NaN equals
  /// NaN and is above all.
  @inlinable
  package static func order(_ left: Numeric, _ right: Numeric) -> Int {
    if left.kind == .finite && right.kind == .finite && left.scale == right.scale {
      let a = left.coefficient
      let b = right.coefficient
      return bit(a > b) &- bit(a < b)
    }
    return orderUnaligned(left, right)
  }

  @usableFromInline
  static func orderUnaligned(_ left: Numeric, _ right: Numeric) -> Int {
    guard left.isFinite && right.isFinite else {
      return left.orderClass - right.orderClass
    }
    let signs = left.signum - right.signum
    if signs != 0 || left.isZero { return signs }
    let order: Int
    if left.scale < right.scale {
      order = magnitudeOrder(left.magnitude, Int(right.scale - left.scale), right.magnitude)
    } else {
      order = -magnitudeOrder(right.magnitude, Int(left.scale - right.scale), left.magnitude)
    }
    return left.isNegative ? -order : order
  }

  /// Compares `left × 10^shift` with `right`.
  private static func magnitudeOrder(_ left: UInt128, _ shift: Int, _ right: UInt128) -> Int {
    let wide = WideInteger(left, times: powerOfTen(shift))
    if wide.high != 0 { return 1 }
    return wide.low == right ? 0 : wide.low < right ? -1 : 1
  }

  private var orderClass: Int {
    switch kind {
    case .negativeInfinity: -1
    case .finite: 0
    case .positiveInfinity: 1
    case .nan: 2
    }
  }

  @inlinable
  package static func == (left: Numeric, right: Numeric) -> Bool { order(left, right) == 0 }
  @inlinable
  package static func < (left: Numeric, right: Numeric) -> Bool { order(left, right) < 0 }

  /// The equal value with the least scale: equal numbers have equal canonical forms, bit by bit.
  ///
  /// - Complexity: O(trailing zeros).
  package var canonical: Numeric {
    guard kind == .finite && scale > 0 else { return self }
    if isZero { return .zero }
    var digits = coefficient
    var places = scale
    while places >= 8 {
      let (quotient, rest) = digits.quotientAndRemainder(dividingBy: 100_000_000)
      if rest != 0 { break }
      digits = quotient
      places -= 8
    }
    if let narrow = Int64(exactly: digits) {
      var small = narrow
      while places > 0 && small % 10 == 0 {
        small /= 10
        places -= 1
      }
      return Numeric(coefficient: Int128(small), scale: places)
    }
    while places > 0 {
      let (quotient, rest) = digits.quotientAndRemainder(dividingBy: 10)
      if rest != 0 { break }
      digits = quotient
      places -= 1
    }
    return Numeric(coefficient: digits, scale: places)
  }
}

extension Numeric: Hashable {
  package func hash(into hasher: inout Hasher) {
    let least = canonical
    hasher.combine(least.low)
    hasher.combine(least.high)
    hasher.combine(least.scale)
    hasher.combine(least.kind)
  }
}
