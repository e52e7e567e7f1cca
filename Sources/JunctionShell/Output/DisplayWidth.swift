/// How many terminal cells a text takes.
enum DisplayWidth {
  /// The cells of a line without line ends.
  static func of(_ text: some StringProtocol) -> Int {
    var width = 0
    for scalar in text.unicodeScalars { width += of(scalar) }
    return width
  }

  /// As much of a line as fits into so many cells; at least one character, so that cutting comes to an end.
  static func prefix(of text: Substring, cells: Int) -> Substring {
    var width = 0
    var end = text.startIndex
    for character in text {
      width += of(String(character)[...])
      if width > cells && end > text.startIndex { break }
      end = text.index(after: end)
      if width > cells { break }
    }
    return text[..<end]
  }

  /// As much of a line as fits into so many cells.
  static func prefix(of text: String, cells: Int) -> String {
    let piece = prefix(of: text[...], cells: cells)
    return of(piece) <= cells ? String(piece) : ""
  }

  /// The cells of one scalar: 0 for combining marks, 2 for East Asian wide characters and emoji.
  static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value < 0x20 || value == 0x7F ? 0 : 1 }
    let category = scalar.properties.generalCategory
    if category == .nonspacingMark || category == .enclosingMark || category == .format { return 0 }
    return isWide(value) ? 2 : 1
  }

  /// Ranges that Unicode's East Asian Width calls wide or fullwidth.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
      0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }

  /// The text with control characters made visible, so that data cannot steer a terminal.
  ///
  /// A tab becomes the blanks up to the next eighth column, as psql shows it.
  static func visible(_ text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return String(text) }
    var result = String.UnicodeScalarView()
    var column = 0
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t":
        let count = 8 - column % 8
        result.append(contentsOf: repeatElement(" ", count: count))
        column += count
      case "\r":
        result.append(contentsOf: "\\r".unicodeScalars)
        column += 2
      case _ where isControl(scalar):
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result.append(contentsOf: "\\x".unicodeScalars)
        result.append(contentsOf: (digits.count < 2 ? "0" + digits : digits).unicodeScalars)
        column += 4
      default:
        result.append(scalar)
        column += of(scalar)
      }
    }
    return String(result)
  }

  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (scalar.value >= 0x7F && scalar.value < 0xA0)
      || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }
}
