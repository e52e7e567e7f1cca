import Columnar
import Diagnostics

/// Reckons the checksums of sections, part by part, and appends them to a file.
///
/// The two may be done by different threads, one part after another each: a part is sealed first and written then.
///
/// Sendable by rule: one thread at a time seals and one writes, and each has waited for the one before.
final class SectionAppender: @unchecked Sendable {
  let seeds: ChecksumSeeds
  private(set) var sections: [SnapshotSection] = []
  private let file: FileOutput
  /// Where the next section begins.
  private var offset = UInt64(SnapshotLayout.headerByteCount)
  /// The section that is being sealed: its bytes so far, and their hash.
  private var begun: (byteCount: Int, hash: XXH64)?

  /// Appends to a file that has its header.
  init(_ seeds: ChecksumSeeds, _ file: FileOutput) {
    self.seeds = seeds
    self.file = file
  }

  /// Takes a part into the checksum of its section, and says what is to be written of it: behind the last part stand
  /// zeros up to where the next section may begin.
  func seal(_ part: SectionPart, _ planned: PlannedPart) -> SealedPart {
    let count = part.bytes.count
    var section = begun ?? (0, XXH64(seed: seeds.seed(at: offset)))
    begun = nil
    section.byteCount += count
    guard planned.isLast else {
      part.bytes.withBytes(0..<count) { section.hash.update($0) }
      begun = section
      return SealedPart(part, planned.section)
    }
    let end = SnapshotLayout.padded(UInt64(section.byteCount))
    let rest = Int(end) - section.byteCount
    var sealed = SealedPart(part, planned.section)
    // Mostly there is room for the zeros, so that one piece is written: a part's bytes begin its memory.
    if let memory = part.memory, count + rest <= memory.count {
      memory.fill(count..<(count + rest), with: 0)
      sealed.bytes = memory.slice(0..<(count + rest))
    } else if rest > 0 {
      sealed.padding = Buffer(zeroed: rest)
    }
    for piece in sealed.pieces {
      piece.withBytes(0..<piece.count) { section.hash.update($0) }
    }
    sections.append(
      SnapshotSection(
        kind: planned.task.kind, table: planned.task.table, offset: offset,
        byteCount: UInt64(section.byteCount), checksum: section.hash.value()))
    offset += end
    return sealed
  }

  /// Writes parts, the one behind the other.
  func write(_ parts: [SealedPart]) throws(SQLError) {
    try file.append(parts.flatMap(\.pieces))
  }
}

/// A part of a section as it is to be written.
struct SealedPart {
  /// The number of the section's task.
  let section: Int
  fileprivate(set) var bytes: Buffer<UInt8>
  fileprivate(set) var padding: Buffer<UInt8>?
  /// What is free again once they are written, if anything is.
  let memory: Buffer<UInt8>?

  fileprivate init(_ part: SectionPart, _ section: Int) {
    self.section = section
    bytes = part.bytes
    memory = part.memory
  }

  var byteCount: Int { bytes.count + (padding?.count ?? 0) }

  /// What stands one behind another.
  var pieces: [Buffer<UInt8>] { padding.map { [bytes, $0] } ?? [bytes] }
}
