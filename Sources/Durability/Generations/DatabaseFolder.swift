package import Diagnostics
import Synchronization

/// How a database's folder is opened.
package struct FolderOptions: Hashable, Sendable {
  /// Whether nothing is to be changed.
  ///
  /// A reader needs no lock: it sees the state that was committed
  /// when it opened, also while another process writes.
  package var isReadOnly = false
  /// Whether a database is made where there is none.
  package var createsIfMissing = false
  package var logMode = LogMode.synchronous
  /// By how much the log grows ahead of its frames at most, in bytes.
  package var logGrowthLimit = 1 << 20
  /// The id of a database that is made; random if nil, as it is outside of tests.
  package var newDatabaseID: DatabaseID?

  package init() {}
}

/// A snapshot to be loaded, or one just written to be verified.
package struct SnapshotFile: Sendable {
  /// Where it stands, for messages.
  package let path: String
  /// The ids that the snapshot's own header must bear.
  package let identity: FileIdentity
  /// The number of the last transaction in it, which its header must state too.
  package let baseSequence: UInt64
  /// Its bytes.
  package let file: MappedFile
}

/// A database's folder: a manifest, snapshots and logs by generation, and a lock.
///
/// ```
/// NAME.junction/manifest      names generation G
///               snapshot.G    the state up to some transaction
///               wal.G, …      the transactions since, in one log or several
///               lock          held by the process that writes
/// ```
///
/// No file is overwritten once it has its name: a checkpoint writes generation G+1 beside G, and the
/// replacement of the manifest moves the database there. The generation before is kept until the next
/// checkpoint, to fall back on should the snapshot be damaged.
///
/// Sendable by rule: what changes is in `state`, and the log takes care of itself.
package final class DatabaseFolder: Sendable {
  struct State {
    var manifest: Manifest
    /// The generation whose snapshot the state was loaded from, or last written to.
    var soundGeneration: UInt64
    var nextGeneration: UInt64
    var isCheckpointing = false
    var isClosed = false
  }

  package let files: FolderFiles
  package let database: DatabaseID
  /// Where commits go; nil if the folder was opened to be read.
  package let log: LogWriter?
  package let disk: any Disk
  let lockFile: DiskFile?
  let state: Mutex<State>

  init(
    files: FolderFiles, disk: any Disk, lockFile: DiskFile?, log: LogWriter?, state: State
  ) {
    self.files = files
    self.disk = disk
    self.lockFile = lockFile
    self.log = log
    database = state.manifest.database
    self.state = Mutex(state)
  }

  deinit {
    let isClosed = state.withLock { $0.isClosed }
    if let lockFile, !isClosed { try? disk.close(lockFile) }
  }

  /// The generation that the manifest names.
  package var generation: UInt64 { state.withLock { $0.manifest.generation } }

  /// Makes everything durable and gives up the folder.
  ///
  /// - Throws: 58030 if transactions that were not durable yet will not be.
  package func close() throws(SQLError) {
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed
    }
    if wasClosed { return }
    defer { if let lockFile { try? disk.close(lockFile) } }
    try log?.close()
  }

  /// Whether a folder seems to be a database; it may be damaged all the same.
  package static func isDatabase(_ path: String, on disk: any Disk) -> Bool {
    (try? disk.exists(FolderFiles(path).manifest)) ?? false
  }
}
