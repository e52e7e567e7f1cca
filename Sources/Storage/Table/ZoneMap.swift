package import Columnar

/// Bounds of some values, in a form that compares as unsigned numbers.
///
/// - Invariant: every value lies between `minimum` and `maximum`; no NULL is missing from `nullCount`.
///   Updates only widen, so bounds may be wider than need be.
package struct Zone: BitwiseCopyable, Sendable {
  package var minimum = UInt64.max
  package var maximum: UInt64 = 0
  package var valueCount: UInt32 = 0
  package var nullCount: UInt32 = 0

  /// Bounds of no values.
  package init() {}

  init(minimum: UInt64, maximum: UInt64, valueCount: UInt32, nullCount: UInt32 = 0) {
    self.minimum = minimum
    self.maximum = maximum
    self.valueCount = valueCount
    self.nullCount = nullCount
  }

  mutating func merge(_ other: Zone) {
    minimum = min(minimum, other.minimum)
    maximum = max(maximum, other.maximum)
    valueCount &+= other.valueCount
    nullCount &+= other.nullCount
  }
}

/// How a column's value is compared with a constant, for skipping pages.
package enum ZoneComparison: Sendable {
  case equal, less, lessOrEqual, greater, greaterOrEqual
  case isNull, isNotNull
}

/// Order-keeping numbers for values of a type.
enum ZoneKey {
  /// How far the numbers of a type can be trusted.
  enum Precision { case none, inexact, exact }

  static func precision(_ type: LogicalType) -> Precision {
    switch type {
    case .character, .jsonb, .json, .unknown, .void: return .none
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar, .name,
      .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid,
      .oid, .array, .record, .enumeration:
      break
    }
    switch type.physical {
    case .bool, .int16, .int32, .int64, .float, .double: return .exact
    case .text, .uuid, .numeric: return .inexact
    case .interval, .list, .record: return .none
    }
  }

