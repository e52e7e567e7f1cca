/// Some vectors of equal length: what one operator hands to the next.
package struct DataChunk: Sendable {
  package var columns: [Vector]
  /// The number of rows, at most `Vector.chunkCapacity` between operators.
  package var count: Int

  package init(_ columns: [Vector], count: Int) {
    assert(columns.allSatisfy { $0.count == count }, "all columns of a chunk have its row count")
    self.columns = columns
    self.count = count
  }

  /// The rows that a selection keeps; no value is moved.
  package func gathered(_ selection: SelectionVector) -> DataChunk {
    if selection.count == count { return self }
    return gathered(selection.positions, count: selection.count)
  }

  /// The rows at `positions`; no value is moved.
  package func gathered(_ positions: Buffer<UInt32>, count: Int) -> DataChunk {
    DataChunk(columns.map { $0.gathered(positions, count: count) }, count: count)
  }

  /// `length` rows from `start` on.
  package func slice(from start: Int, count length: Int) -> DataChunk {
    DataChunk(columns.map { $0.slice(from: start, count: length) }, count: length)
  }
}
