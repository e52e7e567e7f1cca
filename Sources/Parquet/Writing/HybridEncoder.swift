import Columnar

/// Writes numbers in the hybrid of runs and packed bits (see `HybridDecoder`).
enum HybridEncoder {
  /// The bits that numbers up to `greatest` take.
  static func width(of greatest: Int) -> Int { Int.bitWidth - greatest.leadingZeroBitCount }

  /// Adds the first `count` numbers, each of at most `width` bits.
  ///
  /// - Complexity: O(*n*).
  static func append<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ numbers: Buffer<Number>, count: Int, width: Int, to target: inout ByteBuilder
  ) {
    var literals = 0
    var place = 0
    while place < count {
      let value = numbers[place]
      var end = place &+ 1
      while end < count, numbers[end] == value { end &+= 1 }
      // Packed numbers come in groups of eight, which a run may have to fill up.
      let missing = (literals &- place) & 7
      if end &- place &- missing >= 8 {
        pack(numbers, literals..<(place + missing), width, to: &target)
        appendRun(UInt32(truncatingIfNeeded: value), end - place - missing, width, to: &target)
        literals = end
      }
      place = end
    }
    pack(numbers, literals..<count, width, to: &target)
  }

  /// Adds a number `count` times.
  static func appendRun(
    _ value: UInt32, _ count: Int, _ width: Int, to target: inout ByteBuilder
  ) {
    if count == 0 { return }
    appendVarint(UInt64(count) << 1, to: &target)
    for byte in 0..<((width + 7) / 8) {
      target.append(UInt8(truncatingIfNeeded: value >> UInt32(byte * 8)))
    }
  }

  private static func pack<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ numbers: Buffer<Number>, _ range: Range<Int>, _ width: Int, to target: inout ByteBuilder
  ) {
    if range.isEmpty { return }
    let groups = (range.count + 7) / 8
    appendVarint(UInt64(groups) << 1 | 1, to: &target)
    let byteCount = groups * width
    target.reserve(byteCount + 8)
    let bytes = target.buffer
    var out = target.count
    var held: UInt64 = 0
    var heldCount = 0
    for index in range {
      held |= UInt64(numbers[index]) &<< UInt64(truncatingIfNeeded: heldCount)
      heldCount &+= width
      bytes.store(word: held, at: out)
      out &+= heldCount &>> 3
      held &>>= UInt64(truncatingIfNeeded: heldCount & ~7)
      heldCount &= 7
    }
    let end = target.count + byteCount
    // Zeros fill the last group up.
    if out < end { bytes.zero((heldCount > 0 ? out + 1 : out)..<max(end, out + 1)) }
    target.advance(by: byteCount)
  }

  /// Adds which values are there, as levels of one bit.
  static func append(_ validity: ValidityMask, count: Int, to target: inout ByteBuilder) {
    guard let words = validity.words else {
      appendRun(1, count, 1, to: &target)
      return
    }
    if count == 0 { return }
    let groups = (count + 7) / 8
    appendVarint(UInt64(groups) << 1 | 1, to: &target)
    target.reserve(ValidityMask.wordCount(count) * 8)
    for word in 0..<ValidityMask.wordCount(count) {
      target.buffer.store(word: words[word], at: target.count + word * 8)
    }
    target.advance(by: groups)
  }

  private static func appendVarint(_ value: UInt64, to target: inout ByteBuilder) {
    var rest = value
    while rest >= 128 {
      target.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    target.append(UInt8(rest))
  }
}
