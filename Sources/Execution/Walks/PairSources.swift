import Columnar
import Storage

/// The rows that pairs are counted from, in the order in which they are gone out from, and where morsels of them begin.
struct PairSources: Sendable {
  enum Order {
    case rising, falling
    /// Those of most edges first.
    case degree
  }

  let positions: Buffer<UInt32>
  /// One more than there are morsels; the last is the number of rows.
  let starts: [Int]

  /// Edges of the first step to a morsel, about.
  static let morselEdgeCount = 4096

  var morselCount: Int { starts.count - 1 }

  /// The rows that have edges, of those whose bit is set if there are bits.
  ///
  /// - Complexity: O(rows + greatest degree).
  init(
    _ table: TableStore, _ adjacency: AdjacencyIndex, of admitted: Buffer<UInt64>?, by order: Order
  ) {
    let degrees = adjacency.degrees(0..<table.rowCount)
    let found = Buffer<UInt32>(uninitialized: table.rowCount + 1)
    var count = 0
    for position in 0..<table.rowCount {
      found[count] = UInt32(truncatingIfNeeded: position)
      count &+= bit(degrees[position] > 0)
    }
    if let admitted {
      let all = count
      count = 0
      for index in 0..<all {
        let position = found[index]
        found[count] = position
        count &+= bit(admitted.contains(position))
      }
    }
    var sources = found.slice(0..<count)
    switch order {
    case .rising: break
    case .falling:
      sources = Buffer(uninitialized: count)
      for index in 0..<count { sources[count &- 1 &- index] = found[index] }
    case .degree: sources = Self.fallingDegrees(found, count, degrees)
    }
    var starts: [Int] = []
    var held = Self.morselEdgeCount
    for index in 0..<count {
      if held >= Self.morselEdgeCount {
        starts.append(index)
        held = 0
      }
      held += Int(degrees[sources[index]])
    }
    positions = sources
    self.starts = starts + [count]
  }

  /// Rows in the order of their degrees, the greatest first.
  private static func fallingDegrees(
    _ rows: Buffer<UInt32>, _ count: Int, _ degrees: Buffer<UInt32>
  ) -> Buffer<UInt32> {
    var most: UInt32 = 0
    for index in 0..<count { most = max(most, degrees[rows[index]]) }
    let places = Buffer<Int>(zeroed: Int(most) + 2)
    for index in 0..<count { places[Int(most &- degrees[rows[index]]) &+ 1] &+= 1 }
    for degree in 1..<places.count { places[degree] &+= places[degree &- 1] }
    let sorted = Buffer<UInt32>(uninitialized: count)
    for index in 0..<count {
      let degree = Int(most &- degrees[rows[index]])
      sorted[places[degree]] = rows[index]
      places[degree] &+= 1
    }
    return sorted
  }
}
