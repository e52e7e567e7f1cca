import Columnar
import Durability
import Storage

/// The values of one column of a key as numbers: equal values, also of other types that can be compared, are equal.
enum KeyCells {
  /// Hands over whole numbers, those of NULLs being any.
  @inline(__always)
  static func wholes(_ vector: Vector, _ count: Int, _ body: (Int, UInt64) -> Void) {
    switch vector.type.physical {
    case .bool: wholes(vector.values(UInt8.self), count, body)
    case .int16: wholes(vector.values(Int16.self), count, body)
    case .int32: wholes(vector.values(Int32.self), count, body)
    case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      wholes(vector.values(Int64.self), count, body)
    }
  }

  @inline(__always)
  private static func wholes<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ count: Int, _ body: (Int, UInt64) -> Void
  ) {
    for row in 0..<count { body(row, UInt64(truncatingIfNeeded: values[row])) }
  }

  /// Gives each value of a flat column a number; those of NULLs are any.
  ///
  /// - Complexity: O(*n*); values of arrays and composite types are put into memory of their own one by one.
  static func fill(_ cells: Buffer<UInt64>, _ vector: Vector, _ type: LogicalType, _ count: Int) {
    let validity = vector.validity
    switch vector.type.physical {
    case .bool, .int16, .int32, .int64:
      wholes(vector, count) { row, value in cells[row] = whole(value) }
    case .float:
      let values = vector.values(Float.self)
      for row in 0..<count { cells[row] = double(Double(values[row])) }
    case .double:
      let values = vector.values(Double.self)
      for row in 0..<count { cells[row] = double(values[row]) }
    case .interval:
      let values = vector.values(Interval.self)
      for row in 0..<count { cells[row] = wide(length(of: values[row]), tag: 5) }
    case .uuid:
      let values = vector.values(UUIDValue.self)
      for row in 0..<count { cells[row] = mixed(mixed(values[row].high &+ 6) ^ values[row].low) }
    // What stands at the place of a NULL may be no value at all.
    case .numeric:
      let values = vector.values(Numeric.self)
      for row in 0..<count where validity.isValid(row) { cells[row] = numeric(values[row]) }
    case .text:
      let views = vector.values(TextView.self)
      for row in 0..<count where validity.isValid(row) {
        cells[row] = text(views.bytes(at: row), type)
      }
    case .list, .record:
      var key: [UInt8] = []
      for row in 0..<count where validity.isValid(row) {
        key.removeAll(keepingCapacity: true)
        append(vector.value(at: row), type, to: &key)
        cells[row] = XXH64.hash(key.span)
      }
    }
  }

  /// Takes values into the hashes of keys; each NULL is like any other.
  static func add(
    _ cells: Buffer<UInt64>, _ vector: Vector, _ count: Int, to hashes: Buffer<UInt64>
  ) {
    let validity = vector.validity
    if validity.isAllValid {
      for row in 0..<count { hashes[row] = mixed(hashes[row] &+ step ^ cells[row]) }
      return
    }
    for row in 0..<count {
      let cell = validity.isValid(row) ? cells[row] : step
      hashes[row] = mixed(hashes[row] &+ step ^ cell)
    }
  }

  // MARK: Numbers

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Spreads every bit over all of them.
  @inline(__always)
  static func mixed(_ value: UInt64) -> UInt64 {
    var value = (value ^ value &>> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value &>> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value &>> 31
  }

  @inline(__always)
  private static func whole(_ value: UInt64) -> UInt64 { mixed(value &+ 1) }

  @inline(__always)
  private static func double(_ value: Double) -> UInt64 {
    // There are two zeros, and many that are no number.
    mixed((value == 0 ? 0 : value.isNaN ? .nan : value).bitPattern &+ 2)
  }

  private static func wide(_ value: Int128, tag: UInt64) -> UInt64 {
    mixed(
      mixed(UInt64(truncatingIfNeeded: value) &+ tag) ^ UInt64(truncatingIfNeeded: value &>> 64))
  }

  /// What intervals are compared by: months are 30 days, days 24 hours.
  private static func length(of value: Interval) -> Int128 {
    let days = Int128(value.months) * 30 + Int128(value.days)
    return days * 86_400_000_000 + Int128(value.microseconds)
  }

  private static func numeric(_ value: Numeric) -> UInt64 {
    guard value.kind == .finite else { return mixed(UInt64(value.kind.rawValue) &+ step &+ 4) }
    let (coefficient, scale) = reduced(value)
    if scale == 0, let whole = Int64(exactly: coefficient) {
      return self.whole(UInt64(bitPattern: whole))
    }
    return mixed(wide(coefficient, tag: 3) ^ UInt64(truncatingIfNeeded: scale))
  }

  /// A number without zeros at the end of its digits behind the point.
  private static func reduced(_ value: Numeric) -> (coefficient: Int128, scale: Int) {
    var (coefficient, scale) = (value.coefficient, Int(value.scale))
    while scale > 0, coefficient % 10 == 0 {
      coefficient /= 10
      scale -= 1
    }
    return (coefficient, scale)
  }

  private static func text(_ bytes: TextBytes, _ type: LogicalType) -> UInt64 {
    let count = length(of: bytes, type)
    var hash = UInt64(count) &+ 7
    var place = 0
    while place &+ 8 <= count {
      hash = mixed(hash ^ bytes.word(at: place))
      place &+= 8
    }
    var rest: UInt64 = 0
    while place < count {
      rest = rest &<< 8 | UInt64(bytes[place])
      place &+= 1
    }
    return mixed(hash ^ rest)
  }

  /// Blanks at the end of a `character` do not count.
  private static func length(of bytes: TextBytes, _ type: LogicalType) -> Int {
    var count = bytes.count
    if type == .character { while count > 0, bytes[count - 1] == 0x20 { count -= 1 } }
    return count
  }

  // MARK: Bytes

  /// Appends a value such that equal values, also of other types that can be compared, have equal bytes.
  static func append(_ value: Value, _ type: LogicalType, to key: inout [UInt8]) {
    switch value {
    case .null: key.append(0)
    case .boolean(let value): append(whole: value ? 1 : 0, to: &key)
    case .int16(let value): append(whole: Int64(value), to: &key)
    case .int32(let value): append(whole: Int64(value), to: &key)
    case .int64(let value): append(whole: value, to: &key)
    case .float(let value): append(double: Double(value), to: &key)
    case .double(let value): append(double: value, to: &key)
    case .numeric(let value): append(value, to: &key)
    case .interval(let value): append(wide: length(of: value), tag: 5, to: &key)
    case .uuid(let value):
      key.append(6)
      key.append(word: value.high)
      key.append(word: value.low)
    case .text(let bytes):
      // Blanks at the end of a `character` do not count.
      let end =
        type == .character ? (bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0) : bytes.count
      key.append(7)
      key.append(word: UInt64(end))
      key += bytes[..<end]
    case .list(let elements), .record(let elements):
      key.append(8)
      key.append(word: UInt64(elements.count))
      for element in elements { append(element, .text, to: &key) }
    }
  }

  private static func append(whole: Int64, to key: inout [UInt8]) {
    key.append(1)
    key.append(word: UInt64(bitPattern: whole))
  }

  private static func append(double: Double, to key: inout [UInt8]) {
    key.append(2)
    let value = double == 0 ? 0 : double.isNaN ? .nan : double
    key.append(word: value.bitPattern)
  }

  private static func append(wide: Int128, tag: UInt8, to key: inout [UInt8]) {
    key.append(tag)
    key.append(word: UInt64(truncatingIfNeeded: wide))
    key.append(word: UInt64(truncatingIfNeeded: wide >> 64))
  }

  private static func append(_ value: Numeric, to key: inout [UInt8]) {
    guard value.kind == .finite else {
      key.append(4)
      key.append(value.kind.rawValue)
      return
    }
    let (coefficient, scale) = reduced(value)
    if scale == 0, let whole = Int64(exactly: coefficient) {
      append(whole: whole, to: &key)
    } else {
      append(wide: coefficient, tag: 3, to: &key)
      key.append(UInt8(truncatingIfNeeded: scale))
    }
  }
}
