import Columnar
import Testing

@testable import Storage

@Suite("Edges whose rows are packed")
struct PackedRowsTests {
  /// In which order the edges of a table stand.
  enum Order: CaseIterable {
    case sorted, bySource, any
  }

  private static let sourceCount = 900
  private static let targetCount = 700

  /// The indexes of a table in both directions.
  private static func build(
    _ order: Order
  ) throws -> (pairs: [(source: UInt32, target: UInt32)], indexes: [AdjacencyIndex]) {
    var generator = SeededGenerator(seed: 11)
    var pairs: [(source: UInt32, target: UInt32)] = []
    for source in 0..<UInt32(sourceCount) {
      // One list stands apart, and so do those of the targets.
      let count = source == 77 ? 650 * 4 : generator.below(12)
      var targets = (0..<count).map { _ in UInt32(generator.below(targetCount)) }
      targets = order == .sorted ? targets.sorted() : targets
      pairs += targets.map { (source, $0) }
    }
    if order == .any { pairs.shuffle(using: &generator) }
    var (forth, back) = (AdjacencyIndex(hasEdgeRows: true), AdjacencyIndex(hasEdgeRows: true))
    let edges = EdgeList(
      sources: Buffer(pairs.map(\.source)), targets: Buffer(pairs.map(\.target)),
      count: pairs.count)
    let built = try forth.build(edges, isUnique: false, wantsOrdered: true, epoch: .next())
    let reversed = try #require(built.ordered).reversed
    _ = try back.build(reversed, isUnique: false, epoch: .next())
    return (pairs, [forth, back])
  }

  /// The edges of each source, or of each target.
  private static func lists(
    _ pairs: [(source: UInt32, target: UInt32)], reversed: Bool
  ) -> [[UInt64]] {
    var lists = [[UInt64]](repeating: [], count: max(sourceCount, targetCount))
    for (row, pair) in pairs.enumerated() {
      let (from, to) = reversed ? (pair.target, pair.source) : (pair.source, pair.target)
      lists[Int(from)].append(UInt64(to) << 32 | UInt64(row))
    }
    return lists.map { $0.sorted() }
  }

  @Test("are read, copied and expanded as they were built", arguments: Order.allCases)
  func reading(_ order: Order) throws {
    let (pairs, indexes) = try Self.build(order)
    for (direction, index) in indexes.enumerated() {
      let lists = Self.lists(pairs, reversed: direction == 1)
      #expect(!index.pages[0].slot.rows.isPlain || index.pages[0].longLists[0] != nil)
      let reader = index.listReader
      let rows = Buffer<UInt32>(uninitialized: 64)
      let targets = Buffer<UInt32>(uninitialized: 64)
      for (source, wanted) in lists.enumerated() {
        let source = UInt32(source)
        #expect(Self.edges(index.neighbours(of: source)) == wanted)
        let copied = reader.copyList(of: source, targets: targets, rows: rows, limit: 64)
        if let copied {
          #expect((0..<copied).map { UInt64(targets[$0]) << 32 | UInt64(rows[$0]) } == wanted)
          #expect(reader.copyList(at: .row, of: source, to: rows, limit: 64) == copied)
          #expect(rows.array(copied) == wanted.map { UInt32(truncatingIfNeeded: $0) })
        }
        if let first = wanted.randomElement() {
          let target = UInt32(first >> 32)
          let same = wanted.filter { $0 >> 32 == first >> 32 }.map { UInt32($0 & 0xFFFF_FFFF) }
          #expect(index.edge(source, target) == same[0])
          #expect(index.rows(source, target) == same)
        }
      }
      try checkExpansion(index, lists)
    }
  }

  private static func edges(_ list: NeighbourList) -> [UInt64] {
    (0..<list.runCount).flatMap { number in
      let run = list.run(number)
      let rows = run.positions(at: .row)
      return (0..<run.count).map { UInt64(run.targets[$0]) << 32 | UInt64(rows[$0]) }
    }
  }

  private func checkExpansion(_ index: AdjacencyIndex, _ lists: [[UInt64]]) throws {
    let sources = Buffer((0..<UInt32(lists.count)).map { $0 })
    let wanted = lists.flatMap { $0 }
    var cursor = AdjacencyIndex.Cursor()
    var found: [UInt64] = []
    while true {
      let part = index.expand(sources, count: sources.count, from: &cursor, limit: 500)
      if part.count == 0 { break }
      found += (0..<part.count).map { UInt64(part.targets[$0]) << 32 | UInt64(part.rows[$0]) }
    }
    #expect(found == wanted)
    let marks = Buffer<UInt64>(zeroed: wanted.count / 64 + 1)
    var aside: [UInt32] = []
    index.listReader.mark(.row, of: sources, count: sources.count, in: marks, aside: &aside)
    for source in aside {
      let list = index.neighbours(of: source)
      list.mark(.row, 0..<list.runCount, in: marks)
    }
    #expect((0..<UInt32(wanted.count)).allSatisfy { marks.contains($0) })
  }

  #if !CHECKED
    @Test("take no more room where lists are looked up than an address does")
    func slots() {
      #expect(MemoryLayout<AdjacencySlot>.stride == 40)
      #expect(MemoryLayout<RunSlot>.stride == 48)
    }
  #endif

  @Test("take less than plain ones, and leave nothing of these behind")
  func size() throws {
    for index in try Self.build(.bySource).indexes {
      var census = MemoryCensus()
      index.count(in: &census)
      let pages = index.pages.count * (AdjacencyFrame.wordCount * 4 + 300)
      let apart = 160 * (0..<900).count { !index.isShort(UInt32($0)) }
      let plain = 8 * index.edgeCount + pages + apart
      #expect(census.byteCount < plain - index.edgeCount)
    }
  }

  @Test("are changed as plain ones are, and stay as they were for who holds them")
  func changes() throws {
    var generator = SeededGenerator(seed: 2)
    let (pairs, indexes) = try Self.build(.bySource)
    for (direction, built) in indexes.enumerated() {
      let original = Self.lists(pairs, reversed: direction == 1)
      var (index, lists) = (built, original)
      for change in 0..<600 {
        let source = change % 3 == 0 ? 77 : generator.below(Self.targetCount)
        let epoch = Epoch.next()
        if change % 2 == 0, let edge = lists[source].randomElement(using: &generator) {
          lists[source].removeAll { $0 == edge }
          index.remove(
            UInt32(source), UInt32(edge >> 32), row: UInt32(truncatingIfNeeded: edge),
            epoch: epoch)
        } else {
          let target = UInt32(generator.below(Self.targetCount))
          let row = UInt32(pairs.count + change)
          lists[source].append(UInt64(target) << 32 | UInt64(row))
          index.insert(UInt32(source), target, row: row, epoch: epoch)
        }
      }
      for source in lists.indices {
        #expect(Self.edges(index.neighbours(of: UInt32(source))) == lists[source].sorted())
        #expect(Self.edges(built.neighbours(of: UInt32(source))) == original[source])
      }
    }
  }
}
