import Diagnostics

/// What the text of a date or time says, field by field.
struct DateTimeFields {
  /// A word that stands for a whole value.
  enum Special { case now, epoch, infinity, negativeInfinity }

  var year: Int?
  var month: Int?
  var dayOfMonth: Int?
  /// The day of the year, where that was given in place of month and day.
  var ordinal: Int?
  /// A day that a word or a Julian number gave.
  var wholeDay: Int?
  /// Microseconds into the day.
  var time: Int64 = 0
  var hasTime = false
  var offset: Int?
  var zone: TimeZoneRules?
  var special: Special?
  private var hasTextMonth = false
  private var yearHasTwoDigits = false
  private var isBeforeChrist = false
  /// true for PM, false for AM.
  private var isAfternoon: Bool?
  private var isJulian = false
  private var isISOTime = false

  private enum Problem: Error { case format, field, monthOrDay, displacement }

  init(_ text: TextBytes, _ type: String, _ parser: DateTimeParser, isTime: Bool = false)
    throws(SQLError)
  {
    guard let tokens = DateTimeToken.tokens(text), !tokens.isEmpty else {
      throw DateTimeParser.invalid(type, text)
    }
    do {
      for index in tokens.indices { try read(tokens[index], parser, isTime: isTime) }
      try finish(isTime: isTime)
    } catch {
      switch error {
      case .format: throw DateTimeParser.invalid(type, text)
      case .field: throw DateTimeParser.fieldOutOfRange(text, hint: false)
      case .monthOrDay: throw DateTimeParser.fieldOutOfRange(text, hint: true)
      case .displacement:
        throw SQLError(
          SQLState("22009"), "time zone displacement out of range: \"\(text.string)\"")
      }
    }
  }

  /// The day, since 2000-01-01.
  func day(_ text: TextBytes, _ type: String) throws(SQLError) -> Int {
    if let wholeDay { return wholeDay }
    guard let year else { throw DateTimeParser.invalid(type, text) }
    guard year.magnitude < 6_000_000 else { throw DateTimeParser.outOfRange(type, text) }
    if let ordinal { return CivilDate(year: year, month: 1, day: 1).days + ordinal - 1 }
    guard let month, let dayOfMonth else { throw DateTimeParser.invalid(type, text) }
    return CivilDate(year: year, month: month, day: dayOfMonth).days
  }

  private mutating func read(_ token: DateTimeToken, _ parser: DateTimeParser, isTime: Bool)
    throws(Problem)
  {
    switch token.kind {
    case .date: try readDate(token.bytes)
    case .time: try readTime(token.bytes)
    case .zone:
      guard hasTime || (year != nil && !isTime) else { throw .format }
      guard offset == nil else { throw .format }
      offset = try Self.displacement(token.bytes)
    case .word: try readWord(token.text, parser)
    case .number: try readNumber(token.bytes, isTime: isTime)
    }
  }

  private mutating func readDate(_ bytes: [UInt8]) throws(Problem) {
    let parts = bytes.split { !isDigit($0) && !($0 &- 97 < 26) }.map(Array.init)
    guard parts.count <= 3, year == nil || month == nil else { throw .format }
    var numbers: [[UInt8]] = []
    for part in parts {
      if isDigit(part[0]) {
        numbers.append(part)
      } else {
        guard month == nil, let found = DateTimeWords.month(part) else { throw .format }
        month = found
        hasTextMonth = true
      }
    }
    for number in numbers { try take(number) }
    guard year != nil && (ordinal != nil || (month != nil && dayOfMonth != nil)) else {
      throw .format
    }
  }

  /// Gives a number the meaning that its place has: month, day, year, unless it is a year by its length.
  private mutating func take(_ digits: [UInt8]) throws(Problem) {
    guard digits.count <= 9, let value = Int(String(decoding: digits, as: UTF8.self)) else {
      throw .format
    }
    func isYear() -> Bool { digits.count >= 3 }
    if digits.count == 3 && year != nil && month == nil && dayOfMonth == nil && ordinal == nil {
      guard (1...366).contains(value) else { throw .field }
      ordinal = value
      return
    }
    switch (year != nil, month != nil, dayOfMonth != nil) {
    case (false, false, false):
      if isYear() { setYear(value, digits.count) } else { month = value }
    case (true, false, _), (false, false, true): month = value
    case (false, true, false):
      if hasTextMonth && isYear() { setYear(value, digits.count) } else { dayOfMonth = value }
    case (true, true, false):
      if hasTextMonth && isYear() && yearHasTwoDigits {
        dayOfMonth = year
        setYear(value, digits.count)
      } else {
        dayOfMonth = value
      }
    case (false, true, true): setYear(value, digits.count)
    case (true, true, true): throw .format
    }
  }

