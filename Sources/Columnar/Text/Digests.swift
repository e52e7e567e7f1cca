/// The SHA-2 family with 32-bit words (FIPS 180-4).
package enum Digests {
  /// The SHA-256 of a text in UTF-8, in hexadecimal digits.
  package static func sha256(of text: String) -> String {
    let message = Buffer<UInt8>(Array(text.utf8))
    let digest = sha256(message.bytes(0..<message.count))
    withExtendedLifetime(message) {}
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The message with its padding, in blocks of 64 bytes.
  private static func padded(_ message: TextBytes, bigEndianLength: Bool) -> Buffer<UInt8> {
    let blocks = (message.count + 8) / 64 + 1
    let result = Buffer<UInt8>(zeroed: blocks * 64)
    result.copy(message, to: 0)
    result[message.count] = 0x80
    let bits = UInt64(message.count) &* 8
    for index in 0..<8 {
      let shift = UInt64(bigEndianLength ? 56 - 8 * index : 8 * index)
      result[blocks * 64 - 8 + index] = UInt8(truncatingIfNeeded: bits >> shift)
    }
    return result
  }

  private static let sha256Constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]

  private static let sha256Start: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]

  private static let sha224Start: [UInt32] = [
    0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7,
    0xbefa_4fa4,
  ]

  /// The 32 bytes of SHA-256, or the 28 of SHA-224.
  static func sha256(_ message: TextBytes, is224: Bool = false) -> [UInt8] {
    let data = padded(message, bigEndianLength: true)
    let state = Buffer<UInt32>(is224 ? sha224Start : sha256Start)
    let words = Buffer<UInt32>(uninitialized: 64)
    let round = Buffer<UInt32>(uninitialized: 8)
    for start in stride(from: 0, to: data.count, by: 64) {
      // Nobody gets to see the digest that a statement made after it was asked to end.
      if start & 0xF_FFFF == 0 && RunningStatement.isInterrupted { break }
      for index in 0..<16 {
        var word: UInt32 = 0
        for byte in 0..<4 { word = word << 8 | UInt32(data[start + index * 4 + byte]) }
        words[index] = word
      }
      for index in 16..<64 {
        let a = words[index - 15]
        let b = words[index - 2]
        let first = turned(a, 7) ^ turned(a, 18) ^ a >> 3
        let second = turned(b, 17) ^ turned(b, 19) ^ b >> 10
        words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
      }
      round.copy(state, count: 8, to: 0)
      for step in 0..<64 {
        let e = round[4]
        let a = round[0]
        let choice = (e & round[5]) ^ (~e & round[6])
        let sigma1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
        let first = round[7] &+ sigma1 &+ choice &+ sha256Constants[step] &+ words[step]
        let majority = (a & round[1]) ^ (a & round[2]) ^ (round[1] & round[2])
        let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
        for index in stride(from: 7, to: 0, by: -1) { round[index] = round[index - 1] }
        round[4] = round[4] &+ first
        round[0] = first &+ second
      }
      for index in 0..<8 { state[index] = state[index] &+ round[index] }
    }
    let bytes = state.array(8).flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
    }
    return is224 ? Array(bytes.prefix(28)) : bytes
  }

  private static func turned(_ word: UInt32, _ places: UInt32) -> UInt32 {
    word &>> places | word &<< (32 - places)
  }
}
