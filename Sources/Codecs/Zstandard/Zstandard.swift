package import Columnar
package import Diagnostics

/// The Zstandard format, of data that are in memory as a whole.
///
/// Source: RFC 8878. Dictionaries are not supported.
package struct Zstandard {
  /// So many bytes behind a packed range may be read, whose values do not matter.
  package static let inputSlack = 16
  /// So many bytes behind the unpacked data are written.
  package static let outputSlack = 64
  /// The most bytes of a block.
  private static let blockMax = 1 << 17

  private let bytes: Buffer<UInt8>
  private let range: Range<Int>
  private var position: Int
  private let output: Buffer<UInt8>
  private let count: Int
  private var out = 0
  private var literals = Buffer<UInt8>(uninitialized: 0)
  private var literalCount = 0
  private var huffman: HuffmanTable?
  private var sequences = SequenceDecoder()

  /// Unpacks all frames of a range to exactly `count` bytes, which have `outputSlack` more behind them, in spare
  /// memory if there is enough.
  ///
  /// - Precondition: the buffer has `inputSlack` bytes behind the range.
  /// - Throws: 22P04 for data that is none of the format or whose checksum does not match, or that has another length, before memory
  ///   is asked for where its blocks cannot come to so much.
  /// - Complexity: O(*n*) in both lengths.
  package static func unpack(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, to count: Int, in spare: Buffer<UInt8>? = nil
  ) throws(SQLError) -> Buffer<UInt8> {
    precondition(
      range.lowerBound >= 0 && range.upperBound + inputSlack <= bytes.count && count >= 0,
      "the input needs slack behind it")
    let most = try sizeMax(bytes, range)
    guard count <= most else {
      throw damaged("it is shorter than the \(count) bytes that are wanted", at: 0)
    }
    var decoder = Zstandard(bytes, range, count, spare)
    while decoder.position < range.upperBound { try decoder.readFrame() }
    guard decoder.out == count else {
      throw damaged("it has \(decoder.out) bytes instead of \(count)", at: range.count)
    }
    return decoder.output
  }

  private init(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, _ count: Int, _ spare: Buffer<UInt8>?
  ) {
    self.bytes = bytes
    self.range = range
    self.count = count
    position = range.lowerBound
    output = Buffer.room(count + Self.outputSlack, in: spare)
  }

  private static func damaged(_ reason: String, at position: Int) -> SQLError {
    SQLError(
      .badCopyFileFormat, "zstandard data is damaged: \(reason), at byte \(position) of it")
  }

  private func damaged(_ reason: String) -> SQLError {
    Self.damaged(reason, at: position - range.lowerBound)
  }

  // MARK: Frames

  /// What stands in front of the blocks of a frame; nil for a frame that is passed over.
  private struct FrameHeader {
    var hasChecksum = false
    /// Where the first block stands, or the next frame if this one has no blocks.
    var end: Int
    var isSkipped = false
  }

  private static func header(
    _ bytes: Buffer<UInt8>, _ position: Int, _ end: Int
  ) -> FrameHeader? {
    guard end - position >= 5 else { return nil }
    let source = PagePointer(bytes)
    let word = source.word(at: position)
    if word & 0xFFFF_FFF0 == 0x184D_2A50 {
      let length = Int(word >> 32)
      guard length <= end - position - 8 else { return nil }
      return FrameHeader(end: position + 8 + length, isSkipped: true)
    }
    guard word & 0xFFFF_FFFF == 0xFD2F_B528 else { return nil }
    let flags = Int(bytes[position + 4])
    // A bit that has no meaning yet, and dictionaries.
    guard flags & 0b1011 == 0 else { return nil }
    let isSingle = flags & 32 != 0
    let sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6]
    let body = position + 5 + (isSingle ? 0 : 1) + sizeBytes
    guard body <= end else { return nil }
    return FrameHeader(hasChecksum: flags & 4 != 0, end: body)
  }

  /// The most bytes to which the blocks can come.
  private static func sizeMax(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>
  ) throws(SQLError) -> Int {
    var position = range.lowerBound
    var size = 0
    while position < range.upperBound {
      guard let header = header(bytes, position, range.upperBound) else {
        throw damaged(
          "it is no frame, or needs a dictionary", at: position - range.lowerBound)
      }
      position = header.end
      if header.isSkipped { continue }
      var isLast = false
      while !isLast {
        guard let block = Block(bytes, position, range.upperBound) else {
          throw damaged("a block is cut off", at: position - range.lowerBound)
        }
        isLast = block.isLast
        size += block.kind == 2 ? blockMax : block.size
        position = block.body.upperBound
      }
      position += header.hasChecksum ? 4 : 0
    }
    return size
  }

  /// A block, which lies within its frame.
  private struct Block {
    let isLast: Bool
    /// 0 for bytes as they are, 1 for one byte repeated, 2 for packed ones.
    let kind: Int
    let size: Int
    let body: Range<Int>

    init?(_ bytes: Buffer<UInt8>, _ position: Int, _ end: Int) {
      guard end - position >= 3 else { return nil }
      let head = Int(PagePointer(bytes).word(at: position) & 0xFF_FFFF)
      isLast = head & 1 != 0
      kind = head >> 1 & 3
      size = head >> 3
      let length = kind == 1 ? 1 : size
      guard kind < 3, size <= Zstandard.blockMax, length <= end - position - 3 else { return nil }
      body = (position + 3)..<(position + 3 + length)
    }
  }

  private mutating func readFrame() throws(SQLError) {
    guard let header = Self.header(bytes, position, range.upperBound) else {
      throw damaged("it is no frame")
    }
    position = header.end
    if header.isSkipped { return }
    let start = out
    huffman = nil
    sequences.reset()
    var isLast = false
    while !isLast {
      guard let block = Block(bytes, position, range.upperBound) else {
        throw damaged("a block is cut off")
      }
      isLast = block.isLast
      position = block.body.lowerBound
      if block.kind == 2 {
        if let reason = unpack(block.body, frameStart: start) { throw damaged(reason) }
      } else {
        guard block.size <= count - out else { throw damaged("it is longer than it says") }
        if block.kind == 0 {
          output.copy(bytes, from: position, count: block.size, to: out)
        } else {
          output.fill(out..<(out + block.size), with: bytes[position])
        }
        out += block.size
      }
      position = block.body.upperBound
    }
    guard header.hasChecksum else { return }
    guard range.upperBound - position >= 4 else { throw damaged("its checksum is cut off") }
    let wanted = UInt32(truncatingIfNeeded: PagePointer(bytes).word(at: position))
    guard UInt32(truncatingIfNeeded: XXHash64.hash(output, start..<out)) == wanted else {
      throw damaged("its checksum does not match")
    }
    position += 4
  }

  // MARK: Blocks

  /// Unpacks a block; what is wrong with it, if something is.
  private mutating func unpack(_ body: Range<Int>, frameStart: Int) -> String? {
    if literals.count == 0 {
      literals = Buffer(uninitialized: Self.blockMax + Self.outputSlack)
    }
    var place = body.lowerBound
    if let reason = readLiterals(&place, body.upperBound) { return reason }
    let target = SequenceDecoder.Target(
      literals: literals, literalCount: literalCount, output: output, start: frameStart, end: count)
    return sequences.run(bytes, place..<body.upperBound, target, &out)
  }

  /// Puts the literals of a block together.
  private mutating func readLiterals(_ place: inout Int, _ end: Int) -> String? {
    guard place < end else { return "a block is empty" }
    let word = PagePointer(bytes).word(at: place)
    let kind = Int(word & 3)
    let format = Int(word >> 2 & 3)
    if kind < 2 {
      let length = format & 1 == 0 ? 1 : format == 1 ? 2 : 3
      let size = Int(word >> (length == 1 ? 3 : 4) & [0, 0x1F, 0xFFF, 0xF_FFFF][length])
      let packed = kind == 1 ? 1 : size
      guard size <= Self.blockMax, length + packed <= end - place else {
        return "literals are cut off"
      }
      place += length
      if kind == 0 {
        literals.copy(bytes, from: place, count: size, to: 0)
      } else {
        literals.fill(0..<size, with: bytes[place])
      }
      place += packed
      literalCount = size
      return nil
    }
    let width = [10, 10, 14, 18][format]
    let length = [3, 3, 4, 5][format]
    let mask = 1 << UInt64(width) - 1 as UInt64
    let size = Int(word >> 4 & mask)
    let packed = Int(word >> UInt64(4 + width) & mask)
    guard size <= Self.blockMax, size > 0, length + packed <= end - place else {
      return "literals are cut off"
    }
    place += length
    let packedEnd = place + packed
    if kind == 2 { huffman = HuffmanTable(bytes, &place, end: packedEnd) }
    guard let huffman else { return "the code of literals is damaged" }
    let streams = place..<packedEnd
    let isWhole =
      format == 0
      ? huffman.unpack(bytes, streams, into: literals, 0..<size)
      : huffman.unpackFour(bytes, streams, into: literals, 0..<size)
    guard isWhole else { return "literals are damaged" }
    literalCount = size
    place = packedEnd
    return nil
  }
}
