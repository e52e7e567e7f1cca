import Columnar
import Testing

@testable import Storage

@Suite("A list of many neighbours")
struct LongListTests {
  /// Dense enough for bits, partly so, and too thin.
  private static let limits = [3000, 25_000, 70_000]

  /// Runs that stand behind each other are gone through as one: that changes nothing of what is found.
  @Test("is marked and counted as its runs say", arguments: 0..<3, limits)
  func stretches(_ seed: Int, _ limit: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var model = Set<UInt32>()
    while model.count < 1000 { model.insert(UInt32(generator.below(limit))) }
    let targets = Buffer(model.sorted())
    var list = LongList(owner: .next(), targets: targets, rows: seed % 2 == 0 ? nil : targets)
    check(list, limit, &generator)
    for _ in 0..<6 {
      // The lists of earlier rounds stay as they were.
      let (held, known) = (list, model)
      let epoch = Epoch.next()
      // A few changes leave most runs where they stood.
      for _ in 0..<generator.below(400) {
        let target = UInt32(generator.below(limit))
        if model.insert(target).inserted {
          list = list.inserting(target, target, owner: epoch)
        } else if let rest = list.removing(target, target, owner: epoch) {
          model.remove(target)
          list = rest
        }
      }
      check(list, limit, &generator)
      #expect(positions(list, 0..<list.runCount) == model.sorted())
      #expect(positions(held, 0..<held.runCount) == known.sorted())
    }
  }

  private func check(_ list: LongList, _ limit: Int, _ generator: inout SeededGenerator) {
    #expect(list.bitsAgree)
    let neighbours = NeighbourList(list)
    for _ in 0..<5 {
      let first = generator.below(list.runCount + 1)
      let runs = first..<(first + generator.below(list.runCount - first + 1))
      let wanted = positions(list, runs)
      let bitmap = Buffer<UInt64>(zeroed: limit / 64 + 1)
      neighbours.mark(.target, runs, in: bitmap)
      var marked = 0
      for word in 0..<bitmap.count { marked += bitmap[word].nonzeroBitCount }
      #expect(marked == wanted.count && wanted.allSatisfy { bitmap.contains($0) })
      let counters = Buffer<UInt32>(zeroed: limit)
      neighbours.count(.target, runs, in: counters)
      var counted: UInt32 = 0
      for position in 0..<limit { counted &+= counters[position] }
      #expect(Int(counted) == wanted.count && wanted.allSatisfy { counters[Int($0)] == 1 })
    }
  }

  @Test("keeps the bit of a target until the last edge to it is gone", arguments: 0..<4)
  func repeatedTargets(_ seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let targets = (0..<2000).map { _ in UInt32(generator.below(900)) }.sorted()
    let rows = (0..<2000).map { UInt32($0) }
    var list = LongList(owner: .next(), targets: Buffer(targets), rows: Buffer(rows))
    var edges = Array(zip(targets, rows))
    for round in 0..<8 {
      let epoch = Epoch.next()
      for change in 0..<100 {
        if generator.below(2) == 0 {
          // Now and then beyond all targets that there were.
          let target = UInt32(generator.below(900 + round * 100))
          let row = UInt32(2000 + round * 100 + change)
          list = list.inserting(target, row, owner: epoch)
          edges.append((target, row))
        } else {
          let (target, row) = edges.remove(at: generator.below(edges.count))
          list = list.removing(target, row, owner: epoch) ?? list
        }
      }
      #expect(list.count == edges.count)
      #expect(list.bitsAgree)
      let bitmap = Buffer<UInt64>(zeroed: 40)
      NeighbourList(list).mark(.target, 0..<list.runCount, in: bitmap)
      let wanted = Set(edges.map(\.0))
      #expect((0..<UInt32(2560)).allSatisfy { bitmap.contains($0) == wanted.contains($0) })
    }
  }

  @Test("leaves no trail of short runs where most edges are taken out", arguments: [true, false])
  func thinnedRuns(isPublishedOften: Bool) {
    var generator = SeededGenerator(seed: 3)
    let targets = Buffer((0..<30_000).map { UInt32($0) })
    var list = LongList(owner: .next(), targets: targets, rows: nil)
    var epoch = Epoch.next()
    var left = (0..<30_000).map { UInt32($0) }
    left.shuffle(using: &generator)
    while left.count > 300 {
      if isPublishedOften && left.count % 20 == 0 { epoch = .next() }
      let target = left.removeLast()
      list = list.removing(target, target, owner: epoch) ?? list
      if left.count % 3000 == 0 || left.count == 300 {
        #expect(list.bitsAgree)
        #expect(list.runCount <= left.count / 60 + 1)
      }
    }
    #expect(positions(list, 0..<list.runCount) == left.sorted())
  }

  @Test("gives a run bits once it is dense, and keeps them")
  func runsThatBecomeDense() {
    let epoch = Epoch.next()
    // Some targets beside each other, and one that is thirty words away.
    let far: UInt32 = 64 * 30
    var list = LongList(owner: .next(), targets: Buffer([1, 2, far]), rows: nil)
    #expect(list.table.header[0].runs[0].bits.count == 0)
    for target: UInt32 in 3...40 {
      list = list.inserting(target, target, owner: epoch)
      #expect(list.bitsAgree)
    }
    #expect(list.table.header[0].runs[0].bits.count == 31)
    for target: UInt32 in 3...40 {
      list = list.removing(target, target, owner: epoch) ?? list
      #expect(list.bitsAgree)
    }
    list = LongList(owner: .next(), targets: Buffer([1, 2, 3, far]), rows: nil)
    list = list.removing(far, far, owner: epoch) ?? list
    #expect(list.bitsAgree)
    #expect(list.table.header[0].runs[0].bits.count == 1)
  }

  /// The targets in some runs, run by run.
  private func positions(_ list: LongList, _ runs: Range<Int>) -> [UInt32] {
    runs.flatMap { index in
      let targets = list.run(index).targets
      return targets.array(targets.count)
    }
  }
}
