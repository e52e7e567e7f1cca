import Columnar
import Testing

@testable import Storage

@Suite("An adjacency index that is changed at random")
struct AdjacencyChangeTests {
  private static let sourceCount = 5000
  private static let targetCount = 4000
  /// Sources with lists of many runs, dense and with several edges to one target.
  private static let hubs: [UInt32] = [5, 70, 4998]

  /// An index beside what it must hold: of each source the edges as numbers of target and row.
  private struct Changed {
    var index: AdjacencyIndex
    var model: [Set<UInt64>]
    private var nextRow: UInt32 = 0

    init(hasRows: Bool, isSorted: Bool, _ generator: inout SeededGenerator) throws {
      index = AdjacencyIndex(hasEdgeRows: hasRows)
      model = Array(repeating: [], count: sourceCount)
      var pairs: [(source: UInt32, target: UInt32)] = []
      for source in 0..<UInt32(sourceCount) {
        let count = hubs.contains(source) ? 3000 : generator.below(12)
        for target in (0..<count).map({ _ in UInt32(generator.below(targetCount)) }).sorted() {
          pairs.append((source, target))
        }
      }
      if !isSorted { pairs.shuffle(using: &generator) }
      let added = pairs.filter { note($0.source, $0.target) }
      let edges = EdgeList(
        sources: Buffer(added.map(\.source)), targets: Buffer(added.map(\.target)),
        count: added.count)
      _ = try index.build(edges, isUnique: false, epoch: .next())
      // As an index has that is many times larger.
      if !isSorted { index.packMemory = PackMemory() }
    }

    /// Adds an edge to the model, with the next row; false if it is there already.
    private mutating func note(_ source: UInt32, _ target: UInt32) -> Bool {
      let edge = UInt64(target) << 32 | UInt64(index.hasEdgeRows ? nextRow : target)
      guard model[Int(source)].insert(edge).inserted else { return false }
      nextRow += 1
      return true
    }

    mutating func insert(_ generator: inout SeededGenerator, _ epoch: Epoch) {
      let source = Self.source(&generator)
      let target = UInt32(generator.below(targetCount))
      let row = index.hasEdgeRows ? nextRow : target
      if note(source, target) { index.insert(source, target, row: row, epoch: epoch) }
    }

    mutating func remove(_ generator: inout SeededGenerator, _ epoch: Epoch) {
      let source = Self.source(&generator)
      guard let edge = model[Int(source)].randomElement(using: &generator) else { return }
      model[Int(source)].remove(edge)
      index.remove(
        source, UInt32(edge >> 32), row: UInt32(truncatingIfNeeded: edge), epoch: epoch)
    }

    private static func source(_ generator: inout SeededGenerator) -> UInt32 {
      generator.below(3) == 0
        ? hubs[generator.below(hubs.count)] : UInt32(generator.below(sourceCount))
    }
  }

  @Test("holds what a naive model does, and lies together in memory", arguments: 0..<4)
  func changes(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let hasRows = seed % 3 > 0
    // A list without rows is given in order, as every foreign key's is.
    var changed = try Changed(hasRows: hasRows, isSorted: !hasRows || seed < 3, &generator)
    check(changed, "as built")
    // Changes unpack the rows that a bulk build has packed.
    let size = Self.byteCount(changed.index) + (hasRows ? 4 * changed.index.edgeCount : 0)
    for round in 0..<4 {
      // What is published stays as it was.
      let held = changed
      var epoch = Epoch.next()
      for change in 0..<4000 {
        // In some rounds each few changes are published, in others all are made in place.
        if round % 2 == 0 && change % 50 == 0 { epoch = .next() }
        if generator.below(5) < [2, 3, 4, 1][round] {
          changed.insert(&generator, epoch)
        } else {
          changed.remove(&generator, epoch)
        }
      }
      check(changed, "after round \(round)")
      checkPacked(changed.index)
      check(held, "held over round \(round)")
    }
    // Of what was built nothing is held for the sake of the few edges that nobody has touched.
    if changed.index.packMemory == nil {
      #expect(Self.byteCount(changed.index) < size * 3 / 2)
    }
  }

  private static func byteCount(_ index: AdjacencyIndex) -> Int {
    var census = MemoryCensus()
    index.count(in: &census)
    return census.byteCount
  }

  private func check(_ changed: Changed, _ comment: Comment) {
    let index = changed.index
    #expect(index.edgeCount == changed.model.reduce(0) { $0 + $1.count }, comment)
    let degrees = index.listReader.degrees(from: 0, count: Self.sourceCount)
    let linked = Buffer<UInt64>(zeroed: Self.sourceCount / 64 + 1)
    index.markSources(words: 0..<linked.count, in: linked)
    for source in 0..<Self.sourceCount {
      let edges = index.neighbours(of: UInt32(source))
      var found: [UInt64] = []
      for run in 0..<edges.runCount {
        let part = edges.run(run)
        found += (0..<part.count).map { UInt64(part.targets[$0]) << 32 | UInt64(part.rows[$0]) }
      }
      let wanted = changed.model[source]
      let isRight =
        found == wanted.sorted() && edges.bitsAgree && degrees[source] == Int64(wanted.count)
        && linked.contains(UInt32(source)) == !wanted.isEmpty
      if !isRight { Issue.record("the edges of \(source), \(comment)") }
    }
  }

  /// Of no group of pages, and of no long list, has more than half been left where changes have put it.
  private func checkPacked(_ index: AdjacencyIndex) {
    for first in stride(from: 0, to: index.pages.count - 63, by: 64) {
      #expect((first..<(first + 64)).count { index.pages[$0].isStray } < 32)
    }
    for hub in Self.hubs {
      let list = index.pages[Int(hub) >> AdjacencyPage.shift].longLists[AdjacencyIndex.list(hub)]
      guard let list, list.runCount > 4 else { continue }
      #expect(list.runs.count { $0.isStray } * 2 <= list.runCount)
    }
  }
}
