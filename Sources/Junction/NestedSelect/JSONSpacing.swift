import Columnar

/// Rewrites the blanks between the tokens of JSON texts; what stands in quotes is left as it is.
package enum JSONSpacing {
  /// Adds a JSON text to `result` without the blanks between its tokens, so that it fits one line.
  ///
  /// - Complexity: O(*n*) in the bytes of the text.
  static func appendCompact(_ text: borrowing ByteBuilder, to result: inout [UInt8]) {
    let bytes = text.bytes
    var isQuoted = false
    var isEscaped = false
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if isQuoted {
        result.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isQuoted = false
        }
      } else if byte != 0x20 && byte != 0x0A && byte != 0x09 && byte != 0x0D {
        isQuoted = byte == UInt8(ascii: "\"")
        result.append(byte)
      }
    }
  }

  /// A compact JSON text with one member or element a line, each level two columns further in.
  package static func pretty(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    func newLine() {
      result.append(0x0A)
      result += [UInt8](repeating: 0x20, count: 2 * depth)
    }
    for (index, byte) in text.enumerated() {
      if isQuoted {
        result.append(byte)
        let ends = !isEscaped && byte == UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        if ends { isQuoted = false }
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        result.append(byte)
        depth += 1
        // An empty object or array stays on its line.
        let next = index + 1 < text.count ? text[index + 1] : 0
        if next != UInt8(ascii: "}") && next != UInt8(ascii: "]") { newLine() }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth = max(0, depth - 1)
        let last = index > 0 ? text[index - 1] : 0
        if last != UInt8(ascii: "{") && last != UInt8(ascii: "[") { newLine() }
        result.append(byte)
      case UInt8(ascii: ","):
        result.append(byte)
        newLine()
      case UInt8(ascii: ":"): result += [byte, 0x20]
      default:
        isQuoted = byte == UInt8(ascii: "\"")
        result.append(byte)
      }
    }
    return result
  }
}
