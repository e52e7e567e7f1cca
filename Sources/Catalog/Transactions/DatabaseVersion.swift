package import Storage
import Synchronization

/// Everything a reader can see of a database at one moment; never changes as long as anybody holds it.
///
/// Sendable by rule: `DatabaseState` makes the next version out of one that nobody else holds, and no other way
/// leads to a change.
package final class DatabaseVersion: @unchecked Sendable {
  /// Rises by one with every commit that changed something.
  package private(set) var number: UInt64
  package let catalog: CatalogSnapshot
  package private(set) var tables: [ObjectID: TableStore]
  /// A number that no other version of the process has, also none of another database; never 0.
  ///
  /// Atomic, as every look-up reads it and a plain property would be guarded against writers each time.
  package var identity: UInt64 { currentIdentity.load(ordering: .relaxed) }

  private let currentIdentity = Atomic<UInt64>(DatabaseVersion.nextIdentity())

  private static let lastIdentity = Atomic<UInt64>(0)

  package static func nextIdentity() -> UInt64 {
    lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue
  }

  package init(number: UInt64, catalog: CatalogSnapshot, tables: [ObjectID: TableStore]) {
    self.number = number
    self.catalog = catalog
    self.tables = tables
  }

  /// Becomes the next version by changing one row in place.
  ///
  /// - Precondition: the caller alone holds the version, in which the change was looked at.
  func advance(_ change: any SingleRowChange, season: UInt64) {
    guard var store = tables[change.table] else { return }
    if store.home != season {
      store = store.ownCopy(home: season)
      tables[change.table] = store
    }
    change.apply(to: RowWriter(store))
    number += 1
    currentIdentity.store(Self.nextIdentity(), ordering: .relaxed)
  }

  /// The next version, in which one row is changed.
  ///
  /// - Parameters:
  ///   - change: the change, looked at in this version, which stays as it is.
  ///   - season: what the changed table is to belong to.
  /// - Returns: a version that nobody else has.
  func next(_ change: any SingleRowChange, season: UInt64) -> DatabaseVersion {
    var tables = tables
    if let store = tables[change.table]?.ownCopy(home: season) {
      change.apply(to: RowWriter(store))
      tables[change.table] = store
    }
    return DatabaseVersion(number: number + 1, catalog: catalog, tables: tables)
  }
}
