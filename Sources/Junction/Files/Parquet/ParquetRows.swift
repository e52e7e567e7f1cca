import Catalog
import Columnar
import Diagnostics
import Parquet
import Synchronization

/// The rows of parquet files of the same columns, of which only some columns are wanted.
struct ParquetRows {
  private let files: [ParquetFile]
  /// The columns that are read.
  private(set) var columns: [ParquetColumn]

  /// A row group, of which several are read at a time if they are small.
  private struct Unit {
    let file: ParquetFile
    let group: Int
    /// The places of the wanted columns in the file.
    let places: [Int]
    /// The rows before it.
    let start: Int
    var rowCount: Int { file.rowGroups[group].rowCount }
  }

  /// So many values are read side by side.
  private static let valuesMax = 1 << 22
  /// So many rows of a row group that has more values are read at a time.
  private static let stretch = 1 << 17

  /// - Throws: 22P04 for a file that has other columns than the first.
  init(_ files: [ParquetFile]) throws(SQLError) {
    self.files = files
    let first = files[0].columns
    columns = first
    for file in files.dropFirst() {
      for column in first where !file.columns.contains(where: { $0.isLike(column) }) {
        throw SQLError(
          .badCopyFileFormat,
          "file \"\(file.name)\" has no column \"\(column.name)\" of type \(column.type.name), as "
            + "others beside it have",
          hint: "Files that are read as one table have the same columns.")
      }
    }
  }

  /// The row groups of the files.
  var rowGroups: ParquetRowGroups { ParquetRowGroups(files) }

  /// The rows of files whose columns are just those of a table, in the table's order; nil if they are not.
  init?(_ files: [ParquetFile], like wanted: [TableColumn]) throws(SQLError) {
    try self.init(files)
    guard wanted.count == columns.count else { return nil }
    var ordered: [ParquetColumn] = []
    for column in wanted {
      guard let own = columns.first(where: { $0.name == column.name }),
        own.type.type == column.type,
        column.columnType.modifier == .none || column.columnType == own.type,
        column.generated == nil
      else { return nil }
      ordered.append(own)
    }
    columns = ordered
  }

  /// Hands over all rows in their order, decoded by all workers.
  ///
  /// - Throws: what reading throws, and `append`.
  func read(
    _ progress: ((LoadProgress) -> Void)?, _ append: ([DataChunk]) throws(SQLError) -> Void
  ) throws(SQLError) {
    var units: [Unit] = []
    var start = 0
    for file in files {
      let places = columns.compactMap { column in
        file.columns.firstIndex { $0.name == column.name }
      }
      for group in file.rowGroups.indices {
        units.append(Unit(file: file, group: group, places: places, start: start))
        start += file.rowGroups[group].rowCount
      }
    }
    let rowsInAll = start
    if columns.isEmpty { return try Self.addRows(rowsInAll, append) }
    // Few bytes may claim many rows: the least that these come to is asked for before any is read.
    let bytesPerRow = columns.reduce(0) { $0 + Self.leastStride($1.type.type) }
    let (bytesInAll, isTooMuch) = rowsInAll.multipliedReportingOverflow(by: bytesPerRow)
    try RunningStatement.reserve(isTooMuch ? .max : bytesInAll)
    let width = columns.reduce(1) { $0 + $1.type.type.physical.stride }
    let memory = MemoryStretches(min(rowsInAll, Int.max / width) * width)
    var rows = 0
    var next = 0
    while next < units.count {
      let end = windowEnd(units, from: next)
      let window = Array(units[next..<end])
      let tasks = try Self.tasks(window)
      let stretch = window.count > 1 ? Int.max : Self.stretch
      repeat {
        try parallelForThrowing(tasks: tasks.count) { index throws(SQLError) in
          try tasks[index].read(stretch, in: memory)
        }
        for unit in window.indices {
          let first = unit * columns.count
          rows += try self.append(tasks[first..<(first + columns.count)], append)
        }
        progress?(LoadProgress(bytesRead: rows, bytesInAll: rowsInAll, rows: rows))
      } while tasks.contains(where: \.hasMore)
      next = end
    }
  }

  /// The least bytes that a value takes in a table, where texts may be codes and exact numbers short.
  private static func leastStride(_ type: LogicalType) -> Int {
    switch type.physical {
    case .text: 4
    case .numeric: 8
    case .bool, .int16, .int32, .int64, .float, .double, .interval, .uuid, .list, .record:
      type.physical.stride
    }
  }

  /// Rows of no columns, which is all that a count takes.
  private static func addRows(
    _ count: Int, _ append: ([DataChunk]) throws(SQLError) -> Void
  ) throws(SQLError) {
    var left = count
    while left > 0 {
      try RunningStatement.check()
      let rows = min(left, Vector.pageCapacity)
      try append([DataChunk([], count: rows)])
      left -= rows
    }
  }

