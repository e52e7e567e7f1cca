import Columnar

/// Numbers in bytes, least significant byte first, at any alignment.
///
/// The one place where bytes become numbers: each read is within its span, or the process ends, so
/// callers compare lengths with what is there before they read what a file says.
extension Span<UInt8> {
  @inline(__always)
  package func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset &+ 8 <= count, "a word lies inside its bytes")
    return unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// As `word`, for loops that have looked at the whole range before.
  ///
  /// - Precondition: eight bytes stand there, which is not checked.
  @inline(__always)
  func uncheckedWord(at offset: Int) -> UInt64 {
    unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  package func half(at offset: Int) -> UInt32 {
    precondition(offset >= 0 && offset &+ 4 <= count, "a number lies inside its bytes")
    return unsafe UInt32(
      littleEndian: bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: offset, as: UInt32.self))
  }

  /// The first index from `start` on, in steps of eight, at which a word is not zero.
  ///
  /// The count if there is none; bytes behind the last whole word count as one.
  ///
  /// - Complexity: O(*n*), a word at a time.
  package func firstNonzeroWord(from start: Int) -> Int {
    var place = start
    while place &+ 8 <= count {
      if word(at: place) != 0 { return place }
      place &+= 8
    }
    let rest = place
    while place < count {
      if self[place] != 0 { return rest }
      place &+= 1
    }
    return count
  }
}

extension [UInt8] {
  package mutating func append(word: UInt64) { append(bytesOf: word.littleEndian) }

  package mutating func append(half: UInt32) { append(bytesOf: half.littleEndian) }

  package mutating func store(word: UInt64, at offset: Int) {
    for index in 0..<8 {
      self[offset + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
    }
  }
}
