import Diagnostics

/// Pairs of a group and a number, each once: a row of bits for each group, from the least number to the greatest.
struct DistinctBits {
  /// Bit *n* − `least` of the `stride` words from *g* · `stride` on says that number *n* came in group *g*.
  private var words = Buffer<UInt64>(zeroed: 0)
  /// A multiple of 64.
  private var least: Int64 = 0
  private var stride = 0
  private var groupRoom = 0
  /// How many pairs there are.
  private(set) var count = 0
  /// So many words are always taken, and above that so many for each pair, which are no more than a table takes.
  private static let alwaysMax = 1 << 19
  private static let spreadMax = 2

  var byteCount: Int { words.count * 8 }

  /// Adds pairs, and writes the rows of those that were the first of their kind into `fresh`; says how many.
  ///
  /// - Precondition: `cover` said yes.
  /// - Complexity: O(*n*).
  mutating func insert(
    _ numbers: Buffer<Int64>, _ groups: Buffer<UInt32>, _ rows: Int, fresh: Buffer<UInt32>
  ) -> Int {
    let (words, least, stride) = (words, least, stride)
    var found = 0
    for row in 0..<rows {
      let offset = UInt64(bitPattern: numbers[row] &- least)
      let index = Int(groups[row]) &* stride &+ Int(truncatingIfNeeded: offset &>> 6)
      let mask: UInt64 = 1 &<< (offset & 63)
      let old = words[index]
      fresh[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(old & mask == 0)
      words[index] = old | mask
    }
    count += found
    return found
  }

  /// Widens the rows of bits to hold all numbers and groups; says false where they would be too large.
  mutating func cover(
    _ numbers: Buffer<Int64>, _ rows: Int, groupCount: Int
  ) throws(SQLError) -> Bool {
    if rows == 0 { return true }
    var (low, high) = (Int64.max, Int64.min)
    KeyPacking.widen(&low, &high, to: numbers, .allValid, rows)
    return try cover(low, high, arriving: rows, groupCount: groupCount)
  }

  mutating func cover(
    _ low: Int64, _ high: Int64, arriving: Int, groupCount: Int
  ) throws(SQLError) -> Bool {
    let end = least &+ Int64(stride) &* 64
    if stride > 0, low >= least, high < end, groupCount <= groupRoom { return true }
    guard low > Int64.min / 4, high < Int64.max / 4 else { return false }
    let lower = (stride > 0 ? min(low, least) : low) & ~63
    let upper = stride > 0 ? max(high, end &- 1) : high
    let limit = max(Self.alwaysMax, Self.spreadMax * (count + arriving))
    let span = (upper &- lower) / 64 + 1
    let groups = max(groupCount, 1)
    guard span <= limit / groups else { return false }
    // Room in proportion, so that numbers and groups that come in order are not moved each time.
    var (newLeast, newStride) = (lower, Int(span))
    if stride > 0, newStride > stride, newStride <= limit / groups / 2 {
      newStride *= 2
      if lower < least { newLeast = lower &- span &* 64 }
    }
    let roomy = groups * 2
    let newRoom = newStride <= limit / roomy ? roomy : groups
    try RunningStatement.reserve(newStride * newRoom * 8)
    let grown = Buffer<UInt64>(zeroed: newStride * newRoom)
    let offset = Int((least &- newLeast) / 64)
    for group in 0..<min(groupRoom, newRoom) {
      grown.copy(words, from: group &* stride, count: stride, to: group &* newStride &+ offset)
    }
    (words, least, stride, groupRoom) = (grown, newLeast, newStride, newRoom)
    return true
  }

  /// Hands over all pairs, group after group, each group's numbers in rising order.
  ///
  /// - Throws: 57014, and what `body` throws.
  func forEach(
    _ body: (_ number: Int64, _ group: UInt32) throws(SQLError) -> Void
  ) throws(SQLError) {
    let (words, stride, least) = (words, stride, least)
    try (0..<words.count).inSlices { (slice) throws(SQLError) in
      for index in slice where words[index] != 0 {
        let (group, word) = index.quotientAndRemainder(dividingBy: stride)
        var rest = words[index]
        while rest != 0 {
          try body(
            least &+ Int64(word &* 64 &+ rest.trailingZeroBitCount),
            UInt32(truncatingIfNeeded: group))
          rest &= rest &- 1
        }
      }
    }
  }

  /// Adds the pairs of `other`, whose group *i* is group `groups[i]` here; says false where there would be too many bits.
  ///
  /// - Throws: 57014, 53200.
  mutating func merge(
    _ other: DistinctBits, groups: Buffer<UInt32>, count groupsOfOther: Int, groupCount: Int
  ) throws(SQLError) -> Bool {
    if other.stride == 0 { return true }
    let last = other.least &+ Int64(other.stride) &* 64 &- 1
    guard try cover(other.least, last, arriving: other.count, groupCount: groupCount) else {
      return false
    }
    let offset = Int((other.least &- least) / 64)
    let (words, stride, added, addedStride) = (words, stride, other.words, other.stride)
    var fresh = 0
    for group in 0..<min(groupsOfOther, other.groupRoom) {
      let source = group &* addedStride
      let target = Int(groups[group]) &* stride &+ offset
      try (0..<addedStride).inSlices { slice in
        for place in slice {
          let old = words[target &+ place]
          let new = old | added[source &+ place]
          fresh &+= (old ^ new).nonzeroBitCount
          words[target &+ place] = new
        }
      }
    }
    count += fresh
    return true
  }

  /// How many pairs each group has.
  ///
  /// - Complexity: O(words).
  /// - Throws: 57014.
  func counts(groupCount: Int) throws(SQLError) -> Buffer<Int64> {
    let result = Buffer<Int64>(zeroed: max(groupCount, 1))
    let (words, stride) = (words, stride)
    for group in 0..<min(groupCount, groupRoom) {
      var total = 0
      try ((group &* stride)..<((group &+ 1) &* stride)).inSlices { slice in
        for place in slice { total &+= words[place].nonzeroBitCount }
      }
      result[group] = Int64(total)
    }
    return result
  }
}
