package import Columnar
package import Diagnostics

/// The text of a source in another encoding, as UTF-8.
package final class TranscodedSource: ByteSource {
  private let source: any ByteSource
  private var encoding: TextEncoding
  /// Bytes of the source that are not converted yet: `taken ..< filled`.
  private let input = Buffer<UInt8>(uninitialized: 1 << 16)
  private var taken = 0
  private var filled = 0
  private var isAtEnd = false
  /// Where in the source `input` begins.
  private var offset = 0
  /// What is converted and not given out yet.
  private var output = ByteBuilder(capacity: 1 << 18)
  private var given = 0

  package init(_ source: any ByteSource, _ encoding: TextEncoding) {
    self.source = source
    self.encoding = encoding
  }

  /// Only the end of the text tells.
  package var byteCount: Int? { nil }

  package var isRepeatable: Bool { source.isRepeatable }

  package func rewind() throws(SQLError) {
    try source.rewind()
    (taken, filled, offset, given) = (0, 0, 0, 0)
    isAtEnd = false
    output.removeAll()
  }

  package func read(
    into buffer: Buffer<UInt8>, at offset: Int, count: Int
  ) throws(SQLError) -> Int {
    while given == output.count && !(isAtEnd && taken == filled) { try convertMore() }
    let length = min(count, output.count - given)
    buffer.copy(output.buffer, from: given, count: length, to: offset)
    given += length
    return length
  }

  private func convertMore() throws(SQLError) {
    output.removeAll()
    given = 0
    // What is left is the beginning of a character.
    let rest = filled - taken
    for index in 0..<rest { input[index] = input[taken + index] }
    offset += taken
    taken = 0
    filled = rest
    let got = try source.read(into: input, at: filled, count: input.count - filled)
    filled += got
    if got == 0 { isAtEnd = true }
    switch encoding {
    case .windows1252, .latin1: convertSingleBytes()
    case .utf16:
      guard filled > 1 || isAtEnd else { return }
      let isBig = filled > 1 && input[0] == 0xFE && input[1] == 0xFF
      encoding = isBig ? .utf16BigEndian : .utf16LittleEndian
      try convertPairs(isLittle: !isBig)
    case .utf16LittleEndian: try convertPairs(isLittle: true)
    case .utf16BigEndian: try convertPairs(isLittle: false)
    }
  }

  private func convertSingleBytes() {
    for index in taken..<filled {
      let byte = input[index]
      if byte < 0x80 {
        output.append(byte)
        continue
      }
      append(encoding == .latin1 ? UInt32(byte) : TextEncoding.windowsCharacter(byte))
    }
    taken = filled
  }

  private func convertPairs(isLittle: Bool) throws(SQLError) {
    while taken + 1 < filled {
      let first = unit(at: taken, isLittle)
      if first & 0xF800 != 0xD800 {
        // The mark of the byte order is no part of the text.
        if !(first == 0xFEFF && offset + taken == 0) { append(UInt32(first)) }
        taken += 2
        continue
      }
      if taken + 3 >= filled && !isAtEnd { return }
      guard first < 0xDC00, taken + 3 < filled,
        case let second = unit(at: taken + 2, isLittle), second & 0xFC00 == 0xDC00
      else { throw broken("half of a pair of surrogates") }
      append(0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))
      taken += 4
    }
    if isAtEnd && taken < filled { throw broken("half of a character at the end") }
  }

  private func unit(at place: Int, _ isLittle: Bool) -> UInt16 {
    let (first, second) = (UInt16(input[place]), UInt16(input[place + 1]))
    return isLittle ? second << 8 | first : first << 8 | second
  }

  private func append(_ code: UInt32) {
    guard let scalar = Unicode.Scalar(code) else { return }
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { output.append(byte) }
  }

  private func broken(_ what: String) -> SQLError {
    SQLError(
      .characterNotInRepertoire, "invalid byte sequence for encoding \"UTF16\"",
      detail: "Byte \(offset + taken): \(what).",
      hint: "The file may be damaged, or cut off.")
  }
}
