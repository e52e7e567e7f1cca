import Testing

@testable import Columnar

@Suite("Estimates of exact numbers")
struct EstimatedNumbersTests {
  /// Numbers of all magnitudes, some alike in their first fifteen digits.
  private static func numbers(_ seed: UInt64) -> [Numeric?] {
    var generator = SplitMix(state: seed)
    return (0..<400).map { _ in
      let digits = Int128(truncatingIfNeeded: generator.next())
      switch generator.next() % 12 {
      case 0: return nil
      case 1: return Numeric(coefficient: 0, scale: 2)
      case 2: return Numeric(coefficient: digits % 3 - 1, scale: 0)
      case 3: return Numeric(coefficient: digits &* 0xFFFF_FFFF_FFFF, scale: 20)
      case 4: return Numeric(coefficient: digits &* digits, scale: 30)
      case 5: return Numeric(coefficient: 1_000_000_000_000_000_000 + digits % 3, scale: 18)
      case 6: return generator.next() % 3 == 0 ? .nan : .positiveInfinity
      case 7: return Numeric(coefficient: digits % 1000, scale: 37)
      default: return Numeric(coefficient: digits % 100_000, scale: 4)
      }
    }
  }

  private static func column(_ numbers: [Numeric?]) -> Vector {
    Vector(.numeric, numbers.map { $0.map { .numeric($0) } ?? .null })
  }

  typealias Step = (
    exact: @Sendable (Numeric, Numeric) throws -> Numeric,
    estimated: @Sendable (EstimatedNumbers, EstimatedNumbers) -> EstimatedNumbers
  )

  static let steps: [Step] = [
    ({ try Numeric.add($0, $1) }, { $0.adding($1) }),
    ({ try Numeric.subtract($0, $1) }, { $0.subtracting($1) }),
    ({ try Numeric.multiply($0, $1) }, { $0.multiplied(by: $1) }),
    ({ try Numeric.divide($0, $1) }, { $0.divided(by: $1) }),
    ({ try Numeric.add(Numeric.negate($0), $1) }, { $0.negated.adding($1) }),
    (
      { try Numeric.divide(Numeric.add($0, $1), Numeric.subtract($0, $1)) },
      { $0.adding($1).divided(by: $0.subtracting($1)) }
    ),
    (
      { try Numeric.multiply(Numeric.divide($0, $1), Numeric.divide($1, $0)) },
      { $0.divided(by: $1).multiplied(by: $1.divided(by: $0)) }
    ),
  ]

  @Test(
    "rule out no row that is not behind the bound, nor one that cannot be computed",
    arguments: steps.indices, [1, 2, 3] as [UInt64])
  func kept(place: Int, seed: UInt64) throws {
    let (left, right) = (Self.numbers(seed), Self.numbers(seed + 100))
    let step = Self.steps[place]
    let estimates = step.estimated(
      try #require(EstimatedNumbers(Self.column(left))),
      try #require(EstimatedNumbers(Self.column(right))))
    // Double optional: nil where it fails.
    let exact: [Numeric??] = zip(left, right).map { left, right in
      guard let left, let right else { return .some(nil) }
      return (try? step.exact(left, right)).map { .some($0) }
    }
    let known = exact.indices.filter { (exact[$0] ?? nil)?.isNaN == false }
    var ruledOut = 0
    for bound in known.prefix(60) {
      let value = try #require(exact[bound] ?? nil)
      for descending in [false, true] {
        let kept = estimates.rowsNotBehind(value.double, descending: descending)
        let rows = Set((0..<kept.count).map { Int(kept.positions[$0]) })
        ruledOut += exact.count - rows.count
        for row in exact.indices where !rows.contains(row) {
          guard let found = exact[row], let found else {
            Issue.record("a row without a number is ruled out: \(row)")
            continue
          }
          #expect(descending ? found < value : found > value, "\(found) by \(value)")
        }
      }
    }
    #expect(ruledOut > 1000)
  }

  @Test("of whole and small numbers are as those of any others", arguments: [0, 1, 5])
  func forms(scale: Int16) throws {
    let wholes = [0, 1, -1, 99, -32_768, 32_767, 12_345]
    let exact = wholes.map { Numeric(coefficient: Int128($0), scale: scale) }
    let wide = Self.column(exact)
    var columns = [wide, try #require(wide.narrowed(count: exact.count))]
    columns.append(columns[1].narrowest())
    if scale == 0 {
      columns.append(Vector(.smallint, wholes.map { .int16(Int16($0)) }))
      columns.append(Vector(.integer, wholes.map { .int32(Int32($0)) }))
      columns.append(Vector(.bigint, wholes.map { .int64(Int64($0)) }))
    }
    for column in columns {
      let estimates = try #require(EstimatedNumbers(column))
      for bound in exact {
        let kept = estimates.rowsNotBehind(bound.double, descending: true)
        let rows = (0..<kept.count).map { Int(kept.positions[$0]) }
        #expect(rows == exact.indices.filter { exact[$0] >= bound })
      }
    }
    #expect(EstimatedNumbers(Vector(.text, [.null])) == nil)
  }

  @Test("know nothing of numbers too great to be computed for certain")
  func extremes() throws {
    let great = Numeric(coefficient: 1_000_000_000_000_000_000, scale: 0)
    let column = Self.column([great, try Numeric.multiply(great, great)])
    let one = try #require(EstimatedNumbers(column))
    let kept = one.multiplied(by: one).rowsNotBehind(.infinity, descending: true)
    #expect(kept.count == 2)
  }
}
