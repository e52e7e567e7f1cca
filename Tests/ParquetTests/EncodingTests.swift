import Columnar
import Testing

@testable import Parquet

@Suite("Encodings of levels and dictionary indexes")
struct EncodingTests {
  @Test("numbers of every width come back from runs and packed bits")
  func hybrid() throws {
    var random = Seeded(1)
    for width in 0...32 {
      for count in [0, 1, 7, 8, 9, 100, 1000] {
        let most = width == 0 ? 0 : UInt32.max >> UInt32(32 - width)
        var numbers: [UInt32] = []
        while numbers.count < count {
          let value = UInt32.random(in: 0...most, using: &random)
          let length =
            Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 1...40, using: &random) : 1
          numbers += [UInt32](repeating: value, count: min(length, count - numbers.count))
        }
        var bytes = ByteBuilder()
        HybridEncoder.append(Buffer(numbers), count: count, width: width, to: &bytes)
        let end = bytes.count
        bytes.reserve(8)
        var decoder = try HybridDecoder(bytes.buffer, 0..<end, width: width)
        let read = Buffer<UInt32>(uninitialized: count)
        var done = 0
        var union: UInt32 = 0
        while done < count {
          let length = min(count - done, Int.random(in: 1...50, using: &random))
          union |= try decoder.read(length, into: read, at: done)
          done += length
        }
        #expect(read.array(count) == numbers, "width \(width), \(count) numbers")
        #expect(union == numbers.reduce(0, |))
      }
    }
  }

  @Test("levels of one bit become a mask, wherever they begin")
  func bits() throws {
    var random = Seeded(2)
    for count in [1, 8, 63, 64, 65, 200, 1000] {
      var mask = ValidityMask.allValid
      var present = 0
      for index in 0..<count {
        if Int.random(in: 0..<3, using: &random) == 0 {
          mask.setNull(index, count: count)
        } else {
          present += 1
        }
      }
      var bytes = ByteBuilder()
      HybridEncoder.append(mask, count: count, to: &bytes)
      let end = bytes.count
      bytes.reserve(16)
      for offset in [0, 3, 64] {
        var decoder = try HybridDecoder(bytes.buffer, 0..<end, width: 1)
        let words = Buffer<UInt64>(zeroed: ValidityMask.wordCount(count + offset))
        let half = count / 2
        var found = try decoder.readBits(half, into: words, at: offset)
        found += try decoder.readBits(count - half, into: words, at: offset + half)
        #expect(found == present)
        let read = ValidityMask(words: words)
        for index in 0..<count {
          #expect(read.isValid(offset + index) == mask.isValid(index))
        }
      }
    }
  }

  /// A buffer with slack behind the bytes.
  private func buffer(_ bytes: [UInt8]) -> Buffer<UInt8> {
    Buffer(bytes + [UInt8](repeating: 0xFF, count: 16))
  }

  @Test("runs that are cut off, and numbers wider than there are, are refused")
  func damagedRuns() throws {
    let target = Buffer<UInt32>(uninitialized: 64)
    for (bytes, width): ([UInt8], Int) in [
      ([], 1), ([0x03], 8), ([0x02], 32), ([0x02, 1, 2, 3], 32), ([0x80], 1), ([0x01], 4),
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80], 1),
    ] {
      var decoder = try HybridDecoder(buffer(bytes), 0..<bytes.count, width: width)
      #expect(throws: Damage.self) { try decoder.read(8, into: target, at: 0) }
    }
    #expect(throws: Damage.self) { try HybridDecoder(buffer([1]), 0..<1, width: 33) }
    // A run of a level that is none.
    var levels = try HybridDecoder(buffer([0x10, 2]), 0..<2, width: 1)
    #expect(throws: Damage.self) {
      try levels.readBits(8, into: Buffer<UInt64>(zeroed: 1), at: 0)
    }
  }

  @Test("differences are added up, and what is none is refused")
  func deltas() throws {
    // 7, 5, 3, 1, 2, 3, 4, 5: the example of the format's description.
    let example: [UInt8] = [128, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0xC0, 0x3F]
    let numbers = Buffer<Int32>(uninitialized: 8)
    var decoder = try DeltaDecoder(
      buffer(example + [UInt8](repeating: 0, count: 6)), 0..<(example.count + 6))
    try decoder.read(3, into: numbers, at: 0)
    try decoder.read(5, into: numbers, at: 3)
    #expect(numbers.array(8) == [7, 5, 3, 1, 2, 3, 4, 5])
    #expect(throws: Damage.self) { try decoder.read(1, into: numbers, at: 0) }
    for bytes: [UInt8] in [
      [], [0, 4, 8, 0], [128, 1, 0, 8, 0], [128, 1, 3, 8, 0],
      [128, 1, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0],
    ] {
      #expect(throws: Damage.self) { try DeltaDecoder(buffer(bytes), 0..<bytes.count) }
    }
    for bytes: [UInt8] in [
      [128, 1, 4, 8, 14], [128, 1, 4, 8, 14, 3, 65, 0, 0, 0], [128, 1, 4, 8, 14, 3, 64, 0, 0, 0],
    ] {
      var cut = try DeltaDecoder(buffer(bytes), 0..<bytes.count)
      #expect(throws: Damage.self) { try cut.read(8, into: numbers, at: 0) }
    }
  }

  @Test("a half as a float is the same number")
  func halves() {
    for (bits, value): (UInt16, Float) in [
      (0, 0), (0x3C00, 1), (0xC000, -2), (0x7BFF, 65504), (1, 0x1p-24), (0x03FF, 0x1.FF8p-15),
      (0x0400, 0x1p-14), (0x7C00, .infinity), (0xFC00, -.infinity),
    ] {
      #expect(ValueConversion.float(half: bits) == value)
    }
    #expect(ValueConversion.float(half: 0x7E00).isNaN)
  }
}
