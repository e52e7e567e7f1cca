package import Diagnostics

/// Writes a snapshot, section by section.
package struct SnapshotWriter {
  private let seeds: ChecksumSeeds
  private var sections: [SnapshotSection] = []

  /// Begins a snapshot at the beginning of a file.
  package init(
    _ identity: FileIdentity, baseSequence: UInt64, into file: inout FileWriter
  ) throws(SQLError) {
    seeds = ChecksumSeeds(identity)
    try file.append(SnapshotLayout.header(identity, baseSequence: baseSequence).span)
  }

  /// Appends a section.
  package mutating func append(
    _ kind: SnapshotSection.Kind, table: UInt32 = 0, _ bytes: [UInt8], to file: inout FileWriter
  ) throws(SQLError) {
    let offset = file.offset
    var padded = bytes
    let end = Int(SnapshotLayout.padded(UInt64(bytes.count)))
    padded.append(contentsOf: repeatElement(0, count: end - bytes.count))
    sections.append(
      SnapshotSection(
        kind: kind, table: table, offset: offset, byteCount: UInt64(bytes.count),
        checksum: XXH64.hash(padded.span, seed: seeds.seed(at: offset))))
    try file.append(padded.span)
  }

  /// Appends the index, by which the sections are found.
  package func finish(_ file: inout FileWriter) throws(SQLError) {
    let offset = file.offset
    var index: [UInt8] = []
    for section in sections {
      index.append(half: section.kind.rawValue)
      index.append(half: section.table)
      index.append(word: section.offset)
      index.append(word: section.byteCount)
      index.append(word: section.checksum)
    }
    try file.append(index.span)
    var trailer: [UInt8] = []
    trailer.append(word: offset)
    trailer.append(word: UInt64(sections.count))
    trailer.append(word: XXH64.hash(index.span, seed: seeds.seed(at: offset)))
    trailer.append(word: XXH64.hash(trailer.span, seed: seeds.seed(at: file.offset)))
    try file.append(trailer.span)
  }
}
