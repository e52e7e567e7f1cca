package import Catalog
package import Diagnostics
package import Storage

/// The tables that a run sees, where it is noted what it reads of them.
///
/// Whoever asks for a table is taken to read all of it, so that an operator that knows nothing of notes is noted too much
/// rather than too little.
package final class ObservedTables: TableSource {
  private let tables: any TableSource
  package let reads: ReadNotes?
  package let identity = DatabaseVersion.nextIdentity()

  package init(_ tables: any TableSource, _ reads: ReadNotes) {
    self.tables = tables
    self.reads = reads
  }

  package func table(_ id: ObjectID) throws(SQLError) -> TableStore {
    reads?.note(all: id, .all)
    return try tables.table(id)
  }

  package func unnotedTable(_ id: ObjectID) throws(SQLError) -> TableStore {
    try tables.unnotedTable(id)
  }
}

extension TableSource {
  package var reads: ReadNotes? { nil }

  package func unnotedTable(_ id: ObjectID) throws(SQLError) -> TableStore { try table(id) }

  /// A table of which some columns are read, of any of its rows.
  func table(_ id: ObjectID, reading columns: ColumnMask) throws(SQLError) -> TableStore {
    guard let reads else { return try table(id) }
    reads.note(all: id, columns)
    return try unnotedTable(id)
  }
}
