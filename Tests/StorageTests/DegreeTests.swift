import Columnar
import Testing

@testable import Storage

@Suite("The degrees of an adjacency index")
struct DegreeTests {
  /// Every way to ask for degrees says the same, also after lists have been moved apart and have shrunk again.
  @Test("are those of its lists", arguments: 0..<6)
  func degrees(_ seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var index = AdjacencyIndex(hasEdgeRows: seed % 2 == 0)
    var model: [UInt32: Set<UInt32>] = [:]
    var published = index
    for round in 0..<8 {
      let epoch = Epoch.next()
      for _ in 0..<1500 {
        // Some sources are much in demand, and one page has nothing but short lists.
        let source = UInt32(
          generator.below(3) == 0 ? generator.below(4) * 70 : generator.below(300))
        let target = UInt32(generator.below(5000))
        if generator.below(4) == 0, let some = model[source]?.first {
          model[source]?.remove(some)
          index.remove(source, some, row: some, epoch: epoch)
        } else if model[source, default: []].insert(target).inserted {
          index.insert(source, target, row: target, epoch: epoch)
        }
      }
      check(index, model, "round \(round)")
      if round == 3 { published = index }
    }
    let before = (0..<300).map { published.neighbours(of: UInt32($0)).count }
    #expect(before == (0..<300).map { published.degree(of: UInt32($0)) })
  }

  private func check(_ index: AdjacencyIndex, _ model: [UInt32: Set<UInt32>], _ comment: Comment) {
    let wanted = (0..<400).map { model[UInt32($0)]?.count ?? 0 }
    #expect(wanted == (0..<400).map { index.degree(of: UInt32($0)) }, comment)
    let sources = Buffer((0..<400).map { UInt32($0) } + [TableStore.noRow])
    let found = index.degrees(of: sources, count: 401)
    #expect(wanted + [0] == found.array(401).map { Int($0) }, comment)
    for first in [0, 1, 100, 127, 128, 250, 399] {
      let part = index.listReader.degrees(from: first, count: 400 - first)
      #expect(Array(wanted[first...]) == part.array(400 - first).map { Int($0) }, comment)
    }
    checkEnds(index, model, sources, comment)
  }

  /// The outermost targets and the sums against sets, with the greatest, the least or some other target left out.
  private func checkEnds(
    _ index: AdjacencyIndex, _ model: [UInt32: Set<UInt32>], _ sources: Buffer<UInt32>,
    _ comment: Comment
  ) {
    let lists = sources.array(401).map { (model[$0] ?? []).sorted() }
    let sums = index.targetSums(of: sources, count: 401).array(401)
    #expect(sums == lists.map { $0.reduce(0) { $0 + Int64($1) } }, comment)
    let none = TableStore.noRow
    let choices: [(([UInt32]) -> UInt32?)?] = [
      nil, { $0.first }, { $0.last }, { $0.dropFirst().first },
    ]
    for left in choices {
      let excluded = left.map { left in lists.map { left($0) ?? none } }
      let rest = zip(lists, excluded ?? lists.map { _ in none }).map { list, left in
        list.filter { $0 != left }
      }
      let buffer = excluded.map { Buffer($0) }
      let first = index.outermost(.first, of: sources, count: 401, but: buffer).array(401)
      #expect(first == rest.map { $0.first ?? none }, comment)
      let last = index.outermost(.last, of: sources, count: 401, but: buffer).array(401)
      #expect(last == rest.map { $0.last ?? none }, comment)
    }
  }

  /// A walk through the index against one through sets.
  @Test("are walked to the end by a closure", arguments: 0..<6)
  func closure(_ seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var index = AdjacencyIndex(hasEdgeRows: false)
    var model: [UInt32: Set<UInt32>] = [:]
    let epoch = Epoch.next()
    for edge in 0..<3000 {
      let source = edge < 1800 ? 7 : UInt32(generator.below(2000))
      let target = UInt32(generator.below(2000))
      if model[source, default: []].insert(target).inserted {
        index.insert(source, target, row: target, epoch: epoch)
      }
    }
    let alone = AdjacencyClosure(isGrouped: false)
    let grouped = AdjacencyClosure(isGrouped: true)
    for _ in 0..<5 {
      let starts = (0..<4).map { _ in UInt32(generator.below(2000)) } + [TableStore.noRow]
      let groups = starts.indices.map { UInt32($0 % 3) }
      alone.start(rowCount: 2000)
      alone.insert(Buffer(starts), groups: nil, count: 5)
      walk(alone, index)
      #expect(Set(alone.positions.array(alone.count)) == reached(starts, model))
      grouped.start(rowCount: 2000)
      grouped.insert(Buffer(starts), groups: Buffer(groups), count: 5)
      walk(grouped, index)
      for group in 0..<UInt32(3) {
        let own = (0..<grouped.count).filter { grouped.groups[$0] == group }
          .map { grouped.positions[$0] }
        #expect(own.count == Set(own).count)
        let ownStarts = starts.indices.filter { groups[$0] == group }.map { starts[$0] }
        #expect(Set(own) == reached(ownStarts, model))
      }
    }
  }

  private func walk(_ closure: AdjacencyClosure, _ index: AdjacencyIndex) {
    while closure.walkedCount < closure.count {
      closure.walk(index.listReader, index, at: .target, to: closure.count, edgeLimit: 100)
    }
  }

  private func reached(_ starts: [UInt32], _ model: [UInt32: Set<UInt32>]) -> Set<UInt32> {
    var found = Set(starts).subtracting([TableStore.noRow])
    var frontier = found
    while !frontier.isEmpty {
      let next = frontier.reduce(into: Set<UInt32>()) { $0.formUnion(model[$1] ?? []) }
      frontier = next.subtracting(found)
      found.formUnion(frontier)
    }
    return found
  }
}
