import Columnar
package import Diagnostics
import Storage
import Synchronization

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

  /// Makes sections on all cores and appends them in their order.
  ///
  /// - Throws: the first error of `make`, and the disk's.
  package mutating func append(_ tasks: [SectionTask], to file: inout FileWriter) throws(SQLError) {
    var start = 0
    while start < tasks.count {
      let batch = Array(tasks[start..<min(tasks.count, start + Self.batchCount)])
      start += batch.count
      let made = MadeSections(count: batch.count)
      parallelFor(tasks: batch.count) { task in
        // The longest mostly come last, and are to be begun first.
        let index = batch.count - 1 - task
        do throws(SQLError) { made.set(try batch[index].make(), at: index) } catch {
          made.fault.note(error, at: index)
        }
      }
      try made.fault.check()
      try append(made.all, batch, to: &file)
    }
  }

  private mutating func append(
    _ made: [SectionBytes], _ batch: [SectionTask], to file: inout FileWriter
  ) throws(SQLError) {
    var offset = file.offset
    let offsets = made.map { section in
      defer { offset += UInt64(section.padded.count) }
      return offset
    }
    let byteCount = Int(offset - file.offset)
    // Little is written in its order, as tests with a disk of their own expect it.
    let stretch = byteCount >= Self.parallelByteCount ? try file.leave(byteCount) : nil
    let (sums, seeds, fault) = (Buffer<UInt64>(zeroed: max(1, made.count)), seeds, SharedFault())
    parallelFor(tasks: made.count) { index in
      let padded = made[index].padded
      do throws(SQLError) {
        try padded.withBytes(0..<padded.count) { span throws(SQLError) in
          sums[index] = XXH64.hash(span, seed: seeds.seed(at: offsets[index]))
          try stretch?.write(span, at: offsets[index])
        }
      } catch { fault.note(error, at: index) }
    }
    try fault.check()
    stretch?.finish()
    for (index, section) in made.enumerated() {
      sections.append(
        SnapshotSection(
          kind: batch[index].kind, table: batch[index].table, offset: offsets[index],
          byteCount: UInt64(section.byteCount), checksum: sums[index]))
      guard stretch == nil else { continue }
      try section.padded.withBytes(0..<section.padded.count) { span throws(SQLError) in
        try file.append(span)
      }
    }
  }

  /// From how many bytes on a batch is written by several threads.
  private static let parallelByteCount = 1 << 20

  /// How many sections are in memory at once.
  private static let batchCount = 48

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
