package import Columnar
package import Storage

extension TableRecord {
  /// Writes what adds one row behind the last one of a table, the same bytes as for a version that has it.
  ///
  /// - Parameters:
  ///   - row: the values.
  ///   - parents: for each reference the position of the parent's row.
  ///   - table: the table without the row.
  ///   - writer: takes the bytes.
  package static func write(
    _ row: RowImage, parents: Buffer<UInt32>, behind table: TableStore,
    into writer: inout ByteWriter
  ) {
    writer.append(count: table.rowCount + 1)
    // Nothing is deleted, updated or moved.
    writer.append(positions: 0)
    writer.append(positions: 0)
    writer.append(count: 0)
    writer.append(positions: 0)
    writer.append(count: 0)
    writer.append(count: table.rowCount)
    writer.append(count: 1)
    // The one chunk, of one row that is there.
    writer.append(count: 1)
    writer.append(flag: false)
    for column in table.types.indices {
      write(row, column, table.types[column].physical, into: &writer)
    }
    for reference in table.layout.references.indices {
      let parent = parents[reference]
      writer.append(packed: parent == TableStore.noRow ? -1 : Int64(parent))
    }
  }

  /// Writes one value, as `VectorCodec` does a vector of one.
  private static func write(
    _ row: RowImage, _ column: Int, _ type: PhysicalType, into writer: inout ByteWriter
  ) {
    let isNull = row.isNull(column)
    writer.append(flag: isNull)
    if isNull { writer.append(word: 0) }
    let number = row.number(column)
    switch type {
    case .bool: writer.append(byte: UInt8(truncatingIfNeeded: number))
    case .int16, .int32, .int64: writer.append(packed: number)
    case .float: writer.append(half: UInt32(truncatingIfNeeded: number))
    case .double: writer.append(number: number)
    case .uuid: writer.append(Buffer(repeating: row.uuid(column), count: 1), count: 1)
    case .text:
      let bytes = row.textBytes(column)
      writer.append(packed: Int64(bytes.count))
      writer.append(raw: bytes)
    case .numeric, .interval, .list, .record:
      preconditionFailure("an image has no such value")
    }
  }
}

extension ByteWriter {
  /// `PackedNumbers` of one number.
  fileprivate mutating func append(packed number: Int64) {
    append(number: number)
    append(byte: 0)
  }

  /// Packed positions of none.
  fileprivate mutating func append(positions count: Int) {
    append(count: count)
    append(packed: 0)
  }
}
