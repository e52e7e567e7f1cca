import Columnar
import Diagnostics
import Testing

@testable import Codecs

/// Data of several kinds, from what cannot be packed to what repeats all the time.
enum SampleData {
  static func bytes(_ kind: Int, _ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed &* 2 &+ 1
    func next(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    var bytes: [UInt8] = []
    while bytes.count < count {
      switch kind {
      case 0: bytes.append(UInt8(next(256)))
      case 1:
        bytes += Array("\(next(100_000)),Student \(next(500)),\(next(2) == 0 ? "t" : "f")\n".utf8)
      case 2: bytes += [UInt8](repeating: UInt8(next(3)), count: Int(next(1000)) + 1)
      case 3:
        // Copies from all distances.
        let length = Int(next(300)) + 1
        if bytes.count > length {
          let start = Int(next(UInt64(bytes.count - length)))
          bytes += bytes[start..<(start + length)]
        }
        bytes.append(UInt8(next(256)))
      default: bytes.append(UInt8(ascii: "a") + UInt8(next(UInt64(kind))))
      }
    }
    return Array(bytes.prefix(count))
  }

  /// A buffer with the bytes, and some behind them.
  static func padded(_ bytes: [UInt8], by slack: Int = 64) -> Buffer<UInt8> {
    Buffer(bytes + [UInt8](repeating: 0xA5, count: slack))
  }
}

@Suite("gzip")
struct GzipTests {
  static func packed(_ bytes: [UInt8], pieces: Int) throws -> [UInt8] {
    var packed: [UInt8] = []
    let writer = GzipWriter { (buffer, count) throws(SQLError) in packed += buffer.array(count) }
    let all = Buffer(bytes)
    var done = 0
    while done < bytes.count {
      let length = min(pieces, bytes.count - done)
      try writer.write(all, from: done, count: length)
      done += length
    }
    try writer.finish()
    return packed
  }

  /// What comes out, where data comes and goes in pieces.
  static func unpacked(_ bytes: [UInt8], pieces: Int) throws -> [UInt8] {
    var position = 0
    let reader = GzipReader { (buffer, offset, count) throws(SQLError) in
      let length = min(count, pieces, bytes.count - position)
      for index in 0..<length { buffer[offset + index] = bytes[position + index] }
      position += length
      return length
    }
    var result: [UInt8] = []
    let room = Buffer<UInt8>(uninitialized: pieces)
    while true {
      let got = try reader.read(into: room, at: 0, count: pieces)
      if got == 0 { return result }
      result += room.array(got)
    }
  }

