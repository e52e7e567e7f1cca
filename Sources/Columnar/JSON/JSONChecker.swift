import Diagnostics

/// Checks JSON text, byte by byte, and says what is wrong in PostgreSQL's words.
struct JSONChecker {
  private let text: TextBytes
  private var position = 0
  private var tokenStart = 0
  private var depth: Int

  /// A checker of a text that stands within `depth` arrays and objects.
  init(_ text: TextBytes, depth: Int = 0) {
    self.text = text
    self.depth = depth
  }

  private enum Token { case string, number, word, punctuation(UInt8), end }

  /// Checks the whole text.
  ///
  /// - Throws: 22P02, 54001.
  mutating func document() throws(SQLError) {
    try value(next(), expected: "JSON value")
    if case .end = try next() { return }
    throw unexpected("Expected end of input, but found")
  }

  private mutating func value(_ token: Token, expected: String) throws(SQLError) {
    switch token {
    case .string, .number, .word: return
    case .punctuation(UInt8(ascii: "{")): try object()
    case .punctuation(UInt8(ascii: "[")): try array()
    case .end: throw endOfInput()
    case .punctuation: throw unexpected("Expected \(expected), but found")
    }
  }

  private mutating func enter() throws(SQLError) {
    depth += 1
    if depth > JSONText.depthMax { throw JSONText.tooDeep }
  }

  private mutating func array() throws(SQLError) {
    try enter()
    var token = try next()
    if case .punctuation(UInt8(ascii: "]")) = token {
      depth -= 1
      return
    }
    var isFirst = true
    while true {
      if isFirst {
        try value(token, expected: "array element or \"]\"")
      } else {
        try value(token, expected: "JSON value")
      }
      isFirst = false
      switch try next() {
      case .punctuation(UInt8(ascii: ",")): token = try next()
      case .punctuation(UInt8(ascii: "]")):
        depth -= 1
        return
      case .end: throw endOfInput()
      case .string, .number, .word, .punctuation:
        throw unexpected("Expected \",\" or \"]\", but found")
      }
    }
  }

  private mutating func object() throws(SQLError) {
    try enter()
    var token = try next()
    if case .punctuation(UInt8(ascii: "}")) = token {
      depth -= 1
      return
    }
    var isFirst = true
    while true {
      guard case .string = token else {
        if case .end = token { throw endOfInput() }
        throw unexpected(
          isFirst ? "Expected string or \"}\", but found" : "Expected string, but found")
      }
      isFirst = false
      switch try next() {
      case .punctuation(UInt8(ascii: ":")): break
      case .end: throw endOfInput()
      case .string, .number, .word, .punctuation: throw unexpected("Expected \":\", but found")
      }
      try value(next(), expected: "JSON value")
      switch try next() {
      case .punctuation(UInt8(ascii: ",")): token = try next()
      case .punctuation(UInt8(ascii: "}")):
        depth -= 1
        return
      case .end: throw endOfInput()
      case .string, .number, .word, .punctuation:
        throw unexpected("Expected \",\" or \"}\", but found")
      }
    }
  }

  private mutating func next() throws(SQLError) -> Token {
    while position < text.count
      && (text[position] == 32 || text[position] == 9 || text[position] == 10
        || text[position] == 13)
    {
      position &+= 1
    }
    tokenStart = position
    guard position < text.count else { return .end }
    let byte = text[position]
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ","), UInt8(ascii: ":"):
      position += 1
      return .punctuation(byte)
    case UInt8(ascii: "\""):
      try string()
      return .string
    default:
      if byte == UInt8(ascii: "-") || isDigit(byte) {
        try number()
        return .number
      }
      try word()
      return .word
    }
  }

  private mutating func word() throws(SQLError) {
    while position < text.count && Self.isWordByte(text[position]) { position += 1 }
    if position == tokenStart {
      position += TextBytes.sequenceLength(text[position])
      position = min(position, text.count)
      throw invalidToken()
    }
    let word = text.slice(tokenStart..<position).string
    if word != "true" && word != "false" && word != "null" { throw invalidToken() }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (byte | 32) &- 97 < 26 || isDigit(byte) || byte == 95 || byte >= 0x80
  }

  private mutating func number() throws(SQLError) {
    var isGood = true
    if text[position] == UInt8(ascii: "-") { position += 1 }
    if position < text.count && text[position] == 48 {
      position += 1
    } else if !digits() {
      isGood = false
    }
    if position < text.count && text[position] == UInt8(ascii: ".") {
      position += 1
      if !digits() { isGood = false }
    }
    if position < text.count && text[position] | 32 == UInt8(ascii: "e") {
      position += 1
      if position < text.count
        && (text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-"))
      {
        position += 1
      }
      if !digits() { isGood = false }
    }
    while position < text.count && Self.isWordByte(text[position]) {
      isGood = false
      position += 1
    }
    if !isGood { throw invalidToken() }
  }

  private mutating func digits() -> Bool {
    let start = position
    while position < text.count && isDigit(text[position]) { position += 1 }
    return position > start
  }

  private mutating func string() throws(SQLError) {
    position += 1
    while position < text.count {
      let byte = text[position]
      if byte == 34 {
        position += 1
        return
      }
      if byte < 32 {
        throw invalid(
          "Character with value 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16)) must be escaped."
        )
      }
      position += 1
      if byte == 92 { try escape() }
    }
    position = text.count
    throw invalidToken()
  }

  private mutating func escape() throws(SQLError) {
    guard position < text.count else { throw invalidToken() }
    let byte = text[position]
    switch byte {
    case 34, 92, 47, UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"),
      UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      position += 1
      for _ in 0..<4 {
        guard position < text.count else { throw invalidToken() }
        guard hexDigit(text[position]) != nil else {
          position += 1
          throw invalid("\"\\u\" must be followed by four hexadecimal digits.")
        }
        position += 1
      }
    default:
      let end = min(position + TextBytes.sequenceLength(byte), text.count)
      let found = text.slice(position..<end).string
      position = end
      throw invalid("Escape sequence \"\\\(found)\" is invalid.")
    }
  }

  private func invalidToken() -> SQLError {
    invalid("Token \"\(text.slice(tokenStart..<position).string)\" is invalid.")
  }

  private func unexpected(_ expectation: String) -> SQLError {
    invalid("\(expectation) \"\(text.slice(tokenStart..<position).string)\".")
  }

  private func endOfInput() -> SQLError { invalid("The input string ended unexpectedly.") }

  private func invalid(_ detail: String) -> SQLError {
    SQLError(
      .invalidTextRepresentation, "invalid input syntax for type json", detail: detail,
      context: context())
  }

  /// The line up to the place of the error, its start cut when it is long.
  private func context() -> String {
    var line = 1
    var start = 0
    for index in 0..<min(position, text.count) where text[index] == 10 {
      line += 1
      start = index + 1
    }
    var shown = start
    while position - shown >= 50 { shown += TextBytes.sequenceLength(text[shown]) }
    // A start that hides three bytes or fewer need not be cut.
    if shown - start <= 3 { shown = start }
    let prefix = shown > start ? "..." : ""
    let isRest = position < text.count && text[position] != 10 && text[position] != 13
    return "JSON data, line \(line): \(prefix)"
      + text.slice(min(shown, position)..<position).string + (isRest ? "..." : "")
  }
}
