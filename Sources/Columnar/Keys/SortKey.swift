import Diagnostics

/// Sort columns turned into one unsigned number a row, which compares as the columns do.
///
/// Each column adds a NULL bit, if it needs one, and its value's bits, the first column highest:
///
/// ```
/// | null | value of column 1 | null | value of column 2 | … |
/// ```
///
/// Whole numbers are stored as their distance from the column's least value, in just the bits that the
/// greatest distance needs. Texts give the bytes behind the prefix that they all share: all of them
/// if they fit, else as many as fill 64 bits. Once a column does not fit wholly, the key ends there
/// and `exactColumns` says from which column on ties need a comparison.
///
/// - Invariant: key order implies row order, and if `isExact`, equal keys imply equal rows.
struct SortKey {
  enum Keys {
    case narrow(Buffer<UInt64>)
    case wide(Buffer<UInt128>)
  }

  private(set) var keys: Keys
  /// How many low bits of the keys matter.
  private(set) var bits = 0
  /// The leading columns that the keys hold wholly.
  private(set) var exactColumns = 0
  private(set) var isExact = true
  /// How many bytes of the texts of the first column that is not exact are settled by the key.
  private(set) var settledBytes = 0

  /// - Precondition: the columns are flat or constant; exact numbers may be kept as whole ones.
  init(columns: [Vector], orders: [SortOrder], count: Int) throws(SQLError) {
    var pieces: [KeyPiece] = []
    for (column, order) in zip(columns, orders) {
      // A constant column orders nothing.
      if column.form == .constant || count == 0 {
        exactColumns += 1
        continue
      }
      let piece = try KeyPiece(column: column, order: order, count: count, room: 128 - bits)
      if piece.width == 0 && !piece.isExact {
        isExact = false
        break
      }
      pieces.append(piece)
      bits += piece.width
      if !piece.isExact {
        if case .prefix(let start, let length) = piece.code { settledBytes = start + length }
        isExact = false
        break
      }
      exactColumns += 1
    }
    keys =
      if bits <= 64 {
        .narrow(try Self.encoded(pieces, count))
      } else {
        .wide(try Self.encoded(pieces, count))
      }
  }

  /// Rows whose keys are in the cache from the first column to the last.
  private static let stretchLength = 1 << 15

  /// The keys of all rows, stretch by stretch on all cores.
  private static func encoded<
    Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable
  >(
    _ pieces: [KeyPiece], _ count: Int
  ) throws(SQLError) -> Buffer<Key> {
    let keys = Buffer<Key>(zeroed: count)
    let length = stretchLength
    try parallelForThrowing(tasks: (count + length - 1) / length) { (task) throws(SQLError) in
      let rows = (task * length)..<min((task + 1) * length, count)
      for piece in pieces { try piece.encode(into: keys, rows) }
    }
    return keys
  }

  /// Whether the keys show that the rows are in order.
  ///
  /// - Complexity: O(*n*) where they are; it ends at the first that is not.
  func isRising(_ count: Int) throws(SQLError) -> Bool {
    switch keys {
    case .narrow(let keys): try Self.isRising(keys, count, isExact)
    case .wide(let keys): try Self.isRising(keys, count, isExact)
    }
  }

  /// Rows of equal keys are in order only where the keys say all of them.
  private static func isRising<Key: FixedWidthInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, _ count: Int, _ isExact: Bool
  ) throws(SQLError) -> Bool {
    var row = 1
    while row < count {
      try RunningStatement.check()
      let end = min(count, row &+ Range.sliceLength)
      while row < end, keys[row &- 1] < keys[row] || isExact && keys[row &- 1] == keys[row] {
        row &+= 1
      }
      if row < end { return false }
    }
    return true
  }
}

/// One column's share of a sort key.
private struct KeyPiece: Sendable {
  /// How the values become bits.
  enum Code: Sendable {
    /// The distance from a least value.
    case distance(from: Int128)
    case bits
    /// Bytes of a text, from one place on.
    case prefix(from: Int, count: Int)
    case scaled(Int16, from: Int128)
    case nothing
  }

  let column: Vector
  /// The whole numbers of exact ones, which are brought into this form once.
  let scaled: Buffer<Int64>?
  let order: SortOrder
  let hasNulls: Bool
  var code: Code
  /// The bits of a value, without the NULL bit.
  var valueBits: Int
  var isExact: Bool
  var width: Int { valueBits + (hasNulls ? 1 : 0) }

