import DelimitedText
import Diagnostics
import Testing

/// Text with quotes and line ends anywhere, read byte by byte by the rules that PostgreSQL has.
private struct PlainReader {
  private var rows: [[String?]] = []
  private var fields: [String?] = []
  private var field: [UInt8] = []
  private var isInside = false
  private var wasQuoted = false

  /// The records of `width` fields; nil if quotes or line ends break the format.
  static func rows(_ bytes: [UInt8], width: Int, _ format: DelimitedTextFormat) -> [[String?]]? {
    var reader = PlainReader()
    var index = 0
    let isAny = format.lineEnd == .any
    let ending = isAny ? nil : firstEnding(bytes, format)
    var isAtStart = true
    while index < bytes.count {
      let byte = bytes[index]
      isAtStart = false
      if reader.isInside {
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        if byte == format.escape, next == format.quote || next == format.escape,
          format.escape != format.quote || next == format.quote
        {
          reader.field.append(next)
          index += 2
          continue
        }
        if byte == format.quote { reader.isInside = false } else { reader.field.append(byte) }
      } else if byte == format.quote {
        reader.isInside = true
        reader.wasQuoted = true
      } else if byte == format.delimiter {
        reader.endField()
      } else if byte == 10 || byte == 13 {
        let isPair = byte == 13 && index + 1 < bytes.count && bytes[index + 1] == 10
        let met = isPair ? "\r\n" : byte == 13 ? "\r" : "\n"
        if let ending {
          // A file of single returns takes the return of a pair, and then trips over the newline.
          if met != ending { return nil }
        }
        if isPair { index += 1 }
        reader.endRecord(width)
        isAtStart = true
      } else {
        reader.field.append(byte)
      }
      index += 1
    }
    if reader.isInside { return nil }
    if !isAtStart { reader.endRecord(width) }
    return reader.rows
  }

  private static func firstEnding(_ bytes: [UInt8], _ format: DelimitedTextFormat) -> String {
    var isInside = false
    var isPlain = false
    for (index, byte) in bytes.enumerated() {
      if isPlain {
        isPlain = false
        continue
      }
      isPlain = isInside && byte == format.escape && format.escape != format.quote
      if byte == format.quote { isInside.toggle() }
      if isInside { continue }
      if byte == 10 { return "\n" }
      if byte == 13 { return index + 1 < bytes.count && bytes[index + 1] == 10 ? "\r\n" : "\r" }
    }
    return "\n"
  }

  private mutating func endField() {
    fields.append(field.isEmpty && !wasQuoted ? nil : String(decoding: field, as: UTF8.self))
    field = []
    wasQuoted = false
  }

  private mutating func endRecord(_ width: Int) {
    endField()
    if fields.count == width { rows.append(fields) }
    fields = []
  }
}

@Suite("Text with quotes")
struct QuotedScanTests {
  @Test("is read as byte by byte", arguments: 0..<400)
  func agreesWithPlainReader(_ seed: UInt64) throws {
    var random = TestRandom(seed: seed)
    var format = DelimitedTextFormat()
    format.hasEndMarker = false
    if seed % 3 == 1 { format.lineEnd = .any }
    if seed % 5 == 1 { format.escape = UInt8(ascii: "\\") }
    let ending = ["\n", "\r\n", "\r"][Int(seed % 7) % 3]
    let isOdd = seed % 2 == 0
    for _ in 0..<4 {
      let width = 2 + random.below(3)
      let text = Self.text(&random, width, ending, isOdd: isOdd)
      let bytes = Array(text.utf8)
      let expected = PlainReader.rows(bytes, width: width, format)
      for blockSize in [24, 1 << 20] {
        // With an odd quote a block may end anywhere.
        if expected == nil && blockSize == 24 { continue }
        let found = try? ParsedText(bytes, width: width, format: format, blockSize: blockSize)
        #expect(found?.rows == expected, "\(text.debugDescription), \(width) columns")
      }
    }
  }

  /// Records of about `width` fields, quoted and not, with quotes in odd places if that is asked for.
  private static func text(
    _ random: inout TestRandom, _ width: Int, _ ending: String, isOdd: Bool
  ) -> String {
    let plain = ["a", "bcdefghi", "12", "", "é", "0123456789abcdef"]
    let quoted = ["", "a", "x,y", "line\nline", "a\"\"b", "\"\"", "0123456789abcdef, and more"]
    let odd = ["a\"b\"c", "\"a\"b", "\"\"\"\"", "\\\"", "\"a\\\"b\"", "\n", "\r", "\"", " \"x\""]
    var text = ""
    for _ in 0..<(1 + random.below(12)) {
      let count = random.below(9) == 0 ? width + random.below(3) - 1 : width
      for field in 0..<count {
        if field > 0 { text += "," }
        if isOdd && random.below(6) == 0 {
          text += odd[random.below(odd.count)]
        } else if random.below(2) == 0 {
          text += "\"" + quoted[random.below(quoted.count)] + "\""
        } else {
          text += plain[random.below(plain.count)]
        }
      }
      text += ending
    }
    if random.below(3) == 0 { text.removeLast() }
    return text
  }
}
