import Diagnostics

/// The numbers of JSON, of any length, by their text.
enum JSONNumber {
  /// The digits that PostgreSQL's numeric has before and behind the point.
  private static let wholeDigitsMax = 131_072
  private static let scaleMax = 16_383

  /// Adds a number without exponent, without sign of a zero and without leading zeros.
  ///
  /// Digits behind the point stay as given: `1.50` is not `1.5`.
  /// - Throws: 22003 for a number with too many digits.
  static func appendPlain(_ text: TextBytes, to target: inout ByteBuilder) throws(SQLError) {
    if isPlain(text) {
      target.append(text)
      return
    }
    // The digits, and the place of the point among them.
    var digits = ByteBuilder(capacity: text.count)
    var point = -1
    var exponent = 0
    var index = 0
    let isNegative = text[0] == UInt8(ascii: "-")
    if isNegative { index = 1 }
    while index < text.count && text[index] | 32 != UInt8(ascii: "e") {
      if text[index] == UInt8(ascii: ".") {
        point = digits.count
      } else {
        digits.append(text[index])
      }
      index += 1
    }
    if point < 0 { point = digits.count }
    if index < text.count { exponent = parseExponent(text, index + 1) }
    let scale = max(0, digits.count - point - exponent)
    var isZero = true
    var leading = 0
    for place in 0..<digits.count where isZero {
      if digits.buffer[place] == 48 { leading += 1 } else { isZero = false }
    }
    let whole = point + exponent
    if !isZero && whole - leading > wholeDigitsMax || scale > scaleMax {
      throw SQLError(.numericOutOfRange, "value overflows numeric format")
    }
    if isNegative && !isZero { target.append(UInt8(ascii: "-")) }
    let first = min(leading, whole)
    if isZero || whole <= leading {
      target.append(UInt8(ascii: "0"))
    } else {
      for place in first..<whole { append(digit: place, of: digits, &target) }
    }
    guard scale > 0 else { return }
    target.append(UInt8(ascii: "."))
    for place in whole..<(whole + scale) { append(digit: place, of: digits, &target) }
  }

  /// Adds the digit at `place`, zero where none was written.
  private static func append(
    digit place: Int, of digits: ByteBuilder, _ target: inout ByteBuilder
  ) {
    target.append(place >= 0 && place < digits.count ? digits.buffer[place] : 48)
  }

  /// Whether a valid number is written as it is kept: most are.
  private static func isPlain(_ text: TextBytes) -> Bool {
    var isZero = true
    for index in 0..<text.count {
      let byte = text[index]
      if byte | 32 == UInt8(ascii: "e") { return false }
      if byte > 48 && byte <= 57 { isZero = false }
    }
    return !isZero || text[0] != UInt8(ascii: "-")
  }

  /// The exponent, held within what no number can have.
  private static func parseExponent(_ text: TextBytes, _ start: Int) -> Int {
    var index = start
    let isNegative = text[index] == UInt8(ascii: "-")
    if isNegative || text[index] == UInt8(ascii: "+") { index += 1 }
    var value = 0
    while index < text.count {
      value = min(value &* 10 &+ Int(text[index] &- 48), 1_000_000)
      index += 1
    }
    return isNegative ? -value : value
  }

  /// Compares two numbers of jsonb by their value: 1.0 equals 1.
  ///
  /// - Complexity: O(digits).
  static func compare(_ left: TextBytes, _ right: TextBytes) -> Int {
    let a = Parts(left)
    let b = Parts(right)
    if a.sign != b.sign { return a.sign < b.sign ? -1 : 1 }
    if a.sign == 0 { return 0 }
    let order = magnitudeOrder(left, a, right, b)
    return a.sign < 0 ? -order : order
  }

  private static func magnitudeOrder(
    _ left: TextBytes, _ a: Parts, _ right: TextBytes, _ b: Parts
  ) -> Int {
    if a.whole.count != b.whole.count { return a.whole.count < b.whole.count ? -1 : 1 }
    let order = TextBytes.order(left.slice(a.whole), right.slice(b.whole))
    return order != 0 ? order : TextBytes.order(left.slice(a.fraction), right.slice(b.fraction))
  }

  /// Hashes a number so that equal values have equal hashes.
  static func hash(_ text: TextBytes, _ seed: UInt64) -> UInt64 {
    let parts = Parts(text)
    if parts.sign == 0 { return Hashing.hash(bytes: text.slice(0..<0), seed &+ 3) }
    let whole = Hashing.hash(bytes: text.slice(parts.whole), seed &+ (parts.sign < 0 ? 1 : 2))
    return Hashing.hash(bytes: text.slice(parts.fraction), whole)
  }

  /// Where the digits that count stand in a plain number.
  private struct Parts {
    /// Without leading zeros: none for a number below one.
    var whole: Range<Int>
    /// Without zeros at the end.
    var fraction: Range<Int>
    /// -1, 0 or 1.
    var sign: Int

    init(_ text: TextBytes) {
      let start = text.count > 0 && text[0] == UInt8(ascii: "-") ? 1 : 0
      let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
      var first = start
      while first < point && text[first] == 48 { first += 1 }
      whole = first..<max(first, point)
      var last = text.count
      let begin = min(point + 1, text.count)
      while last > begin && text[last - 1] == 48 { last -= 1 }
      fraction = begin..<last
      sign = whole.isEmpty && fraction.isEmpty ? 0 : start == 1 ? -1 : 1
    }
  }
}