  /// Where the row groups end that are read together with one: as whole ones, since rows come in order.
  private func windowEnd(_ units: [Unit], from start: Int) -> Int {
    let rowsMax = Self.valuesMax / columns.count
    var end = start + 1
    var rows = units[start].rowCount
    while end < units.count, units[end].rowCount <= rowsMax - rows {
      rows += units[end].rowCount
      end += 1
    }
    return end
  }

  /// What reads the columns of some row groups, one row group behind another.
  private static func tasks(_ units: [Unit]) throws(SQLError) -> [ColumnTask] {
    var tasks: [ColumnTask] = []
    for unit in units {
      for place in unit.places {
        tasks.append(
          try ColumnTask(unit.file, column: place, group: unit.group, start: unit.start))
      }
    }
    return tasks
  }

  /// Hands over what the columns of a row group have read, and says how many rows that is.
  private func append(
    _ columns: ArraySlice<ColumnTask>, _ append: ([DataChunk]) throws(SQLError) -> Void
  ) throws(SQLError) -> Int {
    let vectors = columns.map { $0.takeVectors() }
    let chunks = vectors[0].indices.map { index in
      DataChunk(vectors.map { $0[index] }, count: vectors[0][index].count)
    }
    try append(chunks)
    return chunks.reduce(0) { $0 + $1.count }
  }
}

/// A column of a row group on its way into vectors.
private final class ColumnTask: Sendable {
  private struct State {
    let reader: ParquetColumnReader
    /// The next row, counted over all files.
    var row: Int
    /// What was read last, a chunk's rows in each.
    var vectors: [Vector] = []
  }
  private let state: Mutex<State>
  /// Whether no value is NULL, as the file says.
  private let isWhole: Bool

  /// A column of a row group that begins with row `start`, counted over all files.
  ///
  /// - Throws: 22P04 and 0A000 where the column chunk cannot be read.
  init(_ file: ParquetFile, column: Int, group: Int, start: Int) throws(SQLError) {
    let reader = try file.reader(ofColumn: column, inRowGroup: group)
    isWhole =
      !file.columns[column].isNullable
      || file.statistics(ofColumn: column, inRowGroup: group).nullCount == 0
    state = Mutex(State(reader: reader, row: start))
  }

  var hasMore: Bool { state.withLock { $0.reader.rowsLeft > 0 } }

  /// What was read last.
  func takeVectors() -> [Vector] {
    state.withLock { state in
      defer { state.vectors = [] }
      return state.vectors
    }
  }

  /// Reads about so many rows, in vectors that end where pages of a table do.
  func read(_ count: Int, in memory: MemoryStretches) throws(SQLError) {
    try state.withLock { (state) throws(SQLError) in
      let rows = min(count, state.reader.rowsLeft)
      state.vectors = try state.reader.readPages(
        rows, from: state.row, isWhole: isWhole, in: memory)
      state.row += rows
    }
  }
}

extension ParquetColumnReader {
  /// The next rows, of which the first is row `row` of a table, in flat vectors that end where pages of the table do.
  ///
  /// `isWhole` says that no value is NULL.
  ///
  /// - Throws: as `read`.
  func readPages(
    _ count: Int, from row: Int, isWhole: Bool, in memory: MemoryStretches
  ) throws(SQLError) -> [Vector] {
    let capacity = Vector.pageCapacity
    var vectors: [Vector] = []
    var done = 0
    while done < count {
      let room = capacity - (row + done) % capacity
      let left = count - done
      let pages = isWhole && room == capacity ? max(1, min(left / capacity, Self.pagesMax)) : 1
      let rows = min(left, room + (pages - 1) * capacity)
      done += rows
      let values = try read(rows, in: memory).compactFlattened()
      vectors += pages > 1 ? values.parts(of: capacity) : [values]
    }
    return vectors
  }

  /// So many pages of a column without NULLs are read at once, to memory that costs the system less than that of each page.
  private static var pagesMax: Int { 256 }
}

extension Vector {
  /// A vector's rows, `length` at a time, where they are.
  fileprivate func parts(of length: Int) -> [Vector] {
    guard form == .flat, !mayHaveNulls, children.isEmpty else {
      return stride(from: 0, to: count, by: length).map {
        slice(from: $0, count: min(length, count - $0))
      }
    }
    let width = valueStride
    return stride(from: 0, to: count, by: length).map { start in
      let rows = min(length, count - start)
      return Vector(
        type: type, count: rows,
        storage: MemoryBlock(slicing: storage, from: start * width, byteCount: rows * width),
        heaps: heaps, digits: digits)
    }
  }
}

extension ParquetColumn {
  /// Whether another file's column goes into the same column of a table.
  fileprivate func isLike(_ other: ParquetColumn) -> Bool {
    name == other.name && type.type == other.type.type
  }
}
