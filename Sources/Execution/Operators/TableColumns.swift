import Columnar
import Diagnostics
import Planning
import Storage

/// The columns that an access to a table reads, the row's position and codes of columns among them.
struct TableColumns: Sendable {
  /// Indices in the table; `ScanPlan.positionIndex` for the position, `ScanPlan.codeIndex(of:)` for codes.
  let indices: [Int]
  let types: [LogicalType]
  /// Those that are stored.
  let stored: [Int]
  fileprivate let hasPosition: Bool
  /// Those that are read by dictionary.
  private let coded: [Int]

  init(_ columns: [ScanPlan.Column]) {
    self.init(indices: columns.map(\.index), types: columns.map(\.column.type))
  }

  /// One of them by itself.
  func only(_ place: Int) -> TableColumns {
    TableColumns(indices: [indices[place]], types: [types[place]])
  }

  private init(indices: [Int], types: [LogicalType]) {
    self.indices = indices
    self.types = types
    stored = indices.filter { $0 >= 0 }
    hasPosition = indices.contains(ScanPlan.positionIndex)
    coded = indices.compactMap(ScanPlan.codedColumn)
  }

  /// Whether columns are read that are not stored.
  fileprivate var hasOthers: Bool { hasPosition || !coded.isEmpty }

  /// The dictionaries of a table that are read.
  ///
  /// - Throws: 57014, 53200, when one is made.
  func dictionaries(of table: TableStore) throws(SQLError) -> [ColumnCodes] {
    var found: [ColumnCodes] = []
    for column in coded { found.append(try table.codes(of: column)) }
    return found
  }

  /// Goes through the pages of a table; nil where more is read than what is stored.
  func scanner(of table: TableStore) -> TableScanner? {
    hasOthers ? nil : TableScanner(table, columns: stored, types: types)
  }

  /// The live rows of a page.
  ///
  /// - Throws: 57014, 53200, when a dictionary is made.
  func scan(_ page: Int, of table: TableStore) throws(SQLError) -> DataChunk {
    if !hasOthers { return typed(table.scan(page: page, columns: stored)) }
    let rows = table.positions(ofPage: page)
    let chunk = table.scan(page: page, columns: stored)
    return completed(chunk, rows.positions, try dictionaries(of: table), count: rows.count)
  }

  /// The rows at some positions, for an estimate.
  ///
  /// - Throws: 57014, 53200, when a dictionary is made.
  func sample(
    _ positions: Buffer<UInt32>, count: Int, of table: TableStore
  ) throws(SQLError) -> DataChunk {
    let columns = stored.map { table.column($0).look(positions, count: count) }
    let chunk = DataChunk(columns, count: count)
    if !hasOthers { return typed(chunk) }
    return completed(chunk, positions, try dictionaries(of: table), count: count)
  }

  /// A stored column may go by another type of the same form, such as a domain's.
  private func typed(_ chunk: DataChunk) -> DataChunk {
    var chunk = chunk
    for column in chunk.columns.indices where chunk.columns[column].type != types[column] {
      chunk.columns[column] = chunk.columns[column].retyped(types[column])
    }
    return chunk
  }

