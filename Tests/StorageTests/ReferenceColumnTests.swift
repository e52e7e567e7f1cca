import Columnar
import Testing

@testable import Storage

@Suite("References that share the memory of their column")
struct ReferenceColumnTests {
  private static let types: [LogicalType] = [.integer, .integer]
  private static let layout = TableLayout(
    keys: [], references: [.init(columns: [0]), .init(columns: [1], parent: 1)],
    junctions: [.init(from: 0, to: 1, isUnique: false)])

  private struct Row: Hashable {
    /// The value of the foreign key; its parent stands `shift` before it, but for odd rows.
    var key: Int32
    var parent: UInt32
    var other: Int32
    var isLive = true

    init(_ generator: inout SeededGenerator, oddness: Int) {
      key = Int32(generator.below(500) + 101)
      parent = generator.below(oddness) == 0 ? UInt32(generator.below(700)) : UInt32(key - 101)
      other = Int32(generator.below(40) + 1)
    }
  }

  private static func chunk(_ rows: [Row]) -> DataChunk {
    DataChunk(
      [
        Vector(.integer, rows.map { .int32($0.key) }),
        Vector(.integer, rows.map { .int32($0.other) }),
      ], count: rows.count)
  }

  private static func parents(_ rows: [Row]) -> [Buffer<UInt32>] {
    [Buffer(rows.map(\.parent)), Buffer(rows.map { UInt32($0.other - 1) })]
  }

  private static func check(_ rows: [Row], _ table: TableStore, _ comment: Comment) {
    table.checkInvariants()
    #expect(table.rowCount == rows.count, comment)
    let positions = Buffer(Array(0..<UInt32(rows.count)))
    for (reference, wanted) in parents(rows).enumerated() {
      let found = table.parents(of: positions, count: rows.count, reference: reference)
      #expect(found.array(rows.count) == wanted.array(rows.count), comment)
      for page in 0..<table.pageCount {
        let start = page * TableStore.pageCapacity
        let part = table.parents(ofPage: page, reference: reference)
        for row in 0..<part.count where part[row] != wanted[start + row] {
          Issue.record("row \(start + row) of reference \(reference), \(comment)")
        }
      }
    }
    var edges: [UInt32: [(UInt32, UInt32)]] = [:]
    for (position, row) in rows.enumerated() where row.isLive {
      edges[row.parent, default: []].append((UInt32(row.other - 1), UInt32(position)))
    }
    guard let index = table.adjacency(from: 0, to: 1) else { return }
    AdjacencyExpectation(edges: edges, sourceCount: 710).check(index, limit: 100, comment)
  }

  @Test("are right after a load and through any changes, in old versions as well", arguments: 0..<4)
  func history(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let oddness = seed % 2 == 0 ? 1_000_000 : 3000
    var rows = (0..<(seed < 4 ? 9000 : 40)).map { _ in Row(&generator, oddness: oddness) }
    let writer = TableWriter(TableStore(types: Self.types))
    writer.load(Self.chunk(rows))
    writer.finishLoading()
    var parents: [Int: Buffer<UInt32>] = [:]
    for (index, list) in Self.parents(rows).enumerated() { parents[index] = list }
    try writer.setLayout(Self.layout, parents: parents)
    Self.check(rows, writer.current, "loaded, seed \(seed)")
    var versions: [([Row], TableStore)] = []
    for _ in 0..<30 {
      switch generator.below(5) {
      case 0, 1:
        let fresh = (0..<(1 + generator.below(900))).map { _ in
          Row(&generator, oddness: generator.below(3) == 0 ? 200 : 1_000_000)
        }
        try writer.append(Self.chunk(fresh), parents: Self.parents(fresh))
        rows += fresh
      case 2:
        let chosen = rows.indices.filter { rows[$0].isLive && generator.below(200) == 0 }
        for row in chosen { rows[row] = Row(&generator, oddness: 2) }
        let new = chosen.map { rows[$0] }
        let positions = Buffer(chosen.map { UInt32($0) })
        let values = Self.chunk(new).columns
        try writer.update(positions, count: new.count, columns: [0, 1], to: values)
        let parents = Self.parents(new)
        try writer.setParents([(0, parents[0]), (1, parents[1])], positions, count: new.count)
      case 3:
        let chosen = rows.indices.filter { rows[$0].isLive && generator.below(100) == 0 }
        writer.delete(Buffer(chosen.map { UInt32($0) }), count: chosen.count)
        for row in chosen { rows[row].isLive = false }
      default:
        versions.append((rows, writer.freeze()))
        if generator.below(3) == 0, let (old, version) = versions.randomElement(using: &generator) {
          rows = old
          writer.reset(to: version)
        }
      }
    }
    Self.check(rows, writer.freeze(), "at the end, seed \(seed)")
    for (old, version) in versions { Self.check(old, version, "an old version, seed \(seed)") }
  }
}
