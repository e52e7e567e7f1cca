import Columnar

/// How a database on disk is opened.
public struct DatabaseOptions: Sendable, Hashable {
  /// What it means that a commit is done.
  public enum Durability: Sendable, Hashable {
    /// It survives the end of the process and the loss of power: the log was synced.
    case sync
    /// It survives the end of the process; with the power the last 200 ms may go, and nothing before them.
    case async
    /// It is applied in memory; what was done since the last `CHECKPOINT` goes with the process.
    case snapshot
  }

  /// What it means that a commit is done.
  public var durability = Durability.sync
  /// Whether a database is made where there is none.
  public var createsIfMissing = true
  /// Whether nothing is to be written; the database may then be open elsewhere.
  public var isReadOnly = false
  /// From how many bytes of log on a snapshot is written by itself.
  public var checkpointByteCount = 64 << 20

  /// Whether everything in the snapshot is compared with its checksums at opening, rather than each part when it is
  /// first touched.
  ///
  /// If something is damaged then, the snapshot before is opened and the log since replayed. Damage that is found
  /// later ends each statement with an error instead.
  public var verifiesAtOpening = false

  /// What random numbers begin with, so that two runs have the same: `random()` and `gen_random_uuid()`; nil for others each time.
  ///
  /// Statements then run on one thread, as threads take numbers in no order. A fork goes on with the same numbers by itself. Rows that
  /// nothing orders may still come in another order in another process.
  public var seed: UInt64?

  /// What time it always is: `now()`, `clock_timestamp()`, `CURRENT_DATE` and their like; nil for the time of day.
  public var now: SQLTimestamp?

  /// As any opened path: synced, made if it is not there, and written to.
  public init() {}
}

extension DatabaseOptions {
  /// What statements see of them.
  var surroundings: Surroundings {
    Surroundings(
      time: now.map(\.microsecondsSince2000), random: seed.map { RandomSequence(seed: $0) })
  }
}
