package import Diagnostics
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

  /// Becomes the next version by changing one table in place.
  ///
  /// - Precondition: the caller alone holds the version.
  fileprivate func advance(
    _ id: ObjectID, season: UInt64, _ body: RowChangeBody
  ) -> RowChangeOutcome {
    guard var store = tables[id] else { return .refused }
    if store.home != season {
      store = store.ownCopy(home: season)
      tables[id] = store
      // Whatever the change comes to, nobody is to take this table for the one that it was copied from.
      currentIdentity.store(Self.nextIdentity(), ordering: .relaxed)
    }
    let outcome = body(tables, TableWriter(inPlace: store))
    if outcome == .changed {
      number += 1
      currentIdentity.store(Self.nextIdentity(), ordering: .relaxed)
    }
    return outcome
  }
}

/// What has become of a change of single rows that was tried by itself.
package enum RowChangeOutcome: Sendable {
  /// It has to be carried out as a statement; nothing was changed.
  case refused
  /// There was nothing to change.
  case unchanged
  case changed
}

/// A change of single rows, given all tables and a writer of the one to change.
///
/// It refuses before it writes: once it has written it cannot fail.
package typealias RowChangeBody = ([ObjectID: TableStore], TableWriter) -> RowChangeOutcome

/// What is told of a commit before anybody can see it, such as a write-ahead log.
package protocol CommitLog: AnyObject, Sendable {
  /// Makes a commit durable; its versions differ in just what changed.
  ///
  /// - Throws: 58030 and the like; the commit then does not happen.
  func write(from old: DatabaseVersion, to new: DatabaseVersion) throws(SQLError)
}

/// A database as all its sessions share it: the version that is current and the right to make the next.
package final class DatabaseState: Sendable {
  private struct Shared {
    var version: DatabaseVersion
    var log: (any CommitLog)?
    var observers: [Int: @Sendable (DatabaseVersion, DatabaseVersion) -> Void] = [:]
    var lastObserver = 0
    /// Another number whenever parts of `version` may have come into other hands than those that hold the
    /// version itself.
    ///
    /// - Invariant: a table whose `home` it is, is reached through `version` alone.
    var season = DatabaseVersion.nextIdentity()
  }

  private let shared: Mutex<Shared>
  package let writerLock = WriterLock()
  package let sequences = SequenceCounters()

  /// An empty database, or one that begins with what was read from disk.
  package init(
    _ version: DatabaseVersion = DatabaseVersion(number: 0, catalog: CatalogSnapshot(), tables: [:])
  ) {
    shared = Mutex(Shared(version: version))
  }

  /// The version that a reader starting now sees.
  ///
  /// - Complexity: O(1); never waits for a writer.
  package var current: DatabaseVersion { shared.withLock { $0.version } }

  /// Where commits are written before they are published; nil for a database in memory only.
  package func setLog(_ log: (any CommitLog)?) { shared.withLock { $0.log = log } }

  package var log: (any CommitLog)? { shared.withLock { $0.log } }

  /// Makes `version` what readers see from now on.
  ///
  /// - Precondition: the caller holds the writer lock.
  func publish(_ version: DatabaseVersion) {
    let (old, observers) = shared.withLock { shared in
      let old = shared.version
      shared.version = version
      shared.season = DatabaseVersion.nextIdentity()
      return (old, Array(shared.observers.values))
    }
    for observer in observers { observer(old, version) }
  }

  /// Notes that a transaction has begun to write, whose versions share tables with the current one.
  func endSeason() { shared.withLock { $0.season = DatabaseVersion.nextIdentity() } }

  /// Changes single rows of a table and publishes that, as a transaction of its own would.
  ///
  /// Where nobody reads the current version, it becomes the next one in place, and whoever comes to read it
  /// meanwhile waits for the few steps of the change. Where somebody does, the next version is made beside it.
  ///
  /// - Parameters:
  ///   - id: the table.
  ///   - catalogVersion: the catalog for which the change was made ready.
  ///   - body: the change.
  /// - Returns: what `body` says; `refused` also where another writer is at work, the catalog is another one, or
  ///   somebody is told of commits.
  /// - Complexity: that of `body`, and of copying what it touches if there are readers.
  package func changeRows(
    of id: ObjectID, catalogVersion: UInt64, _ body: RowChangeBody
  ) -> RowChangeOutcome {
    guard writerLock.tryAcquire() else { return .refused }
    defer { writerLock.release() }
    let outcome: RowChangeOutcome? = shared.withLock { shared in
      guard shared.log == nil, shared.observers.isEmpty,
        shared.version.catalog.version == catalogVersion
      else { return .refused }
      guard isKnownUniquelyReferenced(&shared.version) else { return nil }
      return shared.version.advance(id, season: shared.season, body)
    }
    if let outcome { return outcome }
    let old = current
    guard let store = old.tables[id] else { return .refused }
    let season = DatabaseVersion.nextIdentity()
    let own = store.ownCopy(home: season)
    let outcomeBeside = body(old.tables, TableWriter(inPlace: own))
    guard outcomeBeside == .changed else { return outcomeBeside }
    var tables = old.tables
    tables[id] = own
    let new = DatabaseVersion(number: old.number + 1, catalog: old.catalog, tables: tables)
    let observers: [@Sendable (DatabaseVersion, DatabaseVersion) -> Void]? =
      shared.withLock { shared in
        // Whoever came to be told of commits meanwhile is told of this one.
        guard shared.log == nil else { return nil }
        shared.version = new
        shared.season = season
        return shared.observers.isEmpty ? [] : Array(shared.observers.values)
      }
    guard let observers else { return .refused }
    for observer in observers { observer(old, new) }
    return .changed
  }

  /// Calls `observer` with the old and the new version after each commit, on the committing thread.
  package func observe(
    _ observer: @escaping @Sendable (DatabaseVersion, DatabaseVersion) -> Void
  ) -> Int {
    shared.withLock { shared in
      shared.lastObserver += 1
      shared.observers[shared.lastObserver] = observer
      return shared.lastObserver
    }
  }

  package func removeObserver(_ id: Int) {
    _ = shared.withLock { $0.observers.removeValue(forKey: id) }
  }
}
