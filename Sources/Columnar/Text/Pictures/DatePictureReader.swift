import Diagnostics

/// Reads a date or time as a picture shows it: `to_date` and `to_timestamp`.
struct DatePictureReader {
  let text: TextBytes
  private var index = 0
  /// Characters skipped in the text beyond those that the picture asked for.
  private var skipped = 0
  /// Whether the text is read by its places (`FX`).
  private var isExact = false
  private(set) var fields = Fields()

  /// What was read; as in PostgreSQL, 0 stands for what was not.
  struct Fields {
    /// By which calendar a picture names days; both at once make no sense.
    enum Calendar { case gregorian, isoWeeks }

    var calendar: Calendar?
    var year = 0
    /// The digits that the picture gives the year.
    var yearDigits = 0
    var era = 0
    var century = 0
    var month = 0
    var day = 0
    var weekday = 0
    var dayOfYear = 0
    var week = 0
    var weekOfMonth = 0
    var julian = 0
    var hour = 0
    var isTwelveHours = false
    var meridiem = 0
    var minute = 0
    var second = 0
    var millisecond = 0
    var microsecond = 0
    var secondOfDay = 0
    var zoneSign = 0
    var zoneHours = 0
    var zoneMinutes = 0
  }

  init(_ text: TextBytes) { self.text = text }

  /// Takes the text apart.
  ///
  /// - Throws: 22007, 22008, 0A000.
  mutating func read(_ pieces: [DatePiece]) throws(SQLError) {
    for (place, piece) in pieces.enumerated() {
      if index >= text.count { return }
      guard case .field(let field) = piece.kind else {
        if place == 0 && !isExact { skipSpaces() }
        if index < text.count { skip(piece) }
        continue
      }
      if !isExact { skipSpaces() }
      if let calendar = Self.calendar(of: field) {
        if fields.calendar ?? calendar != calendar {
          throw SQLError(
            .invalidDatetimeFormat, "invalid combination of date conventions",
            hint: "Do not mix Gregorian and ISO week date conventions in a formatting template.")
        }
        fields.calendar = calendar
      }
      let next = place + 1 < pieces.count ? pieces[place + 1] : nil
      try read(field, Part(piece, isOpen: Self.isOpen(piece, next)))
      if !isExact {
        skipped = 0
        skipSpaces()
      }
    }
  }

  /// A field with what its number may take of the text.
  private struct Part {
    let piece: DatePiece
    /// Whether all digits that stand there belong to the number, as none can follow.
    let isOpen: Bool

    init(_ piece: DatePiece, isOpen: Bool) {
      self.piece = piece
      self.isOpen = isOpen
    }

    var name: String { String(decoding: piece.text, as: UTF8.self) }
  }

  private static func isOpen(_ piece: DatePiece, _ next: DatePiece?) -> Bool {
    piece.isFill || piece.ordinal != nil || !(next?.isNumber ?? false)
  }

  private static func calendar(of field: DatePiece.Field) -> Fields.Calendar? {
    switch field {
    case .isoYear, .isoWeek, .isoWeekday, .isoDayOfYear: .isoWeeks
    case .year, .yearWithComma, .month, .monthName, .monthShort, .roman, .day, .dayOfYear, .weekday,
      .week, .weekOfMonth:
      .gregorian
    case .dayName, .dayShort, .hour12, .hour24, .minute, .second, .millisecond, .fraction,
      .secondOfDay, .meridiem, .era, .quarter, .century, .julian, .zoneName, .zoneOffset,
      .zoneHours, .zoneMinutes, .exact:
      nil
    }
  }

  private mutating func skipSpaces() {
    while index < text.count && isSpace(text[index]) {
      index += 1
      skipped += 1
    }
  }

  private mutating func skipCharacter() {
    if index < text.count { index = min(text.count, index + TextBytes.sequenceLength(text[index])) }
  }

  /// Passes over what the picture has between fields, which need not be the same.
  private mutating func skip(_ piece: DatePiece) {
    if isExact { return skipCharacter() }
    if case .character = piece.kind {
      // What was skipped too much before may have been this character.
      if skipped > 0 { skipped -= 1 } else { skipCharacter() }
      return
    }
    skipped -= 1
    if isSpace(text[index]) || DatePiece.isSeparator(text[index]) {
      index += 1
      skipped += 1
    }
  }

  // MARK: Fields

