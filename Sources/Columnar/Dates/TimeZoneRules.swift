import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A time zone: when its clocks were how far from UTC.
///
/// Times are seconds since 1970-01-01 UTC, offsets seconds east of Greenwich.
package final class TimeZoneRules: Sendable {
  /// A stretch of time with one offset.
  struct Period: Sendable {
    var offset: Int
    var isDaylight: Bool
    var abbreviation: String
  }

  /// The name by which the zone was asked for.
  package let name: String
  /// When each further period starts; `periods[0]` holds before the first.
  private let transitions: [Int64]
  private let periods: [Period]
  /// The rule after the last transition.
  private let tail: PosixZone?

  init(name: String, transitions: [Int64], periods: [Period], tail: PosixZone?) {
    precondition(periods.count == transitions.count + 1, "each transition starts a period")
    self.name = name
    self.transitions = transitions
    self.periods = periods
    self.tail = tail
  }

  /// A zone with one offset for all time.
  package convenience init(name: String, offset: Int, abbreviation: String? = nil) {
    let period = Period(offset: offset, isDaylight: false, abbreviation: abbreviation ?? name)
    self.init(name: name, transitions: [], periods: [period], tail: nil)
  }

  package static let utc = TimeZoneRules(name: "UTC", offset: 0)

  /// Whether every time has the same offset, so that a loop need not look.
  package var isFixed: Bool { transitions.isEmpty && tail == nil }

  /// The offset at a time.
  ///
  /// - Complexity: O(log *n*) in the zone's transitions.
  package func offset(at seconds: Int64) -> Int { period(at: seconds).offset }

  /// The short name of the zone at a time, such as CET.
  package func abbreviation(at seconds: Int64) -> String { period(at: seconds).abbreviation }

  func period(at seconds: Int64) -> Period {
    if let tail, transitions.last.map({ seconds >= $0 }) ?? true { return tail.period(at: seconds) }
    var lower = 0
    var upper = transitions.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if transitions[middle] <= seconds { lower = middle + 1 } else { upper = middle }
    }
    return periods[lower]
  }

  /// The offset that a clock on the wall shows at `wall` seconds (as if that were UTC).
  ///
  /// As in PostgreSQL, a time skipped or shown twice takes the offset in force before a skip (standard time) and
  /// standard time where it is shown twice.
  package func offset(wall: Int64) -> Int {
    if isFixed { return periods[0].offset }
    let before = period(at: wall - 86_400)
    let after = period(at: wall + 86_400)
    if before.offset == after.offset {
      let here = period(at: wall - Int64(before.offset))
      if here.offset == before.offset { return before.offset }
    }
    let first = period(at: wall - Int64(before.offset)).offset == before.offset
    let second = period(at: wall - Int64(after.offset)).offset == after.offset
    if first && second {
      return after.isDaylight && !before.isDaylight ? before.offset : after.offset
    }
    if first { return before.offset }
    if second { return after.offset }
    return after.isDaylight ? before.offset : after.offset
  }

  /// A timestamp of this zone's clocks for a timestamptz.
  package func local(_ timestamp: Int64) -> Int64 {
    guard Calendar.isFinite(timestamp: timestamp) else { return timestamp }
    return timestamp + Int64(offset(at: Self.unixSeconds(timestamp))) * 1_000_000
  }

  /// The timestamptz at which this zone's clocks show a timestamp.
  package func universal(_ timestamp: Int64) -> Int64 {
    guard Calendar.isFinite(timestamp: timestamp) else { return timestamp }
    return timestamp - Int64(offset(wall: Self.unixSeconds(timestamp))) * 1_000_000
  }

  static func unixSeconds(_ timestamp: Int64) -> Int64 {
    let seconds = timestamp / 1_000_000
    return (timestamp % 1_000_000 < 0 ? seconds - 1 : seconds) + 946_684_800
  }

  private static let cache = Mutex<[String: TimeZoneRules?]>([:])

  /// The zone of a name: a name of the system's database in any case, an abbreviation, or a POSIX rule.
  package static func named(_ name: String) -> TimeZoneRules? {
    let key = name.lowercased()
    if key == "utc" || key == "gmt" || key == "z" || key == "zulu" { return .utc }
    if let known = cache.withLock({ $0[key] }) { return known }
    let found = load(name) ?? abbreviated(key) ?? PosixZone(name).map { rules($0, name) }
    cache.withLock { $0[key] = .some(found) }
    return found
  }

  private static func rules(_ zone: PosixZone, _ name: String) -> TimeZoneRules {
    TimeZoneRules(
      name: name, transitions: [], periods: [zone.standard], tail: zone.daylight == nil ? nil : zone
    )
  }

  private static func abbreviated(_ key: String) -> TimeZoneRules? {
    ZoneAbbreviation.offset(key).map {
      TimeZoneRules(name: key.uppercased(), offset: $0, abbreviation: key.uppercased())
    }
  }

  private static func load(_ name: String) -> TimeZoneRules? {
    let allowed = name.utf8.allSatisfy {
      isDigit($0) || ($0 | 32) &- 97 < 26 || $0 == 47 || $0 == 95 || $0 == 43 || $0 == 45
    }
    guard allowed, !name.isEmpty, name.utf8.first != 47 else { return nil }
    // Zone files are spelled Area/City; words of other cases are tried in that spelling.
    let title = name.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.split(separator: "_", omittingEmptySubsequences: false)
        .map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: "_")
    }.joined(separator: "/")
    for spelling in [name, title, name.uppercased()] {
      if let bytes = ZoneFile.read("/usr/share/zoneinfo/" + spelling),
        let rules = ZoneFile.decode(bytes, name: spelling)
      {
        return rules
      }
    }
    return nil
  }
}

