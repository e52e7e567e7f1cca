import Testing

@testable import Columnar

@Suite("Exact numbers in their small form")
struct DecimalTests {
  /// Numbers of one scale, some of them near the ends of 64 bits, some NULL.
  private func column(_ scale: Int16, _ count: Int, _ random: inout SplitMix) -> Vector {
    let values = (0..<count).map { _ -> Value in
      let number = Int64(bitPattern: random.next())
      switch random.next() % 8 {
      case 0: return .null
      case 1: return .numeric(Numeric(coefficient: Int128(number), scale: scale))
      default: return .numeric(Numeric(coefficient: Int128(number % 100_000), scale: scale))
      }
    }
    return Vector(.numeric, values)
  }

  private func texts(_ vector: Vector, _ count: Int) -> [String] {
    (0..<count).map { "\(vector.value(at: $0))" }
  }

  @Test("they compute as the long form does", arguments: [0, 1, 2, 3, 4, 5] as [UInt64])
  func arithmetic(_ seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let count = 300
    let context = EvaluationContext(transactionTime: 0, statementTime: 0)
    for (scaleA, scaleB) in [(2, 2), (2, 0), (0, 9), (18, 3)] as [(Int16, Int16)] {
      let a = column(scaleA, count, &random)
      let b = column(scaleB, count, &random)
      let smallA = try #require(a.narrowed(count: count))
      let smallB = try #require(b.narrowed(count: count))
      #expect(texts(smallA, count) == texts(a, count))
      let pairs: [(DecimalArithmetic.Operation, NumericArithmetic.Operation)] = [
        (.add, .add), (.subtract, .subtract), (.multiply, .multiply),
      ]
      for (small, long) in pairs {
        guard let result = DecimalArithmetic.combine(small, smallA, smallB, count: count) else {
          continue
        }
        let expected = try NumericArithmetic.kernel(long)([a, b], count, context)
        #expect(texts(result, count) == texts(expected, count))
      }
      for comparison in [Comparison.equal, .less, .lessOrEqual, .greater, .notEqual] {
        let constant = Vector(constant: b.value(at: 0), type: .numeric, count: count)
        let expected = SelectionVector(
          whereTrue: Comparisons.compare(comparison, a, constant, count: count))
        let found = Filtering.select(comparison, smallA, constant, count: count)
        #expect(
          found.positions.array(found.count) == expected.positions.array(expected.count))
      }
    }
  }

  @Test(
    "they are rounded and turned round as the long form is", arguments: [0, 1, 2, 5, 18] as [Int16])
  func unary(_ scale: Int16) throws {
    var random = SplitMix(state: UInt64(scale) + 9)
    let count = 300
    let context = EvaluationContext(transactionTime: 0, statementTime: 0)
    let halves = [-15, -5, -1, 0, 1, 5, 15, 25].map { (number: Int128) in
      Value.numeric(Numeric(coefficient: number, scale: scale))
    }
    for long in [column(scale, count, &random), Vector(.numeric, halves)] {
      let rows = long.count
      let small = try #require(long.narrowed(count: rows))
      let operations: [NumericArithmetic.UnaryOperation] = [
        .negate, .absolute, .sign, .ceiling, .floor, .round, .truncate,
      ]
      for operation in operations {
        let result = try #require(DecimalArithmetic.apply(operation, small))
        let expected = try NumericArithmetic.kernel(operation)([long], rows, context)
        #expect(texts(result, rows) == texts(expected, rows), "\(operation)")
      }
    }
    let least = Vector(decimals: scale, Buffer(repeating: Int64.min, count: 1), count: 1)
    #expect(DecimalArithmetic.apply(.negate, least) == nil)
  }

  @Test("numbers that do not fit stay as they are")
  func misfits() {
    let large = Numeric(coefficient: Int128(Int64.max) + 1, scale: 2)
    #expect(Vector(.numeric, [.numeric(large)]).narrowed(count: 1) == nil)
    #expect(Vector(.numeric, [.numeric(.nan)]).narrowed(count: 1) == nil)
    let mixed: [Value] = [
      .numeric(Numeric(coefficient: 10, scale: 1)), .numeric(Numeric(coefficient: 1, scale: 0)),
    ]
    #expect(Vector(.numeric, mixed).narrowed(count: 2) == nil)
  }

  @Test("small chunks come together in order, with their NULLs")
  func compaction() {
    var random = SplitMix(state: 3)
    var compactor = ChunkCompactor()
    var expected: [String] = []
    for size in [3, 1, 7, 20] {
      let numbers = column(2, size, &random)
      let chunk = DataChunk(
        [numbers, Vector(.text, (0..<size).map { Value.string("a text of row \($0)") })],
        count: size)
      let isTaken = compactor.add(chunk)
      #expect(isTaken)
      expected += texts(chunk.columns[0], size) + texts(chunk.columns[1], size)
    }
    let whole = compactor.take()
    #expect(whole.count == 31)
    let found = texts(whole.columns[0], 31) + texts(whole.columns[1], 31)
    #expect(found.sorted() == expected.sorted())
    #expect(compactor.isEmpty)
  }
}
