import Columnar
import Diagnostics

/// Appends parts of sections to a file and reckons the sections' checksums.
///
/// Sendable by rule: one thread at a time appends, and has waited for the one before.
final class SectionAppender: @unchecked Sendable {
  let seeds: ChecksumSeeds
  private(set) var sections: [SnapshotSection] = []
  private let file: FileOutput
  /// The section that is being written: where it begins, its bytes so far, and their hash.
  private var begun: (offset: UInt64, byteCount: Int, hash: XXH64)?

  init(_ seeds: ChecksumSeeds, _ file: FileOutput) {
    self.seeds = seeds
    self.file = file
  }

  /// Writes a part and gives its memory back.
  func write(_ part: SectionPart, _ planned: PlannedPart, _ memory: SectionMemory) throws(SQLError)
  {
    try part.bytes.withBytes(0..<part.bytes.count) { span throws(SQLError) in
      try append(span, planned.kind, planned.table, isLast: planned.isLast)
    }
    if let free = part.memory { memory.give(free) }
  }

  /// Appends a part of a section, and behind the last one zeros up to where the next section may begin.
  func append(
    _ bytes: Span<UInt8>, _ kind: SnapshotSection.Kind, _ table: UInt32, isLast: Bool
  ) throws(SQLError) {
    let offset = file.offset
    var section = begun ?? (offset, 0, XXH64(seed: seeds.seed(at: offset)))
    begun = nil
    section.hash.update(bytes)
    section.byteCount += bytes.count
    try file.append(bytes)
    guard isLast else {
      begun = section
      return
    }
    let end = SnapshotLayout.padded(UInt64(section.byteCount))
    let padding = [UInt8](repeating: 0, count: Int(end) - section.byteCount)
    section.hash.update(padding.span)
    try file.append(padding.span)
    sections.append(
      SnapshotSection(
        kind: kind, table: table, offset: section.offset, byteCount: UInt64(section.byteCount),
        checksum: section.hash.value()))
  }
}
