package import Columnar
package import Diagnostics
package import Storage

/// What `TableRecord` wrote, taken apart: everything is checked that can be without other tables.
package struct TableChange: Sendable {
  /// Rows that are added one behind another.
  struct Chunk: Sendable {
    /// Positions, those of rows deleted meanwhile among them.
    let count: Int
    /// Which of them have a row; nil for all.
    let mask: Buffer<UInt64>?
    let rows: DataChunk
    let parents: [Buffer<UInt32>]
  }

  /// The positions that the table has afterwards.
  package let rowCount: Int
  private let deleted: Buffer<UInt32>
  private let deletedCount: Int
  private let updatedRows: Buffer<UInt32>
  private let updatedCount: Int
  private var updated: [(column: Int, values: Vector)] = []
  private let movedRows: Buffer<UInt32>
  private let movedCount: Int
  private var moved: [(reference: Int, parents: Buffer<UInt32>)] = []
  private let start: Int
  private var chunks: [Chunk] = []

  /// Reads what is done to a table of these types and references.
  ///
  /// - Throws: XX001.
  package init(
    _ reader: inout ByteReader, types: [LogicalType], referenceCount: Int
  ) throws(SQLError) {
    rowCount = try reader.count()
    guard rowCount <= TableStore.rowLimit else { throw reader.damage("a table has too many rows") }
    (deleted, deletedCount) = try Self.positions(&reader, below: rowCount)
    (updatedRows, updatedCount) = try Self.positions(&reader, below: rowCount)
    for _ in 0..<(try reader.count(ofElements: 1)) {
      let column = try reader.count()
      guard types.indices.contains(column), !updated.contains(where: { $0.column == column })
      else { throw reader.damage("there is no such column") }
      let values = try VectorCodec.read(types[column], count: updatedCount, from: &reader)
      updated.append((column, values))
    }
    (movedRows, movedCount) = try Self.positions(&reader, below: rowCount)
    for _ in 0..<(try reader.count(ofElements: 1)) {
      let reference = try reader.count()
      guard reference < referenceCount, !moved.contains(where: { $0.reference == reference })
      else { throw reader.damage("there is no such reference") }
      moved.append((reference, try Self.parents(movedCount, &reader)))
    }
    start = try reader.count()
    var left = try reader.count()
    guard start <= rowCount, rowCount - start == left else {
      throw reader.damage("rows are added at another place than the end")
    }
    while left > 0 {
      let chunk = try Self.chunk(&reader, types, referenceCount)
      guard chunk.count <= left else { throw reader.damage("more rows are there than announced") }
      left -= chunk.count
      chunks.append(chunk)
    }
  }

  private static func chunk(
    _ reader: inout ByteReader, _ types: [LogicalType], _ referenceCount: Int
  ) throws(SQLError) -> Chunk {
    let count = try reader.count()
    guard count > 0, count <= TableStore.pageCapacity else {
      throw reader.damage("a chunk cannot have \(count) rows")
    }
    var mask: Buffer<UInt64>?
    var live = count
    if try reader.flag() {
      let words = try reader.buffer(of: UInt64.self, count: ValidityMask.wordCount(count))
      live = (0..<count).reduce(0) { $0 + Int(words[$1 >> 6] >> UInt64($1 & 63) & 1) }
      mask = words
    }
    var columns: [Vector] = []
    for type in types { columns.append(try VectorCodec.read(type, count: live, from: &reader)) }
    var parents: [Buffer<UInt32>] = []
    for _ in 0..<referenceCount { parents.append(try Self.parents(live, &reader)) }
    return Chunk(count: count, mask: mask, rows: DataChunk(columns, count: live), parents: parents)
  }

  /// Positions that rise, below a limit.
  private static func positions(
    _ reader: inout ByteReader, below limit: Int
  ) throws(SQLError) -> (Buffer<UInt32>, Int) {
    let count = try reader.count()
    guard count <= limit else { throw reader.damage("more rows are named than there are") }
    let numbers = try PackedNumbers.read(count, from: &reader)
    let positions = Buffer<UInt32>(uninitialized: max(1, count))
    var last: Int64 = -1
    for index in 0..<count {
      guard numbers[index] > last, numbers[index] < Int64(limit) else {
        throw reader.damage("a position is out of order or of range")
      }
      last = numbers[index]
      positions[index] = UInt32(last)
    }
    return (positions, count)
  }

  private static func parents(
    _ count: Int, _ reader: inout ByteReader
  ) throws(SQLError) -> Buffer<UInt32> {
    let numbers = try PackedNumbers.read(count, from: &reader)
    let parents = Buffer<UInt32>(uninitialized: max(1, count))
    for index in 0..<count {
      guard numbers[index] >= -1, numbers[index] <= Int64(TableStore.rowLimit) else {
        throw reader.damage("a position is out of range")
      }
      parents[index] = numbers[index] < 0 ? TableStore.noRow : UInt32(numbers[index])
    }
    return parents
  }
}

