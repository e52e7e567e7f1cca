import Columnar

/// The code of literals: an entry for each value of the next `log` bits.
///
/// Source: RFC 8878, section 4.2.
struct HuffmanTable {
  /// The byte (8 bits) and the length of its code (8).
  private let entries: Buffer<UInt16>
  /// The length of the longest code, at most 11.
  private let log: Int

  private static let logMax = 11

  /// Reads the description of a code, and leaves `position` behind it; nil for what is none.
  init?(_ bytes: Buffer<UInt8>, _ position: inout Int, end: Int) {
    guard position < end else { return nil }
    let head = Int(bytes[position])
    position += 1
    var weights: [Int] = []
    if head >= 128 {
      let count = head - 127
      guard (count + 1) / 2 <= end - position else { return nil }
      for index in 0..<count {
        let pair = bytes[position + index / 2]
        weights.append(Int(index & 1 == 0 ? pair >> 4 : pair & 15))
      }
      position += (count + 1) / 2
    } else {
      guard head <= end - position else { return nil }
      guard let read = Self.weights(bytes, position..<(position + head)) else { return nil }
      weights = read
      position += head
    }
    self.init(weights)
  }

  /// Weights packed by two states that take turns.
  private static func weights(_ bytes: Buffer<UInt8>, _ range: Range<Int>) -> [Int]? {
    var position = range.lowerBound
    guard
      let table = FSETable(bytes, &position, end: range.upperBound, logMax: 6, symbolMax: 255),
      position < range.upperBound,
      var bits = BackwardBits(bytes, position..<range.upperBound)
    else { return nil }
    var states = [Int(bits.take(table.log)), Int(bits.take(table.log))]
    guard bits.left >= 0 else { return nil }
    var weights: [Int] = []
    var turn = 0
    while weights.count < 256 {
      let entry = table.entries[states[turn]]
      weights.append(FSETable.symbol(entry))
      let step = FSETable.bitCount(entry)
      if step > bits.left {
        // The other state has one more.
        weights.append(FSETable.symbol(table.entries[states[1 - turn]]))
        return weights
      }
      states[turn] = FSETable.base(entry) + Int(bits.take(step))
      turn = 1 - turn
    }
    return nil
  }

  /// The code of weights; that of the last symbol is what is missing from a power of two.
  private init?(_ given: [Int]) {
    guard !given.isEmpty, given.count < 256, given.allSatisfy({ $0 <= Self.logMax }) else {
      return nil
    }
    let sum = given.reduce(0) { $0 + ($1 > 0 ? 1 << ($1 - 1) : 0) }
    guard sum > 0 else { return nil }
    let log = Int.bitWidth - sum.leadingZeroBitCount
    let rest = 1 << log - sum
    guard log <= Self.logMax, rest.nonzeroBitCount == 1 else { return nil }
    let weights = given + [rest.trailingZeroBitCount + 1]
    entries = Buffer(zeroed: 1 << log)
    self.log = log
    var place = 0
    for weight in 1...log {
      let entry = UInt16(log + 1 - weight) << 8
      for (symbol, own) in weights.enumerated() where own == weight {
        let length = 1 << (weight - 1)
        entries.fill(place..<(place + length), with: entry | UInt16(symbol))
        place += length
      }
    }
    // A code of one symbol would leave half of the table without a meaning.
    guard place == 1 << log else { return nil }
  }

  // MARK: Streams

  /// Unpacks one stream to exactly the bytes of `target`; false for bits that are none.
  func unpack(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, into output: Buffer<UInt8>, _ target: Range<Int>
  ) -> Bool {
    guard var bits = BackwardBits(bytes, range) else { return false }
    unpack(&bits, output, target)
    return bits.left == 0
  }

  private func unpack(_ bits: inout BackwardBits, _ output: Buffer<UInt8>, _ target: Range<Int>) {
    let table = PagePointer(entries)
    for index in target {
      let entry = table[Int(truncatingIfNeeded: bits.peek(log))]
      output[index] = UInt8(truncatingIfNeeded: entry)
      bits.left &-= Int(entry &>> 8)
    }
  }

  /// Unpacks four streams behind a table of their lengths to the bytes of `target`.
  func unpackFour(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, into output: Buffer<UInt8>, _ target: Range<Int>
  ) -> Bool {
    guard range.count >= 10 else { return false }
    let lengths = PagePointer(bytes).word(at: range.lowerBound)
    var starts = [range.lowerBound + 6]
    for stream in 0..<3 {
      starts.append(starts[stream] + Int(lengths >> UInt64(stream * 16) & 0xFFFF))
    }
    guard starts[3] < range.upperBound else { return false }
    let part = (target.count + 3) / 4
    guard part * 3 <= target.count,
      var a = BackwardBits(bytes, starts[0]..<starts[1]),
      var b = BackwardBits(bytes, starts[1]..<starts[2]),
      var c = BackwardBits(bytes, starts[2]..<starts[3]),
      var d = BackwardBits(bytes, starts[3]..<range.upperBound)
    else { return false }
    // Side by side, as each step of a stream has to wait for the one before.
    var done = 0
    let first = target.lowerBound
    let last = target.upperBound - (first + 3 * part)
    while done &+ 5 <= last, min(a.left, b.left, c.left, d.left) >= 56 {
      step(&a, output, first &+ done)
      step(&b, output, first &+ part &+ done)
      step(&c, output, first &+ 2 &* part &+ done)
      step(&d, output, first &+ 3 &* part &+ done)
      done &+= 5
    }
    unpack(&a, output, (first + done)..<(first + part))
    unpack(&b, output, (first + part + done)..<(first + 2 * part))
    unpack(&c, output, (first + 2 * part + done)..<(first + 3 * part))
    unpack(&d, output, (first + 3 * part + done)..<target.upperBound)
    return a.left == 0 && b.left == 0 && c.left == 0 && d.left == 0
  }

  /// Five bytes out of one word.
  ///
  /// - Precondition: 56 bits are left.
  @inline(__always)
  private func step(_ bits: inout BackwardBits, _ output: Buffer<UInt8>, _ place: Int) {
    let table = PagePointer(entries)
    let byte = (bits.left &- 56) &>> 3
    let word = bits.source.word(at: byte)
    var top = bits.left &- byte &* 8
    let mask = (1 as UInt64) &<< UInt64(truncatingIfNeeded: log) &- 1
    for index in 0..<5 {
      let code = word &>> UInt64(truncatingIfNeeded: top &- log) & mask
      let entry = table[Int(truncatingIfNeeded: code)]
      output[place &+ index] = UInt8(truncatingIfNeeded: entry)
      top &-= Int(entry &>> 8)
    }
    bits.left = byte &* 8 &+ top
  }
}