  private mutating func read(_ field: DatePiece.Field, _ part: Part) throws(SQLError) {
    switch field {
    case .exact: isExact = true
    case .year(let digits), .isoYear(let digits):
      let (value, length) = try number(part.piece.text.count, part)
      let isPartial = digits < 4 && length < 4
      try set(\.year, isPartial ? Self.completed(value) : value, part, was: value)
      fields.yearDigits = digits
      skipOrdinal(part)
    case .yearWithComma: try readYearWithComma(part)
    case .monthName: try set(\.month, try name(DateTimeNames.months, part) + 1, part)
    case .monthShort: try set(\.month, try name(DateTimeNames.shortMonths, part) + 1, part)
    case .roman:
      let place = try name(DatePiece.romans.reversed(), part)
      try set(\.month, 12 - place, part)
    case .dayName: try readWeekday(DateTimeNames.days, part)
    case .dayShort: try readWeekday(DateTimeNames.shortDays, part)
    case .era(_, let hasDots):
      try set(\.era, try name(hasDots ? ["a.d.", "b.c."] : ["ad", "bc"], part), part)
    case .isoWeekday:
      try take(\.weekday, 1, part)
      fields.weekday = fields.weekday + 1 > 7 ? 1 : fields.weekday + 1
    case .isoDayOfYear: try take(\.dayOfYear, 3, part)
    case .century: try take(\.century, 2, part)
    case .month: try take(\.month, 2, part)
    case .day: try take(\.day, 2, part)
    case .dayOfYear: try take(\.dayOfYear, 3, part)
    case .julian: try take(\.julian, 1, part)
    case .isoWeek, .week: try take(\.week, 2, part)
    case .weekday: try take(\.weekday, 1, part)
    case .weekOfMonth: try take(\.weekOfMonth, 1, part)
    case .quarter:
      // Which month of the quarter is meant nobody knows.
      _ = try number(1, part)
      skipOrdinal(part)
    case .hour12, .hour24, .minute, .second, .millisecond, .fraction, .secondOfDay, .meridiem,
      .zoneName, .zoneOffset, .zoneHours, .zoneMinutes:
      try readTime(field, part)
    }
  }

  private mutating func readTime(_ field: DatePiece.Field, _ part: Part) throws(SQLError) {
    switch field {
    case .hour12:
      try take(\.hour, 2, part)
      fields.isTwelveHours = true
    case .hour24: try take(\.hour, 2, part)
    case .minute: try take(\.minute, 2, part)
    case .second: try take(\.second, 2, part)
    case .millisecond: try readFraction(\.millisecond, 3, part)
    case .fraction(let digits):
      try readFraction(\.microsecond, digits, part)
    case .secondOfDay: try take(\.secondOfDay, part.piece.text.count, part)
    case .meridiem(_, let hasDots):
      try set(\.meridiem, try name(hasDots ? ["a.m.", "p.m."] : ["am", "pm"], part), part)
      fields.isTwelveHours = true
    case .zoneHours:
      let byte = index < text.count ? text[index] : 0
      if byte == 0x2B || byte == 0x2D || byte == 0x20 {
        fields.zoneSign = byte == 0x2D ? -1 : 1
        index += 1
      } else {
        // A minus may have been taken for a separator.
        fields.zoneSign = skipped > 0 && index > 0 && text[index - 1] == 0x2D ? -1 : 1
      }
      try take(\.zoneHours, 2, part, hasOrdinal: false)
    case .zoneMinutes:
      if fields.zoneSign == 0 { fields.zoneSign = 1 }
      try take(\.zoneMinutes, 2, part, hasOrdinal: false)
    case .year, .isoYear, .yearWithComma, .month, .monthName, .monthShort, .roman, .day, .dayOfYear,
      .isoDayOfYear, .weekday, .isoWeekday, .dayName, .dayShort, .era, .quarter, .week, .isoWeek,
      .weekOfMonth, .century, .julian, .zoneName, .zoneOffset, .exact:
      throw SQLError(
        .featureNotSupported, "formatting field \"\(part.name)\" is only supported in to_char")
    }
  }

  private mutating func readWeekday(_ names: [String], _ part: Part) throws(SQLError) {
    try set(\.weekday, try name(names, part), part)
    fields.weekday += 1
  }

  /// Reads a year written as `2,025`.
  private mutating func readYearWithComma(_ part: Part) throws(SQLError) {
    guard let thousands = scanned(upTo: .max), index < text.count, text[index] == 0x2C else {
      throw SQLError(.invalidDatetimeFormat, "invalid input string for \"Y,YYY\"")
    }
    index += 1
    guard let rest = scanned(upTo: 3) else {
      throw SQLError(.invalidDatetimeFormat, "invalid input string for \"Y,YYY\"")
    }
    let year = Int(Int32(truncatingIfNeeded: thousands &* 1000 &+ rest))
    try set(\.year, year, part)
    fields.yearDigits = 4
    skipOrdinal(part)
  }

  /// A whole number, perhaps with spaces and a sign before it, of so many characters.
  private mutating func scanned(upTo width: Int) -> Int? {
    while index < text.count && isSpace(text[index]) { index += 1 }
    var left = width
    var isNegative = false
    if index < text.count, text[index] == 0x2D || text[index] == 0x2B {
      isNegative = text[index] == 0x2D
      index += 1
      left -= 1
    }
    var value = 0
    let start = index
    while index < text.count, isDigit(text[index]), left > 0 {
      value = min(value * 10 + Int(text[index] &- 48), 1 << 40)
      index += 1
      left -= 1
    }
    return index > start ? (isNegative ? -value : value) : nil
  }

