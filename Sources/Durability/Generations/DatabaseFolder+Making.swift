package import Diagnostics

extension DatabaseFolder {
  /// Makes a database of a snapshot in a folder that must not be there.
  ///
  /// The manifest comes last: until then there is no database, and never one without its rows.
  ///
  /// - Throws: what the closures throw, 58P02 if there is something of this name, and the disk's errors. Then nothing is
  ///   left of what was made.
  package static func make(
    _ path: String, on disk: any Disk,
    write: (PendingCheckpoint, inout FileWriter) throws(SQLError) -> Void,
    verify: (SnapshotFile, @escaping FileSync) throws(SQLError) -> Void
  ) throws(SQLError) {
    let files = FolderFiles(disk.absolutePath(path))
    let disk = RetryingDisk(disk)
    // Making the folder tells whose it is: of two who want the name at once only one succeeds.
    do throws(DiskError) { try disk.makeDirectory(files.path) } catch {
      guard error.reason == .exists else { throw error.sqlError }
      throw SQLError(
        .duplicateFile, "\"\(path)\" already exists", hint: "Choose another name, or remove it.")
    }
    do throws(SQLError) { try fill(files, on: disk, write: write, verify: verify) } catch {
      remove(files, on: disk)
      throw error
    }
  }

  private static func fill(
    _ files: FolderFiles, on disk: any Disk,
    write: (PendingCheckpoint, inout FileWriter) throws(SQLError) -> Void,
    verify: (SnapshotFile, @escaping FileSync) throws(SQLError) -> Void
  ) throws(SQLError) {
    let lockFile = try takeLock(files, on: disk)
    defer { try? disk.close(lockFile) }
    let manifest = Manifest(
      database: DatabaseID.random(), generation: 1, hasSnapshot: true, previousGeneration: 0,
      baseSequence: 0)
    try reportingDiskErrors { () throws(DiskError) in
      let log = try LogWriter.create(
        files.log(1), on: disk, identity: manifest.identity, baseSequence: 0)
      try disk.close(log)
    }
    let checkpoint = PendingCheckpoint(identity: manifest.identity, baseSequence: 0)
    try writeSnapshot(
      checkpoint, to: files, on: disk,
      write: { file throws(SQLError) in try write(checkpoint, &file) }, verify: verify)
    try reportingDiskErrors { () throws(DiskError) in
      try self.write(manifest, to: files, on: disk)
      try syncParent(files, on: disk)
    }
  }

  /// Removes the files of a database, and its folder if nobody has put something else there.
  ///
  /// What cannot be removed stays.
  private static func remove(_ files: FolderFiles, on disk: any Disk) {
    let names = (try? disk.list(files.path)) ?? []
    // Without its manifest the rest is no database, should only some of it go.
    if names.contains("manifest") { try? disk.unlink(files.manifest) }
    for name in names where name != "manifest" && FolderEntry(name) != .foreign {
      try? disk.unlink(files.path + "/" + name)
    }
    try? disk.removeDirectory(files.path)
    try? disk.syncDirectory(files.parent)
  }
}
