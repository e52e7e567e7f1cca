package import Columnar
package import Diagnostics

/// Blocks of LZ4: runs of bytes and copies of earlier ones.
///
/// Source: "LZ4 Block Format Description", github.com/lz4/lz4, doc/lz4_Block_format.md.
package enum LZ4 {
  /// So many bytes behind a packed range may be read, whose values do not matter.
  package static let inputSlack = 16
  /// So many bytes behind the unpacked data are written.
  package static let outputSlack = 64

  private static func damaged(_ reason: String, at position: Int) -> SQLError {
    SQLError(.badCopyFileFormat, "lz4 data is damaged: \(reason), at byte \(position) of it")
  }

  /// Unpacks one block to exactly `count` bytes, which have `outputSlack` more behind them, in spare memory if there is enough.
  ///
  /// - Precondition: the buffer has `inputSlack` bytes behind the range.
  /// - Throws: 22P04 for data that is none of the format, or has another length.
  /// - Complexity: O(*n*) in both lengths.
  package static func unpack(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, to count: Int, in spare: Buffer<UInt8>? = nil
  ) throws(SQLError) -> Buffer<UInt8> {
    let output = Buffer.room(count + outputSlack, in: spare)
    try unpack(bytes, range, into: output, 0..<count)
    return output
  }

  /// Unpacks blocks that each have the two lengths in front, highest byte first, as Hadoop writes them; or one block without.
  ///
  /// - Precondition: as of `unpack`.
  /// - Throws: as `unpack`.
  package static func unpackFramed(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, to count: Int, in spare: Buffer<UInt8>? = nil
  ) throws(SQLError) -> Buffer<UInt8> {
    var frames: [(packed: Range<Int>, unpacked: Range<Int>)] = []
    var (position, out) = (range.lowerBound, 0)
    while range.upperBound - position >= 8, out < count {
      let lengths = PagePointer(bytes).word(at: position).byteSwapped
      let (unpacked, packed) = (Int(lengths >> 32), Int(lengths & 0xFFFF_FFFF))
      position += 8
      guard unpacked <= count - out, packed <= range.upperBound - position else { break }
      frames.append((position..<(position + packed), out..<(out + unpacked)))
      position += packed
      out += unpacked
    }
    guard position == range.upperBound && out == count else {
      return try unpack(bytes, range, to: count, in: spare)
    }
    let output = Buffer.room(count + outputSlack, in: spare)
    for frame in frames { try unpack(bytes, frame.packed, into: output, frame.unpacked) }
    return output
  }

  private static func unpack(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, into output: Buffer<UInt8>, _ target: Range<Int>
  ) throws(SQLError) {
    precondition(
      range.lowerBound >= 0 && range.upperBound + inputSlack <= bytes.count
        && target.lowerBound >= 0 && target.upperBound + outputSlack <= output.count,
      "input and output need slack behind them")
    var position = range.lowerBound
    if let failure = unpack(bytes, &position, range.upperBound, output, target) {
      throw damaged(failure, at: position - range.lowerBound)
    }
  }

  /// The length that goes on behind a token; nil where it is cut off.
  private static func length(
    _ first: Int, _ bytes: Buffer<UInt8>, _ position: inout Int, _ end: Int
  ) -> Int? {
    var length = first
    if first < 15 { return length }
    while position < end {
      let byte = Int(bytes[position])
      position &+= 1
      length &+= byte
      if byte < 255 { return length }
    }
    return nil
  }

  /// The sequences of a block; what is wrong with them, if something is.
  private static func unpack(
    _ bytes: Buffer<UInt8>, _ place: inout Int, _ end: Int, _ output: Buffer<UInt8>,
    _ target: Range<Int>
  ) -> String? {
    let source = PagePointer(bytes)
    let written = PagePointer(output)
    var position = place
    defer { place = position }
    var out = target.lowerBound
    let limit = target.upperBound
    while position < end {
      let token = Int(bytes[position])
      position &+= 1
      guard let literals = length(token &>> 4, bytes, &position, end),
        literals <= end &- position
      else { return "bytes are cut off" }
      if literals > limit &- out { return "it is longer than it says" }
      if literals <= 16 {
        output.store(word: source.word(at: position), at: out)
        output.store(word: source.word(at: position &+ 8), at: out &+ 8)
      } else {
        output.copy(bytes, from: position, count: literals, to: out)
      }
      position &+= literals
      out &+= literals
      // The last sequence has no copy.
      if position == end { break }
      if end &- position < 2 { return "a copy is cut off" }
      let offset = Int(source.word(at: position) & 0xFFFF)
      position &+= 2
      guard let more = length(token & 15, bytes, &position, end) else {
        return "a copy is cut off"
      }
      if offset == 0 || offset > out &- target.lowerBound {
        return "a copy reaches before the beginning"
      }
      if more &+ 4 > limit &- out { return "it is longer than it says" }
      RepeatedBytes.copy(output, written, to: out, from: out &- offset, more &+ 4)
      out &+= more &+ 4
    }
    return out == limit ? nil : "it is shorter than it says"
  }
}
