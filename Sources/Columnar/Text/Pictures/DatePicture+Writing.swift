import Diagnostics

/// A point in time, or a span, taken apart for a picture.
struct DateParts {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  var microsecond = 0
  /// The day of the year; for an interval the days that it has about.
  var dayOfYear = 0
  /// 0 for Sunday; nil for an interval, which lies on no calendar.
  var weekday: Int?
  /// Seconds east of Greenwich, and the zone's short name, for timestamptz.
  var offset = 0
  var zone = ""

  /// The parts of a local timestamp.
  init(local: Int64) {
    let (days, time) = Calendar.split(local)
    let date = CivilDate(days: Int(days))
    (year, month, day) = (date.year, date.month, date.day)
    dayOfYear = date.dayOfYear
    weekday = CivilDate.weekday(days: Int(days))
    set(time: time)
  }

  /// The parts of an interval.
  init(_ span: Interval) {
    year = Int(span.months) / 12
    month = Int(span.months) % 12
    day = Int(span.days)
    dayOfYear = Int(Int32(truncatingIfNeeded: Int(span.months) * 30 + Int(span.days)))
    set(time: span.microseconds)
  }

  private mutating func set(time: Int64) {
    hour = Int(time / 3_600_000_000)
    minute = Int(time / 60_000_000 % 60)
    second = Int(time / 1_000_000 % 60)
    microsecond = Int(time % 1_000_000)
  }

  var isSpan: Bool { weekday == nil }

  /// The year as people count: there is no year 0; an interval's years are what they are.
  func displayed(_ year: Int) -> Int { isSpan || year > 0 ? year : 1 - year }

  /// The ISO year and week of the date, also of the numbers of an interval.
  var isoWeek: (year: Int, week: Int, dayOfYear: Int) {
    let number = CivilDate.julianNumber(year: year, month: month, day: day)
    func start(_ year: Int) -> Int {
      let fourth = CivilDate.julianNumber(year: year, month: 1, day: 4)
      return fourth - CivilDate.weekday(days: fourth - 1 - Calendar.julianEpoch)
    }
    var isoYear = year
    if number < start(isoYear) { isoYear -= 1 }
    var week = (number - start(isoYear)) / 7 + 1
    if week >= 52 && number >= start(isoYear + 1) {
      isoYear += 1
      week = (number - start(isoYear)) / 7 + 1
    }
    return (isoYear, week, number - start(isoYear) + 1)
  }
}

extension CivilDate {
  /// The Julian number of a date, whose month may also be 0 or less.
  static func julianNumber(year: Int, month: Int, day: Int) -> Int {
    let isLate = month > 2
    let shiftedYear = isLate ? year + 4800 : year + 4799
    let shiftedMonth = isLate ? month + 1 : month + 13
    let century = shiftedYear / 100
    return shiftedYear * 365 - 32_167 + shiftedYear / 4 - century + century / 4
      + 7834 * shiftedMonth / 256 + day
  }
}

extension DatePiece {
  /// Adds what the piece shows of a time.
  ///
  /// - Throws: 22007 for parts that an interval does not have.
  func append(_ parts: DateParts, to output: inout ByteBuilder) throws(SQLError) {
    guard case .field(let field) = kind else {
      for byte in text { output.append(byte) }
      return
    }
    switch field {
    case .monthName(let spelling), .monthShort(let spelling):
      try requireDate(parts)
      let name = DateTimeNames.months[parts.month - 1]
      if case .monthShort = field {
        self.name(String(name.prefix(3)), spelling, 0, &output)
      } else {
        self.name(name, spelling, 9, &output)
      }
    case .dayName(let spelling), .dayShort(let spelling):
      let name = DateTimeNames.days[try requireDate(parts)]
      if case .dayShort = field {
        self.name(String(name.prefix(3)), spelling, 0, &output)
      } else {
        self.name(name, spelling, 9, &output)
      }
    case .weekday: number(try requireDate(parts) + 1, 0, &output)
    case .isoWeekday: number((try requireDate(parts) + 6) % 7 + 1, 0, &output)
    case .roman(let spelling): appendRoman(parts, spelling, &output)
    case .meridiem(let spelling, let hasDots):
      let letter = parts.hour % 24 >= 12 ? "P" : "A"
      word(hasDots ? letter + ".M." : letter + "M", spelling, &output)
    case .era(let spelling, let hasDots):
      try requireDate(parts)
      let isBefore = parts.year <= 0
      word(hasDots ? (isBefore ? "B.C." : "A.D.") : (isBefore ? "BC" : "AD"), spelling, &output)
    case .zoneName(let spelling):
      try requireDate(parts)
      output.append(spelling == .lower ? parts.zone.lowercased() : parts.zone)
    case .zoneHours, .zoneMinutes, .zoneOffset:
      try requireDate(parts)
      appendZone(field, parts.offset, &output)
    case .exact: break
    case .year, .isoYear, .yearWithComma, .month, .day, .dayOfYear, .isoDayOfYear, .hour12, .hour24,
      .minute, .second, .millisecond, .fraction, .secondOfDay, .quarter, .week, .isoWeek,
      .weekOfMonth, .century, .julian:
      appendNumber(field, parts, &output)
    }
  }

  @discardableResult
  private func requireDate(_ parts: DateParts) throws(SQLError) -> Int {
    if let weekday = parts.weekday { return weekday }
    throw SQLError(
      .invalidDatetimeFormat, "invalid format specification for an interval value",
      hint: "Intervals are not tied to specific calendar dates.")
  }

  private func word(_ text: String, _ spelling: Spelling, _ output: inout ByteBuilder) {
    output.append(spelling == .lower ? text.lowercased() : text)
  }

