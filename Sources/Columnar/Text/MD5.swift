/// MD5 (RFC 1321) of one message after another, in memory that is taken once.
struct MD5 {
  static let byteCount = 16
  /// The state after the last message, and the words of a block of 64 bytes.
  private let state = Buffer<UInt32>(uninitialized: 4)
  private let words = Buffer<UInt32>(uninitialized: 16)
  private let sines = Buffer<UInt32>(Self.sines)

  /// The integer parts of 2^32 times the sine of 1 to 64.
  private static let sines: [UInt32] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613,
    0xfd46_9501, 0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193,
    0xa679_438e, 0x49b4_0821, 0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d,
    0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8, 0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed,
    0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a, 0xfffa_3942, 0x8771_f681, 0x6d9d_6122,
    0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70, 0x289b_7ec6, 0xeaa1_27fa,
    0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665, 0xf429_2244,
    0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb,
    0xeb86_d391,
  ]

  /// A byte of the digest of the message taken last.
  @inline(__always)
  func byte(_ place: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: state[place &>> 2] &>> UInt32(8 &* (place & 3)))
  }

  /// Makes the digest of a message.
  ///
  /// - Complexity: O(length).
  func take(_ message: TextBytes) {
    (state[0], state[1], state[2], state[3]) = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)
    var start = 0
    while start &+ 64 <= message.count {
      // Nobody gets to see the digest that a statement made after it was asked to end.
      if start & 0xF_FFFF == 0 && RunningStatement.isInterrupted { return }
      fill(message, from: start, count: 64)
      mix()
      start &+= 64
    }
    // What is left, a bit, and the length in bits at the end of a block.
    let rest = message.count &- start
    fill(message, from: start, count: rest)
    words[rest &>> 2] |= 0x80 &<< UInt32(8 &* (rest & 3))
    if rest >= 56 {
      mix()
      words.fill(0..<16, with: 0)
    }
    let bits = UInt64(message.count) &* 8
    words[14] = UInt32(truncatingIfNeeded: bits)
    words[15] = UInt32(truncatingIfNeeded: bits &>> 32)
    mix()
  }

  /// The words of a block that begins with some bytes of a message, and is zero behind them.
  private func fill(_ message: TextBytes, from start: Int, count: Int) {
    words.fill(0..<16, with: 0)
    for index in 0..<count {
      words[index &>> 2] |= UInt32(message[start &+ index]) &<< UInt32(8 &* (index & 3))
    }
  }

  /// Takes a block into the state: four rounds of sixteen steps.
  private func mix() {
    let (words, sines) = (words, sines)
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    @inline(__always)
    func step(
      _ a: inout UInt32, _ b: UInt32, _ mixed: UInt32, _ word: Int, _ number: Int, _ shift: UInt32
    ) {
      let sum = a &+ mixed &+ words[word] &+ sines[number]
      a = b &+ (sum &<< shift | sum &>> (32 &- shift))
    }
    for i in stride(from: 0, to: 16, by: 4) {
      step(&a, b, (b & c) | (~b & d), i, i, 7)
      step(&d, a, (a & b) | (~a & c), i &+ 1, i &+ 1, 12)
      step(&c, d, (d & a) | (~d & b), i &+ 2, i &+ 2, 17)
      step(&b, c, (c & d) | (~c & a), i &+ 3, i &+ 3, 22)
    }
    for i in stride(from: 16, to: 32, by: 4) {
      step(&a, b, (d & b) | (~d & c), (5 &* i &+ 1) & 15, i, 5)
      step(&d, a, (c & a) | (~c & b), (5 &* i &+ 6) & 15, i &+ 1, 9)
      step(&c, d, (b & d) | (~b & a), (5 &* i &+ 11) & 15, i &+ 2, 14)
      step(&b, c, (a & c) | (~a & d), (5 &* i) & 15, i &+ 3, 20)
    }
    for i in stride(from: 32, to: 48, by: 4) {
      step(&a, b, b ^ c ^ d, (3 &* i &+ 5) & 15, i, 4)
      step(&d, a, a ^ b ^ c, (3 &* i &+ 8) & 15, i &+ 1, 11)
      step(&c, d, d ^ a ^ b, (3 &* i &+ 11) & 15, i &+ 2, 16)
      step(&b, c, c ^ d ^ a, (3 &* i &+ 14) & 15, i &+ 3, 23)
    }
    for i in stride(from: 48, to: 64, by: 4) {
      step(&a, b, c ^ (b | ~d), (7 &* i) & 15, i, 6)
      step(&d, a, b ^ (a | ~c), (7 &* i &+ 7) & 15, i &+ 1, 10)
      step(&c, d, a ^ (d | ~b), (7 &* i &+ 14) & 15, i &+ 2, 15)
      step(&b, c, d ^ (c | ~a), (7 &* i &+ 5) & 15, i &+ 3, 21)
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
  }
}
