import Columnar

/// What a stretch of data is packed into: bytes, and matches with what came before.
///
/// Matches are found through one table of the places at which four bytes were seen last, and taken as they come: the fast levels of
/// zlib and the like do so.
struct DeflateSymbols {
  /// A byte, or a match: its length above 16 bits of distance, with the highest bit set.
  private(set) var symbols: Buffer<UInt32>
  private(set) var count = 0
  private(set) var literalCounts = [Int](repeating: 0, count: 286)
  private(set) var distanceCounts = [Int](repeating: 0, count: 30)

  static let match: UInt32 = 1 << 31
  private static let tableBits: UInt32 = 15
  private static let matchMin = 4

  /// The places where four bytes that hash alike were seen last, plus one.
  struct Places {
    fileprivate let table = Buffer<Int32>(zeroed: 1 << 15)

    /// What stood at a place stands `distance` before it now.
    func move(by distance: Int) {
      let moved = Int32(truncatingIfNeeded: distance)
      for index in 0..<table.count { table[index] = max(0, table[index] &- moved) }
    }
  }

  /// Packs a range of bytes, with matches into the 32 KB before it.
  ///
  /// - Precondition: the buffer has eight bytes behind the range, of any value.
  /// - Complexity: O(*n*).
  init(_ bytes: Buffer<UInt8>, _ range: Range<Int>, _ places: Places) {
    symbols = Buffer(uninitialized: max(1, range.count))
    let page = PagePointer(bytes)
    let table = places.table
    let literalTally = Buffer<Int>(zeroed: 286)
    let distanceTally = Buffer<Int>(zeroed: 30)
    let (lengthSymbols, distanceSymbols) = (Self.lengthSymbols, Self.distanceSymbols)
    var position = range.lowerBound
    let last = range.upperBound &- 8
    var written = 0
    // Where nothing matches, places are passed over by ever greater steps.
    var misses = 0
    while position < range.upperBound {
      if position <= last {
        let word = UInt32(truncatingIfNeeded: page.word(at: position))
        let slot = Int(truncatingIfNeeded: (word &* 0x9E37_79B1) &>> (32 &- Self.tableBits))
        let candidate = Int(table[slot]) &- 1
        table[slot] = Int32(truncatingIfNeeded: position &+ 1)
        if candidate >= 0, position &- candidate <= Deflate.windowSize,
          UInt32(truncatingIfNeeded: page.word(at: candidate)) == word
        {
          let limit = min(Deflate.matchMax, range.upperBound &- position)
          let length = Self.matchLength(page, candidate, position, limit)
          let distance = position &- candidate
          symbols[written] =
            Self.match | UInt32(truncatingIfNeeded: length) &<< 16
            | UInt32(truncatingIfNeeded: distance &- 1)
          written &+= 1
          literalTally[257 &+ Int(lengthSymbols[length])] &+= 1
          distanceTally[Self.distanceSymbol(distance, distanceSymbols)] &+= 1
          // The end of a match is a likely place for the next one to begin.
          let end = position &+ length
          if end <= last {
            let tail = UInt32(truncatingIfNeeded: page.word(at: end &- 1))
            table[Int(truncatingIfNeeded: (tail &* 0x9E37_79B1) &>> (32 &- Self.tableBits))] =
              Int32(truncatingIfNeeded: end)
          }
          position = end
          misses = 0
          continue
        }
      }
      misses &+= 1
      let step = min(1 &+ misses &>> 7, range.upperBound &- position)
      for offset in 0..<step {
        let byte = bytes[position &+ offset]
        symbols[written] = UInt32(byte)
        written &+= 1
        literalTally[Int(byte)] &+= 1
      }
      position &+= step
    }
    literalTally[256] = 1
    count = written
    literalCounts = literalTally.array(286)
    distanceCounts = distanceTally.array(30)
  }

  /// How many bytes agree, at most `limit`; the first four do.
  @inline(__always)
  private static func matchLength(
    _ page: PagePointer<UInt8>, _ one: Int, _ two: Int, _ limit: Int
  ) -> Int {
    var length = matchMin
    while length < limit {
      let difference = page.word(at: one &+ length) ^ page.word(at: two &+ length)
      if difference != 0 {
        return min(limit, length &+ difference.trailingZeroBitCount &>> 3)
      }
      length &+= 8
    }
    return min(length, limit)
  }

  /// The symbol of each length, less 257.
  static let lengthSymbols: Buffer<UInt8> = {
    let table = Buffer<UInt8>(zeroed: Deflate.matchMax + 1)
    for (symbol, range) in Deflate.lengths.enumerated() {
      for length in range.base..<min(range.base + 1 << range.extraBits, Deflate.matchMax + 1) {
        table[length] = UInt8(symbol)
      }
    }
    return table
  }()

  /// The symbols of distances to 256, and by steps of 128 those of greater ones.
  static let distanceSymbols: Buffer<UInt8> = {
    let table = Buffer<UInt8>(zeroed: 512)
    for (symbol, range) in Deflate.distances.enumerated() {
      for distance in stride(
        from: range.base, to: range.base + 1 << range.extraBits, by: range.base > 256 ? 128 : 1)
      {
        table[distance <= 256 ? distance - 1 : 256 + (distance - 1) >> 7] = UInt8(symbol)
      }
    }
    return table
  }()

  @inline(__always)
  static func distanceSymbol(_ distance: Int, _ table: Buffer<UInt8>) -> Int {
    Int(table[distance <= 256 ? distance &- 1 : 256 &+ (distance &- 1) &>> 7])
  }
}
