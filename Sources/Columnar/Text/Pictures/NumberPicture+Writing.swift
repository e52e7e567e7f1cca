import Diagnostics

extension NumberPicture {
  /// Adds a number's digits as the picture arranges them.
  func append(_ digits: NumberDigits, to output: inout ByteBuilder) {
    var writer = Writer(self, digits)
    for piece in pieces {
      writer.write(piece)
      if writer.isEnded { break }
    }
    output.append(writer.output.bytes)
    withExtendedLifetime(writer.output.buffer) {}
  }

  /// Adds Roman numerals in their place of the picture.
  func append(roman: [UInt8], to output: inout ByteBuilder) {
    for piece in pieces {
      switch piece {
      case .roman(let isUpper):
        if !isFill { output.append(repeating: 0x20, count: 15 - roman.count) }
        for byte in roman { output.append(isUpper ? byte : byte &- 65 < 26 ? byte | 32 : byte) }
      case .comma, .group: if !isFill { output.append(0x20) }
      case .currency: output.append(0x20)
      case .character(let bytes): for byte in bytes { output.append(byte) }
      case .digit, .point, .sign, .minus, .plus, .plusMinus, .ordinal, .nothing: break
      }
    }
  }

  /// A number being written, place by place.
  private struct Writer {
    var picture: NumberPicture
    let digits: NumberDigits
    var output = ByteBuilder()
    /// The next of the digits.
    var index = 0
    /// The place of the picture that is written next, and the last but one.
    var place = 0
    var lastPlace: Int
    /// The last digit that `FM` does not leave out; nil where it leaves out none.
    var lastRelevant: Int?
    var isSignWritten: Bool
    /// Whether the last place showed a digit.
    var isInside = false
    /// Whether a digit was asked for behind the last one, which ends the text.
    var isEnded = false

    init(_ picture: NumberPicture, _ digits: NumberDigits) {
      self.picture = picture
      self.digits = digits
      self.picture.zeroStart = max(0, picture.zeroStart - 1)
      if picture.hasPlus || picture.hasMinus {
        isSignWritten = !(picture.hasPlus && !picture.hasMinus)
      } else {
        if !digits.isNegative && picture.isFill { self.picture.hasBrackets = false }
        isSignWritten = !digits.isNegative && picture.isFill && !picture.hasSign
        if picture.signPlace == .before && picture.before == picture.placesBeforeSign {
          self.picture.signPlace = .behind
        }
      }
      lastPlace = picture.behind + picture.before - 1
      if picture.isFill && picture.hasPoint { lastRelevant = Self.relevant(picture, digits) }
      if !isSignWritten && digits.leadingPlaces == 0 { lastPlace += 1 }
    }

    /// The last digit behind the point that is not zero, or that the picture asks for with a zero.
    private static func relevant(_ picture: NumberPicture, _ digits: NumberDigits) -> Int? {
      guard let point = digits.text.firstIndex(of: 0x2E) else { return nil }
      var last = digits.text.lastIndex { $0 != 0x30 && $0 != 0x2E } ?? point
      if last < point { last = point }
      if picture.zeroEnd > digits.leadingPlaces {
        last = max(
          last, min(digits.text.count - 1, picture.zeroEnd - digits.leadingPlaces))
      }
      return last
    }

    mutating func write(_ piece: Piece) {
      switch piece {
      case .digit(let isZero): writePlace(isZero: isZero)
      case .point: writePlace(isZero: false)
      case .comma, .group: append(0x2C, if: isInside)
      case .currency: output.append(0x20)
      case .minus: append(0x2D, if: digits.isNegative)
      case .plus: append(0x2B, if: !digits.isNegative)
      case .plusMinus: output.append(digits.isNegative ? 0x2D : 0x2B)
      case .ordinal(let isUpper): writeOrdinal(isUpper)
      case .character(let bytes): for byte in bytes { output.append(byte) }
      case .sign, .roman, .nothing: break
      }
    }

    /// Something in its place, or a blank that `FM` leaves out.
    private mutating func append(_ byte: UInt8, if isShown: Bool) {
      if isShown { output.append(byte) } else if !picture.isFill { output.append(0x20) }
    }

    private mutating func writeOrdinal(_ isUpper: Bool) {
      guard digits.text.first != 0x23, !digits.isNegative, !picture.hasPoint else { return }
      let last = digits.text.last ?? 0x30
      let isTeen = digits.text.count > 1 && digits.text[digits.text.count - 2] == 0x31
      let ending =
        isTeen ? "th" : last == 0x31 ? "st" : last == 0x32 ? "nd" : last == 0x33 ? "rd" : "th"
      output.append(isUpper ? ending.uppercased() : ending)
    }

    private var next: UInt8? { index < digits.text.count ? digits.text[index] : nil }

    /// Whether the next digit is the zero of `0.5`, which is not shown.
    private var isZeroBeforePoint: Bool {
      !picture.hasZero && index == 0 && digits.text.first == 0x30 && picture.behind != 0
    }

    /// Whether the point is the last that is relevant.
    private var endsAtPoint: Bool {
      lastRelevant.map { $0 < digits.text.count && digits.text[$0] == 0x2E } ?? false
    }

    private mutating func writeSign() {
      let isStart =
        place >= digits.leadingPlaces || (picture.hasZero && picture.zeroStart == place)
      guard !isSignWritten, isStart, !isZeroBeforePoint || endsAtPoint else { return }
      if picture.hasSign {
        guard picture.signPlace == .before else { return }
        output.append(digits.isNegative ? 0x2D : 0x2B)
      } else if picture.hasBrackets {
        output.append(digits.isNegative ? 0x3C : 0x20)
      } else if digits.isNegative {
        output.append(0x2D)
      } else if !picture.isFill {
        output.append(0x20)
      }
      isSignWritten = true
    }

    private mutating func writePlace(isZero: Bool) {
      isInside = false
      writeSign()
      let isLeading = place < digits.leadingPlaces
      if isLeading && (picture.zeroStart > place || !picture.hasZero) {
        if !picture.isFill { output.append(0x20) }
      } else if isLeading {
        output.append(0x30)
        isInside = true
      } else {
        writeDigit(isZero: isZero)
        if isEnded { return }
        index += 1
      }
      var end =
        lastPlace + (digits.leadingPlaces > 0 ? 1 : 0) + (picture.hasPoint ? 1 : 0)
      if let lastRelevant, lastRelevant == index { end = place }
      if place + 1 == end { writeEnd() }
      place += 1
    }

    private mutating func writeDigit(isZero: Bool) {
      if next == 0x2E {
        if !endsAtPoint || picture.isFill { output.append(0x2E) }
      } else if let lastRelevant, index > lastRelevant, !isZero {
        return
      } else if isZeroBeforePoint {
        if !picture.isFill {
          output.append(0x20)
        } else if endsAtPoint {
          output.append(0x30)
        }
      } else if let digit = next {
        output.append(digit)
        isInside = true
      } else {
        isEnded = true
      }
    }

    /// What stands behind the number: a bracket, or the sign.
    private mutating func writeEnd() {
      if isSignWritten && picture.hasBrackets {
        output.append(digits.isNegative ? 0x3E : 0x20)
      } else if picture.hasSign && picture.signPlace == .behind {
        output.append(digits.isNegative ? 0x2D : 0x2B)
      }
    }
  }
}
