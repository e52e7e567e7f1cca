import Columnar
import Testing

@testable import Storage

@Suite("Closed walks of three and four edges")
struct CycleCountTests {
  private static let rowCount = 90

  /// Edges with a few sources that have most of them, as an index in either direction, and as a set.
  private struct Edges {
    var step: CycleRing.Step
    var pairs: Set<[UInt32]> = []

    init(_ generator: inout SeededGenerator, count: Int) {
      var (forth, back) = (AdjacencyIndex(hasEdgeRows: false), AdjacencyIndex(hasEdgeRows: false))
      let epoch = Epoch.next()
      for _ in 0..<count {
        let rows = CycleCountTests.rowCount
        let source = UInt32(generator.below(generator.below(3) == 0 ? 4 : rows))
        let target = UInt32(generator.below(rows))
        guard pairs.insert([source, target]).inserted else { continue }
        forth.insert(source, target, row: target, epoch: epoch)
        back.insert(target, source, row: source, epoch: epoch)
      }
      step = CycleRing.Step(forth: forth, back: back)
    }

    func targets(of source: UInt32) -> [UInt32] {
      (0..<UInt32(CycleCountTests.rowCount)).filter { pairs.contains([source, $0]) }
    }
  }

  private static func conditions(
    _ generator: inout SeededGenerator, _ corners: Int
  ) -> [CycleRing.Condition] {
    let all: [Comparison] = [.less, .lessOrEqual, .greater, .greaterOrEqual, .notEqual]
    var result: [CycleRing.Condition] = []
    for corner in 0..<corners {
      for other in 0..<corner where generator.below(2) == 0 {
        let comparison = all[generator.below(all.count)]
        result.append(
          generator.below(2) == 0
            ? CycleRing.Condition(corner, comparison, other)
            : CycleRing.Condition(other, comparison, corner))
      }
    }
    return result
  }

  /// Goes along all walks.
  private static func count(
    _ edges: [Edges], _ conditions: [CycleRing.Condition], _ keys: [Int64]
  ) -> Int64 {
    var total: Int64 = 0
    func go(_ corners: [UInt32]) {
      let corner = corners.count - 1
      for condition in conditions where max(condition.corner, condition.other) == corner {
        let (one, two) = (
          keys[Int(corners[condition.corner])], keys[Int(corners[condition.other])]
        )
        if !condition.comparison.holds(one < two ? -1 : one == two ? 0 : 1) { return }
      }
      if corners.count == edges.count {
        total += edges[corner].pairs.contains([corners[corner], corners[0]]) ? 1 : 0
        return
      }
      for target in edges[corner].targets(of: corners[corner]) { go(corners + [target]) }
    }
    for source in 0..<UInt32(rowCount) { go([source]) }
    return total
  }

  private static func counted(
    _ ring: CycleRing, _ flat: FlatSides = FlatSides()
  ) throws -> Int64 {
    let counter = CycleCounter(ring, flat)
    // Some at a time.
    for first in stride(from: 0, to: ring.sourceCount, by: 40) {
      try counter.add(UInt32(first)..<UInt32(min(first + 40, ring.sourceCount)))
    }
    return counter.total
  }

  @Test(
    "are counted as walks are, under any order of their corners, from any of them on, both ways",
    arguments: 0..<8, [3, 4])
  func cycles(seed: Int, length: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed * 10 + length))
    let made = (0..<2).map { _ in Edges(&generator, count: length == 3 ? 1500 : 500) }
    // One graph with itself, or two in turn.
    let edges = (0..<length).map { made[seed % 2 == 0 ? 0 : $0 % 2] }
    let conditions = seed == 0 ? [] : Self.conditions(&generator, length)
    var keys = (0..<Int64(Self.rowCount)).map { $0 * 3 }
    if seed % 3 == 1 { keys.shuffle(using: &generator) }
    let expected = Self.count(edges, conditions, keys)
    let ring = CycleRing(
      edges.map(\.step), limits: Array(repeating: Self.rowCount, count: length),
      conditions: conditions, keys: seed % 3 == 1 ? Buffer(keys) : nil)
    for corner in 0..<length {
      for isReversed in [false, true] {
        #expect(try Self.counted(ring.turned(to: corner, isReversed: isReversed)) == expected)
      }
    }
  }

  @Test(
    "are the same number from the corner that seems cheapest, and over lists made flat",
    arguments: 0..<12, [3, 4])
  func direction(seed: Int, length: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed * 10 + length))
    let edges = Edges(&generator, count: 1200)
    // One order of all corners, then any conditions.
    let conditions =
      seed == 0
      ? (1..<length).map { CycleRing.Condition($0 - 1, .less, $0) }
      : Self.conditions(&generator, length)
    let ring = CycleRing(
      Array(repeating: edges.step, count: length),
      limits: Array(repeating: Self.rowCount, count: length), conditions: conditions)
    let expected = try Self.counted(ring)
    #expect(try Self.counted(ring.cheapest(large: 0)) == expected)
    for corner in 0..<length {
      for isReversed in [false, true] {
        let turned = ring.turned(to: corner, isReversed: isReversed)
        #expect(seed != 0 || turned.flatByteCounts(large: 0).all > 0)
        #expect(try Self.counted(turned, turned.flatSides(large: 0)) == expected)
      }
    }
  }

  @Test(
    "of kept edges are the same number as if there were no others", arguments: 0..<8, [3, 4])
  func kept(seed: Int, length: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed * 10 + length))
    let made = Edges(&generator, count: length == 3 ? 1500 : 500)
    var edges = Array(repeating: made, count: length)
    for step in edges.indices where generator.below(2) == 0 {
      let sources = Buffer<UInt64>(zeroed: Self.rowCount / 64 + 1)
      let targets = Buffer<UInt64>(zeroed: Self.rowCount / 64 + 1)
      for row in 0..<UInt32(Self.rowCount) {
        if generator.below(3) > 0 { sources.insert(row) }
        if generator.below(3) > 0 { targets.insert(row) }
      }
      let kept = made.pairs.filter { sources.contains($0[0]) && targets.contains($0[1]) }
      edges[step].step.kept = AdjacencyIndex.Kept(sources: sources, targets: targets)
      edges[step].step.share = Double(kept.count) / Double(made.pairs.count)
      edges[step].pairs = kept
    }
    let conditions = Self.conditions(&generator, length)
    let keys = (0..<Int64(Self.rowCount)).map { $0 * 3 }
    let expected = Self.count(edges, conditions, keys)
    let ring = CycleRing(
      edges.map(\.step), limits: Array(repeating: Self.rowCount, count: length),
      conditions: conditions)
    #expect(try Self.counted(ring.cheapest(large: 0).keeping()) == expected)
    for corner in 0..<length {
      for isReversed in [false, true] {
        let turned = try ring.turned(to: corner, isReversed: isReversed).keeping()
        #expect(try Self.counted(turned, turned.flatSides(large: 0)) == expected)
      }
    }
  }
}
