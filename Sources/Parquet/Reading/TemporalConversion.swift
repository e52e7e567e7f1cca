import Columnar
import Diagnostics

/// Brings dates and times to the engine's epoch and units.
///
/// Values are looked at all together, and one by one only where some value does not fit: infinities are no days.
enum TemporalConversion {
  /// Days since 1970 to days since 2000.
  static func dates(_ days: Buffer<Int32>, _ rows: Range<Int>) throws(Damage) {
    let shift = Int32(Calendar.unixEpochDay)
    let least = Calendar.dateRange.lowerBound &- shift
    let greatest = Calendar.dateRange.upperBound &- shift
    var misfits = 0
    for row in rows {
      let day = days[row]
      misfits |= bit(day < least) | bit(day > greatest)
      days[row] = day &+ shift
    }
    if misfits == 0 { return }
    for row in rows {
      let day = days[row] &- shift
      if day >= least && day <= greatest { continue }
      if day == .max {
        days[row] = Calendar.dateInfinity
      } else if day == .min || day == -.max {
        days[row] = Calendar.dateNegativeInfinity
      } else {
        throw Damage(
          outOfRange: "a date of \(day) days since 1970 is out of range", state: .datetimeOverflow)
      }
    }
  }

  /// Times of day in a unit to microseconds.
  static func times(_ times: Buffer<Int64>, _ rows: Range<Int>, _ unit: TimeUnit) throws(Damage) {
    let perDay: Int64
    switch unit {
    case .milliseconds: perDay = 86_400_000
    case .microseconds: perDay = Calendar.microsecondsPerDay
    case .nanoseconds: perDay = Calendar.microsecondsPerDay * 1000
    }
    var misfits = 0
    for row in rows { misfits |= bit(times[row] < 0) | bit(times[row] > perDay) }
    guard misfits == 0 else {
      throw Damage(outOfRange: "a time of day is out of range", state: .datetimeOverflow)
    }
    switch unit {
    case .milliseconds: for row in rows { times[row] = times[row] &* 1000 }
    case .microseconds: break
    case .nanoseconds: for row in rows { times[row] /= 1000 }
    }
  }

  /// Time since 1970 in a unit to microseconds since 2000; what is finer is cut off towards the past.
  static func timestamps(
    _ times: Buffer<Int64>, _ rows: Range<Int>, _ unit: TimeUnit
  ) throws(Damage) {
    let shift = Calendar.unixEpoch
    var least = Calendar.timestampRange.lowerBound - shift
    // Later ones would not fit 64 bits as microseconds since 1970.
    var greatest = Int64.max - 1
    switch unit {
    case .milliseconds: (least, greatest) = (least / 1000, greatest / 1000)
    case .microseconds: break
    case .nanoseconds: (least, greatest) = (.min + 1, .max - 1)
    }
    var misfits = 0
    for row in rows { misfits |= bit(times[row] < least) | bit(times[row] > greatest) }
    guard misfits == 0 else {
      for row in rows { times[row] = try one(times[row], unit, least...greatest) }
      return
    }
    switch unit {
    case .milliseconds: for row in rows { times[row] = times[row] &* 1000 &+ shift }
    case .microseconds: for row in rows { times[row] = times[row] &+ shift }
    case .nanoseconds:
      for row in rows {
        let time = times[row]
        times[row] = time / 1000 &- Int64(bit(time % 1000 < 0)) &+ shift
      }
    }
  }

  private static func one(
    _ time: Int64, _ unit: TimeUnit, _ range: ClosedRange<Int64>
  ) throws(Damage) -> Int64 {
    if time == .max { return Calendar.timestampInfinity }
    if time == .min || time == -.max { return Calendar.timestampNegativeInfinity }
    guard range.contains(time) else {
      throw Damage(outOfRange: "a timestamp is out of range", state: .datetimeOverflow)
    }
    switch unit {
    case .milliseconds: return time * 1000 + Calendar.unixEpoch
    case .microseconds: return time + Calendar.unixEpoch
    case .nanoseconds: return time / 1000 - (time % 1000 < 0 ? 1 : 0) + Calendar.unixEpoch
    }
  }

  /// Nanoseconds of a day, and its Julian number: what INT96 was used for.
  static func dayTimestamps(
    _ stored: Buffer<TextView>, _ count: Int, _ target: Buffer<Int64>, _ offset: Int
  ) throws(Damage) {
    for row in 0..<count {
      let time = Int64(bitPattern: stored[row].inlineHead)
      let number = UInt32(truncatingIfNeeded: stored[row].inlineRest)
      // The Julian day of 2000-01-01.
      let day = Int64(Int32(bitPattern: number)) - 2_451_545
      // Spark writes days of the far future that have gone beyond 32 bits; going beyond 64 brings them back.
      let sum =
        day &* Calendar.microsecondsPerDay &+ time / 1000 &- Int64(bit(time % 1000 < 0))
      guard Calendar.timestampRange.contains(sum) else {
        throw Damage(outOfRange: "a timestamp is out of range", state: .datetimeOverflow)
      }
      target[offset &+ row] = sum
    }
  }

  /// Months, days and milliseconds, each of four bytes.
  static func intervals(
    _ stored: Buffer<TextView>, _ count: Int, _ target: Buffer<Interval>, _ offset: Int
  ) throws(Damage) {
    for row in 0..<count {
      let head = stored[row].inlineHead
      let milliseconds = UInt32(truncatingIfNeeded: stored[row].inlineRest)
      guard let months = Int32(exactly: head & 0xFFFF_FFFF), let days = Int32(exactly: head >> 32)
      else { throw Damage(outOfRange: "an interval is out of range", state: .intervalOverflow) }
      target[offset &+ row] = Interval(
        months: months, days: days, microseconds: Int64(milliseconds) * 1000)
    }
  }
}
