import Columnar
package import Diagnostics

/// A file that is written from its beginning to its end, in big blocks.
///
/// For a snapshot: sections are appended and padded, a header is put in place at the end, and the
/// file is synced before it gets its name. Dropped before `finish`, it leaves a file that no
/// manifest knows, which the next opening of the database removes.
package struct FileWriter: ~Copyable {
  /// What is gathered before it is written.
  private static let blockByteCount = 1 << 20

  private let disk: any Disk
  private let file: DiskFile
  /// What was not written yet.
  private var pending: [UInt8] = []
  private var written: UInt64 = 0
  private var isClosed = false

  /// Begins a file that must not exist.
  ///
  /// - Throws: 53100, 42501, 58P01, 58P02 or 58030, as all of the writer's methods do.
  package init(creating path: String, on disk: any Disk) throws(SQLError) {
    self.disk = disk
    file = try reportingDiskErrors { () throws(DiskError) in try disk.open(path, .create) }
    pending.reserveCapacity(Self.blockByteCount)
  }

  deinit { if !isClosed { try? disk.close(file) } }

  /// How many bytes the file has: where the next ones go.
  package var offset: UInt64 { written + UInt64(pending.count) }

  /// Appends bytes.
  package mutating func append(_ bytes: Span<UInt8>) throws(SQLError) {
    if bytes.count < Self.blockByteCount {
      if pending.count + bytes.count > Self.blockByteCount { try flush() }
      pending.append(bytes: bytes)
      return
    }
    // A big piece goes to the disk from where it stands.
    try flush()
    try write(bytes, at: written)
    written += UInt64(bytes.count)
  }

  /// Leaves a stretch out that others write, each a part of its own; what was appended before is written.
  mutating func leave(_ byteCount: Int) throws(SQLError) -> FileStretch {
    try flush()
    let stretch = FileStretch(
      disk: disk, file: file, range: written..<(written + UInt64(byteCount)))
    written += UInt64(byteCount)
    return stretch
  }

  /// Appends zeros until the offset is a multiple of `alignment`.
  package mutating func pad(to alignment: Int) throws(SQLError) {
    precondition(alignment > 0, "an alignment is positive")
    let rest = Int(offset % UInt64(alignment))
    if rest > 0 { try append([UInt8](repeating: 0, count: alignment - rest).span) }
  }

  /// Puts bytes in the place of earlier ones, such as a header whose contents are known at the end.
  package mutating func overwrite(_ bytes: Span<UInt8>, at place: UInt64) throws(SQLError) {
    precondition(place + UInt64(bytes.count) <= offset, "only what was appended is overwritten")
    try flush()
    try write(bytes, at: place)
  }

  /// Writes what is gathered and makes the file durable.
  package consuming func finish() throws(SQLError) {
    try flush()
    let (disk, file) = (disk, file)
    try reportingDiskErrors { () throws(DiskError) in try disk.sync(file, .all) }
    isClosed = true
    try reportingDiskErrors { () throws(DiskError) in try disk.close(file) }
  }

  private mutating func flush() throws(SQLError) {
    if pending.isEmpty { return }
    try write(pending.span, at: written)
    written += UInt64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  private func write(_ bytes: Span<UInt8>, at place: UInt64) throws(SQLError) {
    do throws(DiskError) { try disk.writeAll(file, at: place, bytes) } catch {
      throw error.sqlError
    }
  }
}

/// A stretch of a file that several threads write at once.
struct FileStretch: Sendable {
  fileprivate let disk: any Disk
  fileprivate let file: DiskFile
  let range: Range<UInt64>

  /// Writes a part.
  func write(_ bytes: Span<UInt8>, at place: UInt64) throws(SQLError) {
    precondition(
      place >= range.lowerBound && place + UInt64(bytes.count) <= range.upperBound,
      "a part lies inside of the stretch")
    do throws(DiskError) { try disk.writeAll(file, at: place, bytes) } catch {
      throw error.sqlError
    }
  }

  /// Says that all parts are written.
  func finish() { disk.startWriting(file, range) }
}
