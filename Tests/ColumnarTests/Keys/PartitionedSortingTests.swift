import Testing

@testable import Columnar

@Suite("Sorting many rows by partitions")
struct PartitionedSortingTests {
  /// How the keys of a case lie.
  enum Keys: CaseIterable, Sendable {
    case spread, few, same, skewed, rising, falling, far, near, nearAndFar
  }

  private static func key(_ keys: Keys, _ index: Int, _ random: inout SplitMix) -> UInt64 {
    switch keys {
    case .spread: random.next() >> 21
    case .few: random.next() % 3
    case .same: 77
    case .skewed: random.next() % 10 < 9 ? 1 << 40 | random.next() % 1000 : random.next() >> 4
    case .rising: UInt64(index) * 3
    case .falling: UInt64(1_000_000 - index)
    case .far: random.next() % 2 == 0 ? 0 : .max - random.next() % 5
    // Each row stands near to its place, or nearly each.
    case .near: UInt64(index / 9 * 16) + random.next() % 16
    case .nearAndFar:
      random.next() % 700 == 0
        ? random.next() % 100_000 : UInt64(index / 9 * 16) + random.next() % 20
    }
  }

  @Test("gives the order of their keys, equal ones in theirs", arguments: Keys.allCases)
  func order(_ keys: Keys) throws {
    var random = SplitMix(state: 7)
    let count = Sorting.partitionedRowCount * 5 + 77
    let narrow = (0..<count).map { Self.key(keys, $0, &random) }
    // Every third row is left out.
    let rows = (0..<UInt32(count)).filter { $0 % 3 != 1 }
    let expected = rows.sorted { one, two in
      let (left, right) = (narrow[Int(one)], narrow[Int(two)])
      return left != right ? left < right : one < two
    }
    let sorted = try Sorting.sortNarrow(
      Buffer(narrow), bits: 64, Buffer(rows), rows.count)
    #expect(sorted.array(rows.count) == expected)
    let wide = narrow.map { UInt128($0) << 60 | 5 }
    let merged = try Sorting.mergeSort(Buffer(wide), Buffer(rows), rows.count)
    #expect(merged.array(rows.count) == expected)
  }

  @Test("is right for fewer rows too", arguments: Keys.allCases, [47, 49, 300, 2000, 30_000])
  func fewer(_ keys: Keys, count: Int) throws {
    var random = SplitMix(state: UInt64(count))
    let narrow = (0..<count).map { Self.key(keys, $0, &random) & (1 << 44 - 1) }
    let expected = (0..<UInt32(count)).sorted { one, two in
      let (left, right) = (narrow[Int(one)], narrow[Int(two)])
      return left != right ? left < right : one < two
    }
    let rows = Buffer((0..<UInt32(count)).map { $0 })
    #expect(
      try Sorting.sortNarrow(Buffer(narrow), bits: 44, rows, count).array(count) == expected)
  }

  @Test("finds that rows come in order only where their keys say all of them")
  func alreadyInOrder() throws {
    func order(_ columns: [Vector], descending: Bool = false) throws -> [UInt32]? {
      let orders = columns.map { _ in SortOrder(descending: descending) }
      let count = columns[0].count
      return try Sorting.order(columns: columns, orders: orders, count: count)?.array(count)
    }
    let numbers = (0..<40).map { Int32($0 / 3) }
    let rising = Vector(.integer, Buffer(numbers), count: 40)
    let falling = Vector(.integer, Buffer(Array(numbers.reversed())), count: 40)
    #expect(try order([rising]) == nil)
    #expect(try order([falling], descending: true) == nil)
    #expect(try order([rising, falling]) != nil)
    // Keys hold the first bytes of texts alone, so that equal ones say nothing.
    var builder = VectorBuilder(.text, capacity: 40)
    let start = String(repeating: "x", count: 40)
    for index in 0..<40 { builder.append((index < 20 ? "a" : "b") + start + "\(99 - index)") }
    let texts = builder.finish()
    let sorted = try #require(try order([texts]))
    #expect(sorted == Array((0..<20).reversed()) + Array((20..<40).reversed()))
  }

  @Test(
    "puts exact numbers that are kept as whole ones where their values belong",
    arguments: [true, false])
  func smallDecimals(_ hasNulls: Bool) throws {
    var random = SplitMix(state: 3)
    let count = 3000
    var validity = ValidityMask.allValid
    for row in 0..<count where hasNulls && random.next() % 7 == 0 {
      validity.setNull(row, count: count)
    }
    // What stands below a NULL is not looked at.
    let numbers = (0..<count).map { _ in Int64(random.next() % 400) - 200 }
    let small = Vector(decimals: 2, Buffer(numbers), count: count, validity: validity)
    let wide = Vector(
      .numeric, Buffer(numbers.map { Numeric(coefficient: Int128($0), scale: 2) }), count: count,
      validity: validity)
    let others = Vector(.integer, Buffer((0..<count).map { Int32($0 * 7919 % 50) }), count: count)
    for order in [
      SortOrder(), SortOrder(descending: true), SortOrder(nullsFirst: true),
      SortOrder(descending: true, nullsFirst: false),
    ] {
      for behind in [[], [others]] {
        let orders = [order] + behind.map { _ in SortOrder(descending: true) }
        func sorted(_ column: Vector) throws -> [UInt32] {
          try Sorting.permutation(columns: [column] + behind, orders: orders, count: count)
            .array(count)
        }
        #expect(try sorted(small) == sorted(wide))
        let top = try Sorting.topPermutation(
          columns: [small] + behind, orders: orders, count: count, limit: 500)
        #expect(try top.rows.array(500) == Array(sorted(wide).prefix(500)))
      }
    }
  }
}
