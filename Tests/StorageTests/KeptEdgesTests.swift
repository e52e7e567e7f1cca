import Columnar
import Testing

@testable import Storage

@Suite("An index of some of the edges of another")
struct KeptEdgesTests {
  private static let rowCount = 400

  private static func bits(
    _ generator: inout SeededGenerator, _ share: Int, _ count: Int
  ) -> Buffer<UInt64>? {
    if share == 0 { return nil }
    let bits = Buffer<UInt64>(zeroed: (count + 63) / 64)
    for row in 0..<count where generator.below(share) > 0 { bits.insert(UInt32(row)) }
    return bits
  }

  @Test("has those whose source, target and row are kept", arguments: 0..<24)
  func edges(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var index = AdjacencyIndex(hasEdgeRows: true)
    let epoch = Epoch.next()
    // A few sources have most of the edges, and lists that stand apart.
    let count = [50, 3000, 9000][seed % 3]
    var edges: [(source: UInt32, target: UInt32)] = []
    for row in 0..<count {
      let source = UInt32(generator.below(generator.below(3) == 0 ? Self.rowCount : 2))
      let target = UInt32(generator.below(Self.rowCount))
      edges.append((source, target))
      index.insert(source, target, row: UInt32(row), epoch: epoch)
    }
    let share = [0, 2, 9]
    let kept = AdjacencyIndex.Kept(
      sources: Self.bits(&generator, share[generator.below(3)], Self.rowCount),
      targets: Self.bits(&generator, share[generator.below(3)], Self.rowCount),
      rows: Self.bits(&generator, share[1 + generator.below(2)], count))
    var expected: [UInt32: [UInt32]] = [:]
    for (row, edge) in edges.enumerated() {
      if let sources = kept.sources, !sources.contains(edge.source) { continue }
      if let targets = kept.targets, !targets.contains(edge.target) { continue }
      if let rows = kept.rows, !rows.contains(UInt32(row)) { continue }
      expected[edge.source, default: []].append(edge.target)
    }
    let result = try index.keeping(kept)
    #expect(result.edgeCount == expected.values.reduce(0) { $0 + $1.count })
    for source in 0..<UInt32(Self.rowCount) {
      let list = result.neighbours(of: source)
      let found = (0..<list.runCount).flatMap { number in
        list.run(number).targets.array(list.run(number).count)
      }
      #expect(found == expected[source, default: []].sorted())
    }
  }

  @Test("is the index itself where all edges are kept")
  func all() throws {
    var index = AdjacencyIndex(hasEdgeRows: true)
    index.insert(1, 2, row: 3, epoch: Epoch.next())
    #expect(try index.keeping(AdjacencyIndex.Kept()).neighbours(of: 1).run(0).rows[0] == 3)
  }
}
