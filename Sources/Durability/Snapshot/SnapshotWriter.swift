import Columnar
package import Diagnostics
import Storage

/// Writes a snapshot, section by section.
///
/// Nobody else appends to the file meanwhile.
package struct SnapshotWriter {
  private let file: FileOutput
  private let appender: SectionAppender
  private let memory = SectionMemory()

  /// Begins a snapshot at the beginning of a file.
  package init(
    _ identity: FileIdentity, baseSequence: UInt64, into file: inout FileWriter
  ) throws(SQLError) {
    self.file = file.output
    appender = SectionAppender(ChecksumSeeds(identity), file.output)
    try file.append(SnapshotLayout.header(identity, baseSequence: baseSequence).span)
  }

  /// Makes sections on all cores and appends them in their order.
  ///
  /// - Throws: the first error of a task, and the disk's.
  package func append(_ tasks: [SectionTask]) throws(SQLError) {
    try PartPipeline(tasks, appender, memory).run()
  }

  /// Appends a section.
  package func append(
    _ kind: SnapshotSection.Kind, table: UInt32 = 0, _ bytes: [UInt8]
  ) throws(SQLError) {
    try append([
      SectionTask(kind: kind, table: table) { (memory: SectionMemory) throws(SQLError) in
        var writer = SectionWriter(
          capacity: bytes.count + SnapshotLayout.alignment, from: memory)
        writer.append(bytes)
        return SectionPart(writer)
      }
    ])
  }

  /// Appends the index, by which the sections are found.
  package func finish() throws(SQLError) {
    let (sections, seeds) = (appender.sections, appender.seeds)
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
