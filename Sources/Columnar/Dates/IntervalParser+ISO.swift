/// Intervals as ISO 8601 writes them.
extension IntervalParser {
  /// The bytes of a text and how far they were read.
  private struct Scan {
    let bytes: [UInt8]
    var position = 1

    /// The next byte; 0 at the end.
    var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func take() -> UInt8 {
      let byte = next
      position += 1
      return byte
    }

    /// A number with the digits of its whole part counted.
    mutating func number() throws(DateTimeFields.Problem) -> Number {
      guard isDigit(next) || next == UInt8(ascii: "-") || next == UInt8(ascii: ".") else {
        throw .format
      }
      let start = position
      if next == UInt8(ascii: "-") { position += 1 }
      let digits = position
      while isDigit(next) { position += 1 }
      let width = position - digits
      if next == UInt8(ascii: ".") {
        position += 1
        while isDigit(next) { position += 1 }
      }
      // An exponent counts as part of the number only with digits.
      if next | 32 == UInt8(ascii: "e") {
        var end = position + 1
        if end < bytes.count, bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "+") {
          end += 1
        }
        if end < bytes.count, isDigit(bytes[end]) {
          while end < bytes.count, isDigit(bytes[end]) { end += 1 }
          position = end
        }
      }
      var text = String(decoding: bytes[start..<position], as: UTF8.self)
      // Swift wants a digit on both sides of the point.
      if text.hasPrefix(".") || text.hasPrefix("-.") {
        text.insert("0", at: text.firstIndex(of: ".") ?? text.startIndex)
      }
      if text.hasSuffix(".") { text.removeLast() }
      text = text.split(separator: ".e", omittingEmptySubsequences: false).joined(separator: "e")
      guard let value = Double(text) else { throw .format }
      guard value.magnitude <= 1e15 else { throw .field }
      let whole = value.rounded(.towardZero)
      return Number(whole: Int64(whole), part: value - whole, width: width)
    }
  }

  private struct Number {
    let whole: Int64
    let part: Double
    /// The digits of the whole part.
    let width: Int
  }

  /// `P1Y2M3DT4H5M6S`, or the other forms `P0001-02-03T04:05:06` and `P00010203T040506`.
  mutating func readISO(_ text: TextBytes) throws(DateTimeFields.Problem) {
    guard text.count >= 2, text[0] == UInt8(ascii: "P") else { throw .format }
    reset()
    var scan = Scan(bytes: text.array)
    var isDate = true
    var hasField = false
    while scan.position < scan.bytes.count {
      if scan.next == UInt8(ascii: "T") {
        scan.position += 1
        (isDate, hasField) = (false, true)
        continue
      }
      let number = try scan.number()
      let unit = scan.take()
      if isDate, let known = Self.dateUnit(unit) {
        try add(number.whole, number.part, known)
      } else if !isDate, let known = Self.timeUnit(unit) {
        try add(number.whole, number.part, known)
      } else {
        let isDone =
          isDate
          ? try readDate(number, unit, &scan, hasField)
          : try readTime(number, unit, &scan, hasField)
        if isDone { return }
        (isDate, hasField) = (false, false)
        continue
      }
      hasField = true
    }
    if !hasField { throw .format }
  }

  private static func dateUnit(_ letter: UInt8) -> IntervalUnit? {
    switch letter {
    case UInt8(ascii: "Y"): .year
    case UInt8(ascii: "M"): .month
    case UInt8(ascii: "W"): .week
    case UInt8(ascii: "D"): .day
    default: nil
    }
  }

  private static func timeUnit(_ letter: UInt8) -> IntervalUnit? {
    switch letter {
    case UInt8(ascii: "H"): .hour
    case UInt8(ascii: "M"): .minute
    case UInt8(ascii: "S"): .second
    default: nil
    }
  }

  /// The date of the other forms; true at the end of the text, false where a time follows.
  private mutating func readDate(
    _ number: Number, _ mark: UInt8, _ scan: inout Scan, _ hasField: Bool
  ) throws(DateTimeFields.Problem) -> Bool {
    guard mark == 0 || mark == UInt8(ascii: "T") || mark == UInt8(ascii: "-") else {
      throw .format
    }
    if number.width == 8 && !hasField && mark != UInt8(ascii: "-") {
      try add(number.whole / 10_000, 0, .year)
      try add(number.whole / 100 % 100, 0, .month)
      try add(number.whole % 100, number.part, .day)
      return mark == 0
    }
    if hasField { throw .format }
    try add(number.whole, number.part, .year)
    if mark != UInt8(ascii: "-") { return mark == 0 }
    for unit in [IntervalUnit.month, .day] {
      let next = try scan.number()
      try add(next.whole, next.part, unit)
      let mark = scan.take()
      if mark == 0 { return true }
      if mark == UInt8(ascii: "T") { return false }
      guard mark == UInt8(ascii: "-"), case .month = unit else { throw .format }
    }
    throw .format
  }

  /// The time of the other forms, which ends the text.
  private mutating func readTime(
    _ number: Number, _ mark: UInt8, _ scan: inout Scan, _ hasField: Bool
  ) throws(DateTimeFields.Problem) -> Bool {
    guard mark == 0 || mark == UInt8(ascii: ":") else { throw .format }
    if number.width == 6 && !hasField && mark == 0 {
      try add(number.whole / 10_000, 0, .hour)
      try add(number.whole / 100 % 100, 0, .minute)
      try add(number.whole % 100, 0, .second)
      try add(0, number.part, .microsecond)
      return true
    }
    if hasField { throw .format }
    try add(number.whole, number.part, .hour)
    if mark == 0 { return true }
    for unit in [IntervalUnit.minute, .second] {
      let next = try scan.number()
      try add(next.whole, next.part, unit)
      let mark = scan.take()
      if mark == 0 { return true }
      guard mark == UInt8(ascii: ":"), case .minute = unit else { throw .format }
    }
    throw .format
  }
}
