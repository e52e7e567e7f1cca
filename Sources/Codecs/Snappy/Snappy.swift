package import Columnar
package import Diagnostics

/// Google's snappy format, as it stands in pages of other files: a length, then bytes and copies of earlier ones.
///
/// Source: "Snappy compressed format description", github.com/google/snappy, format_description.txt.
package enum Snappy {
  /// So many bytes behind a packed range may be read, whose values do not matter.
  package static let inputSlack = 8
  /// So many bytes behind the unpacked data are written.
  package static let outputSlack = 72
  /// Bytes are packed so many at a time, so that copies lie near enough for 16 bits.
  private static let blockSize = 1 << 16

  private static func damaged(_ reason: String, at position: Int) -> SQLError {
    SQLError(.badCopyFileFormat, "snappy data is damaged: \(reason), at byte \(position) of it")
  }

  // MARK: Unpacking

  /// Unpacks a range of bytes to exactly `count` of them.
  ///
  /// The result has `outputSlack` bytes behind the data; it stands in spare memory if there is enough.
  ///
  /// - Precondition: the buffer has `inputSlack` bytes behind the range.
  /// - Throws: 22P04 for data that is none of the format, or has another length.
  /// - Complexity: O(*n*) in both lengths.
  package static func unpack(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, to count: Int, in spare: Buffer<UInt8>? = nil
  ) throws(SQLError) -> Buffer<UInt8> {
    precondition(
      range.lowerBound >= 0 && range.upperBound + inputSlack <= bytes.count && count >= 0,
      "the input needs slack behind it")
    var position = range.lowerBound
    let end = range.upperBound
    // What is said of the length is checked against what is expected before memory is asked for.
    var length = 0
    var shift = 0
    while true {
      guard position < end, shift < 35 else {
        throw damaged("it does not say its length", at: position - range.lowerBound)
      }
      let byte = Int(bytes[position])
      position += 1
      length |= (byte & 127) << shift
      if byte < 128 { break }
      shift += 7
    }
    guard length == count else {
      throw damaged("it has \(length) bytes instead of \(count)", at: 0)
    }
    let output = Buffer.room(count + outputSlack, in: spare)
    let failure = unpack(bytes, &position, end, to: output, count)
    if let failure { throw damaged(failure, at: position - range.lowerBound) }
    return output
  }

  /// The elements of the format; what is wrong with them, if something is.
  private static func unpack(
    _ bytes: Buffer<UInt8>, _ place: inout Int, _ end: Int, to output: Buffer<UInt8>, _ count: Int
  ) -> String? {
    let source = PagePointer(bytes)
    let written = PagePointer(output)
    var position = place
    defer { place = position }
    let copies = copies
    var out = 0
    while position < end {
      let tag = Int(bytes[position])
      position &+= 1
      if tag & 3 == 0 {
        var length = tag &>> 2 &+ 1
        if length > 60 {
          let extra = length &- 60
          if position &+ extra > end { return "a length is cut off" }
          let mask = UInt64(1) &<< UInt64(truncatingIfNeeded: extra &* 8) &- 1
          length = Int(truncatingIfNeeded: source.word(at: position) & mask) &+ 1
          position &+= extra
        }
        if length > end &- position { return "bytes are cut off" }
        if length > count &- out { return "it is longer than it says" }
        if length <= 16, position &+ 16 <= end {
          output.store(word: source.word(at: position), at: out)
          output.store(word: source.word(at: position &+ 8), at: out &+ 8)
        } else {
          output.copy(bytes, from: position, count: length, to: out)
        }
        position &+= length
        out &+= length
        continue
      }
      // Which of the first two kinds of copies comes next is hard to foresee, so that both take the same path.
      let word = Int(truncatingIfNeeded: source.word(at: position) & 0xFFFF_FFFF)
      let entry = Int(copies[tag])
      let length = entry & 0xFF
      let kind = tag & 3
      let offset: Int
      if kind == 3 {
        offset = word
        position &+= 4
      } else {
        offset = (entry & 0x700) &+ word & (0xFFFF &>> (16 &- 8 &* kind))
        position &+= kind
      }
      if position > end { return "a copy is cut off" }
      if offset == 0 || offset > out { return "a copy reaches before the beginning" }
      if length > count &- out { return "it is longer than it says" }
      if offset >= 8 {
        var index = 0
        repeat {
          output.store(word: written.word(at: out &- offset &+ index), at: out &+ index)
          index &+= 8
        } while index < length
      } else {
        for index in 0..<length { output[out &+ index] = output[out &- offset &+ index] }
      }
      out &+= length
    }
    return out == count ? nil : "it is shorter than it says"
  }

  /// By the first byte of a copy: its length, and above eight bits what that byte says of the offset.
  private static let copies: Buffer<UInt16> = {
    let table = Buffer<UInt16>(uninitialized: 256)
    for tag: UInt16 in 0..<256 {
      let isNear = tag & 3 == 1
      let length = isNear ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1
      table[Int(tag)] = isNear ? length | (tag >> 5) << 8 : length
    }
    return table
  }()

  // MARK: Packing

  /// Packs the first `count` bytes, and says how many come out.
  ///
  /// - Precondition: the buffer has `inputSlack` bytes behind them.
  /// - Complexity: O(*n*).
  package static func pack(_ bytes: Buffer<UInt8>, count: Int) -> (bytes: Buffer<UInt8>, count: Int)
  {
    precondition(count + inputSlack <= bytes.count, "the input needs slack behind it")
    // The greatest length that data can come to, by the format's own library.
    let output = Buffer<UInt8>(uninitialized: 32 + count + count / 6)
    var out = 0
    var rest = count
    while rest >= 128 {
      output[out] = UInt8(truncatingIfNeeded: rest | 128)
      rest >>= 7
      out += 1
    }
    output[out] = UInt8(rest)
    out += 1
    let table = Buffer<UInt16>(uninitialized: 1 << tableBits)
    for start in stride(from: 0, to: count, by: blockSize) {
      packBlock(bytes, start..<min(start + blockSize, count), table, to: output, &out)
    }
    return (output, out)
  }

  private static let tableBits: UInt32 = 14

  private static func packBlock(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, _ table: Buffer<UInt16>, to output: Buffer<UInt8>,
    _ out: inout Int
  ) {
    let page = PagePointer(bytes)
    let start = range.lowerBound
    table.zero(0..<table.count)
    var position = start &+ 1
    // Bytes from here on are not written yet.
    var pending = start
    let last = range.upperBound &- 8
    var misses = 32
    while position <= last {
      let word = UInt32(truncatingIfNeeded: page.word(at: position))
      let slot = Int(truncatingIfNeeded: (word &* 0x1E35_A7BD) &>> (32 &- tableBits))
      let candidate = start &+ Int(table[slot])
      table[slot] = UInt16(truncatingIfNeeded: position &- start)
      guard UInt32(truncatingIfNeeded: page.word(at: candidate)) == word else {
        position &+= misses &>> 5
        misses &+= 1
        continue
      }
      var length = 4
      let limit = range.upperBound &- position
      while length < limit {
        let difference =
          page.word(at: candidate &+ length) ^ page.word(at: position &+ length)
        if difference != 0 {
          length = min(limit, length &+ difference.trailingZeroBitCount &>> 3)
          break
        }
        length = min(limit, length &+ 8)
      }
      writeBytes(bytes, pending..<position, to: output, &out)
      writeCopy(position &- candidate, length, to: output, &out)
      position &+= length
      pending = position
      misses = 32
    }
    writeBytes(bytes, pending..<range.upperBound, to: output, &out)
  }

  private static func writeBytes(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, to output: Buffer<UInt8>, _ out: inout Int
  ) {
    let length = range.count
    if length == 0 { return }
    if length <= 60 {
      output[out] = UInt8(truncatingIfNeeded: (length &- 1) &<< 2)
      out &+= 1
    } else if length <= 256 {
      output[out] = 60 &<< 2
      output[out &+ 1] = UInt8(truncatingIfNeeded: length &- 1)
      out &+= 2
    } else {
      output[out] = 61 &<< 2
      output[out &+ 1] = UInt8(truncatingIfNeeded: length &- 1)
      output[out &+ 2] = UInt8(truncatingIfNeeded: (length &- 1) &>> 8)
      out &+= 3
    }
    output.copy(bytes, from: range.lowerBound, count: length, to: out)
    out &+= length
  }

  private static func writeCopy(
    _ offset: Int, _ whole: Int, to output: Buffer<UInt8>, _ out: inout Int
  ) {
    var length = whole
    while length > 0 {
      // A rest of fewer than four bytes could not be a short copy.
      let part = length > 64 ? (length < 68 ? 60 : 64) : length
      if part >= 4 && part <= 11 && offset < 2048 {
        output[out] = UInt8(
          truncatingIfNeeded: 1 | (part &- 4) &<< 2 | (offset &>> 8) &<< 5)
        output[out &+ 1] = UInt8(truncatingIfNeeded: offset)
        out &+= 2
      } else {
        output[out] = UInt8(truncatingIfNeeded: 2 | (part &- 1) &<< 2)
        output[out &+ 1] = UInt8(truncatingIfNeeded: offset)
        output[out &+ 2] = UInt8(truncatingIfNeeded: offset &>> 8)
        out &+= 3
      }
      length &-= part
    }
  }
}
