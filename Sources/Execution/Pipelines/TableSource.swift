package import Catalog
package import Diagnostics
package import Storage

/// Where operators find the stored tables that a run sees.
package protocol TableSource: AnyObject, Sendable {
  /// The version of a table's data that the run sees.
  ///
  /// - Throws: XX000 for a table that is not there.
  func table(_ id: ObjectID) throws(SQLError) -> TableStore
  /// A number that no other source of the process has; never 0.
  var identity: UInt64 { get }
  /// Where it is noted what a run reads; nil where nobody asks.
  var reads: ReadNotes? { get }
  /// The same version for a caller who notes what it reads of the table.
  ///
  /// - Throws: as `table`.
  func unnotedTable(_ id: ObjectID) throws(SQLError) -> TableStore
}

extension DatabaseVersion: TableSource {
  package func table(_ id: ObjectID) throws(SQLError) -> TableStore {
    guard let table = tables[id] else { throw SQLError.internal("table \(id) has no data") }
    return table
  }
}

/// A fixed set of tables.
package final class TableSet: TableSource {
  private let tables: [ObjectID: TableStore]
  package let identity = DatabaseVersion.nextIdentity()

  package init(_ tables: [ObjectID: TableStore] = [:]) { self.tables = tables }

  package func table(_ id: ObjectID) throws(SQLError) -> TableStore {
    guard let table = tables[id] else { throw SQLError.internal("table \(id) has no data") }
    return table
  }
}
