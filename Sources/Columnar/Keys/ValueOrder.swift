/// The order of single values, type by type, as PostgreSQL's btree operators have it.
///
/// Results are negative, zero or positive. NULL is the caller's affair except inside arrays and records,
/// where it equals itself and is greater than every value.
package enum ValueOrder {
  /// Compares two numbers; NaN equals itself and is the greatest.
  @inlinable @inline(__always)
  package static func compare<Number: FloatingPoint>(_ left: Number, _ right: Number) -> Int {
    if left < right { return -1 }
    if left > right { return 1 }
    if left == right { return 0 }
    return bit(left.isNaN) &- bit(right.isNaN)
  }

  /// Compares two whole numbers.
  @inlinable @inline(__always)
  package static func compare<Number: FixedWidthInteger>(_ left: Number, _ right: Number) -> Int {
    bit(left > right) &- bit(left < right)
  }

  /// The length of an interval in microseconds, with 30 days a month and 24 hours a day.
  @inlinable @inline(__always)
  package static func span(_ value: Interval) -> Int128 {
    let days = Int64(value.months) &* 30 &+ Int64(value.days)
    return Int128(days) &* 86_400_000_000 &+ Int128(value.microseconds)
  }

  /// Compares two intervals by their length.
  @inlinable
  package static func compare(_ left: Interval, _ right: Interval) -> Int {
    compare(span(left), span(right))
  }

  /// Compares two UUIDs.
  @inlinable
  package static func compare(_ left: UUIDValue, _ right: UUIDValue) -> Int {
    bit(right < left) &- bit(left < right)
  }

  /// Compares two exact numbers, whatever their scales; NaN equals itself and is the greatest.
  package static func compare(_ left: Numeric, _ right: Numeric) -> Int {
    if left.kind != .finite || right.kind != .finite {
      return compare(rank(left.kind), rank(right.kind))
    }
    let a = left.coefficient
    let b = right.coefficient
    if left.scale == right.scale { return compare(a, b) }
    let tens = DecimalPowers.table
    let more = Int(left.scale &- right.scale)
    // 64 bits times 10^18 fit 128, and nothing is divided.
    if more < 0, more > -19, let small = Int64(exactly: a) {
      return compare(Int128(small) &* tens[-more], b)
    }
    if more > 0, more < 19, let small = Int64(exactly: b) {
      return compare(a, Int128(small) &* tens[more])
    }
    let (wholeA, restA) = a.quotientAndRemainder(dividingBy: tens[Int(left.scale)])
    let (wholeB, restB) = b.quotientAndRemainder(dividingBy: tens[Int(right.scale)])
    if wholeA != wholeB { return compare(wholeA, wholeB) }
    // A rest is below 10^scale, so scaling it up to the other's scale stays below 10^38.
    if left.scale < right.scale {
      return compare(restA &* tens[Int(right.scale - left.scale)], restB)
    }
    return compare(restA, restB &* tens[Int(left.scale - right.scale)])
  }

  private static func rank(_ kind: Numeric.Kind) -> Int {
    switch kind {
    case .negativeInfinity: 0
    case .finite: 1
    case .positiveInfinity: 2
    case .nan: 3
    }
  }

  /// Compares the values at two positions of flat storage, neither of them NULL.
  package static func compare(_ left: Vector, _ i: Int, _ right: Vector, _ j: Int) -> Int {
    switch left.type.physical {
    case .bool: return compare(left.values(UInt8.self)[i], right.values(UInt8.self)[j])
    case .int16: return compare(left.values(Int16.self)[i], right.values(Int16.self)[j])
    case .int32: return compare(left.values(Int32.self)[i], right.values(Int32.self)[j])
    case .int64: return compare(left.values(Int64.self)[i], right.values(Int64.self)[j])
    case .float: return compare(left.values(Float.self)[i], right.values(Float.self)[j])
    case .double: return compare(left.values(Double.self)[i], right.values(Double.self)[j])
    case .numeric: return compare(left.numeric(at: i), right.numeric(at: j))
    case .interval: return compare(left.values(Interval.self)[i], right.values(Interval.self)[j])
    case .uuid: return compare(left.values(UUIDValue.self)[i], right.values(UUIDValue.self)[j])
    case .text: return compareTexts(left, i, right, j)
    case .list: return compareLists(left, i, right, j)
    case .record:
      for field in left.children.indices where field < right.children.count {
        let order = compareNullable(left.children[field], i, right.children[field], j)
        if order != 0 { return order }
      }
      return left.children.count &- right.children.count
    }
  }

  private static func compareTexts(_ left: Vector, _ i: Int, _ right: Vector, _ j: Int) -> Int {
    let a = left.values(TextView.self)
    let b = right.values(TextView.self)
    switch left.type {
    case .character:
      return TextBytes.order(
        a.bytes(at: i).withoutTrailingSpaces, b.bytes(at: j).withoutTrailingSpaces)
    case .jsonb: return JSONOrder.compare(a.bytes(at: i), b.bytes(at: j))
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar, .name,
      .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid,
      .json, .oid, .array, .record, .enumeration, .unknown, .void:
      return TextView.order(a[i], b[j])
    }
  }

  private static func compareLists(_ left: Vector, _ i: Int, _ right: Vector, _ j: Int) -> Int {
    let a = left.values(ListSlice.self)[i]
    let b = right.values(ListSlice.self)[j]
    for index in 0..<Int(min(a.count, b.count)) {
      let order = compareNullable(
        left.children[0], Int(a.offset) + index, right.children[0], Int(b.offset) + index)
      if order != 0 { return order }
    }
    return compare(a.count, b.count)
  }

  /// Compares the values at two positions of flat storage; NULL is greatest and equals itself.
  package static func compareNullable(_ left: Vector, _ i: Int, _ right: Vector, _ j: Int) -> Int {
    let a = left.validity.isValid(i)
    let b = right.validity.isValid(j)
    if a && b { return compare(left, i, right, j) }
    return bit(!a) &- bit(!b)
  }
}

/// The powers of ten that fit 38 digits.
package enum DecimalPowers {
  /// 10^*n* at index *n*, up to 10^38.
  package static let table: Buffer<Int128> = {
    let powers = Buffer<Int128>(uninitialized: 39)
    var power: Int128 = 1
    for exponent in 0..<39 {
      powers[exponent] = power
      power = power &* 10
    }
    return powers
  }()
}