  /// The stored columns with the rows' positions and codes where they belong.
  fileprivate func completed(
    _ chunk: DataChunk, _ positions: Buffer<UInt32>, _ dictionaries: [ColumnCodes], count: Int,
    optional: Bool = false
  ) -> DataChunk {
    var columns: [Vector] = []
    var next = 0
    var nextCoded = 0
    for (place, index) in indices.enumerated() {
      if index == ScanPlan.positionIndex {
        columns.append(Vector(.integer, positions.slice(0..<count), count: count))
      } else if index < 0 {
        columns.append(
          dictionaries[nextCoded].gather(
            positions, count: count, type: types[place], optional: optional))
        nextCoded += 1
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
  /// How one column is read: plain bytes, so that a look-up counts no references.
  private struct Reading: BitwiseCopyable, Sendable {
    /// For a column whose values follow from the position.
    let serial: SerialColumn?
    /// nil for values that do not stand on their pages, as lists.
    let reader: ColumnReader?
    /// Whether values can be written to memory that is there.
    let writes: Bool
    /// Whether values may stand on disk alone.
    let isLazy: Bool

    init(serial: SerialColumn?, reader: ColumnReader?, isLazy: Bool) {
      self.serial = serial
      self.reader = reader
      self.isLazy = isLazy
      writes = serial != nil || reader?.writes ?? false
    }

    /// Writes the values at `positions`, and says whether those are all: not where some may be missing.
    @inline(__always)
    func write(_ positions: Buffer<UInt32>, count: Int, to block: MemoryBlock) -> Bool {
      if let serial {
        serial.write(positions, count: count, to: block)
        return true
      }
      return reader.map { !$0.write(positions, count: count, to: block) } ?? false
    }
  }

  private let read: TableColumns
  private let stores: [ColumnStore]
  private let dictionaries: [ColumnCodes]
  private let readings: [Reading]
  /// The types of the columns as they are stored.
  private let types: [LogicalType]
  /// Whether the columns read are not just those that are stored, in their types: there may be the position, codes, or
  /// another type of the same form, such as a domain's.
  private let isChanged: Bool
  /// Whether the position is among the columns.
  let givesPositions: Bool
  var isEmpty: Bool { read.indices.isEmpty }
  /// The number of columns.
  var count: Int { read.indices.count }

  /// - Throws: 57014, 53200, when a dictionary is made.
  init(_ read: TableColumns, of table: TableStore) throws(SQLError) {
    self.read = read
    dictionaries = try read.dictionaries(of: table)
    stores = read.stored.map { table.column($0) }
    readings = zip(stores, read.stored).map { store, index in
      Reading(
        serial: table.serialColumn(index), reader: store.reader, isLazy: store.isLazy)
    }
    types = stores.map(\.type)
    givesPositions = read.hasPosition
    isChanged = read.hasOthers || types != read.types
  }

  /// The rows at `positions`; with `optional`, `TableStore.noRow` gives NULLs.
  ///
  /// - Complexity: O(*n*) in rows for each column.
  func gather(_ positions: Buffer<UInt32>, count: Int, optional: Bool = false) -> [Vector] {
    var columns: [Vector] = []
    columns.reserveCapacity(readings.count)
    for place in readings.indices {
      if !optional {
        if let serial = readings[place].serial {
          let values = serial.values(positions, count: count)
          columns.append(Vector(type: types[place], count: count, storage: values))
          continue
        }
        if readings[place].isLazy, let read = stores[place].scattered(positions, count: count) {
          columns.append(read)
          continue
        }
        if let moved = readings[place].reader?.values(positions, count: count) {
          columns.append(
            Vector(
              type: types[place], count: count, storage: moved.block,
              validity: moved.validity
                ?? (moved.mayHaveNulls
                  ? stores[place].validity(positions, count: count) : .allValid),
              digits: moved.digits))
          continue
        }
      }
      columns.append(stores[place].gather(positions, count: count, optional: optional))
    }
    return isChanged ? changed(columns, positions, count, optional: optional) : columns
  }

  /// Columns with room for so many rows, none of them written.
  func room(for rows: Int) -> [Vector] { read.types.map { .room(for: rows, of: $0) } }

  /// The rows at `positions`, in the memory of those that an earlier call gave where nobody else holds them: in the columns from
  /// `start` on.
  ///
  /// New memory has room for `room` rows.
  ///
  /// - Precondition: `count` is at most `room`, and there are as many columns from `start` on.
  /// - Complexity: O(*n*) in rows for each column; nothing is allocated where all columns stand by themselves.
  func gather(
    _ positions: Buffer<UInt32>, count: Int, over columns: inout [Vector], from start: Int = 0,
    room: Int
  ) {
    if isChanged {
      for (place, column) in gather(positions, count: count).enumerated() {
        columns[start + place] = column
      }
      return
    }
    // Stores and readings are looked at in their places: a copy would count each of their parts.
    let (ownStores, ownReadings) = (self.stores, self.readings)
    let stores = ownStores.span
    let readings = ownReadings.span
    for place in readings.indices {
      if readings[place].isLazy, readings[place].serial == nil,
        let read = stores[place].scattered(positions, count: count)
      {
        columns[start &+ place] = read
        continue
      }
      if readings[place].writes {
        if !columns[start &+ place].reuse(rows: count) {
          columns[start &+ place] = .room(for: room, of: types[place])
          _ = columns[start &+ place].reuse(rows: count)
        }
        if readings[place].write(positions, count: count, to: columns[start &+ place].storage) {
          continue
        }
      }
      columns[start &+ place] = stores[place].gather(positions, count: count)
    }
  }

  private func changed(
    _ stored: [Vector], _ positions: Buffer<UInt32>, _ count: Int, optional: Bool
  ) -> [Vector] {
    if read.hasOthers {
      return read.completed(
        DataChunk(stored, count: count), positions, dictionaries, count: count, optional: optional
      ).columns
    }
    return zip(stored, read.types).map { $0.retyped($1) }
  }
}
