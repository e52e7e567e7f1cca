package import Columnar

/// What is known of a condition on the rows of one version of a table: of each row that it holds, that it does not, or nothing yet.
///
/// One thread at a time notes something.
package struct KnownRows: Sendable {
  private let known: Buffer<UInt64>
  private let held: Buffer<UInt64>
  /// Not 0 once it is known of all rows; in memory that all copies share, as the bits are.
  private let isWhole = Buffer<UInt8>(zeroed: 1)

  /// Knows nothing of so many rows.
  package init(rowCount: Int) {
    known = Buffer(zeroed: rowCount / 64 + 1)
    held = Buffer(zeroed: rowCount / 64 + 1)
  }

  /// The bytes held.
  package var byteCount: Int { (known.count + held.count) * 8 }

  /// Whether it is known of a row if the condition holds.
  @inline(__always)
  package func knows(_ position: UInt32) -> Bool {
    known[Int(truncatingIfNeeded: position &>> 6)] &>> UInt64(truncatingIfNeeded: position & 63) & 1
      != 0
  }

  /// Whether the condition is known to hold for a row.
  @inline(__always)
  package func holds(_ position: UInt32) -> Bool {
    held[Int(truncatingIfNeeded: position &>> 6)] &>> UInt64(truncatingIfNeeded: position & 63) & 1
      != 0
  }

  /// Notes whether the condition holds for a row of which that was not known.
  package func note(_ position: UInt32, holds: Bool) {
    let word = Int(truncatingIfNeeded: position &>> 6)
    let mask: UInt64 = 1 &<< UInt64(truncatingIfNeeded: position & 63)
    known[word] |= mask
    if holds { held[word] |= mask }
  }

  /// Notes of the rows with a bit in `asked` that the condition holds for those with one in `met`, and for no other.
  ///
  /// - Precondition: nothing else was known of them.
  package func note(_ asked: Buffer<UInt64>, met: Buffer<UInt64>, words: Int) {
    for word in 0..<words {
      known[word] |= asked[word]
      held[word] |= met[word]
    }
  }

  /// Notes that the condition holds for the rows with a bit in `met`, and for no other.
  ///
  /// - Precondition: what was known before says the same.
  package func noteAll(met: Buffer<UInt64>, words: Int) {
    for word in 0..<words {
      known[word] = .max
      held[word] |= met[word]
    }
    isWhole[0] = 1
  }

  /// The rows of a set of which nothing is known, and how many they are.
  package func unknown(of set: Buffer<UInt64>, words: Int) -> (bits: Buffer<UInt64>, count: Int) {
    let rest = Buffer<UInt64>(uninitialized: max(words, 1))
    var count = 0
    for word in 0..<words {
      rest[word] = set[word] & ~known[word]
      count &+= rest[word].nonzeroBitCount
    }
    return (rest, count)
  }

  /// The rows of a set for which the condition is known to hold.
  package func held(of set: Buffer<UInt64>, words: Int) -> Buffer<UInt64> {
    let rest = Buffer<UInt64>(uninitialized: max(words, 1))
    for word in 0..<words { rest[word] = set[word] & held[word] }
    return rest
  }

  /// Writes those of some positions for which the condition holds, and says how many; nil if it is not known of all.
  ///
  /// - Precondition: `kept` has room for all, and one more.
  @inline(__always)
  package func select(
    _ asked: PagePointer<UInt32>, of positions: PagePointer<UInt32>, count: Int,
    into kept: Buffer<UInt32>, from start: Int = 0
  ) -> Int? {
    var next = start
    if isWhole[0] != 0 {
      for index in 0..<count {
        kept[next] = positions[index]
        next &+= holds(asked[index]) ? 1 : 0
      }
      return next &- start
    }
    var isKnown = true
    for index in 0..<count {
      let position = asked[index]
      isKnown = isKnown && knows(position)
      kept[next] = positions[index]
      next &+= holds(position) ? 1 : 0
    }
    return isKnown ? next &- start : nil
  }
}
