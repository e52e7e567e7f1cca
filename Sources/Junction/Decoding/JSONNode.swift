/// A JSON text read into memory, for decoding.
enum JSONNode: Sendable {
  case null
  case boolean(Bool)
  /// A number as it was spelled, so that none of its digits is lost.
  case number(String)
  case text(String)
  case array([JSONNode])
  case object(JSONMembers)

  /// Reads one JSON value.
  ///
  /// - Throws: `JSONReader.Failure` for what is no JSON, or nested deeper than 512 levels.
  /// - Complexity: O(*n*) in the bytes.
  init(_ bytes: [UInt8]) throws(JSONReader.Failure) {
    var reader = JSONReader(bytes)
    self = try reader.readAll()
  }
}

/// The members of a JSON object, in the order in which they stand.
///
/// Most objects are rows of a few columns: their names are compared one by one, and only a large object has an index.
struct JSONMembers: Sendable {
  private(set) var keys: [String] = []
  private var values: [JSONNode] = []
  private var index: [String: Int] = [:]
  private static let indexedCount = 16

  /// The value under a key, of several the last one; nil if there is none.
  subscript(key: String) -> JSONNode? {
    if index.isEmpty { return keys.lastIndex(of: key).map { values[$0] } }
    return index[key].map { values[$0] }
  }

  /// Adds a member.
  ///
  /// - Complexity: O(1) on average.
  mutating func append(_ key: String, _ value: JSONNode) {
    keys.append(key)
    values.append(value)
    if keys.count == Self.indexedCount {
      for (place, key) in keys.enumerated() { index[key] = place }
    } else if keys.count > Self.indexedCount {
      index[key] = keys.count - 1
    }
  }

  /// The keys, each once.
  var distinctKeys: [String] {
    var seen: Set<String> = []
    return keys.filter { seen.insert($0).inserted }
  }
}

/// Reads JSON byte by byte.
struct JSONReader {
  /// Where a text stops being JSON, by its byte.
  struct Failure: Error {
    let offset: Int
  }

  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0
  private static let nestingMax = 512

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private var failure: Failure { Failure(offset: index) }

  mutating func readAll() throws(Failure) -> JSONNode {
    let value = try readValue()
    skipBlanks()
    if index < bytes.count { throw failure }
    return value
  }

  private mutating func skipBlanks() {
    while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard byte == UInt8(ascii: scalar) else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ scalar: Unicode.Scalar) throws(Failure) {
    if !take(scalar) { throw failure }
  }

  private mutating func readValue() throws(Failure) -> JSONNode {
    skipBlanks()
    switch byte {
    case UInt8(ascii: "{"):
      return try nested { (reader) throws(Failure) in try reader.readObject() }
    case UInt8(ascii: "["): return try nested { (reader) throws(Failure) in try reader.readArray() }
    case UInt8(ascii: "\""): return .text(try readText())
    case UInt8(ascii: "n"): return try readWord("null", .null)
    case UInt8(ascii: "t"): return try readWord("true", .boolean(true))
    case UInt8(ascii: "f"): return try readWord("false", .boolean(false))
    default: return try readNumber()
    }
  }

  private mutating func nested(
    _ body: (inout JSONReader) throws(Failure) -> JSONNode
  ) throws(Failure) -> JSONNode {
    depth += 1
    if depth > Self.nestingMax { throw failure }
    index += 1
    let node = try body(&self)
    depth -= 1
    return node
  }

  private mutating func readObject() throws(Failure) -> JSONNode {
    var members = JSONMembers()
    if take("}") { return .object(members) }
    repeat {
      skipBlanks()
      let key = try readText()
      try expect(":")
      members.append(key, try readValue())
    } while take(",")
    try expect("}")
    return .object(members)
  }

  private mutating func readArray() throws(Failure) -> JSONNode {
    var elements: [JSONNode] = []
    if take("]") { return .array(elements) }
    repeat { elements.append(try readValue()) } while take(",")
    try expect("]")
    return .array(elements)
  }

  private mutating func readWord(
    _ word: StaticString, _ node: JSONNode
  ) throws(Failure) -> JSONNode {
    for wanted in word.description.utf8 {
      if byte != wanted { throw failure }
      index += 1
    }
    return node
  }

  private mutating func readNumber() throws(Failure) -> JSONNode {
    let start = index
    while true {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        index += 1
        continue
      default: break
      }
      break
    }
    if index == start { throw failure }
    return .number(String(decoding: bytes[start..<index], as: UTF8.self))
  }

  private mutating func readText() throws(Failure) -> String {
    guard byte == UInt8(ascii: "\"") else { throw failure }
    index += 1
    let start = index
    while byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
      if index >= bytes.count { throw failure }
      index += 1
    }
    var text = String(decoding: bytes[start..<index], as: UTF8.self)
    while byte != UInt8(ascii: "\"") {
      if index >= bytes.count { throw failure }
      if byte == UInt8(ascii: "\\") {
        text.unicodeScalars.append(try readEscape())
      } else {
        let start = index
        while index < bytes.count, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
          index += 1
        }
        text += String(decoding: bytes[start..<index], as: UTF8.self)
      }
    }
    index += 1
    return text
  }

  private mutating func readEscape() throws(Failure) -> Unicode.Scalar {
    index += 1
    let escaped = byte
    index += 1
    switch escaped {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(escaped)
    case UInt8(ascii: "u"): return try readUnicode()
    default: throw failure
    }
  }

  private mutating func readUnicode() throws(Failure) -> Unicode.Scalar {
    let unit = try readUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard UTF16.isLeadSurrogate(UInt16(unit)), byte == UInt8(ascii: "\\") else { throw failure }
    index += 1
    guard byte == UInt8(ascii: "u") else { throw failure }
    index += 1
    let next = try readUnit()
    guard UTF16.isTrailSurrogate(UInt16(next)),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (next - 0xDC00))
    else { throw failure }
    return scalar
  }

  private mutating func readUnit() throws(Failure) -> UInt32 {
    guard index + 4 <= bytes.count,
      let unit = UInt32(String(decoding: bytes[index..<(index + 4)], as: UTF8.self), radix: 16)
    else { throw failure }
    index += 4
    return unit
  }
}
