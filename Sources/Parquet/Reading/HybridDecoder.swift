import Columnar

/// Reads numbers in the hybrid of runs and packed bits: levels, dictionary indexes, booleans.
///
/// Source: "Encodings.md", github.com/apache/parquet-format, "Run Length Encoding / Bit-Packing Hybrid".
///
/// - Invariant: `position` never passes `end`, behind which the buffer has eight bytes more; the packed numbers that are left all
///   stand before `end`.
struct HybridDecoder {
  private let bytes: Buffer<UInt8>
  private var position: Int
  private let end: Int
  /// The bits of a number, 0 to 32.
  private let width: Int
  /// How often `runValue` is still to come.
  private var runLeft = 0
  private var runValue: UInt32 = 0
  /// How many packed numbers are left, and the bit at which they begin.
  private var packedLeft = 0
  private var packedBit = 0

  init(_ bytes: Buffer<UInt8>, _ range: Range<Int>, width: Int) throws(Damage) {
    guard (0...32).contains(width) else {
      throw Damage("numbers of \(width) bits", at: range.lowerBound)
    }
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
    self.width = width
  }

  /// Goes on to the next run that is not empty.
  private mutating func advance() throws(Damage) {
    while runLeft == 0 && packedLeft == 0 {
      var header: UInt64 = 0
      var shift: UInt64 = 0
      while true {
        guard position < end, shift < 35 else {
          throw Damage("a run of numbers is cut off", at: position)
        }
        let byte = bytes[position]
        position += 1
        header |= UInt64(byte & 127) << shift
        if byte < 128 { break }
        shift += 7
      }
      let count = Int(header >> 1)
      if header & 1 == 0 {
        let length = (width + 7) / 8
        guard length <= end - position else {
          throw Damage("a run of numbers is cut off", at: position)
        }
        let mask = width == 32 ? UInt64(UInt32.max) : 1 << UInt64(length * 8) - 1
        runValue = UInt32(truncatingIfNeeded: PagePointer(bytes).word(at: position) & mask)
        position += length
        runLeft = count
      } else if width == 0 {
        runValue = 0
        runLeft = count * 8
      } else {
        // The last numbers may be left out where they only fill up the group.
        let room = (end - position) * 8 / width
        guard count > 0, room > 0 else {
          throw Damage("packed numbers are cut off", at: position)
        }
        packedLeft = min(count * 8, room)
        packedBit = position * 8
        position = min(end, position + count * width)
      }
    }
  }

