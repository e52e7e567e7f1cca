/// One piece of a picture of a date or time, such as `YYYY` in `to_char(now(), 'YYYY-MM')`.
struct DatePiece {
  /// How a name is written.
  enum Spelling { case upper, capital, lower }

  /// What a keyword stands for.
  enum Field {
    case year(digits: Int), isoYear(digits: Int), yearWithComma
    case month, monthName(Spelling), monthShort(Spelling), roman(Spelling)
    case day, dayOfYear, isoDayOfYear, weekday, isoWeekday
    case dayName(Spelling), dayShort(Spelling)
    case hour12, hour24, minute, second, millisecond, fraction(Int), secondOfDay
    case meridiem(Spelling, hasDots: Bool), era(Spelling, hasDots: Bool)
    case quarter, week, isoWeek, weekOfMonth, century, julian
    case zoneName(Spelling), zoneOffset, zoneHours, zoneMinutes
    /// From here on the text is read by its places.
    case exact
  }

  /// What a piece is.
  enum Kind {
    case field(Field)
    /// A character that stands for itself; `separator` is none of letters, digits and spaces.
    case character, separator, space
  }

  var kind: Kind
  /// The keyword as it was written, or the character.
  var text: [UInt8]
  /// Whether padding is left out (`FM`).
  var isFill = false
  /// Whether names are the locale's, which are not padded (`TM`).
  var isTranslated = false
  /// Whether the ordinal ending follows (`TH`), in capitals.
  var ordinal: Bool?

  /// Whether the text of the piece begins with a digit.
  var isNumber: Bool {
    switch kind {
    case .field(let field):
      switch field {
      case .monthName, .monthShort, .roman, .dayName, .dayShort, .meridiem, .era, .zoneName,
        .zoneOffset, .zoneHours, .exact:
        false
      case .year, .isoYear, .yearWithComma, .month, .day, .dayOfYear, .isoDayOfYear, .weekday,
        .isoWeekday, .hour12, .hour24, .minute, .second, .millisecond, .fraction, .secondOfDay,
        .quarter, .week, .isoWeek, .weekOfMonth, .century, .julian, .zoneMinutes:
        true
      }
    case .character: text.count == 1 && isDigit(text[0])
    case .separator, .space: false
    }
  }

  /// Keywords that are written in capitals or in small letters throughout, longer ones first.
  private static let keywords: [(String, Field)] = [
    ("FF1", .fraction(1)), ("FF2", .fraction(2)), ("FF3", .fraction(3)), ("FF4", .fraction(4)),
    ("FF5", .fraction(5)), ("FF6", .fraction(6)), ("FX", .exact),
    ("CC", .century), ("DDD", .dayOfYear), ("DD", .day), ("D", .weekday),
    ("HH24", .hour24), ("HH12", .hour12), ("HH", .hour12),
    ("IDDD", .isoDayOfYear), ("ID", .isoWeekday), ("IW", .isoWeek), ("IYYY", .isoYear(digits: 4)),
    ("IYY", .isoYear(digits: 3)), ("IY", .isoYear(digits: 2)), ("I", .isoYear(digits: 1)),
    ("J", .julian), ("MI", .minute), ("MM", .month), ("MS", .millisecond), ("OF", .zoneOffset),
    ("Q", .quarter), ("SSSSS", .secondOfDay), ("SSSS", .secondOfDay), ("SS", .second),
    ("TZH", .zoneHours), ("TZM", .zoneMinutes), ("US", .fraction(6)), ("WW", .week),
    ("W", .weekOfMonth), ("Y,YYY", .yearWithComma), ("YYYY", .year(digits: 4)),
    ("YYY", .year(digits: 3)), ("YY", .year(digits: 2)), ("Y", .year(digits: 1)),
  ]

