#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

extension TextBytes {
  /// The eight bytes from `index` on as one little-endian number.
  ///
  /// - Precondition: eight bytes stand there.
  @inlinable @inline(__always)
  package func word(at index: Int) -> UInt64 {
    checkBounds(index, "a text", count, length: 8)
    return unsafe UInt64(
      littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
  }

  /// The eight bytes from `index` on as a number that compares as they do; zeros behind the end.
  @inlinable @inline(__always)
  package func orderWord(from index: Int) -> UInt64 {
    let left = count &- index
    if left >= 8 { return word(at: index).byteSwapped }
    var word: UInt64 = 0
    var place = index
    while place < count {
      word = word &<< 8 | UInt64(self[place])
      place &+= 1
    }
    return left > 0 ? word &<< UInt64(8 &* (8 &- left)) : 0
  }

  /// The first place of `byte` from `start` on, or nil.
  @inlinable
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    guard start < count else { return nil }
    guard let found = unsafe memchr(base + start, Int32(byte), count - start) else { return nil }
    return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// The first place from `start` on at which `needle` stands, or nil.
  ///
  /// - Complexity: O(*n* · *m*) at worst; about O(*n*) on text.
  @inlinable
  package func firstRange(of needle: TextBytes, from start: Int = 0) -> Int? {
    guard needle.count > 0 else { return start <= count ? start : nil }
    if needle.count == 1 { return firstIndex(of: needle[0], from: start) }
    let last = count - needle.count
    var place = start
    // Eight places at a time: a byte of `differences` is zero where the first two bytes of the needle stand.
    let ones: UInt64 = 0x0101_0101_0101_0101
    let first = ones &* UInt64(needle[0])
    let second = ones &* UInt64(needle[1])
    while place &+ 9 <= count && place <= last {
      let differences = (word(at: place) ^ first) | (word(at: place &+ 1) ^ second)
      var hits = (differences &- ones) & ~differences & (ones &<< 7)
      while hits != 0 {
        let hit = place &+ hits.trailingZeroBitCount &>> 3
        if hit > last { return nil }
        if unsafe memcmp(base + hit, needle.base, needle.count) == 0 { return hit }
        hits &= hits &- 1
      }
      place &+= 8
    }
    while place <= last {
      if self[place] == needle[0],
        unsafe memcmp(base + place, needle.base, needle.count) == 0
      {
        return place
      }
      place &+= 1
    }
    return nil
  }

  /// Whether the bytes begin with those of `prefix`.
  @inlinable
  package func starts(with prefix: TextBytes) -> Bool {
    unsafe count >= prefix.count && memcmp(base, prefix.base, prefix.count) == 0
  }

  /// Whether the bytes end with those of `suffix`.
  @inlinable
  package func ends(with suffix: TextBytes) -> Bool {
    unsafe count >= suffix.count
      && memcmp(base + (count - suffix.count), suffix.base, suffix.count) == 0
  }

  /// Negative, zero or positive as `left` sorts before, with or after `right`, byte by byte.
  @inlinable
  package static func order(_ left: TextBytes, _ right: TextBytes) -> Int {
    let order = unsafe memcmp(left.base, right.base, min(left.count, right.count))
    return order != 0 ? Int(order) : left.count &- right.count
  }

  /// The bytes without the spaces at their end, as `character(n)` compares.
  @inlinable
  package var withoutTrailingSpaces: TextBytes {
    var length = count
    while length > 0 && self[length &- 1] == 0x20 { length &-= 1 }
    return slice(0..<length)
  }
}
