package import Columnar

/// How the values of a column are spelled where that is not as SQL spells them: with a comma for the decimal point, the day
/// first, a word for NULL.
///
/// Found for a column as a whole and then held to: a value that does not fit it disproves it.
package struct FieldSpelling: Sendable, Hashable {
  /// What values look like.
  package enum Form: Sendable, Hashable {
    /// As SQL spells them.
    case plain
    case number(NumberMarks)
    case date(isDayFirst: Bool)
    /// Two words for true and false, in small letters.
    case words(yes: String, no: String)
  }
  package let form: Form
  /// Words that stand for NULL.
  package let nullWords: Set<String>

  package init(_ form: Form = .plain, nullWords: Set<String> = []) {
    self.form = form
    self.nullWords = nullWords
    nulls = nullWords.map { Array($0.utf8) }
    guard case .words(let yes, let no) = form else {
      words = []
      return
    }
    words = [(yes, true), (no, false)].flatMap { word, isTrue in
      [word, word.prefix(1).uppercased() + word.dropFirst(), word.uppercased()].map {
        Word(bytes: Array($0.utf8), isTrue: isTrue)
      }
    }
  }

  private let nulls: [[UInt8]]
  /// The words for true and false, in small letters, with a capital and in capitals.
  private let words: [Word]

  private struct Word: Sendable, Hashable {
    let bytes: [UInt8]
    let isTrue: Bool
  }

  private static func are(_ bytes: [UInt8], _ text: TextBytes) -> Bool {
    bytes.count == text.count && bytes.indices.allSatisfy { bytes[$0] == text[$0] }
  }

  /// Whether this is how everything is spelled anyhow.
  package var isPlain: Bool { form == .plain && nullWords.isEmpty }

  /// What a field holds.
  package enum Reading { case null, value, misfit }

  /// Writes the value of a field, as SQL spells it, to `target`, which is empty.
  ///
  /// - Complexity: O(*n*) in the length of the field.
  package func read(_ field: TextBytes, to target: inout ByteBuilder) -> Reading {
    var start = 0
    var end = field.count
    while start < end && field[start] == 0x20 { start += 1 }
    while end > start && field[end - 1] == 0x20 { end -= 1 }
    let text = field.slice(start..<end)
    if nulls.contains(where: { Self.are($0, text) }) { return .null }
    switch form {
    case .plain:
      target.append(text)
      return .value
    case .number(let marks): return marks.read(text, to: &target) ? .value : .misfit
    case .date(let isDayFirst):
      var cursor = DateCursor(text, isDayFirst: isDayFirst)
      return cursor.read(to: &target) ? .value : .misfit
    case .words:
      guard let word = words.first(where: { Self.are($0.bytes, text) }) else { return .misfit }
      target.append(UInt8(ascii: word.isTrue ? "t" : "f"))
      return .value
    }
  }

  /// Words that people and programs write where there is no value.
  package static let knownNullWords: Set<String> = [
    "NA", "N/A", "n/a", "na", "#N/A", "#NA", "NULL", "null", "Null", "(null)", "None", "none",
    "nil",
    "NaN", "nan", "-", "--", "–", "—", "?", ".", "\\N", "k.A.", "k. A.", "unknown", "#DIV/0!",
    "#VALUE!",
  ]

  /// Words for true and false.
  package static let knownWords: [(yes: String, no: String)] = [
    ("yes", "no"), ("y", "n"), ("ja", "nein"), ("j", "n"), ("oui", "non"), ("sí", "no"),
    ("si", "no"),
    ("sì", "no"), ("sim", "não"), ("ja", "nej"), ("ja", "nee"), ("tak", "nie"), ("ano", "ne"),
    ("да", "нет"), ("wahr", "falsch"), ("vrai", "faux"), ("verdadero", "falso"), ("vero", "falso"),
    ("on", "off"),
  ]
}

