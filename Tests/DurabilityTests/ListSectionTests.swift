import Columnar
import SimulatedDisk
import Testing

@testable import Durability
@testable import Storage

@Suite("A section of lists")
struct ListSectionTests {
  /// An index of 150,000 edges, more than two stretches, whose rows are `rowStep` apart; with 0 those of a source are
  /// together.
  private static func index(hasRows: Bool, rowStep: Int) throws -> AdjacencyIndex {
    var random = SimulationRandom(seed: UInt64(rowStep))
    let count = 150_000
    let sources = Buffer<UInt32>(uninitialized: count)
    let targets = Buffer<UInt32>(uninitialized: count)
    let rows = Buffer<UInt32>(uninitialized: count)
    for edge in 0..<count {
      sources[edge] = UInt32(
        rowStep == 0 ? edge / 40 : edge % 4 == 0 ? random.below(3) : random.below(4000))
      targets[edge] = UInt32(random.below(1 << 30))
      rows[edge] = UInt32(edge * max(1, rowStep))
    }
    var index = AdjacencyIndex(hasEdgeRows: hasRows)
    _ = try index.build(
      EdgeList(
        sources: sources, targets: hasRows ? targets : nil,
        rows: hasRows && rowStep != 1 ? rows : nil, count: count), isUnique: false,
      epoch: Epoch.next())
    return index
  }

  private static func bytes(_ plan: SectionPlan) throws -> [UInt8] {
    let memory = SectionMemory()
    return try (0..<plan.partCount).flatMap { index in
      let part = try plan.make(index, memory)
      return part.bytes.array(part.bytes.count)
    }
  }

  @Test(
    "of several parts is read as it was written",
    arguments: [(false, 1, 2), (true, 0, 1), (true, 1, 3), (true, 2, 3), (true, 20_000, 3)])
  func roundTrip(hasRows: Bool, rowStep: Int, kept: UInt8) throws {
    let index = try Self.index(hasRows: hasRows, rowStep: rowStep)
    let image = index.image(ofGroup: 0, pageCount: index.pages.count)
    let plan = ListSection.plan(image, rowLimit: 150_000 * max(1, rowStep))
    #expect(plan.partCount > 3)
    let bytes = try Self.bytes(plan)
    #expect(bytes[8] == kept)
    let extent = ListExtent(
      sourceCount: image.degrees.count, sourceLimit: 4096, targetLimit: .init(UInt32.max),
      rowLimit: .init(UInt32.max), hasRows: hasRows)
    let edges = image.edgeCount
    let (targets, rows) = (
      Buffer<UInt32>(uninitialized: edges), Buffer<UInt32>(uninitialized: edges)
    )
    var cursor = image.targets()
    cursor.read(edges, to: targets, at: 0)
    cursor = image.rows()
    cursor.read(edges, to: rows, at: 0)
    let parents = Buffer<UInt32>(zeroed: 150_000 * min(max(1, rowStep), 2))
    for edge in 0..<edges where Int(rows[edge]) < parents.count {
      parents[rows[edge]] = targets[edge]
    }
    func read(_ bytes: [UInt8]) throws -> ListContents {
      try ListSection.read(Buffer(bytes), extent, OpeningArena()) { range in
        range.upperBound <= parents.count ? parents.slice(range) : nil
      }
    }
    let found = try read(bytes)
    #expect(found.edgeCount == edges)
    #expect(found.degrees.array(image.degrees.count) == image.degrees.array(image.degrees.count))
    #expect(found.targets.array(edges) == targets.array(edges))
    #expect(found.rows.map { $0.array(edges) } == (hasRows ? rows.array(edges) : nil))
    // A stretch must be as long as it says; rows that are kept as they stand say nothing.
    let first = try plan.make(0, SectionMemory()).bytes.count
    for change in [1, 255] as [UInt8] where kept != 3 {
      var wrong = bytes
      wrong[first] &+= change
      #expect(throws: SectionFault.self) { try read(wrong) }
    }
    #expect(throws: SectionFault.self) { try read(Array(bytes.dropLast(20))) }
  }
}
