/// A number with a decimal point, exact: `coefficient × 10^-scale`, or NaN or an infinity.
///
/// A coefficient has 38 digits, or 39 as far as 2^127 - 1; an operation whose result does not fit is 22003. The scale is
/// kept as PostgreSQL keeps it, so that `1.50` prints as `1.50`; `1.5` and `1.50` are equal.
/// 24 bytes.
@frozen package struct Numeric: BitwiseCopyable, Sendable {
  /// What a value is.
  @frozen package enum Kind: UInt8, BitwiseCopyable, Sendable {
    case finite, nan, positiveInfinity, negativeInfinity
  }
  @usableFromInline var low: UInt64
  @usableFromInline var high: Int64
  /// The digits behind the point, 0 to 38 for a finite value.
  package var scale: Int16
  package var kind: Kind

  /// The value `coefficient × 10^-scale`.
  @inlinable
  package init(coefficient: Int128, scale: Int16) {
    (low, high) = (coefficient._low, coefficient._high)
    self.scale = scale
    kind = .finite
  }

  /// A value that is no number.
  @inlinable
  package init(_ kind: Kind) {
    low = 0
    high = 0
    scale = 0
    self.kind = kind
  }

  /// The digits as a whole number; 0 where the value is not finite.
  ///
  /// Put together by its halves: conversions are generic calls in a debug build, where a tenth of the time went into this one.
  @inlinable
  package var coefficient: Int128 { Int128(_low: low, _high: high) }
}

/// A span of time as PostgreSQL keeps it, months, days and microseconds apart, in 16 bytes.
@frozen package struct Interval: BitwiseCopyable, Hashable, Sendable {
  package var months: Int32
  package var days: Int32
  package var microseconds: Int64

  @inlinable
  package init(months: Int32 = 0, days: Int32 = 0, microseconds: Int64 = 0) {
    self.months = months
    self.days = days
    self.microseconds = microseconds
  }
}

/// 128 bits that compare as their 16 bytes do.
@frozen package struct UUIDValue: BitwiseCopyable, Hashable, Comparable, Sendable {
  package var high: UInt64
  package var low: UInt64

  @inlinable
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  @inlinable
  package static func < (left: UUIDValue, right: UUIDValue) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}

/// Where the elements of an array value stand in the child vector, in 8 bytes.
@frozen package struct ListSlice: BitwiseCopyable, Hashable, Sendable {
  package var offset: UInt32
  package var count: UInt32

  @inlinable
  package init(offset: UInt32, count: UInt32) {
    self.offset = offset
    self.count = count
  }
}

/// One value by itself: for constants, parameters and the edges, never for data in bulk.
///
/// Dates are days, times and timestamps microseconds, since 2000-01-01 as in PostgreSQL; timestamptz
/// is UTC. `text` also carries bytea, json and jsonb.
package enum Value: Sendable {
  case null
  case boolean(Bool)
  case int16(Int16)
  case int32(Int32)
  case int64(Int64)
  case float(Float)
  case double(Double)
  indirect case numeric(Numeric)
  indirect case interval(Interval)
  indirect case uuid(UUIDValue)
  case text([UInt8])
  case list([Value])
  case record([Value])

  /// A text value.
  package static func string(_ text: String) -> Value { .text(Array(text.utf8)) }

  /// Whether the value is NULL.
  package var isNull: Bool {
    if case .null = self { return true }
    return false
  }
}
