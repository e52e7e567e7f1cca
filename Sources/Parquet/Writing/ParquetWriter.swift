package import Columnar
package import Diagnostics

/// Writes vectors as a parquet file.
///
/// ```
/// let writer = try ParquetWriter(columns) { bytes, count in … }
/// try writer.append(chunk)
/// try writer.finish()
/// ```
///
/// Rows wait in memory, encoded, until a row group is full. One thread at a time uses a writer.
package final class ParquetWriter {
  /// A column of the file.
  package struct Column: Sendable {
    package let name: String
    package let type: ColumnType
    package let isNullable: Bool

    package init(_ name: String, _ type: ColumnType, isNullable: Bool = true) {
      self.name = name
      self.type = type
      self.isNullable = isNullable
    }
  }

  /// What the file is like.
  package struct Options: Sendable {
    /// Whether pages are packed by snappy.
    package var isSnappy = false
    /// Whether values that repeat are written once.
    package var makesDictionaries = true
    /// A row group has no more rows, and takes few more bytes.
    package var rowGroupRowsMax = 1 << 20
    package var rowGroupBytesMax = 128 << 20

    package init() {}
  }

  /// Takes the first so many bytes of a buffer, which nobody changes afterwards.
  package typealias Drain = (Buffer<UInt8>, _ count: Int) throws(SQLError) -> Void

  private let given: [Column]
  private let options: Options
  private let drain: Drain
  private var columns: [WrittenColumn] = []
  private var encoders: [ColumnEncoder] = []
  private var groups: [WrittenRowGroup] = []
  private var offset = 0
  private var rowCount = 0
  private var groupRowCount = 0
  private var isFinished = false
  /// The first rows, as long as the scale of some numbers is not settled.
  private var awaiting: [DataChunk]? = []
  private var awaitingCount = 0

  /// So many rows are looked at to tell how many digits stand behind the point of a number without a declared scale.
  private static let sampleCount = 1 << 16
  /// Rows are encoded so many at a time.
  private static let stretch = 1 << 14

  /// Begins a file with these columns.
  ///
  /// A numeric without precision and scale is written as `numeric(38, s)`, where *s* is the most digits behind the point of the first
  /// 65,536 rows.
  ///
  /// - Throws: 42701 for two columns of one name, and what the drain throws.
  package init(
    _ columns: [Column], _ options: Options = Options(), _ drain: @escaping Drain
  ) throws(SQLError) {
    given = columns
    self.options = options
    self.drain = drain
    var names: Set<String> = []
    for column in columns where !names.insert(column.name).inserted {
      throw SQLError(
        .duplicateColumn, "column \"\(column.name)\" would stand in the parquet file twice",
        hint: "Name the columns of the query apart with AS.")
    }
    try write(Array("PAR1".utf8))
    if !columns.contains(where: { Self.isOpen($0.type) }) { settle() }
  }

  /// Whether a type does not say how many digits stand behind the point.
  private static func isOpen(_ type: ColumnType) -> Bool {
    let scalar = type.type.element ?? type.type
    return scalar == .numeric && type.modifier == .none
  }

  /// Adds rows.
  ///
  /// - Throws: 22003, 22008 and 23502 with the row's number for values that cannot be written, and what the drain throws.
  package func append(_ chunk: DataChunk) throws(SQLError) {
    precondition(
      !isFinished && chunk.columns.count == given.count, "a chunk has the columns of the file")
    if awaiting != nil {
      awaiting?.append(chunk)
      awaitingCount += chunk.count
      if awaitingCount >= Self.sampleCount { try settleAwaiting() }
      return
    }
    var start = 0
    while start < chunk.count {
      let length = min(
        chunk.count - start, Self.stretch, options.rowGroupRowsMax - groupRowCount)
      try RunningStatement.check()
      for (vector, encoder) in zip(chunk.columns, encoders) {
        let part = length == chunk.count ? vector : vector.slice(from: start, count: length)
        try encoder.append(part.compactFlattened(), row: rowCount)
      }
      start += length
      rowCount += length
      groupRowCount += length
      let held = encoders.reduce(0) { $0 + $1.heldByteCount }
      if groupRowCount >= options.rowGroupRowsMax || held >= options.rowGroupBytesMax {
        try endRowGroup()
      }
    }
  }

  /// Writes what is left, and the footer.
  ///
  /// - Throws: as `append`.
  package func finish() throws(SQLError) {
    if isFinished { return }
    try settleAwaiting()
    isFinished = true
    if groupRowCount > 0 { try endRowGroup() }
    var writer = CompactWriter()
    writer.footer(columns, groups, rowCount: rowCount)
    var tail = writer.bytes
    let length = UInt32(tail.count)
    tail.append(bytesOf: length.littleEndian)
    try write(tail + Array("PAR1".utf8))
  }

  // MARK: Row groups

  private func endRowGroup() throws(SQLError) {
    var chunks: [WrittenChunk] = []
    for (index, encoder) in encoders.enumerated() {
      let (pieces, chunk) = encoder.finish(at: offset)
      encoders[index] = ColumnEncoder(encoder.column, options)
      for piece in pieces {
        try RunningStatement.check()
        try drain(piece.bytes, piece.count)
        offset += piece.count
      }
      chunks.append(chunk)
    }
    groups.append(WrittenRowGroup(rowCount: groupRowCount, chunks: chunks))
    groupRowCount = 0
  }

  private func write(_ bytes: [UInt8]) throws(SQLError) {
    try drain(Buffer(bytes), bytes.count)
    offset += bytes.count
  }

  // MARK: Scales

  private func settleAwaiting() throws(SQLError) {
    guard let chunks = awaiting else { return }
    settle()
    for chunk in chunks { try append(chunk) }
  }

  /// Settles the types of the columns.
  private func settle() {
    let chunks = awaiting ?? []
    awaiting = nil
    for (index, column) in given.enumerated() {
      var type = column.type
      if Self.isOpen(type) {
        let scale = chunks.reduce(0) { max($0, Self.scale($1.columns[index])) }
        type.modifier = .numeric(
          precision: Int32(Numeric.digitCountMax), scale: Int32(scale))
      }
      columns.append(
        WrittenColumn(name: column.name, type: type, isNullable: column.isNullable))
    }
    encoders = columns.map { ColumnEncoder($0, options) }
  }

  /// The most digits behind the point.
  private static func scale(_ vector: Vector) -> Int {
    if vector.type.physical == .list {
      return scale(vector.flattened().children[0])
    }
    if let decimals = vector.decimals { return Int(decimals) }
    var scale = 0
    for row in 0..<vector.count where vector.isValid(row) {
      scale = max(scale, Int(vector.numeric(at: vector.position(row)).scale))
    }
    return scale
  }
}
