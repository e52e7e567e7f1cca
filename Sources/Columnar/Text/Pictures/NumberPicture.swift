import Diagnostics

/// A picture of a number, such as `FM999,990.00`.
struct NumberPicture {
  private enum Piece {
    case digit(isZero: Bool), point, group, literal([UInt8])
    case sign, minus, plus, plusMinus, currency
  }
  private var pieces: [Piece] = []
  private var isFill = false
  private var hasBrackets = false
  private var ordinal: Bool?
  private var isRoman = false
  private var isExponent = false
  /// Digit places before and behind the point.
  private var before = 0
  private(set) var behind = 0
  private var shift = 0

  /// - Throws: 42601.
  init(_ picture: TextBytes) throws(SQLError) {
    let bytes = picture.array
    let upper = bytes.map { $0 &- 0x61 < 26 ? $0 ^ 0x20 : $0 }
    var index = 0
    var isPast = false
    var isShifted = false
    func starts(_ text: String) -> Bool { upper[index...].starts(with: Array(text.utf8)) }
    while index < bytes.count {
      switch upper[index] {
      case 0x39, 0x30:
        pieces.append(.digit(isZero: upper[index] == 0x30))
        if isPast { behind += 1 } else { before += 1 }
        if isShifted { shift += 1 }
        index += 1
      case 0x2E, 0x44:
        if isPast {
          throw SQLError(.syntaxError, "multiple decimal points")
        }
        isPast = true
        pieces.append(.point)
        index += 1
      case 0x2C, 0x47:
        pieces.append(.group)
        index += 1
      case 0x56:
        isShifted = true
        index += 1
      case 0x24, 0x4C:
        pieces.append(.currency)
        index += 1
      case 0x22:
        let end = bytes[(index + 1)...].firstIndex(of: 0x22) ?? bytes.count
        pieces.append(.literal(Array(bytes[(index + 1)..<end])))
        index = min(bytes.count, end + 1)
      default:
        if starts("FM") {
          isFill = true
          index += 2
        } else if starts("MI") {
          pieces.append(.minus)
          index += 2
        } else if starts("PL") {
          pieces.append(.plus)
          index += 2
        } else if starts("SG") {
          pieces.append(.plusMinus)
          index += 2
        } else if starts("PR") {
          hasBrackets = true
          index += 2
        } else if starts("TH") {
          ordinal = bytes[index] == 0x54
          index += 2
        } else if starts("RN") {
          isRoman = true
          index += 2
        } else if starts("EEEE") {
          isExponent = true
          index += 4
        } else if upper[index] == 0x53 {
          pieces.append(.sign)
          index += 1
        } else {
          pieces.append(.literal([bytes[index]]))
          index += 1
        }
      }
    }
    if isExponent { throw SQLError.unsupported("\"EEEE\" in a picture of a number") }
  }

  /// Adds a number as the picture shows it.
  ///
  /// - Throws: 22003.
  func append(_ value: Numeric, to output: inout ByteBuilder) throws(SQLError) {
    if isRoman {
      appendRoman(value, &output)
      return
    }
    guard value.kind == .finite else {
      output.append(repeating: 0x23, count: before + behind + 1)
      return
    }
    var scaled = value
    if shift > 0 {
      scaled = try Numeric.multiply(
        value, Numeric(coefficient: DecimalPowers.table[min(shift, 38)], scale: 0))
    }
    let rounded = try Numeric.round(scaled, places: behind)
    let isNegative = rounded.coefficient < 0
    // The coefficient's digits, padded so that there is at least the fraction.
    var digits = Array(String(rounded.coefficient.magnitude).utf8)
    while digits.count <= Int(rounded.scale) { digits.insert(0x30, at: 0) }
    let fraction = Array(digits.suffix(Int(rounded.scale)))
    var whole = Array(digits.dropLast(Int(rounded.scale)))
    // A zero before the point is left out where a fraction follows, or where it has no place.
    if whole == [0x30], before == 0 || showsFraction(fraction) { whole = [] }
    let isTooWide = whole.count > before
    write(
      isTooWide ? nil : whole, isTooWide ? [] : fraction, isNegative, value: rounded, &output)
  }

  /// Whether the sign has a place of its own in the picture.
  private var placesSign: Bool {
    pieces.contains {
      switch $0 {
      case .sign, .minus, .plus, .plusMinus: true
      default: false
      }
    }
  }

  /// A number being written, place by place.
  private struct Writer {
    let picture: NumberPicture
    /// The digits before the point; nil where they are too many, which shows as `#`.
    let whole: [UInt8]?
    let fraction: [UInt8]
    let isNegative: Bool
    /// The place of the first digit, and the first place that shows one.
    let firstDigit: Int
    let start: Int
    var body = ByteBuilder()
    var place = 0
    var fractionPlace = 0
    var isPast = false
    var isSignWritten: Bool

    /// Something in its place, or a blank that `FM` leaves out.
    mutating func append(_ byte: UInt8, if isShown: Bool) {
      if isShown { body.append(byte) } else if !picture.isFill { body.append(0x20) }
    }

