package import Diagnostics

/// Whether a byte is white space as C's `isspace` has it.
@inline(__always)
func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (byte >= 9 && byte <= 13) }

/// Whether a byte is a decimal digit.
@inline(__always)
func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

extension TextBytes {
  /// The bytes without white space at either end.
  func trimmed() -> TextBytes {
    var lower = 0
    var upper = count
    while lower < upper && isSpace(self[lower]) { lower &+= 1 }
    while upper > lower && isSpace(self[upper &- 1]) { upper &-= 1 }
    return slice(lower..<upper)
  }

  /// Whether the bytes are a word of ASCII letters, in either case; `word` is in lower case.
  func matches(_ word: StaticString) -> Bool {
    guard word.utf8CodeUnitCount == count else { return false }
    for index in 0..<count {
      let byte = self[index]
      let lowered = byte &- 65 < 26 ? byte | 32 : byte
      if unsafe lowered != word.utf8Start[index] { return false }
    }
    return true
  }
}

/// The error of a text that is no value of a type.
func invalidSyntax(_ type: String, _ text: TextBytes) -> SQLError {
  SQLError(
    .invalidTextRepresentation, "invalid input syntax for type \(type): \"\(text.string)\"")
}

extension Numeric {
  /// The number that a text spells.
  ///
  /// Digits of a fraction past 38 digits in all are rounded off.
  ///
  /// - Throws: 22P02 for a text that is no number, 22003 for one that is too great.
  package static func parse(_ text: TextBytes) throws(SQLError) -> Numeric {
    if let value = parsePlain(text) { return value }
    return try parseAny(text)
  }

  /// A number of at most 18 digits with neither exponent nor white space; nil for any other.
  @inline(__always)
  static func parsePlain(_ text: TextBytes) -> Numeric? {
    let length = text.count
    guard length > 0 && length <= 20 else { return nil }
    var position = 0
    let isNegative = text[0] == UInt8(ascii: "-")
    if isNegative { position = 1 }
    var value: UInt64 = 0
    var digits = 0
    var point = -1
    while position < length {
      let digit = text[position] &- 48
      if digit < 10 {
        value = value &* 10 &+ UInt64(truncatingIfNeeded: digit)
        digits &+= 1
      } else if text[position] == UInt8(ascii: ".") && point < 0 {
        point = digits
      } else {
        return nil
      }
      position &+= 1
    }
    guard digits > 0 && digits <= 18 else { return nil }
    let signed = Int64(truncatingIfNeeded: value)
    return Numeric(
      coefficient: Int128(isNegative ? 0 &- signed : signed),
      scale: Int16(truncatingIfNeeded: point < 0 ? 0 : digits &- point))
  }

  private static func parseAny(_ whole: TextBytes) throws(SQLError) -> Numeric {
    let text = whole.trimmed()
    var position = 0
    var isNegative = false
    if position < text.count && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+")) {
      isNegative = text[0] == UInt8(ascii: "-")
      position = 1
    }
    let word = text.slice(position..<text.count)
    if word.matches("infinity") || word.matches("inf") {
      return isNegative ? .negativeInfinity : .positiveInfinity
    }
    if text.matches("nan") { return .nan }
    guard let scan = DecimalScan(word) else { throw invalidSyntax("numeric", whole) }
    return try scan.value(isNegative: isNegative)
  }

  /// Adds the number's text to `target`.
  package func append(to target: inout ByteBuilder) {
    switch kind {
    case .nan: target.append("NaN")
    case .positiveInfinity: target.append("Infinity")
    case .negativeInfinity: target.append("-Infinity")
    case .finite:
      if high < 0 { target.append(UInt8(ascii: "-")) }
      let digits = magnitude
      if scale <= 0 {
        target.append(digits: digits)
      } else if digits >> 64 == 0 && scale < 20 {
        let narrow = UInt64(truncatingIfNeeded: digits)
        let unit = powersOfTen[Int(scale)]
        target.append(digits: narrow / unit)
        target.append(UInt8(ascii: "."))
        target.append(digits: narrow % unit, width: Int(scale))
      } else {
        let (whole, fraction) = digits.quotientAndRemainder(dividingBy: powerOfTen(Int(scale)))
        target.append(digits: whole)
        target.append(UInt8(ascii: "."))
        target.append(digits: fraction, width: Int(scale))
      }
    }
  }
}

