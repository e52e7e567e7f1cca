import Columnar
import Diagnostics
import SimulatedDisk
import Testing

@testable import Durability

@Suite("A snapshot that several threads write")
struct SnapshotWriterTests {
  private static let path = "/parts"

  /// Bytes of a part that tell which it is.
  private static func bytes(_ section: Int, _ part: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ section &* 31 &+ part) }
  }

  /// Sections of several parts, some empty, some small, some written from where they stand.
  private static func sizes(_ seed: UInt64) -> [[Int]] {
    var random = SimulationRandom(seed: seed)
    return (0..<120).map { _ in
      (0..<(1 + random.below(5))).map { _ in
        random.chance(5) ? random.below(90_000) : random.below(300)
      }
    }
  }

  /// Writes such sections; the part that `failing` names cannot be made.
  private static func write(
    _ sizes: [[Int]], failing: (section: Int, part: Int)? = nil, on disk: SimulatedDisk
  ) throws(SQLError) {
    let tasks = sizes.enumerated().map { section, parts in
      SectionTask(kind: .column, table: UInt32(section)) { () throws(SQLError) in
        SectionPlan(partCount: parts.count) { (part, memory) throws(SQLError) in
          if let failing, failing == (section, part) { throw SQLError(.diskFull, "no more") }
          var writer = SectionWriter(capacity: parts[part], from: memory)
          writer.append(bytes(section, part, parts[part]))
          return SectionPart(writer)
        }
      }
    }
    try LoneSnapshot.create(path, on: disk) { checkpoint, file throws(SQLError) in
      let writer = try SnapshotWriter(
        checkpoint.identity, baseSequence: checkpoint.baseSequence, into: &file)
      try writer.append(tasks)
      try writer.finish()
    } verify: { file, sync throws(SQLError) in
      try SnapshotReader(file).verify(whileSyncing: sync)
    }
  }

  @Test("has the parts of all sections in their order", arguments: 0..<3)
  func order(_ seed: Int) throws {
    let disk = SimulatedDisk()
    let sizes = Self.sizes(UInt64(seed))
    try Self.write(sizes, on: disk)
    let reader = try SnapshotReader(LoneSnapshot.open(Self.path, on: disk))
    #expect(reader.sections.count == sizes.count)
    for (index, section) in reader.sections.enumerated() {
      let wanted = sizes[index].enumerated().flatMap { Self.bytes(index, $0.offset, $0.element) }
      let found = reader.bytes(of: section)
      #expect(section.table == index && found.array(found.count) == wanted, "section \(index)")
    }
  }

  @Test("is not there if a part cannot be made", arguments: 0..<5)
  func failure(_ seed: Int) {
    var random = SimulationRandom(seed: UInt64(seed))
    let disk = SimulatedDisk()
    let sizes = Self.sizes(UInt64(seed))
    let section = random.below(sizes.count)
    let failing = (section, random.below(sizes[section].count))
    let error = #expect(throws: SQLError.self) {
      try Self.write(sizes, failing: failing, on: disk)
    }
    #expect(error?.state == .diskFull && error?.message == "no more")
    #expect((try? disk.list("/"))?.isEmpty == true)
  }

  @Test("is not there if a section cannot be planned", arguments: [0, 1, 63, 64, 200])
  func unplanned(_ failing: Int) {
    let disk = SimulatedDisk()
    let tasks = (0...200).map { section in
      SectionTask(kind: .column, table: UInt32(section)) { () throws(SQLError) in
        if section == failing { throw SQLError(.dataCorrupted, "no plan") }
        return SectionPlan(partCount: 2) { (_, memory) in
          var writer = SectionWriter(capacity: 9, from: memory)
          writer.append(word: UInt64(section))
          return SectionPart(writer)
        }
      }
    }
    let error = #expect(throws: SQLError.self) {
      try LoneSnapshot.create(Self.path, on: disk) { checkpoint, file throws(SQLError) in
        let writer = try SnapshotWriter(
          checkpoint.identity, baseSequence: checkpoint.baseSequence, into: &file)
        try writer.append(tasks)
      } verify: { _, _ in
      }
    }
    #expect(error?.message == "no plan")
    #expect((try? disk.list("/"))?.isEmpty == true)
  }

  @Test("is not there if the disk fails half way or before", arguments: [2, 3, 8])
  func fullDisk(_ part: Int) throws {
    let sizes = Self.sizes(9)
    let whole = SimulatedDisk()
    try Self.write(sizes, on: whole)
    let plan = SimulatedFaultPlan(at: whole.operationCount / part, .error(28), forEver: true)
    let disk = SimulatedDisk(SimulatedState(), plan)
    let error = #expect(throws: SQLError.self) { try Self.write(sizes, on: disk) }
    #expect(error?.state == .diskFull)
    #expect((try? disk.exists(Self.path)) != true)
  }

  @Test("is not there if the file does not have what was written", arguments: 0..<2)
  func damagedWrites(_ seed: Int) throws {
    let sizes = Self.sizes(UInt64(seed)).prefix(3).map { $0.filter { $0 < 300 } + [66_000] }
    let whole = SimulatedDisk()
    try Self.write(sizes, on: whole)
    let bytes = try #require(whole.bytes(of: Self.path))
    var found = 0
    for index in 0..<whole.operationCount {
      let disk = SimulatedDisk(SimulatedState(), SimulatedFaultPlan(at: index, .damage))
      do throws(SQLError) {
        try Self.write(sizes, on: disk)
        // It was no write.
        #expect(disk.bytes(of: Self.path)?.count == bytes.count)
        try SnapshotReader(LoneSnapshot.open(Self.path, on: disk)).verify()
      } catch {
        found += 1
        #expect(error.state == .dataCorrupted)
        #expect((try? disk.list("/"))?.isEmpty == true)
      }
    }
    #expect(found > 3)
  }
}
