package import Diagnostics
package import Durability
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

/// What is told of a commit before anybody can see it: the write-ahead log.
package protocol CommitLog: AnyObject, Sendable {
  /// Takes a commit behind all earlier ones, and gives a number to wait for; its versions differ in just what changed.
  ///
  /// - Throws: 53100, 58030 and the like; the commit then does not happen.
  func append(from old: DatabaseVersion, to new: DatabaseVersion) throws(SQLError) -> UInt64

  /// Whether sequences stand elsewhere than the last commit that was taken says.
  ///
  /// - Precondition: the caller holds the writer lock.
  var sequencesHaveMoved: Bool { get }

  /// Returns when a commit is as durable as was asked for.
  ///
  /// - Throws: 40003 if nobody knows whether it will be.
  func wait(for commit: UInt64) throws(SQLError)

  /// Writes a snapshot, after which the log begins anew.
  ///
  /// - Throws: the disk's errors; the database stays as it was.
  func checkpoint(_ state: DatabaseState) throws(SQLError)
}

/// A database as all its sessions share it: the version that is current and the right to make the next.
package final class DatabaseState: Sendable {
  package typealias Observer = @Sendable (DatabaseVersion, DatabaseVersion) -> Void

  private struct Shared {
    var version: DatabaseVersion
    /// The version that the next writer starts from, if commits are on their way to the disk whose versions nobody
    /// may read yet.
    var staged: DatabaseVersion?
    var log: (any CommitLog)?
    var observers: [Int: Observer] = [:]
    var lastObserver = 0
    /// Another number whenever parts of `version` may have come into other hands than those that hold the
    /// version itself.
    ///
    /// - Invariant: a table whose `home` it is, is reached through `version` alone.
    var season = DatabaseVersion.nextIdentity()
  }

  private let shared: Mutex<Shared>
  package let writerLock = WriterLock()
  package let sequences: SequenceCounters
  /// What was found to be damaged on disk since the database was opened; nil for one in memory only.
  package let damage: SnapshotDamage?

  /// An empty database, or one that begins with what was read from disk.
  package init(
    _ version: DatabaseVersion = DatabaseVersion(
      number: 0, catalog: CatalogSnapshot(), tables: [:]),
    _ sequences: SequenceCounters = SequenceCounters(), damage: SnapshotDamage? = nil
  ) {
    self.damage = damage
    self.sequences = sequences
    shared = Mutex(Shared(version: version))
  }

  /// The version that a reader starting now sees.
  ///
  /// - Complexity: O(1); never waits for a writer.
  package var current: DatabaseVersion { shared.withLock { $0.version } }

  /// The version that a writer starts from: with the commits that are not durable yet.
  ///
  /// - Precondition: the caller holds the writer lock.
  var newest: DatabaseVersion { shared.withLock { $0.staged ?? $0.version } }

  /// Where commits are written before they are published; nil for a database in memory only.
  package func setLog(_ log: (any CommitLog)?) { shared.withLock { $0.log = log } }

  package var log: (any CommitLog)? { shared.withLock { $0.log } }

  /// Gives `body` the version with all commits so far, at a moment when none is under way.
  ///
  /// - Throws: what `body` throws, and 57014 while waiting.
  package func whileNobodyWrites<Result>(
    _ body: (DatabaseVersion) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try writerLock.acquire(timeoutMilliseconds: nil, context: nil)
    defer { writerLock.release() }
    return try body(newest)
  }

  /// Commits where the sequences stand, if no commit has told that of values taken so far.
  ///
  /// For who took values and changed nothing else: they are not to be given again after a restart.
  ///
  /// - Throws: as a commit does.
  package func commitSequences() throws(SQLError) {
    guard let log else { return }
    let commit = try whileNobodyWrites {
      (version) throws(SQLError) -> (version: DatabaseVersion, ticket: UInt64)? in
      guard log.sequencesHaveMoved else { return nil }
      let new = DatabaseVersion(
        number: version.number + 1, catalog: version.catalog, tables: version.tables)
      let ticket = try log.append(from: version, to: new)
      stage(new)
      return (new, ticket)
    }
    guard let commit else { return }
    do throws(SQLError) { try log.wait(for: commit.ticket) } catch {
      unstage()
      throw error
    }
    publish(commit.version)
  }

  /// Makes `version` what writers start from, while it is on its way to the disk.
  ///
  /// - Precondition: the caller holds the writer lock.
  func stage(_ version: DatabaseVersion) {
    shared.withLock { shared in
      shared.staged = version
      shared.season = DatabaseVersion.nextIdentity()
    }
  }

  /// Forgets the versions that did not get to the disk; the log takes no others after them.
  func unstage() { shared.withLock { $0.staged = nil } }

  /// Makes `version` what readers see from now on, unless they see a later one, which has all of it.
  func publish(_ version: DatabaseVersion) {
    let published = shared.withLock { shared -> (DatabaseVersion, [Observer])? in
      let old = shared.version
      if shared.staged === version { shared.staged = nil }
      guard version.number > old.number else { return nil }
      shared.version = version
      shared.season = DatabaseVersion.nextIdentity()
      return (old, Array(shared.observers.values))
    }
    guard let (old, observers) = published else { return }
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
    let observers: [Observer]? =
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
  package func observe(_ observer: @escaping Observer) -> Int {
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
