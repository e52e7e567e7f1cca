import Catalog
import Diagnostics
import Durability
import Foundation
import Synchronization

/// A database's folder as the place where its commits go.
///
/// Sendable by rule: `append` is called by one thread at a time, which holds the writer lock.
final class DurableStore: CommitLog, @unchecked Sendable {
  private let folder: DatabaseFolder
  /// Where the folder is, and where files beside it go.
  var disk: any Disk { folder.disk }
  private let counters: SequenceCounters
  private let options: DatabaseOptions
  /// Where sequences stood at the last commit.
  private var loggedSequences: [ObjectID: SequencePosition]
  private var writer = ByteWriter()
  private let isCheckpointing = Atomic<Bool>(false)
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
    loggedSequences = counters.all
    dueByteCount = Atomic(UInt64(max(1 << 16, options.checkpointByteCount)))
    state.setLog(self)
  }

  // MARK: Commits

  func append(
    from old: DatabaseVersion, to new: DatabaseVersion
  ) throws(SQLError) -> UInt64 {
    guard let log = folder.log else {
      throw SQLError(
        .readOnlyTransaction, "database \"\(folder.files.path)\" was opened to be read only")
    }
    if old.catalog.version != new.catalog.version { try new.catalog.checkReadable() }
    if options.durability == .snapshot { return 0 }
    let positions = counters.all
    let moved = positions.filter { loggedSequences[$0.key] != $0.value }
    writer.removeAll()
    CommitRecord.write(
      from: old, to: new, sequences: moved.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      into: &writer)
    let bytes = writer.bytes
    let commit = try log.append(bytes.span)
    loggedSequences = positions
    return commit
  }

  var sequencesHaveMoved: Bool {
    options.durability != .snapshot && counters.all != loggedSequences
  }

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
      guard let state, (try? self.checkpoint(state)) != nil else { return }
      self.dueByteCount.store(
        UInt64(max(1 << 16, self.options.checkpointByteCount)), ordering: .relaxed)
    }
  }

  // MARK: Snapshots

  /// Writes a snapshot of what is committed, while readers and writers go on.
  func checkpoint(_ state: DatabaseState) throws(SQLError) {
    guard
      isCheckpointing.compareExchange(expected: false, desired: true, ordering: .acquiring)
        .exchanged
    else { throw SQLError(.objectInUse, "another checkpoint is being written") }
    defer { isCheckpointing.store(false, ordering: .releasing) }
    let (version, pending, sequences) = try state.whileNobodyWrites {
      (version) throws(SQLError) in
      let pending = try folder.beginCheckpoint()
      // What the snapshot says is what the commits behind it start from.
      loggedSequences = counters.all
      return (version, pending, loggedSequences)
    }
    try folder.completeCheckpoint(
      pending,
      write: { file throws(SQLError) in
        try DatabaseImage.write(
          version, sequences: sequences, pending, damage: state.damage, to: &file)
      },
      verify: { file throws(SQLError) in try Self.verify(file) })
  }

  /// Compares all sections of a snapshot with their checksums.
  static func verify(_ file: SnapshotFile) throws(SQLError) {
    try SnapshotReader(file).verify()
  }

  /// Looks at all files anew.
  func verifyFiles() -> [VerifiedFile] {
    folder.verifyFiles { file throws(SQLError) in try Self.verify(file) }
  }

  /// Waits for a checkpoint that is under way, as its files must not be written when another process may have the
  /// database; none begins afterwards.
  func close() throws(SQLError) {
    while !isCheckpointing.compareExchange(
      expected: false, desired: true, ordering: .acquiring
    ).exchanged {
      Thread.sleep(forTimeInterval: 0.002)
    }
    try folder.close()
  }
}
