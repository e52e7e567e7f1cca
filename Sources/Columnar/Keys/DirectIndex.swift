import Diagnostics

/// Groups of one whole-number key whose range is not much wider than there are groups: an array from key to group.
///
/// Rows are looked up in several short loops: where they stand, as many at once as a register holds; what stands there; whether
/// that is known. One loop that does all three takes more than twice as long.
final class DirectIndex {
  /// Group + 1 of NULL, and then of key `base + i`; 0 = none.
  ///
  /// - Invariant: their number is a power of two, so that whether places are inside can be asked of all of them together.
  private var groups = Buffer<UInt32>(uninitialized: 0)
  private var base: Int64 = 0
  /// The place of the greatest key that has a group; 0 if none has.
  private var last = 0
  private var used = 0
  /// The range that is always taken, where few rows come and where a full chunk does.
  private static func rangeMax(for count: Int) -> Int {
    count < Vector.pageCapacity ? min(1 << 16, max(1 << 12, count << 8)) : wideRange
  }
  private static let wideRange = 1 << 20
  /// Above that an array may have so many places for each group, and so many in all.
  private static let spreadMax = 16
  private static let expectedSpreadMax = 4
  private static let placeMax = 1 << 27
  /// How many groups there may come to be, as far as anybody knows.
  var expectedCount = 0

  var byteCount: Int { groups.count * 4 }

  /// Says false, having changed nothing, where the range of keys would become too wide.
  ///
  /// - Complexity: O(*n*), and O(range) whenever it grows.
  func lookUp(
    _ column: Vector, _ count: Int, _ result: Buffer<UInt32>, _ fresh: FreshRows?
  ) throws(SQLError) -> Bool {
    let places = Buffer<UInt32>(uninitialized: count)
    if !writePlaces(column, count, to: places) {
      guard fresh != nil else {
        findInside(column.validity, places, count, result)
        return true
      }
      guard try cover(column, count) else { return false }
      _ = writePlaces(column, count, to: places)
    }
    let groups = groups
    // Most chunks bring nothing new.
    guard !groups.takeGroups(at: places, count, to: result), let fresh else { return true }
    let before = fresh.count
    var last = last
    for row in 0..<count where result[row] == .max {
      var group = groups[places[row]]
      if group == 0 {
        group = fresh.add(row) &+ 1
        groups[places[row]] = group
        last = max(last, Int(places[row]))
      }
      result[row] = group &- 1
    }
    self.last = last
    used += fresh.count - before
    return true
  }

  /// Looks up rows of which some stand outside.
  private func findInside(
    _ validity: ValidityMask, _ places: Buffer<UInt32>, _ count: Int, _ result: Buffer<UInt32>
  ) {
    if validity.isAllValid {
      let (groups, size) = (groups, UInt32(truncatingIfNeeded: groups.count))
      if size == 0 {
        result.fill(0..<count, with: .max)
        return
      }
      // What stands outside stands at the place of NULL, which no row has.
      for row in 0..<count {
        let place = places[row] < size ? places[row] : 0
        result[row] = (groups[place] &- 1) | (place == 0 ? .max : 0)
      }
      return
    }
    for row in 0..<count {
      let place = places[row]
      let isInside = place < groups.count && (place > 0 || !validity.isValid(row))
      result[row] = isInside ? groups[place] &- 1 : .max
    }
  }

  /// Writes where rows stand, and says whether all stand inside.
  ///
  /// What stands outside has a place behind the last one, or 0, which is that of NULL.
  private func writePlaces(_ column: Vector, _ count: Int, to places: Buffer<UInt32>) -> Bool {
    switch column.type.physical {
    case .bool: write(column.values(UInt8.self), count, to: places)
    case .int16: write(column.values(Int16.self), count, to: places)
    case .int32: write(column.values(Int32.self), count, to: places)
    case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      write(column.values(Int64.self), count, to: places)
    }
    column.validity.forEachMissing(count) { places[$0] = 1 }
    var (all, isOfNull): (UInt32, UInt32) = (0, 0)
    for row in 0..<count {
      all |= places[row]
      isOfNull |= places[row] == 0 ? 1 : 0
    }
    column.validity.forEachMissing(count) { places[$0] = 0 }
    return all < groups.count && isOfNull == 0
  }

