import Catalog
import Columnar
import Diagnostics
import Durability
import Foundation
import Synchronization

/// A database's folder as the place where its commits go.
final class DurableStore: CommitLog, Sendable {
  /// What the log says so far.
  private struct Logged {
    /// Where sequences stood at the last commit.
    var sequences: [ObjectID: SequencePosition]
    /// What the counters called that.
    var revision: UInt64
    /// The version that the last commit made, and the number that waits are for.
    var version: UInt64
    var commit: UInt64 = 0
    var writer = ByteWriter()
  }

  private let folder: DatabaseFolder
  /// Where the folder is, and where files beside it go.
  var disk: any Disk { folder.disk }
  private let counters: SequenceCounters
  private let options: DatabaseOptions
  private let logged: Mutex<Logged>
  private let isClosed = Atomic<Bool>(false)
  /// Held by who writes a snapshot.
  private let turn = WriterLock()
  /// What the last snapshot holds: the number of its version, and what the counters called their positions.
  private let saved = Mutex<(version: UInt64, revision: UInt64)?>(nil)
  /// The log's length from which on a snapshot is due.
  private let dueByteCount: Atomic<UInt64>
  /// Whose commits these are.
  private weak let state: DatabaseState?

  /// The store of a state, which it becomes the log of.
  init(_ folder: DatabaseFolder, _ state: DatabaseState, _ options: DatabaseOptions) {
    self.folder = folder
    self.state = state
    self.options = options
    counters = state.sequences
    let revision = counters.revision
    logged = Mutex(
      Logged(sequences: counters.all, revision: revision, version: state.current.number))
    dueByteCount = Atomic(UInt64(max(1 << 16, options.checkpointByteCount)))
    state.setLog(self)
  }

  // MARK: Commits

  func append(
    from old: DatabaseVersion, to new: DatabaseVersion
  ) throws(SQLError) -> UInt64 {
    let log = try writableLog
    if old.catalog.version != new.catalog.version { try new.catalog.checkReadable() }
    return try append(to: log, making: new.number) { moved, writer in
      CommitRecord.write(from: old, to: new, sequences: moved, into: &writer)
    }
  }

  func append(
    _ event: RowEvent, of table: ObjectID, to version: DatabaseVersion
  ) throws(SQLError) -> UInt64 {
    try append(to: try writableLog, making: version.number + 1) { moved, writer in
      CommitRecord.write(event, of: table, to: version, sequences: moved, into: &writer)
    }
  }

  func append(_ sequences: Set<ObjectID>) throws(SQLError) -> UInt64 {
    let log = try writableLog
    if options.durability == .snapshot { return 0 }
    return try logged.withLock { (logged) throws(SQLError) in
      let moved = Self.moved(counters.all.filter { sequences.contains($0.key) }, since: logged)
      // A commit that tells of them need not be durable yet.
      if moved.isEmpty { return logged.commit }
      logged.writer.removeAll()
      CommitRecord.write(sequences: moved, at: logged.version, into: &logged.writer)
      logged.commit = try log.append(logged.writer.bytes.span)
      for (id, position) in moved { logged.sequences[id] = position }
      return logged.commit
    }
  }

  /// Appends what `write` makes of the sequences that have moved, for a commit that makes a version.
  private func append(
    to log: LogWriter, making version: UInt64,
    _ write: (CommitRecord.MovedSequences, inout ByteWriter) -> Void
  ) throws(SQLError) -> UInt64 {
    if options.durability == .snapshot { return 0 }
    return try logged.withLock { (logged) throws(SQLError) in
      let revision = counters.revision
      let positions = revision == logged.revision ? logged.sequences : counters.all
      let moved = revision == logged.revision ? [] : Self.moved(positions, since: logged)
      logged.writer.removeAll()
      write(moved, &logged.writer)
      logged.commit = try log.append(logged.writer.bytes.span)
      logged.sequences = positions
      logged.revision = revision
      logged.version = version
      if logged.writer.count > Self.keptByteCount { logged.writer = ByteWriter() }
      return logged.commit
    }
  }

