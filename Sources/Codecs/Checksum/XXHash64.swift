import Columnar

/// The checksum of Zstandard frames, with a seed of 0.
///
/// Source: "XXH64 algorithm description", github.com/Cyan4973/xxHash, doc/xxhash_spec.md.
struct XXHash64 {
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

  private var lanes: (UInt64, UInt64, UInt64, UInt64)
  /// How many bytes were added.
  private var count: UInt64 = 0

  /// The sum of nothing yet.
  init() { lanes = (Self.primes.0 &+ Self.primes.1, Self.primes.1, 0, 0 &- Self.primes.0) }

  /// The bytes of a step.
  static let stride = 32

  /// The checksum of a range.
  ///
  /// - Precondition: the buffer has eight bytes behind the range.
  static func hash(_ bytes: Buffer<UInt8>, _ range: Range<Int>) -> UInt64 {
    var sum = XXHash64()
    let steps = range.count / stride * stride
    sum.add(bytes, range.lowerBound..<(range.lowerBound + steps))
    return sum.value(with: bytes, (range.lowerBound + steps)..<range.upperBound)
  }

  /// Adds bytes.
  ///
  /// - Precondition: they are whole steps.
  /// - Complexity: O(*n*), 32 bytes a step.
  mutating func add(_ bytes: Buffer<UInt8>, _ range: Range<Int>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= bytes.count && range.count % Self.stride == 0,
      "whole steps must lie inside")
    let page = PagePointer(bytes)
    var (a, b, c, d) = lanes
    var place = range.lowerBound
    while place < range.upperBound {
      a = Self.round(a, page.word(at: place))
      b = Self.round(b, page.word(at: place &+ 8))
      c = Self.round(c, page.word(at: place &+ 16))
      d = Self.round(d, page.word(at: place &+ 24))
      place &+= Self.stride
    }
    lanes = (a, b, c, d)
    count &+= UInt64(range.count)
  }

  /// The checksum of what was added and the last bytes, which are less than a step.
  ///
  /// - Precondition: the buffer has eight bytes behind the range.
  func value(with bytes: Buffer<UInt8>, _ range: Range<Int>) -> UInt64 {
    precondition(
      range.lowerBound >= 0 && range.upperBound + 8 <= bytes.count && range.count < Self.stride,
      "a range must lie inside")
    let primes = Self.primes
    let page = PagePointer(bytes)
    var place = range.lowerBound
    var sum = primes.4
    if count > 0 {
      let (a, b, c, d) = lanes
      sum = Self.rotated(a, 1) &+ Self.rotated(b, 7) &+ Self.rotated(c, 12) &+ Self.rotated(d, 18)
      for lane in [a, b, c, d] {
        sum = (sum ^ Self.round(0, lane)) &* primes.0 &+ primes.3
      }
    }
    sum = sum &+ count &+ UInt64(range.count)
    while place &+ 8 <= range.upperBound {
      sum =
        Self.rotated(sum ^ Self.round(0, page.word(at: place)), 27) &* primes.0 &+ primes.3
      place += 8
    }
    if place &+ 4 <= range.upperBound {
      sum =
        Self.rotated(sum ^ (page.word(at: place) & 0xFFFF_FFFF) &* primes.0, 23) &* primes.1
        &+ primes.2
      place += 4
    }
    while place < range.upperBound {
      sum = Self.rotated(sum ^ UInt64(bytes[place]) &* primes.4, 11) &* primes.0
      place += 1
    }
    sum = (sum ^ sum >> 33) &* primes.1
    sum = (sum ^ sum >> 29) &* primes.2
    return sum ^ sum >> 32
  }
}
