import Columnar
import Diagnostics

/// Whole numbers as differences from the least of them, each in as many bits as the greatest needs.
///
/// ```
/// least (8 bytes)   bits to a number, 0 to 64 (1 byte)   numbers, one behind another from the lowest bit on
/// ```
///
/// Source: Goldstein, Ramakrishnan and Shaft, "Compressing Relations and Indexes" (ICDE 1998), frame of reference.
enum PackedNumbers {
  /// - Complexity: O(*n*), about a nanosecond each.
  static func write(_ numbers: Buffer<Int64>, count: Int, into writer: inout ByteWriter) {
    var (least, greatest) = (count > 0 ? numbers[0] : 0, count > 0 ? numbers[0] : 0)
    for index in 0..<count {
      least = min(least, numbers[index])
      greatest = max(greatest, numbers[index])
    }
    // As a bit pattern the difference is right even where it does not fit the signed type.
    let span = UInt64(bitPattern: greatest &- least)
    let width = 64 &- UInt64(span.leadingZeroBitCount)
    writer.append(number: least)
    writer.append(byte: UInt8(truncatingIfNeeded: width))
    let words = wordCount(count, width: Int(width))
    let packed = Buffer<UInt64>(zeroed: max(1, words))
    if width > 0 {
      var bit: UInt64 = 0
      for index in 0..<count {
        let difference = UInt64(bitPattern: numbers[index] &- least)
        let (word, shift) = (Int(truncatingIfNeeded: bit &>> 6), bit & 63)
        packed[word] |= difference &<< shift
        if shift &+ width > 64 { packed[word &+ 1] |= difference &>> (64 &- shift) }
        bit &+= width
      }
    }
    writer.append(packed, count: words)
  }

  /// - Complexity: O(*n*), about a nanosecond each.
  static func read(
    _ count: Int, from reader: inout ByteReader
  ) throws(SQLError) -> Buffer<Int64> {
    let least = try reader.number()
    let width = UInt64(try reader.byte())
    guard width <= 64 else { throw reader.damage("a number cannot have \(width) bits") }
    guard count <= Int(Int32.max) else { throw reader.damage("there are \(count) numbers") }
    let words = wordCount(count, width: Int(width))
    let packed = try reader.buffer(of: UInt64.self, count: words)
    let numbers = Buffer<Int64>(uninitialized: max(1, count))
    if width == 0 {
      for index in 0..<count { numbers[index] = least }
      return numbers
    }
    let mask = UInt64.max &>> (64 &- width)
    var bit: UInt64 = 0
    for index in 0..<count {
      let (word, shift) = (Int(truncatingIfNeeded: bit &>> 6), bit & 63)
      var difference = packed[word] &>> shift
      if shift &+ width > 64 { difference |= packed[word &+ 1] &<< (64 &- shift) }
      numbers[index] = least &+ Int64(bitPattern: difference & mask)
      bit &+= width
    }
    return numbers
  }

  private static func wordCount(_ count: Int, width: Int) -> Int { (count * width + 63) / 64 }
}
