import Diagnostics

/// Reads a date or time as a picture shows it: `to_date` and `to_timestamp`.
struct DatePictureReader {
  private let text: TextBytes
  private var index = 0
  private var year: Int?
  private var isBefore = false
  private var century: Int?
  private var month: Int?
  private var day: Int?
  private var dayOfYear: Int?
  private var julian: Int?
  private var isoYear: Int?
  private var isoWeek: Int?
  private var isoWeekday: Int?
  private var week: Int?
  private var hour: Int?
  private var isTwelveHours = false
  private var isAfternoon: Bool?
  private var minute = 0
  private var second = 0
  private var microsecond = 0
  private var secondOfDay: Int?
  /// Seconds east of Greenwich, where the text names them.
  private(set) var offset: Int?

  init(_ text: TextBytes) { self.text = text }

  /// Takes the text apart.
  ///
  /// - Throws: 22007, 22008.
  mutating func read(_ pieces: [DatePiece]) throws(SQLError) {
    for (place, piece) in pieces.enumerated() {
      if case .text(let bytes) = piece.field {
        skip(bytes)
        continue
      }
      skipSpaces()
      if index >= text.count { return }
      let next = place + 1 < pieces.count ? pieces[place + 1] : nil
      var isFollowedByNumber = false
      if let next {
        switch next.field {
        case .text, .monthName, .monthShort, .dayName, .dayShort, .meridiem, .era: break
        default: isFollowedByNumber = true
        }
      }
      try read(piece, fixedWidth: isFollowedByNumber)
    }
  }

  private mutating func skipSpaces() {
    while index < text.count && isSpace(text[index]) { index += 1 }
  }

  /// A separator of the picture stands for any one in the text; a letter for any one character.
  private mutating func skip(_ bytes: [UInt8]) {
    for byte in bytes {
      if isSpace(byte) {
        skipSpaces()
        continue
      }
      if index < text.count {
        let isLetter = CharacterCase.isAlphanumeric(UInt32(byte))
        let isAligned = CharacterCase.isAlphanumeric(UInt32(text[index])) == isLetter
        if isAligned && !isSpace(text[index]) || text[index] == byte { index += 1 }
      }
    }
  }

  private mutating func number(_ width: Int, fixedWidth: Bool, _ name: String) throws(SQLError)
    -> Int
  {
    let start = index
    var isNegative = false
    if index < text.count, text[index] == 0x2D || text[index] == 0x2B {
      isNegative = text[index] == 0x2D
      index += 1
    }
    var value = 0
    var count = 0
    while index < text.count, isDigit(text[index]), !fixedWidth || count < width, count < 15 {
      value = value * 10 + Int(text[index] - 0x30)
      index += 1
      count += 1
    }
    if count == 0 {
      let rest = text.slice(start..<text.offset(of: max(1, min(width, 4)), from: start)).string
      throw SQLError(
        .invalidDatetimeFormat, "invalid value \"\(rest)\" for \"\(name)\"",
        detail: "Value must be an integer.")
    }
    // An ordinal ending may follow.
    return isNegative ? -value : value
  }

  private mutating func ranged(
    _ width: Int, fixedWidth: Bool, _ name: String, _ range: ClosedRange<Int>
  ) throws(SQLError) -> Int {
    let value = try number(width, fixedWidth: fixedWidth, name)
    guard range.contains(value) else { throw outOfRange }
    return value
  }

  private var outOfRange: SQLError {
    SQLError(.datetimeOverflow, "date/time field value out of range: \"\(text.string)\"")
  }

  private mutating func read(_ piece: DatePiece, fixedWidth: Bool) throws(SQLError) {
    switch piece.field {
    case .year(let digits):
      let start = index
      let value = try number(digits, fixedWidth: fixedWidth, "YYYY")
      year = digits == 4 ? value : Self.completed(value, digits: index - start)
    case .yearWithComma:
      let thousands = try number(6, fixedWidth: false, "Y,YYY")
      if index < text.count && text[index] == 0x2C { index += 1 }
      year = thousands * 1000 + (try number(3, fixedWidth: true, "Y,YYY"))
    case .isoYear: isoYear = try number(4, fixedWidth: fixedWidth, "IYYY")
    case .century: century = try number(2, fixedWidth: fixedWidth, "CC")
    case .month: month = try ranged(2, fixedWidth: fixedWidth, "MM", 1...12)
    case .monthName, .monthShort: month = try word(DatePiece.months, "MON") + 1
    case .dayName, .dayShort: _ = try word(DatePiece.days, "DAY")
    case .roman: month = try roman() + 1
    case .day: day = try ranged(2, fixedWidth: fixedWidth, "DD", 1...31)
    case .dayOfYear: dayOfYear = try ranged(3, fixedWidth: fixedWidth, "DDD", 1...366)
    case .julian: julian = try number(8, fixedWidth: fixedWidth, "J")
    case .isoWeek: isoWeek = try ranged(2, fixedWidth: fixedWidth, "IW", 1...53)
    case .isoWeekday: isoWeekday = try ranged(1, fixedWidth: true, "ID", 1...7)
    case .week: week = try ranged(2, fixedWidth: fixedWidth, "WW", 1...53)
    case .weekday: _ = try ranged(1, fixedWidth: true, "D", 1...7)
    case .quarter, .weekOfMonth, .isoDayOfYear:
      _ = try number(3, fixedWidth: fixedWidth, "Q")
    case .text: break
    default: try readTime(piece, fixedWidth: fixedWidth)
    }
  }

