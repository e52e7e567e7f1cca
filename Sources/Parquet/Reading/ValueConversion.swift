import Columnar
import Diagnostics

/// Turns stored values into those of a column, a stretch at a time.
///
/// One thread at a time uses it.
struct ValueConversion {
  let form: ValueForm
  /// Values as they are stored, on their way.
  private var scratch = MemoryBlock(byteCount: 0)

  init(_ form: ValueForm) { self.form = form }

  private mutating func scratch<Element: BitwiseCopyable>(
    _ count: Int, of type: Element.Type
  ) -> Buffer<Element> {
    let size = count * MemoryLayout<Element>.stride
    if scratch.byteCount < size { scratch = MemoryBlock(byteCount: size, pages: .small) }
    return scratch.buffer(of: type)
  }

  /// Reads `count` values to `offset` on of memory that has room for them.
  ///
  /// What texts refer to is added to `heaps`.
  mutating func read(
    _ count: Int, from values: PageValues, into out: MemoryBlock, at offset: Int,
    _ heaps: inout [TextHeap]
  ) throws(Damage) {
    let rows = offset..<(offset + count)
    precondition(rows.upperBound * form.stride <= out.byteCount, "room is needed")
    switch form {
    case .boolean: try values.readBooleans(count, into: out.buffer(of: UInt8.self), at: offset)
    case .integer, .real: try values.read(count, into: out.buffer(of: UInt32.self), at: offset)
    case .bigint, .double: try values.read(count, into: out.buffer(of: UInt64.self), at: offset)
    case .smallint, .unsigned32, .decimal32, .time(.milliseconds):
      let stored = scratch(count, of: Int32.self)
      try values.read(count, into: stored, at: 0)
      try convert(stored, count, out, offset)
    case .unsigned64:
      let stored = scratch(count, of: UInt64.self)
      try values.read(count, into: stored, at: 0)
      let target = out.buffer(of: Numeric.self)
      for row in 0..<count {
        target[offset &+ row] = Numeric(coefficient: Int128(stored[row]), scale: 0)
      }
    case .date:
      let target = out.buffer(of: Int32.self)
      try values.read(count, into: target, at: offset)
      try TemporalConversion.dates(target, rows)
    case .time(let unit):
      let target = out.buffer(of: Int64.self)
      try values.read(count, into: target, at: offset)
      try TemporalConversion.times(target, rows, unit)
    case .timestamp(let unit, _):
      let target = out.buffer(of: Int64.self)
      try values.read(count, into: target, at: offset)
      try TemporalConversion.timestamps(target, rows, unit)
    case .decimal64: try values.read(count, into: out.buffer(of: Int64.self), at: offset)
    case .text, .json, .bytes:
      let target = out.buffer(of: TextView.self)
      try values.readViews(count, into: target, at: offset, &heaps)
      if form != .bytes { try TextConversion.check(target, rows, isJSON: form == .json) }
    case .half, .dayTimestamp, .decimalBytes, .uuid, .interval:
      let stored = scratch(count, of: TextView.self)
      var own: [TextHeap] = []
      try values.readViews(count, into: stored, at: 0, &own)
      try convert(stored, count, out, offset)
      withExtendedLifetime(own) {}
    case .null:
      guard count == 0 else { throw Damage("a column of NULLs has \(count) values") }
    }
  }

  private func convert(
    _ stored: Buffer<Int32>, _ count: Int, _ out: MemoryBlock, _ offset: Int
  ) throws(Damage) {
    if form == .smallint {
      let target = out.buffer(of: Int16.self)
      var misfits = 0
      for row in 0..<count {
        let value = stored[row]
        let small = Int16(truncatingIfNeeded: value)
        target[offset &+ row] = small
        misfits |= bit(Int32(small) != value)
      }
      guard misfits == 0 else {
        throw Damage(outOfRange: "a value is out of range for type smallint")
      }
      return
    }
    let target = out.buffer(of: Int64.self)
    if form == .unsigned32 {
      for row in 0..<count {
        target[offset &+ row] = Int64(UInt32(bitPattern: stored[row]))
      }
      return
    }
    for row in 0..<count { target[offset &+ row] = Int64(stored[row]) }
    if form == .time(.milliseconds) {
      try TemporalConversion.times(target, offset..<(offset + count), .milliseconds)
    }
  }

