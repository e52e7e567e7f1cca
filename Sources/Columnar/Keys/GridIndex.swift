import Diagnostics

/// Groups of several whole-number keys whose ranges are small together: an array with a place for each combination.
///
/// The ranges grow with the keys that come, as long as all combinations are not many more than there are groups.
final class GridIndex {
  /// Group + 1 of each place; 0 = none.
  private var groups = Buffer<UInt32>(zeroed: 1)
  private var grid: KeyGrid
  /// So many places are always taken, where few rows come and where a full chunk does, and above that so many for each row or
  /// group: a larger array is slower than a table of the groups alone.
  private static let alwaysMax: (few: Int, many: Int) = (1 << 16, 1 << 19)
  private static let spreadMax = 4
  private static let placeMax = 1 << 20
  /// How many groups there may come to be, as far as anybody knows.
  var expectedCount = 0

  init(keyCount: Int) { grid = KeyGrid(keyCount: keyCount) }

  var byteCount: Int { groups.count * 4 }

  /// Says false, having changed nothing, where there would be too many places.
  ///
  /// `known` gives the keys of the groups there are, for entering them into a larger array.
  ///
  /// - Complexity: O(*n*), and O(places) whenever the ranges grow.
  func lookUp(
    _ columns: [Vector], _ count: Int, _ result: Buffer<UInt32>, _ fresh: FreshRows?,
    groupCount: Int, known: () -> [Vector]
  ) throws(SQLError) -> Bool {
    var (places, areInside) = grid.places(columns, count, as: Int32.self)
    if !areInside, fresh != nil {
      let always = count < Vector.pageCapacity ? Self.alwaysMax.few : Self.alwaysMax.many
      let likely = max(groupCount + count, min(expectedCount, Self.placeMax))
      let limit = max(always, min(Self.placeMax, Self.spreadMax * likely))
      guard let wider = grid.covering(columns, count, limit: limit) else { return false }
      try RunningStatement.reserve(wider.placeCount * 4)
      grid = wider
      groups = Buffer(zeroed: wider.placeCount)
      if groupCount > 0 { enter(known(), groupCount) }
      (places, areInside) = grid.places(columns, count, as: Int32.self)
    }
    let groups = groups
    if areInside {
      // Most chunks bring nothing new.
      if groups.takeGroups(at: places, count, to: result) || fresh == nil { return true }
    }
    for row in 0..<count {
      let place = Int(truncatingIfNeeded: places[row])
      guard place >= 0 else {
        result[row] = .max
        continue
      }
      var group = groups[place]
      if group == 0, let fresh {
        group = fresh.add(row) &+ 1
        groups[place] = group
      }
      result[row] = group &- 1
    }
    return true
  }

  private func enter(_ columns: [Vector], _ count: Int) {
    let (places, _) = grid.places(columns, count, as: Int32.self)
    for group in 0..<count {
      groups[Int(places[group])] = UInt32(truncatingIfNeeded: group) &+ 1
    }
  }
}
