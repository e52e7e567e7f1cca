package import Columnar

/// The checksum of gzip, zlib's CRC-32: polynomial 0x04C11DB7, bits reversed (RFC 1952, section 8).
package struct CRC32 {
  private var state = UInt32.max

  package init() {}

  /// The checksum of all bytes so far.
  package var value: UInt32 { ~state }

  /// Adds bytes.
  ///
  /// - Complexity: O(*n*), sixteen bytes a step (Kounavis and Berry, "A Systematic Approach to Building High Performance
  ///   Software-Based CRC Generators", ISCC 2005).
  package mutating func add(_ bytes: Buffer<UInt8>, _ range: Range<Int>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range must lie inside")
    let tables = Self.tables
    let page = PagePointer(bytes)
    var crc = state
    var index = range.lowerBound
    while index &+ 16 <= range.upperBound {
      let low = page.word(at: index) ^ UInt64(crc)
      let high = page.word(at: index &+ 8)
      crc = Self.folded(low, tables, from: 15) ^ Self.folded(high, tables, from: 7)
      index &+= 16
    }
    while index < range.upperBound {
      let place = Int(truncatingIfNeeded: (crc ^ UInt32(bytes[index])) & 255)
      crc = tables[place] ^ crc &>> 8
      index &+= 1
    }
    state = crc
  }

  /// What eight bytes add, the first of which has `last` bytes behind it.
  @inline(__always)
  private static func folded(_ word: UInt64, _ tables: Buffer<UInt32>, from last: Int) -> UInt32 {
    var result: UInt32 = 0
    for byte in 0..<8 {
      let value = Int(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: byte &* 8)) & 255
      result ^= tables[(last &- byte) &* 256 &+ value]
    }
    return result
  }

  /// Table *k* has the checksums of each byte followed by *k* zeros.
  private static let tables: Buffer<UInt32> = {
    let tables = Buffer<UInt32>(uninitialized: 16 * 256)
    for byte in 0..<256 {
      var crc = UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
      tables[byte] = crc
    }
    for index in 256..<(16 * 256) {
      let before = tables[index - 256]
      tables[index] = tables[Int(before & 255)] ^ before >> 8
    }
    return tables
  }()
}
