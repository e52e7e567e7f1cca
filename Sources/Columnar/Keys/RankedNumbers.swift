package import Diagnostics

/// Different whole numbers that stand close enough together to be bits by their distance from the least; each has the
/// number of those before it for a number of its own.
///
/// A look-up takes no hash, touches two words, and in the order of the numbers goes through memory in order.
package struct RankedNumbers: Sendable {
  private let base: Int64
  /// The bit that stands for every number out of range, and is never set.
  private let last: UInt64
  private let words: Buffer<UInt64>
  /// How many bits are set before each word.
  private let ranks: Buffer<UInt32>
  /// How many numbers there are.
  package let count: Int

  /// There may be as many bits in all, and for each number.
  private static let bitMax = 1 << 26
  private static let bitsPerNumber = 256

  /// The numbers of a flat vector without NULLs; nil where there are none, or they stand too far apart.
  ///
  /// - Complexity: O(*n*).
  /// - Throws: 57014, 53200.
  package init?(_ numbers: Vector, count: Int) throws(SQLError) {
    guard count > 0 else { return nil }
    switch numbers.type.physical {
    case .int16: try self.init(numbers.values(Int16.self), count)
    case .int32: try self.init(numbers.values(Int32.self), count)
    case .int64: try self.init(numbers.values(Int64.self), count)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  private init?<Element: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ count: Int
  ) throws(SQLError) {
    var (least, greatest) = (values[0], values[0])
    try (0..<count).inSlices { slice in
      for row in slice {
        least = min(least, values[row])
        greatest = max(greatest, values[row])
      }
    }
    let base = Int64(least)
    let (span, overflow) = Int64(greatest).subtractingReportingOverflow(base)
    let bits = min(Self.bitMax, count &* Self.bitsPerNumber)
    guard !overflow, span < Int64(bits) else { return nil }
    self.base = base
    last = UInt64(bitPattern: span) &+ 1
    let wordCount = Int(truncatingIfNeeded: last &>> 6) &+ 1
    let words = try Buffer<UInt64>(zeroedInSlices: wordCount)
    try (0..<count).inSlices { slice in
      for row in slice {
        let place = UInt64(bitPattern: Int64(values[row]) &- base)
        words[Int(truncatingIfNeeded: place &>> 6)] |= 1 &<< (place & 63)
      }
    }
    let ranks = try Buffer<UInt32>(uninitializedInSlices: wordCount)
    var total = 0
    try (0..<wordCount).inSlices { slice in
      for word in slice {
        ranks[word] = UInt32(truncatingIfNeeded: total)
        total &+= words[word].nonzeroBitCount
      }
    }
    self.words = words
    self.ranks = ranks
    self.count = total
  }

  /// The memory held.
  package var byteCount: Int { words.count * 8 + ranks.count * 4 }

  /// The number of each value of a flat vector; the greatest there is where the value is not among the numbers.
  ///
  /// NULLs have any number.
  ///
  /// - Complexity: O(*n*).
  /// - Throws: 57014, 53200.
  package func numbers(of values: Vector, count: Int) throws(SQLError) -> Buffer<UInt32> {
    let numbers = try Buffer<UInt32>(uninitializedInSlices: max(count, 1))
    switch values.type.physical {
    case .int16: try number(values.values(Int16.self), count, into: numbers)
    case .int32: try number(values.values(Int32.self), count, into: numbers)
    case .int64: try number(values.values(Int64.self), count, into: numbers)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      numbers.fill(0..<count, with: .max)
    }
    return numbers
  }

  private func number<Element: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ count: Int, into numbers: Buffer<UInt32>
  ) throws(SQLError) {
    let (base, last, words, ranks) = (base, last, words, ranks)
    try (0..<count).inSlices { slice in
      for row in slice {
        let place = min(UInt64(bitPattern: Int64(values[row]) &- base), last)
        let word = Int(truncatingIfNeeded: place &>> 6)
        let bit: UInt64 = 1 &<< (place & 63)
        let before = UInt32(truncatingIfNeeded: (words[word] & (bit &- 1)).nonzeroBitCount)
        // No bit of its own makes all bits of the number.
        let isMissing = UInt32(truncatingIfNeeded: words[word] &>> (place & 63) & 1) &- 1
        numbers[row] = (ranks[word] &+ before) | isMissing
      }
    }
  }
}
