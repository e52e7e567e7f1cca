/// Puts a small JSON text together, member by member.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// Whether the next member or element is the first of its object or array.
  private var isFirst = true

  /// Begins an object or an array.
  mutating func open(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    isFirst = true
  }

  /// Ends an object or an array.
  mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    isFirst = false
  }

  /// Goes on to the next member or element.
  mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }

  /// A key; its value has to follow.
  mutating func key(_ name: String) {
    separate()
    value(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// A member of an object.
  mutating func member(_ name: String, _ text: String?) {
    key(name)
    value(text)
  }

  /// A value that is JSON as it stands, such as a number.
  mutating func append(raw text: String) { bytes += Array(text.utf8) }

  /// A text, or null.
  mutating func value(_ text: String?) {
    guard let text else {
      bytes += Array("null".utf8)
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += Array("\\n".utf8)
      case 0x0D: bytes += Array("\\r".utf8)
      case 0x09: bytes += Array("\\t".utf8)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes += Array("\\u00\(digits.count < 2 ? "0" : "")\(digits)".utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