  private func name(
    _ text: String, _ spelling: Spelling, _ width: Int, _ output: inout ByteBuilder
  ) {
    switch spelling {
    case .upper: output.append(text.uppercased())
    case .capital: output.append(text)
    case .lower: output.append(text.lowercased())
    }
    if !isFill && !isTranslated {
      output.append(repeating: 0x20, count: max(0, width - text.utf8.count))
    }
  }

  /// Adds a number in so many digits, one more for the sign of a negative one where `signWidth` is 1.
  private func number(
    _ value: Int, _ width: Int, signWidth: Int = 0, _ output: inout ByteBuilder
  ) {
    let digits = UInt64(value.magnitude)
    let needed = decimalDigitCount64(digits)
    if value < 0 { output.append(0x2D) }
    // The sign takes one of the places.
    let places = value < 0 ? width + signWidth - 1 : width
    output.append(repeating: 0x30, count: isFill ? 0 : places - needed)
    output.append(digits: digits)
    guard let isUpper = ordinal else { return }
    let last = value.magnitude % 10
    let isTeen = value.magnitude / 10 % 10 == 1
    let ending = isTeen ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th"
    output.append(isUpper ? ending.uppercased() : ending)
  }

  private func appendNumber(_ field: Field, _ parts: DateParts, _ output: inout ByteBuilder) {
    switch field {
    case .year(let digits): year(parts.displayed(parts.year), digits, &output)
    case .isoYear(let digits): year(parts.displayed(parts.isoWeek.year), digits, &output)
    case .yearWithComma:
      let shown = parts.displayed(parts.year)
      output.append(integer: Int64(shown / 1000))
      output.append(0x2C)
      DatePiece(kind: kind, text: [], ordinal: ordinal).number(shown % 1000, 3, &output)
    case .month: number(parts.month, 2, signWidth: 1, &output)
    case .day: number(parts.day, 2, &output)
    case .dayOfYear: number(parts.dayOfYear, 3, &output)
    case .isoDayOfYear: number(parts.isoWeek.dayOfYear, 3, &output)
    case .hour12:
      let shown = parts.hour % 12 == 0 ? 12 : parts.hour % 12
      number(shown, 2, signWidth: parts.hour < 0 ? 1 : 0, &output)
    case .hour24: number(parts.hour, 2, signWidth: 1, &output)
    case .minute: number(parts.minute, 2, signWidth: 1, &output)
    case .second: number(parts.second, 2, signWidth: 1, &output)
    case .millisecond: fraction(parts.microsecond / 1000, 3, &output)
    case .fraction(let digits):
      let divisors = [1_000_000, 100_000, 10_000, 1000, 100, 10, 1]
      fraction(parts.microsecond / divisors[digits], digits, &output)
    case .secondOfDay: number(parts.hour * 3600 + parts.minute * 60 + parts.second, 0, &output)
    case .quarter: if parts.month != 0 { number((parts.month - 1) / 3 + 1, 0, &output) }
    case .week: number((parts.dayOfYear - 1) / 7 + 1, 2, &output)
    case .isoWeek: number(parts.isoWeek.week, 2, &output)
    case .weekOfMonth: number((parts.day - 1) / 7 + 1, 0, &output)
    case .century: number(Self.century(parts), 2, signWidth: 1, &output)
    case .julian:
      number(
        CivilDate.julianNumber(year: parts.year, month: parts.month, day: parts.day), 0, &output)
    case .monthName, .monthShort, .roman, .weekday, .isoWeekday, .dayName, .dayShort, .meridiem,
      .era, .zoneName, .zoneOffset, .zoneHours, .zoneMinutes, .exact:
      break
    }
  }

  private static func century(_ parts: DateParts) -> Int {
    if parts.isSpan { return parts.year / 100 }
    return parts.year > 0 ? (parts.year - 1) / 100 + 1 : parts.year / 100 - 1
  }

  /// The last digits of a year.
  private func year(_ shown: Int, _ digits: Int, _ output: inout ByteBuilder) {
    let modulus = [1, 10, 100, 1000][digits % 4]
    number(digits == 4 ? shown : shown % modulus, digits, signWidth: digits > 1 ? 1 : 0, &output)
  }

  /// A part of a second, whose zeros `FM` does not leave out.
  private func fraction(_ value: Int, _ digits: Int, _ output: inout ByteBuilder) {
    DatePiece(kind: kind, text: [], ordinal: ordinal).number(value, digits, &output)
  }

  /// The month in Roman numerals; of an interval months count back from December below zero.
  private func appendRoman(
    _ parts: DateParts, _ spelling: Spelling, _ output: inout ByteBuilder
  ) {
    if parts.month == 0 && parts.year == 0 { return }
    let index =
      parts.month == 0
      ? (parts.year >= 0 ? 11 : 0) : parts.month < 0 ? 12 + parts.month : parts.month - 1
    let text = Self.romans[index]
    output.append(spelling == .lower ? text.lowercased() : text)
    if !isFill { output.append(repeating: 0x20, count: 4 - text.utf8.count) }
  }

  private func appendZone(_ field: Field, _ offset: Int, _ output: inout ByteBuilder) {
    let minutes = UInt64(offset.magnitude / 60)
    if case .zoneMinutes = field { return output.append(digits: minutes % 60, width: 2) }
    output.append(offset < 0 ? 0x2D : 0x2B)
    let hours = minutes / 60
    if case .zoneOffset = field, isFill, hours < 10 {
      output.append(digits: hours)
    } else {
      output.append(digits: hours, width: 2)
    }
    if case .zoneOffset = field, offset.magnitude % 3600 != 0 {
      output.append(0x3A)
      output.append(digits: minutes % 60, width: 2)
    }
  }
}
