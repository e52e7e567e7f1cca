import Diagnostics

/// The texts of arrays and records: `{1,NULL,"a b"}`, `(1,"a b",)`.
enum NestedText {
  private static func malformed(_ what: String, _ text: TextBytes, _ detail: String) -> SQLError {
    SQLError(
      .invalidTextRepresentation, "malformed \(what) literal: \"\(text.string)\"", detail: detail)
  }

  /// - Throws: 22P02, 0A000, and what the elements throw.
  static func array(_ text: TextBytes, _ element: LogicalType, _ parser: TextParser)
    throws(SQLError) -> Value
  {
    var position = 0
    func skipSpace() {
      while position < text.count && isSpace(text[position]) { position += 1 }
    }
    skipSpace()
    let declared = try dimension(text, &position)
    skipSpace()
    guard position < text.count, text[position] == UInt8(ascii: "{") else {
      throw malformed(
        "array", text, "Array value must start with \"{\" or dimension information.")
    }
    position += 1
    skipSpace()
    var values: [Value] = []
    if position < text.count && text[position] == UInt8(ascii: "}") {
      position += 1
    } else {
      while true {
        skipSpace()
        if values.count & 0xFFF == 0 { try RunningStatement.check() }
        values.append(try self.element(text, &position, element, parser))
        skipSpace()
        guard position < text.count else {
          throw malformed("array", text, "Unexpected end of input.")
        }
        let byte = text[position]
        position += 1
        if byte == UInt8(ascii: "}") { break }
        guard byte == UInt8(ascii: ",") else {
          throw malformed("array", text, "Unexpected array element.")
        }
      }
    }
    skipSpace()
    guard position == text.count else {
      throw malformed("array", text, "Junk after closing right brace.")
    }
    if let declared, declared != values.count {
      throw malformed(
        "array", text, "Specified array dimensions do not match array contents.")
    }
    return .list(values)
  }

  /// The number of elements that `[1:n]=` before an array says it has; nil where nothing is said.
  ///
  /// - Throws: 22P02, 2202E, 0A000 for subscripts that do not begin at 1.
  private static func dimension(_ text: TextBytes, _ position: inout Int) throws(SQLError) -> Int? {
    guard position < text.count, text[position] == UInt8(ascii: "[") else { return nil }
    position += 1
    var lower: Int32 = 1
    var upper = try bound(text, &position)
    if position < text.count, text[position] == UInt8(ascii: ":") {
      position += 1
      lower = upper
      upper = try bound(text, &position)
    }
    guard position < text.count, text[position] == UInt8(ascii: "]") else {
      throw malformed("array", text, "Missing \"]\" after array dimensions.")
    }
    position += 1
    if position < text.count, text[position] == UInt8(ascii: "[") {
      throw SQLError.unsupported("a multidimensional array")
    }
    while position < text.count && isSpace(text[position]) { position += 1 }
    guard position < text.count, text[position] == UInt8(ascii: "=") else {
      throw malformed("array", text, "Missing \"=\" after array dimensions.")
    }
    position += 1
    if upper < lower {
      throw SQLError(.arraySubscriptError, "upper bound cannot be less than lower bound")
    }
    if lower != 1 { throw SQLError.unsupported("an array whose subscripts do not begin at 1") }
    return Int(upper)
  }

  private static func bound(_ text: TextBytes, _ position: inout Int) throws(SQLError) -> Int32 {
    let start = position
    while position < text.count,
      isDigit(text[position]) || text[position] == UInt8(ascii: "-")
        || text[position] == UInt8(ascii: "+")
    {
      position += 1
    }
    let digits = text.slice(start..<position)
    guard digits.count > 0 else {
      throw malformed(
        "array", text, "\"[\" must introduce explicitly-specified array dimensions.")
    }
    guard let value = NumberText.parseInteger(digits).flatMap({ Int32(exactly: $0) }) else {
      throw SQLError(.arraySubscriptError, "array bound is out of integer range")
    }
    return value
  }

