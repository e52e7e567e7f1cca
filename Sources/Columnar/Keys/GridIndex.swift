import Diagnostics

/// Groups of several whole-number keys whose ranges are small together: an array with a place for each combination.
///
/// A key has a place for NULL and one for each number of its range; the ranges grow with the keys that come, as long as all
/// combinations are not many more than there are groups.
final class GridIndex {
  /// The range of one key.
  private struct Axis {
    var least = Int64.max
    var greatest = Int64.min
    /// How far apart two neighbours of this key are.
    var stride = 0

    var isEmpty: Bool { least > greatest }
    /// The places of the key, that of NULL among them; nil for too many to be counted.
    var placeCount: Int? {
      if isEmpty { return 1 }
      let (span, overflow) = greatest.subtractingReportingOverflow(least)
      return overflow || span >= Int64(GridIndex.placeMax) ? nil : Int(span) + 2
    }
  }

  /// Group + 1 of each place; 0 = none.
  private var groups = Buffer<UInt32>(zeroed: 1)
  private var axes: [Axis]
  /// So many places are always taken, and above that so many for each row or group: a larger array is slower than a table
  /// of the groups alone.
  private static let alwaysMax = 1 << 16
  private static let spreadMax = 4
  private static let placeMax = 1 << 20

  init(keyCount: Int) { axes = Array(repeating: Axis(), count: keyCount) }

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
    let wide = Self.widened(columns, count)
    if fresh != nil {
      guard try cover(columns, wide, count, groupCount: groupCount, known: known) else {
        return false
      }
    }
    let places = places(columns, wide, count)
    let groups = groups
    for row in 0..<count {
      let place = places[row]
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

  private static func widened(_ columns: [Vector], _ count: Int) -> [Buffer<Int64>] {
    columns.map { column in
      let numbers = Buffer<Int64>(uninitialized: count)
      KeyPacking.widen(column, count, into: numbers)
      return numbers
    }
  }

  /// The place of each row; negative where a key is out of its range.
  private func places(
    _ columns: [Vector], _ wide: [Buffer<Int64>], _ count: Int
  ) -> Buffer<Int> {
    let places = Buffer<Int>(zeroed: count)
    for (key, axis) in axes.enumerated() {
      let (numbers, validity) = (wide[key], columns[key].validity)
      let (least, stride) = (axis.least, axis.stride)
      let limit = axis.isEmpty ? 0 : UInt64(bitPattern: axis.greatest &- axis.least) &+ 1
      // Whatever is added to it, it stays negative.
      let outside = -(1 << 40)
      if validity.isAllValid {
        for row in 0..<count {
          let offset = UInt64(bitPattern: numbers[row] &- least)
          places[row] &+= offset < limit ? (Int(offset) &+ 1) &* stride : outside
        }
      } else {
        for row in 0..<count {
          let offset = UInt64(bitPattern: numbers[row] &- least)
          let place = offset < limit ? (Int(offset) &+ 1) &* stride : outside
          places[row] &+= validity.isValid(row) ? place : 0
        }
      }
    }
    return places
  }

  /// Widens the ranges to hold all keys, if that is not too much.
  private func cover(
    _ columns: [Vector], _ wide: [Buffer<Int64>], _ count: Int, groupCount: Int,
    known: () -> [Vector]
  ) throws(SQLError) -> Bool {
    var wanted = axes
    var grows = false
    for key in axes.indices {
      let (numbers, validity) = (wide[key], columns[key].validity)
      var (least, greatest) = (axes[key].least, axes[key].greatest)
      KeyPacking.widen(&least, &greatest, to: numbers, validity, count)
      if least < wanted[key].least || greatest > wanted[key].greatest { grows = true }
      wanted[key].least = least
      wanted[key].greatest = greatest
    }
    if !grows { return true }
    let limit = max(Self.alwaysMax, min(Self.placeMax, Self.spreadMax * (groupCount + count)))
    guard let placeCount = Self.arrange(&wanted, limit: limit) else { return false }
    // Room for more on both sides, so that keys that come in order do not make a new array each time.
    var roomy = wanted
    for key in roomy.indices where !roomy[key].isEmpty {
      let span = roomy[key].greatest &- roomy[key].least &+ 1
      if roomy[key].least < axes[key].least, !axes[key].isEmpty {
        roomy[key].least = roomy[key].least.subtractingReportingOverflow(span).partialValue
      }
      if roomy[key].greatest > axes[key].greatest, !axes[key].isEmpty {
        roomy[key].greatest = roomy[key].greatest.addingReportingOverflow(span).partialValue
      }
      if roomy[key].isEmpty { roomy[key] = wanted[key] }
    }
    let roomyCount = Self.arrange(&roomy, limit: limit)
    try RunningStatement.reserve((roomyCount ?? placeCount) * 4)
    axes = roomyCount == nil ? wanted : roomy
    groups = Buffer(zeroed: roomyCount ?? placeCount)
    if groupCount > 0 { enter(known(), groupCount) }
    return true
  }

  /// Gives each key its stride; the number of places, nil if that is over the limit.
  private static func arrange(_ axes: inout [Axis], limit: Int) -> Int? {
    var total = 1
    for key in axes.indices {
      guard let count = axes[key].placeCount else { return nil }
      axes[key].stride = total
      let (product, overflow) = total.multipliedReportingOverflow(by: count)
      if overflow || product > limit { return nil }
      total = product
    }
    return total
  }

  private func enter(_ columns: [Vector], _ count: Int) {
    let wide = Self.widened(columns, count)
    let places = places(columns, wide, count)
    for group in 0..<count { groups[places[group]] = UInt32(truncatingIfNeeded: group) &+ 1 }
  }
}
