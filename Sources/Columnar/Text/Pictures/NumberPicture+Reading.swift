import Diagnostics

extension NumberPicture {
  /// The number that a text shows as the picture arranges it.
  ///
  /// - Throws: 22P02, 22003, 0A000.
  func read(_ text: TextBytes) throws(SQLError) -> Numeric {
    if isExponent { throw SQLError(.featureNotSupported, "\"EEEE\" not supported for input") }
    if isRoman { throw SQLError(.featureNotSupported, "\"RN\" not supported for input") }
    var reader = Reader(picture: self, text: text)
    for piece in pieces {
      if reader.isAtEnd { break }
      reader.read(piece)
    }
    if reader.digits.last == 0x2E { reader.digits.removeLast() }
    let spelled = Buffer<UInt8>([reader.sign] + reader.digits)
    defer { withExtendedLifetime(spelled) {} }
    let bytes = spelled.bytes(0..<spelled.count)
    let scale = reader.behind
    if bytes.count == 1 {
      throw SQLError(
        .invalidTextRepresentation, "invalid input syntax for type numeric: \"\(bytes.string)\"")
    }
    let value = try Numeric.apply(
      precision: before + shift + scale, scale: scale, to: try Numeric.parse(bytes))
    guard isShifted else { return value }
    // Dividing leaves as many digits as a quotient has.
    return try Numeric.multiply(value, try Self.fraction(shift))
  }

  /// 10 to the power of minus `places`, with the digits that such a power has.
  private static func fraction(_ places: Int) throws(SQLError) -> Numeric {
    guard places <= 38 else { throw Numeric.overflow }
    let scale = min(38, max(16, places))
    return Numeric(
      coefficient: Int128(DecimalPowers.table[scale - places]), scale: Int16(scale))
  }

  /// A text being read, piece by piece.
  private struct Reader {
    let picture: NumberPicture
    let text: TextBytes
    var index = 0
    /// A blank until a sign is read.
    var sign: UInt8 = 0x20
    /// Digits and the point.
    var digits: [UInt8] = []
    /// Digits read before and behind the point.
    var before = 0
    var behind = 0
    var isPastPoint = false

    init(picture: NumberPicture, text: TextBytes) {
      self.picture = picture
      self.text = text
    }

    var isAtEnd: Bool { index >= text.count }
    private var byte: UInt8 { isAtEnd ? 0 : text[index] }

    mutating func read(_ piece: Piece) {
      switch piece {
      case .digit: readPlace(isDigitPlace: true)
      case .point: readPlace(isDigitPlace: false)
      case .comma, .group:
        // Before the first digit too, as the reader never counts as inside of a number.
        if picture.isFill || byte != 0x2C { return }
        index += 1
      case .currency: skipOthers(1)
      case .ordinal: if sign != 0x2D && !picture.hasPoint { skipOthers(2) }
      case .minus: readSign([0x2D])
      case .plus: readSign([0x2B])
      case .plusMinus: readSign([0x2D, 0x2B])
      case .character: skipCharacter()
      case .sign, .roman, .nothing: break
      }
    }

    private mutating func skipCharacter() {
      index = min(text.count, index + TextBytes.sequenceLength(byte))
    }

    /// Passes over so many characters, up to one that belongs to a number.
    private mutating func skipOthers(_ count: Int) {
      for _ in 0..<count where !isAtEnd {
        if isDigit(byte) || byte == 0x2E || byte == 0x2C || byte == 0x2B || byte == 0x2D { return }
        skipCharacter()
      }
    }

    private mutating func readSign(_ signs: [UInt8]) {
      guard signs.contains(byte) else { return skipOthers(1) }
      sign = byte
      index += 1
    }

    /// A digit or the point, and the sign on either side of the number.
    private mutating func readPlace(isDigitPlace: Bool) {
      // One byte is passed at the end even where nothing was read.
      defer { index += 1 }
      if byte == 0x20 { index += 1 }
      if isAtEnd { return }
      if sign == 0x20 && isDigitPlace && before + behind == 0 { readSignBefore() }
      if isAtEnd { return }
      var isRead = false
      if isDigit(byte) {
        if isPastPoint && behind == picture.behind { return }
        digits.append(byte)
        if isPastPoint { behind += 1 } else { before += 1 }
        isRead = true
      } else if picture.hasPoint && !isPastPoint && byte == 0x2E {
        digits.append(0x2E)
        isPastPoint = true
        isRead = true
      }
      if sign == 0x20 && before + behind > 0 { readSignBehind(isRead) }
    }

    private mutating func readSignBefore() {
      if picture.hasSign && picture.signPlace == .before {
        guard byte == 0x2D || byte == 0x2B else { return }
        sign = byte
        index += 1
      } else if byte == 0x2D || (picture.hasBrackets && byte == 0x3C) {
        sign = 0x2D
        index += 1
      } else if byte == 0x2B {
        sign = 0x2B
        index += 1
      }
    }

    private mutating func readSignBehind(_ isRead: Bool) {
      if picture.hasSign && isRead {
        guard index + 1 < text.count, text[index + 1] == 0x2D || text[index + 1] == 0x2B else {
          return
        }
        index += 1
        sign = byte
      } else if !isRead && !picture.hasSign && (picture.hasPlus || picture.hasMinus) {
        if byte == 0x2D || byte == 0x2B { sign = byte }
      }
    }
  }
}
