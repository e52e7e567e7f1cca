package import Diagnostics
import Synchronization

/// A folder that was opened, with the state that was found in it.
package struct OpenedFolder<State> {
  package let folder: DatabaseFolder
  package let state: State
  /// What was noteworthy: a tail that was cut, a snapshot that was passed over.
  package let notices: [Notice]
}

extension DatabaseFolder {
  /// How often a reader begins anew when a writer's checkpoint takes files away from under it.
  private static let readAttemptLimit = 5

  /// Opens a database's folder and rebuilds its state.
  ///
  /// `load` makes a state of a snapshot, or the empty one. It may be called twice: should it throw
  /// XX001, the generation before is tried. `replay` applies a logged transaction to the state.
  ///
  /// - Throws: 55006 if another process or another opening in this one writes, 58P01 if there is no database, XX001 if it is damaged,
  ///   0A000 if it is of a newer format, and the disk's errors.
  package static func open<State>(
    _ path: String, on disk: any Disk = PosixDisk(), _ options: FolderOptions = FolderOptions(),
    load: (SnapshotFile?) throws(SQLError) -> State,
    replay: (inout State, LogTransaction) throws(SQLError) -> Void
  ) throws(SQLError) -> OpenedFolder<State> {
    // Once for all: the working folder may be changed while the database is open.
    let files = FolderFiles(disk.absolutePath(path))
    let disk = RetryingDisk(disk)
    if options.isReadOnly {
      return try openReadOnly(files, on: disk, load: load, replay: replay)
    }
    if options.createsIfMissing { try makeFolder(files, on: disk) }
    try checkIsDatabase(files, on: disk, isToBeMade: options.createsIfMissing)
    let lockFile = try takeLock(files, on: disk)
    do throws(SQLError) {
      if try reportingDiskErrors({ () throws(DiskError) in try !disk.exists(files.manifest) }) {
        guard options.createsIfMissing else { throw missingError(files) }
        try create(files, on: disk, options.newDatabaseID ?? DatabaseID.random())
      }
      var recovery = try FolderRecovery<State>(files, on: disk)
      let state = try recovery.run(load: load, replay: replay)
      let log = try prepareLog(recovery, on: disk, options)
      let folder = DatabaseFolder(
        files: files, disk: disk, lockFile: lockFile, log: log,
        state: DatabaseFolder.State(
          manifest: recovery.manifest, soundGeneration: recovery.soundGeneration,
          nextGeneration: recovery.lastGeneration + 1))
      return OpenedFolder(
        folder: folder, state: state, notices: recovery.notices + tailNotices(recovery))
    } catch {
      try? disk.close(lockFile)
      throw error
    }
  }

  private static func openReadOnly<State>(
    _ files: FolderFiles, on disk: any Disk, load: (SnapshotFile?) throws(SQLError) -> State,
    replay: (inout State, LogTransaction) throws(SQLError) -> Void
  ) throws(SQLError) -> OpenedFolder<State> {
    try checkIsDatabase(files, on: disk, isToBeMade: false)
    var attempt = 1
    while true {
      do throws(SQLError) {
        var recovery = try FolderRecovery<State>(files, on: disk)
        let state = try recovery.run(load: load, replay: replay)
        let folder = DatabaseFolder(
          files: files, disk: disk, lockFile: nil, log: nil,
          state: DatabaseFolder.State(
            manifest: recovery.manifest, soundGeneration: recovery.soundGeneration,
            nextGeneration: recovery.lastGeneration + 1))
        return OpenedFolder(folder: folder, state: state, notices: recovery.notices)
      } catch {
        // A writer may have removed what the manifest named a moment ago, or be writing a frame.
        guard error.state == .undefinedFile || error.state == .dataCorrupted,
          attempt < readAttemptLimit
        else { throw error }
        attempt += 1
      }
    }
  }

