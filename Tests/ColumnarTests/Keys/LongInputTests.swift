import Diagnostics
import Testing

@testable import Columnar

/// Inputs of several slices, between which it is looked whether the statement has to end.
@Suite("Work on more rows than a slice has")
struct LongInputTests {
  static let count = 3 * Range<Int>.sliceLength + 1234

  /// Columns whose keys are sorted in different ways.
  enum Shape: CaseIterable {
    case packed, narrow, wide, texts, ties, sorted

    func columns() -> [Vector] {
      let count = LongInputTests.count
      func number(_ row: Int) -> Int64 { Int64(row) &* 6_364_136_223_846_793_005 &+ 1_442_695 }
      switch self {
      case .packed:
        return [
          Vector(
            .integer, Buffer((0..<count).map { Int32(truncatingIfNeeded: number($0) >> 40) }),
            count: count)
        ]
      case .narrow: return [Vector(.bigint, Buffer((0..<count).map(number)), count: count)]
      case .wide:
        return [
          Vector(.bigint, Buffer((0..<count).map { number($0) >> 60 }), count: count),
          Vector(.bigint, Buffer((0..<count).map(number)), count: count),
        ]
      case .texts:
        return [
          Vector(.text, (0..<count).map { .string("the same beginning \(number($0) >> 44)") })
        ]
      case .ties:
        return [
          Vector(.text, (0..<count).map { .string("a long text that many rows have \($0 % 3)") }),
          Vector(.integer, Buffer((0..<count).map { Int32($0 % 1000) }), count: count),
        ]
      case .sorted: return [Vector(.integer, Buffer((0..<count).map { Int32($0) }), count: count)]
      }
    }
  }

  @Test("sorts all of them", arguments: Shape.allCases)
  func sorting(_ shape: Shape) throws {
    let columns = shape.columns()
    let orders = columns.map { _ in SortOrder() }
    let sorted = try Sorting.permutation(columns: columns, orders: orders, count: Self.count)
    var seen = [Bool](repeating: false, count: Self.count)
    for place in 0..<Self.count {
      seen[Int(sorted[place])] = true
      guard place > 0 else { continue }
      let order = RowComparison.compare(
        columns, Int(sorted[place - 1]), columns, Int(sorted[place]), orders: orders)
      #expect(order < 0 || (order == 0 && sorted[place - 1] < sorted[place]))
    }
    #expect(!seen.contains(false))
    let limit = Self.count / 3
    let top = try Sorting.topPermutation(
      columns: columns, orders: orders, count: Self.count, limit: limit)
    #expect(top.rows.array(limit) == sorted.array(limit))
  }

  private static func cancelled() -> EvaluationContext {
    let context = EvaluationContext(transactionTime: 0, statementTime: 0)
    context.cancel()
    return context
  }

  @Test("ends a sort that has begun", arguments: Shape.allCases)
  func endsSort(_ shape: Shape) {
    let columns = shape.columns()
    let orders = columns.map { _ in SortOrder() }
    let error = #expect(throws: SQLError.self) {
      try RunningStatement.within(Self.cancelled()) {
        _ = try Sorting.permutation(columns: columns, orders: orders, count: Self.count)
      }
    }
    #expect(error?.state == .queryCanceled)
  }

  @Test("ends what grows a table of groups, and leaves the table as it was")
  func endsGroups() throws {
    let table = GroupTable(types: [.bigint, .bigint])
    let numbers = Vector(
      .bigint, Buffer((0..<Self.count).map { Int64($0) &* 7919 }), count: Self.count)
    let columns = [numbers, numbers]
    _ = try table.findOrInsert(
      columns.map { $0.slice(from: 0, count: 150_000).flattened() }, count: 150_000)
    #expect(throws: SQLError.self) {
      try RunningStatement.within(Self.cancelled()) {
        _ = try table.findOrInsert(columns, count: Self.count)
      }
    }
    let groups = try table.findOrInsert(columns, count: Self.count)
    #expect(groups.array(Self.count) == (0..<UInt32(Self.count)).map { $0 })
  }

  @Test("moves values as in one go")
  func moving() throws {
    let count = 5 * Range<Int>.sliceLength + 7
    let texts = Vector(
      .text, (0..<count).map { $0 % 11 == 0 ? .null : .string("text number \($0)") })
    let positions = Buffer((0..<count).map { UInt32(($0 * 7919) % count) })
    let moved = try texts.gathered(positions, count: count).flattenedInSlices()
    let expected = texts.gathered(positions, count: count).flattened()
    for row in stride(from: 0, to: count, by: 13) {
      #expect(ValueOrder.compareNullable(moved, row, expected, row) == 0)
    }
    let numbers = Vector(
      .numeric,
      (0..<count).map { .numeric(Numeric(coefficient: Int128($0), scale: 2)) })
    let small = try #require(numbers.narrowed(count: count))
    let wide = try small.gathered(positions, count: count).flattenedInSlices()
    for row in stride(from: 0, to: count, by: 101) {
      #expect(wide.values(Numeric.self)[row].coefficient == Int128(positions[row]))
    }
  }
}
