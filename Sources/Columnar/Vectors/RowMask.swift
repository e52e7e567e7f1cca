/// A bit for each row of a chunk, set where the row is kept.
///
/// What conditions say of whole chunks is put together here, 64 rows at a time, before positions are made of it.
///
/// - Invariant: bits at and past `count` are clear.
package struct RowMask: Sendable {
  /// Bit *i* % 64 of word *i* / 64 belongs to row *i*.
  private let words: Buffer<UInt64>
  private let count: Int

  /// The rows for which `flags` is 1.
  ///
  /// - Precondition: `flags` has room for whole words, and holds nothing but 0 and 1 below `count`.
  private init(flags: Buffer<UInt8>, count: Int) {
    self.count = count
    let length = ValidityMask.wordCount(count)
    flags.fill(count..<(length &* 64), with: 0)
    let bytes = flags.block.buffer(of: UInt64.self)
    words = Buffer(uninitialized: max(1, length))
    for word in 0..<length {
      var bits: UInt64 = 0
      for part in 0..<8 {
        // The product has the lowest bits of all eight bytes in its highest byte.
        let packed = bytes[word &* 8 &+ part] &* 0x0102_0408_1020_4080
        bits |= (packed &>> 56) &<< UInt64(truncatingIfNeeded: part &* 8)
      }
      words[word] = bits
    }
  }

  /// The rows below `count` whose value passes a test.
  @inline(__always)
  init<Element: BitwiseCopyable>(
    _ values: Buffer<Element>, count: Int, where holds: (Element) -> Bool
  ) {
    let flags = Buffer<UInt8>(uninitialized: max(64, (count &+ 63) & ~63))
    for row in 0..<count { flags[row] = UInt8(truncatingIfNeeded: bit(holds(values[row]))) }
    self.init(flags: flags, count: count)
  }

  /// The rows below `count` whose values in two columns pass a test.
  @inline(__always)
  init<Element: BitwiseCopyable>(
    _ left: Buffer<Element>, _ right: Buffer<Element>, count: Int,
    where holds: (Element, Element) -> Bool
  ) {
    let flags = Buffer<UInt8>(uninitialized: max(64, (count &+ 63) & ~63))
    for row in 0..<count {
      flags[row] = UInt8(truncatingIfNeeded: bit(holds(left[row], right[row])))
    }
    self.init(flags: flags, count: count)
  }

  /// The rows below `count` that are there, or, with `isNull`, that are not.
  init(_ validity: ValidityMask, isNull: Bool, count: Int) {
    self.count = count
    let length = ValidityMask.wordCount(count)
    words = Buffer(repeating: isNull ? 0 : ~0, count: max(1, length))
    if let present = validity.words {
      for word in 0..<length { words[word] = isNull ? ~present[word] : present[word] }
    }
    if count & 63 != 0 { words[length &- 1] &= 1 &<< UInt64(truncatingIfNeeded: count & 63) &- 1 }
  }

  /// None of `count` rows.
  init(none count: Int) {
    self.count = count
    words = Buffer(zeroed: max(1, ValidityMask.wordCount(count)))
  }

  /// The rows for which a condition is true, neither false nor NULL.
  package init(whereTrue condition: Vector) {
    let flat = condition.flattened()
    self.init(flat.values(UInt8.self), count: condition.count) { $0 != 0 }
    keep(flat.validity)
  }

  /// The rows below `count` that a selection has.
  package init(_ rows: SelectionVector, count: Int) {
    self.count = count
    words = Buffer(zeroed: max(1, ValidityMask.wordCount(count)))
    for index in 0..<rows.count {
      let row = rows.positions[index]
      words[Int(truncatingIfNeeded: row &>> 6)] |= 1 &<< UInt64(truncatingIfNeeded: row & 63)
    }
  }

  /// Writes those of the bits from `first` on, the first of which is that of the first row, that are set and whose rows are
  /// kept.
  package func keep(
    of bits: Buffer<UInt64>, from first: Int, into kept: Buffer<UInt64>
  ) {
    for word in 0..<ValidityMask.wordCount(count) {
      kept[first &+ word] = bits[first &+ word] & words[word]
    }
  }

  /// Keeps of these rows those that `other`, a mask of the same chunk, has too.
  package func keep(_ other: RowMask) {
    for word in 0..<ValidityMask.wordCount(count) { words[word] &= other.words[word] }
  }

  /// Keeps besides these rows those that `other`, a mask of the same chunk, has.
  package func insert(_ other: RowMask) {
    for word in 0..<ValidityMask.wordCount(count) { words[word] |= other.words[word] }
  }

  /// Keeps the rows that are there.
  func keep(_ validity: ValidityMask) {
    guard let present = validity.words else { return }
    for word in 0..<ValidityMask.wordCount(count) { words[word] &= present[word] }
  }

  /// Writes a value for each row that is kept.
  package func write(_ value: UInt32, into target: Buffer<UInt32>) {
    for word in 0..<ValidityMask.wordCount(count) {
      var bits = words[word]
      let first = word &* 64
      if bits.nonzeroBitCount > 16 {
        for row in first..<min(first &+ 64, count) {
          target[row] = bits & 1 != 0 ? value : target[row]
          bits &>>= 1
        }
      } else {
        while bits != 0 {
          target[first &+ bits.trailingZeroBitCount] = value
          bits &= bits &- 1
        }
      }
    }
  }

  /// The number of rows.
  package var keptCount: Int {
    var kept = 0
    for word in 0..<ValidityMask.wordCount(count) { kept &+= words[word].nonzeroBitCount }
    return kept
  }

  /// The rows by position.
  ///
  /// - Complexity: O(*n* / 8 + *k*) for *k* kept rows of *n*.
  package var selection: SelectionVector {
    let kept = keptCount
    // Eight positions are written at once, of which the last ones may be none.
    let rows = Buffer<UInt32>(uninitialized: kept &+ 8)
    let isDense = kept > count &>> 3
    let places = BytePositions.table
    var found = 0
    for word in 0..<ValidityMask.wordCount(count) {
      var bits = words[word]
      var first = UInt32(truncatingIfNeeded: word &* 64)
      if isDense {
        for _ in 0..<8 {
          let byte = Int(truncatingIfNeeded: bits & 0xFF)
          rows.setEight(places[byte] &+ SIMD8(repeating: first), at: found)
          found &+= byte.nonzeroBitCount
          bits &>>= 8
          first &+= 8
        }
      } else {
        while bits != 0 {
          rows[found] = first &+ UInt32(truncatingIfNeeded: bits.trailingZeroBitCount)
          found &+= 1
          bits &= bits &- 1
        }
      }
    }
    return SelectionVector(rows, count: found)
  }
}

/// For each byte the places of the bits that are set in it, in order.
private enum BytePositions {
  static let table = Buffer<SIMD8<UInt32>>(
    (0..<256).map { byte in
      var places = SIMD8<UInt32>()
      var found = 0
      for bit in 0..<8 where byte >> bit & 1 != 0 {
        places[found] = UInt32(bit)
        found += 1
      }
      return places
    })
}
