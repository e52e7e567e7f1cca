import Synchronization

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
    return periods[index(after: seconds)]
  }

  /// The offset that a clock on the wall shows at `wall` seconds (as if that were UTC).
  ///
  /// As in PostgreSQL, a time that was skipped takes the offset before, one that was shown twice the offset after.
  package func offset(wall: Int64) -> Int {
    if isFixed { return periods[0].offset }
    // Offsets are below a day, and changes at least two days apart.
    let start = wall - 86_400
    let before = period(at: start).offset
    guard let change = change(after: start) else { return before }
    let earlier = wall - Int64(before)
    let later = wall - Int64(change.offset)
    if earlier < change.time && later < change.time { return before }
    if earlier > change.time && later >= change.time { return change.offset }
    return earlier > later ? before : change.offset
  }

  /// The first change after a time, and the offset from then on.
  private func change(after seconds: Int64) -> (time: Int64, offset: Int)? {
    let index = index(after: seconds)
    if index < transitions.count { return (transitions[index], periods[index + 1].offset) }
    return tail?.change(after: seconds)
  }

  /// The index of the first transition after a time.
  private func index(after seconds: Int64) -> Int {
    var lower = 0
    var upper = transitions.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if transitions[middle] <= seconds { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  /// The offset that the zone's clocks had at a time, or last before or first after it, under a short name; nil for one
  /// that they never had.
  func offset(of abbreviation: String, at seconds: Int64) -> Int? {
    let index = index(after: seconds)
    let name = abbreviation.uppercased()
    let found =
      periods[...index].last { $0.abbreviation == name }
      ?? periods[(index + 1)...].first { $0.abbreviation == name }
    return found?.offset
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
  /// Names that were asked for are kept up to this number; zones of the system's database are about 600.
  private static let cacheSize = 2000

  /// The zone of a name: one of the system's database in any case, or a POSIX rule.
  package static func named(_ name: String) -> TimeZoneRules? {
    let key = name.lowercased()
    if key == "utc" { return .utc }
    if let known = cache.withLock({ $0[key] }) { return known }
    let found = load(name) ?? PosixZone(name.uppercased()).map { rules($0, name.uppercased()) }
    cache.withLock { if $0.count < cacheSize { $0[key] = .some(found) } }
    return found
  }

  private static func rules(_ zone: PosixZone, _ name: String) -> TimeZoneRules {
    TimeZoneRules(
      name: name, transitions: [], periods: [zone.standard], tail: zone.daylight == nil ? nil : zone
    )
  }

  private static func load(_ name: String) -> TimeZoneRules? {
    guard let spelling = ZoneFile.spelling(of: name),
      let bytes = ZoneFile.read(ZoneFile.directory + spelling)
    else { return nil }
    return ZoneFile.decode(bytes, name: spelling)
  }

  /// The zone that is so many seconds east of Greenwich, with a name such as `<+05:30>-05:30`.
  package convenience init(offset: Int) {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (minutes, seconds) = (offset.magnitude / 60 % 60, offset.magnitude % 60)
    var text = padded(Int(offset.magnitude) / 3600)
    if minutes != 0 || seconds != 0 { text += ":" + padded(Int(minutes)) }
    if seconds != 0 { text += ":" + padded(Int(seconds)) }
    let (sign, inverse) = offset >= 0 ? ("+", "-") : ("-", "+")
    self.init(name: "<\(sign)\(text)>\(inverse)\(text)", offset: offset, abbreviation: sign + text)
  }
}
