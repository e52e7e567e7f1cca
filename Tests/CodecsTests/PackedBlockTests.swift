import Codecs
import Columnar
import Diagnostics
import Foundation
import Testing

@Suite("Packed data that is in memory as a whole")
struct PackedBlockTests {
  /// Words in an order that does not repeat.
  private static let words: [UInt8] = {
    let words = ["alpha", "beta", "gamma", "delta"]
    var state: UInt64 = 1
    let picked = (0..<400).map { _ in
      state = (state * 1_103_515_245 + 12345) & 0x7FFF_FFFF
      return words[Int(state >> 16 & 3)]
    }
    return Array(picked.joined(separator: " ").utf8)
  }()
  private static let numbers: [UInt8] = (0..<150).flatMap { number in
    (0..<4).map { UInt8(truncatingIfNeeded: (number * number) >> ($0 * 8)) }
  }
  private static let run = [UInt8](repeating: 97, count: 5000)

  /// Frames by the Zstandard library, some with a checksum, and what is in them.
  private static let frames: [(packed: String, unpacked: [UInt8])] = [
    ("KLUv/SAAAQAA", []), ("KLUv/SQAAQAAmenYUQ==", []), ("KLUv/SQBCQAAeCMRBIM=", [120]),
    (
      "KLUv/WCIEk0AABBhYQEAg9MDLA==",
      run
    ),
    (
      "KLUv/WSIEkUAAAhhAQCE0wMh1jyA1A==",
      run
    ),
    (
      "KLUv/WD0B5ULAOBnYW1tYSBiZXRhIGRlbGFscGhiZXRhIGdhbW1hgTyo4UvDGIGEqodvEdS0gQRilSSp0d4B"
        + "FniLh8uUJBbqDNDDpa3wdwRA9E1RiDlqKVCLH4n0RmPPLU0Bmz9QLSshZdR9dcBwyPqBWGrKF/ZsKPBAywa8"
        + "elagSNAMKb0EhFmmp9PMRRvBuAXcDluoWXnFSuCyHrgmvABcyuwmfgUKaVzfEDabkBIqidHC6SWSYNdG2Xpd"
        + "RMNUGLL9oTnIgGT4kJXVXPFexqGlfPGIzCDwXUdM7AAuYgy9xQvPBfxfzT8qBiaRWt5FPVmKTKV4hlphGjyU"
        + "CBa8eTviVGAmfsMy3Sbj8VhHeDdhqR24NA1GsYHrcS+zmA9VS+ARqzpy5Njq2suKa0ukcK1PGCDfo8Bcabhl"
        + "/0RjKWWzArMPSuoNm7P4YBwH7I7dGSaB04I6+wC2ejnLwIbCR8AVoe9JDa6HRchawWYxnFRZSUgq3YK8hass"
        + "hBo=",
      words
    ),
    (
      "KLUv/WT0BwUIAOKBBgzQ57C0AlHKDtAKPwEMRvuQ1e1TFPgYcPsEc6jQQ2EYAzBEYAwqyw4SUBAgMQQhQsAp"
        + "qAkSGgslAyWvAV1muADdemRRSfFdjOjRpL84plncm1j7Jv+fQmAwJO5mUFIr8FZwxFDCKwaJ3vSaRKqn6RZ1"
        + "PGLmgRW2JUe4wFqkY3IYllgAg06+7qVs8XuXdED/kCYNKZQGO+6rbz2HBsVwAhk6Q5o5yw4aOuoV+tkvUcNi"
        + "7itbCUgS+IeUj/YMZ5VqfeQ8EdMV7gXeU/EMWa/HJQUUEjkFyDJdG8QkxJAqJCwgYahn5seWtLLhcMeGRlcX"
        + "AJsSVVOi7PP7XikALgMMWa8f",
      words
    ),
    (
      "KLUv/WBYAf0LABZiWD4gz2YzgFgFMIgbqXgekEgNXSc1EKkIzVSmAXG0hrnfeLDzFfmYvoy5fQb3a4/4xcNi"
        + "MOjnHdEbbOhpk5AtUzoASQBOACGVQ9sazpprjQW6GeQahDJo+6Pz5/Wn5U/3x3QWO7M5+85Yzrwz1M5hp/l3"
        + "l7ee8u6qcz99O+nasw9DWoPkDNL9UfMHt4fMHtsmmE3a20vHyx3aHDBzbG/IvMGtUbNGd0bOGa1LLy59l1KT"
        + "YJNWMGbG8B7xPPoerRbFFsUs6g71HHodqh0IqB94O2C5wTcDm09in5he0J1qWcFrE51NthOgjMA1d3OAtQHX"
        + "KJxR2wVUJvC6pOeS7gExk8QmWS3ge4TnEe/TTICVRWCLpAbwHfJiu7C5xTcLlld4q0Cl2BkF7BM0m/gu4TKJ"
        + "1igpj+gWoToEN4jT3vYH0h60WVmHbA7aG0hr2M5wGgP3SvWFbgspV2hNweUJ3xJojgA7CUAYCkKGku9Q1B3K"
        + "tkNhdijdhuJsKB+jgSwE",
      numbers
    ),
    (
      "KLUv/WRYAV0KAPbbSS4gW5sBQAQJhcREvD4UUhoKyfGQUEhMxOvD2aYZ+qOaaaaZJq5R4xs237u2nZgCOABD"
        + "AD0ADW5j3wUzYlYTeGRZTg90XlQ6z3ZRBS3QgWVFeQc0iHF9UDeOD3vuWv8uddyR7n3lttfenfbZAQYaWWRn"
        + "eGNYiX0xs8U3dsUN69opnnJPjCzxlR2B+xrC2/rBdrVDV3XDbOru1Ayzqhe6qxVsWyd4XyPgyr4PRnJP02IN"
        + "tmdWlvGOQRoG94vULt8tWrPkwl65Cscpt1GgPvk24RK7pGES75GoRbLADukGCfqDqmvbPXTuoPKao3vD6Tdx"
        + "zfS9BLXS7SSOkX4UtlHuIq2JvoekFsIdhDSQ98/KPrZ7at+6eWjvzNYB2HsOwDizb2jbdNfUpgkzpBGAiVAX"
        + "LbZMc/DZDACp393x4YfQPmsAZDdx2TGQvQE6yV0q",
      numbers
    ),
  ]

