extension Vector {
  /// The rows at `positions` of several columns; those that share their indices share the new ones too.
  package static func gathered(
    _ columns: [Vector], _ positions: Buffer<UInt32>, count: Int
  ) -> [Vector] {
    var result: [Vector] = []
    result.reserveCapacity(columns.count)
    var known: (old: Buffer<UInt32>, new: Buffer<UInt32>)?
    for column in columns {
      guard let indices = column.indices else {
        result.append(column.gathered(positions, count: count))
        continue
      }
      if let known, known.old.isSame(as: indices) {
        result.append(
          Vector(
            type: column.type, count: count, form: .indirect, storage: column.storage,
            validity: column.validity, indices: known.new, children: column.children,
            heaps: column.heaps, digits: column.digits))
        continue
      }
      let moved = column.gathered(positions, count: count)
      if let new = moved.indices { known = (indices, new) }
      result.append(moved)
    }
    return result
  }
}

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
    DataChunk(Vector.gathered(columns, positions, count: count), count: count)
  }

  /// `length` rows from `start` on.
  package func slice(from start: Int, count length: Int) -> DataChunk {
    DataChunk(columns.map { $0.slice(from: start, count: length) }, count: length)
  }
}
