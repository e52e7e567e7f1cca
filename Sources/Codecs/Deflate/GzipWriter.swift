package import Columnar
package import Diagnostics

/// Packs data into a gzip file (RFC 1952), fast rather than small.
///
/// One thread at a time uses a writer. It holds about 3 MB however long the data is.
package final class GzipWriter {
  /// Takes the first so many bytes of a buffer.
  package typealias Drain = (Buffer<UInt8>, _ count: Int) throws(SQLError) -> Void

  private let drain: Drain
  /// Up to 32 KB that were packed, then what is still to be.
  private let input = Buffer<UInt8>(
    uninitialized: Deflate.windowSize + GzipWriter.blockSize + 8, pages: .small)
  private var packedEnd = 0
  private var inputEnd = 0
  private let places = DeflateSymbols.Places()
  private var bits = BitWriter(capacity: GzipWriter.blockSize * 2)
  private var checksum = CRC32()
  private var byteCount: UInt32 = 0
  private var isFinished = false

  /// The bytes of a block, which has its own code.
  private static let blockSize = 1 << 17
  /// The most bytes of a stored block.
  private static let storedMax = 65_535

  package init(_ drain: @escaping Drain) {
    self.drain = drain
    // No name, no time, an unknown system.
    for byte: UInt8 in [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 4, 255] { bits.add(UInt64(byte), 8) }
  }

  /// Adds `count` bytes from `offset` on.
  ///
  /// - Throws: what the drain throws.
  package func write(
    _ bytes: Buffer<UInt8>, from offset: Int, count: Int
  ) throws(SQLError) {
    precondition(!isFinished, "nothing is written behind the end")
    checksum.add(bytes, offset..<(offset + count))
    byteCount &+= UInt32(truncatingIfNeeded: count)
    var done = 0
    while done < count {
      if inputEnd == input.count - 8 { try packBlock(isLast: false) }
      let length = min(count - done, input.count - 8 - inputEnd)
      input.copy(bytes, from: offset + done, count: length, to: inputEnd)
      inputEnd += length
      done += length
    }
  }

  /// Packs what is left, and ends the file.
  ///
  /// - Throws: what the drain throws.
  package func finish() throws(SQLError) {
    if isFinished { return }
    isFinished = true
    try packBlock(isLast: true)
    bits.align()
    bits.add(UInt64(checksum.value), 32)
    bits.add(UInt64(byteCount), 32)
    try flush()
  }

  private func flush() throws(SQLError) {
    let whole = bits.takeWholeBytes()
    if whole > 0 { try drain(bits.bytes, whole) }
  }

  private func packBlock(isLast: Bool) throws(SQLError) {
    let range = packedEnd..<inputEnd
    let packed = DeflateSymbols(input, range, places)
    let block = DeflateBlock(packed)
    if block.bitCount < (range.count + 5 * (range.count / Self.storedMax + 1)) * 8 {
      block.write(isLast: isLast, to: &bits)
    } else {
      store(range, isLast: isLast)
    }
    try flush()
    // The last 32 KB stay for matches.
    let kept = min(Deflate.windowSize, inputEnd)
    let from = inputEnd - kept
    if from > 0 {
      for index in 0..<kept { input[index] = input[from + index] }
      places.move(by: from)
    }
    packedEnd = kept
    inputEnd = kept
  }

  /// Writes bytes as they are.
  private func store(_ range: Range<Int>, isLast: Bool) {
    var start = range.lowerBound
    repeat {
      let length = min(Self.storedMax, range.upperBound - start)
      let isEnd = start + length == range.upperBound
      bits.add(isLast && isEnd ? 1 : 0, 3)
      bits.align()
      bits.add(UInt64(length) | UInt64(length ^ 0xFFFF) << 16, 32)
      bits.append(input, from: start, count: length)
      start += length
    } while start < range.upperBound
  }
}

/// Bits put together to bytes, the first lowest.
struct BitWriter {
  let bytes: Buffer<UInt8>
  private var count = 0
  private var held: UInt64 = 0
  private var heldCount: UInt64 = 0

  init(capacity: Int) { bytes = Buffer(uninitialized: capacity + 8, pages: .small) }

  /// Adds the lowest `length` bits of `value`, which has no others; at most 56 at a time.
  ///
  /// - Precondition: there is room.
  @inline(__always)
  mutating func add(_ value: UInt64, _ length: UInt64) {
    held |= value &<< heldCount
    heldCount &+= length
    bytes.store(word: held, at: count)
    count &+= Int(truncatingIfNeeded: heldCount &>> 3)
    // All 64 bits are never held.
    held &>>= heldCount & ~7
    heldCount &= 7
  }

  /// Fills up the last byte with zeros.
  mutating func align() { if heldCount > 0 { add(0, 8 - heldCount) } }

  /// Adds bytes.
  ///
  /// - Precondition: the bits are aligned.
  mutating func append(_ source: Buffer<UInt8>, from start: Int, count length: Int) {
    bytes.copy(source, from: start, count: length, to: count)
    count += length
  }

  /// Says how many whole bytes there are, and begins anew with the bits behind them.
  mutating func takeWholeBytes() -> Int {
    defer { count = 0 }
    return count
  }
}
