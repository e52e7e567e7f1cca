import Catalog
import Columnar
public import Diagnostics
package import Durability

extension Database {
  /// Writes what is committed to one file, which can be opened as a database to be read.
  ///
  /// Readers and writers go on meanwhile. The file is there whole or not at all.
  ///
  /// - Throws: 58P02 if there is something of this name, 42501, 53100 and 58030 as the system says.
  public func backUp(to path: String) throws(SQLError) {
    try state.backUp(to: path, on: store?.disk ?? PosixDisk())
  }

  /// As `backUp(to:)`, on a disk that tests may have made.
  package func backUp(to path: String, on disk: any Disk) throws(SQLError) {
    try state.backUp(to: path, on: disk)
  }

  /// Whether a file is a backup, which can be opened as a database.
  public static func isBackup(_ path: String) -> Bool {
    LoneSnapshot.isOne(path, on: PosixDisk())
  }

  /// Opens a backup, to be read only.
  ///
  /// - Throws: XX001 if it is damaged, 0A000 if it is of a newer version, 42501 and 58030 as the system says.
  convenience init(
    backup path: String, on disk: any Disk, _ options: DatabaseOptions
  ) throws(SQLError) {
    let counters = SequenceCounters()
    let damage = SnapshotDamage()
    let version = try DatabaseImage.read(
      LoneSnapshot.open(path, on: disk), counters, damage, verifying: true)
    let state = DatabaseState(
      version, counters, damage: damage, surroundings: options.surroundings)
    state.setLog(BackupLog(path, on: disk))
    self.init(state, nil, [])
  }
}

extension DatabaseState {
  /// Writes the newest version whose commits are durable, with where the sequences stand at that moment or later.
  func backUp(to path: String, on disk: any Disk) throws(SQLError) {
    let version = current
    let positions = sequences.all
    try LoneSnapshot.create(path, on: disk) { checkpoint, file throws(SQLError) in
      try DatabaseImage.write(
        version, sequences: positions, checkpoint, damage: damage, to: &file)
    } verify: { file, sync throws(SQLError) in
      try SnapshotReader(file).verify(whileSyncing: sync)
    }
  }
}

/// Where commits to an opened backup go: nowhere.
final class BackupLog: CommitLog {
  private let path: String
  private let disk: any Disk

  init(_ path: String, on disk: any Disk) {
    self.path = path
    self.disk = disk
  }

  /// Looks at the file anew.
  func verifyFile() -> VerifiedFile {
    do throws(SQLError) {
      let snapshot = try LoneSnapshot.open(path, on: disk)
      try DurableStore.verify(snapshot)
      return VerifiedFile(path: path, byteCount: snapshot.file.byteCount, error: nil)
    } catch {
      return VerifiedFile(path: path, byteCount: 0, error: error)
    }
  }

  private var refusal: SQLError {
    SQLError(
      .readOnlyTransaction, "\"\(path)\" is a backup, which is opened to be read only",
      hint: "Save it as a database, with \\save NAME.junction, and open that.")
  }

  func append(
    from old: DatabaseVersion, to new: DatabaseVersion
  ) throws(SQLError) -> UInt64 {
    throw refusal
  }

  func append(
    _ event: RowEvent, of table: ObjectID, to version: DatabaseVersion
  ) throws(SQLError) -> UInt64 {
    throw refusal
  }

  func append(_ sequences: Set<ObjectID>) throws(SQLError) -> UInt64 { throw refusal }

  var publishesAtOnce: Bool { true }

  func wait(for commit: UInt64) throws(SQLError) {}

  func checkpoint(
    _ state: DatabaseState, timeoutMilliseconds: Int?, context: EvaluationContext?
  ) throws(SQLError) { throw refusal }
}
