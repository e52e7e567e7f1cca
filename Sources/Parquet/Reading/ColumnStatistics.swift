package import Columnar

/// What a file says of a column's values in one row group: enough to pass over the row group.
///
/// Whoever wrote the file may have lied: who skips rows by these trusts the file, as every reader of the format does.
package struct ParquetStatistics: Sendable {
  /// No value is less, a text cut off perhaps; nil where that is not known.
  package let minimum: Value?
  /// No value is greater; nil where that is not known, as for floating-point numbers: bounds leave NaN out, which is greater
  /// than all others in SQL.
  package let maximum: Value?
  /// How many rows are NULL; nil where that is not known.
  package let nullCount: Int?
  /// Whether some row has the least value.
  package let isMinimumReached: Bool
  /// Whether some row has the greatest value.
  package let isMaximumReached: Bool

  /// Nothing is known.
  package static let none = ParquetStatistics(
    minimum: nil, maximum: nil, nullCount: nil, isMinimumReached: false, isMaximumReached: false)
}

extension ParquetFile {
  /// What the file says of a column's values in a row group.
  ///
  /// Bounds are there for columns of one value a row, and only where the order of the file is that of SQL.
  package func statistics(ofColumn column: Int, inRowGroup group: Int) -> ParquetStatistics {
    let column = columns[column]
    guard case .flat(let form) = column.shape else { return .none }
    let rowGroup = metadata.rowGroups[group]
    let stored = rowGroup.chunks[column.node.leaves.lowerBound].statistics
    let nullCount = stored.nullCount.flatMap {
      (0...rowGroup.rowCount).contains($0) ? Int($0) : nil
    }
    let isOrdered = metadata.hasColumnOrders && form.isOrderedAsStored
    let isOldOrdered = form.isOrderedAsOldStored
    let least = (isOrdered ? stored.minimum : nil) ?? (isOldOrdered ? stored.oldMinimum : nil)
    let greatest = (isOrdered ? stored.maximum : nil) ?? (isOldOrdered ? stored.oldMaximum : nil)
    var minimum = least.flatMap { bound($0, column.node, form) }
    var maximum = greatest.flatMap { bound($0, column.node, form) }
    // A NaN says that the writer did not know what to do with it.
    if minimum?.isNaN ?? false { minimum = nil }
    if form == .real || form == .double { maximum = nil }
    // Writers cut texts off, and may say where they did not; numbers they leave as they are.
    return ParquetStatistics(
      minimum: minimum, maximum: maximum, nullCount: nullCount,
      isMinimumReached: minimum != nil && (isOldOrdered || stored.isMinimumExact),
      isMaximumReached: maximum != nil && (isOldOrdered || stored.isMaximumExact))
  }

  /// The value of a bound, which is stored as by PLAIN but for the length of a text.
  private func bound(_ range: Range<Int>, _ leaf: SchemaNode, _ form: ValueForm) -> Value? {
    guard range.count <= 1 << 16 else { return nil }
    if form == .boolean {
      return range.count == 1 ? .boolean(footer[range.lowerBound] != 0) : nil
    }
    var bytes = footer.bytes(range).array
    if leaf.stored == .byteArray {
      let length = UInt32(bytes.count)
      bytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) } + bytes
    }
    let count = bytes.count
    let buffer = Buffer(bytes + [UInt8](repeating: 0, count: FileBytes.slack))
    let page = Page(
      bytes: buffer, isDictionary: false, valueCount: 1, encoding: .plain,
      repetitionLevels: 0..<0, definitionLevels: 0..<0, values: 0..<count)
    let block = MemoryBlock(byteCount: form.stride, zeroed: true)
    var heaps: [TextHeap] = []
    var conversion = ValueConversion(form)
    do throws(Damage) {
      let values = try PageValues(page, of: leaf)
      try conversion.read(1, from: values, into: block, at: 0, &heaps)
      guard values.position == count else { return nil }
    } catch { return nil }
    return form.vector(block, count: 1, validity: .allValid, heaps: heaps).value(at: 0)
  }
}

extension Value {
  fileprivate var isNaN: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value): value.isNaN
    case .null, .boolean, .int16, .int32, .int64, .numeric, .interval, .uuid, .text, .list,
      .record:
      false
    }
  }
}

extension ValueForm {
  /// Whether bounds in the order that the format gives the type are bounds in SQL.
  fileprivate var isOrderedAsStored: Bool {
    switch self {
    case .boolean, .smallint, .integer, .unsigned32, .unsigned64, .bigint, .real, .double, .date,
      .time, .timestamp, .decimal32, .decimal64, .decimalBytes, .text, .bytes, .uuid:
      true
    case .half, .dayTimestamp, .json, .interval, .null: false
    }
  }

  /// Whether the bounds of older writers, in the order of signed numbers, are bounds in SQL.
  fileprivate var isOrderedAsOldStored: Bool {
    switch self {
    case .boolean, .smallint, .integer, .bigint, .real, .double, .date, .time, .timestamp,
      .decimal32, .decimal64:
      true
    case .unsigned32, .unsigned64, .half, .dayTimestamp, .decimalBytes, .text, .json, .bytes,
      .uuid, .interval, .null:
      false
    }
  }
}
