/// Cuts SQL that is being typed into the pieces that colours, completion and variables tell apart.
///
/// Nothing is an error: what is still open goes to the end of the text.
///
/// - Complexity: O(bytes) over all pieces.
struct TextPieces {
  /// What a piece is.
  enum Kind: Hashable {
    case word, number, space
    /// A string in any of its three spellings: plain, with escapes, between dollars.
    case string
    /// An identifier in double quotes.
    case name
    case comment
    /// One byte of an operator or a bracket.
    case mark
  }

  /// A piece and the bytes it covers.
  struct Piece: Hashable {
    let kind: Kind
    let range: Range<Int>
    /// Whether it ended before the text did; false for an open quote or comment.
    var isClosed = true
  }

  let bytes: [UInt8]
  /// Where the next piece starts.
  var index = 0

  init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  private func byte(_ place: Int) -> UInt8 { place < bytes.count ? bytes[place] : 0 }

  /// The next piece; nil at the end.
  mutating func next() -> Piece? {
    guard index < bytes.count else { return nil }
    let start = index
    let piece = piece(at: start)
    index = piece.range.upperBound
    return piece
  }

  private func piece(at start: Int) -> Piece {
    let first = bytes[start]
    switch first {
    case UInt8(ascii: "'"): return quoted(start, start, hasEscapes: false, .string)
    case UInt8(ascii: "\""): return quoted(start, start, hasEscapes: false, .name)
    case UInt8(ascii: "-") where byte(start + 1) == UInt8(ascii: "-"):
      let piece = run(.comment, start) { $0 != 0x0A }
      return Piece(
        kind: .comment, range: piece.range, isClosed: piece.range.upperBound < bytes.count)
    case UInt8(ascii: "/") where byte(start + 1) == UInt8(ascii: "*"): return comment(start)
    case UInt8(ascii: "$"): return dollar(start)
    case UInt8(ascii: "e"), UInt8(ascii: "E"):
      if byte(start + 1) == UInt8(ascii: "'") {
        return quoted(start, start + 1, hasEscapes: true, .string)
      }
      return run(.word, start, while: Self.isWordPart)
    case _ where Self.isSpace(first): return run(.space, start, while: Self.isSpace)
    case _ where Self.isDigit(first):
      return run(.number, start) { Self.isWordPart($0) || $0 == UInt8(ascii: ".") }
    case _ where Self.isWordPart(first): return run(.word, start, while: Self.isWordPart)
    default: return Piece(kind: .mark, range: start..<(start + 1))
    }
  }

  private func run(_ kind: Kind, _ start: Int, while belongs: (UInt8) -> Bool) -> Piece {
    var end = start + 1
    while end < bytes.count, belongs(bytes[end]) { end += 1 }
    return Piece(kind: kind, range: start..<end)
  }

  private func quoted(_ start: Int, _ open: Int, hasEscapes: Bool, _ kind: Kind) -> Piece {
    let quote = bytes[open]
    var end = open + 1
    while end < bytes.count {
      if hasEscapes, bytes[end] == UInt8(ascii: "\\") {
        end += 2
      } else if bytes[end] == quote {
        if byte(end + 1) != quote { return Piece(kind: kind, range: start..<(end + 1)) }
        end += 2
      } else {
        end += 1
      }
    }
    return Piece(kind: kind, range: start..<bytes.count, isClosed: false)
  }

  /// Comments nest.
  private func comment(_ start: Int) -> Piece {
    var depth = 0
    var end = start
    while end < bytes.count {
      if bytes[end] == UInt8(ascii: "/"), byte(end + 1) == UInt8(ascii: "*") {
        depth += 1
        end += 2
      } else if bytes[end] == UInt8(ascii: "*"), byte(end + 1) == UInt8(ascii: "/") {
        depth -= 1
        end += 2
        if depth == 0 { return Piece(kind: .comment, range: start..<end) }
      } else {
        end += 1
      }
    }
    return Piece(kind: .comment, range: start..<bytes.count, isClosed: false)
  }

  /// `$tag$ … $tag$`; a dollar that opens nothing is a mark.
  private func dollar(_ start: Int) -> Piece {
    var open = start + 1
    while open < bytes.count, Self.isWordPart(bytes[open]), bytes[open] != UInt8(ascii: "$") {
      open += 1
    }
    guard byte(open) == UInt8(ascii: "$"), !Self.isDigit(byte(start + 1)) else {
      return Piece(kind: .mark, range: start..<(start + 1))
    }
    let tag = bytes[start...open]
    var end = open + 1
    while end + tag.count <= bytes.count {
      if bytes[end] == UInt8(ascii: "$"), bytes[end..<(end + tag.count)].elementsEqual(tag) {
        return Piece(kind: .string, range: start..<(end + tag.count))
      }
      end += 1
    }
    return Piece(kind: .string, range: start..<bytes.count, isClosed: false)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// Letters, digits, underscores, dollars, and everything beyond ASCII.
  private static func isWordPart(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
      || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
  }
}
