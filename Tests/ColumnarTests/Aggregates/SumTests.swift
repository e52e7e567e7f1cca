import Diagnostics
import Testing

@testable import Columnar

@Suite("Sums of groups")
struct SumTests {
  /// A number near one of the ends of its type, near zero, or anywhere.
  private static func number(_ random: inout SplitMix) -> Int64 {
    let bits = Int64(bitPattern: random.next())
    switch random.next() % 6 {
    case 0: return .max - (bits & 3)
    case 1: return .min + (bits & 3)
    case 2: return bits
    default: return bits % 1000
    }
  }

  /// Numbers with garbage under the NULLs, and the group of each.
  private struct Rows {
    var numbers: [Int64] = []
    var isThere: [Bool] = []
    var groups: [UInt32] = []

    init(_ count: Int, groupCount: Int, _ random: inout SplitMix) {
      for _ in 0..<count {
        numbers.append(SumTests.number(&random))
        isThere.append(random.next() % 5 > 0)
        groups.append(UInt32(random.next() % UInt64(groupCount)))
      }
    }

    var validity: ValidityMask {
      var mask = ValidityMask.allValid
      for row in isThere.indices where !isThere[row] { mask.setNull(row, count: isThere.count) }
      return mask
    }

    /// The exact sum of a group; nil if it has no number.
    func sum(_ group: Int) -> Int128? {
      var sum: Int128?
      for row in numbers.indices where isThere[row] && groups[row] == group {
        sum = (sum ?? 0) + Int128(numbers[row])
      }
      return sum
    }
  }

  /// Sums of several batches in one accumulator, and of as many in another that is merged into it with its groups turned round.
  private func sums(
    _ make: () -> any AggregateAccumulator, _ column: (Rows) -> Vector, groupCount: Int,
    seed: UInt64
  ) throws -> (found: [String], expected: [Int128?]) {
    var random = SplitMix(state: seed)
    let (own, other) = (make(), make())
    var expected = [Int128?](repeating: nil, count: groupCount)
    let mapping = (0..<groupCount).map { UInt32(groupCount - 1 - $0) }
    for (accumulator, isOther) in [(own, false), (other, true)] {
      accumulator.grow(to: groupCount)
      for size in [1, 64, 200, 2048] {
        let rows = Rows(size, groupCount: groupCount, &random)
        try accumulator.update(
          groups: groupCount == 1 ? nil : Buffer(rows.groups), arguments: [column(rows)],
          count: size)
        for group in 0..<groupCount {
          guard let sum = rows.sum(group) else { continue }
          let target = isOther ? Int(mapping[group]) : group
          expected[target] = (expected[target] ?? 0) + sum
        }
      }
    }
    try own.merge(other, groups: Buffer(mapping), count: groupCount)
    let result = try own.results(0..<groupCount)
    return ((0..<groupCount).map { result.value(at: $0).text(of: result.type) }, expected)
  }

  @Test("of bigints are exact", arguments: [1, 2, 5, 100], [1, 2, 3] as [UInt64])
  func bigints(groupCount: Int, seed: UInt64) throws {
    let (found, expected) = try sums(
      { IntegerSumAccumulator(.numeric) },
      { Vector(.bigint, Buffer($0.numbers), count: $0.numbers.count, validity: $0.validity) },
      groupCount: groupCount, seed: seed)
    for group in 0..<groupCount where expected[group] != nil {
      #expect(found[group] == expected[group].map { "\($0)" })
    }
  }

  @Test("of numbers in small form are exact", arguments: [1, 2, 5, 100], [1, 2, 3] as [UInt64])
  func decimals(groupCount: Int, seed: UInt64) throws {
    let (found, expected) = try sums(
      { NumericSumAccumulator(isAverage: false) },
      {
        let values = Buffer<Int64>($0.numbers)
        return Vector(
          type: .numeric, count: $0.numbers.count, storage: values.block, validity: $0.validity,
          digits: DecimalForm(scale: 2))
      }, groupCount: groupCount, seed: seed)
    for group in 0..<groupCount {
      guard let sum = expected[group] else { continue }
      #expect(found[group] == Value.numeric(Numeric(coefficient: sum, scale: 2)).text(of: .numeric))
    }
  }

  @Test("of numbers with different digits behind the point are exact")
  func scales() throws {
    let accumulator = NumericSumAccumulator(isAverage: false)
    accumulator.grow(to: 2)
    let groups = Buffer<UInt32>([0, 1, 0])
    for decimals in [2, 0, 2, 5] as [Int16] {
      let values = Buffer<Int64>([.max, 7, .max])
      try accumulator.update(
        groups: groups,
        arguments: [Vector(decimals: decimals, values, count: 3)],
        count: 3)
    }
    let result = try accumulator.results(0..<2)
    let texts = (0..<2).map { result.value(at: $0).text(of: .numeric) }
    // Twice the greatest number, with 2, 0, 2 and 5 digits behind the point.
    #expect(texts == ["18815863422624479741.79614", "7.14007"])
  }
}
