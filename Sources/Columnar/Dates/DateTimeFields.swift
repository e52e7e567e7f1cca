import Diagnostics

/// What the text of a date or time says, field by field.
struct DateTimeFields {
  /// A word that stands for a whole value.
  enum Special { case now, epoch, infinity, negativeInfinity }

  /// The fields that a piece of the text gives; none may come twice.
  struct Mask: OptionSet {
    let rawValue: Int
    static let year = Mask(rawValue: 1)
    static let month = Mask(rawValue: 2)
    static let day = Mask(rawValue: 4)
    static let dayOfYear = Mask(rawValue: 8)
    static let hour = Mask(rawValue: 16)
    static let minute = Mask(rawValue: 32)
    static let second = Mask(rawValue: 64)
    static let fraction = Mask(rawValue: 128)
    static let zone = Mask(rawValue: 256)
    /// The word `dst`.
    static let daylight = Mask(rawValue: 512)
    /// `dst`, or an abbreviation that says as much.
    static let summer = Mask(rawValue: 8192)
    static let meridiem = Mask(rawValue: 1024)
    static let era = Mask(rawValue: 2048)
    static let weekday = Mask(rawValue: 4096)
    static let date: Mask = [.year, .month, .day]
    static let time: Mask = [.hour, .minute, .second]
  }

  /// Why a text is none.
  enum Problem: Error { case format, field, monthOrDay, displacement, zone(String) }

  /// How the session's zone and clock come in.
  let parser: DateTimeParser
  /// Whether the text is a time of day, which may have a date for its zone.
  let isTime: Bool
  var mask: Mask = []
  var year = 0
  var month = 0
  var day = 0
  var ordinal = 0
  var hour = 0
  var minute = 0
  var second = 0
  var microsecond: Int64 = 0
  var special: Special?
  /// Seconds east of Greenwich where the text says so.
  var offset: Int?
  /// The zone that the text names; its offset depends on the date.
  var zone: TimeZoneRules?
  /// An abbreviation whose offset has changed in the course of time.
  var abbreviation: String?
  var label: DateTimeWord.Label?
  var hasTextMonth = false
  var isJulian = false
  var yearHasTwoDigits = false
  var isBeforeChrist = false
  /// true for PM, false for AM.
  var isAfternoon: Bool?

  /// - Throws: 22007, 22008, 22009, 22023.
  init(_ text: TextBytes, _ type: String, _ parser: DateTimeParser, isTime: Bool = false)
    throws(SQLError)
  {
    self.parser = parser
    self.isTime = isTime
    do throws(Problem) {
      guard let tokens = DateTimeToken.tokens(text) else { throw .format }
      for index in tokens.indices { try read(tokens, index) }
      try finish()
    } catch {
      throw DateTimeParser.error(error, text, type)
    }
  }

  /// The day, since 2000-01-01.
  var dayNumber: Int { CivilDate(year: year, month: month, day: day).days }

  /// Microseconds since midnight; more than a day for a run-together time such as `256060`.
  var time: Int64 {
    Int64(hour) * Calendar.microsecondsPerHour + Int64(minute) * Calendar.microsecondsPerMinute
      + Int64(second) * Calendar.microsecondsPerSecond + microsecond
  }

  private mutating func read(_ tokens: [DateTimeToken], _ index: Int) throws(Problem) {
    let token = tokens[index]
    let found: Mask
    switch token.kind {
    case .date:
      found = isTime ? try readZoneOrDate(tokens, index) : try readDateOrZone(token.bytes)
    case .time:
      if let label {
        guard case .time = label else { throw .format }
        self.label = nil
      }
      try readClock(token.bytes)
      found = .time
    case .zone:
      offset = try Self.displacement(token.bytes)
      found = .zone
    case .number: found = try readNumber(tokens, index)
    case .word, .special:
      guard let known = try readWord(token.bytes) else { return }
      found = known
    }
    if !found.isDisjoint(with: mask) { throw .format }
    mask.formUnion(found)
  }

  /// A date; behind one the name of a zone with signs, or a run-together time with its zone.
  private mutating func readDateOrZone(_ bytes: [UInt8]) throws(Problem) -> Mask {
    if case .julian = label {
      let (day, end) = try Self.integer(bytes[...])
      guard day >= 0 else { throw .field }
      setJulian(day)
      offset = try Self.displacement(Array(bytes[end...]))
      label = nil
      return [.date, .time, .zone]
    }
    guard label != nil || mask.isSuperset(of: [.month, .day]) else { return try readDate(bytes) }
    guard isDigit(bytes[0]) || label != nil else { return try readZoneName(bytes) }
    if let label {
      guard case .time = label else { throw .format }
      self.label = nil
    }
    if mask.isSuperset(of: .time) { throw .format }
    return try readTimeWithZone(bytes, mask)
  }

  /// The same within a time of day, where a date stands only first and with a time behind it.
  private mutating func readZoneOrDate(
    _ tokens: [DateTimeToken], _ index: Int
  ) throws(Problem) -> Mask {
    let bytes = tokens[index].bytes
    if index == 0 && tokens.count >= 2
      && (tokens[tokens.count - 1].kind == .date || tokens[1].kind == .time)
    {
      return try readDate(bytes)
    }
    guard isDigit(bytes[0]) else { return try readZoneName(bytes) }
    if mask.isSuperset(of: .time) { throw .format }
    return try readTimeWithZone(bytes, mask.union(.date))
  }

  /// `040506-08`.
  private mutating func readTimeWithZone(
    _ bytes: [UInt8], _ known: Mask
  ) throws(Problem) -> Mask {
    guard let sign = bytes.firstIndex(of: UInt8(ascii: "-")) else { throw .format }
    offset = try Self.displacement(Array(bytes[sign...]))
    return try readRunTogether(Array(bytes[..<sign]), known).union(.zone)
  }

  mutating func readZoneName(_ bytes: [UInt8]) throws(Problem) -> Mask {
    let name = String(decoding: bytes, as: UTF8.self)
    guard let rules = TimeZoneRules.named(name) else { throw .zone(name) }
    zone = rules
    return .zone
  }

  /// Notes the day with a Julian number.
  mutating func setJulian(_ number: Int) {
    let civil = CivilDate(days: number - Calendar.julianEpoch)
    (year, month, day) = (civil.year, civil.month, civil.day)
    isJulian = true
  }

  private mutating func readNumber(
    _ tokens: [DateTimeToken], _ index: Int
  ) throws(Problem) -> Mask {
    let bytes = tokens[index].bytes
    if let label {
      self.label = nil
      return try readLabelled(bytes, label)
    }
    let point = bytes.firstIndex(of: UInt8(ascii: "."))
    if isTime {
      guard let point else {
        return bytes.count > 4
          ? try readRunTogether(bytes, mask.union(.date))
          : try readField(bytes, mask.union(.date))
      }
      if index == 0 && tokens.count >= 2 && tokens[tokens.count - 1].kind == .date {
        return try readDate(bytes)
      }
      guard point > 2 else { throw .format }
      return try readRunTogether(bytes, mask.union(.date))
    }
    if point != nil && mask.isDisjoint(with: .date) { return try readDate(bytes) }
    if let point, point > 2 { return try readRunTogether(bytes, mask) }
    if bytes.count >= 6 && (mask.isDisjoint(with: .date) || mask.isDisjoint(with: .time)) {
      return try readRunTogether(bytes, mask)
    }
    return try readField(bytes, mask)
  }
}

extension Calendar {
  /// The Julian number of 2000-01-01.
  static let julianEpoch = 2_451_545
}
