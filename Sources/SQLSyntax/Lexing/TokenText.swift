import Diagnostics

/// The values of tokens, made only when the parser asks for them.
struct TokenText {
  /// The text, in UTF-8.
  let bytes: [UInt8]

  /// The token as it was written.
  func raw(_ token: Token) -> String {
    String(decoding: bytes[Int(token.start)..<Int(token.end)], as: UTF8.self)
  }

  /// The name that an unquoted word means: small ASCII letters, cut to 63 bytes.
  func foldedName(_ token: Token) -> String {
    let start = Int(token.start)
    let end = clippedEnd(bytes, start, Int(token.end))
    for index in start..<end where asciiLowercased(bytes[index]) != bytes[index] {
      return String(decoding: bytes[start..<end].lazy.map(asciiLowercased), as: UTF8.self)
    }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// The name in double quotes, cut to 63 bytes.
  func quotedName(_ token: Token) -> String {
    let (start, end) = (Int(token.start) + 1, Int(token.end) - 1)
    if token.isPlain {
      return String(decoding: bytes[start..<clippedEnd(bytes, start, end)], as: UTF8.self)
    }
    let name = undoubled(start, end, ASCII.doubleQuote)
    return String(decoding: name[..<clippedEnd(name, 0, name.count)], as: UTF8.self)
  }

  /// The end of a name cut to 63 bytes, never within a character.
  private func clippedEnd(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
    if end - start <= Lexer.nameBytesMax { return end }
    var cut = start + Lexer.nameBytesMax
    while cut > start, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
    return cut
  }

  /// The value of a plain, dollar-quoted, national or bit string.
  func simpleString(_ token: Token) -> String {
    var (start, end) = (Int(token.start), Int(token.end))
    if token.kind == .dollarString {
      let tagEnd = dollarTagEnd(in: bytes, from: start) ?? start
      end -= tagEnd - start
      start = tagEnd
      return String(decoding: bytes[start..<end], as: UTF8.self)
    } else if token.kind == .bitString || token.kind == .hexString || token.kind == .nationalString
    {
      start += 2
    } else {
      start += 1
    }
    end -= 1
    if token.isPlain { return String(decoding: bytes[start..<end], as: UTF8.self) }
    return String(decoding: joined(start, end), as: UTF8.self)
  }

  /// The bytes of a string without doubled quotes and without the gaps between its pieces.
  private func joined(_ start: Int, _ end: Int) -> [UInt8] {
    var value: [UInt8] = []
    var index = start
    while index < end {
      if bytes[index] == ASCII.quote {
        if bytes[index + 1] == ASCII.quote {
          index += 1
        } else {
          index = skipGap(index + 1)
          continue
        }
      }
      value.append(bytes[index])
      index += 1
    }
    return value
  }

  /// The offset past the quote that reopens a string after a gap; the lexer has checked the gap.
  private func skipGap(_ start: Int) -> Int {
    var index = start
    while bytes[index] != ASCII.quote {
      if bytes[index] == ASCII.minus {
        while bytes[index] != ASCII.newline, bytes[index] != ASCII.carriageReturn { index += 1 }
      }
      index += 1
    }
    return index + 1
  }

  private func undoubled(_ start: Int, _ end: Int, _ quote: UInt8) -> [UInt8] {
    var value: [UInt8] = []
    var index = start
    while index < end {
      value.append(bytes[index])
      index += bytes[index] == quote ? 2 : 1
    }
    return value
  }
}

// MARK: - Escapes

extension TokenText {
  /// The value of `E'…'`.
  ///
  /// - Throws: 22025 for a bad Unicode escape, 22021 for bytes that are no UTF-8.
  func escapedString(_ token: Token) throws(SQLError) -> String {
    let end = Int(token.end) - 1
    var index = Int(token.start) + 2
    var value: [UInt8] = []
    while index < end {
      let byte = bytes[index]
      if byte == ASCII.quote {
        if bytes[index + 1] == ASCII.quote {
          value.append(byte)
          index += 2
        } else {
          index = skipGap(index + 1)
        }
      } else if byte == ASCII.backslash {
        index = try readEscape(index, end, into: &value)
      } else {
        value.append(byte)
        index += 1
      }
    }
    return try validated(value, at: SourceRange(Int(token.start), Int(token.end)))
  }

  private func validated(_ value: [UInt8], at range: SourceRange) throws(SQLError) -> String {
    if !value.contains(0), let text = String(validating: value, as: UTF8.self) { return text }
    throw UTF8Check.error(in: value, at: range)
  }

  private func readEscape(
    _ start: Int, _ end: Int, into value: inout [UInt8]
  ) throws(SQLError) -> Int {
    let byte = bytes[start + 1]
    var index = start + 2
    switch byte {
    case UInt8(ascii: "b"): value.append(0x08)
    case UInt8(ascii: "f"): value.append(0x0C)
    case UInt8(ascii: "n"): value.append(0x0A)
    case UInt8(ascii: "r"): value.append(0x0D)
    case UInt8(ascii: "t"): value.append(0x09)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      var code = UInt32(byte) - 0x30
      var count = 1
      while count < 3, index < end, bytes[index] >= 0x30, bytes[index] <= 0x37 {
        code = code * 8 + UInt32(bytes[index]) - 0x30
        index += 1
        count += 1
      }
      value.append(UInt8(truncatingIfNeeded: code))
    case UInt8(ascii: "x"):
      var code: UInt32 = 0
      var count = 0
      while count < 2, index < end, let digit = hexValue(bytes[index]) {
        code = code * 16 + digit
        index += 1
        count += 1
      }
      value.append(count == 0 ? byte : UInt8(truncatingIfNeeded: code))
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      return try readUnicodeEscape(start, end, into: &value)
    default: value.append(byte)
    }
    return index
  }

