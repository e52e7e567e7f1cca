import Columnar
import Testing

@testable import Storage

@Suite("What an adjacency index does with many sources at once")
struct NeighbourSetTests {
  private static let sourceCount = 700
  private static let targetCount = 3000

  /// An index with lists that stand apart, short lists and sources without edges, some of it changed after it was
  /// published or, with the last seeds, built in bulk anew, beside a model.
  private static func makeIndex(
    seed: Int
  ) throws -> (index: AdjacencyIndex, model: [UInt32: Set<UInt32>]) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var index = AdjacencyIndex(hasEdgeRows: seed % 2 == 0)
    var model: [UInt32: Set<UInt32>] = [:]
    for round in 0..<2 {
      let epoch = Epoch.next()
      for edge in 0..<6000 {
        let source =
          edge < 2500 ? UInt32(130 + round * 64) : UInt32(generator.below(sourceCount / 2)) * 2
        let target = UInt32(generator.below(targetCount))
        if round == 1 && edge % 3 == 0, let some = model[source]?.first {
          model[source]?.remove(some)
          index.remove(source, some, row: row(source, some, index), epoch: epoch)
        } else if model[source, default: []].insert(target).inserted {
          index.insert(source, target, row: row(source, target, index), epoch: epoch)
        }
      }
    }
    if seed >= 6 {
      let pairs = model.sorted { $0.key < $1.key }.flatMap { entry in
        entry.value.sorted().map { (source: entry.key, target: $0) }
      }
      let edges = EdgeList(
        sources: Buffer(pairs.map(\.source)), targets: Buffer(pairs.map(\.target)),
        rows: Buffer(pairs.map { row($0.source, $0.target, index) }), count: pairs.count)
      _ = try index.build(edges, isUnique: false, epoch: .next())
      #expect(index.pages[1].slot.rows.isPlain != index.hasEdgeRows)
    }
    return (index, model)
  }

  /// The row of an edge, which does not rise with its target.
  private static func row(_ source: UInt32, _ target: UInt32, _ index: AdjacencyIndex) -> UInt32 {
    index.hasEdgeRows ? (target * 7 + source * 13) % UInt32(targetCount) : target
  }

  private static func bits(_ set: some Sequence<UInt32>, limit: Int) -> Buffer<UInt64> {
    let bitmap = Buffer<UInt64>(zeroed: limit / 64 + 1)
    for position in set { bitmap.insert(position) }
    return bitmap
  }

  @Test(
    "marks and counts what a naive walk finds at an end of the edges", arguments: 0..<8,
    [false, true])
  func neighbours(seed: Int, atRows: Bool) throws {
    let (index, model) = try Self.makeIndex(seed: seed)
    let end = atRows ? index.rowEnd : .target
    var generator = SeededGenerator(seed: UInt64(seed + 100))
    let sources = (0..<300).map { _ in UInt32(generator.below(Self.sourceCount + 50)) } + [130]
    let chosen = Array(Set(sources)).sorted()
    var expected: [UInt32: UInt32] = [:]
    for source in chosen {
      for target in model[source] ?? [] {
        expected[atRows ? Self.row(source, target, index) : target, default: 0] += 1
      }
    }

    let marks = Buffer<UInt64>(zeroed: Self.targetCount / 64 + 1)
    let counters = Buffer<UInt32>(zeroed: Self.targetCount)
    var aside: [UInt32] = []
    let lists = index.listReader
    lists.mark(end, of: Buffer(chosen), count: chosen.count, in: marks, aside: &aside)
    #expect(aside.contains(130))
    for source in aside {
      let list = index.neighbours(of: source)
      list.mark(end, 0..<list.runCount, in: marks)
    }
    aside = []
    lists.count(end, of: Buffer(chosen), count: chosen.count, in: counters, aside: &aside)
    for source in aside {
      let list = index.neighbours(of: source)
      list.count(end, 0..<list.runCount, in: counters)
    }
    for target in 0..<UInt32(Self.targetCount) {
      #expect(marks.contains(target) == (expected[target] != nil))
      #expect(counters[target] == expected[target] ?? 0)
    }
  }

  @Test(
    "counts by origin what a naive walk finds at an end of the edges", arguments: 0..<8,
    [false, true])
  func origins(seed: Int, atRows: Bool) throws {
    let (index, model) = try Self.makeIndex(seed: seed)
    let end = atRows ? index.rowEnd : .target
    var generator = SeededGenerator(seed: UInt64(seed + 300))
    var (sources, origins): ([UInt32], [UInt32]) = ([], [])
    for origin in 0..<60 {
      for _ in 0..<generator.below(9) {
        // The list of 130 stands apart.
        sources.append(generator.below(7) == 0 ? 130 : UInt32(generator.below(Self.sourceCount)))
        origins.append(UInt32(origin))
      }
    }
    var expected: [UInt32: [UInt32: UInt32]] = [:]
    for (source, origin) in zip(sources, origins) {
      for target in model[source] ?? [] {
        let place = atRows ? Self.row(source, target, index) : target
        expected[origin, default: [:]][place, default: 0] += 1
      }
    }
    let counters = Buffer<UInt32>(zeroed: Self.targetCount)
    let touched = Buffer<UInt32>(uninitialized: Self.targetCount + 1)
    var found: [UInt32: [UInt32: UInt32]] = [:]
    let goesOn = try index.listReader.countByOrigin(
      end, of: Buffer(sources), origins: Buffer(origins), count: sources.count, in: counters,
      touched: touched
    ) { origin, count in
      #expect(found[origin] == nil)
      for place in touched.array(count) {
        found[origin, default: [:]][place] = counters[place]
        counters[place] = 0
      }
      return true
    }
    #expect(goesOn)
    #expect(found == expected)
  }

  @Test("finds the sources that reach a set from their own side", arguments: 0..<6, [1, 40, 2900])
  func lookingBack(seed: Int, size: Int) throws {
    let (index, model) = try Self.makeIndex(seed: seed)
    var generator = SeededGenerator(seed: UInt64(seed + 200))
    let reached = Set((0..<size).map { _ in UInt32(generator.below(Self.targetCount)) })
    let words = Self.sourceCount / 64 + 1
    let found = Buffer<UInt64>(zeroed: words)
    let any = Buffer<UInt64>(zeroed: words)
    let targets = Self.bits(reached, limit: Self.targetCount)
    // In two parts, as workers share the words.
    for range in [0..<3, 3..<words] {
      index.markSources(reaching: targets, words: range, in: found)
      index.markSources(words: range, in: any)
    }
    for source in 0..<UInt32(Self.sourceCount) {
      let own = model[source] ?? []
      #expect(found.contains(source) == !own.isDisjoint(with: reached))
      #expect(any.contains(source) == !own.isEmpty)
    }
  }
}
