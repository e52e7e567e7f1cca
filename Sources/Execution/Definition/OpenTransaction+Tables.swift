import Catalog
import Columnar
import Diagnostics
import Storage

/// What definitions do to the stored rows of tables.
///
/// Rows keep their positions through all of it but TRUNCATE, since rows of other tables refer to them by
/// position.
extension OpenTransaction {
  /// Adds a table without rows.
  func createTable(_ table: TableDefinition) throws(SQLError) {
    catalog.put(table)
    setTable(table.id, TableStore(types: table.columns.map(\.type), layout: table.layout))
  }

  func dropTable(_ id: ObjectID) {
    catalog.removeTable(id)
    setTable(id, nil)
  }

  /// Gives a new table without constraints its rows, column by column on all cores.
  ///
  /// With `adopting` it takes over pages of other tables: for a transaction that has changed no rows, which could change them again
  /// where they are.
  func load(
    _ chunks: [DataChunk], into table: TableDefinition, adopting: Bool
  ) throws(SQLError) {
    let writer = try writer(of: table.id)
    // What is loaded at once can be cancelled between.
    var start = 0
    while start < chunks.count {
      try RunningStatement.check()
      let end = min(chunks.count, start + 256)
      writer.load(Array(chunks[start..<end]), adopting: adopting)
      start = end
    }
    if writer.current.rowCount > 0 { writer.finishLoading() }
  }

  /// Adds rows to a table that has no constraints yet.
  func append(_ chunk: DataChunk, to table: TableDefinition) throws(SQLError) {
    let writer = try writer(of: table.id)
    try Self.unconflicted { () throws(KeyConflict) in _ = try writer.append(chunk) }
  }

  /// The rows of a table page by page, without deleted ones.
  func chunks(of id: ObjectID) throws(SQLError) -> [DataChunk] {
    guard let store = try? readableTable(id) else { return [] }
    let columns = Array(store.types.indices)
    var chunks: [DataChunk] = []
    for page in 0..<store.pageCount {
      try RunningStatement.check()
      let chunk = store.scan(page: page, columns: columns)
      if chunk.count > 0 { chunks.append(chunk) }
    }
    return chunks
  }

  /// Puts a definition in place whose keys, indices or foreign keys are others, and builds what is new.
  ///
  /// Of new foreign keys the rows without a parent stay without; `checkForeignKey` finds them.
  /// - Throws: 23505 if a new unique key does not hold.
  func setDefinition(_ table: TableDefinition) throws(SQLError) {
    let old = catalog.tables[table.id]
    catalog.put(table)
    let writer = try writer(of: table.id)
    let layout = table.layout
    if writer.current.layout == layout { return }
    var parents: [Int: Buffer<UInt32>] = [:]
    for (index, key) in table.foreignKeys.enumerated() {
      if old?.foreignKeys.contains(where: { $0.name == key.name && $0.columns == key.columns })
        == true
      {
        continue
      }
      parents[index] = try allParents(key, of: table, writer.current)
    }
    do throws(KeyConflict) {
      try writer.setLayout(layout, parents: parents)
    } catch {
      throw duplicate(error, table, writer.current)
    }
  }

  private func duplicate(
    _ conflict: KeyConflict, _ table: TableDefinition, _ store: TableStore
  ) -> SQLError {
    if let interruption = conflict.interruption { return interruption }
    guard let index = store.key(violatedBy: conflict), index < table.keys.count else {
      return SQLError(.uniqueViolation, "could not create unique index")
    }
    let key = table.keys[index]
    let position = Buffer<UInt32>(repeating: conflict.row, count: 1)
    let values = key.columns.map { store.gather(position, count: 1, column: $0) }
    return Violations.notUnique(key, of: table, row: 0, in: values)
  }

  /// The parent of each position of a table, deleted ones included.
  private func allParents(
    _ key: ForeignKeyConstraint, of table: TableDefinition, _ store: TableStore
  ) throws(SQLError) -> Buffer<UInt32> {
    let result = try Buffer<UInt32>(
      repeatingInSlices: TableStore.noRow, count: max(store.rowCount, 1))
    for page in 0..<store.pageCount {
      try RunningStatement.check()
      let chunk = store.scan(page: page, columns: key.columns)
      guard chunk.count > 0 else { continue }
      let positions = store.positions(ofPage: page)
      let found = try ParentLookup.find(
        chunk.columns.map { $0.flattened() }, count: chunk.count, key, of: table, in: self)
      for row in 0..<chunk.count {
        result[positions.positions[row]] = found.parents[row]
      }
    }
    return result
  }

  /// - Throws: 23505 `could not create unique index` for the first key that stands twice.
  func checkUnique(_ table: TableDefinition, _ key: KeyConstraint) throws(SQLError) {
    let store = try readableTable(table.id)
    let types = key.columns.map { table.columns[$0].type }
    let groups = GroupTable(types: types)
    for page in 0..<store.pageCount {
      try RunningStatement.check()
      var chunk = store.scan(page: page, columns: key.columns)
      if !key.nullsNotDistinct {
        let kept = Buffer<UInt32>(uninitialized: max(chunk.count, 1))
        var found = 0
        for row in 0..<chunk.count where chunk.columns.allSatisfy({ $0.isValid(row) }) {
          kept[found] = UInt32(truncatingIfNeeded: row)
          found += 1
        }
        chunk = chunk.gathered(SelectionVector(kept, count: found))
      }
      guard chunk.count > 0 else { continue }
      let fresh = try groups.insertNew(chunk.columns, count: chunk.count)
      if fresh.count < chunk.count {
        let row = Int(fresh.complement(of: chunk.count).positions[0])
        throw Violations.notUnique(key, of: table, row: row, in: chunk.columns)
      }
    }
  }

