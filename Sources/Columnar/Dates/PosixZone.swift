/// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3`: when clocks change, for ever.
struct PosixZone: Sendable {
  /// The day and second of a change.
  struct Change: Sendable {
    enum Day: Sendable { case month(Int, week: Int, weekday: Int), julian(Int), zeroBased(Int) }
    var day: Day
    var seconds: Int

    /// The change in a year, in seconds since 1970 of the wall clock.
    func wall(in year: Int) -> Int64 {
      let number: Int
      switch day {
      case .month(let month, let week, let weekday):
        let first = CivilDate(year: year, month: month, day: 1).days
        var day = first + (weekday - CivilDate.weekday(days: first) + 7) % 7 + (week - 1) * 7
        if day >= first + CivilDate.length(ofMonth: month, year: year) { day -= 7 }
        number = day
      case .julian(let day):
        let leap = CivilDate.isLeap(year) && day >= 60 ? 1 : 0
        number = CivilDate(year: year, month: 1, day: 1).days + day - 1 + leap
      case .zeroBased(let day): number = CivilDate(year: year, month: 1, day: 1).days + day
      }
      return Int64(number + 10_957) * 86_400 + Int64(seconds)
    }
  }

  var standard: TimeZoneRules.Period
  var daylight: TimeZoneRules.Period?
  var start = Change(day: .month(3, week: 2, weekday: 0), seconds: 7200)
  var end = Change(day: .month(11, week: 1, weekday: 0), seconds: 7200)

  /// Reads a rule; nil for a text that is none.
  init?(_ text: String) {
    var scan = Scan(bytes: Array(text.utf8))
    guard let name = scan.name(), let offset = scan.offset() else { return nil }
    standard = .init(offset: -offset, isDaylight: false, abbreviation: name)
    if scan.isAtEnd { return }
    guard let summer = scan.name(), !summer.isEmpty else { return nil }
    var summerOffset = -offset + 3600
    if !scan.isAtEnd && scan.byte != 44 {
      guard let given = scan.offset() else { return nil }
      summerOffset = -given
    }
    daylight = .init(offset: summerOffset, isDaylight: true, abbreviation: summer)
    if scan.isAtEnd { return }
    guard scan.take(44), let first = scan.change(), scan.take(44), let second = scan.change(),
      scan.isAtEnd
    else { return nil }
    start = first
    end = second
  }

  func period(at seconds: Int64) -> TimeZoneRules.Period {
    guard let daylight else { return standard }
    let local = seconds + Int64(standard.offset)
    let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
    let year = CivilDate(days: Int(day) - 10_957).year
    let begins = start.wall(in: year) - Int64(standard.offset)
    let ends = end.wall(in: year) - Int64(daylight.offset)
    let isSummer =
      begins < ends
      ? seconds >= begins && seconds < ends : seconds >= begins || seconds < ends
    return isSummer ? daylight : standard
  }

  /// The first change after a time, and the offset from then on.
  func change(after seconds: Int64) -> (time: Int64, offset: Int)? {
    guard let daylight else { return nil }
    let local = seconds + Int64(standard.offset)
    let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
    let year = CivilDate(days: Int(day) - 10_957).year
    var next: (time: Int64, offset: Int)?
    for candidate in (year - 1)...(year + 1) {
      let begins = start.wall(in: candidate) - Int64(standard.offset)
      let ends = end.wall(in: candidate) - Int64(daylight.offset)
      for (time, offset) in [(begins, daylight.offset), (ends, standard.offset)]
      where time > seconds && time < next?.time ?? .max {
        next = (time, offset)
      }
    }
    return next
  }

  private struct Scan {
    var bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position >= bytes.count }
    var byte: UInt8 { isAtEnd ? 0 : bytes[position] }

    mutating func take(_ wanted: UInt8) -> Bool {
      guard byte == wanted else { return false }
      position += 1
      return true
    }

    /// A name between angle brackets, or all before a digit, sign or comma; perhaps none.
    mutating func name() -> String? {
      var text: [UInt8] = []
      if take(60) {
        while !isAtEnd && byte != 62 {
          text.append(byte)
          position += 1
        }
        guard take(62) else { return nil }
      } else {
        while !isAtEnd, !isDigit(byte), byte != 43, byte != 44, byte != 45 {
          text.append(byte)
          position += 1
        }
      }
      return String(decoding: text, as: UTF8.self)
    }

    mutating func number() -> Int? {
      let start = position
      var value = 0
      while isDigit(byte) && position - start < 6 {
        value = value * 10 + Int(byte - 48)
        position += 1
      }
      return position > start ? value : nil
    }

    mutating func offset() -> Int? {
      let sign = take(45) ? -1 : 1
      if sign == 1 { _ = take(43) }
      guard let hours = number(), hours <= 167 else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] where byte == 58 {
        position += 1
        guard let part = number(), part < 60 || (unit == 1 && part == 60) else { return nil }
        seconds += part * unit
      }
      return sign * seconds
    }

    mutating func change() -> Change? {
      let day: Change.Day
      if take(77) {
        guard let month = number(), take(46), let week = number(), take(46), let weekday = number(),
          (1...12).contains(month), (1...5).contains(week), weekday <= 6
        else { return nil }
        day = .month(month, week: week, weekday: weekday)
      } else if take(74) {
        guard let number = number() else { return nil }
        day = .julian(number)
      } else {
        guard let number = number() else { return nil }
        day = .zeroBased(number)
      }
      var seconds = 7200
      if take(47) {
        guard let given = offset() else { return nil }
        seconds = given
      }
      return Change(day: day, seconds: seconds)
    }
  }
}
