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
    case .row: rows
    }
  }
}

extension ListReader.ListPlace {
  /// The positions at one end of each edge.
  @inline(__always)
  func positions(at end: EdgeEnd) -> PagePointer<UInt32> {
    switch end {
    case .target: targets
    case .row: rows
    }
  }
}
