import Testing

@testable import Columnar

@Suite("Rows by packed keys")
struct PackedRowsTests {
  /// The rows in order, where those of each key start, and the keys.
  private func arranged(
    _ columns: [Vector], _ count: Int, names: Buffer<UInt32>? = nil
  ) throws -> (keys: JointKeys, order: [UInt32], offsets: [UInt32])? {
    guard let rows = try PackedRows(columns, count: count, names: names) else { return nil }
    for slice in 0..<rows.sliceCount { try rows.pack(slice: slice) }
    rows.layOut()
    // Pieces may be done in any order.
    for slice in (0..<rows.sliceCount).reversed() { try rows.distribute(slice: slice) }
    for partition in (0..<rows.partitionCount).reversed() { try rows.arrange(partition: partition) }
    let keyCount = rows.numberPartitions()
    let numbered = Buffer<UInt64>(uninitialized: keyCount + 1)
    let offsets = Buffer<UInt32>(uninitialized: keyCount + 1)
    for partition in 0..<rows.partitionCount {
      try rows.number(partition: partition, keys: numbered, offsets: offsets)
    }
    return (
      rows.numbers(numbered, count: keyCount), rows.order.array(count),
      offsets.array(keyCount) + [UInt32(count)]
    )
  }

  private struct Pair: Hashable {
    var one: Int64?
    var two: Int64?
  }

  private func columns(_ pairs: [Pair]) -> [Vector] {
    [
      Vector(.bigint, pairs.map { $0.one.map { .int64($0) } ?? .null }),
      Vector(.integer, pairs.map { $0.two.map { .int32(Int32($0)) } ?? .null }),
    ]
  }

  @Test(
    "stand together, in the order they had, and are found",
    arguments: [
      (1, 1), (7, 3), (400, 1000), (5000, 40), (20_000, 300), (70_000, 1 << 40), (150_000, 2),
    ] as [(Int, Int64)])
  func lookUp(_ count: Int, _ span: Int64) throws {
    var generator = SplitMix(state: 7)
    func random() -> Pair {
      Pair(
        one: Int.random(in: 0..<50, using: &generator) == 0
          ? nil : Int64.random(in: -span...span, using: &generator),
        two: Int.random(in: 0..<50, using: &generator) == 0
          ? nil : Int64.random(in: -3...3, using: &generator))
    }
    let pairs = (0..<count).map { _ in random() }
    let (keys, order, offsets) = try #require(try arranged(columns(pairs), count))
    var rows: [Pair: [UInt32]] = [:]
    for (row, pair) in pairs.enumerated() { rows[pair, default: []].append(UInt32(row)) }
    #expect(keys.count == rows.count)
    let asked =
      pairs + (0..<500).map { _ in random() } + [Pair(one: .max, two: 0), Pair(one: .min)]
    let found = try keys.numbers(of: columns(asked), count: asked.count)
    for (index, pair) in asked.enumerated() {
      let number = Int(found[index])
      let own =
        number < keys.count ? Array(order[Int(offsets[number])..<Int(offsets[number + 1])]) : []
      if own != rows[pair] ?? [] {
        Issue.record("\(pair) has rows \(own) instead of \(rows[pair] ?? [])")
        return
      }
    }
  }

  @Test("have the names that they are given")
  func names() throws {
    let pairs = [Pair(one: 4, two: 1), Pair(one: 2, two: 1), Pair(one: 4, two: 1)]
    let names = Buffer<UInt32>(uninitialized: 3)
    for row in 0..<3 { names[row] = UInt32(10 * row + 5) }
    let (keys, order, offsets) = try #require(try arranged(columns(pairs), 3, names: names))
    let number = Int(try keys.numbers(of: columns([pairs[0]]), count: 1)[0])
    #expect(order[Int(offsets[number])..<Int(offsets[number + 1])] == [5, 25])
  }

  @Test("are of exact numbers with equally many digits, which others are found by that are equal")
  func decimals() throws {
    let prices = [150, -200, 150, 725].map { Numeric(coefficient: $0, scale: 2) }
    let kinds = Vector(.integer, [.int32(1), .int32(1), .int32(1), .null])
    let keys = [Vector(.numeric, prices.map { .numeric($0) }), kinds]
    let (found, order, offsets) = try #require(try arranged(keys, 4))
    #expect(found.count == 3)
    let asked = [(15, 1), (-2, 0), (1500, 3), (7250, 3), (7251, 3), (149, 2)].map {
      Numeric(coefficient: $0, scale: $1)
    }
    let numbers = try found.numbers(
      of: [
        Vector(.numeric, asked.map { .numeric($0) }),
        Vector(.integer, [.int32(1), .int32(1), .int32(1), .null, .null, .int32(1)]),
      ], count: 6)
    func rows(_ index: Int) -> [UInt32] {
      let number = Int(numbers[index])
      return number < 3 ? Array(order[Int(offsets[number])..<Int(offsets[number + 1])]) : []
    }
    #expect((0..<6).map(rows) == [[0, 2], [1], [0, 2], [3], [], []])
    let mixed = [Numeric(coefficient: 15, scale: 1), Numeric(coefficient: 125, scale: 2)]
    #expect(try arranged([Vector(.numeric, mixed.map { .numeric($0) })], 2) == nil)
  }

  @Test("are of whole numbers that fit together, of any width")
  func widths() throws {
    let far = Vector(.bigint, [.int64(.min / 64), .int64(.max / 64)])
    #expect(try arranged([far, far], 2) == nil)
    #expect(try arranged([Vector(.double, [.double(1)])], 1) == nil)
    #expect(try arranged([], 0) == nil)
    #expect(try arranged([Vector(.double, []), Vector(.integer, [])], 0) == nil)
    let narrow = Vector(.smallint, [.int16(-2), .int16(9)])
    let (keys, _, _) = try #require(try arranged([far, narrow], 2))
    let asked = [
      Vector(.bigint, [.int64(.max / 64), .int64(.max / 64), .int64(.max)]),
      Vector(.bigint, [.int64(9), .int64(9 + 1 << 32), .int64(9)]),
    ]
    let found = try keys.numbers(of: asked, count: 3)
    #expect(found[0] < 2)
    #expect(found.array(3)[1...] == [.max, .max])
  }
}