  init(column: Vector, order: SortOrder, count: Int, room: Int) throws(SQLError) {
    self.column = column
    scaled = column.type == .numeric && column.decimals != nil ? column.scaledValues : nil
    self.order = order
    hasNulls = column.validity.nullCount(count) > 0
    code = .nothing
    valueBits = 0
    isExact = false
    let room = room - (hasNulls ? 1 : 0)
    if room < 0 { return }
    switch column.type.physical {
    case .bool: try setDistance(column.values(UInt8.self), count, room)
    case .int16: try setDistance(column.values(Int16.self), count, room)
    case .int32: try setDistance(column.values(Int32.self), count, room)
    case .int64: try setDistance(column.values(Int64.self), count, room)
    case .float: setBits(32, room)
    case .double: setBits(64, room)
    case .uuid: setBits(128, room)
    case .interval: setBits(96, room)
    case .numeric:
      if let scaled {
        try setDistance(scaled, count, room)
      } else {
        try setScaled(count, room)
      }
    case .text: try setPrefix(count, room)
    case .list, .record: break
    }
  }

  private mutating func setBits(_ bits: Int, _ room: Int) {
    guard bits <= room else { return }
    code = .bits
    valueBits = bits
    isExact = true
  }

  private mutating func setDistance<Element: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ count: Int, _ room: Int
  ) throws(SQLError) {
    var least = Element.max
    var greatest = Element.min
    let validity = column.validity
    let hasNulls = hasNulls
    try (0..<count).inSlices { slice in
      if hasNulls {
        for row in slice where validity.isValid(row) {
          least = min(least, values[row])
          greatest = max(greatest, values[row])
        }
      } else {
        for row in slice {
          least = min(least, values[row])
          greatest = max(greatest, values[row])
        }
      }
    }
    if least > greatest { least = greatest }
    let span = Int128(greatest) - Int128(least)
    let bits = 128 - span.leadingZeroBitCount
    guard bits <= room else { return }
    code = .distance(from: Int128(least))
    valueBits = bits
    isExact = true
  }

  /// Exact numbers are brought to the greatest scale of the column, if they fit then.
  private mutating func setScaled(_ count: Int, _ room: Int) throws(SQLError) {
    let values = column.values(Numeric.self)
    var scale: Int16 = 0
    let validity = column.validity
    var fits = true
    try (0..<count).inSlices { slice in
      for row in slice where validity.isValid(row) {
        fits = fits && values[row].kind == .finite
        scale = max(scale, values[row].scale)
      }
    }
    if !fits { return }
    var least = Int128.max
    var greatest = Int128.min
    let tens = DecimalPowers.table
    try (0..<count).inSlices { slice in
      for row in slice where validity.isValid(row) {
        let value = values[row]
        let (scaled, overflow) = value.coefficient.multipliedReportingOverflow(
          by: tens[Int(scale - value.scale)])
        if overflow { fits = false }
        least = min(least, scaled)
        greatest = max(greatest, scaled)
      }
    }
    if !fits { return }
    if least > greatest { least = greatest }
    let (span, overflow) = greatest.subtractingReportingOverflow(least)
    let bits = 128 - span.leadingZeroBitCount
    guard !overflow && bits <= room else { return }
    code = .scaled(scale, from: least)
    valueBits = bits
    isExact = true
  }

  private mutating func setPrefix(_ count: Int, _ room: Int) throws(SQLError) {
    if column.type == .jsonb { return }
    let values = column.values(TextView.self)
    var longest = 0
    let validity = column.validity
    try (0..<count).inSlices { slice in
      for row in slice where validity.isValid(row) { longest = max(longest, values[row].count) }
    }
    let start = longest > 8 ? try sharedPrefix(count) : 0
    var length = min(longest - start, room / 8)
    if length < longest - start {
      // What is left is settled among equals, so that the keys need not be wide for its sake.
      let narrow = (room - 64) / 8
      if narrow > 0 { length = min(length, narrow) }
    }
    code = .prefix(from: start, count: length)
    valueBits = length * 8
    // Text holds no NUL, so that zero padding is unambiguous; bytea may.
    isExact = longest == start + length && column.type != .bytea
  }

  /// How many leading bytes all texts have in common.
  private func sharedPrefix(_ count: Int) throws(SQLError) -> Int {
    let values = column.values(TextView.self)
    guard column.type != .character,
      let first = (0..<count).first(where: { column.validity.isValid($0) })
    else { return 0 }
    let sample = values.bytes(at: first)
    var shared = sample.count
    for row in first..<count where column.validity.isValid(row) {
      if row & 0xFFF == 0 { try RunningStatement.check() }
      let bytes = values.bytes(at: row)
      shared = min(shared, bytes.count)
      var place = 0
      while place < shared && bytes[place] == sample[place] { place &+= 1 }
      shared = place
      if shared == 0 { break }
    }
    return shared
  }

  /// Shifts the keys so far up and adds this column's bits below.
  func encode<Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    into keys: Buffer<Key>, _ rows: Range<Int>
  ) throws(SQLError) {
    switch column.type.physical {
    case .bool: try encodeDistance(column.values(UInt8.self), keys, rows)
    case .int16: try encodeDistance(column.values(Int16.self), keys, rows)
    case .int32: try encodeDistance(column.values(Int32.self), keys, rows)
    case .int64: try encodeDistance(column.values(Int64.self), keys, rows)
    case .float:
      let values = column.values(Float.self)
      try encode(keys, rows) { Key(truncatingIfNeeded: Self.ordered(values[$0])) }
    case .double:
      let values = column.values(Double.self)
      try encode(keys, rows) { Key(truncatingIfNeeded: Self.ordered(values[$0])) }
    case .uuid:
      let values = column.values(UUIDValue.self)
      try encode(keys, rows) {
        let value = values[$0]
        return Key(truncatingIfNeeded: UInt128(value.high) << 64 | UInt128(value.low))
      }
    case .interval:
      let values = column.values(Interval.self)
      try encode(keys, rows) {
        Key(truncatingIfNeeded: ValueOrder.span(values[$0]) &+ Int128(1) << 95)
      }
    case .numeric:
      if let scaled {
        try encodeDistance(scaled, keys, rows)
      } else {
        try encodeScaled(keys, rows)
      }
    case .text: try encodePrefix(keys, rows)
    case .list, .record: break
    }
  }

  private static func ordered(_ value: Double) -> UInt64 {
    let bits = Hashing.canonicalBits(value)
    let negative = Int64(bitPattern: bits) &>> 63
    return bits ^ (UInt64(bitPattern: negative) | 1 &<< 63)
  }

  private static func ordered(_ value: Float) -> UInt32 {
    let bits = value != value ? 0x7FC0_0000 : (value + 0.0).bitPattern
    let negative = Int32(bitPattern: bits) &>> 31
    return bits ^ (UInt32(bitPattern: negative) | 1 &<< 31)
  }

  private func encodeDistance<
    Element: FixedWidthInteger & BitwiseCopyable,
    Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable
  >(_ values: Buffer<Element>, _ keys: Buffer<Key>, _ rows: Range<Int>) throws(SQLError) {
    guard case .distance(let least) = code else { return }
    let base = Key(truncatingIfNeeded: least)
    try encode(keys, rows) { Key(truncatingIfNeeded: values[$0]) &- base }
  }

  private func encodeScaled<Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, _ rows: Range<Int>
  ) throws(SQLError) {
    guard case .scaled(let scale, let least) = code else { return }
    let values = column.values(Numeric.self)
    let tens = DecimalPowers.table
    let validity = column.validity
    try encode(keys, rows) {
      guard validity.isValid($0) else { return 0 }
      let value = values[$0]
      let scaled = value.coefficient &* tens[Int(scale - value.scale)]
      return Key(truncatingIfNeeded: scaled &- least)
    }
  }

  private func encodePrefix<Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, _ rows: Range<Int>
  ) throws(SQLError) {
    guard case .prefix(let start, let length) = code else { return }
    let values = column.values(TextView.self)
    let validity = column.validity
    let trims = column.type == .character
    try encode(keys, rows) {
      guard validity.isValid($0) else { return 0 }
      let whole = values.bytes(at: $0)
      let bytes = trims ? whole.withoutTrailingSpaces : whole
      let upper = bytes.orderWord(from: start)
      if length <= 8 { return Key(truncatingIfNeeded: upper >> UInt64(64 &- 8 &* length)) }
      let words = UInt128(upper) << 64 | UInt128(bytes.orderWord(from: start &+ 8))
      return Key(truncatingIfNeeded: words >> UInt128(128 &- 8 &* length))
    }
  }

  @inline(__always)
  private func encode<Key: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, _ rows: Range<Int>, _ bits: (Int) -> Key
  ) throws(SQLError) {
    // Shifts are smart, not masking: a piece may be as wide as the key itself.
    let mask: Key = valueBits >= Key.bitWidth ? Key.max : (1 << valueBits) - 1
    let flip: Key = order.descending ? mask : 0
    if !hasNulls {
      try rows.inSlices { slice in
        for row in slice { keys[row] = keys[row] << valueBits | (bits(row) ^ flip) & mask }
      }
      return
    }
    let nullFlag: Key = order.nullsFirst ? 0 : 1
    let validity = column.validity
    try rows.inSlices { slice in
      for row in slice {
        let upper = keys[row] << 1
        if validity.isValid(row) {
          keys[row] = (upper | (1 - nullFlag)) << valueBits | (bits(row) ^ flip) & mask
        } else {
          keys[row] = (upper | nullFlag) << valueBits
        }
      }
    }
  }
}