  /// Makes the folder's files such that writing can go on.
  private static func prepareLog<State>(
    _ recovery: FolderRecovery<State>, on disk: any Disk, _ options: FolderOptions
  ) throws(SQLError) -> LogWriter {
    let files = recovery.files
    let (generation, end) = recovery.lastLog
    let path = files.log(generation)
    return try reportingDiskErrors { () throws(DiskError) in
      let file = try disk.open(path, .readWrite)
      do throws(DiskError) {
        // A tail that stays would be taken for damage once transactions follow it.
        if end.tornByteCount > 0 { try disk.truncate(file, to: end.offset) }
        // What was read may so far be known to the system only, and so may the files' names.
        try rewrite(file, end.attestedOffset..<end.offset, on: disk)
        try disk.sync(file, .all)
        try disk.syncDirectory(files.path)
        try syncParent(files, on: disk)
      } catch {
        try? disk.close(file)
        throw error
      }
      removeStrays(recovery, on: disk)
      return LogWriter(
        file: file, on: disk,
        identity: FileIdentity(database: recovery.manifest.database, generation: generation),
        end: end.offset, sequence: end.sequence, mode: options.logMode,
        growthLimit: options.logGrowthLimit, filledEnd: end.filledOffset)
    }
  }

  /// Writes again what a file holds in `range`.
  ///
  /// After a sync that failed, the system may take bytes for written that are in its memory only. No
  /// later sync would bring them to the disk, and they are lost with the memory, unless they are
  /// written anew. Bytes that a later frame attests have reached the disk.
  private static func rewrite(
    _ file: DiskFile, _ range: Range<UInt64>, on disk: any Disk
  ) throws(DiskError) {
    var place = range.lowerBound
    while place < range.upperBound {
      var bytes = [UInt8](repeating: 0, count: Int(min(1 << 20, range.upperBound - place)))
      guard try disk.readAll(file, at: place, into: &bytes) == bytes.count else {
        throw DiskError(.read, file.path, code: DiskError.ioError)
      }
      try disk.writeAll(file, at: place, bytes.span)
      place += UInt64(bytes.count)
    }
  }

  /// Makes the folder's own name durable, as far as we may: who made the folder may have been
  /// stopped before.
  static func syncParent(_ files: FolderFiles, on disk: any Disk) throws(DiskError) {
    do throws(DiskError) { try disk.syncDirectory(files.parent) } catch {
      if error.reason != .permission { throw error }
    }
  }

  /// Removes what no recovery will ever need; what cannot be removed does no harm.
  private static func removeStrays<State>(
    _ recovery: FolderRecovery<State>, on disk: any Disk
  ) {
    let manifest = recovery.manifest
    let firstKept =
      manifest.previousGeneration > 0 ? manifest.previousGeneration : manifest.generation
    for (name, entry) in recovery.entries {
      let isStray =
        switch entry {
        case .snapshot(let generation):
          generation != manifest.generation && generation != manifest.previousGeneration
        case .log(let generation):
          generation < firstKept || recovery.strayLogs.contains(generation)
        case .unfinished: true
        case .manifest, .lock, .foreign: false
        }
      if isStray { try? disk.unlink(recovery.files.path + "/" + name) }
    }
  }

  private static func tailNotices<State>(_ recovery: FolderRecovery<State>) -> [Notice] {
    let end = recovery.lastLog.end
    if end.tornByteCount == 0 { return [] }
    let path = recovery.files.log(recovery.lastLog.generation)
    return [
      Notice(
        "the log ended in an unfinished transaction, which was cut off", severity: .warning,
        detail: "\(end.tornByteCount) bytes behind transaction \(end.sequence) in \"\(path)\" "
          + "were written when the program or the system stopped; they were not committed.")
    ]
  }

  // MARK: Making and locking

  /// Makes the folder itself if there is none.
  private static func makeFolder(_ files: FolderFiles, on disk: any Disk) throws(SQLError) {
    try reportingDiskErrors { () throws(DiskError) in
      if try disk.exists(files.path) { return }
      do throws(DiskError) { try disk.makeDirectory(files.path) } catch {
        // Another process may have been faster.
        if error.reason != .exists { throw error }
      }
    }
  }

