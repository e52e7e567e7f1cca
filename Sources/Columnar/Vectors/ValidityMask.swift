/// Which values of a vector are present: bit set = present.
///
/// No words at all mean that every one is.
///
/// - Invariant: bits at and past the vector's count are unspecified; readers look only below it.
@usableFromInline package struct ValidityMask: Sendable {
  /// Bit *i* % 64 of word *i* / 64 belongs to value *i*; nil if no value is missing.
  @usableFromInline package private(set) var words: Buffer<UInt64>?

  /// The mask of a vector in which nothing is missing.
  @inlinable package static var allValid: ValidityMask { ValidityMask(words: nil) }

  @inlinable package init(words: Buffer<UInt64>?) { self.words = words }

  /// The number of words for `count` values.
  @inlinable package static func wordCount(_ count: Int) -> Int { (count &+ 63) &>> 6 }

  /// A mask of its own for `count` values, all present, to be cleared bit by bit.
  package static func writable(count: Int) -> ValidityMask {
    ValidityMask(words: Buffer(repeating: ~0, count: max(1, wordCount(count))))
  }

  /// A mask for `count` values in which all are missing.
  package static func noneValid(count: Int) -> ValidityMask {
    ValidityMask(words: Buffer(zeroed: max(1, wordCount(count))))
  }

  /// Whether no value can be missing, so that a loop need not look.
  @inlinable package var isAllValid: Bool { words == nil }

  /// Whether value `index` is present.
  @inlinable package func isValid(_ index: Int) -> Bool {
    guard let words else { return true }
    return words[index &>> 6] &>> UInt64(truncatingIfNeeded: index & 63) & 1 != 0
  }

  /// Calls `body` with the index of each value below `count` that is missing, in order.
  ///
  /// - Complexity: O(*n* / 64 + missing values).
  @inline(__always)
  package func forEachMissing(_ count: Int, _ body: (Int) -> Void) {
    guard let words else { return }
    for word in 0..<Self.wordCount(count) {
      var missing = ~words[word]
      while missing != 0 {
        let index = word &<< 6 &+ missing.trailingZeroBitCount
        missing &= missing &- 1
        if index < count { body(index) }
      }
    }
  }

  /// Marks value `index` as missing, making a mask for `count` values where there is none.
  package mutating func setNull(_ index: Int, count: Int) {
    if words == nil { self = .writable(count: count) }
    if let words { words[index &>> 6] &= ~(1 &<< UInt64(truncatingIfNeeded: index & 63)) }
  }

  /// Marks value `index` as present.
  package mutating func setValid(_ index: Int) {
    if let words { words[index &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: index & 63) }
  }

  /// Writes the first `count` bits of another mask from `offset` on, making a mask for `capacity` values where there is none and one
  /// is needed.
  ///
  /// - Complexity: O(*n* / 64).
  package mutating func write(
    _ other: ValidityMask, count: Int, at offset: Int, capacity: Int
  ) {
    if words == nil {
      if other.isAllValid { return }
      self = .writable(count: capacity)
    }
    guard let target = words else { return }
    let source = other.words
    for word in 0..<Self.wordCount(count) {
      let length = min(64, count &- word &* 64)
      let mask = ~UInt64(0) &>> UInt64(64 &- length)
      let bits = (source.map { $0[word] } ?? ~0) & mask
      let place = offset &+ word &* 64
      let (first, shift) = (place &>> 6, UInt64(truncatingIfNeeded: place & 63))
      target[first] = target[first] & ~(mask &<< shift) | bits &<< shift
      if shift > 0, Int(shift) &+ length > 64 {
        let rest = 64 &- shift
        target[first &+ 1] = target[first &+ 1] & ~(mask &>> rest) | bits &>> rest
      }
    }
  }

  /// How many of the first `count` values are missing.
  ///
  /// - Complexity: O(*n* / 64).
  package func nullCount(_ count: Int) -> Int {
    guard let words else { return 0 }
    var present = 0
    for word in 0..<(count &>> 6) { present &+= words[word].nonzeroBitCount }
    let rest = count & 63
    if rest > 0 {
      present &+= (words[count &>> 6] & (1 &<< UInt64(rest) &- 1)).nonzeroBitCount
    }
    return count &- present
  }

  /// A copy that can be written without changing this mask.
  package func copy(count: Int) -> ValidityMask {
    guard let words else { return self }
    let copied = Buffer<UInt64>(repeating: ~0, count: max(1, Self.wordCount(count)))
    copied.copy(words, count: min(words.count, copied.count), to: 0)
    return ValidityMask(words: copied)
  }

  /// A copy for `capacity` values, of which those behind the first `count` are present.
  package func extended(_ count: Int, to capacity: Int) -> ValidityMask {
    var extended = copy(count: capacity)
    if words == nil { return extended }
    for index in count..<min(capacity, Self.wordCount(count) &* 64) { extended.setValid(index) }
    return extended
  }

  /// Present where both are: the mask of a strict function's result.
  package static func both(_ left: ValidityMask, _ right: ValidityMask, count: Int) -> ValidityMask
  {
    guard let a = left.words else { return right }
    guard let b = right.words else { return left }
    let length = wordCount(count)
    let result = Buffer<UInt64>(uninitialized: max(1, length))
    for word in 0..<length { result[word] = a[word] & b[word] }
    return ValidityMask(words: result)
  }

  /// The mask of the values at `positions`.
  package func gathered(_ positions: Buffer<UInt32>, count: Int) -> ValidityMask {
    guard let words else { return self }
    let result = Buffer<UInt64>(uninitialized: max(1, Self.wordCount(count)))
    // A word at a time, so that its bits come together in a register.
    var start = 0
    while start < count {
      let end = min(count, start &+ 64)
      var word: UInt64 = 0
      for index in start..<end {
        let position = positions[index]
        let present = words[Int(position &>> 6)] &>> UInt64(position & 63) & 1
        word |= present &<< UInt64(truncatingIfNeeded: index &- start)
      }
      result[start &>> 6] = word
      start = end
    }
    if count == 0 { result[0] = 0 }
    return ValidityMask(words: result)
  }
}
