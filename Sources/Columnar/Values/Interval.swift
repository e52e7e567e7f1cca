package import Diagnostics

extension Interval {
  static var overflow: SQLError { SQLError(.datetimeOverflow, "interval out of range") }

  /// The span as microseconds in months of 30 days: what PostgreSQL compares.
  package var comparable: Int128 {
    (Int128(months) * 30 + Int128(days)) * 86_400_000_000 + Int128(microseconds)
  }

  /// Negative, zero or positive as `left` is shorter than, as long as or longer than `right`.
  package static func order(_ left: Interval, _ right: Interval) -> Int {
    let a = left.comparable
    let b = right.comparable
    return bit(a > b) &- bit(a < b)
  }

  /// The equal interval that stands for all equal ones: `1 mon` and `30 days` have the same.
  package var canonical: Interval {
    let whole = comparable
    let days = whole / 86_400_000_000
    return Interval(
      months: Int32(truncatingIfNeeded: days / 30), days: Int32(truncatingIfNeeded: days % 30),
      microseconds: Int64(whole % 86_400_000_000))
  }

  /// - Throws: 22008.
  package static func add(_ left: Interval, _ right: Interval) throws(SQLError) -> Interval {
    let months = left.months.addingReportingOverflow(right.months)
    let days = left.days.addingReportingOverflow(right.days)
    let time = left.microseconds.addingReportingOverflow(right.microseconds)
    if months.overflow || days.overflow || time.overflow { throw overflow }
    return Interval(
      months: months.partialValue, days: days.partialValue, microseconds: time.partialValue)
  }

  /// - Throws: 22008.
  package static func subtract(_ left: Interval, _ right: Interval) throws(SQLError) -> Interval {
    let months = left.months.subtractingReportingOverflow(right.months)
    let days = left.days.subtractingReportingOverflow(right.days)
    let time = left.microseconds.subtractingReportingOverflow(right.microseconds)
    if months.overflow || days.overflow || time.overflow { throw overflow }
    return Interval(
      months: months.partialValue, days: days.partialValue, microseconds: time.partialValue)
  }

  /// - Throws: 22008.
  package static func negate(_ value: Interval) throws(SQLError) -> Interval {
    try subtract(Interval(), value)
  }

  /// - Throws: 22008.
  package static func multiply(_ value: Interval, _ factor: Double) throws(SQLError) -> Interval {
    try scaled(value, by: factor) { $0 * factor }
  }

  /// - Throws: 22012, 22008.
  package static func divide(_ value: Interval, _ divisor: Double) throws(SQLError) -> Interval {
    if divisor == 0 { throw Numeric.divisionByZero }
    return try scaled(value, by: divisor) { $0 / divisor }
  }

  /// Scales each field; what is left of months becomes days of 30 to the month, what is left of days time.
  private static func scaled(
    _ value: Interval, by factor: Double, _ apply: (Double) -> Double
  ) throws(SQLError) -> Interval {
    func micro(_ value: Double) -> Double { (value * 1e6).rounded(.toNearestOrEven) / 1e6 }
    let exactMonths = apply(Double(value.months))
    let exactDays = apply(Double(value.days))
    // A field may not pass its range even by a fraction.
    guard exactMonths.magnitude <= 2_147_483_648, exactMonths <= 2_147_483_647,
      exactDays.magnitude <= 2_147_483_648, exactDays <= 2_147_483_647,
      let months = Int32(exactly: exactMonths.rounded(.towardZero)),
      let wholeDays = Int32(exactly: exactDays.rounded(.towardZero))
    else { throw overflow }
    let dayRest = micro((exactMonths - Double(months)) * 30)
    guard let extra = Int32(exactly: dayRest.rounded(.towardZero)) else { throw overflow }
    var seconds = micro((exactDays - Double(wholeDays) + dayRest - Double(extra)) * 86_400)
    var carried: Int32 = 0
    if seconds.magnitude >= 86_400 {
      carried = Int32(seconds / 86_400)
      seconds -= Double(carried) * 86_400
    }
    let (days, overflowing) = wholeDays.addingReportingOverflow(extra &+ carried)
    let time = (apply(Double(value.microseconds)) + seconds * 1e6).rounded(.toNearestOrEven)
    guard !overflowing, let microseconds = Int64(exactly: time) else { throw overflow }
    return Interval(months: months, days: days, microseconds: microseconds)
  }

