import Catalog
public import Diagnostics
package import Durability

extension Database {
  /// Opens a database on disk, or makes one: the folder `NAME.junction` with its snapshot and log.
  ///
  /// The file that a backup was written to is opened as well, to be read only.
  ///
  /// What was committed is there, whatever ended the process that committed it. One process at a time may write.
  ///
  /// - Throws: 55006 if it is open already, in this process or another, 58P01 if it is not there and must not be made, XX001 if its
  ///   files are damaged, 0A000 if they are of a newer version, 42501, 53100 and 58030 as the system says.
  public convenience init(
    path: String, options: DatabaseOptions = DatabaseOptions()
  ) throws(SQLError) {
    try self.init(path: path, on: PosixDisk(), options)
  }

  /// As `init(path:options:)`, on a disk that tests may have made.
  package convenience init(
    path: String, on disk: any Disk, _ options: DatabaseOptions
  ) throws(SQLError) {
    if LoneSnapshot.isOne(path, on: disk) {
      try self.init(backup: path, on: disk, options)
      return
    }
    if let file = try? RetryingDisk(disk).open(path, .read) {
      try? disk.close(file)
      throw SQLError(
        .dataCorrupted, "file \"\(path)\" is not a database",
        detail: "It does not begin as a backup does, and a database is a folder.")
    }
    let damage = SnapshotDamage()
    let opened: (OpenedFolder<DatabaseVersion>, SequenceCounters)
    do throws(SQLError) {
      opened = try Self.open(path, on: disk, options, damage)
    } catch {
      // What the log changes was found to be damaged: that is known before anything depends on it.
      guard (try? damage.check()) == nil, !options.verifiesAtOpening else { throw error }
      var verifying = options
      verifying.verifiesAtOpening = true
      try self.init(path: path, on: disk, verifying)
      return
    }
    let (folder, counters) = opened
    let state = DatabaseState(
      folder.state, counters, damage: damage, surroundings: options.surroundings)
    self.init(state, DurableStore(folder.folder, state, options), folder.notices)
  }

  private static func open(
    _ path: String, on disk: any Disk, _ options: DatabaseOptions, _ damage: SnapshotDamage
  ) throws(SQLError) -> (OpenedFolder<DatabaseVersion>, SequenceCounters) {
    var folderOptions = FolderOptions()
    folderOptions.isReadOnly = options.isReadOnly
    folderOptions.createsIfMissing = options.createsIfMissing
    if options.durability == .async {
      folderOptions.logMode = .deferred(windowMilliseconds: 200)
    }
    var counters = SequenceCounters()
    let opened = try DatabaseFolder.open(path, on: disk, folderOptions) {
      (snapshot: SnapshotFile?) throws(SQLError) -> DatabaseVersion in
      // A second try begins anew.
      counters = SequenceCounters()
      guard let snapshot else {
        return DatabaseVersion(number: 0, catalog: CatalogSnapshot(), tables: [:])
      }
      return try DatabaseImage.read(
        snapshot, counters, damage, verifying: options.verifiesAtOpening)
    } replay: { version, transaction throws(SQLError) in
      var reader = ByteReader(transaction.payload)
      version = try CommitRecord.apply(&reader, to: version, counters)
      try damage.check()
    }
    return (opened, counters)
  }

  /// Whether a folder is a database on disk.
  public static func isOnDisk(_ path: String) -> Bool {
    DatabaseFolder.isDatabase(path, on: PosixDisk())
  }

  /// Writes what is committed to a new database on disk, which is not opened by that.
  ///
  /// - Throws: 58P02 if there is something of this name, 42501, 53100 and 58030 as the system says. Then nothing is left.
  public func save(to path: String) throws(SQLError) { try save(to: path, on: PosixDisk()) }

  /// As `save(to:)`, on a disk that tests may have made.
  package func save(to path: String, on disk: any Disk) throws(SQLError) {
    let version = state.current
    try DatabaseFolder.make(path, on: disk) { checkpoint, file throws(SQLError) in
      try DatabaseImage.write(
        version, sequences: state.sequences.all, checkpoint, damage: state.damage, to: &file)
    } verify: { file, sync throws(SQLError) in
      try SnapshotReader(file).verify(whileSyncing: sync)
    }
  }

  /// Writes a snapshot, so that opening need not go through the log; commits go on meanwhile.
  ///
  /// - Throws: 53100, 58030 and the like; then everything is as before.
  public func checkpoint() throws(SQLError) {
    try state.log?.checkpoint(state, timeoutMilliseconds: nil, context: nil)
  }

  /// Ends the use of the files: what was committed is durable then, and no more commits are taken.
  ///
  /// - Throws: 58030 if commits that were to become durable later will not.
  public func close() throws(SQLError) { try store?.close() }
}
