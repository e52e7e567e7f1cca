package import Columnar

/// Which of the two positions that an edge has is meant.
///
/// They are positions in different tables, but where an index has only one for both.
package enum EdgeEnd: Sendable {
  /// The row that the edge leads to, in the table of the neighbours.
  case target
  /// The row that makes the edge, in the table with the foreign keys.
  case row
}

extension AdjacencyIndex {
  /// The end of an edge at which its row stands, which is the target where no row is kept beside it.
  package var rowEnd: EdgeEnd { hasEdgeRows ? .row : .target }
}

extension NeighbourList.Run {
  /// The positions at one end of each edge.
  @inline(__always)
  package func positions(at end: EdgeEnd) -> Buffer<UInt32> {
    switch end {
    case .target: targets
    case .row: rows.buffer(count)
    }
  }
}

/// Where rows are unpacked for who goes through positions as they stand.
struct RowScratch {
  private var room: Buffer<UInt32>?

  /// The rows of so many edges, as they stand or unpacked; to be read until the next call, as long as the scratch is
  /// held.
  @inline(__always)
  mutating func plain(_ rows: PackedNumbers, _ count: Int) -> PagePointer<UInt32> {
    rows.isPlain ? rows.plain : unpacked(rows, count)
  }

  private mutating func unpacked(_ rows: PackedNumbers, _ count: Int) -> PagePointer<UInt32> {
    var own = room ?? Buffer(uninitialized: max(count, AdjacencyPage.listLimit))
    if own.count < count { own = Buffer(uninitialized: count) }
    room = own
    rows.copy(count: count, to: own, at: 0)
    return PagePointer(own)
  }
}

extension ListReader.ListPlace {
  /// The positions at one end of each edge.
  @inline(__always)
  func positions(at end: EdgeEnd, _ scratch: inout RowScratch) -> PagePointer<UInt32> {
    switch end {
    case .target: targets
    case .row: scratch.plain(rows, Int(count))
    }
  }

  /// The position at one end of the first edge.
  ///
  /// - Precondition: there is one.
  @inline(__always)
  func first(at end: EdgeEnd) -> UInt32 {
    switch end {
    case .target: targets[0]
    case .row: rows[0]
    }
  }
}
