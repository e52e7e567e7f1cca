import Testing

@testable import Columnar

@Suite("Numbers by how many are less")
struct RankedNumbersTests {
  @Test(
    "are found as a sorted list finds them",
    arguments: [(1, 0), (10, 100), (500, 64), (3000, 90_000), (5000, 1_000_000)])
  func lookUp(_ count: Int, _ span: Int64) throws {
    var generator = SplitMix(state: 1)
    for base in [Int64.min, -1000, 0, Int64.max - span] {
      let numbers = (0..<count).map { _ in base + Int64.random(in: 0...span, using: &generator) }
      let ranked = try #require(
        try RankedNumbers(Vector(.bigint, numbers.map { .int64($0) }), count: count))
      let sorted = Set(numbers).sorted()
      #expect(ranked.count == sorted.count)
      var ranks: [Int64: UInt32] = [:]
      for (rank, number) in sorted.enumerated() { ranks[number] = UInt32(rank) }
      var asked = numbers + [.min, .max, base, base &- 1, base &+ span &+ 1]
      for _ in 0..<1000 {
        asked.append(base &+ Int64.random(in: -70...span + 70, using: &generator))
      }
      let found = try ranked.numbers(
        of: Vector(.bigint, asked.map { .int64($0) }), count: asked.count)
      #expect(found.array(asked.count) == asked.map { ranks[$0] ?? .max })
    }
  }

  @Test("are of any width, and none where they stand too far apart")
  func widths() throws {
    let ranked = try #require(
      try RankedNumbers(Vector(.integer, [.int32(7), .int32(-2), .int32(7)]), count: 3))
    #expect(ranked.count == 2)
    let narrow = try ranked.numbers(of: Vector(.smallint, [.int16(-2), .int16(0)]), count: 2)
    #expect(narrow.array(2) == [0, .max])
    let wide = try ranked.numbers(of: Vector(.bigint, [.int64(7), .int64(7 + 1 << 32)]), count: 2)
    #expect(wide.array(2) == [1, .max])
    let far = Vector(.bigint, [.int64(0), .int64(1 << 40)])
    #expect(try RankedNumbers(far, count: 2) == nil)
    let ends = Vector(.bigint, [.int64(.min), .int64(.max)])
    #expect(try RankedNumbers(ends, count: 2) == nil)
    #expect(try RankedNumbers(far, count: 0) == nil)
    #expect(try RankedNumbers(Vector(.boolean, [.boolean(true)]), count: 1) == nil)
  }
}
