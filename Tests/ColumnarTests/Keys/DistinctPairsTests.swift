import Diagnostics
import Testing

@testable import Columnar

@Suite struct DistinctPairsTests {
  /// Pairs of a group and a number, as they may come.
  struct Pattern: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let groupCount: UInt64
    let rowCount: Int
    let number: @Sendable (_ row: Int, _ random: UInt64) -> Int64
  }

  static let patterns: [Pattern] = [
    Pattern(testDescription: "few near numbers", groupCount: 7, rowCount: 20_000) { _, random in
      Int64(random % 300) - 150
    },
    Pattern(testDescription: "rising numbers", groupCount: 5_000, rowCount: 150_000) { row, _ in
      Int64(row / 3)
    },
    Pattern(testDescription: "numbers in no order", groupCount: 5_000, rowCount: 150_000) {
      Int64($1 % 300_000) + Int64($0 % 2)
    },
    Pattern(testDescription: "numbers far from each other", groupCount: 40, rowCount: 100_000) {
      _, random in Int64(bitPattern: random &* 0x9E37_79B9_7F4A_7C15) >> 1 | 1
    },
    Pattern(testDescription: "the greatest and least numbers", groupCount: 3, rowCount: 5_000) {
      _, random in [Int64.min, .max, 0, -1][Int(random % 4)]
    },
    Pattern(testDescription: "many groups of few numbers", groupCount: 60_000, rowCount: 200_000) {
      _, random in Int64(random % 50)
    },
    Pattern(testDescription: "repeated pairs", groupCount: 2_000, rowCount: 300_000) { row, _ in
      Int64(row % 40_000) * 1_000_003
    },
  ]

  @Test("every pair is counted once, whatever way it is held", arguments: patterns, [1, 3])
  func counts(pattern: Pattern, sets: Int) throws {
    var random: UInt64 = 42
    var expected: [UInt32: Set<Int64>] = [:]
    let parts = (0..<sets).map { _ in DistinctPairs(types: [.bigint], tellsNew: false) }
    let told = DistinctPairs(types: [.bigint], tellsNew: true)
    var toldCount = 0
    let same = Buffer<UInt32>(uninitialized: Int(pattern.groupCount))
    for group in 0..<Int(pattern.groupCount) { same[group] = UInt32(group) }
    for pairs in parts + [told] { pairs.grow(to: Int(pattern.groupCount)) }
    for (number, start) in stride(from: 0, to: pattern.rowCount, by: 2_000).enumerated() {
      let count = min(2_000, pattern.rowCount - start)
      let groups = Buffer<UInt32>(uninitialized: count)
      let numbers = Buffer<Int64>(uninitialized: count)
      for row in 0..<count {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        groups[row] = UInt32((random >> 33) % pattern.groupCount)
        numbers[row] = pattern.number(start + row, random >> 20)
        expected[groups[row], default: []].insert(numbers[row])
      }
      let column = Vector(.bigint, numbers, count: count)
      _ = try parts[number % sets].insert(groups: groups, [column], count: count)
      let fresh = try #require(try told.insert(groups: groups, [column], count: count))
      toldCount += fresh.count
    }
    for other in parts.dropFirst()
    where try !parts[0].merge(
      other, groups: same, count: Int(pattern.groupCount))
    {
      try other.forEachChunk { (chunk) throws(SQLError) in
        _ = try parts[0].insert(
          groups: chunk.columns[0].values(UInt32.self), [chunk.columns[1]], count: chunk.count)
      }
    }
    #expect(toldCount == expected.values.reduce(0) { $0 + $1.count })
    let counts = try parts[0].counts(groupCount: Int(pattern.groupCount))
    var found: [UInt32: Set<Int64>] = [:]
    var total = 0
    try parts[0].forEachChunk { (chunk) throws(SQLError) in
      let groups = chunk.columns[0].values(UInt32.self)
      let numbers = chunk.columns[1].values(Int64.self)
      for row in 0..<chunk.count { found[groups[row], default: []].insert(numbers[row]) }
      total += chunk.count
    }
    #expect(found == expected)
    #expect(total == expected.values.reduce(0) { $0 + $1.count })
    if let counts {
      for (group, numbers) in expected { #expect(counts[Int(group)] == Int64(numbers.count)) }
    }
  }

  @Test("are bits as well where a column says of each row by itself that it is there")
  func saidToBeThere() throws {
    let (groupCount, valueCount) = (2000, 40)
    let pairs = DistinctPairs(types: [.integer], tellsNew: false)
    pairs.grow(to: groupCount)
    for start in stride(from: 0, to: groupCount * valueCount, by: 2000) {
      let rows = start..<(start + 2000)
      let column = Vector(
        .integer, Buffer(rows.map { Int32($0 * 7 % valueCount) }), count: 2000,
        validity: .writable(count: 2000))
      let groups = Buffer(rows.map { UInt32($0 % groupCount) })
      _ = try pairs.insert(groups: groups, [column], count: 2000)
    }
    // A table would take 20 bytes for each pair, bits do with one for eight.
    #expect(pairs.byteCount < 100_000)
    let counts = try pairs.counts(groupCount: groupCount)
    let made = try #require(counts)
    for group in 0..<groupCount {
      let expected = Set((0..<valueCount).map { ($0 * groupCount + group) * 7 % valueCount })
      #expect(made[group] == Int64(expected.count))
    }
  }
}