/// The abbreviations that PostgreSQL knows in any zone.
package enum ZoneAbbreviation {
  private static let hours: [String: Double] = [
    "utc": 0, "gmt": 0, "z": 0, "zulu": 0, "ut": 0, "uct": 0, "wet": 0, "west": 1, "bst": 1,
    "cet": 1, "cest": 2, "met": 1, "mest": 2, "eet": 2, "eest": 3, "msk": 3, "msd": 4, "ist": 2,
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
    "akst": -9, "akdt": -8, "hst": -10, "ast": -4, "adt": -3, "nst": -3.5, "ndt": -2.5, "jst": 9,
    "kst": 9, "sgt": 8, "hkt": 8, "awst": 8, "aest": 10, "aedt": 11, "acst": 9.5, "acdt": 10.5,
    "nzst": 12, "nzdt": 13, "pkt": 5, "npt": 5.75, "art": -3, "brt": -3, "clt": -4, "sast": 2,
  ]

  /// The seconds east of Greenwich that an abbreviation in lower case stands for.
  package static func offset(_ name: String) -> Int? { hours[name].map { Int($0 * 3600) } }
}

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
    guard let summer = scan.name() else { return nil }
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

    mutating func name() -> String? {
      var text: [UInt8] = []
      if take(60) {
        while !isAtEnd && byte != 62 {
          text.append(byte)
          position += 1
        }
        guard take(62) else { return nil }
      } else {
        while (byte | 32) &- 97 < 26 {
          text.append(byte)
          position += 1
        }
      }
      return text.count >= 3 || (text.count >= 1 && bytes.contains(60))
        ? String(decoding: text, as: UTF8.self) : nil
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
      if take(58) { seconds += (number() ?? 0) * 60 }
      if take(58) { seconds += number() ?? 0 }
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

/// The files of the system's time zone database (RFC 8536).
enum ZoneFile {
  /// The bytes of a file, nil where there is none or it is no zone's.
  static func read(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // The greatest file of the database has some 4 KB.
    let limit = 1 << 17
    var failed = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { target, count in
      while count < limit {
        guard let start = target.baseAddress else { break }
        let got = unsafe readBytes(descriptor, start + count, limit - count)
        if got < 0 { failed = true }
        if got <= 0 { break }
        count += got
      }
    }
    return failed ? nil : bytes
  }

  /// The zone in a file's bytes; nil where they are damaged.
  static func decode(_ bytes: [UInt8], name: String) -> TimeZoneRules? {
    guard bytes.count >= 44, bytes[0..<4].elementsEqual([84, 90, 105, 102]) else { return nil }
    func word(_ at: Int) -> Int {
      Int(bytes[at]) << 24 | Int(bytes[at + 1]) << 16 | Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
    }
    var header = 0
    var width = 4
    if bytes[4] >= 50 {
      // The first block has times of 32 bits; the second one says the same and more.
      header =
        44 + word(32) * 5 + word(36) * 6 + word(40) + word(28) * 8 + word(24) + word(20)
      width = 8
      guard header >= 44, bytes.count >= header + 44 else { return nil }
    }
    let (isUT, isStandard, leaps) = (word(header + 20), word(header + 24), word(header + 28))
    let (times, types, letters) = (word(header + 32), word(header + 36), word(header + 40))
    let start = header + 44
    let typesAt = start + times * (width + 1)
    let lettersAt = typesAt + types * 6
    let end = lettersAt + letters + leaps * (width + 4) + isStandard + isUT
    guard types > 0, end <= bytes.count else { return nil }
    var known: [TimeZoneRules.Period] = []
    for index in 0..<types {
      let at = typesAt + index * 6
      let from = lettersAt + Int(bytes[at + 5])
      guard from <= bytes.count else { return nil }
      let letters = bytes[from...].prefix { $0 != 0 }
      known.append(
        .init(
          offset: Int(Int32(truncatingIfNeeded: word(at))), isDaylight: bytes[at + 4] != 0,
          abbreviation: String(decoding: letters, as: UTF8.self)))
    }
    var transitions: [Int64] = []
    var periods = [known.first { !$0.isDaylight } ?? known[0]]
    for index in 0..<times {
      let at = start + index * width
      let time =
        width == 8
        ? Int64(word(at)) << 32 | Int64(word(at + 4))
        : Int64(Int32(truncatingIfNeeded: word(at)))
      let type = Int(bytes[start + times * width + index])
      guard type < known.count, transitions.last.map({ $0 < time }) ?? true else { return nil }
      transitions.append(time)
      periods.append(known[type])
    }
    var tail: PosixZone?
    if width == 8, end + 1 < bytes.count {
      let rule = bytes[(end + 1)...].prefix { $0 != 10 }
      tail = PosixZone(String(decoding: rule, as: UTF8.self))
      if tail?.daylight == nil && !transitions.isEmpty { tail = nil }
    }
    return TimeZoneRules(name: name, transitions: transitions, periods: periods, tail: tail)
  }
}

/// The system's `read`, by a name that no method hides.
private func readBytes(_ descriptor: Int32, _ target: UnsafeMutablePointer<UInt8>, _ count: Int)
  -> Int
{
  #if canImport(Glibc)
    unsafe Glibc.read(descriptor, target, count)
  #else
    unsafe Darwin.read(descriptor, target, count)
  #endif
}
