import Diagnostics

/// A picture of a number, such as `FM999,990.00`.
struct NumberPicture {
  /// What stands at a place of the picture.
  enum Piece {
    case digit(isZero: Bool), point, comma, group, currency
    case sign, minus, plus, plusMinus, ordinal(isUpper: Bool), roman(isUpper: Bool)
    /// What only says how the others are meant.
    case nothing
    /// A character that stands for itself.
    case character([UInt8])
  }

  /// Where the sign `S` stands.
  enum SignPlace { case nowhere, before, behind }

  var pieces: [Piece] = []
  /// Digit places before and behind the point, and places by which `V` shifts it.
  var before = 0
  var behind = 0
  var shift = 0
  /// The place of the first zero, counted from 1, and of the last.
  var zeroStart = 0
  var zeroEnd = 0
  var signPlace = SignPlace.nowhere
  /// The places before the sign.
  var placesBeforeSign = 0
  var isFill = false
  var hasPoint = false
  var hasZero = false
  var hasSign = false
  var hasBrackets = false
  var hasMinus = false
  var hasPlus = false
  var isBlank = false
  var isRoman = false
  var isShifted = false
  var isExponent = false

  /// Keywords, longer ones first; each is written in capitals or in small letters throughout.
  private static let keywords: [String] = [
    "EEEE", "FM", "MI", "PL", "PR", "RN", "SG", "SP", "TH", ",", ".", "0", "9", "B", "C", "D", "G",
    "L", "S", "V",
  ]

  /// - Throws: 42601.
  init(_ picture: TextBytes) throws(SQLError) {
    let bytes = picture.array
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      let word = Self.keywords.first {
        rest.starts(with: $0.utf8) || rest.starts(with: $0.lowercased().utf8)
      }
      if let word {
        try add(word, isUpper: bytes[index] &- 97 >= 26)
        index += word.utf8.count
      } else if bytes[index] == 0x22 {
        addQuoted(bytes, &index)
      } else {
        if bytes[index] == 0x5C, index + 1 < bytes.count, bytes[index + 1] == 0x22 { index += 1 }
        addCharacter(bytes, &index)
      }
    }
  }

  private mutating func addQuoted(_ bytes: [UInt8], _ index: inout Int) {
    index += 1
    while index < bytes.count {
      if bytes[index] == 0x22 {
        index += 1
        return
      }
      if bytes[index] == 0x5C && index + 1 < bytes.count { index += 1 }
      addCharacter(bytes, &index)
    }
  }

  private mutating func addCharacter(_ bytes: [UInt8], _ index: inout Int) {
    let end = min(bytes.count, index + TextBytes.sequenceLength(bytes[index]))
    pieces.append(.character(Array(bytes[index..<end])))
    index = end
  }

  private static func wrong(_ message: String) -> SQLError { SQLError(.syntaxError, message) }

  private mutating func add(_ word: String, isUpper: Bool) throws(SQLError) {
    if isExponent && word != "EEEE" {
      throw Self.wrong("\"EEEE\" must be the last pattern used")
    }
    switch word {
    case "9", "0": try addDigit(isZero: word == "0")
    case ".", "D": try addPoint()
    case ",": pieces.append(.comma)
    case "G": pieces.append(.group)
    case "L": pieces.append(.currency)
    case "TH": pieces.append(.ordinal(isUpper: isUpper))
    case "RN":
      isRoman = true
      pieces.append(.roman(isUpper: isUpper))
    case "S", "MI", "PL", "SG", "PR": try addSign(word)
    case "V":
      if hasPoint { throw Self.wrong("cannot use \"V\" and decimal point together") }
      isShifted = true
      pieces.append(.nothing)
    case "EEEE":
      if isExponent { throw Self.wrong("cannot use \"EEEE\" twice") }
      if isBlank || isFill || hasSign || hasBrackets || hasMinus || hasPlus || isRoman || isShifted
      {
        throw SQLError(
          .syntaxError, "\"EEEE\" is incompatible with other formats",
          detail: "\"EEEE\" may only be used together with digit and decimal point patterns.")
      }
      isExponent = true
      pieces.append(.nothing)
    case "FM":
      isFill = true
      pieces.append(.nothing)
    case "B":
      if before == 0 && behind == 0 && !hasZero { isBlank = true }
      pieces.append(.nothing)
    default: pieces.append(.nothing)
    }
  }

  private mutating func addDigit(isZero: Bool) throws(SQLError) {
    if hasBrackets { throw Self.wrong("\"\(isZero ? "0" : "9")\" must be ahead of \"PR\"") }
    pieces.append(.digit(isZero: isZero))
    if isZero && !hasZero && !hasPoint {
      hasZero = true
      zeroStart = before + 1
    }
    if !isZero && isShifted {
      shift += 1
    } else if hasPoint {
      behind += 1
    } else {
      before += 1
    }
    if isZero { zeroEnd = before + behind }
  }

  private mutating func addPoint() throws(SQLError) {
    if hasPoint { throw Self.wrong("multiple decimal points") }
    if isShifted { throw Self.wrong("cannot use \"V\" and decimal point together") }
    hasPoint = true
    pieces.append(.point)
  }

  private mutating func addSign(_ word: String) throws(SQLError) {
    if word == "S" {
      if hasSign { throw Self.wrong("cannot use \"S\" twice") }
      if hasPlus || hasMinus || hasBrackets {
        throw Self.wrong("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together")
      }
      pieces.append(.sign)
      hasSign = true
      signPlace = hasPoint ? .behind : .before
      if !hasPoint { placesBeforeSign = before }
      return
    }
    if word == "PR" {
      if hasSign || hasPlus || hasMinus {
        throw Self.wrong("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together")
      }
      hasBrackets = true
      pieces.append(.nothing)
      return
    }
    if hasSign { throw Self.wrong("cannot use \"S\" and \"\(word)\" together") }
    switch word {
    case "MI":
      hasMinus = true
      pieces.append(.minus)
    case "PL":
      hasPlus = true
      pieces.append(.plus)
    default:
      (hasMinus, hasPlus) = (true, true)
      pieces.append(.plusMinus)
    }
  }
}
