package import Diagnostics

/// Reads whole numbers, floating-point numbers and booleans from bytes.
package enum NumberText {
  /// The whole number that a text spells, without white space: the fast path of loading; nil for any other text
  /// and for one that does not fit.
  ///
  /// - Complexity: O(digits), eight digits a step.
  @inline(__always)
  package static func parseInteger(_ text: TextBytes) -> Int64? {
    let length = text.count
    guard length > 0 else { return nil }
    var position = 0
    let isNegative = text[0] == UInt8(ascii: "-")
    if isNegative || text[0] == UInt8(ascii: "+") { position = 1 }
    let digits = length &- position
    guard digits > 0 && digits <= 18 else { return parseLongInteger(text) }
    var value: UInt64 = 0
    while length &- position >= 8 {
      let word = text.word(at: position)
      guard isEightDigits(word) else { return nil }
      value = value &* 100_000_000 &+ eightDigits(word)
      position &+= 8
    }
    while position < length {
      let digit = text[position] &- 48
      guard digit < 10 else { return nil }
      value = value &* 10 &+ UInt64(digit)
      position &+= 1
    }
    let signed = Int64(truncatingIfNeeded: value)
    return isNegative ? 0 &- signed : signed
  }

  /// Whether all eight bytes are digits: each high half is 3 and stays so when 6 is added.
  @inline(__always)
  private static func isEightDigits(_ word: UInt64) -> Bool {
    word & (word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
  }

  /// The value of eight digits, the first in the lowest byte: pairs, then fours, then all.
  @inlinable @inline(__always)
  package static func eightDigits(_ word: UInt64) -> UInt64 {
    let ones = word &- 0x3030_3030_3030_3030
    let pairs = ones &* 10 &+ (ones &>> 8)
    let low = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let high = ((pairs &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (low &+ high) &>> 32
  }

  private static func parseLongInteger(_ text: TextBytes) -> Int64? {
    guard text.count > 18 else { return nil }
    let isNegative = text[0] == UInt8(ascii: "-")
    var value: Int64 = 0
    for position in (isNegative || text[0] == UInt8(ascii: "+") ? 1 : 0)..<text.count {
      let digit = Int64(text[position] &- 48)
      guard digit < 10 else { return nil }
      let product = value.multipliedReportingOverflow(by: 10)
      let sum = product.partialValue.subtractingReportingOverflow(digit)
      if product.overflow || sum.overflow { return nil }
      value = sum.partialValue
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// A whole number of a type.
  ///
  /// - Throws: 22P02 for a text that is none, 22003 for one that does not fit.
  @inline(__always)
  static func integer<Whole: FixedWidthInteger>(
    _ text: TextBytes, _ type: StaticString, _: Whole.Type
  ) throws(SQLError) -> Whole {
    if let value = parseInteger(text), let narrow = Whole(exactly: value) { return narrow }
    return try integerSlowly(text, "\(type)")
  }

  private static func integerSlowly<Whole: FixedWidthInteger>(_ text: TextBytes, _ type: String)
    throws(SQLError) -> Whole
  {
    if let value = parseSpacedInteger(text), let narrow = Whole(exactly: value) { return narrow }
    throw integerError(text, type, bitWidth: Whole.bitWidth)
  }

  /// The whole number that a text spells, perhaps with white space around it; nil for any other text.
  package static func parseSpacedInteger(_ text: TextBytes) -> Int64? {
    parseInteger(text) ?? parseInteger(text.trimmed())
  }

  /// Why a text is no whole number of a type: not digits (22P02), or too many of them (22003).
  ///
  /// Digits that are too many count before what follows them is looked at.
  package static func integerError(
    _ text: TextBytes, _ type: String, bitWidth: Int = 64
  ) -> SQLError {
    let body = text.trimmed()
    var position = 0
    var isNegative = false
    if body.count > 0 && (body[0] == UInt8(ascii: "-") || body[0] == UInt8(ascii: "+")) {
      isNegative = body[0] == UInt8(ascii: "-")
      position = 1
    }
    // The magnitude of the least number; as long as that fits, what follows the digits is looked at first.
    let limit: UInt64 = 1 << UInt64(bitWidth - 1)
    var value: UInt64 = 0
    while position < body.count, isDigit(body[position]), value <= limit {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(body[position] &- 48))
      value = overflow || carry ? .max : sum
      position += 1
    }
    let isPastGreatest = value == limit && !isNegative && position == body.count
    guard value > limit || isPastGreatest else { return invalidSyntax(type, text) }
    return SQLError(
      .numericOutOfRange, "value \"\(text.string)\" is out of range for type \(type)")
  }

  /// The double that a text without white space spells, where that needs no more than one rounding.
  @inline(__always)
  package static func parsePlainDouble(_ text: TextBytes) -> Double? {
    let length = text.count
    guard length > 0 && length <= 17 else { return nil }
    var position = 0
    let isNegative = text[0] == UInt8(ascii: "-")
    if isNegative { position = 1 }
    var value: UInt64 = 0
    var digits = 0
    var point = -1
    while position < length {
      let digit = text[position] &- 48
      if digit < 10 {
        value = value &* 10 &+ UInt64(digit)
        digits &+= 1
      } else if text[position] == UInt8(ascii: ".") && point < 0 {
        point = digits
      } else {
        return nil
      }
      position &+= 1
    }
    guard digits > 0 && digits <= 15 else { return nil }
    let whole = Double(value)
    let result = point < 0 || point == digits ? whole : whole / Double(powersOfTen[digits &- point])
    return isNegative ? -result : result
  }

  /// - Throws: 22P02, 22003.
  package static func double(_ text: TextBytes) throws(SQLError) -> Double {
    if let value = parsePlainDouble(text) { return value }
    return try floating(text, "double precision") { Double($0) }
  }

  /// - Throws: 22P02, 22003.
  package static func float(_ text: TextBytes) throws(SQLError) -> Float {
    try floating(text, "real") { Float($0) }
  }

  private static func floating<Number: BinaryFloatingPoint>(
    _ text: TextBytes, _ type: String, _ convert: (String) -> Number?
  ) throws(SQLError) -> Number {
    let body = text.trimmed()
    var isNegative = false
    var word = body
    if body.count > 0 && (body[0] == UInt8(ascii: "-") || body[0] == UInt8(ascii: "+")) {
      isNegative = body[0] == UInt8(ascii: "-")
      word = body.slice(1..<body.count)
    }
    if word.matches("infinity") || word.matches("inf") {
      return isNegative ? -Number.infinity : Number.infinity
    }
    if word.matches("nan") { return .nan }
    // As C's strtod does, hexadecimal numbers are read too.
    let isHex = word.count > 2 && word[0] == 48 && word[1] | 32 == UInt8(ascii: "x")
    var isPlain = true
    var digits = 0
    var hasValue = false
    for position in (isHex ? 2 : 0)..<word.count {
      let byte = word[position]
      if byte | 32 == UInt8(ascii: isHex ? "p" : "e") { break }
      let isDigit = isHex ? hexDigit(byte) != nil : isDigit(byte)
      if isDigit { digits += 1 }
      if isDigit && byte != 48 { hasValue = true }
      if !isDigit && byte != UInt8(ascii: ".") { isPlain = false }
    }
    // Swift wants a digit before the point.
    let spelled = word.count > 0 && word[0] == UInt8(ascii: ".") ? "0" + word.string : word.string
    guard isPlain, digits > 0, let value = convert(spelled) else {
      throw invalidSyntax(type, text)
    }
    if value.isInfinite || (value == 0 && hasValue) {
      throw SQLError(.numericOutOfRange, "\"\(body.string)\" is out of range for type \(type)")
    }
    return isNegative ? -value : value
  }

  /// - Throws: 22P02.
  package static func boolean(_ text: TextBytes) throws(SQLError) -> Bool {
    let body = text.trimmed()
    if body.count == 1 {
      switch body[0] {
      case UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "y"), UInt8(ascii: "Y"),
        UInt8(ascii: "1"):
        return true
      case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "n"), UInt8(ascii: "N"),
        UInt8(ascii: "0"):
        return false
      default: break
      }
    }
    if body.matches("on") || isPrefix(body, "true") || isPrefix(body, "yes") { return true }
    if body.matches("of") || body.matches("off") || isPrefix(body, "false") || isPrefix(body, "no")
    {
      return false
    }
    throw invalidSyntax("boolean", text)
  }

  private static func isPrefix(_ text: TextBytes, _ word: StaticString) -> Bool {
    guard text.count > 0 && text.count <= word.utf8CodeUnitCount else { return false }
    for index in 0..<text.count {
      let byte = text[index]
      let lowered = byte &- 65 < 26 ? byte | 32 : byte
      if unsafe lowered != word.utf8Start[index] { return false }
    }
    return true
  }
}

extension ByteBuilder {
  /// Adds a double in the fewest digits that give it back, as PostgreSQL prints it.
  ///
  /// With `extraDigits` below 1, those of `extra_float_digits`, in so many digits more than 15.
  package mutating func append(double value: Double, extraDigits: Int = 1) {
    if extraDigits < 1 && value.isFinite {
      return append(value, as: .general, digits: max(1, 15 + extraDigits))
    }
    if let whole = Int64(exactly: value), whole.magnitude < 1_000_000_000_000_000,
      whole != 0 || value.sign == .plus
    {
      append(integer: whole)
      return
    }
    guard value.isFinite else { return appendWord(value) }
    var decimal = ShortestDecimal(value.description)
    if decimal.isHalfway(bits: 53) {
      decimal = longer(than: decimal, bits: 53, value) { Double($0) == value }
    }
    append(decimal, plainDigits: 15)
  }

  /// Adds a float in the fewest digits that give it back.
  ///
  /// With `extraDigits` below 1 in so many digits more than 6.
  package mutating func append(float value: Float, extraDigits: Int = 1) {
    if extraDigits < 1 && value.isFinite {
      return append(Double(value), as: .general, digits: max(1, 6 + extraDigits))
    }
    guard value.isFinite else { return appendWord(Double(value)) }
    var decimal = ShortestDecimal(value.description)
    if decimal.isHalfway(bits: 24) {
      decimal = longer(than: decimal, bits: 24, Double(value)) { Float($0) == value }
    }
    append(decimal, plainDigits: 6)
  }

  private mutating func appendWord(_ value: Double) {
    append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
  }

  /// The least digits more than those of `decimal` that are read as the value, and not as one that lies between two.
  private func longer(
    than decimal: ShortestDecimal, bits: Int, _ value: Double, reads: (String) -> Bool
  ) -> ShortestDecimal {
    for digits in (decimalDigitCount64(decimal.digits) + 1)..<18 {
      var text = ByteBuilder()
      text.append(value, as: .general, digits: digits)
      let longer = ShortestDecimal(text.string)
      if reads(text.string) && !longer.isHalfway(bits: bits) { return longer }
    }
    return decimal
  }

  /// Writes the digits in C's form: with an exponent below -4 and from `plainDigits` on.
  private mutating func append(_ decimal: ShortestDecimal, plainDigits: Int) {
    if decimal.isNegative { append(UInt8(ascii: "-")) }
    let count = decimal.digits == 0 ? 1 : decimalDigitCount64(decimal.digits)
    let leading = count - 1 + decimal.exponent
    if leading < -4 || leading >= plainDigits {
      let unit = powersOfTen[count - 1]
      append(digits: decimal.digits / unit)
      if count > 1 {
        append(UInt8(ascii: "."))
        append(digits: decimal.digits % unit, width: count - 1)
      }
      append(leading < 0 ? "e-" : "e+")
      let power = UInt64(leading.magnitude)
      append(digits: power, width: power < 100 ? 2 : 3)
    } else if decimal.exponent >= 0 {
      append(digits: decimal.digits)
      append(repeating: 48, count: decimal.exponent)
    } else if leading < 0 {
      append("0.")
      append(repeating: 48, count: -leading - 1)
      append(digits: decimal.digits)
    } else {
      let unit = powersOfTen[-decimal.exponent]
      append(digits: decimal.digits / unit)
      append(UInt8(ascii: "."))
      append(digits: decimal.digits % unit, width: -decimal.exponent)
    }
  }
}

/// The digits of the shortest text of a floating-point number: `digits × 10^exponent`, no zero at the end.
struct ShortestDecimal {
  var digits: UInt64 = 0
  var exponent = 0
  var isNegative = false

  /// Whether the number lies halfway between two neighbours of so many bits, of which it is read as the even one.
  ///
  /// Swift takes such a text for the shortest of that neighbour, PostgreSQL takes none at the border. A number lies there
  /// if it has one bit more than its neighbours. Below 1 that takes more digits than a shortest text has.
  func isHalfway(bits: Int) -> Bool {
    guard exponent >= 0, exponent < 24, digits != 0 else { return false }
    var odd = UInt128(digits >> UInt64(digits.trailingZeroBitCount))
    for _ in 0..<exponent { odd *= 5 }
    return 128 - odd.leadingZeroBitCount == bits + 1
  }

  /// Reads what Swift's `description` writes, or C.
  init(_ text: String) {
    var places = 0
    var power = 0
    var sawPoint = false
    var inExponent = false
    var isPowerNegative = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "-"):
        if inExponent { isPowerNegative = true } else { isNegative = true }
      case UInt8(ascii: "."): sawPoint = true
      case UInt8(ascii: "e"): inExponent = true
      case UInt8(ascii: "+"): break
      default:
        if inExponent {
          power = power &* 10 &+ Int(byte &- 48)
        } else {
          digits = digits &* 10 &+ UInt64(byte &- 48)
          if sawPoint { places += 1 }
        }
      }
    }
    exponent = (isPowerNegative ? -power : power) - places
    if digits == 0 { exponent = 0 }
    while digits != 0 && digits % 10 == 0 {
      digits /= 10
      exponent += 1
    }
  }
}
