package import Diagnostics
package import Durability
import Storage

/// What a commit changes, as bytes of the log.
///
/// That is the catalog if it is another one, the sequences that have moved on, and for each table what is done to its
/// rows. Doing it again needs neither names nor plans.
///
/// ```
/// number      of the version that the commit makes, or of the one that is there if only sequences move (8 bytes)
/// catalog     a flag, and the whole catalog if it has changed
/// sequences   each one's id (4), value (8) and whether that was given
/// tables      each one's id (4), whether it begins anew, and a `TableRecord`
/// ```
///
/// Temporary tables are not in it.
package enum CommitRecord {
  /// Where sequences stand that have moved on since the last commit.
  package typealias MovedSequences = [(id: ObjectID, position: SequencePosition)]

  /// Writes what makes `new` out of `old`; nothing at all if no lasting object differs.
  package static func write(
    from old: DatabaseVersion, to new: DatabaseVersion,
    sequences: MovedSequences, into writer: inout ByteWriter
  ) {
    writer.append(word: new.number)
    let isOther = old.catalog.version != new.catalog.version
    writer.append(flag: isOther)
    if isOther { new.catalog.encode(into: &writer) }
    DatabaseImage.write(sequences, into: &writer)
    let changed = new.lastingTables.filter { old.tables[$0.id] !== new.tables[$0.id] }
    writer.append(list: changed) { writer, definition in
      guard let table = new.tables[definition.id] else { return }
      writer.append(half: definition.id.number)
      let changes = old.tables[definition.id].flatMap { table.changes(since: $0) }
      writer.append(flag: changes == nil)
      TableRecord.write(
        changes ?? RowChanges(appended: 0..<table.rowCount), of: table, into: &writer)
    }
  }

  /// Writes what changes one row of a table of `old`.
  package static func write(
    _ event: RowEvent, of id: ObjectID, to old: DatabaseVersion, sequences: MovedSequences,
    into writer: inout ByteWriter
  ) {
    let table = old.catalog.tables[id]?.isTemporary == false ? old.tables[id] : nil
    write(
      sequences: sequences, at: old.number + 1, tableCount: table == nil ? 0 : 1, into: &writer)
    guard let table else { return }
    writer.append(half: id.number)
    writer.append(flag: false)
    switch event {
    case .insert(let row, let parents):
      TableRecord.write(row, parents: parents, behind: table, into: &writer)
    case .delete(let position):
      var changes = RowChanges(appended: table.rowCount..<table.rowCount)
      changes.deleted = [position]
      TableRecord.write(changes, of: table, into: &writer)
    }
  }

  /// Writes nothing but where sequences stand in the version of that number, unless tables follow.
  package static func write(
    sequences: MovedSequences, at number: UInt64, tableCount: Int = 0,
    into writer: inout ByteWriter
  ) {
    writer.append(word: number)
    writer.append(flag: false)
    DatabaseImage.write(sequences, into: &writer)
    writer.append(count: tableCount)
  }

  /// The version that a commit made, out of the one before it.
  ///
  /// - Throws: XX001 for anything but a record of a commit to that version.
  package static func apply(
    _ reader: inout ByteReader, to old: DatabaseVersion, _ counters: SequenceCounters
  ) throws(SQLError) -> DatabaseVersion {
    let number = try reader.word()
    guard number >= old.number, number < .max >> 1 else {
      throw reader.damage("version \(number) follows version \(old.number)")
    }
    let catalog = try reader.flag() ? try CatalogSnapshot(decoding: &reader) : old.catalog
    let sequences = try DatabaseImage.readSequences(&reader)
    var tables = DatabaseImage.emptyTables(of: catalog, keeping: old.tables)
    let changes = try readChanges(&reader, catalog, &tables)
    try reader.finish()
    guard number > old.number || (catalog.version == old.catalog.version && changes.isEmpty) else {
      throw reader.damage("version \(number) is changed")
    }
    var rowCounts = tables.mapValues(\.rowCount)
    for (id, change) in changes { rowCounts[id] = change.rowCount }
    for (id, change) in changes {
      guard let table = tables[id], let definition = catalog.tables[id] else { continue }
      tables[id] = try change.apply(to: table, parentLimits: definition.parentLimits(rowCounts))
    }
    DatabaseImage.restore(sequences, of: catalog, in: counters)
    return DatabaseVersion(number: number, catalog: catalog, tables: tables)
  }

  private static func readChanges(
    _ reader: inout ByteReader, _ catalog: CatalogSnapshot, _ tables: inout [ObjectID: TableStore]
  ) throws(SQLError) -> [(id: ObjectID, change: TableChange)] {
    var changes: [(id: ObjectID, change: TableChange)] = []
    for _ in 0..<(try reader.count(ofElements: 5)) {
      let id = ObjectID(try reader.half())
      guard let definition = catalog.tables[id], !changes.contains(where: { $0.id == id }) else {
        throw reader.damage("there is no table \(id.number)")
      }
      if try reader.flag() { tables[id] = definition.emptyStore }
      let change = try TableChange(
        &reader, types: definition.columns.map(\.type),
        referenceCount: definition.foreignKeys.count)
      changes.append((id, change))
    }
    return changes
  }
}

extension DatabaseVersion {
  /// The tables that outlive the session, by id.
  var lastingTables: [TableDefinition] {
    catalog.tables.values.filter { !$0.isTemporary && tables[$0.id] != nil }
      .sorted { $0.id < $1.id }
  }
}

extension TableDefinition {
  /// The table without rows.
  var emptyStore: TableStore { TableStore(types: columns.map(\.type), layout: layout) }

  /// For each foreign key the positions of the parent's table.
  func parentLimits(_ rowCounts: [ObjectID: Int]) -> [Int] {
    foreignKeys.map { rowCounts[$0.parent] ?? 0 }
  }
}
