import Columnar

/// Reads whole numbers of which the differences are packed: DELTA_BINARY_PACKED.
///
/// Source: "Encodings.md", github.com/apache/parquet-format, "Delta Encoding".
///
/// Numbers come a stretch at a time, so that one who claims millions of them in a few bytes is given no memory for them.
///
/// - Invariant: `position` never passes `end`, behind which the buffer has eight bytes more; the bits of the block in hand all
///   stand before `end`.
struct DeltaDecoder {
  private let bytes: Buffer<UInt8>
  private var position: Int
  private let end: Int
  /// How many numbers there are, and how many are still to come.
  let count: Int
  private(set) var left: Int
  private var last: Int64
  private let miniBlockCount: Int
  private let miniBlockSize: Int
  private var leastDelta: Int64 = 0
  /// Where the widths of the block's mini blocks stand; how many of them were begun.
  private var widths = 0
  private var begun: Int
  /// The mini block in hand: its width, the bit at which the next delta stands, how many are left.
  private var width = 0
  private var bit = 0
  private var miniLeft = 0
  private var isFirst = true

  /// The most numbers of a block.
  private static let blockMax = 1 << 16

  init(_ bytes: Buffer<UInt8>, _ range: Range<Int>) throws(Damage) {
    var reader = CompactReader(bytes, range)
    let blockSize = try reader.varint()
    let miniBlocks = try reader.varint()
    let total = try reader.varint()
    last = try reader.int64()
    guard blockSize > 0, blockSize <= UInt64(Self.blockMax), miniBlocks > 0,
      blockSize.isMultiple(of: miniBlocks), (blockSize / miniBlocks).isMultiple(of: 8)
    else {
      throw Damage("blocks of \(blockSize) numbers in \(miniBlocks) parts", at: range.lowerBound)
    }
    guard total <= UInt64(UInt32.max) else {
      throw Damage("\(total) numbers in a page", at: range.lowerBound)
    }
    self.bytes = bytes
    position = reader.position
    end = range.upperBound
    count = Int(total)
    left = count
    miniBlockCount = Int(miniBlocks)
    miniBlockSize = Int(blockSize / miniBlocks)
    begun = miniBlockCount
  }

  private mutating func beginBlock() throws(Damage) {
    var reader = CompactReader(bytes, position..<end)
    leastDelta = try reader.int64()
    guard miniBlockCount <= end - reader.position else {
      throw Damage("packed numbers are cut off", at: position)
    }
    widths = reader.position
    position = widths + miniBlockCount
    begun = 0
  }

  private mutating func beginMiniBlock() throws(Damage) {
    if begun == miniBlockCount { try beginBlock() }
    width = Int(bytes[widths + begun])
    guard width <= 64 else { throw Damage("numbers of \(width) bits", at: widths + begun) }
    begun += 1
    miniLeft = miniBlockSize
    bit = position * 8
    // The last one may be cut off behind its last number.
    let needed = (min(miniBlockSize, left) * width + 7) / 8
    guard needed <= end - position else {
      throw Damage("packed numbers are cut off", at: position)
    }
    position = min(end, position + miniBlockSize * width / 8)
  }

  /// The next numbers to `offset` on.
  ///
  /// - Precondition: the target has room.
  mutating func read<Number: FixedWidthInteger & BitwiseCopyable>(
    _ wanted: Int, into target: Buffer<Number>, at offset: Int
  ) throws(Damage) {
    precondition(wanted >= 0 && offset >= 0 && offset + wanted <= target.count, "room is needed")
    guard wanted <= left else {
      throw Damage("its values are \(count) numbers, fewer than its levels say")
    }
    var done = 0
    if isFirst && wanted > 0 {
      target[offset] = Number(truncatingIfNeeded: last)
      isFirst = false
      left -= 1
      done = 1
    }
    while done < wanted {
      if miniLeft == 0 { try beginMiniBlock() }
      let length = min(miniLeft, wanted - done)
      unpack(length, into: target, at: offset + done)
      miniLeft -= length
      left -= length
      done += length
    }
  }

  private mutating func unpack<Number: FixedWidthInteger & BitwiseCopyable>(
    _ length: Int, into target: Buffer<Number>, at offset: Int
  ) {
    let page = PagePointer(bytes)
    var value = last
    var bit = bit
    let (width, least) = (width, leastDelta)
    if width <= 56 {
      let mask: UInt64 = 1 &<< UInt64(truncatingIfNeeded: width) &- 1
      for index in offset..<(offset &+ length) {
        let word = page.word(at: bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7)
        value = value &+ least &+ Int64(bitPattern: word & mask)
        target[index] = Number(truncatingIfNeeded: value)
        bit &+= width
      }
    } else {
      let mask: UInt64 = width == 64 ? .max : 1 &<< UInt64(truncatingIfNeeded: width) &- 1
      for index in offset..<(offset &+ length) {
        let shift = UInt64(truncatingIfNeeded: bit & 7)
        var word = page.word(at: bit &>> 3) &>> shift
        // The bits of a number this wide may lie in nine bytes.
        if shift > 0 { word |= UInt64(bytes[bit &>> 3 &+ 8]) &<< (64 &- shift) }
        value = value &+ least &+ Int64(bitPattern: word & mask)
        target[index] = Number(truncatingIfNeeded: value)
        bit &+= width
      }
    }
    last = value
    self.bit = bit
  }

  /// Goes to the end of the numbers, and says where that is and what they come to.
  ///
  /// - Precondition: none was read.
  /// - Throws: for a number below 0, or a sum above `sumMax`.
  consuming func passed(sumMax: Int) throws(Damage) -> (end: Int, sum: Int) {
    let scratch = Buffer<Int64>(uninitialized: 4096)
    var sum = 0
    while left > 0 {
      // A few bytes may stand for millions of numbers.
      try RunningStatement.look()
      let length = min(left, scratch.count)
      try read(length, into: scratch, at: 0)
      for index in 0..<length {
        let number = scratch[index]
        guard number >= 0, number <= Int64(sumMax - sum) else {
          throw Damage("a text has the length \(number)", at: position)
        }
        sum += Int(number)
      }
    }
    return (position, sum)
  }
}
