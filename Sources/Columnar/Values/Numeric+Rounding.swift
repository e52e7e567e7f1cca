package import Diagnostics

/// What becomes of digits that are cut off.
enum NumericRounding {
  case halfAwayFromZero, towardZero, up, down
}

extension Numeric {
  /// The value with exactly `places` digits behind its point, a half rounded away from zero; negative places
  /// round to tens, hundreds and so on.
  ///
  /// - Throws: 22003.
  package static func round(_ value: Numeric, places: Int) throws(SQLError) -> Numeric {
    try value.rescaled(to: places, .halfAwayFromZero)
  }

  /// The value with exactly `places` digits behind its point, further ones cut off.
  ///
  /// - Throws: 22003.
  package static func truncate(_ value: Numeric, places: Int) throws(SQLError) -> Numeric {
    try value.rescaled(to: places, .towardZero)
  }

  /// The least whole number not below the value.
  package static func ceiling(_ value: Numeric) throws(SQLError) -> Numeric {
    try value.rescaled(to: 0, .up)
  }

  /// The greatest whole number not above the value.
  package static func floor(_ value: Numeric) throws(SQLError) -> Numeric {
    try value.rescaled(to: 0, .down)
  }

  /// The value without trailing zeros behind its point: `trim_scale`.
  package static func trimScale(_ value: Numeric) -> Numeric { value.canonical }

  func rescaled(to wanted: Int, _ rounding: NumericRounding) throws(SQLError) -> Numeric {
    guard kind == .finite else { return self }
    let places = min(wanted, Self.digitCountMax)
    let current = Int(scale)
    if places == current { return self }
    if places > current {
      let (grown, overflow) = coefficient.multipliedReportingOverflow(
        by: Int128(truncatingIfNeeded: powerOfTen(places - current)))
      if !overflow && Self.fits(grown) {
        return Numeric(coefficient: grown, scale: Int16(places))
      }
      // More zeros than there is room for: as many as 38 digits have.
      let room = Self.digitCountMax - decimalDigitCount(magnitude)
      return try rescaled(to: current + max(room, 0), rounding)
    }
    let drop = current - places
    let whole: UInt128
    if drop > Self.digitCountMax {
      let lifted = rounding == .up && !isNegative || rounding == .down && isNegative
      whole = lifted && !isZero ? 1 : 0
    } else {
      whole = Self.cut(magnitude, by: powerOfTen(drop), isNegative: isNegative, rounding)
    }
    if places >= 0 { return Numeric(magnitude: whole, isNegative: isNegative, scale: places) }
    if whole == 0 { return .zero }
    guard -places <= Self.digitCountMax else { throw Self.overflow }
    return try Self.fitted(
      WideInteger(whole, times: powerOfTen(-places)), isNegative: isNegative, scale: 0)
  }

  private static func cut(
    _ value: UInt128, by divisor: UInt128, isNegative: Bool, _ rounding: NumericRounding
  ) -> UInt128 {
    let (quotient, rest): (UInt128, UInt128)
    if value >> 64 == 0 && divisor >> 64 == 0 {
      let narrow = UInt64(truncatingIfNeeded: value)
      let by = UInt64(truncatingIfNeeded: divisor)
      (quotient, rest) = (UInt128(narrow / by), UInt128(narrow % by))
    } else {
      (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
    }
    let lift: Bool
    switch rounding {
    case .halfAwayFromZero: lift = rest >= divisor &- rest
    case .towardZero: lift = false
    case .up: lift = rest != 0 && !isNegative
    case .down: lift = rest != 0 && isNegative
    }
    return lift ? quotient &+ 1 : quotient
  }

  /// The value as a column `numeric(precision, scale)` takes it.
  ///
  /// - Throws: 22003 where it has too many digits before its point.
  package static func apply(precision: Int, scale: Int, to value: Numeric) throws(SQLError)
    -> Numeric
  {
    if value.isNaN { return value }
    guard value.isFinite else {
      throw SQLError(
        .numericOutOfRange, "numeric field overflow",
        detail: "A field with precision \(precision), scale \(scale) cannot hold an infinite value."
      )
    }
    let rounded: Numeric
    do {
      rounded = try value.rescaled(to: scale, .halfAwayFromZero)
    } catch {
      throw fieldOverflow(precision, scale)
    }
    let whole = precision - scale
    if rounded.isZero { return rounded }
    // The digits above 10^whole decide: value < 10^whole.
    let limit = whole + Int(rounded.scale)
    if limit < 0 || (limit < 39 && rounded.magnitude >= powerOfTen(limit)) {
      throw fieldOverflow(precision, scale)
    }
    return rounded
  }

  private static func fieldOverflow(_ precision: Int, _ scale: Int) -> SQLError {
    let whole = precision - scale
    let bound = whole == 0 ? "1" : "10^\(whole)"
    return SQLError(
      .numericOutOfRange, "numeric field overflow",
      detail: "A field with precision \(precision), scale \(scale) must round to an absolute value "
        + "less than \(bound).")
  }
}
