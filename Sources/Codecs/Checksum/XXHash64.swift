import Columnar

/// The checksum of Zstandard frames, with a seed of 0.
///
/// Source: "XXH64 algorithm description", github.com/Cyan4973/xxHash, doc/xxhash_spec.md.
enum XXHash64 {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
    0x27D4_EB2F_1656_67C5
  )

  @inline(__always)
  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value &<< count | value &>> (64 &- count)
  }

  @inline(__always)
  private static func round(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    rotated(sum &+ word &* primes.1, 31) &* primes.0
  }

  /// The checksum of a range.
  ///
  /// - Precondition: the buffer has eight bytes behind the range.
  /// - Complexity: O(*n*), 32 bytes a step.
  static func hash(_ bytes: Buffer<UInt8>, _ range: Range<Int>) -> UInt64 {
    precondition(
      range.lowerBound >= 0 && range.upperBound + 8 <= bytes.count, "a range must lie inside")
    let page = PagePointer(bytes)
    var place = range.lowerBound
    var sum = primes.4
    if range.count >= 32 {
      var (a, b, c, d) = (primes.0 &+ primes.1, primes.1, 0 as UInt64, 0 &- primes.0)
      while place &+ 32 <= range.upperBound {
        a = round(a, page.word(at: place))
        b = round(b, page.word(at: place &+ 8))
        c = round(c, page.word(at: place &+ 16))
        d = round(d, page.word(at: place &+ 24))
        place &+= 32
      }
      sum = rotated(a, 1) &+ rotated(b, 7) &+ rotated(c, 12) &+ rotated(d, 18)
      for part in [a, b, c, d] { sum = (sum ^ round(0, part)) &* primes.0 &+ primes.3 }
    }
    sum = sum &+ UInt64(range.count)
    while place &+ 8 <= range.upperBound {
      sum = rotated(sum ^ round(0, page.word(at: place)), 27) &* primes.0 &+ primes.3
      place += 8
    }
    if place &+ 4 <= range.upperBound {
      sum =
        rotated(sum ^ (page.word(at: place) & 0xFFFF_FFFF) &* primes.0, 23) &* primes.1
        &+ primes.2
      place += 4
    }
    while place < range.upperBound {
      sum = rotated(sum ^ UInt64(bytes[place]) &* primes.4, 11) &* primes.0
      place += 1
    }
    sum = (sum ^ sum >> 33) &* primes.1
    sum = (sum ^ sum >> 29) &* primes.2
    return sum ^ sum >> 32
  }
}
