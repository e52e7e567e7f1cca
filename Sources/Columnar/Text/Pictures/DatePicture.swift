import Diagnostics

/// One piece of a picture of a date or time, such as `YYYY` in `to_char(now(), 'YYYY-MM')`.
struct DatePiece {
  /// What stands there.
  enum Field {
    case text([UInt8])
    case year(digits: Int), isoYear(digits: Int), yearWithComma
    case month, monthName(Spelling), monthShort(Spelling), roman(isUpper: Bool)
    case day, dayOfYear, isoDayOfYear, weekday, isoWeekday
    case dayName(Spelling), dayShort(Spelling)
    case hour12, hour24, minute, second, millisecond, microsecond, fraction(Int), secondOfDay
    case meridiem(isUpper: Bool, hasDots: Bool), era(isUpper: Bool, hasDots: Bool)
    case quarter, week, isoWeek, weekOfMonth, century, julian
    case zoneName(isUpper: Bool), zoneOffset, zoneHours, zoneMinutes
  }
  /// How a name is written.
  enum Spelling { case upper, capital, lower }

  var field: Field
  /// Whether padding is left out (`FM`).
  var isFill = false
  /// Whether the ordinal ending follows (`TH`), in capitals.
  var ordinal: Bool?

  private static let keywords: [(String, Field)] = [
    ("Y,YYY", .yearWithComma), ("YYYY", .year(digits: 4)), ("YYY", .year(digits: 3)),
    ("YY", .year(digits: 2)), ("Y", .year(digits: 1)), ("IYYY", .isoYear(digits: 4)),
    ("IYY", .isoYear(digits: 3)), ("IY", .isoYear(digits: 2)), ("IDDD", .isoDayOfYear),
    ("IW", .isoWeek), ("ID", .isoWeekday), ("I", .isoYear(digits: 1)),
    ("DDD", .dayOfYear), ("DD", .day), ("D", .weekday), ("HH24", .hour24), ("HH12", .hour12),
    ("HH", .hour12), ("SSSSS", .secondOfDay), ("SSSS", .secondOfDay), ("SS", .second),
    ("MI", .minute), ("MM", .month), ("MS", .millisecond), ("US", .microsecond),
    ("FF1", .fraction(1)), ("FF2", .fraction(2)), ("FF3", .fraction(3)), ("FF4", .fraction(4)),
    ("FF5", .fraction(5)), ("FF6", .fraction(6)), ("Q", .quarter), ("WW", .week),
    ("W", .weekOfMonth), ("CC", .century), ("J", .julian), ("TZH", .zoneHours),
    ("TZM", .zoneMinutes), ("OF", .zoneOffset),
  ]

  /// Names whose case in the picture is that of the result.
  private static let spelled: [(String, Field)] = [
    ("MONTH", .monthName(.upper)), ("Month", .monthName(.capital)), ("month", .monthName(.lower)),
    ("MON", .monthShort(.upper)), ("Mon", .monthShort(.capital)), ("mon", .monthShort(.lower)),
    ("DAY", .dayName(.upper)), ("Day", .dayName(.capital)), ("day", .dayName(.lower)),
    ("DY", .dayShort(.upper)), ("Dy", .dayShort(.capital)), ("dy", .dayShort(.lower)),
    ("RM", .roman(isUpper: true)), ("rm", .roman(isUpper: false)),
    ("A.M.", .meridiem(isUpper: true, hasDots: true)),
    ("P.M.", .meridiem(isUpper: true, hasDots: true)),
    ("a.m.", .meridiem(isUpper: false, hasDots: true)),
    ("p.m.", .meridiem(isUpper: false, hasDots: true)),
    ("AM", .meridiem(isUpper: true, hasDots: false)),
    ("PM", .meridiem(isUpper: true, hasDots: false)),
    ("am", .meridiem(isUpper: false, hasDots: false)),
    ("pm", .meridiem(isUpper: false, hasDots: false)),
    ("B.C.", .era(isUpper: true, hasDots: true)), ("A.D.", .era(isUpper: true, hasDots: true)),
    ("b.c.", .era(isUpper: false, hasDots: true)), ("a.d.", .era(isUpper: false, hasDots: true)),
    ("BC", .era(isUpper: true, hasDots: false)), ("AD", .era(isUpper: true, hasDots: false)),
    ("bc", .era(isUpper: false, hasDots: false)), ("ad", .era(isUpper: false, hasDots: false)),
    ("TZH", .zoneHours), ("TZM", .zoneMinutes), ("TZ", .zoneName(isUpper: true)),
    ("tz", .zoneName(isUpper: false)),
  ]