  private func convert(
    _ stored: Buffer<TextView>, _ count: Int, _ out: MemoryBlock, _ offset: Int
  ) throws(Damage) {
    if form == .uuid {
      let target = out.buffer(of: UUIDValue.self)
      for row in 0..<count {
        let bytes = stored[row].longBytes
        target[offset &+ row] = UUIDValue(
          high: bytes.word(at: 0).byteSwapped, low: bytes.word(at: 8).byteSwapped)
      }
    } else if form == .dayTimestamp {
      try TemporalConversion.dayTimestamps(stored, count, out.buffer(of: Int64.self), offset)
    } else if form == .interval {
      try TemporalConversion.intervals(stored, count, out.buffer(of: Interval.self), offset)
    } else if form == .half {
      let target = out.buffer(of: Float.self)
      for row in 0..<count {
        let bits = UInt16(truncatingIfNeeded: stored[row].inlineHead)
        target[offset &+ row] = Self.float(half: bits)
      }
    } else if case .decimalBytes(_, let scale) = form {
      try decimals(stored, count, out, offset, Int16(scale))
    }
  }

  private func decimals(
    _ stored: Buffer<TextView>, _ count: Int, _ out: MemoryBlock, _ offset: Int, _ scale: Int16
  ) throws(Damage) {
    let isSmall = form.smallDecimals != nil
    let small = out.buffer(of: Int64.self)
    let large = out.buffer(of: Numeric.self)
    for row in 0..<count {
      let (value, isLost) = Self.number(stored.bytes(at: row))
      let low = Int64(truncatingIfNeeded: value)
      guard !isLost, !isSmall || Int128(low) == value else {
        throw Damage(outOfRange: "a decimal has more digits than its column")
      }
      if isSmall {
        small[offset &+ row] = low
      } else {
        large[offset &+ row] = Numeric(coefficient: value, scale: scale)
      }
    }
  }

  /// The number that bytes are, the first of them highest, and whether some of it is lost.
  @inline(__always)
  private static func number(_ bytes: TextBytes) -> (Int128, isLost: Bool) {
    let count = bytes.count
    if count >= 8 && count <= 16 {
      let head = Int64(bitPattern: bytes.word(at: 0).byteSwapped)
      let rest = UInt64(truncatingIfNeeded: (count &- 8) &* 8)
      let tail = bytes.word(at: count &- 8).byteSwapped & ~(UInt64.max << rest)
      return (Int128(head) << Int128(rest) | Int128(tail), false)
    }
    var value: Int128 = count > 0 && bytes[0] >= 128 ? -1 : 0
    var isLost = false
    for index in 0..<count {
      // What is shifted out has to be the sign alone.
      isLost = isLost || value >> 119 != value >> 127
      value = value << 8 | Int128(bytes[index])
    }
    return (value, isLost)
  }

  /// The number that 16 bits stand for (IEEE 754 binary16).
  static func float(half bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let exponent = UInt32(bits >> 10 & 31)
    let fraction = UInt32(bits & 0x3FF)
    if exponent == 31 { return Float(bitPattern: sign | 0x7F80_0000 | fraction << 13) }
    if exponent > 0 { return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13) }
    let small = Float(fraction) * 0x1p-24
    return sign == 0 ? small : -small
  }
}

/// Looks at texts before they become those of a column.
enum TextConversion {
  /// Checks that texts are UTF-8 without NUL, and JSON where that is said.
  ///
  /// - Complexity: O(bytes), eight at a time over ASCII.
  static func check(
    _ views: Buffer<TextView>, _ rows: Range<Int>, isJSON: Bool
  ) throws(Damage) {
    let high: UInt64 = 0x8080_8080_8080_8080
    let ones: UInt64 = 0x0101_0101_0101_0101
    for row in rows {
      let view = views[row]
      if view.isInline {
        let length = UInt64(truncatingIfNeeded: view.count)
        // Bytes behind the end count as ones.
        let head = view.inlineHead | ones << (length &* 8)
        let rest = view.inlineRest | ones << (length > 8 ? (length &- 8) &* 8 : 0)
        let zeros = (head &- ones) | (rest &- ones)
        if (head | rest | zeros) & high == 0 { continue }
      } else {
        let bytes = view.longBytes
        var bits = 0 as UInt64
        var place = 0
        while place &+ 8 <= bytes.count {
          let word = bytes.word(at: place)
          bits |= word | (word &- ones)
          place &+= 8
        }
        // The last eight bytes, some of them once more.
        let word = bytes.word(at: bytes.count &- 8)
        bits |= word | (word &- ones)
        if bits & high == 0 { continue }
      }
      if let place = views.bytes(at: row).firstInvalidUTF8 {
        let byte = views.bytes(at: row)[place]
        let isZero = byte == 0
        throw Damage(
          outOfRange: "byte \(place) of a text is "
            + (isZero ? "0, which texts cannot have" : "not valid UTF-8"),
          state: .characterNotInRepertoire)
      }
    }
    guard isJSON else { return }
    for row in rows {
      do throws(SQLError) {
        try JSONText.validate(views.bytes(at: row))
      } catch { throw Damage(outOfRange: error.message, state: error.state) }
    }
  }
}
