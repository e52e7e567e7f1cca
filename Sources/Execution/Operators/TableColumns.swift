import Columnar
import Planning
import Storage

/// The columns that an access to a table reads, the row's position among them.
struct TableColumns: Sendable {
  /// Indices in the table; `ScanPlan.positionIndex` for the position.
  let indices: [Int]
  let types: [LogicalType]
  /// Those that are stored.
  fileprivate let stored: [Int]
  fileprivate let hasPosition: Bool

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

  /// A stored column may go by another type of the same form, such as a domain's.
  private func typed(_ chunk: DataChunk) -> DataChunk {
    var chunk = chunk
    for column in chunk.columns.indices where chunk.columns[column].type != types[column] {
      chunk.columns[column] = chunk.columns[column].retyped(types[column])
    }
    return chunk
  }

  /// The stored columns with the rows' positions where they belong.
  fileprivate func withPositions(
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

/// The columns of one version of a table, for rows at given positions.
final class ColumnReaders: Sendable {
  private let read: TableColumns
  private let stores: [ColumnStore]
  private let readers: [ColumnReader?]
  /// Columns whose values follow from the position.
  private let serials: [SerialColumn?]
  private let storedTypes: [LogicalType]
  /// Whether some stored column goes by another type of the same form, such as a domain's.
  private let goesByOtherTypes: Bool

  init(_ read: TableColumns, of table: TableStore) {
    self.read = read
    stores = read.stored.map { table.column($0) }
    readers = stores.map(\.reader)
    serials = read.stored.map { table.serialColumn($0) }
    storedTypes = stores.map(\.type)
    goesByOtherTypes = !read.hasPosition && storedTypes != read.types
  }

  var isEmpty: Bool { read.indices.isEmpty }

  /// Whether the position is among the columns.
  var givesPositions: Bool { read.hasPosition }

  /// The rows at `positions`; with `optional`, `TableStore.noRow` gives NULLs.
  ///
  /// - Complexity: O(*n*) in rows for each column.
  func gather(_ positions: Buffer<UInt32>, count: Int, optional: Bool = false) -> [Vector] {
    var columns: [Vector] = []
    columns.reserveCapacity(stores.count)
    for place in stores.indices {
      if !optional, let serial = serials[place] {
        columns.append(
          Vector(
            type: storedTypes[place], count: count,
            storage: serial.values(positions, count: count)))
      } else if !optional, let moved = readers[place]?.values(positions, count: count),
        !moved.mayHaveNulls
      {
        columns.append(
          Vector(
            type: storedTypes[place], count: count, storage: moved.block,
            decimals: moved.decimals))
      } else {
        columns.append(stores[place].gather(positions, count: count, optional: optional))
      }
    }
    if read.hasPosition {
      return read.withPositions(DataChunk(columns, count: count), positions, count: count).columns
    }
    if goesByOtherTypes {
      for place in columns.indices { columns[place] = columns[place].retyped(read.types[place]) }
    }
    return columns
  }
}
