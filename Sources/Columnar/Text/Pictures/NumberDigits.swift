import Diagnostics

/// A number as the digits that a picture arranges.
struct NumberDigits {
  var isNegative = false
  /// Digits, with a point where there is a fraction; `#` where the picture has too few places.
  var text: [UInt8]
  /// The places of the picture before the first digit.
  var leadingPlaces = 0

  /// The digits of a number for a picture whose places before the point are `picture.before`.
  init(_ value: Numeric, _ picture: inout NumberPicture) {
    var output = ByteBuilder()
    guard value.kind == .finite else {
      value.append(to: &output)
      self.init(text: output.array, &picture)
      return
    }
    // V moves the point to the right.
    var digits = Array(String(value.coefficient.magnitude).utf8)
    var scale = Int(value.scale) - (picture.isShifted ? picture.shift : 0)
    if scale < 0 {
      digits += [UInt8](repeating: 0x30, count: -scale)
      scale = 0
    }
    if picture.isShifted { picture.before += picture.shift }
    let isNegative = value.coefficient < 0
    self.init(
      text: Self.rounded(digits, scale: scale, places: picture.behind, isNegative: isNegative),
      &picture)
  }

  /// The digits of a floating-point number, of which `significant` can be trusted.
  init(_ value: Double, significant: Int, isSingle: Bool, _ picture: inout NumberPicture) {
    var shown = value
    if picture.isShifted {
      var factor = 1.0
      for _ in 0..<picture.shift { factor *= 10 }
      shown = isSingle ? Double(Float(Float(value) * Float(factor))) : value * factor
      picture.before += picture.shift
    }
    guard shown.isFinite else {
      let text = shown.isNaN ? "NaN" : shown < 0 ? "-Infinity" : "Infinity"
      // The word counts as that many digits.
      let length = shown.isNaN ? 3 : 8
      picture.behind = length >= significant ? 0 : min(picture.behind, significant - length)
      self.init(text: Array(text.utf8), &picture)
      return
    }
    var output = ByteBuilder()
    output.append(shown.magnitude, as: .fixed, digits: 0)
    let length = output.count
    if length >= significant {
      picture.behind = 0
    } else if length + picture.behind > significant {
      picture.behind = significant - length
    }
    output.removeAll()
    output.append(shown, as: .fixed, digits: picture.behind)
    self.init(text: output.array, &picture)
  }

  private init(text: [UInt8], _ picture: inout NumberPicture) {
    self.text = text
    if text.first == 0x2D {
      isNegative = true
      self.text.removeFirst()
    }
    let length = self.text.firstIndex(of: 0x2E) ?? self.text.count
    if length < picture.before {
      leadingPlaces = picture.before - length
    } else if length > picture.before {
      self.text =
        [UInt8](repeating: 0x23, count: picture.before) + [0x2E]
        + [UInt8](repeating: 0x23, count: picture.behind)
    }
  }

  /// The text of a number with so many places behind its point, halves rounded away from zero.
  private static func rounded(
    _ digits: [UInt8], scale: Int, places: Int, isNegative: Bool
  ) -> [UInt8] {
    var digits = digits
    if digits.count <= scale {
      digits = [UInt8](repeating: 0x30, count: scale + 1 - digits.count) + digits
    }
    if places < scale {
      let next = digits[digits.count - (scale - places)]
      digits.removeLast(scale - places)
      if next >= 0x35 { increment(&digits) }
    } else {
      digits += [UInt8](repeating: 0x30, count: places - scale)
    }
    if digits.isEmpty { digits = [0x30] }
    let isZero = digits.allSatisfy { $0 == 0x30 }
    if places > 0 { digits.insert(0x2E, at: digits.count - places) }
    return isNegative && !isZero ? [0x2D] + digits : digits
  }

  /// Adds one to the last digit.
  private static func increment(_ digits: inout [UInt8]) {
    var place = digits.count - 1
    while place >= 0 {
      if digits[place] < 0x39 {
        digits[place] += 1
        return
      }
      digits[place] = 0x30
      place -= 1
    }
    digits.insert(0x31, at: 0)
  }

  /// The number with an exponent, `-1.25e+03`, a blank in place of a plus.
  static func scientific(_ value: Numeric, places: Int, before: Int) -> [UInt8] {
    guard value.kind == .finite else { return unshown(before, places) }
    var digits = Array(String(value.coefficient.magnitude).utf8)
    var exponent = digits.count - 1 - Int(value.scale)
    if value.coefficient == 0 { exponent = 0 }
    if digits.count > places + 1 {
      let count = digits.count
      let next = digits[places + 1]
      digits.removeLast(count - places - 1)
      if next >= 0x35 { increment(&digits) }
      if digits.count > places + 1 {
        digits.removeLast()
        exponent += 1
      }
    } else {
      digits += [UInt8](repeating: 0x30, count: places + 1 - digits.count)
    }
    if places > 0 { digits.insert(0x2E, at: 1) }
    let magnitude = String(exponent.magnitude)
    let power = (exponent < 0 ? "e-" : "e+") + (magnitude.utf8.count < 2 ? "0" : "") + magnitude
    return [value.coefficient < 0 ? 0x2D : 0x20] + digits + Array(power.utf8)
  }

  /// The same of a floating-point number.
  static func scientific(_ value: Double, places: Int, before: Int) -> [UInt8] {
    guard value.isFinite else { return unshown(before, places) }
    var output = ByteBuilder()
    output.append(value, as: .scientific, digits: places)
    var text = output.array
    if text.first == 0x2B { text[0] = 0x20 }
    return text
  }

  /// What stands for numbers that have no exponent.
  private static func unshown(_ before: Int, _ places: Int) -> [UInt8] {
    var text = [UInt8](repeating: 0x23, count: before + places + 6)
    if !text.isEmpty { text[0] = 0x20 }
    if before + 1 < text.count { text[before + 1] = 0x2E }
    return text
  }

  /// A number in Roman numerals; `#` for one that has none.
  static func roman(_ number: Int32) -> [UInt8] {
    guard (1...3999).contains(number) else { return [UInt8](repeating: 0x23, count: 15) }
    let steps: [(Int, String)] = [
      (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
      (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ]
    var text: [UInt8] = []
    var rest = Int(number)
    for (size, letters) in steps {
      while rest >= size {
        text += letters.utf8
        rest -= size
      }
    }
    return text
  }
}
