package import Diagnostics

/// A set of whole numbers that may say yes too often: what one side of a join knows of its keys, so that
/// rows of the other side that cannot find a match are dropped where they are read.
///
/// Numbers that stand close enough together are bits of an array, and then the answer is exact; others set
/// two bits of a word that their hash chooses.
package struct IntegerFilter: Sendable {
  /// The least and the greatest number.
  package let range: ClosedRange<Int64>
  private let words: Buffer<UInt64>
  private let isExact: Bool
  private let seed = Hashing.seed

  /// An exact filter may take this many bits in all, whatever the number of rows.
  private static let exactBitMax = 1 << 22
  /// An exact filter may take this many bits for each row.
  private static let exactBitsPerRow = 64
  /// A filter that fits the cache may take more for each row: what is looked up often stands in the order of its numbers,
  /// and no wrong answer has to be found out further on.
  private static let cachedBitMax = 1 << 25
  private static let cachedBitsPerRow = 1024

  /// The numbers of a flat vector that are not NULL; nil if there are none, or the vector has no whole
  /// numbers.
  ///
  /// - Complexity: O(*n*).
  /// - Throws: 57014, 53200.
  package init?(_ keys: Vector, count: Int) throws(SQLError) {
    switch keys.type.physical {
    case .int16: try self.init(keys.values(Int16.self), keys.validity, count)
    case .int32: try self.init(keys.values(Int32.self), keys.validity, count)
    case .int64: try self.init(keys.values(Int64.self), keys.validity, count)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  private init?<Element: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ validity: ValidityMask, _ count: Int
  ) throws(SQLError) {
    var least = Element.max
    var greatest = Element.min
    try (0..<count).inSlices { slice in
      if validity.isAllValid {
        for row in slice {
          least = min(least, values[row])
          greatest = max(greatest, values[row])
        }
      } else {
        for row in slice where validity.isValid(row) {
          least = min(least, values[row])
          greatest = max(greatest, values[row])
        }
      }
    }
    guard least <= greatest else { return nil }
    range = Int64(least)...Int64(greatest)
    let base = Int64(least)
    let (span, overflow) = Int64(greatest).subtractingReportingOverflow(base)
    let bitMax = max(
      Self.exactBitMax, count.multipliedClamped(Self.exactBitsPerRow),
      min(Self.cachedBitMax, count.multipliedClamped(Self.cachedBitsPerRow)))
    isExact = !overflow && span < Int64(bitMax)
    if isExact {
      // One bit behind the last stands for every number out of range, and is never set.
      let bits = Buffer<UInt64>(zeroed: Int(span &+ 2) / 64 + 1)
      try (0..<count).inSlices { slice in
        for row in slice where validity.isValid(row) {
          let place = Int(truncatingIfNeeded: Int64(values[row]) &- base)
          bits[place &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: place)
        }
      }
      words = bits
    } else {
      var size = 64
      while size * 4 < count { size *= 2 }
      let bits = Buffer<UInt64>(zeroed: size)
      let seed = seed
      let mask = size &- 1
      try (0..<count).inSlices { slice in
        for row in slice where validity.isValid(row) {
          let hash = Hashing.mix(UInt64(bitPattern: Int64(values[row])), seed)
          bits[Int(truncatingIfNeeded: hash &>> 16) & mask] |= Self.mask(hash)
        }
      }
      words = bits
    }
  }

  /// The memory held.
  package var byteCount: Int { words.count * 8 }

  /// The two bits of a word that stand for a hash.
  @inline(__always)
  private static func mask(_ hash: UInt64) -> UInt64 { 1 &<< hash | 1 &<< (hash &>> 6) }

  /// Whether an answer is never wrong.
  package var isAlwaysRight: Bool { isExact }

  /// The rows of a column that may be in the set, among `candidates` if there are any; none that is NULL.
  ///
  /// The column may have any form.
  ///
  /// - Complexity: O(*n*) in the candidates.
  package func select(
    _ column: Vector, count: Int, among candidates: SelectionVector? = nil
  ) -> SelectionVector {
    if candidates == nil, let mask = mask(column, count: count) { return mask.selection }
    switch column.type.physical {
    case .int16: return select(column, column.values(Int16.self), count, candidates)
    case .int32: return select(column, column.values(Int32.self), count, candidates)
    case .int64: return select(column, column.values(Int64.self), count, candidates)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      return candidates ?? .all(count)
    }
  }

  /// The rows of a flat column that may be in the set, none that is NULL; nil for a column in another form, or without whole
  /// numbers.
  ///
  /// - Complexity: O(*n*).
  package func mask(_ column: Vector, count: Int) -> RowMask? {
    guard column.form == .flat else { return nil }
    let mask: RowMask
    switch column.type.physical {
    case .int16: mask = self.mask(column.values(Int16.self), count)
    case .int32: mask = self.mask(column.values(Int32.self), count)
    case .int64: mask = self.mask(column.values(Int64.self), count)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
    mask.keep(column.validity)
    return mask
  }

  @inline(__always)
  private func mask<Element: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ count: Int
  ) -> RowMask {
    if isExact {
      let set = ExactNumbers(self)
      return RowMask(values, count: count) { set.holds(Int64($0)) != 0 }
    }
    let set = HashedNumbers(self)
    return RowMask(values, count: count) { set.holds(Int64($0)) != 0 }
  }

  @inline(__always)
  private func select<Element: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ column: Vector, _ values: Buffer<Element>, _ count: Int, _ candidates: SelectionVector?
  ) -> SelectionVector {
    if isExact {
      let set = ExactNumbers(self)
      return Self.select(column, values, count, candidates) { set.holds($0) }
    }
    let set = HashedNumbers(self)
    return Self.select(column, values, count, candidates) { set.holds($0) }
  }

  @inline(__always)
  private static func select<Element: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ column: Vector, _ values: Buffer<Element>, _ count: Int, _ candidates: SelectionVector?,
    _ holds: (Int64) -> Int
  ) -> SelectionVector {
    let total = candidates?.count ?? count
    let kept = Buffer<UInt32>(uninitialized: max(total, 1))
    var found = 0
    let validity = column.validity
    if column.form == .flat && validity.isAllValid, let rows = candidates?.positions {
      for index in 0..<total {
        let row = rows[index]
        kept[found] = row
        found &+= holds(Int64(values[row]))
      }
      return SelectionVector(kept, count: found)
    }
    for index in 0..<total {
      let row = candidates.map { $0.positions[index] } ?? UInt32(truncatingIfNeeded: index)
      let place = column.position(Int(row))
      kept[found] = row
      found &+= holds(Int64(values[place])) & bit(validity.isValid(place))
    }
    return SelectionVector(kept, count: found)
  }

  /// A filter whose numbers are bits by their distance from the least.
  private struct ExactNumbers {
    let words: Buffer<UInt64>
    let base: Int64
    /// The bit that stands for every number out of range.
    let last: UInt64

    @inline(__always)
    init(_ filter: IntegerFilter) {
      words = filter.words
      base = filter.range.lowerBound
      last = UInt64(bitPattern: filter.range.upperBound &- base) &+ 1
    }

    /// 1 if the number is in the set.
    @inline(__always)
    func holds(_ value: Int64) -> Int {
      let place = min(UInt64(bitPattern: value &- base), last)
      let word = words[Int(truncatingIfNeeded: place &>> 6)]
      return Int(truncatingIfNeeded: word &>> (place & 63) & 1)
    }
  }

  /// A filter in which the hash of a number sets two bits of a word.
  private struct HashedNumbers {
    let words: Buffer<UInt64>
    let last: Int
    let seed: UInt64

    @inline(__always)
    init(_ filter: IntegerFilter) {
      words = filter.words
      last = filter.words.count &- 1
      seed = filter.seed
    }

    /// 1 if the number may be in the set.
    @inline(__always)
    func holds(_ value: Int64) -> Int {
      let hash = Hashing.mix(UInt64(bitPattern: value), seed)
      let missing = ~words[Int(truncatingIfNeeded: hash &>> 16) & last] & IntegerFilter.mask(hash)
      return bit(missing == 0)
    }
  }
}

extension Int {
  /// The product, or the greatest number where it does not fit.
  fileprivate func multipliedClamped(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
