import Columnar
package import Diagnostics

/// A snapshot in a file of its own, without manifest, log and lock: a backup.
///
/// It bears an id that no database has, so that it is never taken for a part of one.
package enum LoneSnapshot {
  /// Whether a file begins as a snapshot does; it may be damaged all the same.
  package static func isOne(_ path: String, on disk: any Disk) -> Bool {
    guard let file = try? RetryingDisk(disk).open(path, .read) else { return false }
    defer { try? disk.close(file) }
    guard let bytes = try? RetryingDisk(disk).contents(of: file, limit: 8), bytes.count == 8 else {
      return false
    }
    return bytes.span.word(at: 0) == SnapshotLayout.magic
  }

  /// The snapshot in a file, whatever ids its header bears.
  ///
  /// - Throws: XX001 if it is too short to have a header, and the disk's errors.
  package static func open(_ path: String, on disk: any Disk) throws(SQLError) -> SnapshotFile {
    let disk = RetryingDisk(disk)
    let mapping = try reportingDiskErrors { () throws(DiskError) in
      let file = try disk.open(path, .read)
      defer { try? disk.close(file) }
      return try disk.map(file)
    }
    guard mapping.byteCount >= SnapshotLayout.headerByteCount else {
      throw .damaged("snapshot", path: path, "It is too short.")
    }
    // Who reads the file compares its header with these, and with the header's checksum.
    let (identity, base) = mapping.withBytes(0..<SnapshotLayout.headerByteCount) { bytes in
      let database = DatabaseID(low: bytes.word(at: 24), high: bytes.word(at: 32))
      return (
        FileIdentity(database: database, generation: bytes.word(at: 40)), bytes.word(at: 48)
      )
    }
    return SnapshotFile(path: path, identity: identity, baseSequence: base, file: mapping)
  }

  /// Writes a snapshot to a file that must not exist, which is there whole or not at all.
  ///
  /// It is written beside, read back and verified while it is synced, renamed, and the folder is synced.
  ///
  /// - Throws: what the closures throw, 58P02 if the file exists, and the disk's errors.
  package static func create(
    _ path: String, on disk: any Disk,
    write: (PendingCheckpoint, inout FileWriter) throws(SQLError) -> Void,
    verify: (SnapshotFile, @escaping FileSync) throws(SQLError) -> Void
  ) throws(SQLError) {
    let identity = FileIdentity(database: DatabaseID.random(), generation: 1)
    let checkpoint = PendingCheckpoint(identity: identity, baseSequence: 0)
    try NewFile.create(path, on: disk) { (file, _) throws(SQLError) in
      try write(checkpoint, &file)
    } verify: { path, disk, sync throws(SQLError) in
      try verify(
        DatabaseFolder.snapshot(path, on: disk, identity: identity, baseSequence: 0), sync)
    }
  }
}

/// A file that gets its name once it is whole and durable.
package enum NewFile {
  /// Writes a file that must not exist.
  ///
  /// `verify` is given where it stands meanwhile, and what makes it durable.
  ///
  /// - Throws: what the closures throw, 58P02 if the file exists, and the disk's errors. Then nothing is left.
  package static func create(
    _ path: String, on disk: any Disk,
    write: (inout FileWriter, any Disk) throws(SQLError) -> Void,
    verify: (String, any Disk, @escaping FileSync) throws(SQLError) -> Void = { _, _, _ in }
  ) throws(SQLError) {
    let disk = RetryingDisk(disk)
    let path = disk.absolutePath(path)
    try checkIsFree(path, on: disk)
    // Nobody else writes to a file of this name, however many write one at a time.
    let newPath = "\(path).\(String(UInt32.random(in: 0 ... .max), radix: 16)).new"
    do throws(SQLError) {
      var writer = try FileWriter(creating: newPath, on: disk)
      try write(&writer, disk)
      try verify(newPath, disk, writer.handOver())
      try writer.finish()
      try checkIsFree(path, on: disk)
      try reportingDiskErrors { () throws(DiskError) in try disk.rename(newPath, to: path) }
    } catch {
      try? disk.unlink(newPath)
      throw error
    }
    try reportingDiskErrors { () throws(DiskError) in
      try disk.syncDirectory(FolderFiles(path).parent)
    }
  }

  private static func checkIsFree(_ path: String, on disk: any Disk) throws(SQLError) {
    if try reportingDiskErrors({ () throws(DiskError) in try disk.exists(path) }) {
      throw SQLError(
        .duplicateFile, "\"\(path)\" already exists", hint: "Choose another name, or remove it.")
    }
  }
}
