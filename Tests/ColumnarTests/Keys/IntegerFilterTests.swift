import Testing

@testable import Columnar

@Suite("What a join knows of its keys")
struct IntegerFilterTests {
  /// How many numbers, and how far they lie apart.
  struct Spread: Sendable, CustomTestStringConvertible {
    let count: Int
    let span: ClosedRange<Int64>
    let isExact: Bool
    var testDescription: String { "\(count) numbers of \(span)" }
  }
  static let spreads = [
    Spread(count: 1, span: 5...5, isExact: true),
    Spread(count: 100, span: -1000...1000, isExact: true),
    Spread(count: 20_000, span: 0...12_000_000, isExact: true),
    Spread(count: 100, span: 0...12_000_000, isExact: false),
    Spread(count: 3000, span: Int64.min...Int64.max, isExact: false),
  ]

  @Test(
    "lets every number of the set through, no NULL, and no other one if it is exact",
    arguments: spreads)
  func members(_ spread: Spread) throws {
    var generator = SplitMix(state: 1)
    var numbers = [spread.span.lowerBound, spread.span.upperBound]
    for _ in 2..<max(2, spread.count) {
      numbers.append(Int64.random(in: spread.span, using: &generator))
    }
    let keys = Vector(.bigint, numbers.map { Value.int64($0) } + [.null])
    let filter = try #require(try IntegerFilter(keys, count: keys.count))
    #expect(filter.isAlwaysRight == spread.isExact)
    #expect(filter.range == spread.span)
    let set = Set(numbers)
    var asked: [Int64?] = [nil, .min, .max, spread.span.lowerBound, spread.span.upperBound]
    for _ in 0..<2000 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: asked.append(nil)
      case 1: asked.append(numbers.randomElement(using: &generator))
      case 2: asked.append(Int64.random(in: spread.span, using: &generator))
      default: asked.append(Int64.random(in: .min ... .max, using: &generator))
      }
    }
    let column = Vector(.bigint, asked.map { $0.map { Value.int64($0) } ?? .null })
    let some = SelectionVector(
      Buffer(asked.indices.filter { $0 % 3 != 0 }.map { UInt32($0) }), count: asked.count * 2 / 3)
    let present = asked.map { $0 ?? 0 }
    let forms: [(Vector, [Int64?])] = [
      (column, asked),
      (column.gathered(.all(asked.count)), asked),
      (Vector(.bigint, present.map { Value.int64($0) }), present),
    ]
    for (column, values) in forms {
      for candidates in [nil, some] {
        let found = filter.select(column, count: values.count, among: candidates)
        let kept = Set((0..<found.count).map { Int(found.positions[$0]) })
        let rows = candidates.map { c in (0..<c.count).map { Int(c.positions[$0]) } }
        for row in rows ?? Array(values.indices) {
          let isMember = values[row].map { set.contains($0) } ?? false
          if isMember { #expect(kept.contains(row)) }
          if values[row] == nil || filter.isAlwaysRight && !isMember {
            #expect(!kept.contains(row))
          }
        }
        #expect(kept.isSubset(of: rows ?? Array(values.indices)))
        if candidates == nil, let mask = filter.mask(column, count: values.count) {
          #expect(mask.selection.positions.array(found.count) == found.positions.array(found.count))
          #expect(mask.keptCount == found.count)
        }
      }
    }
  }

  @Test("takes columns of every width and leaves other ones alone")
  func widths() throws {
    let keys = Vector(.smallint, [.int16(3), .int16(-7), .null])
    let filter = try #require(try IntegerFilter(keys, count: 3))
    let columns: [Vector] = [
      Vector(.smallint, [.int16(-7), .int16(4), .int16(3)]),
      Vector(.integer, [.int32(-7), .int32(65_539), .int32(3)]),
      Vector(.bigint, [.int64(-7), .int64(1 << 40), .int64(3)]),
    ]
    for column in columns {
      let found = filter.select(column, count: 3)
      #expect(found.positions.array(found.count) == [0, 2])
    }
    #expect(filter.mask(Vector(.boolean, [.boolean(true)]), count: 1) == nil)
    #expect(try IntegerFilter(Vector(.bigint, [.null]), count: 1) == nil)
  }
}
