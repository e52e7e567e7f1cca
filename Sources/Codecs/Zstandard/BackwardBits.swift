import Columnar

/// Bits that were written from the front and are read from the end, as entropy codes of Zstandard are.
///
/// - Invariant: reads of bits at or above 0 stay within the range that the bits were made of, and the eight bytes behind it.
struct BackwardBits {
  let source: PagePointer<UInt8>
  /// How many bits are left; below 0 where more were read than there are, which then counted as zeros.
  var left: Int

  /// The bits of a range, the highest of the last byte that is set being no part of them; nil where there is none.
  init?(_ bytes: Buffer<UInt8>, _ range: Range<Int>) {
    guard !range.isEmpty, range.upperBound + 8 <= bytes.count else { return nil }
    let last = bytes[range.upperBound - 1]
    guard last != 0 else { return nil }
    source = PagePointer(bytes).advanced(by: range.lowerBound)
    left = range.count * 8 - 1 - last.leadingZeroBitCount
  }

  /// The next `count` bits without taking them, at most 56.
  @inline(__always)
  func peek(_ count: Int) -> UInt64 {
    let place = left &- count
    let mask = (1 as UInt64) &<< UInt64(truncatingIfNeeded: count) &- 1
    if place >= 0 {
      return source.word(at: place &>> 3) &>> UInt64(truncatingIfNeeded: place & 7) & mask
    }
    // Zeros stand before the first bit.
    if left <= 0 { return 0 }
    let bits = source.word(at: 0) & ((1 as UInt64) << UInt64(left) &- 1)
    return bits << UInt64(-place) & mask
  }

  /// Takes the next `count` bits, at most 56.
  @inline(__always)
  mutating func take(_ count: Int) -> UInt64 {
    defer { left &-= count }
    return peek(count)
  }
}
