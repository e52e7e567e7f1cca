/// Reads one parameter of a request, byte by byte.
///
/// What it recurses on is bounded: the levels of embeds and of conditions, and the number of embeds.
struct RequestParser {
  /// The most levels of embeds, and of conditions within conditions.
  static let nestingMax = 24
  /// The most embeds of one request.
  static let embedCountMax = 100
  /// The most steps into one JSON column.
  static let jsonStepCountMax = 64

  /// What is read, for messages: `select parameter`, `filter` and so on.
  private let what: String
  let bytes: [UInt8]
  private(set) var index = 0
  var depth = 0
  var embedCount = 0

  init(_ what: String, _ text: String) {
    self.what = what
    bytes = Array(text.utf8)
  }

  // MARK: Single bytes

  var isAtEnd: Bool { index >= bytes.count }

  /// The byte at hand, or one further on; 0 behind the end.
  func peek(_ distance: Int = 0) -> UInt8 {
    index + distance < bytes.count ? bytes[index + distance] : 0
  }

  /// Whether the text goes on with these characters.
  func at(_ text: StaticString) -> Bool {
    let wanted = text.description.utf8
    guard index + wanted.count <= bytes.count else { return false }
    return zip(wanted, bytes[index...]).allSatisfy { $0 == $1 }
  }

  /// Passes over these characters if the text goes on with them.
  mutating func take(_ text: StaticString) -> Bool {
    guard at(text) else { return false }
    index += text.utf8CodeUnitCount
    return true
  }

  mutating func expect(_ text: StaticString, _ expected: String) throws(NestedSelectError) {
    if !take(text) { throw unexpected(expecting: expected) }
  }

  mutating func skipBlanks() { while peek() == 0x20 { index += 1 } }

  mutating func advance() { index += 1 }

  mutating func restore(to index: Int) { self.index = index }

  /// Everything that is left.
  mutating func takeRest() -> String {
    defer { index = bytes.count }
    return String(decoding: bytes[index...], as: UTF8.self)
  }

  /// The bytes up to the first that `ends` names.
  mutating func take(until ends: (UInt8) -> Bool) -> String {
    let start = index
    while !isAtEnd, !ends(peek()) { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  // MARK: Names

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x20,
      0x80...0xFF:
      true
    default: false
    }
  }

  /// A name: letters, digits, `_`, `$`, `-` and blanks within, or anything in double quotes.
  mutating func parseName() throws(NestedSelectError) -> String {
    if peek() == UInt8(ascii: "\"") { return try parseQuoted() }
    let start = index
    while Self.isNameByte(peek()) || (peek() == UInt8(ascii: "-") && peek(1) != UInt8(ascii: ">")) {
      index += 1
    }
    let name = trimmed(bytes[start..<index])
    if name.isEmpty {
      index = start
      throw unexpected(expecting: "field name (* or [a..z0..9_$])")
    }
    return name
  }

  private func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let front = bytes.drop { $0 == 0x20 }
    let end = front.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? front.startIndex
    return String(decoding: front[..<end], as: UTF8.self)
  }

  /// A text in double quotes; a backslash takes the next character as it is.
  mutating func parseQuoted() throws(NestedSelectError) -> String {
    index += 1
    var text: [UInt8] = []
    while !isAtEnd {
      let byte = peek()
      index += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), !isAtEnd {
        text.append(peek())
        index += 1
      } else {
        text.append(byte)
      }
    }
    throw unexpected(expecting: "\"\\\"\"")
  }

  /// A name, and the steps into the JSON that it holds.
  mutating func parseField() throws(NestedSelectError) -> RequestField {
    RequestField(name: try parseName(), path: try parseJSONPath())
  }

  mutating func parseJSONPath() throws(NestedSelectError) -> [RequestJSONStep] {
    var steps: [RequestJSONStep] = []
    while at("->") {
      let isText = take("->>")
      if !isText { index += 2 }
      steps.append(RequestJSONStep(key: try parseJSONKey(), isText: isText))
      if steps.count > Self.jsonStepCountMax {
        throw failure("a path has more than \(Self.jsonStepCountMax) steps")
      }
    }
    return steps
  }

  /// A number is an index if nothing of a name follows it, and a key otherwise.
  private mutating func parseJSONKey() throws(NestedSelectError) -> RequestJSONStep.Key {
    let start = index
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    let digits = take { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let isAtBreak = isAtEnd || at("->") || at("::") || at(".") || at(",") || at(")")
    if isAtBreak, let number = Int64(digits) { return .index(isNegative ? -number : number) }
    index = start
    return .name(try parseName())
  }

  // MARK: Errors

  /// The error for what stands at the present place.
  func unexpected(expecting expected: String) -> NestedSelectError {
    let found: String
    if isAtEnd {
      found = "end of input"
    } else {
      let character = String(decoding: bytes[index...].prefix(4), as: UTF8.self).prefix(1)
      found = "\"\(character)\""
    }
    return failure("unexpected \(found) expecting \(expected)")
  }

  func failure(_ details: String) -> NestedSelectError {
    let text = String(decoding: bytes, as: UTF8.self)
    let before = String(decoding: bytes[..<min(index, bytes.count)], as: UTF8.self)
    let column = before.unicodeScalars.count + 1
    return .syntax(
      "\"failed to parse \(what) (\(text))\" (line 1, column \(column))", details: details)
  }

  /// Goes one level deeper; whoever calls it sets `depth` back.
  mutating func enter() throws(NestedSelectError) {
    depth += 1
    if depth > Self.nestingMax {
      throw failure("nested deeper than \(Self.nestingMax) levels")
    }
  }
}
