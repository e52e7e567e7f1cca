import Testing

@testable import JunctionBench

@Suite("Labels")
struct LabelTests {
  /// Some labels where lines end, and how much room there is.
  struct Case: CustomTestStringConvertible, Sendable {
    let places: [Double]
    let gap: Double
    let bounds: ClosedRange<Double>
    var testDescription: String { "\(places), \(gap) apart in \(bounds)" }
  }

  /// Places at random, also far outside, many alike and more than fit.
  private static func cases(_ count: Int) -> [Case] {
    var random = SplitMix(seed: 11)
    return (0..<count).map { _ in
      let low = Double(random.below(50))
      let bounds = low...(low + Double(1 + random.below(200)))
      let isCrowded = random.below(3) == 0
      let places = (0..<random.below(12)).map { _ in
        isCrowded ? low + Double(random.below(4)) : Double(random.below(400)) - 50
      }
      return Case(places: places, gap: Double(1 + random.below(30)), bounds: bounds)
    }
  }

  @Test(
    "stand apart, within bounds and in the order of their lines, or evenly where there are too many"
  )
  func apart() {
    for example in Self.cases(2000) {
      let places = LabelPlacement.spread(
        example.places, gap: example.gap, within: example.bounds)
      #expect(places.count == example.places.count)
      let order = places.indices.sorted {
        (example.places[$0], $0) < (example.places[$1], $1)
      }
      let room = example.bounds.upperBound - example.bounds.lowerBound
      let gap = min(example.gap, room / Double(max(1, places.count - 1)))
      for (place, next) in zip(order, order.dropFirst())
      where places[next] - places[place] < gap - 1e-6 {
        Issue.record("\(example): \(places)")
      }
      if let first = order.first, let last = order.last,
        places[first] < example.bounds.lowerBound - 1e-6
          || places[last] > example.bounds.upperBound + 1e-6
      {
        Issue.record("\(example): \(places)")
      }
    }
  }

  @Test("stay where they belong if that is apart enough")
  func unmoved() {
    #expect(LabelPlacement.spread([30, 10, 50], gap: 12, within: 0...100) == [30, 10, 50])
    #expect(LabelPlacement.spread([], gap: 12, within: 0...100).isEmpty)
  }

  @Test("that meet move to both sides by as little as will do")
  func moved() {
    #expect(LabelPlacement.spread([10, 10, 50], gap: 12, within: 0...100) == [4, 16, 50])
    #expect(LabelPlacement.spread([99, 98, 97], gap: 10, within: 0...100) == [100, 90, 80])
    #expect(LabelPlacement.spread([1, 2, 3], gap: 10, within: 0...10) == [0, 5, 10])
  }

  @Test("of an axis are left out where they would touch the one before")
  func visible() {
    #expect(LabelPlacement.visible([0, 10, 20], widths: [8, 8, 8], gap: 2) == [0, 1, 2])
    #expect(LabelPlacement.visible([0, 9, 20], widths: [8, 8, 8], gap: 2) == [0, 2])
    var random = SplitMix(seed: 3)
    for _ in 0..<500 {
      let places = (0..<random.below(9)).map { _ in Double(random.below(200)) }.sorted()
      let widths = places.map { _ in Double(1 + random.below(40)) }
      let shown = LabelPlacement.visible(places, widths: widths, gap: 4)
      #expect(shown.first == places.indices.first)
      for (left, right) in zip(shown, shown.dropFirst())
      where places[right] - widths[right] / 2 - (places[left] + widths[left] / 2) < 4 {
        Issue.record("\(places) \(widths): \(shown)")
      }
    }
  }

  @Test("of a logarithmic scale are few, within it and enough to read a value by")
  func ticks() {
    var random = SplitMix(seed: 5)
    for _ in 0..<2000 {
      let low = 1e-8 * Double(1 + random.below(1000))
      let high = low * Double(1 + random.below(1_000_000))
      let scale = LogScale(covering: [low, high])
      let ticks = scale.ticks(most: 6)
      let isFine =
        (2...6).contains(ticks.count) && ticks == ticks.sorted()
        && ticks.allSatisfy { $0 >= low / 10.1 && $0 <= high * 10.1 }
      if !isFine { Issue.record("\(low) to \(high): \(ticks)") }
    }
  }
}
