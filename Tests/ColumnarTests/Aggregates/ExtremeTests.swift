import Diagnostics
import Testing

@testable import Columnar

@Suite("The least and greatest numbers of groups")
struct ExtremeTests {
  private static let groupCount = 7

  /// Numbers of a type, many of them at its ends, with garbage under the NULLs; the last group has none but NULLs.
  private struct Rows<Number: FixedWidthInteger & BitwiseCopyable> {
    var numbers: [Number] = []
    var isThere: [Bool] = []
    var groups: [UInt32] = []

    init(_ count: Int, hasNulls: Bool, _ random: inout SplitMix) {
      for _ in 0..<count {
        let bits = Number(truncatingIfNeeded: random.next() >> 17)
        switch random.next() % 5 {
        case 0: numbers.append(.max)
        case 1: numbers.append(.min)
        default: numbers.append(bits)
        }
        let group = UInt32(random.next() % UInt64(ExtremeTests.groupCount - (hasNulls ? 0 : 1)))
        groups.append(group)
        isThere.append(
          !hasNulls || Int(group) < ExtremeTests.groupCount - 1 && random.next() % 4 > 0)
      }
    }

    var validity: ValidityMask {
      var mask = ValidityMask.allValid
      for row in isThere.indices where !isThere[row] { mask.setNull(row, count: isThere.count) }
      return mask
    }

    func extreme(_ group: Int?, isMaximum: Bool) -> Number? {
      let own = numbers.indices.filter { row in
        isThere[row] && group.map { groups[row] == $0 } ?? true
      }.map { numbers[$0] }
      return isMaximum ? own.max() : own.min()
    }
  }

  private func check<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: LogicalType, _ number: Number.Type, decimals: Int16? = nil, isMaximum: Bool,
    hasNulls: Bool
  ) throws {
    var random = SplitMix(state: hasNulls ? 5 : 11)
    let rows = Rows<Number>(700, hasNulls: hasNulls, &random)
    var argument = Vector(type, Buffer(rows.numbers), count: 700, validity: rows.validity)
    if let decimals {
      let small = Buffer(rows.numbers.map { Int64($0) })
      argument = Vector(decimals: decimals, small, count: 700, validity: rows.validity)
    }
    func text(_ number: Number?) -> String {
      guard let number else { return "\(Value.null)" }
      if let decimals {
        return "\(Value.numeric(Numeric(coefficient: Int128(number), scale: decimals)))"
      }
      return "\(Vector(type, Buffer([number]), count: 1).value(at: 0))"
    }
    // In two, of which the second is merged into the first, whose groups have grown before.
    let (one, other) = (
      ExtremeAccumulator(type: type, isMaximum: isMaximum),
      ExtremeAccumulator(type: type, isMaximum: isMaximum)
    )
    for (accumulator, range) in [(one, 0..<300), (other, 300..<700)] {
      accumulator.grow(to: 2)
      accumulator.grow(to: Self.groupCount)
      try accumulator.update(
        groups: Buffer(rows.groups).slice(range),
        arguments: [argument.slice(from: range.lowerBound, count: range.count)],
        count: range.count)
    }
    try one.merge(
      other, groups: Buffer((0..<UInt32(Self.groupCount)).map { $0 }), count: Self.groupCount)
    let results = try one.results(0..<Self.groupCount)
    let whole = ExtremeAccumulator(type: type, isMaximum: isMaximum)
    whole.grow(to: 1)
    try whole.update(groups: nil, arguments: [argument], count: 700)
    for group in 0..<Self.groupCount {
      let expected = text(rows.extreme(group, isMaximum: isMaximum))
      #expect("\(results.value(at: group))" == expected, "\(type.name), group \(group)")
    }
    let all = try whole.results(0..<1)
    #expect("\(all.value(at: 0))" == text(rows.extreme(nil, isMaximum: isMaximum)))
  }

  @Test(
    "are those of their rows, at the ends of the type and where a group has none",
    arguments: [true, false], [true, false])
  func extremes(_ isMaximum: Bool, _ hasNulls: Bool) throws {
    try check(.smallint, Int16.self, isMaximum: isMaximum, hasNulls: hasNulls)
    try check(.integer, Int32.self, isMaximum: isMaximum, hasNulls: hasNulls)
    try check(.bigint, Int64.self, isMaximum: isMaximum, hasNulls: hasNulls)
    try check(.numeric, Int64.self, decimals: 2, isMaximum: isMaximum, hasNulls: hasNulls)
  }
}
