import Diagnostics
import Testing

@testable import Columnar

@Suite("Small exact numbers in as few bytes as they need")
struct DecimalFormTests {
  /// Numbers of so many bits, some NULL, in the narrowest form and as wide ones.
  private static func columns(
    bits: Int, _ count: Int, _ random: inout SplitMix
  ) throws -> (narrow: Vector, wide: Vector) {
    let span = Int64(1) << Int64(bits - 1)
    var values: [Value] = [
      .numeric(Numeric(coefficient: Int128(span - 1), scale: 2)),
      .numeric(Numeric(coefficient: Int128(-span), scale: 2)), .null,
    ]
    while values.count < count {
      let number = Int64(truncatingIfNeeded: random.next()) % span
      values.append(
        random.next() % 9 == 0 ? .null : .numeric(Numeric(coefficient: Int128(number), scale: 2)))
    }
    let wide = Vector(.numeric, values)
    return (try #require(wide.narrowed(count: count)).narrowest(), wide)
  }

  private static func texts(_ vector: Vector) -> [String] {
    (0..<vector.count).map { "\(vector.value(at: $0))" }
  }

  private static let widths: [(Int, DecimalForm.Width)] = [
    (6, .two), (16, .two), (17, .four), (32, .four), (33, .eight), (60, .eight),
  ]

  @Test("are moved and put together as others are", arguments: widths)
  func moves(_ bits: Int, _ width: DecimalForm.Width) throws {
    var random = SplitMix(state: UInt64(bits))
    let count = 500
    let (narrow, wide) = try Self.columns(bits: bits, count, &random)
    #expect(narrow.digits == DecimalForm(scale: 2, width: width))
    #expect(Self.texts(narrow) == Self.texts(wide))
    let rows = Buffer((0..<700).map { _ in UInt32(random.next() % UInt64(count)) })
    let (some, expected) = (
      narrow.gathered(rows, count: 700), wide.gathered(rows, count: 700)
    )
    #expect(Self.texts(some) == Self.texts(expected))
    #expect(Self.texts(some.compactFlattened()) == Self.texts(expected))
    #expect(some.compactFlattened().digits == narrow.digits)
    #expect(Self.texts(some.flattened()) == Self.texts(expected))
    #expect(Self.texts(some.slice(from: 13, count: 90)) == Array(Self.texts(expected)[13..<103]))
    #expect(Self.texts(narrow.scaledNumbers) == Self.texts(some: narrow))
    for (other, _) in Self.widths {
      let (more, wideMore) = try Self.columns(bits: other, 40, &random)
      let joined = Vector.concatenate([some, more, narrow], type: .numeric)
      #expect(joined.decimals == 2)
      #expect(
        Self.texts(joined) == Self.texts(expected) + Self.texts(wideMore) + Self.texts(wide))
    }
    let constant = Vector(
      type: .numeric, count: 5, form: .constant, storage: narrow.storage,
      validity: narrow.validity, digits: narrow.digits)
    #expect(Self.texts(constant.flattened()) == Array(repeating: Self.texts(wide)[0], count: 5))
  }

  /// The whole numbers of a vector, spelled as those of its scaled form.
  private static func texts(some vector: Vector) -> [String] {
    let values = vector.scaledValues
    return (0..<vector.count).map { row in
      guard vector.isValid(row) else { return "\(Value.null)" }
      return switch vector.digits?.width {
      case .two: "\(Value.int16(Int16(values[row])))"
      case .four: "\(Value.int32(Int32(values[row])))"
      case .eight, nil: "\(Value.int64(values[row]))"
      }
    }
  }

