import Columnar
import Diagnostics
import Execution
import Planning
import Testing

private let sizes = [0, 1, 2047, 2048, 2049, 5000]

private func number(_ value: Int64) -> BoundExpression { .constant(.int64(value), .bigint) }

@Suite("Operators over one input")
struct OperatorTests {
  private func relation(_ count: Int, values: Int = 50) -> Relation {
    Relation.random(firstID: 1, width: 3, count: count, values: values, seed: UInt64(count) + 7)
  }

  private func plan(_ node: PhysicalPlan.Node, _ outputs: [PlanColumn]) -> PhysicalPlan {
    PhysicalPlan(node, outputs: outputs, estimatedRows: 1)
  }

  @Test("a scan gives all rows in order", arguments: sizes)
  func scan(_ count: Int) throws {
    let input = relation(count)
    #expect(try run(input.scan, over: [input]) == input.rows)
  }

  @Test("a filter keeps rows for which all conditions are true", arguments: sizes)
  func filter(_ count: Int) throws {
    let input = relation(count)
    let conditions: [BoundExpression] = [
      .comparison(.greater, input.column(0), .constant(.int32(10), .integer)),
      .or([
        .isNull(input.column(1), negated: false),
        .comparison(.less, input.column(1), input.column(2)),
      ]),
    ]
    let found = try run(plan(.filter(input.scan, conditions), input.columns), over: [input])
    let expected = input.rows.filter { row in
      guard let first = row[0], first > 10 else { return false }
      guard let second = row[1] else { return true }
      return row[2].map { second < $0 } ?? false
    }
    #expect(found == expected)
  }

  @Test("a filter keeps the same rows in whatever order it comes to test its conditions")
  func conditionsInTurn() throws {
    // What each condition keeps changes on the way, so that the best order does.
    let rows = (0..<150_000).map { row -> [Int?] in
      let isLate = row > 70_000
      return [
        row % 11 == 0 ? nil : (isLate ? row % 10 : row % 1000),
        row % 7 == 0 ? nil : (isLate ? row % 1000 : row % 10), row % 13,
      ]
    }
    let input = Relation(firstID: 1, width: 3, rows: rows)
    func constant(_ value: Int32) -> BoundExpression { .constant(.int32(value), .integer) }
    let conditions: [BoundExpression] = [
      .comparison(.greaterOrEqual, input.column(0), constant(2)),
      .and([
        .comparison(.greater, constant(9), input.column(1)),
        .comparison(.lessOrEqual, input.column(0), constant(700)),
      ]),
      .isNull(input.column(2), negated: true),
      .comparison(.notEqual, input.column(2), input.column(1)),
      .comparison(.less, constant(-1), input.column(1)),
      .comparison(.less, input.column(0), constant(600)),
    ]
    let found = try run(plan(.filter(input.scan, conditions), input.columns), over: [input])
    let expected = rows.filter { row in
      guard let first = row[0], let second = row[1], let third = row[2] else { return false }
      return (2..<600).contains(first) && (0..<9).contains(second) && third != second
    }
    #expect(found == expected)
  }

  @Test(
    "limit and offset cut across chunks",
    arguments: [(0, 0), (10, 0), (2048, 0), (2049, 1), (10, 2040), (3000, 1000), (10, 9000)])
  func limit(_ count: Int, _ offset: Int) throws {
    let input = relation(5000)
    let limit = LimitPlan(count: number(Int64(count)), offset: number(Int64(offset)))
    let found = try run(plan(.limit(input.scan, limit), input.columns), over: [input])
    #expect(found == Array(input.rows.dropFirst(offset).prefix(count)))
  }

