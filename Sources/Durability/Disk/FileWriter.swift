import Columnar
package import Diagnostics

/// A file that is written from its beginning to its end, in big blocks.
///
/// For a snapshot: sections are appended and padded, a header is put in place at the end, and the
/// file is synced before it gets its name. Dropped before `finish`, it leaves a file that no
/// manifest knows, which the next opening of the database removes.
package struct FileWriter: ~Copyable {
  /// The file, for threads that append to it one at a time.
  let output: FileOutput

  /// Begins a file that must not exist.
  ///
  /// Once it has `reservedByteCount` bytes, space is set aside for as many more at a time. Pieces are written up to
  /// where a stretch of `stretchByteCount` bytes, a power of two, ends.
  ///
  /// - Throws: 53100, 42501, 58P01, 58P02 or 58030, as all of the writer's methods do.
  package init(
    creating path: String, on disk: any Disk, reservedByteCount: UInt64 = 8 << 20,
    stretchByteCount: UInt64 = 1 << 16
  ) throws(SQLError) {
    output = FileOutput(
      try reportingDiskErrors { () throws(DiskError) in try disk.open(path, .create) }, on: disk,
      reservedByteCount: reservedByteCount, stretchByteCount: stretchByteCount)
  }

  deinit { try? output.close() }

  /// How many bytes the file has: where the next ones go.
  package var offset: UInt64 { output.offset }

  /// Appends bytes.
  package mutating func append(_ bytes: Span<UInt8>) throws(SQLError) { try output.append(bytes) }

  /// Appends zeros until the offset is a multiple of `alignment`.
  package mutating func pad(to alignment: Int) throws(SQLError) {
    precondition(alignment > 0, "an alignment is positive")
    let rest = Int(offset % UInt64(alignment))
    if rest > 0 { try append([UInt8](repeating: 0, count: alignment - rest).span) }
  }

  /// Puts bytes in the place of earlier ones, such as a header whose contents are known at the end.
  package mutating func overwrite(_ bytes: Span<UInt8>, at place: UInt64) throws(SQLError) {
    try output.overwrite(bytes, at: place)
  }

  /// Gives the system all that was appended, so that the file can be read.
  ///
  /// - Returns: what makes the file durable; `finish` does so if nobody has meanwhile.
  mutating func handOver() throws(SQLError) -> FileSync {
    try output.settle()
    return { [output] () throws(SQLError) in try output.sync() }
  }

  /// Makes the file durable with all that was appended, and ends its use.
  package consuming func finish() throws(SQLError) {
    try output.sync()
    try reportingDiskErrors { () throws(DiskError) in try output.close() }
  }
}

/// Waits until a file is durable, on any thread; a second time has nothing left to do.
///
/// - Throws: what the disk says. Then the file is not to be used.
package typealias FileSync = @Sendable () throws(SQLError) -> Void

/// A file that is being written, and what was not written to it yet.
///
/// Sendable by rule: one thread at a time appends, and has waited for the one before.
final class FileOutput: @unchecked Sendable {
  /// What is gathered before it is written.
  private static let blockByteCount = 1 << 20
  /// What is not worth to be gathered.
  private static let pieceByteCount = 1 << 16
  /// After how many bytes the system is told to begin with bringing them to the disk.
  private static let startByteCount: UInt64 = 2 << 20

  /// How much space is set aside at once, for a file that has as much already.
  ///
  /// The blocks of a file are found in a few long stretches then, and a write has only to copy: it takes two thirds of
  /// the processor's time.
  private let reservedByteCount: UInt64
  /// Where pieces end if they can: a system keeps a file in stretches of pages, and for one that two writes share it
  /// does most of its work twice.
  private let stretchByteCount: UInt64

  private let disk: any Disk
  private let file: DiskFile
  /// What was not written yet.
  private var pending: [UInt8] = []
  private var written: UInt64 = 0
  /// Up to where the disk is at work.
  private var started: UInt64 = 0
  /// Up to where space was set aside, and whether more can be.
  private var reserved: UInt64 = 0
  private var canReserve = true
  /// Whether all that was written is durable.
  private var isDurable = false
  /// Why the file will not become durable: the system may have forgotten what a failed sync did not write, and a second
  /// one says that all is well.
  private var syncFailure: SQLError?
  private var isClosed = false

