package import Diagnostics

/// Reads intervals in PostgreSQL's, SQL's and ISO 8601's forms.
package struct IntervalParser {
  private typealias Problem = DateTimeFields.Problem

  private var fields = IntervalFields()

  /// Begins anew.
  mutating func reset() { fields = IntervalFields() }

  mutating func add(
    _ whole: Int64, _ part: Double, _ unit: IntervalUnit
  ) throws(DateTimeFields.Problem) {
    try fields.add(whole, part, unit)
  }

  /// The interval that a text spells; a number without unit has that of `range`, or seconds.
  ///
  /// - Throws: 22007, 22008, 22015.
  package static func parse(
    _ text: TextBytes, range: IntervalRange? = nil, style: ValueStyle.Intervals = .postgres
  ) throws(SQLError) -> Interval {
    var parser = IntervalParser()
    do throws(Problem) {
      do throws(Problem) {
        guard let tokens = DateTimeToken.tokens(text, capacity: 256) else { throw .format }
        try parser.read(tokens, range, isStandard: style == .sqlStandard)
      } catch {
        guard case .format = error else { throw error }
        // What is no interval in words may be one of ISO 8601.
        try parser.readISO(text)
      }
    } catch {
      switch error {
      case .field, .monthOrDay:
        throw SQLError(
          .intervalOverflow, "interval field value out of range: \"\(text.string)\"")
      case .format, .displacement, .zone: throw DateTimeParser.error(error, text, "interval")
      }
    }
    guard let value = parser.fields.interval else { throw Interval.overflow }
    return range?.apply(value) ?? value
  }

  /// The fields that a piece of the text gives; none may come twice.
  private struct Mask: OptionSet {
    let rawValue: Int
    static let time: Mask = [.unit(.hour), .unit(.minute), .unit(.second)]
    /// Seconds with a fraction, which stand for milliseconds and microseconds too.
    static let seconds: Mask = [.unit(.second), .unit(.millisecond), .unit(.microsecond)]

    static func unit(_ unit: IntervalUnit) -> Mask {
      let place =
        switch unit {
        case .microsecond: 0
        case .millisecond: 1
        case .second: 2
        case .minute: 3
        case .hour: 4
        case .day: 5
        case .week: 6
        case .month: 7
        case .year: 8
        case .decade: 9
        case .century: 10
        case .millennium: 11
        }
      return Mask(rawValue: 1 << place)
    }
  }

  /// What a number means that stands before what was read last.
  private enum Pending { case open, unit(IntervalUnit), nothing }

  /// `1 year 2 mons 3 days 04:05:06 ago`, `1-2 3 4:05:06`: from the end, so that units come before their numbers.
  private mutating func read(
    _ tokens: [DateTimeToken], _ range: IntervalRange?, isStandard: Bool
  ) throws(Problem) {
    let isSigned = { (token: DateTimeToken) in
      token.bytes[0] == UInt8(ascii: "-") || token.bytes[0] == UInt8(ascii: "+")
    }
    // In SQL a sign at the start is that of all fields, if no other has one.
    let isNegative =
      isStandard && tokens.first?.bytes[0] == UInt8(ascii: "-")
      && !tokens.dropFirst().contains(where: isSigned)
    var mask: Mask = []
    var pending = Pending.open
    var isAgo = false
    for token in tokens.reversed() {
      var found: Mask = []
      switch token.kind {
      case .time:
        try readClock(token.bytes, range, isNegative)
        found = .time
        pending = .unit(.day)
      case .zone where readSignedClock(token.bytes, range, isNegative):
        found = .time
        pending = .unit(.day)
      case .zone, .date, .number:
        found = try readNumber(token.bytes, range, &pending, isNegative)
      case .word, .special:
        let word = String(decoding: token.bytes.prefix(10), as: UTF8.self)
        if word == "ago" {
          isAgo = true
          pending = .nothing
        } else {
          guard let unit = IntervalUnit(word) else { throw .format }
          pending = .unit(unit)
        }
      }
      if !found.isDisjoint(with: mask) { throw .format }
      mask.formUnion(found)
    }
    if mask.isEmpty { throw .format }
    if isAgo { try fields.negate() }
  }

  private mutating func readClock(
    _ bytes: [UInt8], _ range: IntervalRange?, _ isNegative: Bool
  ) throws(Problem) {
    let clock = try ClockText(bytes, startsWithMinutes: range == .minuteToSecond)
    try fields.setTime(clock)
    if isNegative { fields.microseconds = 0 &- fields.microseconds }
  }

  /// `-04:05:06`; false for what is no time with a sign.
  private mutating func readSignedClock(
    _ bytes: [UInt8], _ range: IntervalRange?, _ isNegative: Bool
  ) -> Bool {
    guard bytes.contains(UInt8(ascii: ":")) else { return false }
    let before = fields
    do throws(Problem) {
      try readClock(Array(bytes.dropFirst()), range, false)
    } catch {
      fields = before
      return false
    }
    if bytes[0] == UInt8(ascii: "-") || isNegative {
      fields.microseconds = 0 &- fields.microseconds
    }
    return true
  }

  /// A number with the unit behind it, or `years-months`.
  private mutating func readNumber(
    _ bytes: [UInt8], _ range: IntervalRange?, _ pending: inout Pending, _ isNegative: Bool
  ) throws(Problem) -> Mask {
    if case .open = pending { pending = .unit(range?.unit ?? .second) }
    let isMinus = bytes[0] == UInt8(ascii: "-")
    var end = isMinus || bytes[0] == UInt8(ascii: "+") ? 1 : 0
    let start = end
    var whole: Int64 = 0
    while end < bytes.count, isDigit(bytes[end]) {
      let digit = Int64(bytes[end] &- 48)
      let product = whole.multipliedReportingOverflow(by: 10)
      let sum = product.partialValue.addingReportingOverflow(isMinus ? 0 - digit : digit)
      if product.overflow || sum.overflow { throw .field }
      whole = sum.partialValue
      end += 1
    }
    if end == start { whole = 0 }
    var part = 0.0
    if end < bytes.count, bytes[end] == UInt8(ascii: "-") {
      let months = try Self.months(bytes[(end + 1)...])
      let years = whole.multipliedReportingOverflow(by: 12)
      let sum = years.partialValue.addingReportingOverflow(isMinus ? 0 - months : months)
      if years.overflow || sum.overflow { throw .field }
      whole = sum.partialValue
      pending = .unit(.month)
    } else if end < bytes.count {
      guard bytes[end] == UInt8(ascii: ".") else { throw .format }
      part = try DateTimeFields.fraction(bytes[end...])
      if isMinus { part = -part }
    }
    if isNegative {
      if whole > 0 { whole = -whole }
      if part > 0 { part = -part }
    }
    guard case .unit(let unit) = pending else { throw .format }
    try fields.add(whole, part, unit)
    // Before the hours stand the days.
    if case .hour = unit { pending = .unit(.day) }
    if case .second = unit, part != 0 { return .seconds }
    return .unit(unit)
  }

  private static func months(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Int64 {
    if bytes.isEmpty { return 0 }
    let (value, end) = try DateTimeFields.integer(bytes)
    guard value < 12 else { throw .field }
    guard end == bytes.endIndex else { throw .format }
    return Int64(value)
  }
}
