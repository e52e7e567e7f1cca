import Columnar
package import Diagnostics
import Storage
import Synchronization

/// A snapshot whose index was read; what a section holds is checked when it is asked for.
package struct SnapshotReader: Sendable {
  package let sections: [SnapshotSection]
  private let snapshot: SnapshotFile
  private let seeds: ChecksumSeeds

  /// Reads the header and the index.
  ///
  /// - Throws: XX001 if the file is damaged or another's, 0A000 if it is of a newer format.
  package init(_ snapshot: SnapshotFile) throws(SQLError) {
    self.snapshot = snapshot
    seeds = ChecksumSeeds(snapshot.identity)
    let count = snapshot.file.byteCount
    let least = SnapshotLayout.headerByteCount + SnapshotLayout.trailerByteCount
    guard count >= least else {
      throw .damaged("snapshot", path: snapshot.path, "It is too short.")
    }
    try Self.checkHeader(snapshot)
    sections = try Self.index(snapshot, seeds)
  }

  private static func checkHeader(_ snapshot: SnapshotFile) throws(SQLError) {
    let path = snapshot.path
    try snapshot.file.withBytes(0..<SnapshotLayout.headerByteCount) { bytes throws(SQLError) in
      guard bytes.word(at: 0) == SnapshotLayout.magic else {
        throw .damaged("snapshot", path: path, "It does not begin as a snapshot does.")
      }
      guard XXH64.hash(bytes.extracting(0..<56)) == bytes.word(at: 56) else {
        throw .damaged("snapshot", path: path, "Its header does not match the header's checksum.")
      }
      try FormatVersion(bytes, at: 8)
        .check(against: SnapshotLayout.currentVersion, "snapshot", path: path)
      let database = DatabaseID(low: bytes.word(at: 24), high: bytes.word(at: 32))
      let identity = FileIdentity(database: database, generation: bytes.word(at: 40))
      guard identity == snapshot.identity, bytes.word(at: 48) == snapshot.baseSequence else {
        throw .damaged("snapshot", path: path, "It is not the one that belongs here.")
      }
    }
  }

  /// The sections, which stand one behind another and leave no byte between header and index.
  private static func index(
    _ snapshot: SnapshotFile, _ seeds: ChecksumSeeds
  ) throws(SQLError) -> [SnapshotSection] {
    let path = snapshot.path
    let end = snapshot.file.byteCount - SnapshotLayout.trailerByteCount
    let (offset, count, checksum) = try snapshot.file.withBytes(
      end..<snapshot.file.byteCount
    ) { bytes throws(SQLError) -> (UInt64, UInt64, UInt64) in
      let sum = XXH64.hash(bytes.extracting(0..<24), seed: seeds.seed(at: UInt64(end)))
      guard sum == bytes.word(at: 24) else {
        throw .damaged("snapshot", path: path, "Its end does not match the end's checksum.")
      }
      return (bytes.word(at: 0), bytes.word(at: 8), bytes.word(at: 16))
    }
    let room = UInt64(end)
    guard offset >= UInt64(SnapshotLayout.headerByteCount), offset <= room,
      count == (room - offset) / UInt64(SnapshotSection.byteCount),
      (room - offset) % UInt64(SnapshotSection.byteCount) == 0
    else { throw .damaged("snapshot", path: path, "Its index does not fit the file.") }
    return try snapshot.file.withBytes(
      Int(offset)..<end
    ) { bytes throws(SQLError) -> [SnapshotSection] in
      guard XXH64.hash(bytes, seed: seeds.seed(at: offset)) == checksum else {
        throw .damaged("snapshot", path: path, "Its index does not match the index's checksum.")
      }
      var sections: [SnapshotSection] = []
      var next = UInt64(SnapshotLayout.headerByteCount)
      for place in stride(from: 0, to: bytes.count, by: SnapshotSection.byteCount) {
        let section = try section(bytes, at: place, path)
        guard section.offset == next, section.byteCount <= offset - next,
          SnapshotLayout.padded(section.byteCount) <= offset - next
        else { throw .damaged("snapshot", path: path, "Its sections do not fit together.") }
        next += SnapshotLayout.padded(section.byteCount)
        sections.append(section)
      }
      guard next == offset else {
        throw .damaged("snapshot", path: path, "Bytes belong to no section.")
      }
      return sections
    }
  }

  private static func section(
    _ bytes: Span<UInt8>, at place: Int, _ path: String
  ) throws(SQLError) -> SnapshotSection {
    guard let kind = SnapshotSection.Kind(rawValue: bytes.half(at: place)) else {
      throw .damaged("snapshot", path: path, "It has a section of an unknown kind.")
    }
    return SnapshotSection(
      kind: kind, table: bytes.half(at: place + 4), offset: bytes.word(at: place + 8),
      byteCount: bytes.word(at: place + 16), checksum: bytes.word(at: place + 24))
  }

  /// Where it stands, for messages.
  package var path: String { snapshot.path }

  /// Compares all sections with their checksums, on all cores, while the file is made durable if that is to be done.
  ///
  /// Both have to succeed, and neither depends on the other: what is read are the system's pages, before a sync and
  /// behind it, and the time that a sync takes is the disk's.
  ///
  /// - Throws: the disk's errors, XX001 for the first section that is not what was written.
  package func verify(whileSyncing sync: FileSync? = nil) throws(SQLError) {
    let reader = self
    let shared = SharedFault()
    let count = sections.count
    parallelFor(tasks: count + 1) { task in
      do throws(SQLError) {
        // The last first, as the cache may still have what was just written.
        if task == 0 { try sync?() } else { try reader.check(reader.sections[count - task]) }
      } catch { shared.note(error, at: task == 0 ? 0 : count - task + 1) }
    }
    try shared.check()
  }

  /// The bytes of a section, in place.
  ///
  /// - Throws: XX001 if they are not those that were written.
  package func contents(of section: SnapshotSection) throws(SQLError) -> ByteReader {
    try check(section)
    return ByteReader(bytes(of: section), count: Int(section.byteCount))
  }

  /// The bytes of a section, unchecked.
  func bytes(of section: SnapshotSection) -> Buffer<UInt8> {
    let start = Int(section.offset)
    return snapshot.file.bytes.slice(start..<(start + Int(section.byteCount)))
  }

  /// Compares a section with its checksum.
  ///
  /// - Throws: XX001 if the bytes are not those that were written.
  func check(_ section: SnapshotSection) throws(SQLError) {
    let start = Int(section.offset)
    let end = start + Int(SnapshotLayout.padded(section.byteCount))
    let sum = snapshot.file.withBytes(start..<end) {
      XXH64.hash($0, seed: seeds.seed(at: section.offset))
    }
    guard sum == section.checksum else {
      throw .damaged(
        "snapshot", path: snapshot.path,
        "The \(section.byteCount) bytes from byte \(section.offset) on do not match their checksum."
      )
    }
  }
}

/// The first of the errors that several threads run into.
final class SharedFault: Sendable {
  private let first = Mutex<(index: Int, error: SQLError)?>(nil)

  func note(_ error: SQLError, at index: Int) {
    first.withLock { first in
      if first.map({ index < $0.index }) ?? true { first = (index, error) }
    }
  }

  /// - Throws: the error.
  func check() throws(SQLError) {
    if let error = first.withLock({ $0?.error }) { throw error }
  }
}
