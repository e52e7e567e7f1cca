package import Diagnostics
import Synchronization

/// A checkpoint whose log has begun and whose snapshot is still to be written.
package struct PendingCheckpoint: Sendable {
  /// The ids for the snapshot's header.
  package let identity: FileIdentity
  /// The number of the last transaction that the snapshot holds.
  package let baseSequence: UInt64
}

extension DatabaseFolder {
  /// Begins a checkpoint: from now on transactions go to a new log, and all before are durable.
  ///
  /// To be called while no commit is under way, at the moment at which the caller takes hold of the
  /// state that it will write: that after exactly the transactions logged so far. Writers may go on
  /// as soon as it returns. A checkpoint that is never completed does no harm.
  ///
  /// - Throws: 53100, 58030 and the like; then the old log stays in use.
  package func beginCheckpoint() throws(SQLError) -> PendingCheckpoint {
    guard let log else { throw Self.readOnlyError(files.path) }
    let generation = state.withLock { state in
      defer { state.nextGeneration += 1 }
      return state.nextGeneration
    }
    let identity = FileIdentity(database: database, generation: generation)
    let path = files.log(generation)
    let (disk, files) = (self.disk, self.files)
    var base: UInt64 = 0
    try log.rotate(to: identity) { (baseSequence: UInt64) throws(DiskError) -> DiskFile in
      base = baseSequence
      do throws(DiskError) {
        let file = try LogWriter.create(
          path, on: disk, identity: identity, baseSequence: baseSequence)
        do throws(DiskError) { try disk.syncDirectory(files.path) } catch {
          try? disk.close(file)
          throw error
        }
        return file
      } catch {
        // Left behind, it would be recognised as empty and removed by the next opening.
        try? disk.unlink(path)
        throw error
      }
    }
    return PendingCheckpoint(identity: identity, baseSequence: base)
  }

  /// Writes the snapshot of a checkpoint and moves the database to it.
  ///
  /// Commits go on meanwhile. A failure leaves the database as it was, with one log more; the next
  /// checkpoint covers that too.
  ///
  /// `write` appends the snapshot's bytes, and `verify` checks what the disk gives back before
  /// anything depends on it, and may have it made durable meanwhile. The generation before and its logs lead to the
  /// same state, and are kept to fall back on.
  ///
  /// - Throws: what the closures throw, 55006 if a checkpoint is being completed already, and the disk's errors.
  package func completeCheckpoint(
    _ checkpoint: PendingCheckpoint,
    write: (inout FileWriter) throws(SQLError) -> Void,
    verify: (SnapshotFile, @escaping FileSync) throws(SQLError) -> Void
  ) throws(SQLError) {
    let current = state.withLock { state -> State? in
      if state.isCheckpointing { return nil }
      state.isCheckpointing = true
      return state
    }
    guard let current else {
      throw SQLError(.objectInUse, "another checkpoint is being written")
    }
    defer { state.withLock { $0.isCheckpointing = false } }
    let generation = checkpoint.identity.generation
    guard generation > current.manifest.generation else {
      throw SQLError(.objectInUse, "a later checkpoint has been written already")
    }
    do throws(SQLError) {
      try Self.writeSnapshot(checkpoint, to: files, on: disk, write: write, verify: verify)
    } catch {
      try? disk.unlink(files.newSnapshot(generation))
      try? disk.unlink(files.snapshot(generation))
      throw error
    }
    let manifest = Manifest(
      database: database, generation: generation, hasSnapshot: true,
      previousGeneration: current.soundGeneration,
      baseSequence: checkpoint.baseSequence)
    // From here on the new manifest may be the one that survives, whatever the disk reports.
    try reportingDiskErrors { () throws(DiskError) in
      try Self.write(manifest, to: files, on: disk)
    }
    state.withLock { state in
      state.manifest = manifest
      state.soundGeneration = generation
    }
    removeOutdated(keeping: manifest)
  }

  /// Removes the generations before the one that is kept to fall back on.
  ///
  /// What cannot be removed stays until the next opening.
  private func removeOutdated(keeping manifest: Manifest) {
    guard let names = try? disk.list(files.path) else { return }
    for name in names {
      let isOutdated =
        switch FolderEntry(name) {
        case .snapshot(let generation):
          generation < manifest.generation && generation != manifest.previousGeneration
        case .log(let generation): generation < manifest.previousGeneration
        case .manifest, .lock, .unfinished, .foreign: false
        }
      if isOutdated { try? disk.unlink(files.path + "/" + name) }
    }
  }

  // MARK: Steps shared with opening and making

  /// Writes the snapshot of a generation, verifies what the disk gives back, and makes the file and its name durable.
  static func writeSnapshot(
    _ checkpoint: PendingCheckpoint, to files: FolderFiles, on disk: any Disk,
    write: (inout FileWriter) throws(SQLError) -> Void,
    verify: (SnapshotFile, @escaping FileSync) throws(SQLError) -> Void
  ) throws(SQLError) {
    let generation = checkpoint.identity.generation
    let newPath = files.newSnapshot(generation)
    try unlinkIfPresent(newPath, on: disk)
    var writer = try FileWriter(creating: newPath, on: disk)
    try write(&writer)
    let sync = try writer.handOver()
    try verify(
      snapshot(
        newPath, on: disk, identity: checkpoint.identity, baseSequence: checkpoint.baseSequence),
      sync)
    try writer.finish()
    try reportingDiskErrors { () throws(DiskError) in
      try disk.rename(newPath, to: files.snapshot(generation))
      try disk.syncDirectory(files.path)
    }
  }

  /// Puts a manifest in the place of the one there is, durably.
  static func write(
    _ manifest: Manifest, to files: FolderFiles, on disk: any Disk
  ) throws(DiskError) {
    if try disk.exists(files.newManifest) { try disk.unlink(files.newManifest) }
    let file = try disk.open(files.newManifest, .create)
    do throws(DiskError) {
      try disk.writeAll(file, at: 0, manifest.bytes.span)
      try disk.sync(file, .all)
    } catch {
      try? disk.close(file)
      throw error
    }
    try disk.close(file)
    try disk.rename(files.newManifest, to: files.manifest)
    try disk.syncDirectory(files.path)
  }

  /// A snapshot's bytes, mapped.
  static func snapshot(
    _ path: String, on disk: any Disk, identity: FileIdentity, baseSequence: UInt64
  ) throws(SQLError) -> SnapshotFile {
    let mapping = try reportingDiskErrors { () throws(DiskError) in
      let file = try disk.open(path, .read)
      defer { try? disk.close(file) }
      return try disk.map(file)
    }
    return SnapshotFile(
      path: path, identity: identity, baseSequence: baseSequence, file: mapping)
  }

  static func unlinkIfPresent(_ path: String, on disk: any Disk) throws(SQLError) {
    try reportingDiskErrors { () throws(DiskError) in
      if try disk.exists(path) { try disk.unlink(path) }
    }
  }

  static func readOnlyError(_ path: String) -> SQLError {
    SQLError(.readOnlyTransaction, "database \"\(path)\" was opened to be read only")
  }
}