  @inline(__always)
  static func key(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

  /// NaN comes last and the zeros are one, as SQL orders them.
  @inline(__always)
  static func key(_ value: Double) -> UInt64 {
    let bits = Hashing.canonicalBits(value)
    return bits &>> 63 != 0 ? ~bits : bits | 1 &<< 63
  }

  @inline(__always)
  static func key(_ value: TextView) -> UInt64 { UInt64(value.orderPrefix) }

  /// The number of a constant; nil where the type has none.
  static func key(_ value: Value) -> UInt64? {
    switch value {
    case .boolean(let value): key(Int64(value ? 1 : 0))
    case .int16(let value): key(Int64(value))
    case .int32(let value): key(Int64(value))
    case .int64(let value): key(value)
    case .float(let value): key(Double(value))
    case .double(let value): key(value)
    case .uuid(let value): value.high
    case .text(let bytes):
      key(TextHeap().append(Array(bytes.prefix(TextView.inlineCapacity))))
    case .numeric(let value): key(value)
    case .null, .interval, .list, .record: nil
    }
  }

  /// Ten thousandths, rounded down: numbers of any scale compare by it.
  static func key(_ value: Numeric) -> UInt64 {
    switch value.kind {
    case .finite: break
    case .negativeInfinity: return key(Int64.min)
    case .positiveInfinity, .nan: return key(Int64.max)
    }
    let missing = Int(numericDigits) - Int(value.scale)
    if value.coefficient == 0 { return key(Int64(0)) }
    var number = value.coefficient
    // 39 digits or more are beyond any coefficient.
    for _ in 0..<min(abs(missing), 39) {
      if missing < 0 {
        number = number / 10 - (number < 0 && number % 10 != 0 ? 1 : 0)
      } else {
        let (product, overflow) = number.multipliedReportingOverflow(by: 10)
        if overflow { return key(number < 0 ? Int64.min : .max) }
        number = product
      }
    }
    return key(Int64(clamping: number))
  }

  /// So many digits behind the point tell numbers apart.
  private static let numericDigits = 4

  /// The value of a number, for types whose numbers are exact.
  static func value(_ key: UInt64, _ type: LogicalType) -> Value? {
    let whole = Int64(bitPattern: key ^ (1 << 63))
    switch type.physical {
    case .bool: return .boolean(whole != 0)
    case .int16: return .int16(Int16(truncatingIfNeeded: whole))
    case .int32: return .int32(Int32(truncatingIfNeeded: whole))
    case .int64: return .int64(whole)
    case .double: return .double(double(key))
    case .float: return .float(Float(double(key)))
    case .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  private static func double(_ key: UInt64) -> Double {
    Double(bitPattern: key &>> 63 != 0 ? key & ~(1 &<< 63) : ~key)
  }

  /// The bounds of some rows of a flat vector; nil for a type without numbers.
  static func zone(of flat: Vector, _ rows: Range<Int>) -> Zone? {
    guard precision(flat.type) != .none else { return nil }
    switch flat.type.physical {
    case .bool: return zone(flat, rows, UInt8.self) { key(Int64($0)) }
    case .int16: return zone(ofIntegers: flat, rows, Int16.self)
    case .int32: return zone(ofIntegers: flat, rows, Int32.self)
    case .int64: return zone(ofIntegers: flat, rows, Int64.self)
    case .float: return zone(flat, rows, Float.self) { key(Double($0)) }
    case .double: return zone(flat, rows, Double.self) { key($0) }
    case .uuid: return zone(flat, rows, UUIDValue.self) { $0.high }
    case .text: return zone(flat, rows, TextView.self) { key($0) }
    case .numeric: return zone(ofNumerics: flat, rows)
    case .interval, .list, .record: return nil
    }
  }

  /// Bounds of exact numbers, found among whole ones where they are kept so.
  private static func zone(ofNumerics flat: Vector, _ rows: Range<Int>) -> Zone {
    guard let decimals = flat.decimals else {
      return zone(flat, rows, Numeric.self) { key($0) }
    }
    let whole = Vector(
      .bigint, flat.scaledValues, count: flat.count, validity: flat.validity)
    var zone = zone(ofIntegers: whole, rows, Int64.self)
    if zone.valueCount > 0 {
      for bound in [\Zone.minimum, \Zone.maximum] {
        let number = Int64(bitPattern: zone[keyPath: bound] ^ (1 << 63))
        zone[keyPath: bound] = key(Numeric(coefficient: Int128(number), scale: decimals))
      }
    }
    return zone
  }

  /// Bounds found in the numbers' own width, which the compiler vectorises.
  @inline(__always)
  private static func zone<Element: FixedWidthInteger & BitwiseCopyable>(
    ofIntegers flat: Vector, _ rows: Range<Int>, _ element: Element.Type
  ) -> Zone {
    guard flat.validity.isAllValid, rows.count > 0 else {
      return zone(flat, rows, element) { key(Int64($0)) }
    }
    let values = flat.values(element)
    var least = values[rows.lowerBound]
    var greatest = least
    for row in rows {
      least = min(least, values[row])
      greatest = max(greatest, values[row])
    }
    return Zone(
      minimum: key(Int64(least)), maximum: key(Int64(greatest)),
      valueCount: UInt32(truncatingIfNeeded: rows.count))
  }

  @inline(__always)
  private static func zone<Element: BitwiseCopyable>(
    _ flat: Vector, _ rows: Range<Int>, _ element: Element.Type, _ key: (Element) -> UInt64
  ) -> Zone {
    let values = flat.values(element)
    var minimum = UInt64.max
    var maximum: UInt64 = 0
    var nulls: UInt32 = 0
    if let words = flat.validity.words {
      for row in rows {
        if words[row &>> 6] &>> UInt64(truncatingIfNeeded: row & 63) & 1 == 0 {
          nulls &+= 1
        } else {
          let number = key(values[row])
          minimum = min(minimum, number)
          maximum = max(maximum, number)
        }
      }
    } else {
      for row in rows {
        let number = key(values[row])
        minimum = min(minimum, number)
        maximum = max(maximum, number)
      }
    }
    return Zone(
      minimum: minimum, maximum: maximum,
      valueCount: UInt32(truncatingIfNeeded: rows.count) &- nulls, nullCount: nulls)
  }
}

/// A comparison with a constant, made ready to be tested against zone maps.
package struct ZoneProbe: Sendable {
  let comparison: ZoneComparison
  let key: UInt64
  let isExact: Bool

  /// nil if zone maps say nothing about such a comparison.
  ///
  /// - Precondition: the constant is of the column's physical type.
  package init?(_ comparison: ZoneComparison, _ constant: Value, type: LogicalType) {
    let precision = ZoneKey.precision(type)
    if comparison == .isNull || comparison == .isNotNull {
      key = 0
    } else {
      guard precision != .none, let number = ZoneKey.key(constant) else { return nil }
      key = number
    }
    guard precision != .none else { return nil }
    self.comparison = comparison
    isExact = precision == .exact
  }

  /// The comparison as a lower and an upper bound of values; nil for one that is none.
  var sides: (least: ZoneProbe?, greatest: ZoneProbe?)? {
    switch comparison {
    case .less, .lessOrEqual: (nil, self)
    case .greater, .greaterOrEqual: (self, nil)
    case .equal:
      (
        ZoneProbe(comparison: .greaterOrEqual, key: key, isExact: isExact),
        ZoneProbe(comparison: .lessOrEqual, key: key, isExact: isExact)
      )
    case .isNull, .isNotNull: nil
    }
  }

  private init(comparison: ZoneComparison, key: UInt64, isExact: Bool) {
    (self.comparison, self.key, self.isExact) = (comparison, key, isExact)
  }

  /// Whether some value between two others, or NULL, may satisfy the comparison; a bound that is nil is not known.
  package func mayHold(
    minimum: Value?, maximum: Value?, hasValues: Bool, hasNulls: Bool
  ) -> Bool {
    mayHold(
      in: Zone(
        minimum: minimum.flatMap { ZoneKey.key($0) } ?? 0,
        maximum: maximum.flatMap { ZoneKey.key($0) } ?? .max, valueCount: hasValues ? 1 : 0,
        nullCount: hasNulls ? 1 : 0))
  }

  /// Whether some value within the bounds may satisfy the comparison.
  func mayHold(in zone: Zone) -> Bool {
    switch comparison {
    case .isNull: return zone.nullCount > 0
    case .isNotNull: return zone.valueCount > 0
    case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual: break
    }
    guard zone.valueCount > 0 else { return false }
    switch comparison {
    case .equal: return zone.minimum <= key && key <= zone.maximum
    case .less: return isExact ? zone.minimum < key : zone.minimum <= key
    case .lessOrEqual: return zone.minimum <= key
    case .greater: return isExact ? zone.maximum > key : zone.maximum >= key
    case .greaterOrEqual: return zone.maximum >= key
    case .isNull, .isNotNull: return true
    }
  }

  /// Whether all values within the bounds satisfy the comparison, as far as the bounds tell.
  func mustHold(in zone: Zone) -> Bool {
    if comparison == .isNull { return zone.valueCount == 0 }
    guard zone.nullCount == 0 else { return false }
    switch comparison {
    case .isNull, .isNotNull: return true
    case .equal: return isExact && zone.minimum == key && zone.maximum == key
    case .less: return zone.maximum < key
    case .lessOrEqual: return isExact ? zone.maximum <= key : zone.maximum < key
    case .greater: return zone.minimum > key
    case .greaterOrEqual: return isExact ? zone.minimum >= key : zone.minimum > key
    }
  }
}