  private static func element(
    _ text: TextBytes, _ position: inout Int, _ type: LogicalType, _ parser: TextParser
  ) throws(SQLError) -> Value {
    guard position < text.count else { throw malformed("array", text, "Unexpected end of input.") }
    var bytes: [UInt8] = []
    var wasQuoted = false
    // The end of what a quote or backslash protected: spaces after it do not count.
    var kept = 0
    if text[position] == UInt8(ascii: "{") {
      throw SQLError.unsupported("a multidimensional array")
    }
    scan: while true {
      guard position < text.count else {
        throw malformed("array", text, "Unexpected end of input.")
      }
      let byte = text[position]
      switch byte {
      case UInt8(ascii: "\""):
        guard !wasQuoted && bytes.isEmpty else {
          throw malformed("array", text, "Unexpected array element.")
        }
        wasQuoted = true
        position += 1
        while true {
          guard position < text.count else {
            throw malformed("array", text, "Unexpected end of input.")
          }
          if text[position] == UInt8(ascii: "\"") { break }
          if text[position] == 92 { position += 1 }
          guard position < text.count else {
            throw malformed("array", text, "Unexpected end of input.")
          }
          bytes.append(text[position])
          position += 1
        }
        kept = bytes.count
      case 92:
        guard position + 1 < text.count else {
          throw malformed("array", text, "Unexpected end of input.")
        }
        position += 1
        bytes.append(text[position])
        kept = bytes.count
        wasQuoted = true
      case UInt8(ascii: ","), UInt8(ascii: "}"): break scan
      case UInt8(ascii: "{"): throw malformed("array", text, "Unexpected \"{\" character.")
      default:
        if wasQuoted && !isSpace(byte) {
          throw malformed("array", text, "Unexpected array element.")
        }
        bytes.append(byte)
        if !isSpace(byte) { kept = bytes.count }
      }
      position += 1
    }
    bytes.removeLast(bytes.count - kept)
    let word = Buffer(bytes)
    let content = word.bytes(0..<bytes.count)
    if !wasQuoted {
      if bytes.isEmpty {
        let found = String(decoding: [text[position]], as: UTF8.self)
        throw malformed("array", text, "Unexpected \"\(found)\" character.")
      }
      if content.matches("null") { return .null }
    }
    return try parser.value(content, type)
  }

  /// - Throws: 22P02, 0A000, and what the fields throw.
  static func record(_ text: TextBytes, _ type: RecordType, _ parser: TextParser)
    throws(SQLError) -> Value
  {
    if type.name == nil {
      throw SQLError(
        .featureNotSupported, "input of anonymous composite types is not implemented")
    }
    var position = 0
    while position < text.count && isSpace(text[position]) { position += 1 }
    guard position < text.count, text[position] == UInt8(ascii: "(") else {
      throw malformed("record", text, "Missing left parenthesis.")
    }
    position += 1
    var values: [Value] = []
    for (index, field) in type.fields.enumerated() {
      if index > 0 {
        guard position < text.count, text[position] == UInt8(ascii: ",") else {
          throw malformed("record", text, "Too few columns.")
        }
        position += 1
      }
      let (bytes, isPresent) = try fieldBytes(text, &position)
      if isPresent {
        let word = Buffer(bytes)
        values.append(try parser.value(word.bytes(0..<bytes.count), field.type))
      } else {
        values.append(.null)
      }
    }
    guard position < text.count, text[position] == UInt8(ascii: ")") else {
      throw malformed("record", text, "Too many columns.")
    }
    position += 1
    while position < text.count && isSpace(text[position]) { position += 1 }
    guard position == text.count else {
      throw malformed("record", text, "Junk after right parenthesis.")
    }
    return .record(values)
  }

  private static func fieldBytes(_ text: TextBytes, _ position: inout Int) throws(SQLError) -> (
    [UInt8], Bool
  ) {
    var bytes: [UInt8] = []
    var inQuotes = false
    var isPresent = false
    while true {
      guard position < text.count else {
        throw malformed("record", text, "Unexpected end of input.")
      }
      let byte = text[position]
      if !inQuotes && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: ")")) { break }
      isPresent = true
      position += 1
      if byte == 92 {
        guard position < text.count else {
          throw malformed("record", text, "Unexpected end of input.")
        }
        bytes.append(text[position])
        position += 1
      } else if byte == UInt8(ascii: "\"") {
        if inQuotes && position < text.count && text[position] == byte {
          bytes.append(byte)
          position += 1
        } else {
          inQuotes.toggle()
        }
      } else {
        bytes.append(byte)
      }
    }
    return (bytes, isPresent)
  }
}
