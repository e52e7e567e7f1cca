import Columnar
import Planning
import Storage

/// The columns that an access to a table reads, the row's position among them.
struct TableColumns: Sendable {
  /// Indices in the table; `ScanPlan.positionIndex` for the position.
  let indices: [Int]
  let types: [LogicalType]
  /// Those that are stored.
  private let stored: [Int]
  private let hasPosition: Bool

  init(_ columns: [ScanPlan.Column]) {
    indices = columns.map(\.index)
    types = columns.map(\.column.type)
    stored = indices.filter { $0 != ScanPlan.positionIndex }
    hasPosition = stored.count < indices.count
  }

  /// The live rows of a page.
  func scan(_ page: Int, of table: TableStore) -> DataChunk {
    if !hasPosition { return typed(table.scan(page: page, columns: stored)) }
    let rows = table.positions(ofPage: page)
    let chunk = table.scan(page: page, columns: stored)
    return withPositions(chunk, rows.positions, count: rows.count)
  }

  /// The rows at `positions`; with `optional`, `TableStore.noRow` gives NULLs.
  func gather(
    _ positions: Buffer<UInt32>, count: Int, of table: TableStore, optional: Bool = false
  ) -> [Vector] {
    let chunk = table.gather(positions, count: count, columns: stored, optional: optional)
    return hasPosition
      ? withPositions(chunk, positions, count: count).columns : typed(chunk).columns
  }

  /// A stored column may go by another type of the same form, such as a domain's.
  private func typed(_ chunk: DataChunk) -> DataChunk {
    var chunk = chunk
    for column in chunk.columns.indices where chunk.columns[column].type != types[column] {
      chunk.columns[column] = chunk.columns[column].retyped(types[column])
    }
    return chunk
  }

  private func withPositions(
    _ chunk: DataChunk, _ positions: Buffer<UInt32>, count: Int
  ) -> DataChunk {
    var columns: [Vector] = []
    var next = 0
    for (place, index) in indices.enumerated() {
      if index == ScanPlan.positionIndex {
        columns.append(Vector(.integer, positions.slice(0..<count), count: count))
      } else {
        columns.append(chunk.columns[next].retyped(types[place]))
        next += 1
      }
    }
    return DataChunk(columns, count: count)
  }
}
