/// One fixed-size state for each group, in memory that grows with the number of groups.
///
/// - Invariant: states of groups below `count` that were never touched are zero bits.
struct GroupStates<State: BitwiseCopyable> {
  private(set) var values: Buffer<State>
  private(set) var count = 0

  init() { values = Buffer(zeroed: 0) }

  /// Makes room for groups below `groupCount`.
  ///
  /// - Complexity: amortised O(1) for each group.
  mutating func grow(to groupCount: Int) {
    guard groupCount > count else { return }
    if groupCount > values.count {
      let grown = Buffer<State>(uninitialized: max(groupCount, values.count * 2, 8))
      grown.copy(values, count: count, to: 0)
      values = grown
    }
    values.zero(count..<groupCount)
    count = groupCount
  }

  var byteCount: Int { values.count * MemoryLayout<State>.stride }

  @inline(__always)
  subscript(group: Int) -> State {
    get { values[group] }
    nonmutating set { values[group] = newValue }
  }
}

/// Calls `body` with the row and group of each row whose argument is not NULL.
///
/// The shapes that matter — one group, many groups, nulls or none — each get a loop without needless tests; `body` is
/// inlined into all of them.
@inline(__always)
func forEachPresent(
  _ argument: Vector, groups: Buffer<UInt32>?, count: Int,
  _ body: (_ row: Int, _ group: Int) -> Void
) {
  forEachPresent(argument.validity, groups: groups, count: count, body)
}

/// The same for rows that `validity` marks.
@inline(__always)
func forEachPresent(
  _ validity: ValidityMask, groups: Buffer<UInt32>?, count: Int,
  _ body: (_ row: Int, _ group: Int) -> Void
) {
  guard let words = validity.words else {
    if let groups {
      for row in 0..<count { body(row, Int(truncatingIfNeeded: groups[row])) }
    } else {
      for row in 0..<count { body(row, 0) }
    }
    return
  }
  // The bits of a word are gone through rather than each row asked: where some rows are missing, nobody foretells which.
  for word in 0..<ValidityMask.wordCount(count) {
    let start = word &<< 6
    var bits = words[word]
    if count &- start < 64 { bits &= 1 &<< UInt64(truncatingIfNeeded: count &- start) &- 1 }
    if let groups {
      while bits != 0 {
        let row = start &+ bits.trailingZeroBitCount
        body(row, Int(truncatingIfNeeded: groups[row]))
        bits &= bits &- 1
      }
    } else {
      while bits != 0 {
        body(start &+ bits.trailingZeroBitCount, 0)
        bits &= bits &- 1
      }
    }
  }
}

/// A bitmap of groups that have seen a value, so that the others give NULL.
struct GroupPresence {
  private var states = GroupStates<UInt8>()

  mutating func grow(to groupCount: Int) { states.grow(to: groupCount) }

  var byteCount: Int { states.byteCount }

  @inline(__always)
  func mark(_ group: Int) { states[group] = 1 }

  func contains(_ group: Int) -> Bool { states[group] != 0 }

  /// The mask of a result over `range`.
  func validity(_ range: Range<Int>) -> ValidityMask {
    var mask = ValidityMask.allValid
    for group in range where states[group] == 0 {
      mask.setNull(group - range.lowerBound, count: range.count)
    }
    return mask
  }
}
