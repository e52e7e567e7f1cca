/// The numbers in the texts of dates and times.
extension DateTimeFields {
  /// The leading whole number of digits, and the index behind it.
  ///
  /// - Throws: `field` for one that 32 bits do not hold, `format` for none.
  static func integer(_ bytes: ArraySlice<UInt8>) throws(Problem) -> (value: Int, end: Int) {
    var end = bytes.startIndex
    var value = 0
    while end < bytes.endIndex, isDigit(bytes[end]) {
      value = value * 10 + Int(bytes[end] &- 48)
      guard value <= Int(Int32.max) else { throw .field }
      end += 1
    }
    guard end > bytes.startIndex else { throw .format }
    return (value, end)
  }

  /// A point with digits, as a part of one; a point alone is 0.
  static func fraction(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Double {
    guard bytes.count > 1 else { return 0 }
    guard bytes.dropFirst().allSatisfy(isDigit),
      let value = Double("0" + String(decoding: bytes, as: UTF8.self))
    else { throw .format }
    return value
  }

  /// A point with digits, in microseconds.
  static func microseconds(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Int64 {
    Int64((try fraction(bytes) * 1e6).rounded(.toNearestOrEven))
  }

  /// `2025-01-27`, `27.1.2025`, `jan-27-2025`.
  mutating func readDate(_ bytes: [UInt8]) throws(Problem) -> Mask {
    var parts: [ArraySlice<UInt8>] = []
    var index = 0
    while index < bytes.count {
      guard let start = bytes[index...].firstIndex(where: isLetterOrDigit) else { throw .format }
      var end = start
      let isNumber = isDigit(bytes[start])
      while end < bytes.count, isNumber ? isDigit(bytes[end]) : isLetter(bytes[end]) { end += 1 }
      parts.append(bytes[start..<end])
      // One byte that ends a part goes with it.
      index = min(end + 1, bytes.count)
      if parts.count > DateTimeToken.countMax { throw .format }
    }
    var known = mask
    var found: Mask = []
    var numbers: [ArraySlice<UInt8>] = []
    var hasWord = false
    for part in parts {
      guard let first = part.first, isLetter(first) else {
        numbers.append(part)
        continue
      }
      switch DateTimeWord.core(Array(part)) {
      case .filler?: continue
      case .month(let number)?:
        month = number
        hasWord = true
      case .weekday, .label, .timeFollows, .meridiem, .era, .daylight, .now, .epoch, .infinity,
        .negativeInfinity, .midnightUTC, .day, nil:
        throw .format
      }
      guard known.isDisjoint(with: .month) else { throw .format }
      known.insert(.month)
      found.insert(.month)
    }
    for number in numbers {
      let field = try readField(Array(number), known, hasWord: hasWord)
      guard known.isDisjoint(with: field) else { throw .format }
      known.formUnion(field)
      found.formUnion(field)
    }
    guard known.subtracting([.dayOfYear, .zone]) == .date else { throw .format }
    return found
  }

  /// Gives a number the meaning that its place and its length have.
  mutating func readField(
    _ bytes: [UInt8], _ known: Mask, hasWord: Bool? = nil
  ) throws(Problem) -> Mask {
    let (value, end) = try Self.integer(bytes[...])
    if end < bytes.count {
      guard bytes[end] == UInt8(ascii: ".") else { throw .format }
      // `2001.360`, `20011225`, `040506.789`
      if end > 2 { return try readRunTogether(bytes, known.union(.date)) }
      microsecond = try Self.microseconds(bytes[end...])
    }
    let dates = known.intersection(.date)
    if bytes.count == 3 && dates == .year && (1...366).contains(value) {
      ordinal = value
      return [.dayOfYear, .month, .day]
    }
    let found: Mask
    switch dates {
    case []:
      found =
        bytes.count >= 3 || parser.order == .yearFirst
        ? .year : parser.order == .dayFirst ? .day : .month
    case .year, .day: found = .month
    case .month:
      let isYear = bytes.count >= 3 || parser.order == .yearFirst
      found = (hasWord ?? hasTextMonth) && isYear ? .year : .day
    case [.year, .month]:
      if hasWord ?? hasTextMonth, bytes.count >= 3, yearHasTwoDigits {
        // What came first was the day after all.
        day = year
        year = value
        yearHasTwoDigits = false
        return .day
      }
      found = .day
    case [.month, .day]: found = .year
    case .date: return try readRunTogether(bytes, known)
    default: throw .format
    }
    if found == .year {
      year = value
      yearHasTwoDigits = bytes.count <= 2
    } else if found == .month {
      month = value
    } else {
      day = value
    }
    return found
  }

  /// `20250127` or `040506.789`; which of them depends on what is known.
  mutating func readRunTogether(_ bytes: [UInt8], _ known: Mask) throws(Problem) -> Mask {
    var digits = bytes[...]
    if let point = bytes.firstIndex(of: UInt8(ascii: ".")) {
      microsecond = try Self.microseconds(bytes[point...])
      digits = bytes[..<point]
    } else if !known.isSuperset(of: .date) && digits.count >= 6 {
      let count = digits.count
      day = Self.clamped(digits[(count - 2)...])
      month = Self.clamped(digits[(count - 4)..<(count - 2)])
      year = Self.clamped(digits[..<(count - 4)])
      if count == 6 { yearHasTwoDigits = true }
      return .date
    }
    guard !known.isSuperset(of: .time), digits.count == 6 || digits.count == 4 else {
      throw .format
    }
    hour = Self.clamped(digits[..<2])
    minute = Self.clamped(digits[2..<4])
    second = digits.count == 6 ? Self.clamped(digits[4...]) : 0
    return .time
  }

  /// A number of digits that is far out of every range where it is too long.
  private static func clamped(_ digits: ArraySlice<UInt8>) -> Int {
    digits.reduce(0) { min($0 * 10 + Int($1 &- 48), 1 << 40) }
  }

  /// `hh:mm`, `hh:mm:ss.fff`, `mm:ss.fff`.
  mutating func readClock(_ bytes: [UInt8]) throws(Problem) {
    let clock = try ClockText(bytes)
    guard clock.hour <= Int64(Int32.max) else { throw .field }
    (hour, minute, second) = (Int(clock.hour), Int(clock.minute), Int(clock.second))
    microsecond = clock.microsecond
    if !isTime { try checkTime() }
  }

  /// - Throws: `field` for a time past the end of its day.
  func checkTime() throws(Problem) {
    guard hour <= 24, minute <= 59, second <= 60, time <= Calendar.microsecondsPerDay else {
      throw .field
    }
  }

  /// The seconds of `+05`, `-0530`, `+05:30:15`.
  static func displacement(_ bytes: [UInt8]) throws(Problem) -> Int {
    guard let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
      throw .format
    }
    func number(_ start: Int) throws(Problem) -> (Int, Int) {
      guard start < bytes.count, isDigit(bytes[start]) else { return (0, start) }
      do throws(Problem) { return try integer(bytes[start...]) } catch { throw .displacement }
    }
    var (hours, end) = try number(1)
    var (minutes, seconds) = (0, 0)
    if end < bytes.count, bytes[end] == UInt8(ascii: ":") {
      (minutes, end) = try number(end + 1)
      if end < bytes.count, bytes[end] == UInt8(ascii: ":") {
        (seconds, end) = try number(end + 1)
      }
    } else if end == bytes.count && bytes.count > 3 {
      (hours, minutes) = (hours / 100, hours % 100)
    }
    guard hours <= 15, minutes < 60, seconds < 60 else { throw .displacement }
    guard end == bytes.count else { throw .format }
    let total = hours * 3600 + minutes * 60 + seconds
    return sign == UInt8(ascii: "-") ? -total : total
  }

  /// The number behind a label such as `J` or `T`.
  mutating func readLabelled(
    _ bytes: [UInt8], _ label: DateTimeWord.Label
  ) throws(Problem) -> Mask {
    var (value, end) = (0, 0)
    if isDigit(bytes[0]) { (value, end) = try Self.integer(bytes[...]) }
    guard end == bytes.count || bytes[end] == UInt8(ascii: ".") else { throw .format }
    switch label {
    case .julian:
      setJulian(value)
      guard end < bytes.count else { return .date }
      let time = Int64(try Self.fraction(bytes[end...]) * 86_400_000_000)
      hour = Int(time / Calendar.microsecondsPerHour)
      minute = Int(time / Calendar.microsecondsPerMinute % 60)
      second = Int(time / Calendar.microsecondsPerSecond % 60)
      microsecond = time % Calendar.microsecondsPerSecond
      return [.date, .time]
    case .time:
      let found = try readRunTogether(bytes, mask.union(.date))
      guard found == .time else { throw .format }
      return found
    case .year:
      year = value
      return .year
    case .month where !(mask.contains(.month) && mask.contains(.hour)):
      month = value
      return .month
    case .month, .minute:
      minute = value
      return .minute
    case .day:
      day = value
      return .day
    case .hour:
      hour = value
      return .hour
    case .second:
      second = value
      guard end < bytes.count else { return .second }
      microsecond = try Self.microseconds(bytes[end...])
      return [.second, .fraction]
    case .other: throw .format
    }
  }
}

/// The numbers of a time with colons, as dates and intervals have them.
struct ClockText {
  var hour: Int64
  var minute: Int64
  var second: Int64 = 0
  var microsecond: Int64 = 0

