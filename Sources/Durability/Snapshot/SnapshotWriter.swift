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

  /// How many sections are planned at once.
  private static let planCount = 96
  /// How many parts are made at once: twice as many are in memory.
  private static let batchCount = 24

  /// Makes sections on all cores and appends them in their order.
  ///
  /// While some parts are made, one of the threads writes those that were made before.
  ///
  /// - Throws: the first error of a task, and the disk's.
  package func append(_ tasks: [SectionTask]) throws(SQLError) {
    var made: [MadePart] = []
    var start = 0
    while start < tasks.count {
      let planned = Array(tasks[start..<min(tasks.count, start + Self.planCount)])
      start += planned.count
      let parts = try Self.plan(planned)
      for first in stride(from: 0, to: parts.count, by: Self.batchCount) {
        let batch = Array(parts[first..<min(parts.count, first + Self.batchCount)])
        made = try make(batch, writing: made)
      }
    }
    try appender.write(made, memory)
  }

  /// The parts of sections, in their order.
  private static func plan(_ tasks: [SectionTask]) throws(SQLError) -> [PlannedPart] {
    let plans = MadeParts<SectionPlan>(count: tasks.count)
    parallelFor(tasks: tasks.count) { index in
      plans.make(index) { () throws(SQLError) in try tasks[index].plan() }
    }
    var parts: [PlannedPart] = []
    for (task, plan) in zip(tasks, try plans.all()) {
      for index in 0..<plan.partCount {
        parts.append(
          PlannedPart(
            plan: plan, index: index, kind: task.kind, table: task.table,
            isLast: index == plan.partCount - 1))
      }
    }
    return parts
  }

  /// Makes parts, and meanwhile writes others.
  private func make(
    _ parts: [PlannedPart], writing done: [MadePart]
  ) throws(SQLError) -> [MadePart] {
    let made = MadeParts<MadePart>(count: parts.count)
    let written = MadeParts<Void>(count: 1)
    let (appender, memory) = (self.appender, self.memory)
    parallelFor(tasks: parts.count + 1) { task in
      if task == 0 {
        written.make(0) { () throws(SQLError) in try appender.write(done, memory) }
        return
      }
      let part = parts[task - 1]
      made.make(task - 1) { () throws(SQLError) in
        MadePart(part: try part.plan.make(part.index, memory), planned: part)
      }
    }
    _ = try written.all()
    return try made.all()
  }

  /// Appends a section.
  package func append(
    _ kind: SnapshotSection.Kind, table: UInt32 = 0, _ bytes: [UInt8]
  ) throws(SQLError) {
    try appender.append(bytes.span, kind, table, isLast: true)
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

/// A part of a section that is to be made.
private struct PlannedPart: Sendable {
  let plan: SectionPlan
  let index: Int
  let kind: SnapshotSection.Kind
  let table: UInt32
  /// Whether the section ends with it.
  let isLast: Bool
}

/// A part of a section that is to be written.
private struct MadePart: Sendable {
  let part: SectionPart
  let planned: PlannedPart
}

/// Appends parts of sections to a file and reckons the sections' checksums.
///
/// Sendable by rule: one thread at a time appends, and has waited for the one before.
private final class SectionAppender: @unchecked Sendable {
  let seeds: ChecksumSeeds
  private(set) var sections: [SnapshotSection] = []
  private let file: FileOutput
  /// The section that is being written: where it begins, its bytes so far, and their hash.
  private var begun: (offset: UInt64, byteCount: Int, hash: XXH64)?

  init(_ seeds: ChecksumSeeds, _ file: FileOutput) {
    self.seeds = seeds
    self.file = file
  }

  /// Writes parts and gives their memory back.
  func write(_ parts: [MadePart], _ memory: SectionMemory) throws(SQLError) {
    for made in parts {
      let (bytes, planned) = (made.part.bytes, made.planned)
      try bytes.withBytes(0..<bytes.count) { span throws(SQLError) in
        try append(span, planned.kind, planned.table, isLast: planned.isLast)
      }
      if let free = made.part.memory { memory.give(free) }
    }
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
