import Columnar
import Diagnostics
import Durability
import SimulatedDisk

/// The model of a database: the payloads that were committed, in order.
struct Ledger: Equatable {
  /// The number of the last transaction that is in it.
  var sequence: UInt64 = 0
  /// A hash over all payloads, which stands for their contents.
  var digest: UInt64 = 0

  mutating func apply(_ payload: [UInt8]) {
    sequence += 1
    digest = XXH64.hash(payload.span, seed: digest &+ sequence)
  }

  /// The transaction with this number: its bytes follow from it, so that any prefix can be told.
  static func payload(_ sequence: UInt64) -> [UInt8] {
    var random = SimulationRandom(seed: sequence)
    let count = [0, 1, 7, 8, 40, 200, 700][random.below(7)]
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// The states after 0, 1, 2, … transactions.
  static func prefixes(_ count: Int) -> [Ledger] {
    var ledger = Ledger()
    var all = [ledger]
    for sequence in 0..<count {
      ledger.apply(payload(UInt64(sequence) + 1))
      all.append(ledger)
    }
    return all
  }

  // MARK: As a snapshot: sequence, digest, filler and a checksum seeded by the ids

  func write(to file: inout FileWriter, _ checkpoint: PendingCheckpoint) throws(SQLError) {
    var bytes: [UInt8] = []
    bytes.append(word: sequence)
    bytes.append(word: digest)
    bytes.append(word: XXH64.hash(bytes.span, seed: Self.seed(checkpoint.identity)))
    try file.append(bytes.span)
    try file.pad(to: 64)
  }

  init() {}

  init(_ snapshot: SnapshotFile?) throws(SQLError) {
    guard let snapshot else { return }
    let bytes = snapshot.file.bytes.array(snapshot.file.byteCount)
    guard bytes.count == 64, bytes[24...].allSatisfy({ $0 == 0 }),
      XXH64.hash(bytes.span.extracting(0..<16), seed: Self.seed(snapshot.identity))
        == bytes.span.word(at: 16),
      bytes.span.word(at: 0) == snapshot.baseSequence
    else { throw .damaged("snapshot", path: snapshot.path, "Its checksum does not match.") }
    sequence = bytes.span.word(at: 0)
    digest = bytes.span.word(at: 8)
  }

  private static func seed(_ identity: FileIdentity) -> UInt64 {
    ChecksumSeeds(identity).seed(at: 0)
  }
}

/// A database of ledgers on some disk.
struct LedgerDatabase {
  static let path = "/school.junction"

  let folder: DatabaseFolder
  var ledger: Ledger
  let notices: [Notice]

  static func options(_ change: (inout FolderOptions) -> Void = { _ in }) -> FolderOptions {
    var options = FolderOptions()
    options.createsIfMissing = true
    options.logGrowthLimit = 512
    change(&options)
    return options
  }

  init(on disk: any Disk, _ options: FolderOptions = options(), at path: String = path)
    throws(SQLError)
  {
    let opened = try DatabaseFolder.open(path, on: disk, options) {
      (snapshot: SnapshotFile?) throws(SQLError) -> Ledger in
      try Ledger(snapshot)
    } replay: { (ledger: inout Ledger, transaction) throws(SQLError) in
      ledger.apply(transaction.payload)
      guard ledger.sequence == transaction.sequence else {
        throw SQLError.internal("transactions came out of order")
      }
    }
    folder = opened.folder
    ledger = opened.state
    notices = opened.notices
  }

  /// Commits the next transaction and returns when that is acknowledged.
  mutating func commit() throws(SQLError) {
    guard let log = folder.log else { throw SQLError.internal("the folder is open for reading") }
    let payload = Ledger.payload(ledger.sequence + 1)
    let sequence = try log.append(payload.span)
    // What was appended is in the log, whether or not waiting for it succeeds.
    ledger.apply(payload)
    try log.wait(for: sequence)
  }

  func checkpoint() throws(SQLError) {
    let checkpoint = try folder.beginCheckpoint()
    let pinned = ledger
    try complete(checkpoint, pinned)
  }

  func complete(_ checkpoint: PendingCheckpoint, _ pinned: Ledger) throws(SQLError) {
    try folder.completeCheckpoint(checkpoint) { (file: inout FileWriter) throws(SQLError) in
      try pinned.write(to: &file, checkpoint)
    } verify: { (snapshot, sync) throws(SQLError) in
      try sync()
      guard try Ledger(snapshot) == pinned else {
        throw .damaged("snapshot", path: snapshot.path, "It is another one.")
      }
    }
  }
}