  @Test("a sort is stable and puts NULLs where it says", arguments: sizes)
  func sort(_ count: Int) throws {
    let input = relation(count, values: 20)
    let keys = [
      SortKey(input.column(0), isDescending: true, nullsFirst: false),
      SortKey(input.column(1), isDescending: false, nullsFirst: true),
    ]
    let expected = input.rows.enumerated().sorted { left, right in
      let (a, b) = (left.element, right.element)
      if a[0] != b[0] { return (a[0] ?? Int.min) > (b[0] ?? Int.min) }
      if a[1] != b[1] { return (a[1] ?? Int.min) < (b[1] ?? Int.min) }
      return left.offset < right.offset
    }.map(\.element)
    #expect(try run(plan(.sort(input.scan, keys), input.columns), over: [input]) == expected)
    let limit = LimitPlan(count: number(30), offset: number(5))
    let top = try run(plan(.topN(input.scan, keys, limit), input.columns), over: [input])
    #expect(top == Array(expected.dropFirst(5).prefix(30)))
    let ties = LimitPlan(count: number(3), offset: nil, ties: [keys[0]])
    let tied = try run(
      plan(.limit(plan(.sort(input.scan, keys), input.columns), ties), input.columns),
      over: [input])
    let last = expected.prefix(3).last?[0]
    #expect(
      tied
        == (expected.count <= 3
          ? expected : expected.prefix(3) + expected.dropFirst(3).prefix { $0[0] == last }))
  }

  @Test("distinct keeps first rows", arguments: sizes)
  func distinct(_ count: Int) throws {
    let input = relation(count, values: 12)
    var seen: Set<[Int?]> = []
    let whole = input.rows.filter { seen.insert($0).inserted }
    #expect(
      try run(plan(.distinct(input.scan, on: nil), input.columns), over: [input]) == whole)
    var keys: Set<Int?> = []
    let first = input.rows.filter { keys.insert($0[1]).inserted }
    let on = plan(.distinct(input.scan, on: [input.column(1)]), input.columns)
    #expect(try run(on, over: [input]) == first)
  }

  @Test("distinct by partitions gives the same rows", arguments: sizes, [2, 8, 64])
  func distinctByPartitions(_ count: Int, _ partitions: Int) throws {
    let input = relation(count, values: 12)
    var scan = input.scan
    scan.estimatedRows = 1_000_000
    var distinct = plan(.distinct(scan, on: nil), input.columns)
    distinct.partitionCount = partitions
    let found = try run(distinct, over: [input])
    #expect(found.count == Set(found).count)
    #expect(Set(found) == Set(input.rows))
  }

  @Test("set operations count rows", arguments: sizes)
  func setOperations(_ count: Int) throws {
    let left = Relation.random(firstID: 1, width: 1, count: count, values: 300, seed: 1)
    let right = Relation.random(
      firstID: 100, width: 1, count: count / 2 + 3, values: 300, seed: 2)
    for kind in [SetOperationPlan.Kind.intersect, .except] {
      for isAll in [false, true] {
        var counts: [Int?: Int] = [:]
        for row in right.rows { counts[row[0], default: 0] += 1 }
        var out: Set<Int?> = []
        let expected = left.rows.filter { row in
          let rest = counts[row[0], default: 0]
          if isAll {
            counts[row[0]] = max(0, rest - 1)
            return (rest > 0) == (kind == .intersect)
          }
          return (rest > 0) == (kind == .intersect) && out.insert(row[0]).inserted
        }
        let node = PhysicalPlan.Node.setOperation(kind, isAll: isAll, left.scan, right.scan)
        #expect(try run(plan(node, left.columns), over: [left, right]) == expected)
      }
    }
    let both = plan(.append([left.scan, right.scan]), left.columns)
    #expect(try run(both, over: [left, right]) == left.rows + right.rows)
  }

  @Test("guards keep errors away")
  func guards() throws {
    let input = Relation(firstID: 1, width: 1, rows: [[0], [5], [nil], [10]])
    let failing = BoundExpression.call(
      BoundCall(
        name: "invert", arguments: [input.column(0)], type: .integer, isStrict: true,
        volatility: .immutable
      ) { arguments, count, _ throws(SQLError) in
        let flat = arguments[0].flattened()
        let result = Buffer<Int32>(uninitialized: max(count, 1))
        for row in 0..<count {
          if flat.validity.isValid(row) && flat.values(Int32.self)[row] == 0 {
            throw SQLError(.divisionByZero, "division by zero")
          }
          result[row] = flat.validity.isValid(row) ? 100 / flat.values(Int32.self)[row] : 0
        }
        return Vector(.integer, result, count: count, validity: flat.validity)
      })
    let zero = BoundExpression.constant(.int32(0), .integer)
    let isNotZero = BoundExpression.comparison(.notEqual, input.column(0), zero)
    let output = PlanColumn(ColumnID(50), "x", .integer)
    let guarded = BoundExpression.caseWhen(
      [BoundBranch(condition: isNotZero, result: failing)],
      otherwise: .constant(.int32(-1), .integer), .integer)
    #expect(
      try run(plan(.project(input.scan, [guarded]), [output]), over: [input])
        == [[-1], [20], [-1], [10]])
    let positive = BoundExpression.comparison(.greater, failing, zero)
    #expect(
      try run(
        plan(.filter(input.scan, [.and([isNotZero, positive])]), input.columns), over: [input])
        == [[5], [10]])
    #expect(
      try run(
        plan(
          .project(
            input.scan,
            [
              .coalesce([.constant(.int32(7), .integer), failing], .integer)
            ]), [output]), over: [input]) == [[7], [7], [7], [7]])
    #expect(throws: SQLError.self) {
      try run(plan(.project(input.scan, [failing]), [output]), over: [input])
    }
  }

  @Test("IN lists follow three-valued logic")
  func membership() throws {
    let input = Relation(firstID: 1, width: 1, rows: [[0], [5], [nil], [10]])
    let output = PlanColumn(ColumnID(50), "x", .boolean)
    func answers(_ items: [Int?], negated: Bool) throws -> [Int?] {
      let list = items.map { item in
        BoundExpression.constant(item.map { .int32(Int32($0)) } ?? .null, .integer)
      }
      return try run(
        plan(
          .project(input.scan, [.inList(input.column(0), list, negated: negated)]), [output]),
        over: [input]
      ).map { $0[0] }
    }
    #expect(try answers([5, 10], negated: false) == [0, 1, nil, 1])
    #expect(try answers([5, 10], negated: true) == [1, 0, nil, 0])
    #expect(try answers([5, nil], negated: false) == [nil, 1, nil, nil])
    #expect(try answers([5, nil], negated: true) == [nil, 0, nil, nil])
  }

  @Test("a recursion ends when a round gives nothing new")
  func recursion() throws {
    let start = Relation(firstID: 1, width: 1, rows: [[0]])
    let edges = Relation(
      firstID: 100, width: 2, rows: (0..<3000).map { [$0, ($0 + 1) % 3000] })
    let working = PlanColumn(ColumnID(200), "w", .integer)
    let step = PhysicalPlan(
      .hashJoin(
        HashJoin(
          probe: plan(.workingTable(id: 1), [working]), build: edges.scan,
          keys: [
            HashJoin.Key(probe: .column(working.id, .integer), build: edges.column(0))
          ], residual: [], kind: .inner, isFlipped: false)), outputs: [working] + edges.columns,
      estimatedRows: 1)
    let next = plan(.project(step, [edges.column(1)]), [PlanColumn(ColumnID(300), "n", .integer)])
    let output = PlanColumn(ColumnID(301), "n", .integer)
    let recursive = plan(
      .recursive(id: 1, anchor: start.scan, step: next, isAll: false), [output])
    #expect(try run(recursive, over: [start, edges]) == (0..<3000).map { [$0] })
    // Without an end of its own, a recursion ends with the limit above it.
    let endless = plan(.recursive(id: 1, anchor: start.scan, step: next, isAll: true), [output])
    let limited = plan(.limit(endless, LimitPlan(count: number(5), offset: nil)), [output])
    #expect(try run(limited, over: [start, edges]) == [[0], [1], [2], [3], [4]])
  }
}