  /// Bytes with slack behind them.
  private func buffer(_ bytes: [UInt8]) -> Buffer<UInt8> {
    Buffer(bytes + [UInt8](repeating: 0xEE, count: 64))
  }

  private func bytes(_ text: String) throws -> [UInt8] {
    Array(try #require(Data(base64Encoded: text)))
  }

  @Test("frames of Zstandard", arguments: PackedBlockTests.frames.indices)
  func zstandard(_ index: Int) throws {
    let (text, unpacked) = Self.frames[index]
    let packed = try bytes(text)
    let output = try Zstandard.unpack(buffer(packed), 0..<packed.count, to: unpacked.count)
    #expect(output.array(unpacked.count) == unpacked)
    // Two frames, and one that is to be passed over.
    let twice = packed + [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3] + packed
    let both = try Zstandard.unpack(buffer(twice), 0..<twice.count, to: unpacked.count * 2)
    #expect(both.array(unpacked.count * 2) == unpacked + unpacked)
    for length in [unpacked.count + 1, unpacked.count - 1, 1 << 40] where length >= 0 {
      #expect(throws: SQLError.self) {
        try Zstandard.unpack(buffer(packed), 0..<packed.count, to: length)
      }
    }
  }

  /// Unpacks a file that is read so many bytes at a time.
  private func unpacked(_ packed: [UInt8], by step: Int) throws -> [UInt8] {
    var place = 0
    let reader = ZstandardReader { (target, offset, count) throws(SQLError) in
      let length = min(step, count, packed.count - place)
      for index in 0..<length { target[offset + index] = packed[place + index] }
      place += length
      return length
    }
    let room = Buffer<UInt8>(uninitialized: 1000)
    var all: [UInt8] = []
    while true {
      let count = try reader.read(into: room, at: 0, count: 1 + step % 1000)
      if count == 0 { return all }
      all += room.array(count)
      if all.count > 1 << 22 { return all }
    }
  }

