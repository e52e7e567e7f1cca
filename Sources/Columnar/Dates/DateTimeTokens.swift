/// A stretch of a date's, time's or interval's text.
struct DateTimeToken {
  enum Kind {
    /// Digits, perhaps with a point.
    case number
    /// Digits or letters with the separators of dates, or the name of a time zone.
    case date
    /// Digits with colons.
    case time
    /// A sign with digits: a distance from UTC, or a signed number of an interval.
    case zone
    /// Letters; `special` has a sign before them.
    case word, special
  }
  var kind: Kind
  /// The bytes in lower case.
  var bytes: [UInt8]

  /// The most tokens of a text.
  static let countMax = 25

  /// Cuts a text as PostgreSQL does; nil for one with a byte that no date has, or that is too long.
  ///
  /// `capacity` bounds the bytes of all tokens with one more for each: 129 for dates and times, 256 for intervals.
  static func tokens(_ text: TextBytes, capacity: Int = 129) -> [DateTimeToken]? {
    var scan = Scan(text: text, room: capacity - 1)
    return scan.all()
  }

  private struct Scan {
    let text: TextBytes
    /// How many bytes tokens may still take.
    var room: Int
    var position = 0
    var bytes: [UInt8] = []

    init(text: TextBytes, room: Int) {
      self.text = text
      self.room = room
    }

    /// The next byte in lower case; 0 at the end.
    var next: UInt8 {
      guard position < text.count else { return 0 }
      let byte = text[position]
      return byte &- 65 < 26 ? byte | 32 : byte
    }

    mutating func take() {
      bytes.append(next)
      position += 1
    }

    mutating func take(while keeps: (UInt8) -> Bool) {
      while position < text.count && keeps(next) { take() }
    }

    mutating func all() -> [DateTimeToken]? {
      var tokens: [DateTimeToken] = []
      while position < text.count {
        if isSpace(next) {
          position += 1
          continue
        }
        guard tokens.count < DateTimeToken.countMax else { return nil }
        bytes = []
        let kind: Kind
        if isDigit(next) {
          kind = takeDigits()
        } else if next == UInt8(ascii: ".") {
          take()
          take(while: isDigit)
          kind = .number
        } else if isLetter(next) {
          kind = takeLetters()
        } else if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") {
          guard let signed = takeSigned() else { return nil }
          kind = signed
        } else if isPunctuation(next) {
          position += 1
          continue
        } else {
          return nil
        }
        guard bytes.count <= room - 1 else { return nil }
        room -= bytes.count + 1
        tokens.append(DateTimeToken(kind: kind, bytes: bytes))
      }
      return tokens
    }

    private mutating func takeDigits() -> Kind {
      take(while: isDigit)
      let separator = next
      switch separator {
      case UInt8(ascii: ":"):
        take { isDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        return .time
      case UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "."):
        take()
        guard isDigit(next) else {
          // The month may be a word.
          take { isDigit($0) || isLetter($0) || $0 == separator }
          return .date
        }
        take(while: isDigit)
        guard next == separator else {
          return separator == UInt8(ascii: ".") ? .number : .date
        }
        take { isDigit($0) || $0 == separator }
        return .date
      default: return .number
      }
    }

    private mutating func takeLetters() -> Kind {
      take(while: isLetter)
      var isDate = false
      switch next {
      case UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "."): isDate = true
      case UInt8(ascii: "+"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        // The name of a zone such as gmt+5, unless a word like j or t stands before a number.
        isDate = DateTimeWord.core(bytes) == nil
      default: break
      }
      guard isDate else { return .word }
      take {
        switch $0 {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "_"),
          UInt8(ascii: "."), UInt8(ascii: ":"):
          true
        default: isDigit($0) || isLetter($0)
        }
      }
      return .date
    }

    private mutating func takeSigned() -> Kind? {
      take()
      while isSpace(next) { position += 1 }
      if isDigit(next) {
        take {
          isDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            || $0 == UInt8(ascii: "-")
        }
        return .zone
      }
      guard isLetter(next) else { return nil }
      take(while: isLetter)
      return .special
    }
  }
}

/// Whether a byte is an ASCII letter.
@inline(__always)
func isLetter(_ byte: UInt8) -> Bool { (byte | 32) &- 97 < 26 }

/// Whether a byte is an ASCII letter or digit.
func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

/// Whether a byte is an ASCII sign: neither letter, digit, space nor control character.
private func isPunctuation(_ byte: UInt8) -> Bool {
  byte > 32 && byte < 127 && !isLetter(byte) && !isDigit(byte)
}