  /// Digits as the part of a second that they are: 5 of three digits is 500.
  private mutating func readFraction(
    _ path: WritableKeyPath<Fields, Int>, _ digits: Int, _ part: Part
  ) throws(SQLError) {
    let length = try take(path, digits, part)
    let wanted = path == \.millisecond ? 3 : 6
    for _ in 0..<max(0, wanted - max(length, 1)) {
      fields[keyPath: path] = Int(Int32(truncatingIfNeeded: fields[keyPath: path] * 10))
    }
  }

  /// Reads a number into a field, and says how many bytes it took.
  @discardableResult
  private mutating func take(
    _ path: WritableKeyPath<Fields, Int>, _ width: Int, _ part: Part, hasOrdinal: Bool = true
  ) throws(SQLError) -> Int {
    let (value, length) = try number(width, part)
    try set(path, value, part)
    if hasOrdinal { skipOrdinal(part) }
    return length
  }

  private mutating func skipOrdinal(_ part: Part) {
    guard part.piece.ordinal != nil else { return }
    skipCharacter()
    skipCharacter()
  }

  /// Sets a field, which may come twice only with one value; `was` is the number that was read.
  private mutating func set(
    _ path: WritableKeyPath<Fields, Int>, _ value: Int, _ part: Part, was: Int? = nil
  ) throws(SQLError) {
    let known = fields[keyPath: path]
    if known != 0 && known != was ?? value {
      throw SQLError(
        .invalidDatetimeFormat,
        "conflicting values for \"\(part.name)\" field in formatting string",
        detail: "This value contradicts a previous setting for the same field type.")
    }
    fields[keyPath: path] = value
  }

  /// A year of less than four digits as one near 2020.
  private static func completed(_ value: Int) -> Int {
    if value < 70 { return value + 2000 }
    if value < 100 { return value + 1900 }
    if value < 520 { return value + 2000 }
    return value < 1000 ? value + 1000 : value
  }
}

/// Numbers and names in the text.
extension DatePictureReader {
  /// A number and the bytes that it took: all digits where the field is open, else `width` characters.
  private mutating func number(
    _ width: Int, _ part: Part
  ) throws(SQLError) -> (value: Int, length: Int) {
    let start = index
    while index < text.count && isSpace(text[index]) { index += 1 }
    let hasSpaces = index > start
    let left = text.count - index
    if !part.isOpen && left < width {
      throw SQLError(
        .invalidDatetimeFormat,
        "source string too short for \"\(part.name)\" formatting field",
        detail: "Field requires \(width) characters, but only \(left) remain.",
        hint: "If your source string is not fixed-width, try using the \"FM\" modifier.")
    }
    let first = index
    let value = scannedNumber(within: part.isOpen ? text.count : first + width)
    let used = index - first
    if !part.isOpen && used > 0 && used < width {
      throw SQLError(
        .invalidDatetimeFormat,
        "invalid value \"\(text.slice(first..<(first + width)).string)\" for \"\(part.name)\"",
        detail: "Field requires \(width) characters, but only \(used) could be parsed.",
        hint: "If your source string is not fixed-width, try using the \"FM\" modifier.")
    }
    if used == 0 && part.isOpen { index = start }
    if index == start || (used == 0 && !hasSpaces) {
      let end = min(text.count, first + width)
      throw SQLError(
        .invalidDatetimeFormat,
        "invalid value \"\(text.slice(first..<end).string)\" for \"\(part.name)\"",
        detail: "Value must be an integer.")
    }
    guard let value else {
      throw SQLError(
        .datetimeOverflow, "value for \"\(part.name)\" in source string is out of range",
        detail: "Value must be in the range -2147483648 to 2147483647.")
    }
    return (value, index - start)
  }

  /// The number before an end, 0 for none; nil for one that 32 bits do not hold.
  private mutating func scannedNumber(within end: Int) -> Int? {
    let start = index
    var isNegative = false
    if index < end, text[index] == 0x2D || text[index] == 0x2B {
      isNegative = text[index] == 0x2D
      index += 1
    }
    let first = index
    var value = 0
    while index < end, isDigit(text[index]) {
      value = min(value * 10 + Int(text[index] &- 48), 1 << 40)
      index += 1
    }
    if index == first {
      index = start
      return 0
    }
    return Int32(exactly: isNegative ? -value : value).map(Int.init)
  }

  /// The place of the first of some names that stands here, in any case.
  private mutating func name(_ names: [String], _ part: Part) throws(SQLError) -> Int {
    for (place, name) in names.enumerated() {
      let bytes = Array(name.lowercased().utf8)
      guard index + bytes.count <= text.count else { continue }
      let stands = bytes.indices.allSatisfy {
        let byte = text[index + $0]
        return (byte &- 65 < 26 ? byte | 32 : byte) == bytes[$0]
      }
      if stands {
        index += bytes.count
        return place
      }
    }
    var end = index
    while end < text.count && !isSpace(text[end]) { end += 1 }
    throw SQLError(
      .invalidDatetimeFormat,
      "invalid value \"\(text.slice(index..<end).string)\" for \"\(part.name)\"",
      detail: "The given value did not match any of the allowed values for this field.")
  }
}
