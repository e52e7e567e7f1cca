import Columnar
package import Diagnostics
package import Durability
import Storage

/// A whole version of a database as a snapshot: the catalog, where the sequences stand, and the sections of all tables.
package enum DatabaseImage {
  // MARK: Writing

  /// Writes a version.
  ///
  /// - Throws: the disk's errors, and XX001 if something was found to be damaged in the snapshot that the version was
  ///   opened from, be it while it is copied.
  package static func write(
    _ version: DatabaseVersion, sequences: [ObjectID: SequencePosition],
    _ checkpoint: PendingCheckpoint, damage: SnapshotDamage?, to file: inout FileWriter
  ) throws(SQLError) {
    try damage?.check()
    let snapshot = try SnapshotWriter(
      checkpoint.identity, baseSequence: checkpoint.baseSequence, into: &file)
    var writer = ByteWriter()
    writer.append(word: version.number)
    version.catalog.encode(into: &writer)
    let lasting = sequences.filter { version.catalog.sequences[$0.key] != nil }
    write(lasting.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, into: &writer)
    // The longest first: the disk has much to do from the beginning on, and little when all is made.
    let rowCounts = version.tables.mapValues(\.rowCount)
    let tables = version.lastingTables.sorted {
      (rowCounts[$1.id] ?? 0, $0.id) < (rowCounts[$0.id] ?? 0, $1.id)
    }
    writer.append(list: tables) { writer, definition in
      writer.append(half: definition.id.number)
      writer.append(count: rowCounts[definition.id] ?? 0)
    }
    try snapshot.append(.catalog, writer.bytes)
    var sections: [SectionTask] = []
    for definition in tables {
      guard let table = version.tables[definition.id] else { continue }
      sections += TableImage.sections(
        of: table, id: definition.id.number, parentLimits: definition.parentLimits(rowCounts))
    }
    try snapshot.append(sections)
    // What stands for something damaged is never to take its place.
    try damage?.check()
    try snapshot.finish()
  }

  static func write(
    _ sequences: [(id: ObjectID, position: SequencePosition)], into writer: inout ByteWriter
  ) {
    writer.append(count: sequences.count)
    // In a loop of our own: most commits move none, and a list of a type that the writer does not know took a tenth of
    // the time of their record.
    for sequence in sequences {
      writer.append(half: sequence.id.number)
      writer.append(number: sequence.position.value)
      writer.append(flag: sequence.position.isCalled)
    }
  }

  // MARK: Reading

  /// The version that a snapshot holds, whose rows are read when they are first touched.
  ///
  /// What is found to be damaged then is noted in `damage`; with `verifying` all of it is compared with its checksums
  /// now.
  ///
  /// - Throws: XX001 if it is damaged, 0A000 if it is of a newer format.
  package static func read(
    _ file: SnapshotFile, _ counters: SequenceCounters, _ damage: SnapshotDamage,
    verifying: Bool
  ) throws(SQLError) -> DatabaseVersion {
    let snapshot = try OpenedSnapshot(try SnapshotReader(file), damage, verifying: verifying)
    let sections = snapshot.reader.sections
    guard let first = sections.first, first.kind == .catalog else {
      throw .damaged("snapshot", path: file.path, "It has no catalog.")
    }
    var reader = try snapshot.reader.contents(of: first)
    let number = try reader.word()
    let catalog = try CatalogSnapshot(decoding: &reader)
    let sequences = try readSequences(&reader)
    var rowCounts: [ObjectID: Int] = [:]
    var ids: [ObjectID] = []
    for _ in 0..<(try reader.count(ofElements: 5)) {
      let id = ObjectID(try reader.half())
      let count = try reader.count()
      guard catalog.tables[id] != nil, count <= TableStore.rowLimit,
        rowCounts.updateValue(count, forKey: id) == nil
      else { throw reader.damage("there is no table \(id.number)") }
      ids.append(id)
    }
    try reader.finish()
    var tables = emptyTables(of: catalog, keeping: [:])
    var next = 1
    for id in ids {
      guard next < sections.count, let definition = catalog.tables[id] else {
        throw .damaged("snapshot", path: file.path, "Rows of table \(id.number) are missing.")
      }
      (tables[id], next) = try snapshot.table(
        next, id: id.number, definition.columns.map(\.type), definition.layout,
        rowCount: rowCounts[id] ?? 0, parentLimits: definition.parentLimits(rowCounts))
    }
    guard next == sections.count else {
      throw .damaged("snapshot", path: file.path, "Sections belong to no table.")
    }
    restore(sequences, of: catalog, in: counters)
    return DatabaseVersion(number: number, catalog: catalog, tables: tables)
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
