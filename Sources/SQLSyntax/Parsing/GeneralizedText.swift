/// A statement with its plain operands put aside: texts that differ in nothing but these have the same key, and one
/// plan with parameters serves them all.
///
/// A literal is put aside only where it is a whole operand whose meaning does not depend on what it is: behind a
/// comparison or in a row of VALUES, with nothing behind it that would go on with the expression. A place in ORDER BY,
/// a length of a type, a typed literal such as `date '…'` and the like stay in the text, and so does everything that
/// is not known here.
package struct GeneralizedText: Sendable {
  /// A literal that was put aside.
  package enum Literal: Sendable, Hashable {
    /// A whole number that is an `integer`.
    case integer(Int64)
    /// A whole number that is a `bigint`.
    case bigint(Int64)
    /// A text in plain quotes, whose type its surroundings tell.
    case text(String)
  }

  /// The text with `$1`, `$2`, … for the literals.
  package let text: [UInt8]
  /// The literals in their order, at least one.
  package let literals: [Literal]

  /// The text followed by what the literals are, which texts that share a plan have in common.
  package var key: [UInt8] {
    var key = text
    key.reserveCapacity(text.count &+ 1 &+ literals.count)
    key.append(0)
    for literal in literals {
      switch literal {
      case .integer: key.append(1)
      case .bigint: key.append(2)
      case .text: key.append(3)
      }
    }
    return key
  }

  /// Longer texts are not worth it.
  private static let textLengthMax = 4096
  private static let literalCountMax = 64

  /// The general form of a text; nil for one that has no literals of that kind, that has parameters already, or that
  /// is no query or change of data.
  ///
  /// - Complexity: O(*n*); the text is cut into tokens and not parsed.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.textLengthMax, Self.mayBegin(bytes) else { return nil }
    var lexer = Lexer(bytes)
    lexer.run()
    guard lexer.failure == nil, let first = lexer.tokens.first, first.kind == .keyword else {
      return nil
    }
    switch first.keyword {
    case .select, .insert, .update, .delete: break
    default: return nil
    }
    var scan = Scan(bytes, lexer.tokens)
    guard scan.run(), !scan.literals.isEmpty else { return nil }
    text = scan.output
    literals = scan.literals
  }

  /// Whether the first letter is that of one of the statements, so that others are told apart at once.
  private static func mayBegin(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return false }
    switch first | 0x20 {
    case UInt8(ascii: "s"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "d"): return true
    default: return isSpace(first)
    }
  }

  /// One pass over the tokens.
  private struct Scan {
    let bytes: [UInt8]
    let tokens: [Token]
    var output: [UInt8] = []
    var literals: [Literal] = []
    /// How much of the text has been copied.
    private var copied = 0
    /// How many parentheses are open, and how many outside of the rows of VALUES in hand.
    private var depth = 0
    private var valuesDepth: Int?

    init(_ bytes: [UInt8], _ tokens: [Token]) {
      self.bytes = bytes
      self.tokens = tokens
      output.reserveCapacity(bytes.count &+ 16)
    }

    /// Says whether the text can be generalised.
    mutating func run() -> Bool {
      for index in tokens.indices {
        let token = tokens[index]
        switch token.kind {
        case .dollarNumber, .failure, .stray: return false
        case .leftParen: depth &+= 1
        case .rightParen:
          depth &-= 1
          if let outside = valuesDepth, depth < outside { valuesDepth = nil }
        case .keyword:
          if token.keyword == .values, tokens[0].keyword == .insert, depth == 0 {
            valuesDepth = 0
          } else if depth == 0 {
            valuesDepth = nil
          }
        case .wholeNumber, .string:
          if isOperand(index) {
            guard let literal = literal(token, index) else { continue }
            if literals.count == GeneralizedText.literalCountMax { return false }
            put(literal, at: token)
          }
        case .endOfText, .identifier, .quotedIdentifier, .unicodeIdentifier, .fraction,
          .escapeString, .unicodeString, .nationalString, .dollarString, .bitString, .hexString,
          .leftBracket, .rightBracket, .comma, .semicolon, .dot, .dotDot, .colon, .colonEquals,
          .typecast, .arrow, .plus, .minus, .star, .slash, .percent, .caret, .less, .greater,
          .equal, .lessEqual, .greaterEqual, .notEqual, .symbol:
          break
        }
      }
      output.append(contentsOf: bytes[copied...])
      return true
    }

    private mutating func put(_ literal: Literal, at token: Token) {
      output.append(contentsOf: bytes[copied..<Int(token.start)])
      literals.append(literal)
      output.append(ASCII.dollar)
      let number = literals.count
      if number >= 10 { output.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10)) }
      output.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10))
      copied = Int(token.end)
    }

    /// Whether a literal is an operand by itself.
    private func isOperand(_ index: Int) -> Bool {
      guard index > 0 else { return false }
      let (before, after) = (tokens[index &- 1].kind, tokens[index &+ 1])
      if before.isComparison { return endsOperand(after) }
      guard before == .leftParen || before == .comma else { return false }
      return valuesDepth == 0 && depth == 1 && (after.kind == .comma || after.kind == .rightParen)
    }

    private func endsOperand(_ token: Token) -> Bool {
      switch token.kind {
      case .endOfText, .semicolon, .rightParen, .comma: return true
      case .keyword:
        switch token.keyword {
        case .and, .or, .order, .limit, .offset, .where, .returning, .from, .join, .left, .inner:
          return true
        default: return false
        }
      case .failure, .stray, .identifier, .quotedIdentifier, .unicodeIdentifier, .wholeNumber,
        .fraction, .dollarNumber, .string, .escapeString, .unicodeString, .nationalString,
        .dollarString, .bitString, .hexString, .leftParen, .leftBracket, .rightBracket, .dot,
        .dotDot, .colon, .colonEquals, .typecast, .arrow, .plus, .minus, .star, .slash, .percent,
        .caret, .less, .greater, .equal, .lessEqual, .greaterEqual, .notEqual, .symbol:
        return false
      }
    }

    /// The value of an operand; nil where it is better left in the text.
    private func literal(_ token: Token, _ index: Int) -> Literal? {
      if token.kind == .wholeNumber { return number(token) }
      guard token.isPlain else { return nil }
      let before = tokens[index &- 1].kind
      if before != .leftParen && before != .comma {
        // A comparison with something whose type is known by its name; two texts have no type at all.
        guard index > 1 else { return nil }
        let compared = tokens[index &- 2].kind
        guard compared == .identifier || compared == .quotedIdentifier else { return nil }
      }
      return .text(
        String(decoding: bytes[(Int(token.start) &+ 1)..<(Int(token.end) &- 1)], as: UTF8.self))
    }

    private func number(_ token: Token) -> Literal? {
      let (start, end) = (Int(token.start), Int(token.end))
      if end &- start > 18 { return nil }
      var value: Int64 = 0
      for index in start..<end { value = value &* 10 &+ Int64(bytes[index] &- UInt8(ascii: "0")) }
      return value <= Int64(Int32.max) ? .integer(value) : .bigint(value)
    }
  }
}
