import Columnar
import Diagnostics
import Execution
import Planning
import Testing

/// A join against a model that looks at every pair.
struct JoinCase: CustomTestStringConvertible, Sendable {
  enum Kind: String, CaseIterable, Sendable { case inner, left, right, full, semi, anti, mark }
  var kind: Kind
  var leftCount: Int
  var rightCount: Int
  var keyCount: Int
  var hasResidual: Bool
  var nullsMatch = false
  var isFlipped = false

  var testDescription: String {
    "\(kind.rawValue) join of \(leftCount) and \(rightCount) rows, \(keyCount) keys"
      + (hasResidual ? ", a residual" : "") + (nullsMatch ? ", NULLs match" : "")
      + (isFlipped ? ", flipped" : "")
  }

  static let all: [JoinCase] = {
    var cases: [JoinCase] = []
    for kind in Kind.allCases {
      for (left, right) in [
        (0, 0), (0, 5), (5, 0), (1, 1), (30, 40), (300, 7), (7, 300), (2047, 50), (2048, 50),
        (2049, 50), (50, 2049), (700, 700),
      ] {
        for keyCount in 0...2 where keyCount > 0 || left * right <= 40_000 {
          for hasResidual in [false, true] {
            let base = JoinCase(
              kind: kind, leftCount: left, rightCount: right, keyCount: keyCount,
              hasResidual: hasResidual)
            cases.append(base)
            if keyCount == 1 && left == 30 {
              var other = base
              other.nullsMatch = true
              cases.append(other)
            }
            if keyCount > 0 && [.inner, .left, .right, .full].contains(kind) && left <= 300 {
              var other = base
              other.isFlipped = true
              cases.append(other)
            }
          }
        }
      }
    }
    return cases
  }()
}

@Suite("A join gives what looking at every pair gives")
struct JoinTests {
  private static let mark = PlanColumn(ColumnID(900), "mark", .boolean)

  @Test(arguments: JoinCase.all)
  func everyKind(_ example: JoinCase) throws {
    let values = max(3, max(example.leftCount, example.rightCount) / 3)
    let left = Relation.random(
      firstID: 1, width: 3, count: example.leftCount, values: values, seed: 11)
    let right = Relation.random(
      firstID: 100, width: 3, count: example.rightCount, values: values, seed: 12)
    let plan = Self.plan(example, left, right)
    let found = try run(plan, over: [left, right])
    let expected = Self.model(example, left.rows, right.rows)
    if example.kind == .right || example.kind == .full || example.isFlipped {
      #expect(sorted(found) == sorted(expected))
    } else if example.keyCount == 0 && example.hasResidual {
      // The order of the left side is kept; partners come in the order of what they are compared by.
      #expect(found.map { $0.prefix(3) } == expected.map { $0.prefix(3) })
      #expect(sorted(found) == sorted(expected))
    } else {
      // The order of both sides is kept.
      #expect(found == expected)
    }
  }

  private static func logicalKind(_ kind: JoinCase.Kind) -> JoinPlan.Kind {
    switch kind {
    case .inner: .inner
    case .left: .left
    case .right: .right
    case .full: .full
    case .semi: .semi
    case .anti: .anti
    case .mark: .mark(mark)
    }
  }

  private static func plan(
    _ example: JoinCase, _ left: Relation, _ right: Relation
  ) -> PhysicalPlan {
    let residual: [BoundExpression] =
      example.hasResidual ? [.comparison(.less, left.column(2), right.column(2))] : []
    let outputs: [PlanColumn] =
      switch example.kind {
      case .semi, .anti: left.columns
      case .mark: left.columns + [mark]
      default: left.columns + right.columns
      }
    if example.keyCount == 0 {
      return PhysicalPlan(
        .nestedLoopJoin(
          NestedLoopJoin(
            left: left.scan, right: right.scan, conditions: residual,
            kind: logicalKind(example.kind))), outputs: outputs, estimatedRows: 1)
    }
    let probe = example.isFlipped ? right : left
    let build = example.isFlipped ? left : right
    let keys = (0..<example.keyCount).map { index in
      HashJoin.Key(
        probe: probe.column(index), build: build.column(index), nullsMatch: example.nullsMatch,
        isNullAware: example.kind == .mark && !example.hasResidual && !example.nullsMatch
          && index == 0)
    }
    return PhysicalPlan(
      .hashJoin(
        HashJoin(
          probe: probe.scan, build: build.scan, keys: keys, residual: residual,
          kind: logicalKind(example.kind), isFlipped: example.isFlipped)),
      outputs: outputs, estimatedRows: 1)
  }

