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
    case date(DateOrder)
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
    case .date(let order):
      var cursor = DateCursor(text, order)
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
  /// Whether powers of ten may stand behind numbers without a point, as in `1e3`, which alone could be the name of a part.
  package var hasExponents: Bool

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

  package init(
    decimal: UInt8 = UInt8(ascii: "."), group: Group? = nil, unit: Unit? = nil,
    hasExponents: Bool = false
  ) {
    self.decimal = decimal
    self.group = group
    self.unit = unit
    self.hasExponents = hasExponents
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
    if text[place] == decimal {
      place += 1
      let start = place
      target.append(UInt8(ascii: "."))
      while place < end, text[place] &- 48 < 10 {
        target.append(text[place])
        place += 1
      }
      guard place > start else { return false }
    }
    return place == end || hasExponents && exponent(text, place, end, to: &target)
  }

  /// Digits that a number has with its power of ten written out, at most.
  private static let digitsMax = 38

  /// Writes the power of ten at `start` out, into the number that stands in `target`.
  private func exponent(
    _ text: TextBytes, _ start: Int, _ end: Int, to target: inout ByteBuilder
  ) -> Bool {
    let digits = text.slice((start + 1)..<end).string
    guard text[start] | 0x20 == UInt8(ascii: "e"), let power = Int(digits),
      abs(power) <= Self.digitsMax
    else { return false }
    let number = target.bytes.array
    let isNegative = number.first == UInt8(ascii: "-")
    let mantissa = number.dropFirst(isNegative ? 1 : 0).split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    var all = Array(mantissa.joined())
    // The place of the point among all digits, and zeros up to it.
    var point = (mantissa.first?.count ?? 0) + power
    if point < 1 {
      all = Array(repeating: 48, count: 1 - point) + all
      point = 1
    }
    if point > all.count { all += Array(repeating: 48, count: point - all.count) }
    let surplus = min(all.prefix { $0 == 48 }.count, point - 1)
    guard all.count - surplus <= Self.digitsMax else { return false }
    target.removeAll()
    if isNegative { target.append(UInt8(ascii: "-")) }
    for (index, digit) in all.enumerated() where index >= surplus {
      if index == point { target.append(UInt8(ascii: ".")) }
      target.append(digit)
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