/// The marks in and around a number.
package struct NumberMarks: Sendable, Hashable {
  package var decimal: UInt8
  /// What stands between thousands.
  package var group: Group?
  /// What stands before or behind each number.
  package var unit: Unit?

  /// A mark between groups of three digits.
  package enum Group: Sendable, Hashable {
    case comma, point, apostrophe
    /// A space, also one that does not break, or a narrow one.
    case space

    private var marks: [[UInt8]] {
      switch self {
      case .comma: [[0x2C]]
      case .point: [[0x2E]]
      case .apostrophe: [[0x27], [0xE2, 0x80, 0x99]]
      case .space: [[0x20], [0xC2, 0xA0], [0xE2, 0x80, 0xAF], [0xE2, 0x80, 0x89]]
      }
    }

    /// The length of such a mark at `place`; 0 if there is none.
    fileprivate func length(_ text: TextBytes, _ place: Int, _ end: Int) -> Int {
      marks.first { mark in
        place + mark.count <= end && mark.indices.allSatisfy { text[place + $0] == mark[$0] }
      }?.count ?? 0
    }
  }

  /// A percent sign, or a currency's.
  package enum Unit: Sendable, Hashable {
    case percent
    case currency(String)
  }

  package init(decimal: UInt8 = UInt8(ascii: "."), group: Group? = nil, unit: Unit? = nil) {
    self.decimal = decimal
    self.group = group
    self.unit = unit
  }

  /// Signs and names of currencies that stand beside amounts.
  package static let currencies = [
    "€", "$", "£", "¥", "₹", "₽", "zł", "Kč", "kr", "EUR", "USD", "GBP", "CHF", "JPY", "SEK", "NOK",
    "DKK", "PLN", "CZK",
  ]

  /// Writes the number with a point and without any mark; says false where it is none.
  func read(_ text: TextBytes, to target: inout ByteBuilder) -> Bool {
    var start = 0
    var end = text.count
    var isNegative = Self.takeSign(text, &start, end)
    switch unit {
    case nil: break
    case .percent:
      guard end > start, text[end - 1] == UInt8(ascii: "%") else { return false }
      end -= 1
      Self.trim(text, &start, &end)
    case .currency(let sign):
      let bytes = Array(sign.utf8)
      // Zero may stand alone.
      if Self.begins(text, start, end, bytes) {
        start += bytes.count
      } else if end - start > bytes.count, Self.begins(text, end - bytes.count, end, bytes) {
        end -= bytes.count
      }
      Self.trim(text, &start, &end)
      if !isNegative { isNegative = Self.takeSign(text, &start, end) }
    }
    if isNegative { target.append(UInt8(ascii: "-")) }
    return digits(text, start, end, to: &target)
  }

  private func digits(
    _ text: TextBytes, _ start: Int, _ end: Int, to target: inout ByteBuilder
  ) -> Bool {
    var place = start
    var inGroup = 0
    var groupCount = 0
    while place < end {
      let byte = text[place]
      if byte &- 48 < 10 {
        target.append(byte)
        inGroup += 1
        place += 1
        continue
      }
      let length = group?.length(text, place, end) ?? 0
      guard length > 0 else { break }
      guard groupCount == 0 ? (1...3).contains(inGroup) : inGroup == 3 else { return false }
      groupCount += 1
      inGroup = 0
      place += length
    }
    guard groupCount == 0 ? inGroup > 0 : inGroup == 3 else { return false }
    if place == end { return true }
    guard text[place] == decimal, place + 1 < end else { return false }
    target.append(UInt8(ascii: "."))
    for index in (place + 1)..<end {
      guard text[index] &- 48 < 10 else { return false }
      target.append(text[index])
    }
    return true
  }

  private static func takeSign(_ text: TextBytes, _ start: inout Int, _ end: Int) -> Bool {
    if begins(text, start, end, [0x2D]) {
      start += 1
    } else if begins(text, start, end, [0xE2, 0x88, 0x92]) {
      start += 3
    } else {
      return false
    }
    return true
  }

  private static func begins(_ text: TextBytes, _ start: Int, _ end: Int, _ mark: [UInt8]) -> Bool {
    start + mark.count <= end && mark.indices.allSatisfy { text[start + $0] == mark[$0] }
  }

  /// Takes off spaces, also those that do not break.
  private static func trim(_ text: TextBytes, _ start: inout Int, _ end: inout Int) {
    let space = Group.space
    while start < end, case let length = space.length(text, start, end), length > 0 {
      start += length
    }
    while end > start {
      if text[end - 1] == 0x20 {
        end -= 1
      } else if end - start >= 2, space.length(text, end - 2, end) == 2 {
        end -= 2
      } else if end - start >= 3, space.length(text, end - 3, end) == 3 {
        end -= 3
      } else {
        return
      }
    }
  }
}

/// Reads dates whose year comes last, with a time behind them or not.
private struct DateCursor {
  private let text: TextBytes
  private let isDayFirst: Bool
  private var place = 0

  init(_ text: TextBytes, isDayFirst: Bool) {
    self.text = text
    self.isDayFirst = isDayFirst
  }

  /// Writes the date with its year first, and its time with 24 hours.
  mutating func read(to target: inout ByteBuilder) -> Bool {
    guard let first = number(1...2), place < text.count else { return false }
    let mark = text[place]
    guard mark == 0x2E || mark == 0x2F || mark == 0x2D else { return false }
    place += 1
    guard let second = number(1...2), place < text.count, text[place] == mark else { return false }
    place += 1
    guard let year = number(4...4) else { return false }
    let (day, month) = isDayFirst ? (first, second) : (second, first)
    guard (1...12).contains(month), (1...31).contains(day) else { return false }
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
