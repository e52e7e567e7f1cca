package import Diagnostics

/// The fields that `interval '…' year to month` and its kin keep.
package enum IntervalRange: Sendable, Hashable {
  case year, month, day, hour, minute, second
  case yearToMonth, dayToHour, dayToMinute, dayToSecond, hourToMinute, hourToSecond, minuteToSecond

  /// The unit of a number that names none: the least field of the range.
  var unit: IntervalUnit {
    switch self {
    case .year: .year
    case .month, .yearToMonth: .month
    case .day: .day
    case .hour, .dayToHour: .hour
    case .minute, .hourToMinute, .dayToMinute: .minute
    case .second, .dayToSecond, .hourToSecond, .minuteToSecond: .second
    }
  }

  /// The interval without what lies below the range.
  package func apply(_ value: Interval) -> Interval {
    switch self {
    case .year: Interval(months: value.months / 12 * 12)
    case .month, .yearToMonth: Interval(months: value.months)
    case .day: Interval(months: value.months, days: value.days)
    case .hour, .dayToHour: cut(value, 3_600_000_000)
    case .minute, .dayToMinute, .hourToMinute: cut(value, 60_000_000)
    case .second, .dayToSecond, .hourToSecond, .minuteToSecond: value
    }
  }

  private func cut(_ value: Interval, _ unit: Int64) -> Interval {
    Interval(
      months: value.months, days: value.days, microseconds: value.microseconds / unit * unit)
  }
}

/// A unit of an interval's text.
enum IntervalUnit {
  case microsecond, millisecond, second, minute, hour, day, week, month, year, decade, century
  case millennium

  init?(_ word: String) {
    switch word {
    case "us", "usec", "usecs", "usecond", "useconds", "microsecon", "microsecond",
      "microseconds":
      self = .microsecond
    case "ms", "msec", "msecs", "msecond", "mseconds", "millisecon", "millisecond",
      "milliseconds":
      self = .millisecond
    case "s", "sec", "secs", "second", "seconds": self = .second
    case "m", "min", "mins", "minute", "minutes": self = .minute
    case "h", "hr", "hrs", "hour", "hours": self = .hour
    case "d", "day", "days": self = .day
    case "w", "week", "weeks": self = .week
    case "mon", "mons", "month", "months": self = .month
    case "y", "yr", "yrs", "year", "years": self = .year
    case "dec", "decs", "decade", "decades": self = .decade
    case "c", "cent", "century", "centuries": self = .century
    case "mil", "mils", "millennium", "millennia": self = .millennium
    default: return nil
    }
  }
}

