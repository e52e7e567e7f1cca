import Testing

@testable import Columnar

@Suite("Comparisons of pairs where they are enumerated")
struct PairTestTests {
  private static let comparisons: [Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  @Test("find the pairs that a loop over all finds, in parts", arguments: comparisons)
  func pairs(_ comparison: Comparison) throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20 {
      let (lefts, rights) = (Int.random(in: 1...90, using: &generator), 300)
      let left = Self.numbers(lefts, &generator)
      let right = Self.numbers(rights, &generator)
      let (own, others) = (
        try #require(try WholeNumbers(left)), try #require(try WholeNumbers(right))
      )
      let test = try #require(PairTest(comparison, own, others))
      let (starts, ends) = (
        Buffer<UInt32>(uninitialized: lefts), Buffer<UInt32>(uninitialized: lefts)
      )
      var expected: [[UInt32]] = []
      for row in 0..<lefts {
        let start = Int.random(in: 0...rights, using: &generator)
        let end = Int.random(in: start...rights, using: &generator)
        (starts[row], ends[row]) = (UInt32(start), UInt32(end))
        guard left.isValid(row) else { continue }
        let value = left.values(Int32.self)[row]
        for other in start..<end where right.isValid(other) {
          let order = value < right.values(Int32.self)[other] ? -1 : 1
          if comparison.holds(value == right.values(Int32.self)[other] ? 0 : order) {
            expected.append([UInt32(row), UInt32(other)])
          }
        }
      }
      var found: [[UInt32]] = []
      var position = PairPosition()
      let capacity = Int.random(in: 70...400, using: &generator)
      let (rows, partners) = (
        Buffer<UInt32>(uninitialized: capacity), Buffer<UInt32>(uninitialized: capacity)
      )
      while position.row < lefts {
        var count = 0
        test.find(
          from: &position, rowCount: lefts, starts: starts, ends: ends, order: nil, skipping: nil,
          into: rows, partners, &count, capacity: capacity)
        #expect(test.keep(rows, partners, from: 0, to: count) == count)
        for pair in 0..<count { found.append([rows[pair], partners[pair]]) }
      }
      #expect(found == expected)
    }
  }

  @Test("are not made between exact numbers with points in different places")
  func decimals() throws {
    let values = Buffer<Int64>([1, 2])
    let one = try #require(try WholeNumbers(Vector(decimals: 1, values, count: 2)))
    let two = try #require(try WholeNumbers(Vector(decimals: 2, values, count: 2)))
    #expect(PairTest(.equal, one, two) == nil)
    #expect(PairTest(.equal, one, one) != nil)
  }

  private static func numbers(
    _ count: Int, _ generator: inout SystemRandomNumberGenerator
  ) -> Vector {
    var builder = VectorBuilder(.integer, capacity: count)
    for _ in 0..<count {
      let value = Int32.random(in: -4...4, using: &generator)
      builder.append(value == 3 ? .null : .int32(value))
    }
    return builder.finish()
  }
}