  private mutating func setYear(_ value: Int, _ digitCount: Int) {
    year = value
    yearHasTwoDigits = digitCount <= 2
  }

  private mutating func readTime(_ bytes: [UInt8]) throws(Problem) {
    guard !hasTime else { throw .format }
    let parts = bytes.split(separator: 58, omittingEmptySubsequences: false).map(Array.init)
    guard parts.count <= 3, parts.count >= 2, parts.allSatisfy({ !$0.isEmpty && $0.count < 20 }),
      parts.dropLast().allSatisfy({ $0.allSatisfy(isDigit) && $0.count <= 9 })
    else { throw .format }
    var hour = Int64(Self.number(parts[0]))
    var minute = Int64(0)
    var second: Int64
    if parts.count == 2 && parts[1].contains(46) {
      // mm:ss.fraction
      minute = hour
      hour = 0
      second = try Self.microseconds(parts[1])
    } else if parts.count == 2 {
      minute = Int64(Self.number(parts[1]))
      second = 0
    } else {
      minute = Int64(Self.number(parts[1]))
      second = try Self.microseconds(parts[2])
    }
    guard hour <= 24 && minute <= 59 && second <= 60_000_000 else { throw .field }
    time = hour * 3_600_000_000 + minute * 60_000_000 + second
    guard time <= 86_400_000_000 else { throw .field }
    hasTime = true
  }

  static func number(_ digits: some Sequence<UInt8>) -> Int {
    digits.reduce(0) { min($0 * 10 + Int($1 &- 48), 1 << 50) }
  }

  /// Seconds with a fraction, in microseconds.
  private static func microseconds(_ bytes: [UInt8]) throws(Problem) -> Int64 {
    let parts = bytes.split(separator: 46, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0].allSatisfy(isDigit), parts[0].count <= 9 else { throw .format }
    var result = Int64(number(parts[0])) * 1_000_000
    if parts.count == 2 {
      guard parts[1].allSatisfy(isDigit) else { throw .format }
      result += fraction(parts[1])
    }
    return result
  }

  /// The digits behind a point, in microseconds, rounded.
  static func fraction(_ digits: some Collection<UInt8>) -> Int64 {
    var value: Int64 = 0
    var count = 0
    var rest: UInt8 = 48
    for digit in digits {
      if count < 6 { value = value * 10 + Int64(digit &- 48) } else if count == 6 { rest = digit }
      count += 1
    }
    while count < 6 {
      value *= 10
      count += 1
    }
    return rest >= 53 ? value + 1 : value
  }

  /// The seconds of `+05`, `-0530`, `+05:30:15`.
  private static func displacement(_ bytes: [UInt8]) throws(Problem) -> Int {
    let digits = bytes.dropFirst()
    guard digits.allSatisfy({ isDigit($0) || $0 == 58 }) else { throw .format }
    let parts = digits.split(separator: 58, omittingEmptySubsequences: false).map { number($0) }
    var (hours, minutes, seconds) = (parts[0], 0, 0)
    if parts.count > 1 { minutes = parts[1] }
    if parts.count > 2 { seconds = parts[2] }
    if parts.count == 1 && digits.count > 2 {
      if digits.count > 4 {
        (hours, minutes, seconds) = (parts[0] / 10_000, parts[0] / 100 % 100, parts[0] % 100)
      } else {
        (hours, minutes) = (parts[0] / 100, parts[0] % 100)
      }
    }
    guard parts.count <= 3, hours <= 15, minutes < 60, seconds < 60 else { throw .displacement }
    let total = hours * 3600 + minutes * 60 + seconds
    return bytes[0] == 45 ? -total : total
  }

