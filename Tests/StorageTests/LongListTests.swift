import Columnar
import Testing

@testable import Storage

@Suite("A list of many neighbours")
struct LongListTests {
  private static let limit = 20_000

  /// Runs that stand behind each other are gone through as one: that changes nothing of what is found.
  @Test("is marked and counted as its runs say", arguments: 0..<6)
  func stretches(_ seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var model = Set<UInt32>()
    while model.count < 3000 { model.insert(UInt32(generator.below(Self.limit))) }
    let targets = Buffer(model.sorted())
    var list = LongList(owner: .next(), targets: targets, rows: seed % 2 == 0 ? nil : targets)
    check(list, &generator)
    for _ in 0..<6 {
      // The lists of earlier rounds stay as they were.
      let (held, known) = (list, model)
      let epoch = Epoch.next()
      // A few changes leave most runs where they stood.
      for _ in 0..<generator.below(400) {
        let target = UInt32(generator.below(Self.limit))
        if model.insert(target).inserted {
          list = list.inserting(target, target, owner: epoch)
        } else if let rest = list.removing(target, target, owner: epoch) {
          model.remove(target)
          list = rest
        }
      }
      check(list, &generator)
      #expect(positions(list, 0..<list.runCount) == model.sorted())
      #expect(positions(held, 0..<held.runCount) == known.sorted())
    }
  }

  private func check(_ list: LongList, _ generator: inout SeededGenerator) {
    let neighbours = NeighbourList(list)
    for _ in 0..<5 {
      let first = generator.below(list.runCount + 1)
      let runs = first..<(first + generator.below(list.runCount - first + 1))
      let wanted = positions(list, runs)
      let bitmap = Buffer<UInt64>(zeroed: Self.limit / 64 + 1)
      neighbours.mark(runs, in: bitmap)
      #expect(wanted == (0..<UInt32(Self.limit)).filter { bitmap.contains($0) })
      let counters = Buffer<UInt32>(zeroed: Self.limit)
      neighbours.count(runs, in: counters)
      #expect(wanted == (0..<UInt32(Self.limit)).filter { counters[Int($0)] == 1 })
      #expect(counters.array(Self.limit).allSatisfy { $0 <= 1 })
    }
  }

  /// The targets in some runs, run by run.
  private func positions(_ list: LongList, _ runs: Range<Int>) -> [UInt32] {
    runs.flatMap { index in
      let targets = list.run(index).targets
      return targets.array(targets.count)
    }
  }
}
