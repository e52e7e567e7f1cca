package import Diagnostics

/// A time zone as a function's argument names it.
struct SpelledZone {
  private let rules: TimeZoneRules
  /// The abbreviation that it was named by, if that has meant several offsets.
  private let abbreviation: String?

  init(_ rules: TimeZoneRules, abbreviation: String? = nil) {
    self.rules = rules
    self.abbreviation = abbreviation
  }

  /// Abbreviations come first, as `EST` stands for the same in all sessions; then zones and POSIX rules.
  ///
  /// - Throws: 22023.
  init(_ name: TextBytes) throws(SQLError) {
    let text = name.string
    let key = text.lowercased()
    switch ZoneAbbreviation.named(key) {
    case .fixed(let seconds, _)?:
      self.init(TimeZoneRules(name: text, offset: seconds, abbreviation: text.uppercased()))
    case .changing?:
      guard let found = ZoneAbbreviation.rules(key) else { throw Self.unknown(text) }
      self.init(found, abbreviation: key)
    case nil:
      guard let found = TimeZoneRules.named(text) else { throw Self.unknown(text) }
      self.init(found)
    }
  }

  /// As above, or a distance from UTC with its sign: `+05:30`.
  ///
  /// - Throws: 22023.
  init(numeric name: TextBytes) throws(SQLError) {
    guard name.count > 0, isDigit(name[0]) || name[0] == 43 || name[0] == 45 else {
      try self.init(name)
      return
    }
    if isDigit(name[0]) {
      throw SQLError(
        .invalidParameterValue,
        "invalid input syntax for type numeric time zone: \"\(name.string)\"",
        hint: "Numeric time zones must have \"-\" or \"+\" as first character.")
    }
    do throws(DateTimeFields.Problem) {
      self.init(TimeZoneRules(offset: try DateTimeFields.displacement(name.array)))
    } catch {
      if case .displacement = error {
        throw SQLError(
          .invalidParameterValue, "numeric time zone \"\(name.string)\" out of range")
      }
      throw Self.unknown(name.string)
    }
  }

  private static func unknown(_ name: String) -> SQLError {
    SQLError(.invalidParameterValue, "time zone \"\(name)\" not recognized")
  }

  /// A timestamp of the zone's clocks for a timestamptz.
  func local(_ timestamp: Int64) -> Int64 {
    guard let abbreviation, Calendar.isFinite(timestamp: timestamp) else {
      return rules.local(timestamp)
    }
    let seconds = TimeZoneRules.unixSeconds(timestamp)
    let offset = rules.offset(of: abbreviation, at: seconds) ?? rules.offset(at: seconds)
    return timestamp + Int64(offset) * 1_000_000
  }

  /// The timestamptz at which the zone's clocks show a timestamp.
  func universal(_ timestamp: Int64) -> Int64 {
    guard let abbreviation, Calendar.isFinite(timestamp: timestamp) else {
      return rules.universal(timestamp)
    }
    return timestamp - Int64(ZoneAbbreviation.offset(abbreviation, wall: timestamp)) * 1_000_000
  }

  /// The offset of a zone that has but one, or that it has at a time.
  func offset(at seconds: Int64) -> Int {
    abbreviation.flatMap { rules.offset(of: $0, at: seconds) } ?? rules.offset(at: seconds)
  }
}

/// `timezone(zone, value)`, also `value AT TIME ZONE zone`.
extension TemporalFunctions {
  /// From timestamp to timestamptz and back.
  ///
  /// - Throws: 22023, 22008.
  package static func atTimeZone(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let times = Operand(arguments[1], Int64.self)
      let target: LogicalType = type == .timestamptz ? .timestamp : .timestamptz
      let isSpan = arguments[0].type == .interval
      let names = isSpan ? nil : Operand(arguments[0])
      let spans = isSpan ? Operand(arguments[0], Interval.self) : nil
      return try TextLoop.compute(arguments, count, target) { (row) throws(SQLError) -> Int64 in
        let time = times[row]
        guard Calendar.isFinite(timestamp: time) else { return time }
        if let names {
          let zone = try SpelledZone(names.bytes(row))
          return try TemporalArithmetic.checked(
            timestamp: type == .timestamptz ? zone.local(time) : zone.universal(time), false)
        }
        let distance = Int64(try offset(of: spans?[row] ?? Interval())) * 1_000_000
        let (moved, overflow) =
          type == .timestamptz
          ? time.addingReportingOverflow(distance) : time.subtractingReportingOverflow(distance)
        return try TemporalArithmetic.checked(timestamp: moved, overflow)
      }
    }
  }

  /// `timezone(zone, timetz)`: the same moment of the day on other clocks.
  ///
  /// - Throws: 22023.
  package static func timeAtTimeZone(
    _ arguments: [Vector], _ count: Int, _ context: EvaluationContext
  ) throws(SQLError) -> Vector {
    let times = Operand(arguments[1], Int64.self)
    let isSpan = arguments[0].type == .interval
    let names = isSpan ? nil : Operand(arguments[0])
    let spans = isSpan ? Operand(arguments[0], Interval.self) : nil
    let now = TimeZoneRules.unixSeconds(context.transactionTime)
    return try TextLoop.compute(arguments, count, .timetz) { (row) throws(SQLError) -> Int64 in
      let value = TimeWithZone(rawValue: times[row])
      let offset: Int
      if let names {
        offset = try SpelledZone(names.bytes(row)).offset(at: now)
      } else {
        offset = try self.offset(of: spans?[row] ?? Interval())
      }
      let day = Calendar.microsecondsPerDay
      let time = (value.time + Int64(offset - value.offset) * 1_000_000) % day
      return TimeWithZone(time: time < 0 ? time + day : time, offset: offset).rawValue
    }
  }

  /// The seconds east of Greenwich that an interval stands for, in 32 bits.
  ///
  /// - Throws: 22023 for one with months or days.
  private static func offset(of span: Interval) throws(SQLError) -> Int {
    guard span.months == 0 && span.days == 0 else {
      throw SQLError(
        .invalidParameterValue,
        "interval time zone \"\(Value.interval(span).text(of: .interval))\" must not include "
          + "months or days")
    }
    return Int(Int32(truncatingIfNeeded: span.microseconds / 1_000_000))
  }
}
