package import Columnar
package import Diagnostics
package import Durability
import Synchronization

/// A database as all its sessions share it: the version that is current and the right to make the next.
package final class DatabaseState: Sendable {
  private struct Shared {
    var version: DatabaseVersion
    /// The version that the next writer starts from, if commits are on their way to the disk whose versions nobody
    /// may read yet.
    var staged: DatabaseVersion?
    var log: (any CommitLog)?
    var observer: (any CommitObserver)?
    /// Another number whenever parts of `version` may have come into other hands than those that hold the
    /// version itself.
    ///
    /// - Invariant: a table whose `home` it is, is reached through `version` alone.
    var season = DatabaseVersion.nextIdentity()
  }

  private let shared: Mutex<Shared>
  package let writerLock = WriterLock()
  package let sequences: SequenceCounters
  /// The time of day and random numbers that statements see.
  package let surroundings: Surroundings
  /// What was found to be damaged on disk since the database was opened; nil for one in memory only.
  package let damage: SnapshotDamage?

  /// An empty database, or one that begins with what was read from disk.
  package init(
    _ version: DatabaseVersion = DatabaseVersion(
      number: 0, catalog: CatalogSnapshot(), tables: [:]),
    _ sequences: SequenceCounters = SequenceCounters(), damage: SnapshotDamage? = nil,
    surroundings: Surroundings = .usual
  ) {
    self.damage = damage
    self.surroundings = surroundings
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

  /// The same, and where its successor is written.
  var newestAndLog: (DatabaseVersion, (any CommitLog)?) {
    shared.withLock { ($0.staged ?? $0.version, $0.log) }
  }

  /// Where commits are written before they are published; nil for a database in memory only.
  package func setLog(_ log: (any CommitLog)?) { shared.withLock { $0.log = log } }

  package var log: (any CommitLog)? { shared.withLock { $0.log } }

  /// Who is told of commits from now on.
  package func setObserver(_ observer: any CommitObserver) {
    shared.withLock { $0.observer = observer }
  }

  /// Who is to be told of commits; nil where nobody watches.
  var observer: (any CommitObserver)? {
    shared.withLock { $0.observer }.flatMap { $0.isWatching ? $0 : nil }
  }

  /// Gives `body` the version with all commits so far, at a moment when none is under way.
  ///
  /// - Throws: what `body` throws, and 55P03 and 57014 while waiting.
  package func whileNobodyWrites<Result>(
    timeoutMilliseconds: Int?, context: EvaluationContext?,
    _ body: (DatabaseVersion) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try writerLock.acquire(timeoutMilliseconds: timeoutMilliseconds, context: context)
    defer { writerLock.release() }
    return try body(newest)
  }

  /// Makes what sequences have given as lasting as a commit.
  ///
  /// For who took values and changed nothing else: they are not to be given again after a restart. Waits for no
  /// transaction, and tells nothing of sequences that another one may have made or set back.
  ///
  /// - Throws: as a commit does.
  package func commitSequences(_ sequences: Set<ObjectID>) throws(SQLError) {
    guard let log else { return }
    try log.wait(for: try log.append(sequences))
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
  ///
  /// - Parameters:
  ///   - version: the version.
  ///   - season: what those tables belong to that nothing else leads to.
  func publish(_ version: DatabaseVersion, season: UInt64 = DatabaseVersion.nextIdentity()) {
    // What nobody else holds any more of the version before is taken apart behind the lock, which takes longer than all
    // that is done under it.
    _ = shared.withLock { shared -> DatabaseVersion? in
      if shared.staged === version { shared.staged = nil }
      guard version.number > shared.version.number else { return nil }
      let last = shared.version
      shared.version = version
      shared.season = season
      return last
    }
  }

  /// A database of its own in memory that begins with what is current.
  ///
  /// - Complexity: O(sequences).
  package func fork() -> DatabaseState {
    let version = shared.withLock { shared in
      // Its tables are those of two databases from now on, which each copies what it changes of.
      shared.season = DatabaseVersion.nextIdentity()
      return shared.version
    }
    return DatabaseState(
      version, sequences.copy(), damage: damage, surroundings: surroundings.copy)
  }

  /// Notes that a transaction has begun to write, whose versions share tables with the current one.
  func endSeason() { shared.withLock { $0.season = DatabaseVersion.nextIdentity() } }

  /// Makes the current version the next one, if it is the newest and nobody else holds it.
  ///
  /// - Precondition: the caller holds the writer lock, and the change was looked at in the current version.
  func changeInPlace(_ change: any SingleRowChange) -> Bool {
    shared.withLock { shared in
      guard shared.staged == nil, isKnownUniquelyReferenced(&shared.version) else { return false }
      shared.version.advance(change, season: shared.season)
      return true
    }
  }
}