  @Test(
    "what was packed comes out as it was", arguments: [0, 1, 2, 3, 5],
    [0, 1, 7, 1000, 65_536, 300_000])
  func roundTrip(_ kind: Int, _ count: Int) throws {
    let bytes = SampleData.bytes(kind, count, seed: UInt64(kind * 31 + count))
    for pieces in [99_999, 1 << 20] {
      let packed = try Self.packed(bytes, pieces: pieces)
      #expect(try Self.unpacked(packed, pieces: pieces) == bytes)
      if kind == 1 && count > 10_000 { #expect(packed.count * 2 < bytes.count) }
    }
  }

  @Test("a member may end anywhere in what was read at once")
  func endsOfMembers() throws {
    let bytes = SampleData.bytes(1, 300, seed: 2)
    let packed = try Self.packed(bytes, pieces: 300)
    for zeros in 990...1040 {
      let file = packed + [UInt8](repeating: 0, count: zeros)
      #expect(try Self.unpacked(file, pieces: 1 << 18) == bytes)
    }
  }

  @Test("members one behind another are read as one, and zeros behind them are passed over")
  func members() throws {
    let one = SampleData.bytes(1, 50_000, seed: 1)
    let two = SampleData.bytes(3, 70_000, seed: 2)
    let packed = try Self.packed(one, pieces: 1000) + Self.packed(two, pieces: 1 << 20)
    #expect(try Self.unpacked(packed + [0, 0, 0], pieces: 4096) == one + two)
    #expect(throws: SQLError.self) { try Self.unpacked(packed + [1], pieces: 4096) }
  }

  /// `zlib.compress` and `gzip.compress` of Python, with heads of all kinds.
  @Test(
    "files of others are read",
    arguments: [
      // A stored block.
      ("H4sIAAAAAAAA/wEFAPr/aGVsbG+GphA2BQAAAA==", "hello"),
      // A name, and the format's own code.
      ("H4sICAAAAAAC/25hbWUudHh0AMtIzcnJBwCGphA2BQAAAA==", "hello"),
      // All parts that a head can have, and a code that comes along.
      (
        "H4sIHgAAAAAA/wMAYWJjbgBjb21tZW50AAAAVdK7FcIwDIXhPlMwQArr5cccrAAtFeyPbgpfpdQ5P+aL7HY+v7/X+/N9tLMdsic55dA9+amH7Wll6Sx7prFHjWz7Hq1nPHjQynjusePgtccpMDT+OGOhSVFLUQ3kdA1FT5kip8yu00nrV07bglyIM0NP3WjYCXWC85W8QK/kLSxGyXPwlbwFj9Ln+Fylb109fYEbUvomcvI6+EaeYjtG3kRv5MV1qeSlPHvyJq7KyOuCvtxsoCdP8GSs8Dr64sNLcPocHqfPsE6nL28ie/qwTS/bM+TkTXCcvAG+kzewHidv4LZ81Tmfcbv3IfW8doTW/8ve7p7wws086tdk3u9fG6NuI/tZt5X9um/zD+E3s/KtAwAA",
        (0..<60).map { "\($0),Student \($0 * $0 % 97),\($0 % 3)\n" }.joined()
      ),
    ])
  func files(_ text: String, _ expected: String) throws {
    let packed = try #require(Self.decoded(text))
    #expect(try Self.unpacked(packed, pieces: 3) == Array(expected.utf8))
  }

  private static func decoded(_ text: String) -> [UInt8]? {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits = 0
    var count = 0
    var bytes: [UInt8] = []
    for letter in text.utf8 where letter != UInt8(ascii: "=") {
      guard let value = letters.firstIndex(of: letter) else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }

  @Test("data that was cut or changed is refused, and never read beyond", arguments: 0..<300)
  func damage(seed: Int) throws {
    let bytes = SampleData.bytes(seed % 6, 2000 + seed * 37, seed: UInt64(seed))
    var packed = try Self.packed(bytes, pieces: 1 << 20)
    var state = UInt64(seed) &* 7919 &+ 3
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    if seed % 2 == 0 {
      packed = Array(packed.prefix(next(packed.count)))
    } else {
      for _ in 0...next(3) { packed[next(packed.count)] ^= UInt8(1 << next(8)) }
    }
    // Changes of a head's time, name and the like do no harm.
    let result = try? Self.unpacked(packed, pieces: 1 << 16)
    #expect(result == nil || result == bytes || packed.isEmpty && result == [])
  }
}

@Suite("CRC-32")
struct CRC32Tests {
  @Test(
    "is the one of gzip",
    arguments: [("", 0), ("a", 0xE8B7_BE43), ("123456789", 0xCBF4_3926)] as [(String, UInt32)])
  func known(_ text: String, _ expected: UInt32) {
    var checksum = CRC32()
    checksum.add(Buffer(Array(text.utf8)), 0..<text.utf8.count)
    #expect(checksum.value == expected)
  }

  @Test("is the same however the bytes are split")
  func split() {
    let bytes = Buffer(SampleData.bytes(0, 5000, seed: 9))
    var whole = CRC32()
    whole.add(bytes, 0..<5000)
    for split in [1, 15, 16, 17, 2500, 4999] {
      var parts = CRC32()
      parts.add(bytes, 0..<split)
      parts.add(bytes, split..<5000)
      #expect(parts.value == whole.value)
    }
  }
}

@Suite("Snappy")
struct SnappyTests {
  @Test(
    "what was packed comes out as it was", arguments: [0, 1, 2, 3, 5],
    [0, 1, 7, 61, 1000, 65_536, 300_000])
  func roundTrip(_ kind: Int, _ count: Int) throws {
    let bytes = SampleData.bytes(kind, count, seed: UInt64(kind * 31 + count))
    let packed = Snappy.pack(SampleData.padded(bytes), count: count)
    let padded = SampleData.padded(packed.bytes.array(packed.count))
    let unpacked = try Snappy.unpack(padded, 0..<packed.count, to: count)
    #expect(unpacked.array(count) == bytes)
  }

  @Test("copies of all forms are read")
  func forms() throws {
    // "abcd", a copy by one byte of offset, one by two, and one by four; then a copy that overlaps itself.
    let packed: [UInt8] = [
      22, 3 << 2, 97, 98, 99, 100, 1, 4, 3 << 2 | 2, 8, 0, 3 << 2 | 3, 12, 0, 0, 0, 5 << 2 | 2, 1,
      0,
    ]
    let result = try Snappy.unpack(SampleData.padded(packed), 0..<packed.count, to: 22)
    #expect(String(decoding: result.array(22), as: UTF8.self) == "abcdabcdabcdabcddddddd")
  }

  @Test("data that was cut or changed is refused, and never read beyond", arguments: 0..<300)
  func damage(seed: Int) throws {
    let count = 2000 + seed * 13
    let bytes = SampleData.bytes(seed % 6, count, seed: UInt64(seed))
    let whole = Snappy.pack(SampleData.padded(bytes), count: count)
    var packed = whole.bytes.array(whole.count)
    var state = UInt64(seed) &* 7919 &+ 3
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    if seed % 2 == 0 {
      packed = Array(packed.prefix(next(packed.count)))
      #expect(throws: SQLError.self) {
        try Snappy.unpack(SampleData.padded(packed), 0..<packed.count, to: count)
      }
    } else {
      for _ in 0...next(3) { packed[next(packed.count)] ^= UInt8(1 << next(8)) }
      // There is no checksum: it may come to other bytes, but not to more or fewer.
      _ = try? Snappy.unpack(SampleData.padded(packed), 0..<packed.count, to: count)
    }
  }
}
