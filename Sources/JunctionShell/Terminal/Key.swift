/// What a person pressed.
enum Key: Hashable {
  case text(String)
  /// Text between the marks of a bracketed paste.
  case paste(String)
  case enter, tab, backspace, delete, escape
  case left, right, up, down, home, end, pageUp, pageDown
  case wordLeft, wordRight
  /// Alt with Enter, which starts a new line in any case.
  case newline
  case control(Character)
  case alt(Character)
  /// A sequence that means nothing here.
  case unknown
}

/// Turns the bytes of a terminal into keys.
///
/// Feed bytes as they come; keys come out as soon as they are whole. A lone escape is only known by
/// the silence after it, which `flush()` stands for.
struct KeyDecoder {
  private var pending: [UInt8] = []
  private var pasted: [UInt8]?

  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  init() {}

  private init(_ pending: ArraySlice<UInt8>) { self.pending = Array(pending) }

  /// Whether a sequence is open, so that the reader should wait only briefly for more.
  var isWaiting: Bool { !pending.isEmpty && pasted == nil }

  /// Adds a byte and gives the key that it completes.
  mutating func feed(_ byte: UInt8) -> Key? {
    if pasted != nil { return feedPaste(byte) }
    pending.append(byte)
    guard let key = decode() else { return nil }
    pending.removeAll()
    if key == .text("\u{1B}[200~") {
      pasted = []
      return nil
    }
    return key
  }

  /// Ends what is open: a lone escape is the key Escape.
  mutating func flush() -> Key? {
    guard isWaiting else { return nil }
    let isEscape = pending.allSatisfy { $0 == 0x1B }
    pending.removeAll()
    return isEscape ? .escape : .unknown
  }

  private mutating func feedPaste(_ byte: UInt8) -> Key? {
    // In place: a copy for each byte would make long pastes quadratic.
    pasted?.append(byte)
    guard byte == UInt8(ascii: "~"), let text = pasted,
      text.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd)
    else { return nil }
    pasted = nil
    return .paste(
      String(decoding: text.dropLast(Self.pasteEnd.count), as: UTF8.self)
        .replacing("\r\n", with: "\n").replacing("\r", with: "\n"))
  }

  private func decode() -> Key? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return decodeEscape()
    case 0x0D, 0x0A: return .enter
    case 0x09: return .tab
    case 0x7F, 0x08: return .backspace
    case 0..<0x1B: return .control(Character(Unicode.Scalar(first + 0x60)))
    case 0..<0x20: return .control(Character(Unicode.Scalar(first + 0x40)))
    case 0..<0x80: return .text(String(Unicode.Scalar(first)))
    default:
      let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
      guard pending.count >= length else { return nil }
      return .text(String(decoding: pending, as: UTF8.self))
    }
  }

  private func decodeEscape() -> Key? {
    guard pending.count > 1 else { return nil }
    switch pending[1] {
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      guard pending.count > 2, let last = pending.last, last >= 0x40, last <= 0x7E,
        pending != [0x1B, UInt8(ascii: "["), UInt8(ascii: "[")]
      else { return pending.count > 32 ? .unknown : nil }
      return Self.sequence(String(decoding: pending.dropFirst(2), as: UTF8.self))
    case 0x0D, 0x0A: return .newline
    case 0x7F: return .alt("\u{7F}")
    case 0x1B:
      // Alt with a key that is a sequence itself: the key without Alt.
      return pending.count > 2 ? KeyDecoder(pending.dropFirst()).decodeEscape() : nil
    case 0x20..<0x7F: return .alt(Character(Unicode.Scalar(pending[1])))
    default: return .unknown
    }
  }

  private static func sequence(_ text: String) -> Key {
    switch text {
    case "A", "1;2A": .up
    case "B", "1;2B": .down
    case "C": .right
    case "D": .left
    case "H", "1~", "7~", "1;2H", "1;5H": .home
    case "F", "4~", "8~", "1;2F", "1;5F": .end
    case "3~": .delete
    case "5~": .pageUp
    case "6~": .pageDown
    case "1;5C", "1;3C", "1;9C", "5C": .wordRight
    case "1;5D", "1;3D", "1;9D", "5D": .wordLeft
    case "13;2u": .newline
    case "200~": .text("\u{1B}[200~")
    default: .unknown
    }
  }
}