  @Test("are compared as others are, with numbers in and out of their range", arguments: widths)
  func comparisons(_ bits: Int, _ width: DecimalForm.Width) throws {
    var random = SplitMix(state: UInt64(bits) &+ 50)
    let count = 300
    let (narrow, wide) = try Self.columns(bits: bits, count, &random)
    let constants = [
      Numeric(coefficient: 12345, scale: 3), Numeric(coefficient: 40_000, scale: 2),
      Numeric(coefficient: -40_000, scale: 2), Numeric(coefficient: 1 << 40, scale: 0),
      Numeric(coefficient: -1 << 90, scale: 4), wide.numeric(at: 0), wide.numeric(at: 1),
    ]
    let rows = SelectionVector(Buffer((0..<count / 2).map { UInt32($0 * 2) }), count: count / 2)
    for comparison in [Comparison.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
    {
      func check(_ right: Vector, _ wideRight: Vector) {
        let expected = Comparisons.compare(comparison, wide, wideRight, count: count)
        #expect(
          Self.texts(Comparisons.compare(comparison, narrow, right, count: count))
            == Self.texts(expected))
        let kept = SelectionVector(whereTrue: expected)
        let found = Filtering.select(comparison, narrow, right, count: count)
        #expect(found.positions.array(found.count) == kept.positions.array(kept.count))
        let some = Filtering.select(comparison, narrow, right, count: count, among: rows)
        #expect(
          some.positions.array(some.count)
            == kept.positions.array(kept.count).filter { $0 % 2 == 0 })
      }
      for constant in constants {
        let value = Vector(constant: .numeric(constant), type: .numeric, count: count)
        check(value, value)
      }
      for (other, _) in Self.widths {
        let (right, wideRight) = try Self.columns(bits: other, count, &random)
        check(right, wideRight)
      }
    }
    let (low, high) = (constants[2], constants[1])
    let mask = Filtering.mask(
      narrow, above: (.greater, Vector(constant: .numeric(low), type: .numeric, count: count)),
      below: (.lessOrEqual, Vector(constant: .numeric(high), type: .numeric, count: count)),
      count: count)
    let between = (0..<count).filter {
      wide.isValid($0) && ValueOrder.compare(wide.numeric(at: $0), low) > 0
        && ValueOrder.compare(wide.numeric(at: $0), high) <= 0
    }
    let found = try #require(mask).selection
    #expect(found.positions.array(found.count).map { Int($0) } == between)
  }

  @Test("are compared with numbers of other digits behind the point", arguments: widths)
  func scales(_ bits: Int, _ width: DecimalForm.Width) throws {
    var random = SplitMix(state: UInt64(bits) &+ 250)
    let count = 300
    let (narrow, wide) = try Self.columns(bits: bits, count, &random)
    for scale in [0, 1, 5, 18, 30] as [Int16] {
      let other = Vector(
        .numeric,
        (0..<count).map { row in
          let number = Int128(Int64(truncatingIfNeeded: random.next()) >> (row % 60))
          return row % 17 == 3 ? .null : .numeric(Numeric(coefficient: number, scale: scale))
        })
      let small = try #require(other.narrowed(count: count)).narrowest()
      for comparison in [Comparison.equal, .less, .greaterOrEqual, .notEqual] {
        let expected = Comparisons.compare(comparison, wide, other, count: count)
        let found = Comparisons.compare(comparison, narrow, small, count: count)
        #expect(Self.texts(found) == Self.texts(expected))
        let kept = Filtering.select(comparison, small, narrow, count: count)
        let wanted = SelectionVector(
          whereTrue: Comparisons.compare(comparison, other, wide, count: count))
        #expect(kept.positions.array(kept.count) == wanted.positions.array(wanted.count))
      }
    }
  }

  @Test("are dealt out and brought together with wider ones", arguments: 0..<6)
  func chunks(_ seed: Int) throws {
    var random = SplitMix(state: UInt64(seed) &+ 90)
    let partitioner = ChunkPartitioner(count: 3)
    var compactor = ChunkCompactor()
    var expected: [[String]] = [[], [], []]
    var compacted: [String] = []
    for _ in 0..<12 {
      let bits = Self.widths[Int(random.next() % UInt64(seed == 0 ? 2 : 6))].0
      let (narrow, wide) = try Self.columns(bits: bits, 100, &random)
      let partitions = Buffer((0..<100).map { _ in UInt8(random.next() % 3) })
      partitioner.add(DataChunk([narrow], count: 100), to: partitions)
      for (row, text) in Self.texts(wide).enumerated() {
        expected[Int(partitions[row])].append(text)
      }
      if compactor.add(DataChunk([narrow], count: 100)) { compacted += Self.texts(wide) }
    }
    for partition in 0..<3 {
      let found = partitioner.takeChunks(of: partition).flatMap { Self.texts($0.columns[0]) }
      #expect(found == expected[partition])
    }
    #expect(Self.texts(compactor.take().columns[0]) == compacted)
  }

  @Test("are added up and deviate as others do", arguments: widths)
  func aggregates(_ bits: Int, _ width: DecimalForm.Width) throws {
    var random = SplitMix(state: UInt64(bits) &+ 150)
    let count = 400
    let (narrow, wide) = try Self.columns(bits: bits, count, &random)
    let groups = Buffer((0..<count).map { _ in UInt32(random.next() % 5) })
    func results(_ make: () -> any AggregateAccumulator, _ vector: Vector) throws -> [String] {
      let (grouped, whole) = (make(), make())
      grouped.grow(to: 5)
      whole.grow(to: 1)
      try grouped.update(groups: groups, arguments: [vector], count: count)
      try whole.update(groups: nil, arguments: [vector], count: count)
      return Self.texts(try grouped.results(0..<5)) + Self.texts(try whole.results(0..<1))
    }
    let kinds: [() -> any AggregateAccumulator] = [
      { NumericSumAccumulator(isAverage: false) }, { NumericSumAccumulator(isAverage: true) },
      { ExtremeAccumulator(type: .numeric, isMaximum: true) },
      { ExtremeAccumulator(type: .numeric, isMaximum: false) },
    ]
    for kind in kinds { #expect(try results(kind, narrow) == results(kind, wide)) }
  }
}
