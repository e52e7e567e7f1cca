/// A stretch of a date's or time's text.
struct DateTimeToken {
  enum Kind { case number, word, date, time, zone }
  var kind: Kind
  /// The bytes in lower case.
  var bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Cuts a text as PostgreSQL's `ParseDateTime` does; nil for one with a byte that no date has.
  static func tokens(_ text: TextBytes) -> [DateTimeToken]? {
    var scan = Scan(text: text)
    return scan.all()
  }

  private struct Scan {
    let text: TextBytes
    var position = 0

    func peek(_ offset: Int = 0) -> UInt8 {
      guard position + offset < text.count else { return 0 }
      let byte = text[position + offset]
      return byte &- 65 < 26 ? byte | 32 : byte
    }

    static func isLetter(_ byte: UInt8) -> Bool { byte &- 97 < 26 }

    mutating func take(_ into: inout [UInt8], while keeps: (UInt8) -> Bool) {
      while position < text.count && keeps(peek()) {
        into.append(peek())
        position += 1
      }
    }

    mutating func all() -> [DateTimeToken]? {
      var tokens: [DateTimeToken] = []
      while position < text.count {
        let byte = peek()
        if isSpace(byte) || byte == 44 || byte == 64 {
          position += 1
          continue
        }
        guard tokens.count < 25 else { return nil }
        var bytes: [UInt8] = []
        let kind: Kind
        if isDigit(byte) {
          kind = digits(&bytes)
        } else if byte == 46 {
          bytes.append(46)
          position += 1
          take(&bytes, while: isDigit)
          kind = .number
        } else if Self.isLetter(byte) {
          kind = letters(&bytes)
        } else if byte == 43 || byte == 45 {
          bytes.append(byte)
          position += 1
          while isSpace(peek()) { position += 1 }
          if isDigit(peek()) || peek() == 46 {
            take(&bytes) { isDigit($0) || $0 == 58 || $0 == 46 || $0 == 45 }
            kind = .zone
          } else if Self.isLetter(peek()) {
            take(&bytes, while: Self.isLetter)
            kind = .word
          } else {
            return nil
          }
        } else {
          return nil
        }
        tokens.append(DateTimeToken(kind: kind, bytes: bytes))
      }
      return tokens
    }

    private mutating func digits(_ bytes: inout [UInt8]) -> Kind {
      take(&bytes, while: isDigit)
      let next = peek()
      if next == 58 {
        take(&bytes) { isDigit($0) || $0 == 58 || $0 == 46 }
        return .time
      }
      guard next == 45 || next == 47 || next == 46 else { return .number }
      if isDigit(peek(1)) {
        bytes.append(next)
        position += 1
        take(&bytes, while: isDigit)
        guard peek() == next else { return next == 46 ? .number : .date }
        take(&bytes) { isDigit($0) || $0 == next }
        return .date
      }
      if Self.isLetter(peek(1)) {
        take(&bytes) { isDigit($0) || Self.isLetter($0) || $0 == next }
        return .date
      }
      if next == 46 {
        bytes.append(46)
        position += 1
        return .number
      }
      return .number
    }

    private mutating func letters(_ bytes: inout [UInt8]) -> Kind {
      take(&bytes, while: Self.isLetter)
      let next = peek()
      guard next == 45 || next == 47 || next == 46 || next == 95 || next == 43 else { return .word }
      if DateTimeWords.month(bytes) != nil && next != 95 && next != 43 {
        take(&bytes) { isDigit($0) || Self.isLetter($0) || $0 == next }
        return .date
      }
      if next == 46 {
        position += 1
        return .word
      }
      // The name of a zone, such as america/new_york or etc/gmt+5.
      if next == 47 || next == 95 {
        take(&bytes) {
          isDigit($0) || Self.isLetter($0) || $0 == 47 || $0 == 95 || $0 == 43 || $0 == 45
        }
      }
      return .word
    }
  }
}

/// The words of dates.
enum DateTimeWords {
  static let monthNames = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]
  static let dayNames = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  /// 1 to 12 for the name of a month, whole or its first three letters.
  static func month(_ bytes: [UInt8]) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    if text == "sept" { return 9 }
    guard text.utf8.count >= 3 else { return nil }
    return monthNames.firstIndex { $0 == text || (text.utf8.count == 3 && $0.hasPrefix(text)) }
      .map { $0 + 1 }
  }

  /// Whether a word names a day of the week, which says nothing that is needed.
  static func isWeekday(_ text: String) -> Bool {
    let short: Set<String> = ["tues", "wednes", "weds", "thur", "thurs"]
    return short.contains(text)
      || dayNames.contains { $0 == text || (text.utf8.count == 3 && $0.hasPrefix(text)) }
  }
}
