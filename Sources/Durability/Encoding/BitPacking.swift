import Columnar

/// Packs numbers of up to 32 bits one behind another, from the lowest bit of the first byte on.
///
/// Eight numbers of *w* bits take just *w* bytes. So a group of eight does not depend on the one before it, and each
/// width has code of its own in which all shifts are by constants.
enum BitPacking {
  /// The most bits of a number.
  static let widthLimit = 32
  /// What may be written behind the last number.
  static let slack = 16

  /// Packs the first `count` numbers, each below 2 to the power of `width`, from byte `place` on.
  ///
  /// - Precondition: the target has room for them and `slack` bytes more.
  /// - Complexity: O(*n*), about a third of a nanosecond each.
  static func pack(
    _ numbers: Buffer<UInt32>, count: Int, width: Int, to target: Buffer<UInt8>, at place: Int
  ) {
    precondition(
      count >= 0 && count <= numbers.count && width >= 0 && width <= widthLimit && place >= 0
        && place + (count * width + 7) / 8 + slack <= target.count,
      "packed numbers must fit")
    let groups = count >> 3
    switch width {
    case 0: return
    case 1: eights(numbers, groups, 1, target, place)
    case 2: eights(numbers, groups, 2, target, place)
    case 3: eights(numbers, groups, 3, target, place)
    case 4: eights(numbers, groups, 4, target, place)
    case 5: eights(numbers, groups, 5, target, place)
    case 6: eights(numbers, groups, 6, target, place)
    case 7: eights(numbers, groups, 7, target, place)
    case 8: eights(numbers, groups, 8, target, place)
    case 9: fours(numbers, groups, 9, target, place)
    case 10: fours(numbers, groups, 10, target, place)
    case 11: fours(numbers, groups, 11, target, place)
    case 12: fours(numbers, groups, 12, target, place)
    case 13: fours(numbers, groups, 13, target, place)
    case 14: fours(numbers, groups, 14, target, place)
    case 15: fours(numbers, groups, 15, target, place)
    case 16: fours(numbers, groups, 16, target, place)
    case 17: pairs(numbers, groups, 17, target, place)
    case 18: pairs(numbers, groups, 18, target, place)
    case 19: pairs(numbers, groups, 19, target, place)
    case 20: pairs(numbers, groups, 20, target, place)
    case 21: pairs(numbers, groups, 21, target, place)
    case 22: pairs(numbers, groups, 22, target, place)
    case 23: pairs(numbers, groups, 23, target, place)
    case 24: pairs(numbers, groups, 24, target, place)
    default: return rest(numbers, 0..<count, width, target, place)
    }
    rest(numbers, (groups << 3)..<count, width, target, place + groups * width)
  }

  @inline(__always)
  private static func number(_ numbers: Buffer<UInt32>, _ index: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: numbers[index])
  }

  /// Two numbers behind each other.
  @inline(__always)
  private static func pair(_ numbers: Buffer<UInt32>, _ index: Int, _ width: UInt64) -> UInt64 {
    number(numbers, index) | number(numbers, index &+ 1) &<< width
  }

  /// Four numbers behind each other, of up to 16 bits.
  @inline(__always)
  private static func four(_ numbers: Buffer<UInt32>, _ index: Int, _ width: UInt64) -> UInt64 {
    pair(numbers, index, width) | pair(numbers, index &+ 2, width) &<< (2 &* width)
  }

  /// Groups of which each is a word.
  @inline(__always)
  private static func eights(
    _ numbers: Buffer<UInt32>, _ groups: Int, _ width: UInt64, _ target: Buffer<UInt8>,
    _ start: Int
  ) {
    var place = start
    for group in 0..<groups {
      let first = group &<< 3
      target.store(
        word: four(numbers, first, width) | four(numbers, first &+ 4, width) &<< (4 &* width),
        at: place)
      place &+= Int(truncatingIfNeeded: width)
    }
  }

  /// Groups of which each is two words, the second from within the last byte of the first where the width is odd.
  @inline(__always)
  private static func fours(
    _ numbers: Buffer<UInt32>, _ groups: Int, _ width: UInt64, _ target: Buffer<UInt8>,
    _ start: Int
  ) {
    let shift = 4 &* width & 7
    var place = start
    for group in 0..<groups {
      let first = group &<< 3
      let (low, high) = (four(numbers, first, width), four(numbers, first &+ 4, width))
      target.store(word: low, at: place)
      let carried = shift == 0 ? 0 : low &>> (4 &* width &- shift)
      target.store(
        word: high &<< shift | carried, at: place &+ Int(truncatingIfNeeded: width &>> 1))
      place &+= Int(truncatingIfNeeded: width)
    }
  }

  /// Groups of which each is four words, one from within the last byte of the one before.
  @inline(__always)
  private static func pairs(
    _ numbers: Buffer<UInt32>, _ groups: Int, _ width: UInt64, _ target: Buffer<UInt8>,
    _ start: Int
  ) {
    var place = start
    for group in 0..<groups {
      let first = group &<< 3
      var word = pair(numbers, first, width)
      target.store(word: word, at: place)
      word =
        pair(numbers, first &+ 2, width) &<< (2 &* width & 7)
        | word &>> (2 &* width & ~7)
      target.store(word: word, at: place &+ Int(truncatingIfNeeded: (2 &* width) &>> 3))
      word =
        pair(numbers, first &+ 4, width) &<< (4 &* width & 7)
        | word &>> ((4 &* width & ~7) &- (2 &* width & ~7))
      target.store(word: word, at: place &+ Int(truncatingIfNeeded: (4 &* width) &>> 3))
      word =
        pair(numbers, first &+ 6, width) &<< (6 &* width & 7)
        | word &>> ((6 &* width & ~7) &- (4 &* width & ~7))
      target.store(word: word, at: place &+ Int(truncatingIfNeeded: (6 &* width) &>> 3))
      place &+= Int(truncatingIfNeeded: width)
    }
  }

  /// Numbers of any width, one at a time: each is stored with the bits of a byte that the one before has left.
  private static func rest(
    _ numbers: Buffer<UInt32>, _ range: Range<Int>, _ width: Int, _ target: Buffer<UInt8>,
    _ start: Int
  ) {
    let width = UInt64(truncatingIfNeeded: width)
    var (word, filled): (UInt64, UInt64) = (0, 0)
    var place = start
    for index in range {
      word |= number(numbers, index) &<< filled
      target.store(word: word, at: place)
      let bits = filled &+ width
      place &+= Int(truncatingIfNeeded: bits &>> 3)
      word = word &>> (bits & ~7)
      filled = bits & 7
    }
  }
}