extension TableChange {
  /// The version of a table that the change makes.
  ///
  /// - Parameters:
  ///   - table: the version that was there.
  ///   - parentLimits: for each reference the positions of the parent's table afterwards.
  /// - Returns: the version after it.
  /// - Throws: XX001 where the change is one of another version.
  package func apply(
    to table: TableStore, parentLimits: [Int]
  ) throws(SQLError) -> TableStore {
    try check(table, parentLimits)
    let writer = TableWriter(table)
    do throws(KeyConflict) {
      if deletedCount > 0 { writer.delete(deleted, count: deletedCount) }
      if !updated.isEmpty {
        try writer.update(
          updatedRows, count: updatedCount, columns: updated.map(\.column),
          to: updated.map(\.values))
      }
      try writer.setParents(moved, movedRows, count: movedCount)
      // An empty table takes its rows as a load does.
      let isLoad = table.rowCount == 0 && rowCount > TableStore.pageCapacity
      for chunk in chunks { try append(chunk, to: writer, maintainingIndexes: !isLoad) }
      if isLoad { try writer.rebuildIndexes() }
    } catch { throw Self.conflict(error) }
    return writer.freeze()
  }

  private static func conflict(_ error: KeyConflict) -> SQLError {
    error.interruption ?? damage("rows \(error.existing) and \(error.row) have the same key")
  }

  private static func damage(_ reason: String) -> SQLError {
    SQLError(
      .dataCorrupted, "the database's file is damaged", detail: "A table's record: \(reason).",
      hint: "Nothing was changed. Restore the database from a backup.")
  }

  private func check(_ table: TableStore, _ parentLimits: [Int]) throws(SQLError) {
    guard table.rowCount == start else {
      throw Self.damage("it is for \(start) positions, and there are \(table.rowCount)")
    }
    let named = [
      (deleted, deletedCount), (updatedRows, updatedCount), (movedRows, movedCount),
    ]
    for (rows, count) in named {
      for index in 0..<count where !table.isLive(rows[index]) {
        throw Self.damage("row \(rows[index]) is not there")
      }
    }
    func check(_ parents: Buffer<UInt32>, _ count: Int, _ reference: Int) throws(SQLError) {
      let limit = parentLimits[reference]
      for index in 0..<count where parents[index] != TableStore.noRow {
        guard Int(parents[index]) < limit else {
          throw Self.damage("row \(parents[index]) of a parent is not there")
        }
      }
    }
    for move in moved { try check(move.parents, movedCount, move.reference) }
    for chunk in chunks {
      for (reference, parents) in chunk.parents.enumerated() {
        try check(parents, chunk.rows.count, reference)
      }
    }
  }

  private func append(
    _ chunk: Chunk, to writer: TableWriter, maintainingIndexes: Bool
  ) throws(KeyConflict) {
    guard let mask = chunk.mask else {
      try writer.append(
        chunk.rows, parents: chunk.parents, maintainingIndexes: maintainingIndexes)
      return
    }
    var (place, row) = (0, 0)
    while place < chunk.count {
      let isLive = mask.contains(UInt32(place))
      var end = place + 1
      while end < chunk.count && mask.contains(UInt32(end)) == isLive { end += 1 }
      if isLive {
        let kept = Buffer((row..<(row + end - place)).map { UInt32($0) })
        try writer.append(
          chunk.rows.gathered(kept, count: end - place),
          parents: chunk.parents.map { $0.slice(row..<(row + end - place)) },
          maintainingIndexes: maintainingIndexes)
        row += end - place
      } else {
        try skip(end - place, writer)
      }
      place = end
    }
  }

  /// Passes over positions whose rows were deleted before they were committed, or never were.
  private func skip(_ count: Int, _ writer: TableWriter) throws(KeyConflict) {
    let columns = writer.current.types.map { type in
      var builder = VectorBuilder(type, capacity: count)
      for _ in 0..<count { builder.append(.null) }
      return builder.finish()
    }
    let range = try writer.append(
      DataChunk(columns, count: count), maintainingIndexes: false)
    writer.delete(Buffer(range.map { UInt32($0) }), count: count)
  }
}
