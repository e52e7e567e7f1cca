package import Diagnostics

/// How the characters of a text are written as bytes, other than UTF-8.
package enum TextEncoding: Sendable, Hashable {
  case utf16LittleEndian, utf16BigEndian
  /// Of these the one that the mark at the beginning tells; little-endian without one.
  case utf16
  /// Western European text of one byte a character; Latin-1 is a part of it but for control characters.
  case windows1252
  case latin1

  /// What people call it.
  package var name: String {
    switch self {
    case .utf16LittleEndian, .utf16BigEndian, .utf16: "UTF-16"
    case .windows1252: "Windows-1252"
    case .latin1: "Latin-1"
    }
  }

  /// What PostgreSQL calls it, or would.
  private var shortName: String {
    switch self {
    case .utf16LittleEndian, .utf16BigEndian, .utf16: "UTF16"
    case .windows1252: "WIN1252"
    case .latin1: "LATIN1"
    }
  }

  /// The encoding that a name stands for, of which only letters and digits count; nil for UTF-8.
  ///
  /// - Throws: 0A000 for encodings that others know, 22023 for what is the name of none.
  package static func named(_ name: String) throws(SQLError) -> TextEncoding? {
    let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
    switch letters {
    case "utf8", "unicode", "sqlascii": return nil
    case "latin1", "iso88591": return .latin1
    case "win1252", "windows1252": return .windows1252
    case "utf16": return .utf16
    case "utf16le": return .utf16LittleEndian
    case "utf16be": return .utf16BigEndian
    default:
      let known = ["latin", "iso8859", "win", "koi8", "euc", "big5", "gb", "sjis", "johab", "uhc"]
      guard known.contains(where: letters.hasPrefix) else {
        throw SQLError(
          .invalidParameterValue,
          "argument to option \"encoding\" must be a valid encoding name",
          hint: "Encodings are UTF8, LATIN1, WIN1252 and UTF16.")
      }
      throw SQLError(
        .featureNotSupported, "encoding \"\(name)\" is not supported",
        hint: "Encodings are UTF8, LATIN1, WIN1252 and UTF16; iconv converts others.")
    }
  }

  /// What Windows has where Latin-1 has control characters; 0 where it has none either.
  private static let specials: [UInt32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152,
    0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161,
    0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]

  /// The character that a byte of Windows-1252 above 127 stands for.
  static func windowsCharacter(_ byte: UInt8) -> UInt32 {
    let special = byte < 0xA0 ? specials[Int(byte) - 0x80] : 0
    return special == 0 ? UInt32(byte) : special
  }

  // MARK: Writing

  /// What stands before a text in this encoding: the mark of the byte order.
  package var mark: [UInt8] {
    switch self {
    case .utf16: [0xFF, 0xFE]
    case .utf16LittleEndian, .utf16BigEndian, .windows1252, .latin1: []
    }
  }

  /// A text in this encoding.
  ///
  /// - Parameter text: Whole characters of UTF-8.
  /// - Returns: the text's bytes.
  /// - Throws: 22P05 for a character that the encoding lacks.
  /// - Complexity: O(*n*) in the length of the text.
  package func bytes(of text: [UInt8]) throws(SQLError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      switch self {
      case .latin1, .windows1252:
        if scalar.value < 0x80 {
          bytes.append(UInt8(scalar.value))
        } else if let byte = byte(of: scalar.value) {
          bytes.append(byte)
        } else {
          throw missing(scalar)
        }
      case .utf16, .utf16LittleEndian, .utf16BigEndian:
        for unit in String(scalar).utf16 {
          let (low, high) = (UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8))
          bytes += self == .utf16BigEndian ? [high, low] : [low, high]
        }
      }
    }
    return bytes
  }

  private func byte(of character: UInt32) -> UInt8? {
    if self == .windows1252, let place = Self.specials.firstIndex(of: character), character > 0 {
      return UInt8(0x80 + place)
    }
    guard let byte = UInt8(exactly: character) else { return nil }
    return self == .latin1 || Self.windowsCharacter(byte) == character ? byte : nil
  }

  private func missing(_ scalar: Unicode.Scalar) -> SQLError {
    let bytes = (UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter).map { byte in
      "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return SQLError(
      .untranslatableCharacter,
      "character with byte sequence \(bytes.joined(separator: " ")) in encoding \"UTF8\" has no "
        + "equivalent in encoding \"\(shortName)\"")
  }
}
