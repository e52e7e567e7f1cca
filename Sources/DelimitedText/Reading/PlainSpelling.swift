package import Columnar

/// How values of a type are spelled where the type is but a guess: in the one way in which it keeps everything that
/// the text says.
///
/// A cast takes more than that: `007` as a number, `2024-01-01 10:00+02` as a timestamp without time zone, `tomorrow` as a
/// date. Where nobody has said that a column is one, such a text must stay a text.
package enum PlainSpelling {
  /// Whether a text, spaces around it aside, is spelled like a value of `type`; true for types that are not guessed.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package static func fits(_ text: TextBytes, _ type: LogicalType) -> Bool {
    var cursor = SpellingCursor(text)
    switch type {
    case .smallint, .integer, .bigint: return cursor.number(.whole)
    case .numeric: return cursor.number(.decimal)
    case .double: return cursor.number(.scientific)
    case .boolean: return cursor.truthValue()
    case .date: return cursor.date() && cursor.isAtEnd
    case .time: return cursor.time() && cursor.isAtEnd
    case .timestamp: return cursor.moment() && cursor.isAtEnd
    case .timestamptz: return cursor.moment() && cursor.zone() && cursor.isAtEnd
    case .uuid: return cursor.uuid()
    case .real, .text, .varchar, .character, .name, .bytea, .timetz, .interval, .bit, .varbit,
      .json, .jsonb, .oid, .array, .record, .enumeration, .unknown, .void:
      return true
    }
  }
}

/// Goes through the bytes of a text.
private struct SpellingCursor {
  private let text: TextBytes
  private var place = 0
  private let end: Int

  enum NumberForm { case whole, decimal, scientific }

  init(_ text: TextBytes) {
    self.text = text
    var end = text.count
    while end > 0 && text[end - 1] == 0x20 { end -= 1 }
    self.end = end
    while place < end && text[place] == 0x20 { place += 1 }
  }

  var isAtEnd: Bool { place == end }

  private var byte: UInt8 { place < end ? text[place] : 0 }

  private mutating func take(_ characters: Unicode.Scalar...) -> Bool {
    guard place < end, characters.contains(where: { $0.value == UInt32(text[place]) }) else {
      return false
    }
    place += 1
    return true
  }

  /// Passes over digits; how many there are.
  private mutating func digits() -> Int {
    let start = place
    while byte &- 48 < 10 { place += 1 }
    return place - start
  }

  private mutating func digits(_ counts: ClosedRange<Int>) -> Bool { counts.contains(digits()) }

  // MARK: Numbers

  /// A number without a leading zero or a plus sign, which codes and telephone numbers have, and with no more digits
  /// than its type keeps.
  ///
  /// An exponent counts only with a sign or behind a decimal point: `12E5` may well be the name of a part.
  mutating func number(_ form: NumberForm) -> Bool {
    _ = take("-")
    let start = place
    let whole = digits()
    if whole > 1 && text[start] == 48 { return false }
    if form == .whole {
      // There is no minus zero among whole numbers.
      return whole > 0 && isAtEnd && !(text[start] == 48 && start > 0 && text[start - 1] == 45)
    }
    var fraction = 0
    let hasPoint = take(".")
    if hasPoint {
      fraction = digits()
      if fraction == 0 { return false }
    }
    guard whole + fraction > 0 else { return false }
    if form == .scientific && take("e", "E") {
      let hasSign = take("-", "+")
      guard hasSign || hasPoint, digits() > 0 else { return false }
    }
    guard isAtEnd else { return false }
    if form == .decimal { return whole + fraction <= 38 }
    return whole + fraction <= 15 || isShortest(from: start)
  }

  /// Whether the number that begins at `start` is written with just the digits that tell its double from others, as
  /// programs write doubles: then reading it loses nothing.
  private func isShortest(from start: Int) -> Bool {
    guard let value = Double(text.slice(start..<end).string), value.isFinite else { return false }
    return Self.significantDigits(text.slice(start..<end).array)
      == Self.significantDigits(Array(value.description.utf8))
  }

  /// The digits before an exponent, without zeros at either end.
  private static func significantDigits(_ number: [UInt8]) -> ArraySlice<UInt8> {
    let mantissa = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter { $0 &- 48 < 10 }
    let start = mantissa.firstIndex { $0 != 48 } ?? mantissa.endIndex
    let end = mantissa.lastIndex { $0 != 48 }.map { $0 + 1 } ?? start
    return mantissa[start..<end]
  }

  // MARK: Truth values

  mutating func truthValue() -> Bool {
    let word = text.slice(place..<end).array.map { $0 | 0x20 }
    return ["t", "f", "true", "false"].contains { word.elementsEqual($0.utf8) }
  }

  // MARK: Times

  /// A date with its year first, in which day and month cannot be mistaken for one another.
  mutating func date() -> Bool {
    guard digits(4...4), byte == 0x2D || byte == 0x2F else { return false }
    let mark = byte
    place += 1
    guard digits(1...2), byte == mark else { return false }
    place += 1
    return digits(1...2)
  }

  /// A time of day, to the microsecond.
  mutating func time() -> Bool {
    guard digits(1...2), take(":"), digits(2...2) else { return false }
    guard take(":") else { return true }
    guard digits(2...2) else { return false }
    guard take(".") else { return true }
    let start = place
    let count = digits()
    if count > 6 {
      for index in (start + 6)..<(start + count) where text[index] != 48 { return false }
    }
    return count > 0
  }

  /// A date and a time.
  mutating func moment() -> Bool { date() && take(" ", "T", "t") && time() }

  /// `Z`, `UTC`, `GMT`, or an offset such as `+02`, `+0200` and `+02:00`.
  mutating func zone() -> Bool {
    if take("Z", "z") { return true }
    _ = take(" ")
    if take("+", "-") {
      let count = digits()
      if count == 4 { return true }
      guard count == 1 || count == 2 else { return false }
      return take(":") ? digits(2...2) : true
    }
    let word = text.slice(place..<end).array
    place = end
    return word.elementsEqual("UTC".utf8) || word.elementsEqual("GMT".utf8)
  }

  // MARK: Identifiers

  /// Hexadecimal digits in groups of 8, 4, 4, 4 and 12.
  mutating func uuid() -> Bool {
    guard end - place == 36 else { return false }
    for index in 0..<36 {
      let byte = text[place + index]
      let isMark = [8, 13, 18, 23].contains(index)
      let letter = byte | 0x20
      let isDigit = byte &- 48 < 10 || (letter >= 0x61 && letter <= 0x66)
      guard isMark ? byte == 0x2D : isDigit else { return false }
    }
    return true
  }
}
