/// Upper and lower case of code points, one to one as the C library maps them.
package enum CharacterCase {
  /// The capital of a code point, itself where there is none or it is not one code point.
  package static func upper(_ value: UInt32) -> UInt32 {
    if value < 0x80 { return value &- 0x61 < 26 ? value ^ 0x20 : value }
    guard let scalar = Unicode.Scalar(value) else { return value }
    return single(scalar.properties.uppercaseMapping) ?? value
  }

  /// The small letter of a code point, itself where there is none or it is not one code point.
  package static func lower(_ value: UInt32) -> UInt32 {
    if value < 0x80 { return value &- 0x41 < 26 ? value ^ 0x20 : value }
    // The one letter that has a small one of one code point by itself, and another in full: i with a dot above.
    if value == 0x130 { return 0x69 }
    guard let scalar = Unicode.Scalar(value) else { return value }
    return single(scalar.properties.lowercaseMapping) ?? value
  }

  private static func single(_ mapped: String) -> UInt32? {
    let scalars = mapped.unicodeScalars
    guard let first = scalars.first, scalars.count == 1 else { return nil }
    return first.value
  }

  /// Whether a code point is a letter or a digit.
  package static func isAlphanumeric(_ value: UInt32) -> Bool {
    if value < 0x80 { return value &- 0x30 < 10 || (value | 0x20) &- 0x61 < 26 }
    guard let scalar = Unicode.Scalar(value) else { return false }
    return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  /// Eight ASCII characters in small letters.
  @inline(__always)
  static func lowerASCII(_ word: UInt64) -> UInt64 { word | letters(word, from: 0x41) &>> 2 }

  /// Eight ASCII characters in capitals.
  @inline(__always)
  static func upperASCII(_ word: UInt64) -> UInt64 { word & ~(letters(word, from: 0x61) &>> 2) }

  /// The top bit of each byte that is among the 26 from `first` on.
  @inline(__always)
  private static func letters(_ word: UInt64, from first: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let reached = word &+ ones &* (0x80 &- first)
    let passed = word &+ ones &* (0x80 &- first &- 26)
    return reached & ~passed & (ones &<< 7)
  }

  /// Adds `text` in small letters.
  static func appendLower(_ text: TextBytes, to output: inout ByteBuilder) {
    if text.isASCII {
      for index in 0..<text.count {
        let byte = text[index]
        output.append(byte &- 0x41 < 26 ? byte ^ 0x20 : byte)
      }
      return
    }
    mapped(text, &output) { lower($0) }
  }

  /// Adds `text` in capitals.
  static func appendUpper(_ text: TextBytes, to output: inout ByteBuilder) {
    if text.isASCII {
      for index in 0..<text.count {
        let byte = text[index]
        output.append(byte &- 0x61 < 26 ? byte ^ 0x20 : byte)
      }
      return
    }
    mapped(text, &output) { upper($0) }
  }

  /// Adds `text` with a capital at the start of each word and small letters elsewhere.
  static func appendInitialCapitals(_ text: TextBytes, to output: inout ByteBuilder) {
    var startsWord = true
    mapped(text, &output) { value in
      let result = startsWord ? upper(value) : lower(value)
      startsWord = !isAlphanumeric(value)
      return result
    }
  }

  @inline(__always)
  private static func mapped(
    _ text: TextBytes, _ output: inout ByteBuilder, _ body: (UInt32) -> UInt32
  ) {
    var index = 0
    while index < text.count {
      let (value, length) = text.codePoint(at: index)
      output.append(codePoint: body(value))
      index &+= length
    }
  }
}