  /// The pieces of a picture.
  static func parse(_ picture: TextBytes) -> [DatePiece] {
    let bytes = picture.array
    let upper = bytes.map { $0 &- 0x61 < 26 ? $0 ^ 0x20 : $0 }
    var pieces: [DatePiece] = []
    var literal: [UInt8] = []
    var isFill = false
    var index = 0
    func starts(_ text: [UInt8], _ with: String) -> Bool {
      let wanted = Array(with.utf8)
      return index + wanted.count <= text.count
        && text[index..<(index + wanted.count)].elementsEqual(wanted)
    }
    func flush() {
      if !literal.isEmpty { pieces.append(DatePiece(field: .text(literal))) }
      literal = []
    }
    while index < bytes.count {
      if starts(upper, "FM") {
        isFill = true
        index += 2
        continue
      }
      if starts(upper, "FX") || starts(upper, "TM") {
        index += 2
        continue
      }
      if bytes[index] == 0x22 {
        index += 1
        while index < bytes.count && bytes[index] != 0x22 {
          if bytes[index] == 0x5C && index + 1 < bytes.count { index += 1 }
          literal.append(bytes[index])
          index += 1
        }
        index += 1
        continue
      }
      let found =
        spelled.first { starts(bytes, $0.0) }
        ?? spelled.first { starts(upper, $0.0) } ?? keywords.first { starts(upper, $0.0) }
      guard let found else {
        if bytes[index] == 0x5C && index + 1 < bytes.count && bytes[index + 1] == 0x22 {
          index += 1
        }
        literal.append(bytes[index])
        index += 1
        continue
      }
      flush()
      index += found.0.utf8.count
      var piece = DatePiece(field: found.1, isFill: isFill)
      isFill = false
      if starts(upper, "TH") {
        piece.ordinal = bytes[index] == 0x54
        index += 2
      }
      pieces.append(piece)
    }
    flush()
    return pieces
  }

  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  static let days = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
  static let romans = [
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
  ]
}

/// A point in time, or a span, taken apart for a picture.
struct DateParts {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  var microsecond = 0
  /// The day number; nil for an interval.
  var number: Int?
  /// Seconds east of Greenwich, and the zone's short name, for timestamptz.
  var offset: Int?
  var zone = ""

  /// The parts of a local timestamp.
  init(local: Int64) {
    let (days, time) = Calendar.split(local)
    let date = CivilDate(days: Int(days))
    (year, month, day) = (date.year, date.month, date.day)
    number = Int(days)
    set(time: time)
  }

  /// The parts of an interval.
  init(_ span: Interval) {
    year = Int(span.months) / 12
    month = Int(span.months) % 12
    day = Int(span.days)
    set(time: span.microseconds)
  }

  private mutating func set(time: Int64) {
    hour = Int(time / 3_600_000_000)
    minute = Int(time / 60_000_000 % 60)
    second = Int(time / 1_000_000 % 60)
    microsecond = Int(time % 1_000_000)
  }
}

extension DatePiece {
  /// Adds what the piece shows of a time.
  ///
  /// - Throws: 22007 for parts that an interval does not have.
  func append(_ parts: DateParts, to output: inout ByteBuilder) throws(SQLError) {
    switch field {
    case .text(let bytes):
      for byte in bytes { output.append(byte) }
    case .monthName(let spelling):
      name(parts.month > 0 ? Self.months[parts.month - 1] : "", spelling, 9, &output)
    case .monthShort(let spelling):
      let name = parts.month > 0 ? Self.months[parts.month - 1] : ""
      self.name(String(name.prefix(3)), spelling, 0, &output)
    case .roman(let isUpper):
      if parts.month > 0 {
        name(Self.romans[parts.month - 1], isUpper ? .upper : .lower, 4, &output)
      }
    case .dayName, .dayShort, .weekday, .isoWeekday, .dayOfYear, .isoDayOfYear, .week, .isoWeek,
      .weekOfMonth, .julian, .isoYear:
      guard let number = parts.number else {
        throw SQLError(
          .invalidDatetimeFormat, "invalid format specification for an interval value",
          hint: "Intervals are not tied to specific calendar dates.")
      }
      appendDay(number, parts, &output)
    case .meridiem(let isUpper, let hasDots):
      let letter = parts.hour % 24 >= 12 ? "p" : "a"
      let text = hasDots ? "\(letter).m." : "\(letter)m"
      output.append(isUpper ? text.uppercased() : text)
    case .era(let isUpper, let hasDots):
      let isBefore = parts.year <= 0
      let text = hasDots ? (isBefore ? "b.c." : "a.d.") : (isBefore ? "bc" : "ad")
      output.append(isUpper ? text.uppercased() : text)
    case .zoneName(let isUpper):
      output.append(isUpper ? parts.zone.uppercased() : parts.zone.lowercased())
    case .zoneHours, .zoneMinutes, .zoneOffset: appendZone(parts.offset ?? 0, &output)
    default: appendNumber(parts, &output)
    }
  }

