/// Whole numbers that lie near each other, a bit for each.
///
/// One thread at a time uses a bitmap.
final class NumberBitmap {
  /// The number of the first bit, a multiple of 64.
  private var base: Int64 = 0
  private var words = Buffer<UInt64>(uninitialized: 0)
  /// How many numbers are in it.
  private(set) var count = 0

  /// No bitmap is made for numbers that span more: its 32 MB would be slower to clear than a table to fill.
  static let spanMax: Int64 = 1 << 28

  var byteCount: Int { words.count * 8 }

  var wordCount: Int { words.count }

  /// Makes room for all numbers from `least` to `greatest`, if the span does not exceed `limit`.
  func cover(_ least: Int64, _ greatest: Int64, limit: Int64) -> Bool {
    let end = base &+ Int64(words.count) &* 64
    if words.count > 0 && least >= base && greatest < end { return true }
    let lower = words.count > 0 ? min(least, base) : least
    let upper = words.count > 0 ? max(greatest, end - 1) : greatest
    let (span, overflow) = upper.subtractingReportingOverflow(lower)
    let isMiddling = lower > Int64.min / 2 && upper < Int64.max / 2
    if overflow || span >= min(limit, Self.spanMax) || !isMiddling { return false }
    // Room on both sides in proportion, so that rising numbers seldom move the words.
    let room = words.count > 0 ? span / 2 : span / 16
    let newBase = (words.count > 0 && lower < base ? lower - room : lower) & ~63
    let newEnd = upper + room
    let wordCount = Int((newEnd - newBase) >> 6) + 1
    let grown = Buffer<UInt64>(zeroed: wordCount)
    grown.copy(words, count: words.count, to: Int((base - newBase) >> 6) * bit(words.count > 0))
    words = grown
    base = newBase
    return true
  }

  /// Adds the numbers, and writes the rows whose number was not there into `fresh`; says how many.
  ///
  /// - Precondition: `cover` was asked for all of them.
  /// - Complexity: O(*n*).
  func insert<Element: FixedWidthInteger & BitwiseCopyable>(
    _ numbers: Buffer<Element>, count rows: Int, fresh: Buffer<UInt32>
  ) -> Int {
    let words = words
    let base = base
    var found = 0
    for row in 0..<rows {
      let place = UInt64(bitPattern: Int64(truncatingIfNeeded: numbers[row]) &- base)
      let index = Int(truncatingIfNeeded: place &>> 6)
      let mask: UInt64 = 1 &<< (place & 63)
      let old = words[index]
      fresh[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(old & mask == 0)
      words[index] = old | mask
    }
    count &+= found
    return found
  }

  /// Writes the rows whose number is there, or is not, and says how many; NULL is not there.
  ///
  /// - Complexity: O(*n*).
  func rows<Element: FixedWidthInteger & BitwiseCopyable>(
    of numbers: Buffer<Element>, _ validity: ValidityMask, _ rows: Int, in wanted: Bool,
    _ kept: Buffer<UInt32>
  ) -> Int {
    let words = words
    let base = base
    let room = UInt64(words.count) &* 64
    let flip: UInt64 = wanted ? 0 : 1
    var found = 0
    for row in 0..<rows {
      let place = UInt64(bitPattern: Int64(truncatingIfNeeded: numbers[row]) &- base)
      var isThere: UInt64 = 0
      if place < room {
        isThere = words[Int(truncatingIfNeeded: place &>> 6)] &>> (place & 63) & 1
      }
      if !validity.isAllValid && !validity.isValid(row) { isThere = 0 }
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= Int(truncatingIfNeeded: isThere ^ flip)
    }
    return found
  }

  /// Adds the numbers of another bitmap; the caller has asked `cover` for its bounds.
  func formUnion(_ other: NumberBitmap) {
    guard other.count > 0 else { return }
    let offset = Int((other.base - base) >> 6)
    var added = 0
    for index in 0..<other.words.count {
      let more = other.words[index]
      if more == 0 { continue }
      let old = words[offset &+ index]
      added &+= (more & ~old).nonzeroBitCount
      words[offset &+ index] = old | more
    }
    count &+= added
  }

  /// The least and greatest number; nil for none.
  var bounds: ClosedRange<Int64>? {
    var first = 0
    while first < words.count && words[first] == 0 { first &+= 1 }
    guard first < words.count else { return nil }
    var last = words.count &- 1
    while words[last] == 0 { last &-= 1 }
    let low = base + Int64(first * 64 + words[first].trailingZeroBitCount)
    return low...(base + Int64(last * 64 + 63 - words[last].leadingZeroBitCount))
  }

  /// Writes the numbers of some words in rising order, at most `limit` of them, and takes off the words that are done.
  func numbers<Element: FixedWidthInteger & BitwiseCopyable>(
    in rest: inout Range<Int>, into target: Buffer<Element>, limit: Int
  ) -> Int {
    let (words, base) = (words, base)
    var found = 0
    var place = rest.lowerBound
    while place < rest.upperBound && found &+ 64 <= limit {
      var word = words[place]
      let start = base &+ Int64(truncatingIfNeeded: place &* 64)
      while word != 0 {
        target[found] = Element(
          truncatingIfNeeded: start &+ Int64(truncatingIfNeeded: word.trailingZeroBitCount))
        found &+= 1
        word &= word &- 1
      }
      place &+= 1
    }
    rest = place..<rest.upperBound
    return found
  }
}
