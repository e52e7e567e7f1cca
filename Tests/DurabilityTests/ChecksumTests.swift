import Columnar
import Testing

@testable import Durability

@Suite("XXH64:")
struct ChecksumTests {
  /// The bytes that the function's own tests take: the high bytes of powers of a prime.
  private static func sample(_ count: Int) -> [UInt8] {
    var generator: UInt64 = 2_654_435_761
    return (0..<count).map { _ in
      let byte = UInt8(truncatingIfNeeded: generator >> 56)
      generator = generator &* 11_400_714_785_074_694_797
      return byte
    }
  }

  struct Vector: CustomTestStringConvertible {
    let count: Int
    let seed: UInt64
    let hash: UInt64
    var testDescription: String { "\(count) bytes, seed \(seed)" }
  }

  /// From the sanity check of xxHash 0.8.
  @Test(
    "the published vectors",
    arguments: [
      Vector(count: 0, seed: 0, hash: 0xEF46_DB37_51D8_E999),
      Vector(count: 0, seed: 2_654_435_761, hash: 0xAC75_FDA2_929B_17EF),
      Vector(count: 1, seed: 0, hash: 0xE934_A84A_DB05_2768),
      Vector(count: 1, seed: 2_654_435_761, hash: 0x5014_6076_43A9_B4C3),
      Vector(count: 4, seed: 0, hash: 0x9136_A0DC_A574_57EE),
      Vector(count: 14, seed: 0, hash: 0x8282_DCC4_994E_35C8),
      Vector(count: 14, seed: 2_654_435_761, hash: 0xC3BD_6BF6_3DEB_6DF0),
      Vector(count: 222, seed: 0, hash: 0xB641_AE8C_B691_C174),
      Vector(count: 222, seed: 2_654_435_761, hash: 0x20CB_8AB7_AE10_C14A),
    ])
  func vectors(_ vector: Vector) {
    let bytes = Self.sample(vector.count)
    #expect(XXH64.hash(bytes.span, seed: vector.seed) == vector.hash)
  }

  @Test("known texts")
  func texts() {
    #expect(XXH64.hash(Array("a".utf8).span) == 0xD24E_C4F1_A98C_6E5B)
    #expect(XXH64.hash(Array("abc".utf8).span) == 0x44BC_2CF5_AD77_0999)
  }

  @Test("pieces give what the whole gives, however they are cut")
  func pieces() {
    let bytes = Self.sample(200)
    for first in 0...70 {
      for second in stride(from: first, through: 200, by: 13) {
        var hash = XXH64(seed: 99)
        hash.update(bytes.span.extracting(0..<first))
        hash.update(bytes.span.extracting(first..<second))
        hash.update(bytes.span.extracting(second..<200))
        #expect(hash.value() == XXH64.hash(bytes.span, seed: 99), "cut at \(first) and \(second)")
      }
    }
  }
}
