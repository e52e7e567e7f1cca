import Columnar
package import Diagnostics

/// Looks for bytes that are no text in UTF-8, and says what they seem to be.
package enum EncodingCheck {
  /// Checks the bytes of `range` of a block.
  ///
  /// - Throws: 22021 with line and byte, and what the file seems to be written in.
  /// - Complexity: O(*n*) in the length of the range.
  package static func check(_ block: TextBlock, _ range: Range<Int>) throws(SQLError) {
    let bytes = block.bytes.bytes(range)
    guard let found = bytes.firstInvalidUTF8 else { return }
    let place = range.lowerBound + found
    let guess = EncodingGuess(block, invalidAt: place)
    let line = LineFinder(block).line(at: place)
    throw SQLError(
      .characterNotInRepertoire,
      "invalid byte sequence for encoding \"UTF8\": \(sequence(block, at: place))",
      detail: "Line \(line), byte \(block.offset + place): \(guess.description)",
      hint: guess.hint)
  }

  /// The encoding that the first block of a file seems to have, if it is none that everything else takes.
  package static func encoding(of block: TextBlock) -> TextEncoding? {
    guard let place = block.bytes.bytes(0..<block.count).firstInvalidUTF8 else { return nil }
    switch EncodingGuess(block, invalidAt: place) {
    case .utf16(isLittle: true, _): return .utf16LittleEndian
    case .utf16(isLittle: false, _): return .utf16BigEndian
    case .oneByte: return .windows1252
    case .strayNull, .cutOff, .mixture: return nil
    }
  }

  /// The encoding that a whole text seems to have, which is not UTF-8: single bytes for letters with accents, if no letter
  /// beyond ASCII is good UTF-8.
  ///
  /// - Throws: 58030 if the text cannot be read.
  /// - Complexity: O(*n*) in the length of the text.
  package static func encoding(of source: any ByteSource) throws(SQLError) -> TextEncoding? {
    let reader = BlockReader(source, format: DelimitedTextFormat())
    var isFound = false
    while let block = try reader.next() {
      var place = 0
      while place < block.count {
        let end = block.bytes.bytes(place..<block.count).firstInvalidUTF8.map { $0 + place }
        let good = place..<(end ?? block.count)
        if good.contains(where: { block.bytes[$0] >= 0x80 }) { return nil }
        guard let end else { break }
        if block.bytes[end] == 0 { return nil }
        isFound = true
        place = end + 1
      }
    }
    return isFound ? .windows1252 : nil
  }

  /// The bytes of the sequence that its first byte announces, as PostgreSQL writes them.
  private static func sequence(_ block: TextBlock, at place: Int) -> String {
    let announced =
      switch block.bytes[place] {
      case 0xC0...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF7: 4
      default: 1
      }
    return (place..<min(place + announced, block.count)).map { index in
      let digits = String(block.bytes[index], radix: 16)
      return "0x" + (digits.count < 2 ? "0" : "") + digits
    }.joined(separator: " ")
  }
}

/// What a file that is not UTF-8 seems to be.
private enum EncodingGuess {
  case utf16(isLittle: Bool, hasMark: Bool)
  case strayNull
  /// UTF-8 up to the end of the file, which stands in the midst of a character.
  case cutOff
  /// Single bytes for letters with accents.
  case oneByte(isWindows: Bool)
  /// One of those within a text that is UTF-8 otherwise.
  case mixture

  init(_ block: TextBlock, invalidAt place: Int) {
    let bytes = block.bytes
    let start: (UInt8, UInt8) = block.count > 1 ? (bytes[0], bytes[1]) : (0, 0)
    if block.offset == 0 && (start == (0xFF, 0xFE) || start == (0xFE, 0xFF)) {
      self = .utf16(isLittle: start.0 == 0xFF, hasMark: true)
    } else if bytes[place] == 0 {
      self = Self.null(block, at: place)
    } else if (0..<place).contains(where: { bytes[$0] >= 0x80 }) {
      // Letters beyond ASCII were good so far.
      self = block.isLast && Self.isBeginning(block, from: place) ? .cutOff : .mixture
    } else {
      // ISO 8859-1 has nothing but control characters where Windows has dashes and quotation marks.
      self = .oneByte(isWindows: (0x80...0x9F).contains(bytes[place]))
    }
  }

  /// Text of English letters in UTF-16 has a NUL in every other place.
  private static func null(_ block: TextBlock, at place: Int) -> EncodingGuess {
    let range = max(0, place - 64)..<min(block.count, place + 64)
    var counts = (even: 0, odd: 0)
    for index in range where block.bytes[index] == 0 {
      if (block.offset + index) & 1 == 0 { counts.even += 1 } else { counts.odd += 1 }
    }
    let most = range.count / 4
    if counts.odd > most && counts.even <= most { return .utf16(isLittle: true, hasMark: false) }
    if counts.even > most && counts.odd <= most { return .utf16(isLittle: false, hasMark: false) }
    return .strayNull
  }

  /// Whether the bytes from `place` to the end are the beginning of a character.
  private static func isBeginning(_ block: TextBlock, from place: Int) -> Bool {
    let lead = block.bytes[place]
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0
    return length > block.count - place
      && (place + 1..<block.count).allSatisfy { block.bytes[$0] & 0xC0 == 0x80 }
  }

  var description: String {
    switch self {
    case .utf16(let isLittle, let hasMark):
      "the file seems to be UTF-16 (\(isLittle ? "little" : "big")-endian"
        + (hasMark ? ")." : ", without a byte order mark).")
    case .strayNull:
      "a byte of zero, which no text has. The file may be damaged, or no text at all."
    case .cutOff: "the file ends in the midst of a character, as if it had been cut off."
    case .oneByte(isWindows: true): "the file seems to be Windows-1252."
    case .oneByte(isWindows: false): "the file seems to be Latin-1 (ISO 8859-1) or Windows-1252."
    case .mixture: "the text before it is UTF-8, but this seems to be Latin-1 or Windows-1252."
    }
  }

  var hint: String {
    func conversion(_ name: String) -> String {
      "Convert it to UTF-8 first: iconv -f \(name) -t UTF-8 FILE > NEWFILE"
    }
    switch self {
    case .utf16(_, hasMark: true): return conversion("UTF-16")
    case .utf16(let isLittle, hasMark: false): return conversion(isLittle ? "UTF-16LE" : "UTF-16BE")
    case .strayNull: return "Remove it first: tr -d '\\000' < FILE > NEWFILE"
    case .cutOff: return "Look for a whole copy of the file."
    case .oneByte: return conversion("WINDOWS-1252")
    case .mixture:
      return "Mend the line, or drop such bytes: iconv -c -f UTF-8 -t UTF-8 FILE > NEWFILE"
    }
  }
}