  private static func moved(
    _ positions: [ObjectID: SequencePosition], since logged: Logged
  ) -> CommitRecord.MovedSequences {
    positions.filter { logged.sequences[$0.key] != $0.value }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// A greater commit leaves no memory behind.
  private static let keptByteCount = 1 << 20

  private var writableLog: LogWriter {
    get throws(SQLError) {
      if let log = folder.log { return log }
      throw SQLError(
        .readOnlyTransaction, "database \"\(folder.files.path)\" was opened to be read only")
    }
  }

  var publishesAtOnce: Bool { options.durability != .sync }

  func wait(for commit: UInt64) throws(SQLError) {
    guard commit > 0, let log = folder.log else { return }
    try log.wait(for: commit)
    let length = log.byteCount
    if length > dueByteCount.load(ordering: .relaxed) { startCheckpoint(length) }
  }

  /// Writes a snapshot in a thread of its own; should that fail, it is due again when the log is twice as long.
  private func startCheckpoint(_ length: UInt64) {
    let due = dueByteCount.load(ordering: .relaxed)
    guard
      dueByteCount.compareExchange(expected: due, desired: length * 2, ordering: .relaxed).exchanged
    else { return }
    Thread.detachNewThread { [weak state] in
      // A snapshot that is being written will do.
      guard let state, self.turn.tryAcquire() else { return }
      defer { self.turn.release() }
      guard (try? self.writeSnapshot(state, timeoutMilliseconds: nil, context: nil)) != nil
      else { return }
      self.dueByteCount.store(
        UInt64(max(1 << 16, self.options.checkpointByteCount)), ordering: .relaxed)
    }
  }

  // MARK: Snapshots

  /// Writes a snapshot of what is committed, while readers and writers go on.
  ///
  /// One that is being written is waited for. It will do if nothing was committed since it began.
  func checkpoint(
    _ state: DatabaseState, timeoutMilliseconds: Int?, context: EvaluationContext?
  ) throws(SQLError) {
    let isFirst = turn.tryAcquire()
    if !isFirst { try turn.acquire(timeoutMilliseconds: timeoutMilliseconds, context: context) }
    defer { turn.release() }
    let wanted = (state.current.number, counters.revision)
    if !isFirst, let saved = saved.withLock({ $0 }), saved == wanted { return }
    try writeSnapshot(state, timeoutMilliseconds: timeoutMilliseconds, context: context)
  }

  /// - Precondition: the caller has the turn.
  private func writeSnapshot(
    _ state: DatabaseState, timeoutMilliseconds: Int?, context: EvaluationContext?
  ) throws(SQLError) {
    if isClosed.load(ordering: .acquiring) {
      throw SQLError(.objectInUse, "the database was closed")
    }
    let (version, pending, sequences, revision) = try state.whileNobodyWrites(
      timeoutMilliseconds: timeoutMilliseconds, context: context
    ) {
      (version) throws(SQLError) in
      let pending = try folder.beginCheckpoint()
      // What the snapshot says is what the commits behind it start from. What is taken between the two readings will
      // be told once more.
      let revision = counters.revision
      let sequences = counters.all
      logged.withLock { logged in
        logged.sequences = sequences
        logged.revision = revision
      }
      return (version, pending, sequences, revision)
    }
    try folder.completeCheckpoint(
      pending,
      write: { file throws(SQLError) in
        try DatabaseImage.write(
          version, sequences: sequences, pending, damage: state.damage, to: &file)
      },
      verify: { file, sync throws(SQLError) in
        try SnapshotReader(file).verify(whileSyncing: sync)
      })
    saved.withLock { $0 = (version.number, revision) }
  }

  /// Compares all sections of a snapshot with their checksums.
  static func verify(_ file: SnapshotFile) throws(SQLError) {
    try SnapshotReader(file).verify()
  }

  /// Looks at all files anew.
  func verifyFiles() -> [VerifiedFile] {
    folder.verifyFiles { file throws(SQLError) in try Self.verify(file) }
  }

  /// Ends the use of the files; to do so again does nothing.
  ///
  /// It waits for a checkpoint that is under way, as its files must not be written when another process may have the
  /// database; none begins afterwards.
  func close() throws(SQLError) {
    if isClosed.exchange(true, ordering: .acquiringAndReleasing) { return }
    try turn.acquire(timeoutMilliseconds: nil, context: nil)
    defer { turn.release() }
    try folder.close()
  }
}