  private mutating func readNumber(_ bytes: [UInt8], isTime: Bool) throws(Problem) {
    if isJulian {
      let parts = bytes.split(separator: 46, maxSplits: 1)
      guard let first = parts.first, first.count <= 8 else { throw .format }
      wholeDay = Self.number(first) - 2_451_545
      isJulian = false
      return
    }
    let hasDate = wholeDay != nil || (year != nil && (ordinal != nil || dayOfMonth != nil))
    let parts = bytes.split(separator: 46, maxSplits: 1, omittingEmptySubsequences: false)
    let whole = Array(parts[0])
    if hasDate || isISOTime || isTime {
      guard !hasTime, whole.count == 6 || whole.count == 4 || whole.count == 2 else {
        throw .format
      }
      var value = Self.number(whole)
      if whole.count == 4 { value *= 100 }
      if whole.count == 2 {
        guard isISOTime else {
          // A bare number behind a date is an hour only before am or pm.
          throw .format
        }
        value *= 10_000
      }
      guard value / 10_000 <= 24, value / 100 % 100 < 60, value % 100 <= 60 else { throw .field }
      time = Int64(value / 10_000 * 3600 + value / 100 % 100 * 60 + value % 100) * 1_000_000
      if parts.count == 2 { time += Self.fraction(parts[1]) }
      hasTime = true
      return
    }
    if parts.count == 1 && whole.count >= 6 && year == nil && month == nil {
      let value = Self.number(whole)
      let width = whole.count - 4
      setYear(value / 10_000, width)
      month = value / 100 % 100
      dayOfMonth = value % 100
      return
    }
    guard parts.count == 1 || parts[1].isEmpty else { throw .format }
    try take(whole)
  }

  private mutating func readWord(_ word: String, _ parser: DateTimeParser) throws(Problem) {
    let today = { Int(Calendar.split(parser.zone.local(parser.now)).day) }
    switch word {
    case "now": special = .now
    case "epoch": special = .epoch
    case "infinity", "+infinity": special = .infinity
    case "-infinity": special = .negativeInfinity
    case "today": wholeDay = today()
    case "tomorrow": wholeDay = today() + 1
    case "yesterday": wholeDay = today() - 1
    case "allballs":
      hasTime = true
      offset = 0
    case "am": isAfternoon = false
    case "pm": isAfternoon = true
    case "ad": isBeforeChrist = false
    case "bc": isBeforeChrist = true
    case "t": isISOTime = true
    case "j": isJulian = true
    case "at", "on", "dst": break
    default:
      if let found = DateTimeWords.month(Array(word.utf8)) {
        // A number that came first was taken for a month: it is the day.
        if let number = month, !hasTextMonth, dayOfMonth == nil {
          dayOfMonth = number
        } else if month != nil {
          throw .format
        }
        month = found
        hasTextMonth = true
      } else if DateTimeWords.isWeekday(word) {
        break
      } else if let seconds = ZoneAbbreviation.offset(word) {
        guard offset == nil else { throw .format }
        offset = seconds
      } else if let rules = TimeZoneRules.named(word) {
        zone = rules
      } else {
        throw .format
      }
    }
  }

  private mutating func finish(isTime: Bool) throws(Problem) {
    if let isAfternoon {
      guard hasTime, time < 13 * 3_600_000_000 else { throw .field }
      let twelve: Int64 = 12 * 3_600_000_000
      if isAfternoon && time < twelve { time += twelve }
      if !isAfternoon && time >= twelve { time -= twelve }
    }
    if special != nil || wholeDay != nil || (isTime && year == nil) { return }
    guard var year else { throw .format }
    if isBeforeChrist {
      guard year > 0 else { throw .field }
      year = 1 - year
    } else if yearHasTwoDigits {
      year += year < 70 ? 2000 : 1900
    } else if year <= 0 {
      throw .field
    }
    self.year = year
    if let ordinal {
      guard ordinal <= (CivilDate.isLeap(year) ? 366 : 365) else { throw .field }
      return
    }
    guard let month, let dayOfMonth else { throw .format }
    guard (1...12).contains(month), (1...31).contains(dayOfMonth) else { throw .monthOrDay }
    guard dayOfMonth <= CivilDate.length(ofMonth: month, year: year) else { throw .field }
  }
}
