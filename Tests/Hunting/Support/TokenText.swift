/// A text of SQL cut into tokens, so that some can be left out.
struct TokenText {
  var tokens: [String]

  init(_ text: String) {
    tokens = []
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let end = Self.end(of: bytes, from: start)
      let token = String(decoding: bytes[start..<end], as: UTF8.self)
      if token.first?.isWhitespace != true { tokens.append(token) }
      start = end
    }
  }

  init(_ tokens: [String]) { self.tokens = tokens }

  var text: String {
    var text = ""
    var previous = ""
    for token in tokens {
      let isTight =
        ["(", ".", "::", "["].contains(previous) || [")", ",", ".", "::", "]", "["].contains(token)
      if !text.isEmpty && !isTight { text += " " }
      text += token
      previous = token
    }
    return text
  }

  private static func end(of bytes: [UInt8], from start: Int) -> Int {
    func isWord(_ byte: UInt8) -> Bool {
      byte >= 0x80 || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || (byte >= 0x30 && byte <= 0x39)
        || byte == 0x5F
    }
    func run(_ matches: (UInt8) -> Bool) -> Int {
      var end = start + 1
      while end < bytes.count, matches(bytes[end]) { end += 1 }
      return end
    }
    switch bytes[start] {
    case 0x20, 0x0A, 0x09: return run { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 }
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      var end = start + 1
      while end < bytes.count {
        if bytes[end] == bytes[start] {
          guard end + 1 < bytes.count, bytes[end + 1] == bytes[start] else { return end + 1 }
          end += 1
        }
        end += 1
      }
      return bytes.count
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return run { isWord($0) || $0 == 0x2E }
    case let byte where isWord(byte): return run(isWord)
    case let byte where "<>=!|:&@#~-+*/%^?".utf8.contains(byte):
      return run { "<>=|:&@#~>?!*".utf8.contains($0) }
    default: return start + 1
    }
  }

  /// For each opening parenthesis the place of its partner.
  var partners: [Int: Int] {
    var open: [Int] = []
    var found: [Int: Int] = [:]
    for (place, token) in tokens.enumerated() {
      if token == "(" { open.append(place) }
      if token == ")", let start = open.popLast() { found[start] = place }
    }
    return found
  }

  /// Whether every parenthesis in a range has its partner there.
  func isBalanced(_ range: Range<Int>) -> Bool {
    var depth = 0
    for token in tokens[range] {
      if token == "(" { depth += 1 }
      if token == ")" { depth -= 1 }
      if depth < 0 { return false }
    }
    return depth == 0
  }

  /// What an answer depends on besides its rows: taking away parts of an order makes differences that are no faults.
  ///
  /// Nil if the answer is the same whatever order rows come in.
  var order: [String]? {
    let words = Set(tokens.map { $0.lowercased() })
    let depends = [
      "limit", "offset", "over", "string_agg", "array_agg", "on_order", "fetch", "json_agg",
      "first_value",
    ]
    let isDistinctOn = zip(tokens, tokens.dropFirst()).contains {
      $0.lowercased() == "distinct" && $1.lowercased() == "on"
    }
    guard isDistinctOn || depends.contains(where: words.contains) else { return nil }
    var kept: [String] = []
    var depth: Int?
    var level = 0
    for (place, token) in tokens.enumerated() {
      let word = token.lowercased()
      if token == "(" { level += 1 }
      if token == ")" { level -= 1 }
      if let start = depth,
        level < start || ["limit", "offset", "rows", "range", "groups"].contains(word)
      {
        depth = nil
      }
      if word == "order", place + 1 < tokens.count { depth = level }
      if depth != nil || ["limit", "offset", "distinct"].contains(word) { kept.append(word) }
    }
    return kept
  }
}