  /// The next `count` numbers to `offset` on; gives the bits that are set in some of them, so that none is greater.
  ///
  /// - Precondition: the target has room.
  mutating func read<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ count: Int, into target: Buffer<Number>, at offset: Int
  ) throws(Damage) -> UInt32 {
    precondition(count >= 0 && offset >= 0 && offset + count <= target.count, "room is needed")
    var union: UInt32 = 0
    var done = 0
    while done < count {
      if runLeft == 0 && packedLeft == 0 { try advance() }
      let start = offset &+ done
      if runLeft > 0 {
        let length = min(runLeft, count - done)
        target.fill(start..<(start + length), with: Number(truncatingIfNeeded: runValue))
        union |= runValue
        runLeft -= length
        done += length
      } else {
        let length = min(packedLeft, count - done)
        union |= unpack(length, into: target, at: start)
        packedLeft -= length
        packedBit += length * width
        done += length
      }
    }
    return union
  }

  /// Passes over the next `count` numbers.
  mutating func skip(_ count: Int) throws(Damage) {
    var left = count
    while left > 0 {
      if runLeft == 0 && packedLeft == 0 { try advance() }
      left -= pass(left)
    }
  }

  /// As `readBits`, for bits that nobody wants; gives how many are set.
  ///
  /// - Precondition: the width is 1.
  mutating func skipBits(_ count: Int) throws(Damage) -> Int {
    precondition(width == 1, "a bit is a number of one bit")
    var (left, set) = (count, 0)
    while left > 0 {
      if runLeft == 0 && packedLeft == 0 { try advance() }
      if runLeft > 0 {
        if runValue > 1 { throw Damage("a level is \(runValue) where 1 is the most") }
        set += Int(runValue) * min(left, runLeft)
      } else {
        set += packedBits(min(left, packedLeft))
      }
      left -= pass(left)
    }
    return set
  }

  /// Passes over as many numbers of the run or the packed ones in hand as are left of `count`; gives how many these are.
  private mutating func pass(_ count: Int) -> Int {
    if runLeft > 0 {
      let length = min(runLeft, count)
      runLeft -= length
      return length
    }
    let length = min(packedLeft, count)
    packedLeft -= length
    packedBit += length * width
    return length
  }

  /// How many of the next packed bits are set.
  private func packedBits(_ count: Int) -> Int {
    let page = PagePointer(bytes)
    var (set, at) = (0, 0)
    while at < count {
      let bit = packedBit &+ at
      let step = min(count &- at, 56)
      let word = page.word(at: bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7)
      set &+= (word & (1 &<< UInt64(truncatingIfNeeded: step) &- 1)).nonzeroBitCount
      at &+= step
    }
    return set
  }

  private func unpack<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ count: Int, into target: Buffer<Number>, at offset: Int
  ) -> UInt32 {
    // A word has 57 bits at least from the one at which a number begins.
    switch width {
    case 0...7: unpack(8, count, into: target, at: offset)
    case 8...14: unpack(4, count, into: target, at: offset)
    case 15...28: unpack(2, count, into: target, at: offset)
    default: unpack(1, count, into: target, at: offset)
    }
  }

  /// Unpacks numbers so many to a word.
  @inline(__always)
  private func unpack<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ size: Int, _ count: Int, into target: Buffer<Number>, at offset: Int
  ) -> UInt32 {
    let page = PagePointer(bytes)
    let width = UInt64(truncatingIfNeeded: width)
    let mask: UInt64 = 1 &<< width &- 1
    var bit = packedBit
    var union: UInt64 = 0
    var index = offset
    let end = offset &+ count
    while index &+ size <= end {
      var word = page.word(at: bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7)
      for place in 0..<size {
        let number = word & mask
        target[index &+ place] = Number(truncatingIfNeeded: number)
        union |= number
        word &>>= width
      }
      index &+= size
      bit &+= size &* self.width
    }
    while index < end {
      let word = page.word(at: bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7)
      target[index] = Number(truncatingIfNeeded: word & mask)
      union |= word & mask
      index &+= 1
      bit &+= self.width
    }
    return UInt32(truncatingIfNeeded: union)
  }

  /// The next `count` numbers of one bit as bits of `words` from bit `offset` on; gives how many are set.
  ///
  /// - Precondition: the width is 1, the words have room, and all bits from `offset` on are zero.
  mutating func readBits(
    _ count: Int, into words: Buffer<UInt64>, at offset: Int
  ) throws(Damage) -> Int {
    precondition(
      width == 1 && count >= 0 && offset >= 0 && offset + count <= words.count * 64,
      "room is needed")
    var set = 0
    var done = 0
    while done < count {
      if runLeft == 0 && packedLeft == 0 { try advance() }
      let isRun = runLeft > 0
      if isRun && runValue > 1 { throw Damage("a level is \(runValue) where 1 is the most") }
      let length = min(isRun ? runLeft : packedLeft, count - done)
      let page = PagePointer(bytes)
      var at = 0
      while at < length {
        // Up to the end of a word, and no more than 56 bits, as a packed number may begin within a byte.
        let place = offset &+ done &+ at
        let shift = UInt64(truncatingIfNeeded: place & 63)
        let step = min(length &- at, 64 &- place & 63, 56)
        let bit = packedBit &+ at
        let source =
          isRun
          ? 0 &- UInt64(runValue)
          : page.word(at: bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7)
        let bits = source & (1 &<< UInt64(truncatingIfNeeded: step) &- 1)
        words[place &>> 6] |= bits &<< shift
        set &+= bits.nonzeroBitCount
        at &+= step
      }
      if isRun { runLeft -= length } else { packedLeft -= length }
      if !isRun { packedBit += length }
      done += length
    }
    return set
  }
}