    mutating func writeSign() {
      if isSignWritten { return }
      isSignWritten = true
      append(picture.hasBrackets ? 0x3C : 0x2D, if: isNegative)
    }

    mutating func writeWholeDigit() {
      if place >= start {
        writeSign()
        if place < firstDigit {
          body.append(0x30)
        } else {
          body.append(whole?[place - firstDigit] ?? 0x23)
        }
      } else if !picture.isFill {
        body.append(0x20)
      }
      place += 1
    }

    mutating func writeFractionDigit(isZero: Bool, shown: Int) {
      if whole == nil {
        body.append(0x23)
      } else if !picture.isFill || isZero || fractionPlace < shown {
        body.append(fractionPlace < fraction.count ? fraction[fractionPlace] : 0x30)
      }
      fractionPlace += 1
    }
  }

  /// The first place before the point for which the picture asks a zero.
  private var firstZero: Int {
    var seen = 0
    for piece in pieces {
      switch piece {
      case .point: return before
      case .digit(let isZero):
        if isZero { return seen }
        seen += 1
      default: break
      }
    }
    return before
  }

  private func write(
    _ whole: [UInt8]?, _ fraction: [UInt8], _ isNegative: Bool, value: Numeric,
    _ output: inout ByteBuilder
  ) {
    let firstDigit = before - (whole?.count ?? before)
    let shown = lastShownFraction(fraction)
    let sign: UInt8 = isNegative ? 0x2D : 0x2B
    var writer = Writer(
      picture: self, whole: whole, fraction: fraction, isNegative: isNegative,
      firstDigit: firstDigit, start: min(firstDigit, firstZero),
      isSignWritten: placesSign && !hasBrackets)
    for (index, piece) in pieces.enumerated() {
      switch piece {
      case .digit where !writer.isPast: writer.writeWholeDigit()
      case .digit(let isZero): writer.writeFractionDigit(isZero: isZero, shown: shown)
      case .point:
        if writer.start >= before { writer.writeSign() }
        writer.isPast = true
        writer.body.append(0x2E)
      case .group: writer.append(0x2C, if: writer.isPast || writer.place > writer.start)
      // In front, the sign stands right before the number, which is seen to at the end.
      case .sign: writer.body.append(index > 0 ? sign : isNegative ? 0x01 : 0x02)
      case .minus: writer.append(0x2D, if: isNegative)
      case .plus: writer.append(0x2B, if: !isNegative)
      case .plusMinus: writer.body.append(sign)
      case .currency: writer.append(0x24, if: isFill)
      case .literal(let bytes):
        for byte in bytes { writer.body.append(byte) }
      }
    }
    writer.writeSign()
    if hasBrackets { writer.append(0x3E, if: isNegative) }
    let finished = settled(writer.body)
    output.append(finished.bytes)
    withExtendedLifetime(finished.buffer) {}
    appendOrdinal(value, isNegative, &output)
  }

  /// Moves the mark of a leading sign behind the blanks that follow it.
  private func settled(_ body: ByteBuilder) -> ByteBuilder {
    let bytes = body.bytes
    guard bytes.count > 0, bytes[0] == 1 || bytes[0] == 2 else { return body }
    var result = ByteBuilder()
    var index = 1
    while index < bytes.count && bytes[index] == 0x20 {
      result.append(0x20)
      index += 1
    }
    result.append(bytes[0] == 1 ? 0x2D : 0x2B)
    result.append(bytes.slice(index..<bytes.count))
    return result
  }

  /// Whether digits of the fraction are written.
  private func showsFraction(_ fraction: [UInt8]) -> Bool {
    guard behind > 0 else { return false }
    if !isFill || lastShownFraction(fraction) > 0 { return true }
    var isPast = false
    for piece in pieces {
      if case .point = piece { isPast = true }
      if case .digit(isZero: true) = piece, isPast { return true }
    }
    return false
  }

  /// How many digits of the fraction are needed under `FM`.
  private func lastShownFraction(_ fraction: [UInt8]) -> Int {
    var count = fraction.count
    while count > 0 && fraction[count - 1] == 0x30 { count -= 1 }
    return count
  }

  private func appendOrdinal(_ value: Numeric, _ isNegative: Bool, _ output: inout ByteBuilder) {
    guard let isUpper = ordinal, !isNegative, behind == 0 else { return }
    let number = value.coefficient
    let isTeen = number / 10 % 10 == 1
    let last = number % 10
    let ending = isTeen ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th"
    output.append(isUpper ? ending.uppercased() : ending)
  }

  private func appendRoman(_ value: Numeric, _ output: inout ByteBuilder) {
    var text = "###############"
    if let number = try? value.int32(), number > 0, number < 4000 {
      text = ""
      var rest = Int(number)
      let steps: [(Int, String)] = [
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
        (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
      ]
      for (size, letters) in steps {
        while rest >= size {
          text += letters
          rest -= size
        }
      }
    }
    if !isFill { output.append(repeating: 0x20, count: max(0, 15 - text.utf8.count)) }
    output.append(text)
  }
}