  init(
    _ file: DiskFile, on disk: any Disk, reservedByteCount: UInt64, stretchByteCount: UInt64
  ) {
    self.stretchByteCount = stretchByteCount
    self.reservedByteCount = reservedByteCount
    self.disk = disk
    self.file = file
    pending.reserveCapacity(Self.blockByteCount)
  }

  var offset: UInt64 { written + UInt64(pending.count) }

  func append(_ bytes: Span<UInt8>) throws(SQLError) {
    if bytes.count < Self.pieceByteCount {
      if pending.count + bytes.count > Self.blockByteCount { try flush() }
      pending.append(bytes: bytes)
      return
    }
    // A big piece goes to the disk from where it stands.
    try flush()
    reserve(for: bytes.count)
    try write(bytes, at: written)
    advance(bytes.count)
  }

  /// Appends pieces one behind another, from where they stand, but for what is behind the last stretch of the file that
  /// they fill.
  func append(_ pieces: [Buffer<UInt8>]) throws(SQLError) {
    let end = pieces.reduce(offset) { $0 + UInt64($1.count) }
    let whole = end & ~(stretchByteCount - 1)
    let now = whole > written ? Int(whole - written) : 0
    var (taken, front, rest): (Int, [Buffer<UInt8>], [Buffer<UInt8>]) = (0, [], [])
    for piece in [Buffer(pending)] + pieces {
      let count = min(piece.count, now - taken)
      if count > 0 { front.append(piece.slice(0..<count)) }
      if count < piece.count { rest.append(piece.slice(count..<piece.count)) }
      taken += count
    }
    if now > 0 {
      reserve(for: now)
      do throws(DiskError) { try disk.writeAll(file, at: written, pieces: front) } catch {
        throw error.sqlError
      }
      advance(now)
    }
    pending.removeAll(keepingCapacity: true)
    for piece in rest { piece.withBytes(0..<piece.count) { pending.append(bytes: $0) } }
  }

  func overwrite(_ bytes: Span<UInt8>, at place: UInt64) throws(SQLError) {
    precondition(place + UInt64(bytes.count) <= offset, "only what was appended is overwritten")
    try flush()
    isDurable = false
    try write(bytes, at: place)
  }

  /// Writes what is gathered, and gives back what was set aside and not needed.
  func settle() throws(SQLError) {
    try flush()
    if reserved <= written { return }
    try reportingDiskErrors { () throws(DiskError) in try disk.truncate(file, to: written) }
    reserved = 0
  }

  /// Writes what is gathered and returns when all of the file is durable.
  func sync() throws(SQLError) {
    try settle()
    if let syncFailure { throw syncFailure }
    if isDurable { return }
    do throws(DiskError) { try disk.sync(file, .all) } catch {
      syncFailure = error.sqlError
      throw error.sqlError
    }
    isDurable = true
  }

  /// Ends the use of the file; once.
  func close() throws(DiskError) {
    if isClosed { return }
    isClosed = true
    try disk.close(file)
  }

  private func flush() throws(SQLError) {
    if pending.isEmpty { return }
    var bytes: [UInt8] = []
    swap(&bytes, &pending)
    defer { swap(&bytes, &pending) }
    try write(bytes.span, at: written)
    advance(bytes.count)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Sets space aside for the next bytes, where that is worth it.
  private func reserve(for byteCount: Int) {
    let end = written + UInt64(byteCount)
    guard canReserve, end > max(reserved, reservedByteCount) else { return }
    let start = max(written, reserved)
    let limit = end + reservedByteCount
    // Where there is no space, the write will say so.
    canReserve = disk.reserve(file, start..<limit)
    if canReserve { reserved = limit }
  }

  /// Counts bytes that were written, and has them brought to the disk while others are made.
  private func advance(_ byteCount: Int) {
    isDurable = false
    written += UInt64(byteCount)
    if written - started >= Self.startByteCount {
      disk.startWriting(file, started..<written)
      started = written
    }
  }

  private func write(_ bytes: Span<UInt8>, at place: UInt64) throws(SQLError) {
    do throws(DiskError) { try disk.writeAll(file, at: place, bytes) } catch {
      throw error.sqlError
    }
  }
}