  private mutating func readTime(_ piece: DatePiece, fixedWidth: Bool) throws(SQLError) {
    switch piece.field {
    case .hour12:
      hour = try ranged(2, fixedWidth: fixedWidth, "HH12", 0...24)
      isTwelveHours = true
    case .hour24: hour = try ranged(2, fixedWidth: fixedWidth, "HH24", 0...24)
    case .minute: minute = try ranged(2, fixedWidth: fixedWidth, "MI", 0...59)
    case .second: second = try ranged(2, fixedWidth: fixedWidth, "SS", 0...59)
    case .millisecond: microsecond += try fraction(3) * 1000
    case .microsecond: microsecond += try fraction(6)
    case .fraction(let digits):
      let value = try fraction(digits)
      microsecond += value * [1, 100_000, 10_000, 1000, 100, 10, 1][digits]
    case .secondOfDay: secondOfDay = try ranged(5, fixedWidth: fixedWidth, "SSSS", 0...86_400)
    case .meridiem(_, let hasDots):
      isAfternoon = text[index] | 0x20 == 0x70
      index = min(text.count, index + (hasDots ? 4 : 2))
    case .era(_, let hasDots):
      isBefore = text[index] | 0x20 == 0x62
      index = min(text.count, index + (hasDots ? 4 : 2))
    case .zoneHours, .zoneOffset:
      let isWest = text[index] == 0x2D
      let hours = try number(2, fixedWidth: true, "TZH")
      offset = (abs(hours) * 3600) * (isWest ? -1 : 1)
    case .zoneMinutes:
      let minutes = try number(2, fixedWidth: true, "TZM") * 60
      offset = (offset ?? 0) + ((offset ?? 0) < 0 ? -minutes : minutes)
    default: break
    }
  }

  /// Digits as the part of a second that they are: 5 of three digits is 500.
  private mutating func fraction(_ digits: Int) throws(SQLError) -> Int {
    let start = index
    var value = try number(digits, fixedWidth: true, "MS")
    for _ in (index - start)..<max(index - start, digits) { value *= 10 }
    return value
  }

  private static func completed(_ value: Int, digits: Int) -> Int {
    if digits >= 4 { return value }
    if value < 70 { return value + 2000 }
    if value < 100 { return value + 1900 }
    if value < 520 { return value + 2000 }
    return value < 1000 ? value + 1000 : value
  }

  /// The place of the name that stands here, by its first three letters or whole.
  private mutating func word(_ names: [String], _ kind: String) throws(SQLError) -> Int {
    let rest = text.slice(index..<text.count).array.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    for (place, name) in names.enumerated() {
      let lower = Array(name.lowercased().utf8)
      if rest.starts(with: lower) {
        index += lower.count
        return place
      }
    }
    for (place, name) in names.enumerated()
    where rest.starts(with: Array(name.lowercased().utf8.prefix(3))) {
      index += 3
      return place
    }
    let shown = text.slice(index..<text.offset(of: 3, from: index)).string
    throw SQLError(
      .invalidDatetimeFormat, "invalid value \"\(shown)\" for \"\(kind)\"",
      detail: "The given value did not match any of the allowed values for this field.")
  }

  private mutating func roman() throws(SQLError) -> Int {
    let rest = text.slice(index..<text.count).string.uppercased()
    let hit = DatePiece.romans.indices
      .filter { rest.hasPrefix(DatePiece.romans[$0]) }
      .max { DatePiece.romans[$0].utf8.count < DatePiece.romans[$1].utf8.count }
    guard let hit else { throw outOfRange }
    index += DatePiece.romans[hit].utf8.count
    return hit
  }

  /// The day number that was read.
  ///
  /// - Throws: 22008.
  func days() throws(SQLError) -> Int {
    if let julian { return julian - 2_451_545 }
    if let isoYear {
      return CivilDate.isoYearStart(isoYear) + ((isoWeek ?? 1) - 1) * 7 + (isoWeekday ?? 1) - 1
    }
    var whole = year ?? century.map { $0 * 100 - 99 } ?? 1
    if year == nil && century == nil { whole = 0 }
    if isBefore { whole = 1 - whole } else if whole < 0 { whole += 1 }
    let start = CivilDate(year: whole, month: 1, day: 1).days
    if let dayOfYear { return start + dayOfYear - 1 }
    if let week, month == nil, day == nil { return start + (week - 1) * 7 }
    let month = month ?? 1
    let day = day ?? 1
    guard day <= CivilDate.length(ofMonth: month, year: whole) else { throw outOfRange }
    return CivilDate(year: whole, month: month, day: day).days
  }

  /// The microseconds into the day that were read.
  ///
  /// - Throws: 22007.
  func time() throws(SQLError) -> Int64 {
    if let secondOfDay { return Int64(secondOfDay) * 1_000_000 }
    var hour = hour ?? 0
    if isTwelveHours {
      guard (1...12).contains(hour) else {
        throw SQLError(
          .invalidDatetimeFormat, "hour \"\(hour)\" is invalid for the 12-hour clock",
          hint: "Use the 24-hour clock, or give an hour between 1 and 12.")
      }
      if let isAfternoon { hour = hour % 12 + (isAfternoon ? 12 : 0) }
    }
    return Int64(hour * 3600 + minute * 60 + second) * 1_000_000 + Int64(microsecond)
  }
}
