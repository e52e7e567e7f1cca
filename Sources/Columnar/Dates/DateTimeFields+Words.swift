/// The words in the texts of dates and times, and what all fields come to.
extension DateTimeFields {
  /// The fields that a word gives; nil for one that says nothing.
  mutating func readWord(_ bytes: [UInt8]) throws(Problem) -> Mask? {
    let name = String(decoding: bytes, as: UTF8.self)
    if let found = ZoneAbbreviation.named(name) {
      switch found {
      case .fixed(let seconds, let isDaylight):
        offset = seconds
        if isDaylight { return [.zone, .summer] }
      case .changing: abbreviation = name
      }
      return .zone
    }
    guard let word = DateTimeWord.core(bytes) else {
      guard let rules = TimeZoneRules.named(name) else { throw .format }
      zone = rules
      return .zone
    }
    switch word {
    case .filler: return nil
    case .label(let label):
      if self.label != nil { throw .format }
      self.label = label
      return []
    case .timeFollows:
      if label != nil || (!isTime && !mask.isSuperset(of: .date)) { throw .format }
      label = .time
      return []
    case .meridiem(let isAfternoon):
      self.isAfternoon = isAfternoon
      return .meridiem
    case .era(let isBefore):
      isBeforeChrist = isBefore
      return .era
    case .daylight:
      offset = (offset ?? 0) + 3600
      return [.daylight, .summer]
    case .midnightUTC:
      (hour, minute, second, microsecond) = (0, 0, 0, 0)
      offset = 0
      return [.time, .zone]
    case .now:
      special = .now
      return isTime ? .time : [.date, .time, .zone]
    case .month, .weekday, .epoch, .infinity, .negativeInfinity, .day:
      if isTime { throw .format }
      return readDateWord(word)
    }
  }

  private mutating func readDateWord(_ word: DateTimeWord) -> Mask {
    switch word {
    case .month(let number):
      let isDay =
        mask.contains(.month) && !hasTextMonth && !mask.contains(.day) && (1...31).contains(month)
      // A number that came first was taken for the month: it is the day.
      if isDay { day = month }
      hasTextMonth = true
      month = number
      return isDay ? .day : .month
    case .weekday: return .weekday
    case .day(let distance):
      let today = Int(Calendar.split(parser.zone.local(parser.now)).day)
      let civil = CivilDate(days: today + distance)
      (year, month, day) = (civil.year, civil.month, civil.day)
      return .date
    case .epoch: special = .epoch
    case .infinity: special = .infinity
    case .negativeInfinity: special = .negativeInfinity
    case .filler, .label, .timeFollows, .meridiem, .era, .daylight, .now, .midnightUTC: return []
    }
    return [.date, .time, .zone]
  }

  /// Checks what the fields come to, and settles year, day and hour.
  mutating func finish() throws(Problem) {
    if special != nil && !(special == .now && isTime) { return }
    try settleDate()
    if let isAfternoon {
      guard hour <= 12 else { throw .field }
      if !isAfternoon && hour == 12 { hour = 0 }
      if isAfternoon && hour != 12 { hour += 12 }
    }
    if isTime {
      try checkTime()
      guard mask.isSuperset(of: .time) else { throw .format }
    } else if !mask.isSuperset(of: .date) {
      throw .format
    }
    // A zone that says itself when its clocks are put forward needs no word for it.
    let isFixedZone = zone == nil && abbreviation == nil && mask.contains(.zone)
    if mask.contains(.daylight) && !isFixedZone { throw .format }
  }

  private mutating func settleDate() throws(Problem) {
    if mask.contains(.year) && !isJulian {
      if isBeforeChrist {
        guard year > 0 else { throw .field }
        year = 1 - year
      } else if yearHasTwoDigits {
        if year < 70 { year += 2000 } else if year < 100 { year += 1900 }
      } else if year <= 0 {
        throw .field
      }
    }
    if mask.contains(.dayOfYear) {
      let civil = CivilDate(days: CivilDate(year: year, month: 1, day: 1).days + ordinal - 1)
      (year, month, day) = (civil.year, civil.month, civil.day)
    }
    if mask.contains(.month) && !(1...12).contains(month) { throw .monthOrDay }
    if mask.contains(.day) && !(1...31).contains(day) { throw .monthOrDay }
    if mask.isSuperset(of: .date), day > CivilDate.length(ofMonth: month, year: year) {
      throw .field
    }
  }
}
