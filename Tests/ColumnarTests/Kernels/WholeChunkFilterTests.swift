import Testing

@testable import Columnar

@Suite("Filters of whole chunks keep what comparing row by row does")
struct WholeChunkFilterTests {
  private static let comparisons: [Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]
  private static let types: [LogicalType] = [
    .boolean, .smallint, .integer, .bigint, .date, .real, .double, .numeric,
  ]

  /// A value of few different ones, so that many are equal; the ends of the type among them.
  private static func value(_ type: LogicalType, _ generator: inout SplitMix)
    -> Value
  {
    let small = Int.random(in: -3...3, using: &generator)
    let isEnd = Int.random(in: 0..<12, using: &generator) == 0
    switch type.physical {
    case .bool: return .boolean(small > 0)
    case .int16: return .int16(isEnd ? (small > 0 ? .max : .min) : Int16(small))
    case .int32: return .int32(isEnd ? (small > 0 ? .max : .min) : Int32(small))
    case .int64: return .int64(isEnd ? (small > 0 ? .max : .min) : Int64(small))
    case .float: return .float(isEnd ? .nan : Float(small))
    case .double: return .double(isEnd ? .nan : Double(small))
    case .numeric, .interval, .uuid, .text, .list, .record:
      return .numeric(Numeric(coefficient: Int128(small * 10 + (isEnd ? 1 : 0)), scale: 1))
    }
  }

  private static func column(
    _ type: LogicalType, _ count: Int, nulls: Bool, _ generator: inout SplitMix
  ) -> Vector {
    var values: [Value] = []
    for _ in 0..<count {
      let isNull = nulls && Int.random(in: 0..<5, using: &generator) == 0
      values.append(isNull ? .null : value(type, &generator))
    }
    let vector = Vector(type, values)
    return type == .numeric ? vector.narrowed(count: count) ?? vector : vector
  }

  private static func rows(_ truth: Vector) -> [UInt32] {
    (0..<truth.count).filter {
      if case .boolean(true) = truth.value(at: $0) { true } else { false }
    }.map { UInt32($0) }
  }

  @Test("of two columns", arguments: types)
  func pairs(_ type: LogicalType) throws {
    var generator = SplitMix(state: 1)
    for count in [1, 63, 64, 65, 1000] {
      for nulls in [false, true] {
        let left = Self.column(type, count, nulls: nulls, &generator)
        let right = Self.column(type, count, nulls: nulls, &generator)
        // Exact numbers of two scales are left to others: a column of one row may have either.
        if left.decimals != right.decimals { continue }
        for comparison in Self.comparisons {
          let mask = try #require(Filtering.mask(comparison, left, right, count: count))
          let expected = Self.rows(Comparisons.compare(comparison, left, right, count: count))
          #expect(mask.keptCount == expected.count)
          #expect(mask.selection.positions.array(expected.count) == expected)
        }
      }
    }
  }

  @Test("of a range", arguments: types)
  func ranges(_ type: LogicalType) throws {
    var generator = SplitMix(state: 2)
    let isWhole = ![.bool, .float, .double].contains(type.physical)
    for round in 0..<40 {
      let count = [1, 64, 500][round % 3]
      let column = Self.column(type, count, nulls: round % 2 == 0, &generator)
      let low = Vector(constant: Self.value(type, &generator), type: type, count: count)
      let high = Vector(constant: Self.value(type, &generator), type: type, count: count)
      for (above, below) in [
        (Comparison.greater, Comparison.less), (.greaterOrEqual, .less),
        (.greater, .lessOrEqual), (.greaterOrEqual, .lessOrEqual),
      ] {
        let mask = Filtering.mask(column, above: (above, low), below: (below, high), count: count)
        // A bound that lets nothing through is no range.
        guard let mask else { continue }
        #expect(isWhole)
        let first = Set(Self.rows(Comparisons.compare(above, column, low, count: count)))
        let second = Self.rows(Comparisons.compare(below, column, high, count: count))
        let expected = second.filter { first.contains($0) }
        #expect(mask.selection.positions.array(mask.keptCount) == expected)
      }
    }
    let one = Self.column(type, 10, nulls: false, &generator)
    let null = Vector.null(type, count: 10)
    #expect(Filtering.mask(one, above: (.greater, null), below: (.less, null), count: 10) == nil)
  }

  @Test("of exact numbers between bounds with more digits than theirs")
  func exactBounds() throws {
    let column = Vector(decimals: 1, Buffer<Int64>([-11, -10, 0, 4, 5, 6]), count: 6)
    func bound(_ hundredths: Int) -> Vector {
      Vector(
        constant: .numeric(Numeric(coefficient: Int128(hundredths), scale: 2)), type: .numeric,
        count: 6)
    }
    let mask = try #require(
      Filtering.mask(
        column, above: (.greaterOrEqual, bound(-105)), below: (.less, bound(55)), count: 6))
    #expect(mask.selection.positions.array(mask.keptCount) == [1, 2, 3, 4])
  }
}
