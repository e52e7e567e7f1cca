extension TextBytes {
  /// Whether there may be a byte below `bound`, or one of two others; false is certain.
  ///
  /// Looks at eight bytes at once. It is asked before a slow loop over bytes, most of which have nothing to be found.
  ///
  /// - Precondition: `bound` is at most 127, so that a borrow from the byte before hides none.
  /// - Complexity: O(*n*)
  package func mayHold(bytesBelow bound: UInt8, _ one: UInt8, _ other: UInt8) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let bounds = ones &* UInt64(bound)
    let first = ones &* UInt64(one)
    let second = ones &* UInt64(other)
    var place = 0
    if count >= 8 {
      let start = unsafe UnsafeRawPointer(base)
      while place < count {
        // The last word may overlap the one before.
        let word = unsafe start.loadUnaligned(
          fromByteOffset: min(place, count &- 8), as: UInt64.self)
        // The high bit of a byte of a difference is set where the byte is less than what is taken from it; that of a byte
        // behind a borrow may be as well.
        let found =
          (word &- bounds) & ~word | ((word ^ first) &- ones) & ~(word ^ first)
          | ((word ^ second) &- ones) & ~(word ^ second)
        if found & highs != 0 { return true }
        place &+= 8
      }
      return false
    }
    while place < count {
      let byte = unsafe base[place]
      if byte < bound || byte == one || byte == other { return true }
      place &+= 1
    }
    return false
  }
}
