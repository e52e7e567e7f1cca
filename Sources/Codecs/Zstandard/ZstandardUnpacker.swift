import Columnar

/// What stands in front of the blocks of a frame.
struct ZstandardFrame {
  private(set) var hasChecksum = false
  /// Where the first block stands, or what is passed over.
  private(set) var end: Int
  /// How many bytes a frame has that is passed over.
  private(set) var skipped: Int?
  /// How far back copies reach.
  private(set) var window = 0

  /// The most bytes that stand in front of the blocks.
  static let sizeMax = 18

  /// nil for what is no frame, or one that needs a dictionary.
  init?(_ bytes: Buffer<UInt8>, _ position: Int, _ limit: Int) {
    guard limit - position >= 5 else { return nil }
    let source = PagePointer(bytes)
    let word = source.word(at: position)
    if word & 0xFFFF_FFF0 == 0x184D_2A50 {
      guard limit - position >= 8 else { return nil }
      end = position + 8
      skipped = Int(word >> 32)
      return
    }
    guard word & 0xFFFF_FFFF == 0xFD2F_B528 else { return nil }
    let flags = Int(bytes[position + 4])
    // A bit that has no meaning yet, and dictionaries.
    guard flags & 0b1011 == 0 else { return nil }
    let isSingle = flags & 32 != 0
    let sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6]
    let sizePlace = position + 5 + (isSingle ? 0 : 1)
    end = sizePlace + sizeBytes
    hasChecksum = flags & 4 != 0
    guard end <= limit else { return nil }
    if isSingle {
      let size = source.word(at: sizePlace) & UInt64.max >> UInt64(64 - 8 * sizeBytes)
      window = Int(clamping: size) + (sizeBytes == 2 ? 256 : 0)
    } else {
      let descriptor = Int(bytes[position + 5])
      let base = 1 << (10 + descriptor >> 3)
      window = base + base / 8 * (descriptor & 7)
    }
  }
}

/// A block, which lies within its frame.
struct ZstandardBlock {
  let isLast: Bool
  /// 0 for bytes as they are, 1 for one byte repeated, 2 for packed ones.
  let kind: Int
  let size: Int
  let body: Range<Int>

  /// The most bytes of a block.
  static let sizeMax = 1 << 17
  /// The bytes in front of it.
  static let headSize = 3

  /// nil for what is none, or is cut off.
  init?(_ bytes: Buffer<UInt8>, _ position: Int, _ end: Int) {
    guard end - position >= Self.headSize else { return nil }
    let head = Int(PagePointer(bytes).word(at: position) & 0xFF_FFFF)
    isLast = head & 1 != 0
    kind = head >> 1 & 3
    size = head >> 3
    let length = kind == 1 ? 1 : size
    let start = position + Self.headSize
    guard kind < 3, size <= Self.sizeMax, length <= end - start else { return nil }
    body = start..<(start + length)
  }
}

/// Unpacks the blocks of a frame, each of which may use codes of the ones before.
struct ZstandardUnpacker {
  private var literals = Buffer<UInt8>(uninitialized: 0)
  private var literalCount = 0
  private var huffman: HuffmanTable?
  private var sequences = SequenceDecoder()

  /// Where blocks are unpacked to.
  struct Room {
    let output: Buffer<UInt8>
    /// Where the frame begins, or what is kept of it.
    let frameStart: Int
    /// Where the room ends, behind which there are `Zstandard.outputSlack` bytes more.
    let end: Int
  }

  /// Forgets what was in the frame before.
  mutating func beginFrame() {
    huffman = nil
    sequences.reset()
  }

  /// Unpacks a block to `out`, which moves on; what is wrong with it, if something is.
  mutating func unpack(
    _ block: ZstandardBlock, _ bytes: Buffer<UInt8>, to room: Room, _ out: inout Int
  ) -> String? {
    if block.kind < 2 {
      guard block.size <= room.end - out else { return "it is longer than it says" }
      if block.kind == 0 {
        room.output.copy(bytes, from: block.body.lowerBound, count: block.size, to: out)
      } else {
        room.output.fill(out..<(out + block.size), with: bytes[block.body.lowerBound])
      }
      out += block.size
      return nil
    }
    if literals.count == 0 {
      literals = Buffer(uninitialized: ZstandardBlock.sizeMax + Zstandard.outputSlack)
    }
    var place = block.body.lowerBound
    if let reason = readLiterals(bytes, &place, block.body.upperBound) { return reason }
    let target = SequenceDecoder.Target(
      literals: literals, literalCount: literalCount, output: room.output, start: room.frameStart,
      end: room.end)
    return sequences.run(bytes, place..<block.body.upperBound, target, &out)
  }

  /// Puts the literals of a block together.
  private mutating func readLiterals(
    _ bytes: Buffer<UInt8>, _ place: inout Int, _ end: Int
  ) -> String? {
    guard place < end else { return "a block is empty" }
    let word = PagePointer(bytes).word(at: place)
    let kind = Int(word & 3)
    let format = Int(word >> 2 & 3)
    if kind < 2 {
      let length = format & 1 == 0 ? 1 : format == 1 ? 2 : 3
      let size = Int(word >> (length == 1 ? 3 : 4) & [0, 0x1F, 0xFFF, 0xF_FFFF][length])
      let packed = kind == 1 ? 1 : size
      guard size <= ZstandardBlock.sizeMax, length + packed <= end - place else {
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
    guard size <= ZstandardBlock.sizeMax, size > 0, length + packed <= end - place else {
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
