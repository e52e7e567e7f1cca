import Diagnostics

/// Cuts a text into tokens by PostgreSQL's rules.
///
/// The list ends at the end of the text or at the first place that breaks the rules; the parser
/// reports that place only when it gets there, as PostgreSQL does.
///
/// Source: PostgreSQL 15, chapter 4.1, "Lexical Structure".
struct Lexer {
  /// The text, in UTF-8.
  let bytes: [UInt8]
  /// The tokens so far.
  private(set) var tokens: [Token] = []
  /// What is wrong at the token of kind `failure`.
  private(set) var failure: SQLError?
  private var position = 0
  private var openParens: [Int32] = []
  private let keywords = KeywordTable.shared

  /// PostgreSQL's limit on the bytes of a name.
  static let nameBytesMax = 63

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the whole text.
  ///
  /// - Complexity: O(*n*); one allocation for the tokens, none for a token.
  mutating func run() {
    tokens.reserveCapacity(bytes.count / 3 &+ 8)
    while failure == nil, skipBlank() { scan() }
    let end = Int32(clamping: bytes.count)
    tokens.append(Token(start: end, end: end, kind: .endOfText))
  }

  // MARK: Bookkeeping

  private func byte(at offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  private mutating func emit(_ kind: TokenKind, to end: Int, isPlain: Bool = true) {
    tokens.append(
      Token(
        start: Int32(truncatingIfNeeded: position), end: Int32(truncatingIfNeeded: end), kind: kind,
        isPlain: isPlain))
    position = end
  }

  /// Ends the list with an error about the bytes from `position` to `end`.
  private mutating func fail(
    _ what: String, near end: Int, _ state: SQLState = .syntaxError
  ) {
    let end = min(end, bytes.count)
    let near = String(decoding: bytes[position..<end], as: UTF8.self)
    failure = SQLError(
      state, "\(what) at or near \"\(near)\"", at: SourceRange(position, end))
    emit(.failure, to: end)
  }

  // MARK: White space and comments

  /// Moves to the next token; false at the end.
  private mutating func skipBlank() -> Bool {
    while position < bytes.count {
      let current = bytes[position]
      if isSpace(current) {
        position &+= 1
      } else if current == ASCII.minus, byte(at: position &+ 1) == ASCII.minus {
        position = endOfLineComment(from: position)
      } else if current == ASCII.slash, byte(at: position &+ 1) == ASCII.star {
        guard let end = endOfBlockComment(from: position) else {
          fail("unterminated /* comment", near: bytes.count)
          return false
        }
        position = end
      } else {
        return true
      }
    }
    return false
  }

  private func endOfLineComment(from start: Int) -> Int {
    var end = start &+ 2
    while end < bytes.count, bytes[end] != ASCII.newline, bytes[end] != ASCII.carriageReturn {
      end &+= 1
    }
    return end
  }

  /// The offset past a comment and those nested in it, or nil if it has no end.
  private func endOfBlockComment(from start: Int) -> Int? {
    var depth = 1
    var end = start &+ 2
    while end < bytes.count {
      if bytes[end] == ASCII.star, byte(at: end &+ 1) == ASCII.slash {
        depth &-= 1
        end &+= 2
        if depth == 0 { return end }
      } else if bytes[end] == ASCII.slash, byte(at: end &+ 1) == ASCII.star {
        depth &+= 1
        end &+= 2
      } else {
        end &+= 1
      }
    }
    return nil
  }

  // MARK: Tokens

  private mutating func scan() {
    let first = bytes[position]
    if isIdentifierStart(first) { return scanWord(first) }
    if isDigit(first) { return scanNumber() }
    switch first {
    case ASCII.quote: scanString(.string, prefix: 0)
    case ASCII.doubleQuote: scanQuotedIdentifier(.quotedIdentifier, prefix: 0)
    case ASCII.dollar: scanDollar()
    case UInt8(ascii: "("):
      openParens.append(Int32(truncatingIfNeeded: tokens.count))
      emit(.leftParen, to: position &+ 1)
    case UInt8(ascii: ")"):
      let opener = openParens.popLast()
      if let opener {
        tokens[Int(opener)].partner = Int32(truncatingIfNeeded: tokens.count)
      }
      emit(.rightParen, to: position &+ 1)
      tokens[tokens.count &- 1].partner = opener ?? -1
    case UInt8(ascii: "["): emit(.leftBracket, to: position &+ 1)
    case UInt8(ascii: "]"): emit(.rightBracket, to: position &+ 1)
    case UInt8(ascii: ","): emit(.comma, to: position &+ 1)
    case UInt8(ascii: ";"):
      openParens.removeAll(keepingCapacity: true)
      emit(.semicolon, to: position &+ 1)
    case UInt8(ascii: "."):
      if isDigit(byte(at: position &+ 1)) {
        scanNumber()
      } else if byte(at: position &+ 1) == first {
        emit(.dotDot, to: position &+ 2)
      } else {
        emit(.dot, to: position &+ 1)
      }
    case UInt8(ascii: ":"):
      switch byte(at: position &+ 1) {
      case first: emit(.typecast, to: position &+ 2)
      case UInt8(ascii: "="): emit(.colonEquals, to: position &+ 2)
      default: emit(.colon, to: position &+ 1)
      }
    default:
      if isOperatorByte(first) { scanOperator() } else { emit(.stray, to: position &+ 1) }
    }
  }

  private mutating func scanWord(_ first: UInt8) {
    let next = byte(at: position &+ 1)
    if next == ASCII.quote {
      switch first | 0x20 {
      case UInt8(ascii: "e"): return scanString(.escapeString, prefix: 1)
      case UInt8(ascii: "b"): return scanString(.bitString, prefix: 1)
      case UInt8(ascii: "x"): return scanString(.hexString, prefix: 1)
      case UInt8(ascii: "n"): return scanString(.nationalString, prefix: 1)
      default: break
      }
    } else if next == UInt8(ascii: "&"), first | 0x20 == UInt8(ascii: "u") {
      switch byte(at: position &+ 2) {
      case ASCII.quote: return scanString(.unicodeString, prefix: 2)
      case ASCII.doubleQuote: return scanQuotedIdentifier(.unicodeIdentifier, prefix: 2)
      default: break
      }
    }
    var end = position &+ 1
    while end < bytes.count, isIdentifierPart(bytes[end]) { end &+= 1 }
    if let keyword = keywords.keyword(in: bytes, position, end) {
      emit(.keyword, to: end)
      tokens[tokens.count &- 1].keyword = keyword
    } else {
      emit(.identifier, to: end)
    }
  }

  private mutating func scanQuotedIdentifier(_ kind: TokenKind, prefix: Int) {
    let start = position &+ prefix &+ 1
    var end = start
    var isPlain = true
    while end < bytes.count {
      if bytes[end] == ASCII.doubleQuote {
        if byte(at: end &+ 1) != ASCII.doubleQuote { break }
        isPlain = false
        end &+= 1
      }
      end &+= 1
    }
    if end >= bytes.count { return fail("unterminated quoted identifier", near: bytes.count) }
    if end == start { return fail("zero-length delimited identifier", near: end &+ 1) }
    emit(kind, to: end &+ 1, isPlain: isPlain)
  }

  /// Reads a string in quotes, and those that continue it after a line break.
  private mutating func scanString(_ kind: TokenKind, prefix: Int) {
    var end = position &+ prefix &+ 1
    var isPlain = true
    while true {
      guard end < bytes.count else {
        let what =
          if kind == .bitString {
            "unterminated bit string literal"
          } else if kind == .hexString {
            "unterminated hexadecimal string literal"
          } else {
            "unterminated quoted string"
          }
        return fail(what, near: bytes.count)
      }
      let current = bytes[end]
      end &+= 1
      if current == ASCII.quote {
        if byte(at: end) == ASCII.quote, kind != .bitString, kind != .hexString {
          isPlain = false
          end &+= 1
        } else if let next = continuation(after: end) {
          isPlain = false
          end = next
        } else {
          break
        }
      } else if current == ASCII.backslash, kind == .escapeString {
        isPlain = false
        end &+= 1
      }
    }
    emit(kind, to: end, isPlain: isPlain)
  }

  /// Where a string goes on if only white space with a line break lies before the next quote.
  private func continuation(after offset: Int) -> Int? {
    var end = offset
    var hasNewline = false
    while end < bytes.count {
      let current = bytes[end]
      if isSpace(current) {
        if current == ASCII.newline || current == ASCII.carriageReturn { hasNewline = true }
        end &+= 1
      } else if current == ASCII.minus, byte(at: end &+ 1) == ASCII.minus {
        end = endOfLineComment(from: end)
      } else {
        return current == ASCII.quote && hasNewline ? end &+ 1 : nil
      }
    }
    return nil
  }

  private mutating func scanDollar() {
    if isDigit(byte(at: position &+ 1)) {
      var end = position &+ 1
      while isDigit(byte(at: end)) { end &+= 1 }
      if isIdentifierStart(byte(at: end)) {
        return fail("trailing junk after parameter", near: end &+ 1)
      }
      return emit(.dollarNumber, to: end)
    }
    guard let tagEnd = dollarTagEnd(in: bytes, from: position) else {
      return emit(.stray, to: position &+ 1)
    }
    let length = tagEnd &- position
    var end = tagEnd
    while end &+ length <= bytes.count {
      if bytes[end] == ASCII.dollar, bytes[end &+ length &- 1] == ASCII.dollar,
        bytes[end..<(end &+ length)].elementsEqual(bytes[position..<tagEnd])
      {
        return emit(.dollarString, to: end &+ length)
      }
      end &+= 1
    }
    fail("unterminated dollar-quoted string", near: bytes.count)
  }

  private mutating func scanNumber() {
    var end = position
    var kind = TokenKind.wholeNumber
    while isDigit(byte(at: end)) { end &+= 1 }
    // Two dots after an integer are a token of their own, as in a loop's range.
    if byte(at: end) == UInt8(ascii: "."),
      byte(at: end &+ 1) != UInt8(ascii: ".") || end == position
    {
      kind = .fraction
      end &+= 1
      while isDigit(byte(at: end)) { end &+= 1 }
    }
    if byte(at: end) | 0x20 == UInt8(ascii: "e") {
      var exponent = end &+ 1
      let sign = byte(at: exponent)
      if sign == UInt8(ascii: "+") || sign == ASCII.minus { exponent &+= 1 }
      if isDigit(byte(at: exponent)) {
        kind = .fraction
        end = exponent &+ 1
        while isDigit(byte(at: end)) { end &+= 1 }
      } else if exponent > end &+ 1 {
        return fail("trailing junk after numeric literal", near: exponent)
      }
    }
    if isIdentifierStart(byte(at: end)) {
      return fail("trailing junk after numeric literal", near: end &+ 1)
    }
    emit(kind, to: end)
  }

  /// Reads an operator: the longest run of operator characters, cut before a comment; a run of
  /// several may end in `+` or `-` only if it holds a character that no SQL operator has.
  private mutating func scanOperator() {
    var end = position &+ 1
    while end < bytes.count, isOperatorByte(bytes[end]) { end &+= 1 }
    var cut = position
    while cut &+ 1 < end {
      let next = bytes[cut &+ 1]
      if (bytes[cut] == ASCII.slash && next == ASCII.star)
        || (bytes[cut] == ASCII.minus && next == ASCII.minus)
      {
        break
      }
      cut &+= 1
    }
    if cut &+ 1 < end { end = cut }
    while end &- position > 1, endsInSign(end), !hasSpecialByte(end) { end &-= 1 }
    if end &- position > Self.nameBytesMax { return fail("operator too long", near: end) }
    emit(operatorKind(end), to: end)
  }

  private func endsInSign(_ end: Int) -> Bool {
    bytes[end &- 1] == UInt8(ascii: "+") || bytes[end &- 1] == ASCII.minus
  }

  private func hasSpecialByte(_ end: Int) -> Bool {
    for index in position..<(end &- 1) {
      switch bytes[index] {
      case 0x7E, 0x21, 0x40, 0x23, 0x5E, 0x26, 0x7C, 0x60, 0x3F, 0x25: return true
      default: break
      }
    }
    return false
  }

  private func operatorKind(_ end: Int) -> TokenKind {
    let first = bytes[position]
    if end &- position == 1 {
      switch first {
      case UInt8(ascii: "+"): return .plus
      case ASCII.minus: return .minus
      case ASCII.star: return .star
      case ASCII.slash: return .slash
      case UInt8(ascii: "%"): return .percent
      case UInt8(ascii: "^"): return .caret
      case UInt8(ascii: "<"): return .less
      case UInt8(ascii: ">"): return .greater
      case UInt8(ascii: "="): return .equal
      default: return .symbol
      }
    }
    if end &- position == 2 {
      switch (first, bytes[position &+ 1]) {
      case (UInt8(ascii: "="), UInt8(ascii: ">")): return .arrow
      case (UInt8(ascii: ">"), UInt8(ascii: "=")): return .greaterEqual
      case (UInt8(ascii: "<"), UInt8(ascii: "=")): return .lessEqual
      case (UInt8(ascii: "<"), UInt8(ascii: ">")), (UInt8(ascii: "!"), UInt8(ascii: "=")):
        return .notEqual
      default: return .symbol
      }
    }
    return .symbol
  }
}

/// The offset past the `$tag$` that begins at `start`, or nil if none does.
func dollarTagEnd(in bytes: [UInt8], from start: Int) -> Int? {
  var end = start + 1
  while end < bytes.count {
    let current = bytes[end]
    if current == ASCII.dollar { return end + 1 }
    guard isIdentifierStart(current) || (end > start + 1 && isDigit(current)) else { return nil }
    end += 1
  }
  return nil
}
