package import Diagnostics

/// Functions between texts, codes, digests and quoted forms.
package enum CodeFunctions {
  private static let hexDigits: [UInt8] = Array("0123456789abcdef".utf8)

  static func appendHex(_ bytes: [UInt8], to output: inout ByteBuilder) {
    for byte in bytes {
      output.append(hexDigits[Int(byte >> 4)])
      output.append(hexDigits[Int(byte & 15)])
    }
  }

  /// `ascii(text)`: the first character's code point.
  package static func ascii(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.compute(arguments, count, .integer) { row -> Int32 in
      let text = texts.bytes(row)
      return text.count == 0 ? 0 : Int32(truncatingIfNeeded: text.codePoint(at: 0).value)
    }
  }

  /// `chr(code)`.
  ///
  /// - Throws: 54000 for a code that is no character.
  package static func character(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let codes = Operand(arguments[0], Int32.self)
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let code = codes[row]
      if code < 0 { throw SQLError(.invalidParameterValue, "character number must be positive") }
      if code == 0 { throw SQLError(.programLimitExceeded, "null character not permitted") }
      guard let scalar = Unicode.Scalar(UInt32(code)) else {
        let problem = code > 0x10FFFF ? "too large" : "not valid"
        throw SQLError(
          .programLimitExceeded, "requested character \(problem) for encoding: \(code)")
      }
      output.append(codePoint: scalar.value)
    }
  }

  /// `to_hex` of integer and bigint.
  package static func toHex(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let isWide = arguments[0].type.physical == .int64
    let narrow = isWide ? nil : Operand(arguments[0], Int32.self)
    let wide = isWide ? Operand(arguments[0], Int64.self) : nil
    return try TextLoop.build(arguments, count) { row, output in
      var value = wide.map { UInt64(bitPattern: $0[row]) } ?? 0
      if let narrow { value = UInt64(UInt32(bitPattern: narrow[row])) }
      var shift = max(0, (63 &- value.leadingZeroBitCount) / 4 &* 4)
      if value == 0 { shift = 0 }
      while shift >= 0 {
        output.append(hexDigits[Int(value &>> UInt64(shift) & 15)])
        shift &-= 4
      }
    }
  }

  /// `md5` of text and bytea, in hexadecimal digits.
  package static func md5(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let digest = MD5()
    return try TextLoop.build(arguments, count) { row, output in
      digest.take(texts.bytes(row))
      for place in 0..<MD5.byteCount {
        let byte = digest.byte(place)
        output.append(hexDigits[Int(byte >> 4)])
        output.append(hexDigits[Int(byte & 15)])
      }
    }
  }

  /// `sha224` and `sha256` of bytea.
  package static func sha256(is224: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      return try TextLoop.build(arguments, count, .bytea) { row, output in
        for byte in Digests.sha256(texts.bytes(row), is224: is224) { output.append(byte) }
      }
    }
  }

  /// `encode(bytea, format)`: hex, base64 or escape.
  ///
  /// - Throws: 22023 for another format.
  package static func encode(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let values = Operand(arguments[0])
    let formats = Operand(arguments[1])
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let bytes = values.bytes(row)
      switch try ByteEncoding(formats.bytes(row)) {
      case .hex: appendHex(bytes.array, to: &output)
      case .base64: Base64.encode(bytes, to: &output)
      case .escape:
        for index in 0..<bytes.count {
          let byte = bytes[index]
          if byte == 0 || byte >= 0x80 {
            output.append(0x5C)
            output.append(0x30 &+ (byte &>> 6))
            output.append(0x30 &+ (byte &>> 3 & 7))
            output.append(0x30 &+ (byte & 7))
          } else {
            if byte == 0x5C { output.append(0x5C) }
            output.append(byte)
          }
        }
      }
    }
  }

  /// `decode(text, format)`.
  ///
  /// - Throws: 22023 for another format or bad digits.
  package static func decode(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let values = Operand(arguments[0])
    let formats = Operand(arguments[1])
    return try TextLoop.build(arguments, count, .bytea) { (row, output) throws(SQLError) in
      let text = values.bytes(row)
      switch try ByteEncoding(formats.bytes(row)) {
      case .hex: try decodeHex(text, &output)
      case .base64: try Base64.decode(text, to: &output)
      case .escape: try decodeEscape(text, &output)
      }
    }
  }

  private static func decodeHex(_ text: TextBytes, _ output: inout ByteBuilder) throws(SQLError) {
    var index = 0
    var high: UInt8?
    while index < text.count {
      let byte = text[index]
      index &+= 1
      if byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D { continue }
      guard let digit = hexValue(byte) else {
        throw SQLError(
          .invalidParameterValue,
          "invalid hexadecimal digit: \"\(String(decoding: [byte], as: UTF8.self))\"")
      }
      if let upper = high {
        output.append(upper << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    if high != nil {
      throw SQLError(.invalidParameterValue, "invalid hexadecimal data: odd number of digits")
    }
  }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  private static func decodeEscape(_ text: TextBytes, _ output: inout ByteBuilder) throws(SQLError)
  {
    let invalid = SQLError(
      .invalidTextRepresentation, "invalid input syntax for type bytea")
    var index = 0
    while index < text.count {
      let byte = text[index]
      guard byte == 0x5C else {
        output.append(byte)
        index &+= 1
        continue
      }
      if index + 1 < text.count && text[index + 1] == 0x5C {
        output.append(0x5C)
        index &+= 2
        continue
      }
      guard index + 3 < text.count, text[index + 1] & 0xFC == 0x30, text[index + 2] & 0xF8 == 0x30,
        text[index + 3] & 0xF8 == 0x30
      else { throw invalid }
      output.append(
        (text[index + 1] & 3) << 6 | (text[index + 2] & 7) << 3 | (text[index + 3] & 7))
      index &+= 4
    }
  }

  /// `quote_literal(text)` and, giving NULL for NULL, `quote_nullable`.
  package static func quoteLiteral(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.build(arguments, count) { row, output in
      appendLiteral(texts.bytes(row), to: &output)
    }
  }

  package static func quoteNullable(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let validity = RowLoop.spread(arguments[0], count)
    return try TextLoop.build(count, .text, .allValid) { row, output in
      if validity.isValid(row) {
        appendLiteral(texts.bytes(row), to: &output)
      } else {
        output.append("NULL")
      }
    }
  }

  static func appendLiteral(_ text: TextBytes, to output: inout ByteBuilder) {
    if text.firstIndex(of: 0x5C) != nil { output.append("E") }
    output.append(0x27)
    for index in 0..<text.count {
      let byte = text[index]
      if byte == 0x27 || byte == 0x5C { output.append(byte) }
      output.append(byte)
    }
    output.append(0x27)
  }

  /// `quote_ident(text)`: in double quotes unless it may stand without.
  package static func quoteIdentifier(isKeyword: @escaping @Sendable (String) -> Bool)
    -> ScalarKernel
  {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      return try TextLoop.build(arguments, count) { row, output in
        appendIdentifier(texts.bytes(row), isKeyword, to: &output)
      }
    }
  }

  static func appendIdentifier(
    _ text: TextBytes, _ isKeyword: (String) -> Bool, to output: inout ByteBuilder
  ) {
    var isPlain = text.count > 0 && (text[0] &- 0x61 < 26 || text[0] == 0x5F)
    for index in 0..<text.count {
      let byte = text[index]
      if !(byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F) { isPlain = false }
    }
    if isPlain && !isKeyword(text.string) {
      output.append(text)
      return
    }
    output.append(0x22)
    for index in 0..<text.count {
      if text[index] == 0x22 { output.append(0x22) }
      output.append(text[index])
    }
    output.append(0x22)
  }
}

/// The formats of `encode` and `decode`.
enum ByteEncoding {
  case hex, base64, escape

  /// - Throws: 22023 for a name that is none of them.
  init(_ name: TextBytes) throws(SQLError) {
    switch name.string.lowercased() {
    case "hex": self = .hex
    case "base64": self = .base64
    case "escape": self = .escape
    default:
      throw SQLError(.invalidParameterValue, "unrecognized encoding: \"\(name.string)\"")
    }
  }
}

/// Base64 as `encode` writes it: lines of 76 characters.
enum Base64 {
  private static let digits: [UInt8] = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: TextBytes, to output: inout ByteBuilder) {
    var index = 0
    var column = 0
    while index < bytes.count {
      if column == 76 {
        output.append(0x0A)
        column = 0
      }
      let left = bytes.count - index
      let group =
        UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
        | (left > 2 ? UInt32(bytes[index + 2]) : 0)
      output.append(digits[Int(group >> 18)])
      output.append(digits[Int(group >> 12 & 63)])
      output.append(left > 1 ? digits[Int(group >> 6 & 63)] : 0x3D)
      output.append(left > 2 ? digits[Int(group & 63)] : 0x3D)
      index += 3
      column += 4
    }
  }

  static func decode(_ text: TextBytes, to output: inout ByteBuilder) throws(SQLError) {
    var group: UInt32 = 0
    var length = 0
    var padding = 0
    for index in 0..<text.count {
      let byte = text[index]
      if byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D { continue }
      var value: UInt32 = 0
      if byte == 0x3D {
        if length < 2 {
          throw SQLError(.invalidParameterValue, "unexpected \"=\" while decoding base64 sequence")
        }
        padding += 1
      } else if let digit = digits.firstIndex(of: byte), padding == 0 {
        value = UInt32(digit)
      } else {
        let symbol = String(decoding: [byte], as: UTF8.self)
        throw SQLError(
          .invalidParameterValue,
          "invalid symbol \"\(symbol)\" found while decoding base64 sequence")
      }
      group = group << 6 | value
      length += 1
      if length == 4 {
        output.append(UInt8(truncatingIfNeeded: group >> 16))
        if padding < 2 { output.append(UInt8(truncatingIfNeeded: group >> 8)) }
        if padding < 1 { output.append(UInt8(truncatingIfNeeded: group)) }
        group = 0
        length = 0
      }
    }
    if length != 0 {
      throw SQLError(
        .invalidParameterValue, "invalid base64 end sequence",
        hint: "Input data is missing padding, is truncated, or is otherwise corrupted.")
    }
  }
}
