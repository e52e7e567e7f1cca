package import Diagnostics
package import Storage
import Synchronization

/// Everything a reader can see of a database at one moment; never changes.
package final class DatabaseVersion: Sendable {
  /// Rises by one with every commit that changed something.
  package let number: UInt64
  package let catalog: CatalogSnapshot
  package let tables: [ObjectID: TableStore]
  /// A number that no other version of the process has, also none of another database; never 0.
  package let identity = DatabaseVersion.nextIdentity()

  private static let lastIdentity = Atomic<UInt64>(0)

  package static func nextIdentity() -> UInt64 {
    lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue
  }

  package init(number: UInt64, catalog: CatalogSnapshot, tables: [ObjectID: TableStore]) {
    self.number = number
    self.catalog = catalog
    self.tables = tables
  }
}

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
      return (old, Array(shared.observers.values))
    }
    for observer in observers { observer(old, version) }
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