  @inline(__always)
  private func write<Key: FixedWidthInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, _ count: Int, to places: Buffer<UInt32>
  ) {
    if Key.bitWidth <= 32, let base = Int32(exactly: base),
      Int64(base) + Int64(groups.count) <= Int64(Int32.max)
    {
      // The whole range has 32 bits, so that no key of 32 comes to stand inside that does not belong there.
      let before = base &- 1
      for row in 0..<count {
        places[row] = UInt32(bitPattern: Int32(truncatingIfNeeded: keys[row]) &- before)
      }
      return
    }
    let before = base &- 1
    for row in 0..<count {
      let place = UInt64(bitPattern: Int64(truncatingIfNeeded: keys[row]) &- before)
      let isShort = UInt32(truncatingIfNeeded: place &>> 32) == 0
      places[row] = UInt32(truncatingIfNeeded: place) | (isShort ? 0 : .max)
    }
  }

  /// Widens the array to hold all keys, if they are near enough to each other.
  private func cover(_ column: Vector, _ count: Int) throws(SQLError) -> Bool {
    let keys = Buffer<Int64>(uninitialized: count)
    KeyPacking.widen(column, count, into: keys)
    var (least, greatest) = last == 0 ? (.max, .min) : (base, base &+ Int64(last) &- 1)
    KeyPacking.widen(&least, &greatest, to: keys, column.validity, count)
    if least > greatest {
      // There has been nothing but NULL; the first key has a place as well.
      if groups.count == 0 { groups = Buffer(zeroed: 2) }
      return true
    }
    let (span, overflow) = greatest.subtractingReportingOverflow(least)
    let always = Self.rangeMax(for: count)
    // What is expected need not come, so that it makes less room, and no more than a full chunk does.
    let likely = min(
      Self.expectedSpreadMax * min(expectedCount, Self.wideRange), Self.wideRange)
    let limit = Int64(max(always, likely, min(Self.placeMax, Self.spreadMax * (used + count))))
    if overflow || span >= limit { return false }
    // Room on top, so that slowly rising keys do not copy the array each time.
    try widen(from: least, room: Int(max(span + 1, min(limit, (span + 1) * 2))))
    return true
  }

  private func widen(from least: Int64, room: Int) throws(SQLError) {
    let offset = last == 0 ? 0 : Int(base &- least)
    let capacity = 1 << (Int.bitWidth - room.leadingZeroBitCount)
    try RunningStatement.reserve(capacity * 4)
    let wider = Buffer<UInt32>(zeroed: capacity)
    if groups.count > 0 { wider[0] = groups[0] }
    if last > 0 {
      try wider.copyInSlices(groups, from: 1, count: last, to: offset + 1)
      last += offset
    }
    groups = wider
    base = least
  }
}

extension Buffer<UInt32> {
  /// Looks up the groups that stand, with one added, at places; says whether all of them are known.
  ///
  /// - Precondition: the places are inside.
  /// - Complexity: O(*n*).
  @inline(__always)
  func takeGroups<Place: FixedWidthInteger>(
    at places: Buffer<Place>, _ count: Int, to result: Buffer<UInt32>
  ) -> Bool {
    for row in 0..<count { result[row] = self[Int(truncatingIfNeeded: places[row])] }
    var isUnknown: UInt32 = 0
    for row in 0..<count {
      let group = result[row]
      isUnknown |= group == 0 ? 1 : 0
      result[row] = group &- 1
    }
    return isUnknown == 0
  }
}