/// Reads intervals in PostgreSQL's, SQL's and ISO 8601's forms.
package struct IntervalParser {
  private enum Problem: Error { case format, range }

  private var months: Int64 = 0
  private var days: Int64 = 0
  private var time: Int64 = 0

  /// The interval that a text spells; a number without unit has that of `range`, or seconds.
  ///
  /// - Throws: 22007, 22008, 22015.
  package static func parse(_ text: TextBytes, range: IntervalRange? = nil) throws(SQLError)
    -> Interval
  {
    var parser = IntervalParser()
    do throws(Problem) {
      let trimmed = text.trimmed()
      guard trimmed.count > 0 else { throw Problem.format }
      if trimmed[0] | 32 == UInt8(ascii: "p") {
        try parser.readISO(Array(trimmed.array.dropFirst()))
      } else {
        try parser.readVerbose(trimmed, range?.unit ?? .second)
      }
    } catch {
      switch error {
      case .format: throw DateTimeParser.invalid("interval", text)
      case .range:
        throw SQLError(
          .intervalOverflow, "interval field value out of range: \"\(text.string)\"")
      }
    }
    guard let months = Int32(exactly: parser.months) else { throw Interval.overflow }
    guard let days = Int32(exactly: parser.days) else {
      throw SQLError(.intervalOverflow, "interval field value out of range: \"\(text.string)\"")
    }
    let value = Interval(months: months, days: days, microseconds: parser.time)
    return range?.apply(value) ?? value
  }

  /// A number: its sign, whole part, and fraction.
  private struct Number {
    var isNegative: Bool
    var whole: Int64
    var fraction: Double

    var signedWhole: Int64 { isNegative ? -whole : whole }
    var signedFraction: Double { isNegative ? -fraction : fraction }
  }

  private static func number(_ bytes: [UInt8]) throws(Problem) -> Number {
    var digits = bytes[...]
    var isNegative = false
    if let sign = digits.first, sign == 45 || sign == 43 {
      isNegative = sign == 45
      digits = digits.dropFirst()
    }
    let parts = digits.split(separator: 46, maxSplits: 1, omittingEmptySubsequences: false)
    guard !parts.isEmpty, digits.contains(where: isDigit),
      parts.allSatisfy({ $0.allSatisfy(isDigit) }), parts[0].count <= 18
    else { throw parts.first.map({ $0.count > 18 }) ?? false ? .range : .format }
    var fraction = 0.0
    if parts.count == 2 && !parts[1].isEmpty {
      fraction = Double("0." + String(decoding: parts[1], as: UTF8.self)) ?? 0
    }
    return Number(
      isNegative: isNegative, whole: parts[0].reduce(0) { $0 * 10 + Int64($1 - 48) },
      fraction: fraction)
  }

  private mutating func add(_ number: Number, _ unit: IntervalUnit) throws(Problem) {
    let whole = number.signedWhole
    let fraction = number.signedFraction
    switch unit {
    case .microsecond:
      try addTime(whole, 1)
      try addTime(Int64(fraction.rounded(.toNearestOrEven)), 1)
    case .millisecond: try addTime(whole, 1000, fraction)
    case .second: try addTime(whole, 1_000_000, fraction)
    case .minute: try addTime(whole, 60_000_000, fraction)
    case .hour: try addTime(whole, 3_600_000_000, fraction)
    case .day:
      try add(&days, whole, 1)
      try addTime(0, 86_400_000_000, fraction)
    case .week:
      try add(&days, whole, 7)
      try addDays(fraction * 7)
    case .month:
      try add(&months, whole, 1)
      try addDays(fraction * 30)
    case .year: try addYears(whole, fraction, 12)
    case .decade: try addYears(whole, fraction, 120)
    case .century: try addYears(whole, fraction, 1200)
    case .millennium: try addYears(whole, fraction, 12_000)
    }
  }

  private mutating func addYears(_ whole: Int64, _ fraction: Double, _ unit: Int64)
    throws(Problem)
  {
    try add(&months, whole, unit)
    try add(&months, Int64((fraction * Double(unit)).rounded(.toNearestOrEven)), 1)
  }

  private mutating func addDays(_ value: Double) throws(Problem) {
    let whole = value.rounded(.towardZero)
    try add(&days, Int64(whole), 1)
    try addTime(0, 86_400_000_000, value - whole)
  }

  private mutating func addTime(_ whole: Int64, _ unit: Int64, _ fraction: Double = 0)
    throws(Problem)
  {
    try add(&time, whole, unit)
    try add(&time, Int64((fraction * Double(unit)).rounded(.toNearestOrEven)), 1)
  }

  private func add(_ target: inout Int64, _ value: Int64, _ unit: Int64) throws(Problem) {
    let product = value.multipliedReportingOverflow(by: unit)
    let sum = target.addingReportingOverflow(product.partialValue)
    if product.overflow || sum.overflow { throw .range }
    target = sum.partialValue
  }

  /// `1 year 2 mons 3 days 04:05:06 ago`, `1-2 3 4:05:06`.
  private mutating func readVerbose(_ text: TextBytes, _ unit: IntervalUnit) throws(Problem) {
    let words = Self.cut(text.array)
    var isAgo = false
    var pending: Number?
    for (index, word) in words.enumerated() {
      guard let first = word.first else { continue }
      if first &- 97 < 26 {
        let name = String(decoding: word, as: UTF8.self)
        if name == "ago" && index == words.count - 1 && index > 0 {
          isAgo = true
          break
        }
        guard let number = pending, let unit = IntervalUnit(name) else { throw .format }
        try add(number, unit)
        pending = nil
      } else if word.contains(58) {
        if let number = pending { try add(number, .day) }
        pending = nil
        try readClock(word)
      } else if word.dropFirst().contains(45) {
        guard pending == nil else { throw .format }
        try readYearMonth(word)
      } else {
        guard pending == nil else { throw .format }
        pending = try Self.number(word)
      }
    }
    if let number = pending { try add(number, unit) }
    guard !words.isEmpty, !(words.count == 1 && isAgo) else { throw .format }
    if isAgo {
      for field in [\Self.months, \Self.days, \Self.time] {
        guard self[keyPath: field] != .min else { throw .range }
        self[keyPath: field] = -self[keyPath: field]
      }
    }
  }

  /// The words, numbers and clock times of a text, in lower case.
  private static func cut(_ bytes: [UInt8]) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    func isLetter(_ byte: UInt8) -> Bool { byte &- 97 < 26 }
    for byte in bytes {
      let lowered = byte &- 65 < 26 ? byte | 32 : byte
      if isSpace(lowered) || lowered == 44 || lowered == 64 {
        // A sign may stand apart from its number.
        if word == [45] || word == [43] { continue }
        if !word.isEmpty { words.append(word) }
        word = []
        continue
      }
      if let last = word.last, isLetter(last) != isLetter(lowered), !word.isEmpty {
        words.append(word)
        word = []
      }
      word.append(lowered)
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  private mutating func readYearMonth(_ word: [UInt8]) throws(Problem) {
    var body = word[...]
    let isNegative = body.first == 45
    if isNegative || body.first == 43 { body = body.dropFirst() }
    let parts = body.split(separator: 45, omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else {
      throw .format
    }
    let month = Int64(DateTimeFields.number(parts[1]))
    guard month < 12 else { throw .range }
    let (total, isTooLong) = try checked(Int64(DateTimeFields.number(parts[0])), 12)
      .addingReportingOverflow(month)
    guard !isTooLong else { throw .range }
    try add(&months, isNegative ? -total : total, 1)
  }

  /// `value * unit + more`, all of them at least zero.
  private func sum(_ value: Int, _ unit: Int64, _ more: Int64) throws(Problem) -> Int64 {
    let (sum, isTooLong) = try checked(Int64(value), unit).addingReportingOverflow(more)
    if isTooLong { throw .range }
    return sum
  }

  private func checked(_ value: Int64, _ unit: Int64) throws(Problem) -> Int64 {
    let product = value.multipliedReportingOverflow(by: unit)
    if product.overflow { throw .range }
    return product.partialValue
  }

  /// `hh:mm`, `hh:mm:ss.fff`, `mm:ss.fff`.
  private mutating func readClock(_ word: [UInt8]) throws(Problem) {
    var body = word[...]
    let isNegative = body.first == 45
    if isNegative || body.first == 43 { body = body.dropFirst() }
    let parts = body.split(separator: 58, omittingEmptySubsequences: false)
    guard parts.count <= 3, parts.dropLast().allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) })
    else { throw .format }
    let last = try Self.number(Array(parts[parts.count - 1]))
    let seconds: Int64
    let micro = Int64((last.fraction * 1e6).rounded(.toNearestOrEven))
    if parts.count == 2 && parts[1].contains(46) {
      guard last.whole < 60 else { throw .range }
      seconds = try sum(DateTimeFields.number(parts[0]), 60, last.whole)
    } else if parts.count == 2 {
      guard last.whole < 60 else { throw .range }
      seconds = try sum(DateTimeFields.number(parts[0]), 3600, last.whole * 60)
    } else {
      let minutes = Int64(DateTimeFields.number(parts[1]))
      guard minutes < 60 && last.whole <= 60 else { throw .range }
      seconds = try sum(DateTimeFields.number(parts[0]), 3600, minutes * 60 + last.whole)
    }
    let (total, isTooLong) = try checked(seconds, 1_000_000).addingReportingOverflow(micro)
    guard !isTooLong else { throw .range }
    try add(&time, isNegative ? -total : total, 1)
  }

  /// `1Y2M3DT4H5M6S`, or the alternative form `0001-02-03T04:05:06`.
  private mutating func readISO(_ bytes: [UInt8]) throws(Problem) {
    var isTime = false
    var number: [UInt8] = []
    var sawField = false
    for byte in bytes {
      let lowered = byte &- 65 < 26 ? byte | 32 : byte
      if isDigit(lowered) || lowered == 46 || lowered == 43 || lowered == 45 {
        number.append(lowered)
        continue
      }
      if lowered == UInt8(ascii: "t") && !isTime && number.isEmpty {
        isTime = true
        continue
      }
      let unit: IntervalUnit
      switch (lowered, isTime) {
      case (UInt8(ascii: "y"), false): unit = .year
      case (UInt8(ascii: "m"), false): unit = .month
      case (UInt8(ascii: "w"), false): unit = .week
      case (UInt8(ascii: "d"), false): unit = .day
      case (UInt8(ascii: "h"), true): unit = .hour
      case (UInt8(ascii: "m"), true): unit = .minute
      case (UInt8(ascii: "s"), true): unit = .second
      default: throw .format
      }
      try add(Self.number(number), unit)
      number = []
      sawField = true
    }
    guard number.isEmpty, sawField else { throw .format }
  }
}
