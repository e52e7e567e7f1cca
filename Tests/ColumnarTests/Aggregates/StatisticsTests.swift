import Diagnostics
import Testing

@testable import Columnar

/// Values, cut in two at each place and merged, must give what they give at once.
@Suite("Aggregates of statistics")
struct StatisticsTests {
  private func text(_ vector: Vector, _ row: Int = 0) -> String? {
    guard vector.isValid(row) else { return nil }
    var output = ByteBuilder()
    TextFormatter().append(row, of: vector, to: &output)
    return output.bytes.string
  }

  private func results(
    _ make: () -> any AggregateAccumulator, _ columns: [Vector], _ count: Int
  ) throws -> [String?] {
    try (0...count).map { cut in
      let parts = [(0, cut), (cut, count - cut)].map { start, length in
        columns.map { $0.slice(from: start, count: length).flattened() }
      }
      let accumulators = [make(), make()]
      for (accumulator, part) in zip(accumulators, parts) {
        accumulator.grow(to: 1)
        try accumulator.update(groups: nil, arguments: part, count: part[0].count)
      }
      try accumulators[0].merge(
        accumulators[1], groups: Buffer<UInt32>(zeroed: 1), count: 1)
      return text(try accumulators[0].results(0..<1))
    }
  }

  private let integers: [Value] = [2, 4, 4, 4, 5, 5, 7, 9].map { .int32($0) }

  @Test(
    "give the exact results of PostgreSQL for whole numbers",
    arguments: [
      (Deviation.populationVariance, "4.0000000000000000"),
      (.sampleVariance, "4.5714285714285714"),
      (.populationDeviation, "2.0000000000000000"),
      (.sampleDeviation, "2.1380899352993951"),
    ])
  func deviations(_ deviation: Deviation, _ expected: String) throws {
    let found = try results(
      { NumericDeviationAccumulator(deviation) }, [Vector(.integer, integers)], 8)
    #expect(Set(found) == [expected])
  }

  @Test("of one value have a population variance only")
  func single() throws {
    let one = [Vector(.integer, [.int32(3)])]
    #expect(try results({ NumericDeviationAccumulator(.populationVariance) }, one, 1)[0] == "0")
    #expect(try results({ NumericDeviationAccumulator(.sampleVariance) }, one, 1)[0] == nil)
  }

  @Test("over pairs find the line through them")
  func regression() throws {
    let x = Vector(.double, [1, 2, 3, 4].map { Value.double($0) })
    let y = Vector(.double, [3, 5, 7, 9].map { Value.double($0) })
    func value(_ output: RegressionAccumulator.Output) throws -> Set<String?> {
      Set(try results({ RegressionAccumulator(output) }, [y, x], 4))
    }
    #expect(try value(.slope) == ["2"])
    #expect(try value(.intercept) == ["1"])
    #expect(try value(.correlation) == ["1"])
    #expect(try value(.count) == ["4"])
    #expect(try value(.populationCovariance) == ["2.5"])
  }

  @Test("in order take a percentile and the mode")
  func orderedSets() throws {
    let values = Vector(.double, [1, 2, 2, 3, 10].map { Value.double($0) })
    func fraction(_ value: Double) -> Vector {
      Vector(.double, Array(repeating: Value.double(value), count: 5))
    }
    func value(_ output: OrderedSetAccumulator.Output, _ part: Double) throws -> Set<String?> {
      Set(
        try results(
          { OrderedSetAccumulator(output, type: .double) },
          output == .mode ? [values] : [fraction(part), values], 5))
    }
    #expect(try value(.continuous, 0.5) == ["2"])
    #expect(try value(.continuous, 0.875) == ["6.5"])
    #expect(try value(.discrete, 0.7) == ["3"])
    #expect(try value(.mode, 0) == ["2"])
  }

  @Test("of small exact numbers are those of any, however many digits stand behind the point")
  func smallScales() throws {
    for scale in [Int16(0), 2, 19, 20, 30] {
      let numbers: [Int64] = [7, -3, 11, 4, 4, 9]
      let small = Vector(decimals: scale, Buffer(numbers), count: numbers.count)
      let wide = Vector(
        .numeric, Buffer(numbers.map { Numeric(coefficient: Int128($0), scale: scale) }),
        count: numbers.count)
      // Another number in front of them has all be summed as any.
      let other = Vector(.numeric, Buffer([Numeric(coefficient: 5, scale: 1)]), count: 1)
      func sums(_ parts: [Vector]) throws -> String? {
        let accumulator = NumericDeviationAccumulator(.populationVariance)
        accumulator.grow(to: 1)
        for part in parts {
          try accumulator.update(groups: nil, arguments: [part], count: part.count)
        }
        return text(try accumulator.results(0..<1))
      }
      #expect(try sums([small]) == sums([wide]), "\(scale)")
      #expect(try sums([small, other]) == sums([wide, other]), "\(scale)")
      #expect(try sums([other, small]) == sums([other, wide]), "\(scale)")
    }
  }
}
