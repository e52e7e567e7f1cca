import Testing

@testable import Columnar

@Suite("Sorting texts that are alike for long")
struct LongTextSortingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let type: LogicalType
    let order: SortOrder
    let hasFurtherColumn: Bool
    var testDescription: String {
      "\(type.name), descending \(order.descending), NULLs first \(order.nullsFirst), "
        + "further column \(hasFurtherColumn)"
    }
  }

  static let cases: [Case] = [LogicalType.text, .varchar, .character, .bytea].flatMap { type in
    [false, true].flatMap { descending in
      [false, true].flatMap { nullsFirst in
        [false, true].map { further in
          Case(
            type: type, order: SortOrder(descending: descending, nullsFirst: nullsFirst),
            hasFurtherColumn: further)
        }
      }
    }
  }

  /// Texts with prefixes of 0 to 300 bytes in common, some of them prefixes of others.
  private static func texts(_ count: Int, _ type: LogicalType, seed: UInt64) -> [Value] {
    var generator = SplitMix(state: seed)
    return (0..<count).map { _ in
      if generator.next() % 9 == 0 { return .null }
      let shared = [0, 3, 8, 15, 16, 24, 150, 300][Int(generator.next() % 8)]
      var bytes = [UInt8](repeating: 0x61, count: shared)
      for _ in 0..<(generator.next() % 12) { bytes.append(0x61 + UInt8(generator.next() % 2)) }
      if type == .bytea && generator.next() % 3 == 0 { bytes += [0, 0] }
      if type == .character { bytes += [UInt8](repeating: 0x20, count: Int(generator.next() % 3)) }
      return .text(bytes)
    }
  }

  @Test("gives the order of comparing them one by one, equal rows in theirs", arguments: cases)
  func order(_ test: Case) throws {
    for (seed, count) in [(1, 2), (2, 40), (3, 255), (4, 3_000)] as [(UInt64, Int)] {
      // With and without a prefix that all of them have.
      for prefix in [[], [UInt8](repeating: 0x7A, count: 19)] {
        let values = Self.texts(count, test.type, seed: seed).map { value -> Value in
          if case .text(let bytes) = value { return .text(prefix + bytes) }
          return value
        }
        var columns = [Vector(test.type, values)]
        var orders = [test.order]
        if test.hasFurtherColumn {
          columns.append(Vector(.integer, (0..<count).map { .int32(Int32($0 * 7 % 5)) }))
          orders.append(SortOrder(descending: true))
        }
        let expected = (0..<count).sorted { a, b in
          let order = RowComparison.compare(columns, a, columns, b, orders: orders)
          return order != 0 ? order < 0 : a < b
        }
        let sorted = try Sorting.permutation(columns: columns, orders: orders, count: count)
        #expect(sorted.array(count).map { Int($0) } == expected, "\(count) rows")
      }
    }
  }
}