  private func readUnicodeEscape(
    _ start: Int, _ end: Int, into value: inout [UInt8]
  ) throws(SQLError) -> Int {
    let (code, next) = try codePoint(start, end)
    guard code >= 0xD800, code <= 0xDFFF else {
      try append(code, to: &value, at: SourceRange(start, next))
      return next
    }
    let pair = SourceRange(start, next)
    guard code < 0xDC00, next + 1 < end, bytes[next] == ASCII.backslash,
      bytes[next + 1] | 0x20 == UInt8(ascii: "u")
    else { throw surrogateError(pair) }
    let (low, after) = try codePoint(next, end)
    guard low >= 0xDC00, low <= 0xDFFF else { throw surrogateError(pair) }
    try append(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), to: &value, at: pair)
    return after
  }

  /// The number of `\uXXXX` or `\UXXXXXXXX`, and the offset past it.
  private func codePoint(_ start: Int, _ end: Int) throws(SQLError) -> (UInt32, Int) {
    let length = bytes[start + 1] == UInt8(ascii: "u") ? 4 : 8
    var code: UInt32 = 0
    for index in (start + 2)..<(start + 2 + length) {
      guard index < end, let digit = hexValue(bytes[index]) else {
        throw SQLError(
          .invalidEscapeSequence, "invalid Unicode escape", at: SourceRange(start, index),
          hint: "Unicode escapes must be \\uXXXX or \\UXXXXXXXX.")
      }
      code = code << 4 | digit
    }
    return (code, start + 2 + length)
  }

  private func surrogateError(_ range: SourceRange) -> SQLError {
    SQLError(.syntaxError, "invalid Unicode surrogate pair", at: range)
  }

  private func append(
    _ code: UInt32, to value: inout [UInt8], at range: SourceRange
  ) throws(SQLError) {
    guard code != 0, let scalar = Unicode.Scalar(code) else {
      throw SQLError(.syntaxError, "invalid Unicode escape value", at: range)
    }
    value.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// The value of `U&'…'` or `U&"…"` whose escape character is `escape`.
  ///
  /// - Throws: 42601 for a bad escape.
  func unicodeText(_ token: Token, escape: UInt8) throws(SQLError) -> String {
    let isName = token.kind == .unicodeIdentifier
    let (start, end) = (Int(token.start) + 3, Int(token.end) - 1)
    let source = isName ? undoubled(start, end, ASCII.doubleQuote) : joined(start, end)
    let range = SourceRange(Int(token.start), Int(token.end))
    var value: [UInt8] = []
    var high: UInt32?
    var index = 0
    while index < source.count {
      if source[index] != escape || (index + 1 < source.count && source[index + 1] == escape) {
        if high != nil { throw surrogateError(range) }
        value.append(source[index])
        index += source[index] == escape ? 2 : 1
        continue
      }
      let isLong = index + 1 < source.count && source[index + 1] == UInt8(ascii: "+")
      let first = index + (isLong ? 2 : 1)
      var code: UInt32 = 0
      for offset in first..<(first + (isLong ? 6 : 4)) {
        guard offset < source.count, let digit = hexValue(source[offset]) else {
          throw SQLError(
            .syntaxError, "invalid Unicode escape", at: range,
            hint: "Unicode escapes must be \\XXXX or \\+XXXXXX.")
        }
        code = code << 4 | digit
      }
      index = first + (isLong ? 6 : 4)
      if let lead = high {
        guard code >= 0xDC00, code <= 0xDFFF else { throw surrogateError(range) }
        try append(0x10000 + ((lead - 0xD800) << 10) + (code - 0xDC00), to: &value, at: range)
        high = nil
      } else if code >= 0xD800, code <= 0xDBFF {
        high = code
      } else if code >= 0xDC00, code <= 0xDFFF {
        throw surrogateError(range)
      } else {
        try append(code, to: &value, at: range)
      }
    }
    if high != nil { throw surrogateError(range) }
    return try validated(value, at: range)
  }
}

/// Says where bytes are no UTF-8.
enum UTF8Check {
  /// The error of PostgreSQL for the first wrong sequence in `bytes`.
  static func error(in bytes: [UInt8], at range: SourceRange? = nil) -> SQLError {
    var offset = 0
    while offset < bytes.count {
      let length = sequenceLength(bytes, offset)
      if length == 0 { break }
      offset += length
    }
    let claimed = offset < bytes.count ? claimedLength(bytes[offset]) : 1
    let shown = bytes[min(offset, bytes.count)..<min(offset + claimed, bytes.count)]
    let text = shown.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0x0\(digits)" : "0x\(digits)"
    }
    return SQLError(
      .characterNotInRepertoire,
      "invalid byte sequence for encoding \"UTF8\": \(text.joined(separator: " "))",
      at: range ?? SourceRange(offset, offset + shown.count))
  }

  private static func claimedLength(_ byte: UInt8) -> Int {
    if byte >= 0xF0, byte < 0xF8 { return 4 }
    if byte >= 0xE0 { return byte < 0xF0 ? 3 : 1 }
    return byte >= 0xC0 ? 2 : 1
  }

  /// The length of the right sequence at `offset`, or 0 if there is none; NUL counts as wrong.
  private static func sequenceLength(_ bytes: [UInt8], _ offset: Int) -> Int {
    if bytes[offset] == 0 { return 0 }
    let length = claimedLength(bytes[offset])
    guard offset + length <= bytes.count else { return 0 }
    let sequence = bytes[offset..<(offset + length)]
    return String(validating: sequence, as: UTF8.self) == nil ? 0 : length
  }
}