  /// Turns 24 hours into days.
  ///
  /// - Throws: 22008.
  package static func justifyHours(_ value: Interval) throws(SQLError) -> Interval {
    let whole = value.microseconds / 86_400_000_000
    let (sum, overflowing) = value.days.addingReportingOverflow(Int32(whole))
    if overflowing { throw overflow }
    var days = sum
    var time = value.microseconds % 86_400_000_000
    if days > 0 && time < 0 {
      time += 86_400_000_000
      days -= 1
    } else if days < 0 && time > 0 {
      time -= 86_400_000_000
      days += 1
    }
    return Interval(months: value.months, days: days, microseconds: time)
  }

  /// Turns 30 days into months.
  ///
  /// - Throws: 22008.
  package static func justifyDays(_ value: Interval) throws(SQLError) -> Interval {
    let (sum, overflowing) = value.months.addingReportingOverflow(value.days / 30)
    if overflowing { throw overflow }
    var months = sum
    var days = value.days % 30
    if months > 0 && days < 0 {
      days += 30
      months -= 1
    } else if months < 0 && days > 0 {
      days -= 30
      months += 1
    }
    return Interval(months: months, days: days, microseconds: value.microseconds)
  }

  /// Turns hours into days, days into months, and gives all fields one sign.
  ///
  /// - Throws: 22008.
  package static func justify(_ value: Interval) throws(SQLError) -> Interval {
    var days = Int64(value.days) + value.microseconds / 86_400_000_000
    var time = value.microseconds % 86_400_000_000
    var months = Int64(value.months) + days / 30
    days %= 30
    if months > 0 && (days < 0 || (days == 0 && time < 0)) {
      days += 30
      months -= 1
    } else if months < 0 && (days > 0 || (days == 0 && time > 0)) {
      days -= 30
      months += 1
    }
    if days > 0 && time < 0 {
      time += 86_400_000_000
      days -= 1
    } else if days < 0 && time > 0 {
      time -= 86_400_000_000
      days += 1
    }
    guard let narrow = Int32(exactly: months) else { throw overflow }
    return Interval(months: narrow, days: Int32(days), microseconds: time)
  }
}

extension UUIDValue {
  /// Reads 32 hexadecimal digits, a hyphen allowed after each four, braces around all.
  ///
  /// - Throws: 22P02.
  package static func parse(_ text: TextBytes) throws(SQLError) -> UUIDValue {
    var position = 0
    var end = text.count
    if end > 1 && text[0] == UInt8(ascii: "{") && text[end - 1] == UInt8(ascii: "}") {
      position = 1
      end -= 1
    }
    var words: (UInt64, UInt64) = (0, 0)
    var digits = 0
    while position < end {
      let byte = text[position]
      if byte == UInt8(ascii: "-") && digits > 0 && digits < 32 && digits & 3 == 0
        && text[position - 1] != byte
      {
        position += 1
        continue
      }
      guard digits < 32, let digit = hexDigit(byte) else { throw invalidSyntax("uuid", text) }
      if digits < 16 {
        words.0 = words.0 << 4 | UInt64(digit)
      } else {
        words.1 = words.1 << 4 | UInt64(digit)
      }
      digits += 1
      position += 1
    }
    guard digits == 32, text[end - 1] != UInt8(ascii: "-") else {
      throw invalidSyntax("uuid", text)
    }
    return UUIDValue(high: words.0, low: words.1)
  }

  /// Adds the 36 characters of the value.
  package func append(to target: inout ByteBuilder) {
    target.append(hex: high >> 32, width: 8)
    target.append(UInt8(ascii: "-"))
    target.append(hex: high >> 16 & 0xFFFF, width: 4)
    target.append(UInt8(ascii: "-"))
    target.append(hex: high & 0xFFFF, width: 4)
    target.append(UInt8(ascii: "-"))
    target.append(hex: low >> 48, width: 4)
    target.append(UInt8(ascii: "-"))
    target.append(hex: low & 0xFFFF_FFFF_FFFF, width: 12)
  }

  /// A value of version 4, from 128 random bits.
  package init(random high: UInt64, _ low: UInt64) {
    self.init(
      high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

/// The value of a hexadecimal digit.
@inline(__always)
func hexDigit(_ byte: UInt8) -> UInt8? {
  if isDigit(byte) { return byte &- 48 }
  let letter = (byte | 32) &- 97
  return letter < 6 ? letter &+ 10 : nil
}

extension ByteBuilder {
  /// Adds the low `width` hexadecimal digits of a number.
  mutating func append(hex value: UInt64, width: Int) {
    reserve(width)
    let target = buffer
    for index in 0..<width {
      let digit = UInt8(truncatingIfNeeded: value &>> UInt64((width &- 1 &- index) &* 4) & 15)
      target[count &+ index] = digit < 10 ? 48 &+ digit : 87 &+ digit
    }
    advance(by: width)
  }
}