  /// The truth of the condition for a pair; nil is unknown.
  private static func condition(_ example: JoinCase, _ left: [Int?], _ right: [Int?]) -> Bool? {
    var result: Bool? = true
    for key in 0..<example.keyCount {
      if let a = left[key], let b = right[key] {
        if a != b { return false }
      } else if example.nullsMatch {
        if (left[key] == nil) != (right[key] == nil) { return false }
      } else if example.kind == .mark && !example.hasResidual && key == 0 {
        result = nil
      } else {
        return false
      }
    }
    guard example.hasResidual else { return result }
    guard let a = left[2], let b = right[2] else {
      return example.keyCount == 0 ? nil : false
    }
    return a < b ? result : false
  }

  private static func model(
    _ example: JoinCase, _ left: [[Int?]], _ right: [[Int?]]
  ) -> [[Int?]] {
    var result: [[Int?]] = []
    var isMatched = [Bool](repeating: false, count: right.count)
    let missing: [Int?] = [nil, nil, nil]
    for row in left {
      var matches: [Int] = []
      var isUnknown = false
      for (index, other) in right.enumerated() {
        switch condition(example, row, other) {
        case true?: matches.append(index)
        case nil: isUnknown = true
        case false?: break
        }
      }
      for match in matches { isMatched[match] = true }
      switch example.kind {
      case .inner, .right: result += matches.map { row + right[$0] }
      case .left, .full:
        result += matches.isEmpty ? [row + missing] : matches.map { row + right[$0] }
      case .semi: if !matches.isEmpty { result.append(row) }
      case .anti: if matches.isEmpty { result.append(row) }
      case .mark: result.append(row + [matches.isEmpty ? (isUnknown ? nil : 0) : 1])
      }
    }
    if example.kind == .right || example.kind == .full {
      for index in right.indices where !isMatched[index] { result.append(missing + right[index]) }
    }
    return result
  }

  @Test(
    "A probe side that is told the keys gives the same rows, whatever it comes to test first",
    arguments: [3, 400, 950])
  func toldKeys(_ kept: Int) throws {
    // Of a thousand keys the build side has so many; in the second half conditions and keys change places.
    let rows = (0..<120_000).map { row -> [Int?] in
      [row % 17 == 0 ? nil : row * 7 % 1000, row < 60_000 ? row % 10 : row % 1000, row]
    }
    let left = Relation(firstID: 1, width: 3, rows: rows)
    let right = Relation(
      firstID: 100, width: 1, rows: (0..<kept).map { [Optional($0)] } + [[nil]])
    guard case .scan(let scan) = left.scan.node else { return }
    let conditions: [BoundExpression] = [
      .comparison(.less, left.column(1), .constant(.int32(9), .integer)),
      .comparison(.notEqual, left.column(1), left.column(2)),
    ]
    let probe = PhysicalPlan(
      .scan(
        TableScan(
          table: scan.table, alias: scan.alias, columns: scan.columns, filters: conditions)),
      outputs: left.columns, estimatedRows: 1)
    let plan = PhysicalPlan(
      .hashJoin(
        HashJoin(
          probe: probe, build: right.scan,
          keys: [HashJoin.Key(probe: left.column(0), build: right.column(0))], residual: [],
          kind: .inner, isFlipped: false)), outputs: left.columns + right.columns,
      estimatedRows: 1)
    let expected = rows.compactMap { row -> [Int?]? in
      guard let key = row[0], key < kept, let other = row[1], other < 9, other != row[2] else {
        return nil
      }
      return row + [key]
    }
    #expect(try run(plan, over: [left, right]) == expected)
  }

  @Test("A single join refuses a second match")
  func singleJoin() throws {
    let left = Relation(firstID: 1, width: 1, rows: [[1], [2], [nil]])
    for (rows, fails) in [([[1], [3]], false), ([[2], [2]], true)] {
      let right = Relation(firstID: 100, width: 1, rows: rows.map { $0.map { Optional($0) } })
      let plan = PhysicalPlan(
        .hashJoin(
          HashJoin(
            probe: left.scan, build: right.scan,
            keys: [HashJoin.Key(probe: left.column(0), build: right.column(0))], residual: [],
            kind: .single, isFlipped: false)), outputs: left.columns + right.columns,
        estimatedRows: 1)
      if fails {
        #expect(throws: SQLError.self) { try run(plan, over: [left, right]) }
      } else {
        #expect(try run(plan, over: [left, right]) == [[1, 1], [2, nil], [nil, nil]])
      }
    }
  }
}
