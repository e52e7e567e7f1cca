import Testing

@testable import Columnar

@Suite("Comparisons of pairs where they are enumerated")
struct PairTestTests {
  private static let comparisons: [Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  @Test(
    "find the pairs that a loop over all finds, in parts", arguments: comparisons, [false, true])
  func pairs(_ comparison: Comparison, isExact: Bool) throws {
    var generator = SystemRandomNumberGenerator()
    for round in 0..<40 {
      let areSingle = round % 2 == 1
      let (lefts, rights) = (Int.random(in: 1...90, using: &generator), 300)
      let left = isExact ? Self.small(lefts, &generator) : Self.numbers(lefts, &generator)
      let right = isExact ? Self.exact(rights, &generator) : Self.numbers(rights, &generator)
      let own = try #require(try WholeNumbers(left))
      let others = try #require(try PairNumbers(right))
      let test = try #require(PairTest(comparison, own, others))
      let (starts, ends) = (
        Buffer<UInt32>(uninitialized: lefts), Buffer<UInt32>(uninitialized: lefts)
      )
      let order: Buffer<UInt32>? =
        round % 4 < 2 ? nil : Buffer((0..<UInt32(rights)).shuffled(using: &generator))
      let skipping: Buffer<UInt8>? =
        round % 8 < 4
        ? nil : Buffer((0..<lefts).map { _ in UInt8.random(in: 0...1, using: &generator) })
      var expected: [[UInt32]] = []
      for row in 0..<lefts {
        let start = Int.random(in: 0...rights, using: &generator)
        let most = areSingle ? min(start + 1, rights) : rights
        let end = Int.random(in: start...most, using: &generator)
        (starts[row], ends[row]) = (UInt32(start), UInt32(end))
        guard left.isValid(row), skipping.map({ $0[row] == 0 }) ?? true else { continue }
        for other in (start..<end).map({ place in order.map { Int($0[place]) } ?? place })
        where right.isValid(other) {
          if comparison.holds(ValueOrder.compare(left, row, right, other)) {
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
          from: &position, rowCount: lefts, starts: starts, ends: ends, order: order,
          areSingle: areSingle, skipping: skipping, into: rows, partners, &count,
          capacity: capacity)
        #expect(test.keep(rows, partners, from: 0, to: count) == count)
        for pair in 0..<count { found.append([rows[pair], partners[pair]]) }
      }
      #expect(found == expected)
    }
  }

  /// Which of all pairs a test keeps; nil where it is not made.
  private static func kept(
    _ comparison: Comparison, _ left: Vector, _ right: Vector
  ) throws -> [[Int]]? {
    let own = try #require(try WholeNumbers(left))
    guard let test = PairTest(comparison, own, try #require(try PairNumbers(right))) else {
      return nil
    }
    let pairs = (0..<left.count).flatMap { row in (0..<right.count).map { [row, $0] } }
    let rows = Buffer(pairs.map { UInt32($0[0]) })
    let partners = Buffer(pairs.map { UInt32($0[1]) })
    let count = test.keep(rows, partners, from: 0, to: pairs.count)
    return (0..<count).map { [Int(rows[$0]), Int(partners[$0])] }
  }

  @Test("are made between exact numbers with points in different places", arguments: comparisons)
  func decimals(_ comparison: Comparison) throws {
    let tenths = Vector(decimals: 1, Buffer<Int64>([-15, 0, 12, 25, 1000]), count: 5)
    let fine = Vector(
      decimals: 16,
      Buffer<Int64>([-15_000_000_000_000_000, 12_000_000_000_000_000, 25_000_000_000_000_001]),
      count: 3)
    for (left, right) in [(tenths, fine), (fine, tenths)] {
      var expected: [[Int]] = []
      for row in 0..<left.count {
        for other in 0..<right.count
        where comparison.holds(ValueOrder.compare(left.flattened(), row, right.flattened(), other))
        {
          expected.append([row, other])
        }
      }
      #expect(try Self.kept(comparison, left, right) == expected)
    }
  }

  @Test("are not made between exact numbers that would be too long in one unit")
  func longDecimals() throws {
    let long = Vector(decimals: 1, Buffer<Int64>([Int64.max / 100, 1]), count: 2)
    let fine = Vector(decimals: 4, Buffer<Int64>([1, 2]), count: 2)
    #expect(try Self.kept(.less, long, fine) == nil)
    #expect(try Self.kept(.less, fine, long) == nil)
    #expect(try Self.kept(.equal, long, long) == [[0, 0], [1, 1]])
    // Many of fewer digits are not brought into another unit for each chunk.
    let count = Vector.chunkCapacity + 1
    let many = Vector(decimals: 1, Buffer<Int64>(zeroed: count), count: count)
    #expect(try Self.kept(.less, fine, many) == nil)
  }

  @Test("are not made with numbers that are not finite, or of fewer digits")
  func others() throws {
    let own = try #require(
      try WholeNumbers(Vector(decimals: 2, Buffer<Int64>([1, 2]), count: 2)))
    func numbers(_ values: [Numeric]) throws -> PairNumbers? {
      try PairNumbers(Vector(.numeric, values.map { .numeric($0) }))
    }
    #expect(try numbers([.one, .nan]) == nil)
    let (few, many) = (
      Numeric(coefficient: 7, scale: 1), Numeric(coefficient: Int128.max, scale: 20)
    )
    #expect(PairTest(.less, own, try #require(try numbers([few, many]))) == nil)
    #expect(PairTest(.less, own, try #require(try numbers([many]))) != nil)
    let far = try #require(try numbers([Numeric(coefficient: 1, scale: 30)]))
    #expect(PairTest(.less, own, far) != nil)
    let long = try #require(
      try WholeNumbers(Vector(decimals: 2, Buffer<Int64>([1, Int64.max]), count: 2)))
    #expect(PairTest(.less, long, far) == nil)
    let farther = Numeric(coefficient: 1, scale: 41)
    #expect(PairTest(.less, own, try #require(try numbers([farther]))) == nil)
  }

  /// Exact numbers of one digit behind the point, in the small form.
  private static func small(
    _ count: Int, _ generator: inout SystemRandomNumberGenerator
  ) -> Vector {
    let values = Buffer((0..<count).map { _ in Int64.random(in: -40...40, using: &generator) })
    var validity = ValidityMask.writable(count: count)
    for row in 0..<count where values[row] == 7 { validity.setNull(row, count: count) }
    return Vector(decimals: 1, values, count: count, validity: validity)
  }

  /// Exact numbers of many different digits, some of which are those of the small ones.
  private static func exact(
    _ count: Int, _ generator: inout SystemRandomNumberGenerator
  ) -> Vector {
    var builder = VectorBuilder(.numeric, capacity: count)
    for _ in 0..<count {
      let tenths = Int128.random(in: -40...40, using: &generator)
      let scale = Int16.random(in: 1...29, using: &generator)
      let power = DecimalPowers.table[Int(scale) - 1]
      let rest = Bool.random(using: &generator) ? 0 : Int128.random(in: -1...1, using: &generator)
      let number = Numeric(coefficient: tenths * power + rest, scale: scale)
      builder.append(tenths == 9 ? .null : .numeric(number))
    }
    return builder.finish()
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
