import Columnar
import Diagnostics

/// The bytes of a section, of which nothing is believed: each access is looked at against their number.
struct SectionReader: Sendable {
  let bytes: Buffer<UInt8>
  var count: Int { bytes.count }

  /// Whether `byteCount` bytes stand from `start` on.
  func has(_ start: Int, _ byteCount: Int) -> Bool {
    start >= 0 && byteCount >= 0 && start <= count && byteCount <= count - start
  }

  /// - Precondition: the bytes are there, as for all that follow.
  func byte(_ place: Int) -> UInt8 { bytes[place] }
  func half(_ place: Int) -> Int { bytes.withBytes(place..<(place + 4)) { Int($0.half(at: 0)) } }
  func word(_ place: Int) -> UInt64 { bytes.withBytes(place..<(place + 8)) { $0.word(at: 0) } }

  /// Where packed numbers end; nil if they, and the eight bytes that reading may touch, are not all there.
  func packedEnd(_ start: Int, count: Int, width: Int) -> Int? {
    let byteCount = (count * width + 7) / 8
    return width >= 0 && width <= 64 && has(start, byteCount + SectionReader.slack)
      ? start + byteCount : nil
  }

  /// What follows the last packed number at least.
  static let slack = 16

  /// Hands over packed numbers.
  ///
  /// - Precondition: `packedEnd` found them.
  /// - Complexity: O(*n*), about half a nanosecond each.
  @inline(__always)
  func unpack(_ start: Int, count: Int, width: Int, _ body: (Int, UInt64) -> Void) {
    let base = PagePointer(bytes).advanced(by: start)
    let wide = UInt64(width)
    if width == 0 {
      for index in 0..<count { body(index, 0) }
      return
    }
    if width <= 56 {
      let mask = UInt64.max &>> (64 &- wide)
      var bit: UInt64 = 0
      for index in 0..<count {
        let word = base.word(at: Int(truncatingIfNeeded: bit &>> 3))
        body(index, word &>> (bit & 7) & mask)
        bit &+= wide
      }
      return
    }
    let mask = UInt64.max &>> (64 &- wide)
    var bit: UInt64 = 0
    for index in 0..<count {
      let place = Int(truncatingIfNeeded: bit &>> 3)
      let shift = bit & 7
      var number = base.word(at: place) &>> shift
      if shift > 0 { number |= base.word(at: place &+ 8) &<< (64 &- shift) }
      body(index, number & mask)
      bit &+= wide
    }
  }
}
