extension TextBytes {
  /// Where the first byte stands that is not part of valid UTF-8 or is NUL; nil if there is none.
  ///
  /// Overlong forms, surrogates and values above U+10FFFF are invalid, as in PostgreSQL.
  ///
  /// - Complexity: O(*n*), eight bytes at a time over ASCII.
  package var firstInvalidUTF8: Int? {
    var index = 0
    while index < count {
      if index + 8 <= count {
        let word = word(at: index)
        // No byte has its top bit set, and none is zero.
        if word & 0x8080_8080_8080_8080 == 0
          && (word &- 0x0101_0101_0101_0101) & 0x8080_8080_8080_8080 == 0
        {
          index &+= 8
          continue
        }
      }
      let length = sequenceLength(at: index)
      if length == 0 { return index }
      index &+= length
    }
    return nil
  }

  /// The length of the valid sequence at `index`, or 0.
  private func sequenceLength(at index: Int) -> Int {
    let lead = self[index]
    if lead < 0x80 { return lead == 0 ? 0 : 1 }
    let length: Int
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return 0
    }
    guard index + length <= count else { return 0 }
    for offset in 1..<length where self[index &+ offset] & 0xC0 != 0x80 { return 0 }
    let second = self[index &+ 1]
    switch lead {
    case 0xE0: return second >= 0xA0 ? length : 0
    case 0xED: return second <= 0x9F ? length : 0
    case 0xF0: return second >= 0x90 ? length : 0
    case 0xF4: return second <= 0x8F ? length : 0
    default: return length
    }
  }
}
