package import Diagnostics

/// What a JSON value is, told from its first byte.
package enum JSONKind: Sendable {
  case object, array, string, number, boolean, null

  /// The kind of the value that begins with `byte`, which is no white space.
  package init(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"): self = .object
    case UInt8(ascii: "["): self = .array
    case UInt8(ascii: "\""): self = .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
    case UInt8(ascii: "n"): self = .null
    default: self = .number
    }
  }

  /// Whether the value has no parts.
  package var isScalar: Bool { self != .object && self != .array }

  /// The name that `json_typeof` gives.
  package var name: String {
    switch self {
    case .object: "object"
    case .array: "array"
    case .string: "string"
    case .number: "number"
    case .boolean: "boolean"
    case .null: "null"
    }
  }
}

/// Checks JSON, and brings jsonb into its one canonical text.
package enum JSONText {
  /// The deepest nesting of arrays and objects.
  package static let depthMax = 1000

  /// Checks that `text` is one JSON value.
  ///
  /// - Throws: 22P02 with PostgreSQL's detail and context, 54001.
  package static func validate(_ text: TextBytes) throws(SQLError) {
    var checker = JSONChecker(text)
    try checker.document()
  }

  /// Whether `text` is one JSON value, within `depth` arrays and objects.
  static func isValid(_ text: TextBytes, depth: Int) -> Bool {
    var checker = JSONChecker(text, depth: depth)
    do throws(SQLError) { try checker.document() } catch { return false }
    return true
  }

  /// Adds the canonical text of a JSON value: keys in order, each once, one spelling for each value.
  ///
  /// - Throws: 22P02, 22P05, 54001.
  package static func appendCanonical(_ text: TextBytes, to target: inout ByteBuilder)
    throws(SQLError)
  {
    try validate(text)
    var position = 0
    try canonical(text, &position, &target)
  }

  /// Checks that valid text that was put together of other values, and stands within others, is not nested too deeply.
  ///
  /// - Throws: 54001.
  /// - Complexity: O(*n*); O(1) for text too short to be that deep.
  static func checkDepth(_ text: TextBytes, within levels: Int = 0) throws(SQLError) {
    guard text.count > 2 * (depthMax - levels) else { return }
    var depth = levels
    var position = 0
    while position < text.count {
      switch text[position] {
      case 34:
        position = JSONCursor.endOfString(text, position)
        continue
      case 91, 123: depth += 1
      case 93, 125: depth -= 1
      default: break
      }
      if depth > depthMax { throw tooDeep }
      position += 1
    }
  }

  /// The error of a value that is nested too deeply.
  static var tooDeep: SQLError {
    SQLError(
      .statementTooComplex, "stack depth limit exceeded",
      detail: "JSON values may be nested \(depthMax) levels deep.")
  }

  private static func skipSpace(_ text: TextBytes, _ position: inout Int) {
    while position < text.count && isSpace(text[position]) { position &+= 1 }
  }

  /// Writes the value at `position`, which has been checked.
  private static func canonical(
    _ text: TextBytes, _ position: inout Int, _ target: inout ByteBuilder
  ) throws(SQLError) {
    skipSpace(text, &position)
    switch JSONKind(text[position]) {
    case .object: try canonicalObject(text, &position, &target)
    case .array:
      target.append(UInt8(ascii: "["))
      position += 1
      skipSpace(text, &position)
      var isFirst = true
      while text[position] != UInt8(ascii: "]") {
        if !isFirst {
          target.append(", ")
          position += 1
        }
        isFirst = false
        try canonical(text, &position, &target)
        skipSpace(text, &position)
      }
      position += 1
      target.append(UInt8(ascii: "]"))
    case .string:
      let end = JSONCursor.endOfString(text, position)
      try appendString(text.slice(position..<end), to: &target)
      position = end
    case .number:
      let end = JSONCursor.endOfScalar(text, position)
      try JSONNumber.appendPlain(text.slice(position..<end), to: &target)
      position = end
    case .boolean, .null:
      let end = JSONCursor.endOfScalar(text, position)
      target.append(text.slice(position..<end))
      position = end
    }
  }

  private static func canonicalObject(
    _ text: TextBytes, _ position: inout Int, _ target: inout ByteBuilder
  ) throws(SQLError) {
    // Each member is written aside, then all are put in the order of their keys.
    var members: [(key: [UInt8], member: [UInt8], ordinal: Int)] = []
    var scratch = ByteBuilder()
    position += 1
    skipSpace(text, &position)
    while text[position] != UInt8(ascii: "}") {
      if !members.isEmpty { position += 1 }
      skipSpace(text, &position)
      let end = JSONCursor.endOfString(text, position)
      let quoted = text.slice(position..<end)
      scratch.removeAll()
      try decodeString(quoted, to: &scratch)
      let key = scratch.array
      position = end
      skipSpace(text, &position)
      position += 1
      scratch.removeAll()
      try appendString(quoted, to: &scratch)
      scratch.append(": ")
      try canonical(text, &position, &scratch)
      members.append((key, scratch.array, members.count))
      skipSpace(text, &position)
    }
    position += 1
    members.sort { left, right in
      let order = JSONCursor.keyOrder(left.key, right.key)
      return order != 0 ? order < 0 : left.ordinal < right.ordinal
    }
    target.append(UInt8(ascii: "{"))
    var isFirst = true
    for index in members.indices {
      // Of members with one key the last one counts.
      if index + 1 < members.count && members[index + 1].key == members[index].key { continue }
      if !isFirst { target.append(", ") }
      isFirst = false
      for byte in members[index].member { target.append(byte) }
    }
    target.append(UInt8(ascii: "}"))
  }

  /// Adds a string, given with its quotes, in its one spelling.
  private static func appendString(_ quoted: TextBytes, to target: inout ByteBuilder)
    throws(SQLError)
  {
    var hasEscape = false
    for index in 0..<quoted.count where quoted[index] == 92 { hasEscape = true }
    if !hasEscape {
      target.append(quoted)
      return
    }
    var plain = ByteBuilder(capacity: quoted.count)
    try decodeString(quoted, to: &plain)
    JSONText.append(quoting: plain.bytes, to: &target)
  }

  /// Adds the characters that a string, given with its quotes, stands for.
  ///
  /// - Throws: 22P05 for `\u0000`, which no text holds; 22P02 for half a surrogate pair.
  package static func decodeString(_ quoted: TextBytes, to target: inout ByteBuilder)
    throws(SQLError)
  {
    var position = 1
    let end = quoted.count - 1
    while position < end {
      let byte = quoted[position]
      position += 1
      if byte != 92 {
        target.append(byte)
        continue
      }
      let escape = quoted[position]
      position += 1
      switch escape {
      case UInt8(ascii: "b"): target.append(8)
      case UInt8(ascii: "f"): target.append(12)
      case UInt8(ascii: "n"): target.append(10)
      case UInt8(ascii: "r"): target.append(13)
      case UInt8(ascii: "t"): target.append(9)
      case UInt8(ascii: "u"):
        var code = hexCode(quoted, position)
        position += 4
        if code == 0 {
          throw SQLError(
            .untranslatableCharacter, "unsupported Unicode escape sequence",
            detail: "\\u0000 cannot be converted to text.")
        }
        if code & 0xFC00 == 0xD800, position + 6 <= end, quoted[position] == 92,
          quoted[position + 1] == UInt8(ascii: "u")
        {
          let low = hexCode(quoted, position + 2)
          if low & 0xFC00 == 0xDC00 {
            code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
            position += 6
          }
        }
        if code & 0xFFFF_F800 == 0xD800 {
          let isHigh = code & 0x400 == 0
          throw SQLError(
            .invalidTextRepresentation, "invalid input syntax for type json",
            detail: isHigh
              ? "Unicode low surrogate must follow a high surrogate."
              : "Unicode low surrogate must follow a high surrogate.")
        }
        target.append(codePoint: code)
      default: target.append(escape)
      }
    }
  }

  private static func hexCode(_ text: TextBytes, _ position: Int) -> UInt32 {
    var code: UInt32 = 0
    for offset in 0..<4 { code = code << 4 | UInt32(hexDigit(text[position + offset]) ?? 0) }
    return code
  }

  /// Adds a text between quotes, escaped as PostgreSQL does.
  ///
  /// - Complexity: O(*n*).
  package static func append(quoting text: TextBytes, to target: inout ByteBuilder) {
    target.append(UInt8(ascii: "\""))
    var start = 0
    let hasMarks = text.mayHold(bytesBelow: 32, 34, 92)
    for position in 0..<(hasMarks ? text.count : 0) {
      let byte = text[position]
      if byte >= 32 && byte != 34 && byte != 92 { continue }
      target.append(text.slice(start..<position))
      start = position + 1
      switch byte {
      case 34: target.append("\\\"")
      case 92: target.append("\\\\")
      case 8: target.append("\\b")
      case 12: target.append("\\f")
      case 10: target.append("\\n")
      case 13: target.append("\\r")
      case 9: target.append("\\t")
      default:
        target.append("\\u")
        target.append(hex: UInt64(byte), width: 4)
      }
    }
    target.append(text.slice(start..<text.count))
    target.append(UInt8(ascii: "\""))
  }

  /// A name or message between quotes.
  package static func quoted(_ text: String) -> String {
    var plain = ByteBuilder()
    plain.append(text)
    var quoted = ByteBuilder()
    append(quoting: plain.bytes, to: &quoted)
    return quoted.bytes.string
  }
}
