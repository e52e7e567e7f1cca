import Columnar

/// What the parts of a date come in, where that is not year, month, day with marks between.
package enum DateOrder: Sendable, Hashable {
  case dayFirst, monthFirst
  /// The month has a name, so that nothing can be mistaken: `1 Jan 2000`, `Jan-1-2000`.
  case named
  /// Eight digits: `20000101`.
  case compact
}

/// Reads dates that are not spelled as SQL spells them, with a time behind them or not.
struct DateCursor {
  private let text: TextBytes
  private let order: DateOrder
  private var place = 0

  init(_ text: TextBytes, _ order: DateOrder) {
    self.text = text
    self.order = order
  }

  /// Writes the date with its year first, and its time with 24 hours.
  mutating func read(to target: inout ByteBuilder) -> Bool {
    let parts =
      switch order {
      case .dayFirst: numbered(isDayFirst: true)
      case .monthFirst: numbered(isDayFirst: false)
      case .named: named()
      case .compact: compact()
      }
    guard let (year, month, day) = parts, (1...12).contains(month), (1...31).contains(day) else {
      return false
    }
    append(year, width: 4, to: &target)
    target.append(UInt8(ascii: "-"))
    append(month, width: 2, to: &target)
    target.append(UInt8(ascii: "-"))
    append(day, width: 2, to: &target)
    if place == text.count { return true }
    if text[place] == UInt8(ascii: ",") { place += 1 }
    guard place < text.count, text[place] == 0x20 || text[place] == UInt8(ascii: "T") else {
      return false
    }
    place += 1
    return time(to: &target)
  }

  // MARK: Orders

  private typealias Parts = (year: Int, month: Int, day: Int)

  private mutating func numbered(isDayFirst: Bool) -> Parts? {
    guard let first = number(1...2), place < text.count else { return nil }
    let mark = text[place]
    guard mark == 0x2E || mark == 0x2F || mark == 0x2D else { return nil }
    place += 1
    guard let second = number(1...2), place < text.count, text[place] == mark else { return nil }
    place += 1
    guard let year = number(4...4) else { return nil }
    return isDayFirst ? (year, second, first) : (year, first, second)
  }

  private mutating func named() -> Parts? {
    var day = number(1...2)
    if day != nil { takeMarks() }
    guard let month = monthName() else { return nil }
    takeMarks()
    if day == nil {
      day = number(1...2)
      takeMarks()
    }
    guard let day, let year = number(4...4) else { return nil }
    return (year, month, day)
  }

  private mutating func compact() -> Parts? {
    guard text.count == 8, let year = number(4...4), let month = number(2...2),
      let day = number(2...2), (1500...2199).contains(year)
    else { return nil }
    return (year, month, day)
  }

  /// Passes over what may stand between parts of a date.
  private mutating func takeMarks() {
    while place < text.count, [0x20, 0x2C, 0x2D, 0x2E, 0x2F].contains(text[place]) { place += 1 }
  }

  /// Names of months in small letters, in English and German.
  private static let months: [[String]] = [
    ["jan", "january", "januar"], ["feb", "february", "februar"], ["mar", "march", "mär", "märz"],
    ["apr", "april"], ["may", "mai"], ["jun", "june", "juni"], ["jul", "july", "juli"],
    ["aug", "august"], ["sep", "sept", "september"], ["oct", "october", "okt", "oktober"],
    ["nov", "november"], ["dec", "december", "dez", "dezember"],
  ]

  private mutating func monthName() -> Int? {
    let start = place
    while place < text.count, text[place] >= 0x80 || (text[place] | 0x20) &- 0x61 < 26 {
      place += 1
    }
    guard (3...10).contains(place - start) else { return nil }
    let name = text.slice(start..<place).string.lowercased()
    return Self.months.firstIndex { $0.contains(name) }.map { $0 + 1 }
  }

  // MARK: Times

  private mutating func time(to target: inout ByteBuilder) -> Bool {
    guard var hour = number(1...2), take(":"), let minute = number(2...2) else { return false }
    let rest = place
    if take(":") {
      guard number(2...2) != nil else { return false }
      if take(".") { guard number(1...6) != nil else { return false } }
    }
    let seconds = text.slice(rest..<place)
    let hasSpace = take(" ")
    if place < text.count {
      let letter = text[place] | 0x20
      guard letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p"), place + 2 == text.count,
        text[place + 1] | 0x20 == UInt8(ascii: "m"), (1...12).contains(hour)
      else { return false }
      hour = hour % 12 + (letter == UInt8(ascii: "p") ? 12 : 0)
    } else if hasSpace {
      return false
    }
    guard hour < 24, minute < 60 else { return false }
    target.append(0x20)
    append(hour, width: 2, to: &target)
    target.append(UInt8(ascii: ":"))
    append(minute, width: 2, to: &target)
    target.append(seconds)
    return true
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard place < text.count, UInt32(text[place]) == character.value else { return false }
    place += 1
    return true
  }

  private mutating func number(_ digits: ClosedRange<Int>) -> Int? {
    let start = place
    var value = 0
    while place < text.count, text[place] &- 48 < 10, place - start < digits.upperBound {
      value = value * 10 + Int(text[place] &- 48)
      place += 1
    }
    return place - start >= digits.lowerBound ? value : nil
  }

  private func append(_ number: Int, width: Int, to target: inout ByteBuilder) {
    let digits = Array(String(number).utf8)
    for _ in 0..<max(0, width - digits.count) { target.append(48) }
    for digit in digits { target.append(digit) }
  }
}