extension Numeric: CustomStringConvertible {
  /// The number as PostgreSQL prints it; for edges.
  package var description: String {
    var builder = ByteBuilder(capacity: 48)
    append(to: &builder)
    return builder.string
  }

  /// The number that a string spells; for edges.
  ///
  /// - Throws: 22P02, 22003.
  package init(parsing text: String) throws(SQLError) {
    var builder = ByteBuilder()
    builder.append(text)
    self = try Numeric.parse(builder.bytes)
  }
}

/// The parts of an unsigned decimal number: digits, point, exponent.
struct DecimalScan {
  /// As many digits as a coefficient holds, leading zeros not counted.
  var digits: UInt128 = 0
  /// Digits taken into `digits`.
  var taken = 0
  /// Digits before the point that had no room.
  var droppedWhole = 0
  /// Digits behind the point that were taken.
  var places = 0
  /// All digits behind the point.
  var written = 0
  /// Whether the first digit without room is 5 or more.
  var roundsUp = false
  var exponent = 0

  /// Greater exponents are all out of range.
  private static let exponentMax = 1_073_741_823
  /// The most digits behind the point that PostgreSQL knows; more are out of range even for zero.
  private static let scaleMax = 16_383

  /// Reads all of `text`; nil where that is no number.
  init?(_ text: TextBytes) {
    var position = 0
    var sawDigit = false
    var sawPoint = false
    var full = false
    while position < text.count {
      let byte = text[position]
      if isDigit(byte) {
        sawDigit = true
        if sawPoint { written += 1 }
        if taken == 0 && byte == 48 {
          if sawPoint { places += 1 }
        } else if !full && hasRoom(for: byte &- 48) {
          digits = digits &* 10 &+ UInt128(byte &- 48)
          taken += 1
          if sawPoint { places += 1 }
        } else {
          if !full { roundsUp = byte >= 53 }
          full = true
          if !sawPoint { droppedWhole += 1 }
        }
      } else if byte == UInt8(ascii: ".") && !sawPoint {
        sawPoint = true
      } else {
        break
      }
      position += 1
    }
    guard sawDigit else { return nil }
    guard position < text.count else { return }
    guard text[position] | 32 == UInt8(ascii: "e") else { return nil }
    position += 1
    var isNegative = false
    if position < text.count
      && (text[position] == UInt8(ascii: "-") || text[position] == UInt8(ascii: "+"))
    {
      isNegative = text[position] == UInt8(ascii: "-")
      position += 1
    }
    guard position < text.count else { return nil }
    while position < text.count {
      guard isDigit(text[position]) else { return nil }
      exponent = min(exponent * 10 + Int(text[position] &- 48), Self.exponentMax)
      position += 1
    }
    if isNegative { exponent = -exponent }
  }

  /// Whether a coefficient holds one digit more.
  @inline(__always)
  private func hasRoom(for digit: UInt8) -> Bool {
    if taken < Numeric.digitCountMax { return true }
    let limit = UInt128(Numeric.coefficientMax)
    return taken == Numeric.digitCountMax && droppedWhole == 0
      && digits <= (limit - UInt128(digit)) / 10
  }

  /// The number.
  ///
  /// - Throws: 22003.
  func value(isNegative: Bool) throws(SQLError) -> Numeric {
    let scale = places - exponent - droppedWhole
    if written - exponent > Self.scaleMax { throw Numeric.overflow }
    // PostgreSQL keeps the digits that were written, so zeros at the end count.
    if digits == 0 {
      return Numeric(coefficient: 0, scale: Int16(min(max(written - exponent, 0), 38)))
    }
    let rounded = roundsUp ? digits + 1 : digits
    if scale < 0 {
      guard -scale <= 38 else { throw Numeric.overflow }
      return try Numeric.fitted(
        WideInteger(rounded, times: powerOfTen(-scale)), isNegative: isNegative, scale: 0)
    }
    return try Numeric.fitted(
      WideInteger(high: 0, low: rounded), isNegative: isNegative, scale: scale)
  }
}