  /// Refuses a folder that is no database and does not look like the beginning of one.
  private static func checkIsDatabase(
    _ files: FolderFiles, on disk: any Disk, isToBeMade: Bool
  ) throws(SQLError) {
    let (isThere, hasManifest) = try reportingDiskErrors { () throws(DiskError) in
      (try disk.exists(files.path), try disk.exists(files.manifest))
    }
    if hasManifest { return }
    guard isThere else { throw missingError(files) }
    let names = try reportingDiskErrors { () throws(DiskError) in try disk.list(files.path) }
    let entries = names.map { FolderEntry($0) }
    // A making that was cut short has got no further than a log without transactions.
    let isBeginning = entries.allSatisfy {
      $0 == .lock || $0 == .unfinished || $0 == .log(1) || $0 == .manifest
    }
    var hasTransactions = false
    if entries.contains(.log(1)) {
      hasTransactions = try LogReader.hasContents(files.log(1), on: disk)
    }
    if isBeginning && !hasTransactions {
      if isToBeMade { return }
      throw missingError(files)
    }
    let isDatabase = entries.contains {
      switch $0 {
      case .log, .snapshot: true
      case .manifest, .lock, .unfinished, .foreign: false
      }
    }
    if isDatabase { throw .damaged("database", path: files.path, "Its manifest is missing.") }
    throw SQLError(
      .undefinedFile, "\"\(files.path)\" is not a Junction database",
      detail: "The folder holds other files.")
  }

  private static func missingError(_ files: FolderFiles) -> SQLError {
    SQLError(.undefinedFile, "database \"\(files.path)\" does not exist")
  }

  /// Makes an empty database in a folder that holds nothing else.
  private static func create(
    _ files: FolderFiles, on disk: any Disk, _ database: DatabaseID
  ) throws(SQLError) {
    let manifest = Manifest(
      database: database, generation: 1, hasSnapshot: false, previousGeneration: 0,
      baseSequence: 0)
    try unlinkIfPresent(files.log(1), on: disk)
    try reportingDiskErrors { () throws(DiskError) in
      let log = try LogWriter.create(
        files.log(1), on: disk, identity: manifest.identity, baseSequence: 0)
      try disk.close(log)
      try disk.syncDirectory(files.path)
      try write(manifest, to: files, on: disk)
      try disk.syncDirectory(files.parent)
    }
  }

  /// Makes this process the one that writes.
  static func takeLock(_ files: FolderFiles, on disk: any Disk) throws(SQLError)
    -> DiskFile
  {
    let file = try reportingDiskErrors { () throws(DiskError) in
      if try !disk.exists(files.lock) {
        do throws(DiskError) { return try disk.open(files.lock, .create) } catch {
          if error.reason != .exists { throw error }
        }
      }
      return try disk.open(files.lock, .readWrite)
    }
    do throws(SQLError) {
      let isTaken = try reportingDiskErrors { () throws(DiskError) in
        try disk.lock(file, .exclusive)
      }
      guard isTaken else {
        let holder = (try? disk.contents(of: file, limit: 32)).map { processName($0) } ?? nil
        throw inUseError(files, holder, isOwn: holder == String(disk.processID))
      }
    } catch {
      try? disk.close(file)
      throw error
    }
    // For the message above, and for nothing else.
    try? disk.truncate(file, to: 0)
    try? disk.writeAll(file, at: 0, Array("\(disk.processID)\n".utf8).span)
    return file
  }

  private static func inUseError(
    _ files: FolderFiles, _ holder: String?, isOwn: Bool
  ) -> SQLError {
    if isOwn {
      return SQLError(
        .objectInUse, "database \"\(files.path)\" is already open in this process",
        hint: "Use the one that is open, close it first, or open it to be read only.")
    }
    return SQLError(
      .objectInUse, "database \"\(files.path)\" is being used by another process",
      detail: holder.map { "Process \($0) has opened it for writing." },
      hint: "Close it there, or open it to be read only.")
  }

  /// The number at the beginning of a lock file.
  private static func processName(_ bytes: [UInt8]) -> String? {
    let digits = bytes.prefix { $0 >= 0x30 && $0 <= 0x39 }
    return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
  }
}