  private func name(
    _ text: String, _ spelling: Spelling, _ width: Int, _ output: inout ByteBuilder
  ) {
    switch spelling {
    case .upper: output.append(text.uppercased())
    case .capital: output.append(text)
    case .lower: output.append(text.lowercased())
    }
    if !isFill { output.append(repeating: 0x20, count: max(0, width - text.utf8.count)) }
  }

  private func number(_ value: Int, _ width: Int, _ output: inout ByteBuilder) {
    if value < 0 { output.append(0x2D) }
    let digits = UInt64(value.magnitude)
    let needed = decimalDigitCount64(digits)
    output.append(digits: digits, width: isFill ? needed : max(width, needed))
    guard let isUpper = ordinal else { return }
    let last = value.magnitude % 10
    let isTeen = value.magnitude / 10 % 10 == 1
    let ending = isTeen ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th"
    output.append(isUpper ? ending.uppercased() : ending)
  }

  private func appendDay(_ number: Int, _ parts: DateParts, _ output: inout ByteBuilder) {
    let weekday = CivilDate.weekday(days: number)
    let date = CivilDate(days: number)
    switch field {
    case .dayName(let spelling): name(Self.days[weekday], spelling, 9, &output)
    case .dayShort(let spelling): name(String(Self.days[weekday].prefix(3)), spelling, 0, &output)
    case .weekday: self.number(weekday + 1, 0, &output)
    case .isoWeekday: self.number((weekday + 6) % 7 + 1, 0, &output)
    case .dayOfYear: self.number(date.dayOfYear, 3, &output)
    case .isoDayOfYear:
      self.number(number - CivilDate.isoYearStart(date.isoWeek.year) + 1, 3, &output)
    case .week: self.number((date.dayOfYear - 1) / 7 + 1, 2, &output)
    case .isoWeek: self.number(date.isoWeek.week, 2, &output)
    case .weekOfMonth: self.number((date.day - 1) / 7 + 1, 0, &output)
    case .julian: self.number(number + 2_451_545, 0, &output)
    case .isoYear(let digits): year(date.isoWeek.year, digits, &output)
    default: break
    }
  }

  private func year(_ year: Int, _ digits: Int, _ output: inout ByteBuilder) {
    let shown = year > 0 ? year : 1 - year
    let modulus = [1, 10, 100, 1000][digits % 4]
    number(digits == 4 ? shown : shown % modulus, digits, &output)
  }

  private func appendNumber(_ parts: DateParts, _ output: inout ByteBuilder) {
    switch field {
    case .year(let digits):
      if parts.number == nil {
        number(parts.year, digits, &output)
      } else {
        year(parts.year, digits, &output)
      }
    case .yearWithComma:
      let shown = parts.year > 0 ? parts.year : 1 - parts.year
      output.append(integer: Int64(shown / 1000))
      output.append(0x2C)
      output.append(digits: UInt64(shown % 1000), width: 3)
    case .month: number(parts.month, 2, &output)
    case .day: number(parts.day, 2, &output)
    case .hour12: number(parts.hour % 12 == 0 ? 12 : parts.hour % 12, 2, &output)
    case .hour24: number(parts.hour, 2, &output)
    case .minute: number(parts.minute, 2, &output)
    case .second: number(parts.second, 2, &output)
    case .millisecond: number(parts.microsecond / 1000, 3, &output)
    case .microsecond: number(parts.microsecond, 6, &output)
    case .fraction(let digits):
      let divisors = [1_000_000, 100_000, 10_000, 1000, 100, 10, 1]
      number(parts.microsecond / divisors[digits], digits, &output)
    case .secondOfDay: number(parts.hour * 3600 + parts.minute * 60 + parts.second, 0, &output)
    case .quarter: if parts.month > 0 { number((parts.month - 1) / 3 + 1, 0, &output) }
    case .century:
      number(parts.year > 0 ? (parts.year + 99) / 100 : (parts.year - 99) / 100, 2, &output)
    default: break
    }
  }

  private func appendZone(_ offset: Int, _ output: inout ByteBuilder) {
    let minutes = abs(offset) / 60
    if case .zoneMinutes = field {
      output.append(digits: UInt64(minutes % 60), width: 2)
      return
    }
    output.append(offset < 0 ? 0x2D : 0x2B)
    output.append(digits: UInt64(minutes / 60), width: 2)
    if case .zoneOffset = field, minutes % 60 != 0 {
      output.append(0x3A)
      output.append(digits: UInt64(minutes % 60), width: 2)
    }
  }
}
