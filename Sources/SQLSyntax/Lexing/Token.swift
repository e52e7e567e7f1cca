/// The kinds of tokens.
enum TokenKind: UInt8, Sendable {
  /// The end of the text.
  case endOfText
  /// A place where the text breaks the lexical rules; the lexer holds the error.
  case failure
  /// A character that begins no token.
  case stray
  case identifier, quotedIdentifier, unicodeIdentifier, keyword
  case wholeNumber, fraction, dollarNumber
  case string, escapeString, unicodeString, nationalString, dollarString
  case bitString, hexString
  case leftParen, rightParen, leftBracket, rightBracket
  case comma, semicolon, dot, dotDot, colon, colonEquals, typecast, arrow
  case plus, minus, star, slash, percent, caret
  case less, greater, equal, lessEqual, greaterEqual, notEqual
  /// Any other operator.
  case symbol

  /// Whether it is one of the operators that compare.
  var isComparison: Bool {
    self == .less || self == .greater || self == .equal || self == .lessEqual
      || self == .greaterEqual || self == .notEqual
  }
}

/// One token: trivial, so that a list of them is one allocation.
struct Token: Sendable {
  /// The offset of the first byte.
  var start: Int32
  /// The offset just past the last byte.
  var end: Int32
  /// For a parenthesis the position of its partner in the list of tokens, -1 without one.
  var partner: Int32 = -1
  /// What it is.
  var kind: TokenKind
  /// For a string or quoted identifier: whether the bytes between the quotes are its value.
  var isPlain = true
  /// Which key word, if `kind` is `keyword`.
  var keyword: Keyword = .abort

  /// Whether it is a string of one of the kinds that a string constant may have.
  var isString: Bool {
    kind == .string || kind == .escapeString || kind == .unicodeString || kind == .dollarString
  }
}

/// The bytes that the lexer knows by name.
enum ASCII {
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let quote = UInt8(ascii: "'")
  static let doubleQuote = UInt8(ascii: "\"")
  static let dollar = UInt8(ascii: "$")
  static let backslash = UInt8(ascii: "\\")
  static let minus = UInt8(ascii: "-")
  static let slash = UInt8(ascii: "/")
  static let star = UInt8(ascii: "*")
}

/// The byte with `A` to `Z` made small.
@inline(__always)
func asciiLowercased(_ byte: UInt8) -> UInt8 {
  byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
}

/// Whether the byte is white space to SQL.
@inline(__always)
func isSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || (byte >= 0x09 && byte <= 0x0D && byte != 0x0B)
}

/// Whether the byte is a decimal digit.
@inline(__always)
func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

/// Whether the byte may begin an identifier; every byte of a non-ASCII character may.
@inline(__always)
func isIdentifierStart(_ byte: UInt8) -> Bool {
  let lower = byte | 0x20
  return (lower >= 0x61 && lower <= 0x7A) || byte == 0x5F || byte >= 0x80
}

/// Whether the byte may continue an identifier.
@inline(__always)
func isIdentifierPart(_ byte: UInt8) -> Bool {
  isIdentifierStart(byte) || isDigit(byte) || byte == ASCII.dollar
}

/// Whether the byte may be part of an operator of several characters.
@inline(__always)
func isOperatorByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x7E, 0x21, 0x40, 0x23, 0x5E, 0x26, 0x7C, 0x60, 0x3F, 0x2B, 0x2D, 0x2A, 0x2F, 0x25, 0x3C,
    0x3E, 0x3D:
    true
  default: false
  }
}

/// The value of a hexadecimal digit.
func hexValue(_ byte: UInt8) -> UInt32? {
  switch byte {
  case 0x30...0x39: UInt32(byte) - 0x30
  case 0x41...0x46: UInt32(byte) - 0x37
  case 0x61...0x66: UInt32(byte) - 0x57
  default: nil
  }
}
