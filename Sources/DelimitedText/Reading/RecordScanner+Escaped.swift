import Columnar
import Diagnostics

extension RecordScanner {
  /// Scans a block of COPY's text format, in which a backslash makes the next character special or plain.
  ///
  /// A field that holds an escape is marked like a quoted one: its value is never NULL, unless the field as
  /// it stands is the spelling of NULL (which by default is an escape itself, `\N`).
  ///
  /// - Throws: 22021 for a value that is no UTF-8 once its escapes are resolved.
  func scanEscaped(_ block: TextBlock, from start: Int) throws(SQLError) {
    let bytes = block.bytes
    var place = start
    var rowStart = 0
    var recordStart = start
    while place < block.count {
      let end = try addEscapedField(block, from: place)
      if end < block.count, bytes[end] == format.delimiter {
        place = end + 1
        if place < block.count { continue }
        addEscapedEmptyField(block.count)
      } else {
        let isPair =
          end + 1 < block.count && bytes[end] == .carriageReturn && bytes[end + 1] == .newline
        place = end + (isPair ? 2 : 1)
      }
      endRecord(rowStart: rowStart, range: recordStart..<min(end, block.count), block)
      if metEndMarker { return }
      rowStart = fieldCount
      recordStart = place
    }
  }

  private func addEscapedEmptyField(_ place: Int) {
    starts[fieldCount] = UInt32(truncatingIfNeeded: place)
    ends[fieldCount] = UInt32(truncatingIfNeeded: place)
    fieldCount &+= 1
  }

  /// Reads one field, moving its value to its start, and says where it ends in the block.
  private func addEscapedField(_ block: TextBlock, from start: Int) throws(SQLError) -> Int {
    let bytes = block.bytes
    let backslash = UInt8(ascii: "\\")
    var end = start
    var hasEscape = false
    while end < block.count {
      let byte = bytes[end]
      if byte == format.delimiter || byte == .newline || byte == .carriageReturn { break }
      if byte == backslash && end + 1 < block.count && bytes[end + 1] != .newline {
        hasEscape = true
        end &+= 2
      } else {
        end &+= 1
      }
    }
    end = min(end, block.count)
    let isNull =
      end - start == format.null.count
      && (0..<format.null.count).allSatisfy { bytes[start + $0] == format.null[$0] }
    starts[fieldCount] = UInt32(truncatingIfNeeded: start)
    guard hasEscape && !isNull && !isMarker(block, start, end) else {
      ends[fieldCount] = UInt32(truncatingIfNeeded: end)
      fieldCount &+= 1
      return end
    }
    let length = unescape(block, start..<end)
    try EncodingCheck.check(block, start..<(start + length))
    ends[fieldCount] = UInt32(truncatingIfNeeded: start + length) | Self.quotedBit
    fieldCount &+= 1
    return end
  }

  private func isMarker(_ block: TextBlock, _ start: Int, _ end: Int) -> Bool {
    end - start == 2 && block.bytes[start] == UInt8(ascii: "\\")
      && block.bytes[start + 1] == UInt8(ascii: ".")
  }

  /// Resolves the escapes of a field in place, and gives the length of its value.
  private func unescape(_ block: TextBlock, _ range: Range<Int>) -> Int {
    let bytes = block.bytes
    var from = range.lowerBound
    var to = range.lowerBound
    while from < range.upperBound {
      var byte = bytes[from]
      from += 1
      if byte == UInt8(ascii: "\\"), from < range.upperBound {
        byte = bytes[from]
        from += 1
        switch byte {
        case UInt8(ascii: "b"): byte = 8
        case UInt8(ascii: "f"): byte = 12
        case UInt8(ascii: "n"): byte = 10
        case UInt8(ascii: "r"): byte = 13
        case UInt8(ascii: "t"): byte = 9
        case UInt8(ascii: "v"): byte = 11
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
          byte = digits(block, &from, range.upperBound, first: byte - 48, base: 8, most: 2)
        case UInt8(ascii: "x"):
          if from < range.upperBound, let digit = Self.digit(bytes[from], base: 16) {
            from += 1
            byte = digits(block, &from, range.upperBound, first: digit, base: 16, most: 1)
          }
        default: break
        }
      }
      bytes[to] = byte
      to += 1
    }
    return to - range.lowerBound
  }

  /// Reads the rest of an octal or hexadecimal escape.
  private func digits(
    _ block: TextBlock, _ place: inout Int, _ end: Int, first: UInt8, base: UInt8, most: Int
  ) -> UInt8 {
    var value = first
    var left = most
    while left > 0, place < end, let digit = Self.digit(block.bytes[place], base: base) {
      value = value &* base &+ digit
      place += 1
      left -= 1
    }
    return value
  }

  private static func digit(_ byte: UInt8, base: UInt8) -> UInt8? {
    let value: UInt8
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - 48
    case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - 87
    case UInt8(ascii: "A")...UInt8(ascii: "F"): value = byte - 55
    default: return nil
    }
    return value < base ? value : nil
  }
}
