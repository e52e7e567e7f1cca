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
      return SealedPart(bytes: part.bytes, padding: [], memory: part.memory)
    }
    let end = SnapshotLayout.padded(UInt64(section.byteCount))
    let rest = Int(end) - section.byteCount
    var sealed = SealedPart(
      bytes: part.bytes, padding: [UInt8](repeating: 0, count: rest), memory: part.memory)
    // Mostly there is room for the zeros, so that one piece is written: a part's bytes begin its memory.
    if let memory = part.memory, count + rest <= memory.count {
      memory.fill(count..<(count + rest), with: 0)
      sealed.bytes = memory.slice(0..<(count + rest))
      sealed.padding = []
    }
    sealed.bytes.withBytes(0..<sealed.bytes.count) { section.hash.update($0) }
    section.hash.update(sealed.padding.span)
    sections.append(
      SnapshotSection(
        kind: planned.kind, table: planned.table, offset: offset,
        byteCount: UInt64(section.byteCount), checksum: section.hash.value()))
    offset += end
    return sealed
  }

  /// Writes a part.
  func write(_ part: SealedPart) throws(SQLError) {
    try part.bytes.withBytes(0..<part.bytes.count) { span throws(SQLError) in
      try file.append(span)
    }
    if !part.padding.isEmpty { try file.append(part.padding.span) }
  }
}

/// A part of a section as it is to be written.
struct SealedPart {
  fileprivate(set) var bytes: Buffer<UInt8>
  fileprivate(set) var padding: [UInt8]
  /// What is free again once they are written, if anything is.
  let memory: Buffer<UInt8>?
}
