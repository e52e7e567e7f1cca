import Columnar

/// Copies of bytes that were written before, which may reach into what they write.
enum RepeatedBytes {
  /// Repeats bytes; up to seven behind the copy are overwritten.
  ///
  /// - Precondition: `source` lies before `out`; there is room for the copy and the seven bytes.
  @inline(__always)
  static func copy(
    _ bytes: Buffer<UInt8>, _ written: PagePointer<UInt8>, to out: Int, from source: Int,
    _ length: Int
  ) {
    let distance = out &- source
    if distance >= 8 {
      var index = 0
      repeat {
        bytes.store(word: written.word(at: source &+ index), at: out &+ index)
        index &+= 8
      } while index < length
    } else if distance == 1 {
      let word = UInt64(bytes[source]) &* 0x0101_0101_0101_0101
      var index = 0
      repeat {
        bytes.store(word: word, at: out &+ index)
        index &+= 8
      } while index < length
    } else {
      for index in 0..<length { bytes[out &+ index] = bytes[source &+ index] }
    }
  }
}
