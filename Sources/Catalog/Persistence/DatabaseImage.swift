import Columnar
package import Diagnostics
package import Durability
import Storage

/// A whole version of a database as a snapshot: the catalog, where the sequences stand, and the rows of all tables, a
/// section for each 131,072 of them.
package enum DatabaseImage {
  /// Rows to a section: a row group.
  private static let sectionRowCount = TableStore.pageCapacity * TableStore.pagesPerRowGroup

  // MARK: Writing

  /// Writes a version.
  ///
  /// - Throws: the disk's errors.
  package static func write(
    _ version: DatabaseVersion, sequences: [ObjectID: SequencePosition],
    _ checkpoint: PendingCheckpoint, to file: inout FileWriter
  ) throws(SQLError) {
    var snapshot = try SnapshotWriter(
      checkpoint.identity, baseSequence: checkpoint.baseSequence, into: &file)
    var writer = ByteWriter()
    writer.append(word: version.number)
    version.catalog.encode(into: &writer)
    let lasting = sequences.filter { version.catalog.sequences[$0.key] != nil }
    write(lasting.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, into: &writer)
    let tables = version.lastingTables
    writer.append(list: tables) { writer, definition in
      writer.append(half: definition.id.number)
      writer.append(count: version.tables[definition.id]?.rowCount ?? 0)
    }
    try snapshot.append(.catalog, writer.bytes, to: &file)
    for definition in tables {
      guard let table = version.tables[definition.id] else { continue }
      var row = 0
      while row < table.rowCount {
        let end = min(table.rowCount, row + sectionRowCount)
        writer.removeAll()
        TableRecord.write(positions: row..<end, of: table, into: &writer)
        try snapshot.append(.rows, table: definition.id.number, writer.bytes, to: &file)
        row = end
      }
    }
    try snapshot.finish(&file)
  }

  static func write(
    _ sequences: [(id: ObjectID, position: SequencePosition)], into writer: inout ByteWriter
  ) {
    writer.append(list: sequences) { writer, sequence in
      writer.append(half: sequence.id.number)
      writer.append(number: sequence.position.value)
      writer.append(flag: sequence.position.isCalled)
    }
  }

  // MARK: Reading

  /// The version that a snapshot holds.
  ///
  /// - Throws: XX001 if it is damaged, 0A000 if it is of a newer format.
  package static func read(
    _ file: SnapshotFile, _ counters: SequenceCounters
  ) throws(SQLError) -> DatabaseVersion {
    let snapshot = try SnapshotReader(file)
    guard let first = snapshot.sections.first, first.kind == .catalog else {
      throw .damaged("snapshot", path: file.path, "It has no catalog.")
    }
    var reader = try snapshot.contents(of: first)
    let number = try reader.word()
    let catalog = try CatalogSnapshot(decoding: &reader)
    let sequences = try readSequences(&reader)
    var rowCounts: [ObjectID: Int] = [:]
    for _ in 0..<(try reader.count(ofElements: 5)) {
      let id = ObjectID(try reader.half())
      let count = try reader.count()
      guard catalog.tables[id] != nil, count <= TableStore.rowLimit,
        rowCounts.updateValue(count, forKey: id) == nil
      else { throw reader.damage("there is no table \(id.number)") }
    }
    try reader.finish()
    var tables = emptyTables(of: catalog, keeping: [:])
    for (id, table) in try load(snapshot, catalog, rowCounts) { tables[id] = table }
    for (id, table) in tables where table.rowCount != rowCounts[id] ?? 0 {
      throw .damaged("snapshot", path: file.path, "Rows of table \(id.number) are missing.")
    }
    restore(sequences, of: catalog, in: counters)
    return DatabaseVersion(number: number, catalog: catalog, tables: tables)
  }

  /// The tables whose rows the sections hold, one behind another.
  private static func load(
    _ snapshot: SnapshotReader, _ catalog: CatalogSnapshot, _ rowCounts: [ObjectID: Int]
  ) throws(SQLError) -> [ObjectID: TableStore] {
    var tables: [ObjectID: TableStore] = [:]
    var current: (definition: TableDefinition, writer: TableWriter)?
    for section in snapshot.sections.dropFirst() {
      var reader = try snapshot.contents(of: section)
      let id = ObjectID(section.table)
      guard section.kind == .rows, let definition = catalog.tables[id], tables[id] == nil else {
        throw reader.damage("a section belongs to no table")
      }
      if let other = current, other.definition.id != id {
        tables[other.definition.id] = try TableChange.finish(other.writer)
        current = nil
      }
      let writer = current?.writer ?? TableWriter(definition.emptyStore)
      current = (definition, writer)
      let change = try TableChange(
        &reader, types: definition.columns.map(\.type),
        referenceCount: definition.foreignKeys.count)
      try reader.finish()
      try change.load(into: writer, parentLimits: definition.parentLimits(rowCounts))
    }
    if let current { tables[current.definition.id] = try TableChange.finish(current.writer) }
    return tables
  }

  static func readSequences(
    _ reader: inout ByteReader
  ) throws(SQLError) -> [(id: ObjectID, position: SequencePosition)] {
    var sequences: [(id: ObjectID, position: SequencePosition)] = []
    for _ in 0..<(try reader.count(ofElements: 13)) {
      let id = ObjectID(try reader.half())
      let value = try reader.number()
      sequences.append((id, SequencePosition(value: value, isCalled: try reader.flag())))
    }
    return sequences
  }

  /// A table for each definition: those that are as it says, and empty ones for the others.
  static func emptyTables(
    of catalog: CatalogSnapshot, keeping known: [ObjectID: TableStore]
  ) -> [ObjectID: TableStore] {
    var tables: [ObjectID: TableStore] = [:]
    for definition in catalog.tables.values {
      let types = definition.columns.map(\.type)
      if let table = known[definition.id], table.types == types, table.layout == definition.layout {
        tables[definition.id] = table
      } else {
        tables[definition.id] = definition.emptyStore
      }
    }
    return tables
  }

  /// Puts sequences where they stood, within the bounds that they have.
  static func restore(
    _ sequences: [(id: ObjectID, position: SequencePosition)], of catalog: CatalogSnapshot,
    in counters: SequenceCounters
  ) {
    for (id, position) in sequences where catalog.sequences[id] != nil {
      counters.restore(id, position)
    }
  }
}
