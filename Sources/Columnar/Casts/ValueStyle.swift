/// How a session wants values written and read: `DateStyle`, `IntervalStyle`, `bytea_output`,
/// `extra_float_digits` and `TimeZone`.
package struct ValueStyle: Sendable {
  /// The first part of `DateStyle`: the form of dates.
  package enum Dates: Sendable { case iso, sql, postgres, german }
  /// The second part of `DateStyle`: which number of a date comes first.
  package enum Order: Sendable { case monthFirst, dayFirst, yearFirst }
  /// `IntervalStyle`.
  package enum Intervals: Sendable { case postgres, verbose, sqlStandard, iso8601 }

  package var dates: Dates = .iso
  package var order: Order = .monthFirst
  package var intervals: Intervals = .postgres
  /// Whether bytes are written with escapes (`\001`) in place of `\x01`.
  package var escapesBytes = false
  /// `extra_float_digits`: up to 0 there are so many digits more than 15 or 6, above it as many as are needed.
  package var extraFloatDigits = 1
  package var zone: TimeZoneRules

  package init(zone: TimeZoneRules = .utc) { self.zone = zone }
}