  /// Keywords whose case is that of the result, longer ones first.
  private static let spelled: [(String, @Sendable (Spelling) -> Field, hasCapital: Bool)] = [
    ("MONTH", { .monthName($0) }, true), ("MON", { .monthShort($0) }, true),
    ("DAY", { .dayName($0) }, true), ("DY", { .dayShort($0) }, true),
    ("RM", { .roman($0) }, false), ("TZ", { .zoneName($0) }, false),
    ("A.M.", { .meridiem($0, hasDots: true) }, false),
    ("P.M.", { .meridiem($0, hasDots: true) }, false),
    ("AM", { .meridiem($0, hasDots: false) }, false),
    ("PM", { .meridiem($0, hasDots: false) }, false),
    ("A.D.", { .era($0, hasDots: true) }, false), ("B.C.", { .era($0, hasDots: true) }, false),
    ("AD", { .era($0, hasDots: false) }, false), ("BC", { .era($0, hasDots: false) }, false),
  ]

  /// Every keyword by its first byte, longer ones first.
  private static let table: [UInt8: [(word: [UInt8], field: Field)]] = {
    var words: [(String, Field)] = []
    for (word, field) in keywords {
      words.append((word, field))
      words.append((word.lowercased(), field))
    }
    for (word, field, hasCapital) in spelled {
      words.append((word, field(.upper)))
      words.append((word.lowercased(), field(.lower)))
      if hasCapital {
        words.append((word.prefix(1) + word.dropFirst().lowercased(), field(.capital)))
      }
    }
    var table: [UInt8: [(word: [UInt8], field: Field)]] = [:]
    for (word, field) in words {
      let bytes = Array(word.utf8)
      table[bytes[0], default: []].append((bytes, field))
    }
    return table.mapValues { list in list.sorted { $0.word.count > $1.word.count } }
  }()

  /// The pieces of a picture.
  static func parse(_ picture: TextBytes) -> [DatePiece] {
    let bytes = picture.array
    var pieces: [DatePiece] = []
    var index = 0
    func starts(_ word: String) -> Bool { bytes[index...].starts(with: word.utf8) }
    while index < bytes.count {
      var piece = DatePiece(kind: .character, text: [])
      if starts("FM") || starts("fm") {
        piece.isFill = true
        index += 2
      } else if starts("TM") || starts("tm") {
        piece.isTranslated = true
        index += 2
      }
      guard index < bytes.count else { break }
      if let found = table[bytes[index]]?.first(where: { bytes[index...].starts(with: $0.word) }) {
        piece.kind = .field(found.field)
        piece.text = found.word
        index += found.word.count
        if starts("TH") || starts("th") {
          piece.ordinal = bytes[index] == UInt8(ascii: "T")
          index += 2
        } else if starts("SP") {
          index += 2
        }
        pieces.append(piece)
      } else if bytes[index] == UInt8(ascii: "\"") {
        appendQuoted(bytes, &index, &pieces)
      } else {
        if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count,
          bytes[index + 1] == UInt8(ascii: "\"")
        {
          index += 1
        }
        pieces.append(character(bytes, &index, isQuoted: false))
      }
    }
    return pieces
  }

  /// Adds the characters up to the next quote.
  private static func appendQuoted(
    _ bytes: [UInt8], _ index: inout Int, _ pieces: inout [DatePiece]
  ) {
    index += 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\"") {
        index += 1
        return
      }
      if bytes[index] == UInt8(ascii: "\\") && index + 1 < bytes.count { index += 1 }
      pieces.append(character(bytes, &index, isQuoted: true))
    }
  }

  /// The character at an index, which moves behind it.
  private static func character(
    _ bytes: [UInt8], _ index: inout Int, isQuoted: Bool
  ) -> DatePiece {
    let byte = bytes[index]
    let end = min(bytes.count, index + TextBytes.sequenceLength(byte))
    defer { index = end }
    let kind: Kind =
      isQuoted ? .character : isSeparator(byte) ? .separator : isSpace(byte) ? .space : .character
    return DatePiece(kind: kind, text: Array(bytes[index..<end]))
  }

  /// Whether a byte is a visible ASCII character that is neither letter nor digit.
  static func isSeparator(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !isLetterOrDigit(byte)
  }

  static let romans = [
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
  ]
}
