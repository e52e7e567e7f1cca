import Columnar
package import Storage

/// What a commit does to the rows of one table, as bytes: by positions and values, so that doing it again needs neither
/// SQL nor a plan.
///
/// ```
/// rows      the positions that the table then has
/// deleted   packed positions
/// updated   packed positions, and for each column that some of them differ in its index and a vector
/// moved     packed positions, and for each reference that some of them differ in its index and packed positions
///           of the parents (-1 for none)
/// appended  where the first one stands, then chunks of up to 2,048 rows: how many positions, a flag and a
///           mask if some were deleted already, and of the others each column as a vector and for each
///           reference packed positions of parents
/// ```
package enum TableRecord {
  private static let chunkCapacity = TableStore.pageCapacity

  // MARK: Writing

  /// Writes what makes `new` out of the version that `changes` are since.
  package static func write(
    _ changes: RowChanges, of new: TableStore, into writer: inout ByteWriter
  ) {
    writer.append(count: changes.appended.upperBound)
    write(positions: changes.deleted, into: &writer)
    // Together, so that a key over several columns is whole when it is looked at again.
    let updated = Set(changes.updated.flatMap(\.rows)).sorted()
    write(positions: updated, into: &writer)
    let rows = Buffer(updated)
    writer.append(list: changes.updated) { writer, update in
      writer.append(count: update.column)
      VectorCodec.write(
        new.gather(rows, count: updated.count, column: update.column), into: &writer)
    }
    let moved = Set(changes.reparented.flatMap(\.rows)).sorted()
    write(positions: moved, into: &writer)
    let children = Buffer(moved)
    writer.append(list: changes.reparented) { writer, move in
      writer.append(count: move.reference)
      let parents = new.parents(of: children, count: moved.count, reference: move.reference)
      write(parents: parents, count: moved.count, into: &writer)
    }
    writer.append(count: changes.appended.lowerBound)
    writer.append(count: changes.appended.count)
    var row = changes.appended.lowerBound
    while row < changes.appended.upperBound {
      let pageEnd = (row / chunkCapacity + 1) * chunkCapacity
      let end = min(changes.appended.upperBound, pageEnd)
      write(rows: row..<end, of: new, into: &writer)
      row = end
    }
  }

  /// Writes positions of one page.
  private static func write(
    rows: Range<Int>, of table: TableStore, into writer: inout ByteWriter
  ) {
    let kept = Buffer<UInt32>(uninitialized: rows.count)
    let mask = Buffer<UInt64>(zeroed: ValidityMask.wordCount(rows.count))
    var count = 0
    for row in rows {
      let position = UInt32(truncatingIfNeeded: row)
      guard table.isLive(position) else { continue }
      kept[count] = position
      count += 1
      let place = row - rows.lowerBound
      mask[place >> 6] |= 1 << UInt64(place & 63)
    }
    writer.append(count: rows.count)
    writer.append(flag: count < rows.count)
    if count < rows.count { writer.append(mask, count: ValidityMask.wordCount(rows.count)) }
    for column in table.types.indices {
      VectorCodec.write(table.gather(kept, count: count, column: column), into: &writer)
    }
    for reference in table.layout.references.indices {
      let parents = table.parents(of: kept, count: count, reference: reference)
      write(parents: parents, count: count, into: &writer)
    }
  }

  private static func write(positions: [UInt32], into writer: inout ByteWriter) {
    writer.append(count: positions.count)
    let numbers = Buffer(positions.map { Int64($0) })
    PackedNumbers.write(numbers, count: positions.count, into: &writer)
  }

  private static func write(
    parents: Buffer<UInt32>, count: Int, into writer: inout ByteWriter
  ) {
    let numbers = Buffer<Int64>(uninitialized: max(1, count))
    for row in 0..<count {
      numbers[row] = parents[row] == TableStore.noRow ? -1 : Int64(parents[row])
    }
    PackedNumbers.write(numbers, count: count, into: &writer)
  }
}
