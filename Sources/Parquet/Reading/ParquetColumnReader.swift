package import Columnar
package import Diagnostics

/// Reads a column of a row group, some rows at a time.
///
/// One thread at a time uses a reader. It holds a page or two of each leaf and the dictionary; what it returns keeps the pages
/// alive that its texts stand in.
package final class ParquetColumnReader {
  package let column: ParquetColumn
  /// How many rows no one has read yet.
  package private(set) var rowsLeft: Int
  private let leaves: [LeafReader]
  private let place: Place
  private var assembler: JSONAssembler?

  init(_ file: ParquetFile, _ index: Int, _ group: Int) throws(SQLError) {
    column = file.columns[index]
    place = Place(file: file.name, column: column.name, rowGroup: group)
    let rowGroup = file.metadata.rowGroups[group]
    rowsLeft = Int(rowGroup.rowCount)
    let forms: [ValueForm]
    switch column.shape {
    case .flat(let form), .list(_, let form): forms = [form]
    case .json(let all): forms = all
    }
    var leaves: [LeafReader] = []
    for (leaf, form) in zip(column.node.leaves, forms) {
      let chunk = rowGroup.chunks[leaf]
      let node = file.leaves[leaf]
      guard chunk.valueCount >= rowGroup.rowCount,
        node.repetitionLevel > 0 || chunk.valueCount == rowGroup.rowCount
      else {
        throw place.error(
          Damage("it has \(chunk.valueCount) values for \(rowGroup.rowCount) rows"))
      }
      leaves.append(
        try LeafReader(
          file.bytes, chunk, leaf: node, form: form, dataEnd: file.dataEnd, place: place))
    }
    self.leaves = leaves
    if case .json = column.shape { assembler = JSONAssembler(column.node) }
  }

  /// The values of the next `count` rows.
  ///
  /// Texts of a column chunk with a dictionary come as an `indirect` vector over it; all else is flat, exact numbers of up to
  /// eighteen digits as 64-bit ones (see `Vector.decimals`). After an error the reader is of no use any more.
  ///
  /// With `memory`, texts of a dictionary are flat as well, and values stand in it.
  ///
  /// - Precondition: `count` is at most `rowsLeft`.
  /// - Throws: 22P04 for a damaged file, 0A000 for what is not read, 22003 and others for values that no type of SQL holds, 57014, 53200.
  package func read(
    _ count: Int, in memory: MemoryStretches? = nil
  ) throws(SQLError) -> Vector {
    precondition(count >= 0 && count <= rowsLeft, "only rows that are left can be read")
    try RunningStatement.reserve(count * column.type.type.physical.stride)
    defer {
      rowsLeft -= count
      if rowsLeft == 0 { for leaf in leaves { leaf.close() } }
    }
    switch column.shape {
    case .flat: return try leaves[0].readFlat(count, in: memory)
    case .list(let levels, _):
      return ListAssembly.vector(
        try leaves[0].readEntries(rows: count), rows: count, levels, column.type.type)
    case .json:
      var entries: [LeafEntries] = []
      for leaf in leaves { entries.append(try leaf.readEntries(rows: count)) }
      do throws(Damage) {
        return try assembler?.vector(entries, rows: count) ?? .null(.json, count: count)
      } catch { throw place.error(error) }
    }
  }

  /// Passes over the next `count` rows; of a column of one value a row only the pages are unpacked in which they begin or end.
  ///
  /// - Precondition: `count` is at most `rowsLeft`.
  /// - Throws: as `read`.
  package func skip(_ count: Int) throws(SQLError) {
    precondition(count >= 0 && count <= rowsLeft, "only rows that are left can be passed over")
    if column.isFlat {
      defer { rowsLeft -= count }
      return try leaves[0].skipFlat(count)
    }
    var left = count
    while left > 0 {
      let length = min(left, Vector.pageCapacity)
      _ = try read(length)
      left -= length
    }
  }
}

/// Makes arrays of the entries of a leaf.
enum ListAssembly {
  static func vector(
    _ entries: LeafEntries, rows: Int, _ levels: ListLevels, _ type: LogicalType
  ) -> Vector {
    let slices = Buffer<ListSlice>(uninitialized: max(rows, 1))
    var validity = ValidityMask.allValid
    let words = Buffer<UInt64>(zeroed: max(1, ValidityMask.wordCount(entries.count)))
    let greatest = UInt8(entries.leaf.definitionLevel)
    var row = -1
    var start = 0
    var count = 0
    var present = 0
    for entry in 0..<entries.count {
      let level = entries.definition[entry]
      if entries.repetition[entry] == 0 {
        if row >= 0 { slices[row] = slice(start, count) }
        row += 1
        start = count
        if Int(level) < levels.list { validity.setNull(row, count: rows) }
      }
      if Int(level) < levels.element { continue }
      if level == greatest {
        words[count &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: count & 63)
        present += 1
      }
      count += 1
    }
    if row >= 0 { slices[row] = slice(start, count) }
    return Vector(
      type: type, count: rows, storage: slices.block, validity: validity,
      children: [elements(entries.values, count, present, words)], heaps: entries.values.heaps)
  }

  private static func slice(_ start: Int, _ end: Int) -> ListSlice {
    ListSlice(offset: UInt32(start), count: UInt32(end - start))
  }

  /// The values that are there, with NULLs between them.
  private static func elements(
    _ values: Vector, _ count: Int, _ present: Int, _ words: Buffer<UInt64>
  ) -> Vector {
    let values = values.flattened()
    if present == count { return values }
    let stride = values.type.physical.stride
    let block = MemoryBlock(byteCount: count * stride)
    block.buffer(of: UInt8.self).copy(
      values.storage.buffer(of: UInt8.self), count: present * stride, to: 0)
    Spreading.spread(block, stride: stride, from: 0, count: count, present: present, by: words)
    return Vector(
      type: values.type, count: count, storage: block, validity: ValidityMask(words: words),
      heaps: values.heaps)
  }
}
