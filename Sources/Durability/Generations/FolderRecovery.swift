import Diagnostics

/// Rebuilds a database's state from its folder, without changing anything in it.
///
/// 1. The manifest names a generation; its snapshot is loaded.
/// 2. The logs from that generation on are replayed in order; each must begin where the one before
///    it ends.
/// 3. If the snapshot is damaged, the same is done from the generation before, whose logs reach as far.
///
/// What is left to do in the folder itself is noted: where the last log is to be cut, and which files
/// have no meaning.
struct FolderRecovery<State> {
  typealias Load = (SnapshotFile?) throws(SQLError) -> State
  typealias Replay = (inout State, LogTransaction) throws(SQLError) -> Void

  let files: FolderFiles
  let disk: any Disk
  let manifest: Manifest
  let entries: [(name: String, entry: FolderEntry)]
  private(set) var notices: [Notice] = []
  /// The generation whose snapshot was loaded.
  private(set) var soundGeneration: UInt64
  /// The log to go on with.
  private(set) var lastLog: (generation: UInt64, end: LogEnd)
  /// Logs without a transaction that were never taken into use.
  private(set) var strayLogs: Set<UInt64> = []

  /// Reads the manifest and what else there is.
  ///
  /// - Throws: XX001, 0A000 and the disk's errors.
  init(_ files: FolderFiles, on disk: any Disk) throws(SQLError) {
    self.files = files
    self.disk = disk
    let bytes = try reportingDiskErrors { () throws(DiskError) in
      let file = try disk.open(files.manifest, .read)
      defer { try? disk.close(file) }
      return try disk.contents(of: file, limit: 4096)
    }
    manifest = try Manifest(bytes.span, path: files.manifest)
    let names = try reportingDiskErrors { () throws(DiskError) in try disk.list(files.path) }
    entries = names.sorted().map { ($0, FolderEntry($0)) }
    soundGeneration = manifest.generation
    lastLog = (manifest.generation, LogEnd(offset: 0, sequence: manifest.baseSequence))
  }

  /// The greatest generation that any file bears.
  var lastGeneration: UInt64 {
    entries.reduce(manifest.generation) { last, item in
      switch item.entry {
      case .log(let generation), .snapshot(let generation): max(last, generation)
      case .manifest, .lock, .unfinished, .foreign: last
      }
    }
  }

  /// The state after the last transaction.
  mutating func run(load: Load, replay: Replay) throws(SQLError) -> State {
    let damage: SQLError
    do throws(SQLError) {
      var state = try loadSnapshot(load)
      try replayLogs(from: manifest.generation, after: manifest.baseSequence, into: &state, replay)
      return state
    } catch {
      guard error.state == .dataCorrupted || error.state == .undefinedFile, isSnapshotBad,
        manifest.previousGeneration > 0
      else { throw error }
      damage = error
    }
    do throws(SQLError) {
      var state = try loadPrevious(load, replay)
      let start = lastLog.end.sequence
      try replayLogs(from: manifest.generation, after: start, into: &state, replay)
      soundGeneration = manifest.previousGeneration
      notices.append(
        Notice(
          "the last snapshot is damaged; the state was rebuilt from the one before and the logs since",
          severity: .warning, state: .dataCorrupted, detail: "\(damage.message). Nothing is lost."))
      return state
    } catch {
      throw damage
    }
  }

  /// Whether it was the snapshot that could not be loaded, rather than a log.
  private var isSnapshotBad = false

  private mutating func loadSnapshot(_ load: Load) throws(SQLError) -> State {
    if !manifest.hasSnapshot { return try load(nil) }
    do throws(SQLError) {
      return try load(
        DatabaseFolder.snapshot(
          files.snapshot(manifest.generation), on: disk, identity: manifest.identity,
          baseSequence: manifest.baseSequence))
    } catch {
      isSnapshotBad = true
      throw error
    }
  }

  /// The state at the end of the logs between the generation before and the manifest's.
  private mutating func loadPrevious(_ load: Load, _ replay: Replay) throws(SQLError) -> State {
    let generation = manifest.previousGeneration
    let identity = FileIdentity(database: manifest.database, generation: generation)
    let base = try LogReader(files.log(generation), on: disk, identity: identity)
      .header.baseSequence
    let hasSnapshot = entries.contains { $0.entry == .snapshot(generation) }
    guard hasSnapshot || base == 0 else {
      throw .damaged("database", path: files.path, "The snapshot before is missing.")
    }
    var state = try load(
      hasSnapshot
        ? DatabaseFolder.snapshot(
          files.snapshot(generation), on: disk, identity: identity, baseSequence: base)
        : nil)
    try replayLogs(
      from: generation, after: base, into: &state, replay, before: manifest.generation)
    return state
  }

  /// Replays the logs of `first` and the generations after it, up to `limit`.
  private mutating func replayLogs(
    from first: UInt64, after base: UInt64, into state: inout State, _ replay: Replay,
    before limit: UInt64 = .max
  ) throws(SQLError) {
    let generations = entries.compactMap { item -> UInt64? in
      guard case .log(let generation) = item.entry, generation >= first, generation < limit
      else { return nil }
      return generation
    }.sorted()
    guard generations.first == first else {
      throw SQLError(
        .dataCorrupted, "log file \"\(files.log(first))\" is missing",
        hint: "Nothing was changed. Put the file back, or restore the database from a backup.")
    }
    lastLog = (first, LogEnd(offset: 0, sequence: base))
    for generation in generations {
      guard let reader = try open(generation, isFirst: generation == first) else { continue }
      while let transaction = try reader.next() { try replay(&state, transaction) }
      lastLog = (generation, reader.end)
    }
  }

  /// The log of a generation, if it goes on where the last one ended; nil if it was never in use.
  private mutating func open(
    _ generation: UInt64, isFirst: Bool
  ) throws(SQLError) -> LogReader? {
    let path = files.log(generation)
    let identity = FileIdentity(database: manifest.database, generation: generation)
    let reader: LogReader
    do throws(SQLError) {
      reader = try LogReader(path, on: disk, identity: identity)
    } catch {
      // The power may have gone while it was made, before anything depended on it.
      guard error.state == .dataCorrupted, !isFirst, try !LogReader.hasContents(path, on: disk)
      else { throw error }
      strayLogs.insert(generation)
      return nil
    }
    let expected = lastLog.end.sequence
    let base = reader.header.baseSequence
    if base == expected { return reader }
    if !isFirst && base < expected {
      // Its making was reported to have failed, and the log before it was gone on with.
      try reader.skipAll()
      if reader.end.sequence == base {
        strayLogs.insert(generation)
        return nil
      }
    }
    throw .damaged(
      "log file", path: files.log(isFirst ? generation : lastLog.generation),
      "What follows begins after transaction \(base), but it ends at transaction \(expected).")
  }
}
