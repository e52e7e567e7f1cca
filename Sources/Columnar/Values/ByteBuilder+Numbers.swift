/// The two digits of each number below 100, one pair after another.
private let digitPairs: [UInt8] = [
  48, 48, 48, 49, 48, 50, 48, 51, 48, 52, 48, 53, 48, 54, 48, 55, 48, 56, 48, 57,
  49, 48, 49, 49, 49, 50, 49, 51, 49, 52, 49, 53, 49, 54, 49, 55, 49, 56, 49, 57,
  50, 48, 50, 49, 50, 50, 50, 51, 50, 52, 50, 53, 50, 54, 50, 55, 50, 56, 50, 57,
  51, 48, 51, 49, 51, 50, 51, 51, 51, 52, 51, 53, 51, 54, 51, 55, 51, 56, 51, 57,
  52, 48, 52, 49, 52, 50, 52, 51, 52, 52, 52, 53, 52, 54, 52, 55, 52, 56, 52, 57,
  53, 48, 53, 49, 53, 50, 53, 51, 53, 52, 53, 53, 53, 54, 53, 55, 53, 56, 53, 57,
  54, 48, 54, 49, 54, 50, 54, 51, 54, 52, 54, 53, 54, 54, 54, 55, 54, 56, 54, 57,
  55, 48, 55, 49, 55, 50, 55, 51, 55, 52, 55, 53, 55, 54, 55, 55, 55, 56, 55, 57,
  56, 48, 56, 49, 56, 50, 56, 51, 56, 52, 56, 53, 56, 54, 56, 55, 56, 56, 56, 57,
  57, 48, 57, 49, 57, 50, 57, 51, 57, 52, 57, 53, 57, 54, 57, 55, 57, 56, 57, 57,
]

/// How many decimal digits a 64-bit number has; 1 for 0.
@inline(__always)
func decimalDigitCount64(_ value: UInt64) -> Int {
  let bits = 64 &- value.leadingZeroBitCount
  let estimate = (bits &* 1233) &>> 12
  if estimate >= 20 { return 20 }
  return value >= powersOfTen[estimate] ? estimate &+ 1 : max(estimate, 1)
}

extension ByteBuilder {
  /// Adds a whole number in decimal digits.
  ///
  /// - Complexity: O(digits), two digits a step.
  package mutating func append(integer value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(digits: value.magnitude)
  }

  /// Adds a number without sign in decimal digits.
  package mutating func append(digits value: UInt64) {
    append(digits: value, width: decimalDigitCount64(value))
  }

  /// Adds the last `width` decimal digits of a number, with leading zeros.
  package mutating func append(digits value: UInt64, width: Int) {
    reserve(width)
    let target = buffer
    var rest = value
    var position = count &+ width
    while position &- count >= 2 {
      let pair = Int(truncatingIfNeeded: rest % 100) &* 2
      rest /= 100
      position &-= 2
      target[position] = digitPairs[pair]
      target[position &+ 1] = digitPairs[pair &+ 1]
    }
    if position > count { target[count] = UInt8(truncatingIfNeeded: 48 &+ rest % 10) }
    advance(by: width)
  }

  /// Adds a wide number without sign in decimal digits.
  mutating func append(digits value: UInt128) {
    if value >> 64 == 0 {
      append(digits: UInt64(truncatingIfNeeded: value))
    } else {
      append(digits: value, width: decimalDigitCount(value))
    }
  }

  /// Adds the last `width` decimal digits of a wide number, with leading zeros.
  mutating func append(digits value: UInt128, width: Int) {
    if width <= 19 {
      append(digits: UInt64(truncatingIfNeeded: value % powerOfTen(19)), width: width)
      return
    }
    let (upper, lower) = value.quotientAndRemainder(dividingBy: powerOfTen(19))
    append(digits: upper, width: width - 19)
    append(digits: UInt64(truncatingIfNeeded: lower), width: 19)
  }

  /// Adds `length` copies of a byte.
  package mutating func append(repeating byte: UInt8, count length: Int) {
    guard length > 0 else { return }
    reserve(length)
    buffer.fill(count..<(count + length), with: byte)
    advance(by: length)
  }

  /// Adds bytes `times` times: what has been added is doubled, so that short texts too are copied in long pieces.
  package mutating func append(_ text: TextBytes, times: Int) {
    guard times > 0, text.count > 0 else { return }
    reserve(text.count &* times)
    let start = count
    let end = start &+ text.count &* times
    append(text)
    while count < end {
      append(buffer.bytes(start..<(start &+ min(count &- start, end &- count))))
    }
  }

  /// What has been put together, as an array; for edges.
  package var array: [UInt8] { bytes.array }

  /// What has been put together, as a String; for edges.
  package var string: String { bytes.string }
}

extension TextHeap {
  /// A view of a copy of what a builder has put together.
  package func append(_ builder: ByteBuilder) -> TextView {
    append(builder.buffer, count: builder.count)
  }
}

extension Buffer where Element == UInt8 {
  /// Writes a number without sign in decimal digits from `index` on, and says how many there are.
  ///
  /// - Precondition: there is room for 24 bytes, all of which may be written to.
  /// - Complexity: O(1) for numbers of up to eight digits.
  @inline(__always)
  func write(digits value: UInt64, at index: Int) -> Int {
    let width = decimalDigitCount64(value)
    if width <= 8 {
      let digits = eightDecimalDigits(value)
      store(word: digits &>> UInt64(truncatingIfNeeded: 8 &* (8 &- width)), at: index)
      return width
    }
    var rest = value
    var position = index &+ width
    while position &- index >= 2 {
      let pair = Int(truncatingIfNeeded: rest % 100) &* 2
      rest /= 100
      position &-= 2
      self[position] = digitPairs[pair]
      self[position &+ 1] = digitPairs[pair &+ 1]
    }
    if position > index { self[index] = UInt8(truncatingIfNeeded: 48 &+ rest % 10) }
    return width
  }
}

/// The eight decimal digits of a number below 10^8, the first one in the lowest byte: halves are divided by 100 and
/// then by 10 side by side, in the lanes of one word.
@inline(__always)
private func eightDecimalDigits(_ value: UInt64) -> UInt64 {
  let high = value / 10_000
  let fours = high | (value &- high &* 10_000) &<< 32
  let hundreds = (fours &* 10_486) &>> 20 & 0x7F_0000_007F
  let twos = hundreds | (fours &- hundreds &* 100) &<< 16
  let tens = (twos &* 103) &>> 10 & 0x000F_000F_000F_000F
  return (tens | (twos &- tens &* 10) &<< 8) | 0x3030_3030_3030_3030
}
