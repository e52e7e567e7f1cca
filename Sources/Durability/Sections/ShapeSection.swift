import Columnar
import Diagnostics
import Storage

/// What is known of a table without its rows: enough to plan any query.
///
/// ```
/// rows        positions (count), of which not deleted (count)
/// masks       list: page (count), 256 bytes: bit set = not deleted
/// columns     list, of each column and behind it the fields of a composite type: list of row groups with full pages:
///             a flag and bounds (least and greatest key, 8 each; values, NULLs, 4 each), 512 registers of a sketch
/// statistics  list, of each column: a flag and the least and greatest key (8 each), NULLs (count), different
///             values (8, a double)
/// keys        list: 0; or 1, base (8), room, keys, first serial number, serial numbers (counts); or 2, rows,
///             different keys (counts)
/// references  list: a flag and the difference between values and positions (4)
/// adjacency   list: pages of 64 sources, edges (counts)
/// ```
enum ShapeSection {
  static func write(_ shape: TableShape, _ types: [LogicalType]) -> SectionWriter {
    var writer = ByteWriter()
    writer.append(count: shape.rowCount)
    writer.append(count: shape.liveRowCount)
    writer.append(list: shape.masks) { writer, item in
      writer.append(count: item.page)
      writer.append(item.mask, count: maskWordCount)
    }
    writer.append(list: shape.columns) { writer, groups in
      writer.append(list: groups) { writer, group in
        writer.append(optional: group.zone, append)
        writer.append(group.registers, count: GroupSummary.registerCount)
      }
    }
    writer.append(list: Array(zip(shape.statistics, types))) { writer, item in
      let known = item.0
      var bounds: (UInt64, UInt64)?
      if let low = known.minimum, let high = known.maximum,
        let least = ZoneKeys.key(low), let greatest = ZoneKeys.key(high)
      {
        bounds = (least, greatest)
      }
      writer.append(optional: bounds) { writer, bounds in
        writer.append(word: bounds.0)
        writer.append(word: bounds.1)
      }
      writer.append(count: known.nullCount)
      writer.append(word: (known.distinctCount ?? Double(shape.rowCount)).bitPattern)
    }
    writer.append(list: shape.keys, append)
    writer.append(list: shape.biases) { writer, bias in
      writer.append(optional: bias) { $0.append(half: $1) }
    }
    writer.append(list: shape.adjacencies) { writer, index in
      writer.append(count: index.pageCount)
      writer.append(count: index.edgeCount)
    }
    var section = SectionWriter(capacity: writer.count)
    section.append(writer.bytes)
    return section
  }

  private static let maskWordCount = TableStore.pageCapacity / 64

  private static func append(_ writer: inout ByteWriter, _ zone: Zone) {
    writer.append(word: zone.minimum)
    writer.append(word: zone.maximum)
    writer.append(half: zone.valueCount)
    writer.append(half: zone.nullCount)
  }

  private static func append(_ writer: inout ByteWriter, _ key: KeyShape) {
    switch key {
    case .empty: writer.append(byte: 0)
    case .dense(let base, let room, let count, let serialStart, let serialCount):
      writer.append(byte: 1)
      writer.append(number: base)
      for number in [room, count, serialStart, serialCount] { writer.append(count: number) }
    case .hash(let count, let keyCount):
      writer.append(byte: 2)
      writer.append(count: count)
      writer.append(count: keyCount)
    }
  }

  // MARK: Reading

  static func read(
    _ reader: inout ByteReader, _ types: [LogicalType]
  ) throws(SQLError) -> TableShape {
    var shape = TableShape()
    shape.rowCount = try reader.count()
    shape.liveRowCount = try reader.count()
    guard shape.rowCount <= TableStore.rowLimit, shape.liveRowCount <= shape.rowCount else {
      throw reader.damage("a table has too many rows")
    }
    let pageCount = (shape.rowCount + TableStore.pageCapacity - 1) / TableStore.pageCapacity
    var last = -1
    for _ in 0..<(try reader.count(ofElements: 1 + 8 * maskWordCount)) {
      let page = try reader.count()
      guard page > last, page < pageCount else {
        throw reader.damage("a mask has no page")
      }
      last = page
      let mask = try reader.buffer(of: UInt64.self, count: maskWordCount)
      // Rows that are added are not deleted.
      let rows = min(TableStore.pageCapacity, shape.rowCount - page * TableStore.pageCapacity)
      for row in rows..<TableStore.pageCapacity {
        mask.insert(UInt32(row))
      }
      shape.masks.append((page, mask))
    }
    try checkLiveRows(shape, reader)
    shape.columns = try reader.list { (reader) throws(SQLError) in
      try reader.list { (reader) throws(SQLError) in
        let zone = try reader.optional(zone)
        return GroupSummary(zone: zone, registers: try reader.raw(GroupSummary.registerCount))
      }
    }
    guard try reader.count() == types.count else { throw reader.damage("columns are missing") }
    for type in types { shape.statistics.append(try statistics(&reader, type, shape)) }
    shape.keys = try reader.list(key)
    shape.biases = try reader.list { (reader) throws(SQLError) in
      try reader.optional { (reader) throws(SQLError) in try reader.half() }
    }
    shape.adjacencies = try reader.list { (reader) throws(SQLError) in
      (pageCount: try reader.count(), edgeCount: try reader.count())
    }
    try reader.finish()
    return shape
  }

  /// Sees that so many rows are live as are counted; who goes through them makes room for those.
  private static func checkLiveRows(
    _ shape: TableShape, _ reader: ByteReader
  ) throws(SQLError) {
    var deleted = 0
    for (page, mask) in shape.masks {
      let rows = min(TableStore.pageCapacity, shape.rowCount - page * TableStore.pageCapacity)
      for row in 0..<rows where !mask.contains(UInt32(row)) { deleted += 1 }
    }
    guard shape.liveRowCount == shape.rowCount - deleted else {
      throw reader.damage("rows are deleted that are counted")
    }
  }

  private static func zone(_ reader: inout ByteReader) throws(SQLError) -> Zone {
    var zone = Zone()
    zone.minimum = try reader.word()
    zone.maximum = try reader.word()
    zone.valueCount = try reader.half()
    zone.nullCount = try reader.half()
    return zone
  }

  private static func statistics(
    _ reader: inout ByteReader, _ type: LogicalType, _ shape: TableShape
  ) throws(SQLError) -> ColumnStatistics {
    let bounds = try reader.optional { (reader) throws(SQLError) in
      (try reader.word(), try reader.word())
    }
    let nulls = try reader.count()
    let distinct = Double(bitPattern: try reader.word())
    guard nulls <= shape.rowCount, distinct.isFinite, distinct >= 0 else {
      throw reader.damage("statistics are impossible")
    }
    return ColumnStatistics(
      minimum: bounds.flatMap { ZoneKeys.value($0.0, type) },
      maximum: bounds.flatMap { ZoneKeys.value($0.1, type) }, nullCount: nulls,
      distinctCount: distinct)
  }

  private static func key(_ reader: inout ByteReader) throws(SQLError) -> KeyShape {
    switch try reader.byte() {
    case 0: return .empty
    case 1:
      return .dense(
        base: try reader.number(), room: try reader.count(), count: try reader.count(),
        serialStart: try reader.count(), serialCount: try reader.count())
    case 2: return .hash(count: try reader.count(), keyCount: try reader.count())
    default: throw reader.damage("there is no such index")
    }
  }
}