  /// - Throws: 23503 for the first row without a parent.
  func checkForeignKey(_ table: TableDefinition, _ index: Int) throws(SQLError) {
    let key = table.foreignKeys[index]
    guard let parent = catalog.tables[key.parent] else { return }
    let store = try readableTable(table.id)
    for page in 0..<store.pageCount {
      try RunningStatement.check()
      let chunk = store.scan(page: page, columns: key.columns)
      guard chunk.count > 0 else { continue }
      let values = chunk.columns.map { $0.flattened() }
      let found = try ParentLookup.find(values, count: chunk.count, key, of: table, in: self)
      if found.missing.count > 0 {
        throw Violations.missingParent(
          key, of: table, parent: parent, row: Int(found.missing.positions[0]), in: values)
      }
    }
  }

  // MARK: Columns

  /// Adds a last column; `parts` are the values of its live rows, page by page.
  func addColumn(_ parts: [Vector], newDefinition table: TableDefinition) throws(SQLError) {
    let writer = try writer(of: table.id)
    guard let type = table.columns.last?.type else { return }
    writer.addColumn(type, values: try spread(parts, type, writer.current))
    catalog.put(table)
  }

  /// Gives a column other values and perhaps another type.
  func replaceColumn(
    _ index: Int, by parts: [Vector], newDefinition table: TableDefinition
  ) throws(SQLError) {
    let writer = try writer(of: table.id)
    let type = table.columns[index].type
    let values = try spread(parts, type, writer.current)
    do throws(KeyConflict) {
      try writer.replaceColumn(index, type: type, values: values)
    } catch {
      throw duplicate(error, table, writer.current)
    }
    catalog.put(table)
    // Whether a child finds its parent may depend on the types.
    for (place, key) in table.foreignKeys.enumerated() where key.columns.contains(index) {
      try relink(table, place, writer)
    }
  }

  private func relink(
    _ table: TableDefinition, _ index: Int, _ writer: TableWriter
  ) throws(SQLError) {
    let parents = try allParents(table.foreignKeys[index], of: table, writer.current)
    do throws(KeyConflict) {
      try writer.setLayout(table.layout, parents: [index: parents])
    } catch {
      throw duplicate(error, table, writer.current)
    }
  }

  /// Takes a column away; the definition is already without it.
  func removeColumn(_ index: Int, newDefinition table: TableDefinition) throws(SQLError) {
    let writer = try writer(of: table.id)
    // Indices over the column must go before it: what is left, still counted with the column in place.
    var layout = table.layout
    let restored = { (columns: [Int]) in columns.map { $0 >= index ? $0 + 1 : $0 } }
    for key in layout.keys.indices { layout.keys[key].columns = restored(layout.keys[key].columns) }
    for reference in layout.references.indices {
      layout.references[reference].columns = restored(layout.references[reference].columns)
    }
    if layout != writer.current.layout {
      try Self.unconflicted { () throws(KeyConflict) in try writer.setLayout(layout) }
    }
    writer.dropColumn(index)
    catalog.put(table)
  }

  /// One vector for all positions: the live rows' values, NULL for deleted rows.
  private func spread(
    _ parts: [Vector], _ type: LogicalType, _ store: TableStore
  ) throws(SQLError) -> Vector {
    if store.rowCount == store.liveRowCount, !parts.isEmpty {
      return try Vector.concatenateInSlices(parts.map { $0.retyped(type) }, type: type)
    }
    var builder = VectorBuilder(type, capacity: store.rowCount)
    var part = 0
    for page in 0..<store.pageCount {
      let rows = store.rowCount(ofPage: page)
      let live = store.liveRows(ofPage: page) ?? .all(rows)
      guard live.count > 0, part < parts.count else {
        for _ in 0..<rows { builder.appendNull() }
        continue
      }
      let places = Buffer<UInt32>(repeating: .max, count: rows)
      for row in 0..<live.count { places[live.positions[row]] = UInt32(truncatingIfNeeded: row) }
      builder.append(parts[part].retyped(type).flattened().gatheredOptional(places, count: rows))
      part += 1
    }
    return builder.finish()
  }

  /// Takes all rows away.
  func truncate(_ table: TableDefinition) throws(SQLError) {
    try writer(of: table.id).truncate()
  }

  /// Runs what cannot break a key.
  private static func unconflicted(
    _ body: () throws(KeyConflict) -> Void
  ) throws(SQLError) {
    do throws(KeyConflict) {
      try body()
    } catch {
      if let interruption = error.interruption { throw interruption }
      throw .internal("an index refused rows that it has held before")
    }
  }
}