  /// `hh:mm`, `hh:mm:ss.fff`, `mm:ss.fff`; `mm:ss` where `startsWithMinutes`.
  init(_ bytes: [UInt8], startsWithMinutes: Bool = false) throws(DateTimeFields.Problem) {
    var value: Int64 = 0
    var end = 0
    while end < bytes.count, isDigit(bytes[end]) {
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isTooLong) = product.addingReportingOverflow(Int64(bytes[end] &- 48))
      if isTooLarge || isTooLong { throw .field }
      value = sum
      end += 1
    }
    hour = value
    guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { throw .format }
    (minute, end) = try Self.number(bytes, end + 1)
    if end == bytes.count {
      if startsWithMinutes { try shift() }
    } else if bytes[end] == UInt8(ascii: ".") {
      microsecond = try DateTimeFields.microseconds(bytes[end...])
      try shift()
    } else {
      guard bytes[end] == UInt8(ascii: ":") else { throw .format }
      (second, end) = try Self.number(bytes, end + 1)
      if end < bytes.count {
        guard bytes[end] == UInt8(ascii: ".") else { throw .format }
        microsecond = try DateTimeFields.microseconds(bytes[end...])
      }
    }
    guard minute <= 59, second <= 60, microsecond <= 1_000_000 else { throw .field }
  }

  /// Makes hours and minutes to minutes and seconds.
  private mutating func shift() throws(DateTimeFields.Problem) {
    guard hour <= Int64(Int32.max) else { throw .field }
    (hour, minute, second) = (0, hour, minute)
  }

  private static func number(
    _ bytes: [UInt8], _ start: Int
  ) throws(DateTimeFields.Problem) -> (Int64, Int) {
    guard start < bytes.count, isDigit(bytes[start]) else { return (0, start) }
    let (value, end) = try DateTimeFields.integer(bytes[start...])
    return (Int64(value), end)
  }
}
