import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// Rows found through a key index.
final class KeyAccess: TableAccess {
  /// A version of the table: constants, so that a look-up counts no references.
  private final class Opened: Sendable {
    let store: TableStore
    let key: KeyIndex
    let search: KeySearch
    let numbers: NumberReader?
    let columns: ColumnReaders

    init(
      _ store: TableStore, key: KeyIndex, _ search: KeySearch, _ read: TableColumns
    ) throws(SQLError) {
      self.store = store
      self.search = search
      self.key = key
      numbers = key.numberReader
      columns = try ColumnReaders(read, of: store)
    }
  }

  private let table: TableDefinition
  private let read: TableColumns
  private let keyColumns: [Int]
  private var opened: Opened?
  /// Where the position of a row that is found by itself is written.
  private let found = Buffer<UInt32>(uninitialized: 1)

  init(_ table: TableDefinition, _ columns: [ScanPlan.Column], keyColumns: [Int]) {
    self.table = table
    read = TableColumns(columns)
    self.keyColumns = keyColumns
  }

  override var types: [LogicalType] { read.types }

  override var isUnique: Bool { opened?.key.key.isUnique ?? false }

  override var takesNumber: Bool { keyColumns.count == 1 && table.isWhole(keyColumns[0]) }

  override func find(_ tables: any TableSource) throws(SQLError) {
    let store = try table(table.id, in: tables)
    let index = try Self.keyIndex(of: store, over: keyColumns)
    let search = try KeySearch(index, of: table, in: store) { (id) throws(SQLError) in
      try table(id, in: tables)
    }
    opened = try Opened(store, key: store.keys[index], search, read)
  }

  private func current() throws(SQLError) -> Opened {
    guard let opened else { throw SQLError.internal("a look-up ran before its start") }
    return opened
  }

  override func matches(_ keys: [Vector], count: Int) throws(SQLError) -> Matches {
    let opened = try current()
    let columns = opened.key.key.columns
    let ordered = Self.ordered(keys, keyColumns, as: columns).map { $0.flattened() }
    try Self.check(ordered, columns, of: opened.store)
    let found = try opened.search.pairs(ordered, count: count)
    if let reads {
      reads.note(keys: ordered, count: count, columns: columns, of: opened.store, table.id)
      reads.note(
        rows: found.positions, count: found.count, of: opened.store, table.id,
        ColumnMask(read).union(ColumnMask(columns)))
    }
    return Matches(
      rows: found.rows, positions: found.positions, neighbours: found.positions,
      count: found.count)
  }

  override func positions(
    of keys: [Vector], count: Int
  ) throws(SQLError) -> (positions: Buffer<UInt32>, count: Int) {
    let found = try matches(keys, count: count)
    return (found.positions, found.count)
  }

  override var positionTable: TableStore { get throws(SQLError) { try current().store } }

  override func forEachStretch(
    number: Int64, _ body: (Stretch) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    let opened = try current()
    if let numbers = opened.numbers {
      let position = numbers.position(of: number)
      if position == TableStore.noRow { return true }
      let found = Buffer(repeating: position, count: 1)
      return try body(Stretch(positions: found, neighbours: found, count: 1))
    }
    let first = opened.key.lookup(number, in: opened.store)
    if first == TableStore.noRow { return true }
    var positions = [first]
    if !opened.key.key.isUnique {
      var next = opened.key.next(after: first)
      while next != TableStore.noRow {
        positions.append(next)
        next = opened.key.next(after: next)
      }
    }
    let found = Buffer(positions)
    return try body(Stretch(positions: found, neighbours: found, count: positions.count))
  }

  override func shortRows(number: Int64, over chunk: inout DataChunk) throws(SQLError) -> Bool {
    let opened = try current()
    guard let numbers = opened.numbers else { return false }
    let position = numbers.position(of: number)
    found[0] = position
    chunk.count = bit(position != TableStore.noRow)
    if chunk.columns.count != opened.columns.count {
      chunk.columns = opened.columns.room(for: Self.shortRowRoom)
    }
    opened.columns.gather(
      found, count: chunk.count, over: &chunk.columns, room: Self.shortRowRoom)
    return true
  }

  /// A key that is unique finds one row.
  private static let shortRowRoom = 1

  override func countMatches(number: Int64) throws(SQLError) -> Int? {
    try current().numbers.map { bit($0.position(of: number) != TableStore.noRow) }
  }

  override func columns(_ stretch: Stretch) throws(SQLError) -> [Vector] {
    try current().columns.gather(stretch.positions, count: stretch.count)
  }
}