  @Test("frames of Zstandard, one behind another, as they are read from a file")
  func zstandardFiles() throws {
    let skipped: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
    var file: [UInt8] = []
    var wanted: [UInt8] = []
    for (text, unpacked) in Self.frames {
      file += try bytes(text) + skipped
      wanted += unpacked
    }
    for step in [1, 2, 7, 100, 1 << 20] { #expect(try unpacked(file, by: step) == wanted) }
    for length in 1..<skipped.count {
      #expect(throws: SQLError.self) { try unpacked(file + skipped.prefix(length), by: 50) }
    }
    for (text, unpacked) in Self.frames {
      let packed = try bytes(text)
      for place in stride(from: 0, to: packed.count * 8, by: 7) {
        var changed = packed
        changed[place / 8] ^= 1 << UInt8(place % 8)
        _ = try? self.unpacked(changed, by: 100)
      }
      for length in stride(from: 1, to: packed.count, by: 3) where !unpacked.isEmpty {
        #expect(throws: SQLError.self) { try self.unpacked(Array(packed.prefix(length)), by: 100) }
      }
    }
  }

  @Test("a window of Zstandard that is too large is refused before memory is asked for")
  func vastWindow() {
    for head: [UInt8] in [
      [0, 0x90], [0xE0, 0, 0, 0, 0, 1, 0, 0, 0], [0xC0, 0xFF] + [UInt8](repeating: 255, count: 8),
    ] {
      let packed = [0x28, 0xB5, 0x2F, 0xFD] + head + [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      #expect(throws: SQLError.self) { try unpacked(packed, by: 100) }
    }
  }

  @Test("blocks of LZ4")
  func lz4() throws {
    let packed = try bytes(
      "YmdhbW1hIAYAi2JldGEgZGVsBgACHQACGABEYWxwaBIABy8AAhcAAgYABxcADAsAAkoACAYAAlYACAYAAh4A"
        + "AhIAAUAAAhEAAlwAAgYABxcAAh0AAi4AAgYAAhIAASMAAQUAAjMACAYAARcAAi0AAgYABzMACBEABxcACD8A"
        + "DiMAAikAAhgAAV0AAQUAAhAACAYAAigAAgYAAhgAAlgAAS8AAQUAAhwADgYAAigACBgAAhIAATUAAQUAAhwA"
        + "AlYAAgwAARcAAicAAgYAAh0AAgYABx0ADAsABxAABywAAlQAAhEAAk8AASgACBcAAgwADxcADwIoAA9LAAQH"
        + "PwACZwACLgACDAABHQACCwACFwACBgABFwABBQACEAACWwACBgACEgABHQABBQACEAACBgACSgACBgABHQAC"
        + "CwACBgACPwACDAABHQACEQABCwABBQACRAACFgAPJwADAhwACAYAATkAAQUABzIAARAABgUADTAAAmkAAgYA"
        + "Ah0AAgwAAgYAAkkAAgYAAhIAAgYAAVEAAi8AAgYAAREAAigAAgYAAhcAAgYAAjQAAhgAAgYAAS8AAh0AAgYA"
        + "AREAAhwAAhEAAjQAAgwABx0AAQsAAQUABxsAAiwAARYADkMABx0AAjMACCMAAgwAAToAAQUAAi0AAgYAAi4A"
        + "AgwAAigAAgYAAhIAAh4AAgYACBgAB0cAAhcAAgYACCkAAgwAAgYAAS8AAiMACFgAAgwAAhgAAgYAASkAAhcA"
        + "BzoAAgsAAgYAAigACAYAAhgAAgYAAhgAAkEAAgYACBgAAgwAAWQAAQUAAiIACAYAAiIAAkYAASMAAhEAAQsA"
        + "CCgAAREAAicAByIAARYAAhAADS0AAhEAAh0AAjkAAgYAATQAAh0AAQsAAiIABwsAAicADSIAAigAAhcAAgYA"
        + "AikAAToABgUAAhsAAi0AAgYAAhIAASIAAgsAAhcABxEAAkkACAYAAR0AAigAAhcAAREAAgsAAhcAAgYADhIA"
        + "ASkACGgAAiMAAhIAAR0ACwUAAiAAAgYAAlUAAgYAAScAAhcAAQsAAQUAAhsAAhYAAgwAAgYAAR0AAhcABwsA"
        + "AhEAAiIAB4EAAgsAAhcAAgYAATQAAgsAAh0ACAYAAhgAAkwAAgYAAh4AATUAAgsAAhcABxEADxcABAEiAAEF"
        + "AAJVAAInAAcRAAgXAAIdAAdbAAILAAgXAAIvAAFAAAIdAAIGAAcXAAIuAA8GAAUCLwAHQAABCwABBQACMwCg"
        + "YmV0YSBnYW1tYQ==")
    let output = try LZ4.unpack(buffer(packed), 0..<packed.count, to: Self.words.count)
    #expect(output.array(Self.words.count) == Self.words)
    // As Hadoop writes them, two in one.
    func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - $0 * 8) & 255) } }
    let frame = big(Self.words.count) + big(packed.count) + packed
    let framed = try LZ4.unpackFramed(
      buffer(frame + frame), 0..<(2 * frame.count), to: Self.words.count * 2)
    #expect(framed.array(Self.words.count * 2) == Self.words + Self.words)
    for length in [Self.words.count + 1, Self.words.count - 1] {
      #expect(throws: SQLError.self) {
        try LZ4.unpack(buffer(packed), 0..<packed.count, to: length)
      }
    }
  }

  @Test("snappy packs what it unpacks")
  func snappy() throws {
    for bytes in [[], [1], Self.run, Self.words, Self.numbers] {
      let packed = Snappy.pack(buffer(bytes), count: bytes.count)
      let range = 0..<packed.count
      let input = buffer(packed.bytes.array(packed.count))
      let output = try Snappy.unpack(input, range, to: bytes.count)
      #expect(output.array(bytes.count) == bytes)
      #expect(throws: SQLError.self) { try Snappy.unpack(input, range, to: bytes.count + 1) }
    }
  }

  @Test("packed data with bits flipped or cut off ends in an error, or in other bytes")
  func damage() throws {
    let snappy = Snappy.pack(buffer(Self.words), count: Self.words.count)
    for (text, unpacked) in Self.frames {
      let packed = try bytes(text)
      for place in stride(from: 0, to: packed.count * 8, by: 7) {
        var changed = packed
        changed[place / 8] ^= 1 << UInt8(place % 8)
        _ = try? Zstandard.unpack(buffer(changed), 0..<packed.count, to: unpacked.count)
        _ = try? LZ4.unpack(buffer(changed), 0..<packed.count, to: unpacked.count)
      }
      for length in stride(from: 0, to: packed.count, by: 3) {
        #expect(throws: SQLError.self) {
          try Zstandard.unpack(buffer(packed), 0..<length, to: max(1, unpacked.count))
        }
      }
    }
    for place in stride(from: 0, to: snappy.count * 8, by: 7) {
      var changed = snappy.bytes.array(snappy.count)
      changed[place / 8] ^= 1 << UInt8(place % 8)
      _ = try? Snappy.unpack(buffer(changed), 0..<snappy.count, to: Self.words.count)
      _ = try? LZ4.unpack(buffer(changed), 0..<snappy.count, to: Self.words.count)
    }
  }
}
