/// A time of day with its distance from UTC, in one number.
///
/// The high bits hold the time in UTC, the low 20 the seconds west of Greenwich: so numbers are in the order of the
/// values, by the moment first, and equal where the values are.
package struct TimeWithZone: Sendable {
  package let rawValue: Int64

  private static let zoneBits: Int64 = 20
  private static let zoneBias: Int64 = 1 << 19
  private static let timeBias: Int64 = 1 << 38

  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// The time that clocks show, in microseconds, `offset` seconds east of Greenwich.
  package init(time: Int64, offset: Int) {
    let west = 0 &- Int64(offset)
    let universal = time &+ west &* 1_000_000
    rawValue =
      (universal &+ Self.timeBias) &<< Self.zoneBits | (west &+ Self.zoneBias)
  }

  /// Seconds east of Greenwich.
  package var offset: Int {
    Int(Self.zoneBias &- (rawValue & ((1 << Self.zoneBits) &- 1)))
  }

  /// The time that clocks show, in microseconds.
  package var time: Int64 {
    (rawValue &>> Self.zoneBits) &- Self.timeBias &+ Int64(offset) &* 1_000_000
  }
}
