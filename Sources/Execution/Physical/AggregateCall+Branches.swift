import Columnar
import Planning

extension AggregateCall {
  /// An aggregate of the rows of which a condition holds; no call for rows that add nothing.
  typealias Branch = (condition: BoundExpression?, call: AggregateCall?)

  /// The aggregates of which the call is one: of each row the first whose condition holds.
  ///
  /// `sum(CASE WHEN d.day = 'Sunday' THEN price END)` is `sum(price)` of the rows of Sundays, as is
  /// `sum(price) FILTER (WHERE d.day = 'Sunday')`: what is asked of the day need not be asked of each price. nil for calls that
  /// have no such form, or may fail where they are computed for other rows than those asked for.
  var branches: [Branch]? {
    let names: Set = ["count", "sum", "avg", "min", "max"]
    guard names.contains(name), !isDistinct, orderBy.isEmpty, isStrict || arguments.isEmpty else {
      return nil
    }
    if let filter { return filter.isDecidable ? withoutFilter.map { [(filter, $0)] } : nil }
    guard arguments.count == 1, case .caseWhen(let cases, let otherwise, let type) = arguments[0],
      cases.count < Self.branchLimit, cases.allSatisfy({ $0.condition.isDecidable })
    else { return nil }
    var found: [Branch] = []
    for (condition, result) in cases.map({ ($0.condition, $0.result) }) + [(nil, otherwise)] {
      if case .constant(.null, _) = result {
        found.append((condition, nil))
        continue
      }
      guard result.type == type else { return nil }
      var call = self
      call.arguments = [result]
      found.append((condition, call))
    }
    return found.contains { $0.call != nil } ? found : nil
  }

  /// Which of them a row is of is kept in a byte.
  private static let branchLimit = 250
}

extension AggregateCall {
  /// Whether the aggregate can take a row for many, and knows what to do with it.
  var takesWeights: Bool {
    guard !isDistinct, orderBy.isEmpty, arguments.count == 1,
      (arguments + [filter].compactMap { $0 }).allSatisfy(\.isDecidable)
    else { return false }
    switch name {
    case "count": return true
    case "sum", "avg": return arguments[0].type.isInteger || arguments[0].type == .numeric
    default: return false
    }
  }

  /// The aggregate of all rows rather than of those of its FILTER; nil where it has none.
  var withoutFilter: AggregateCall? {
    guard filter != nil else { return nil }
    var result = self
    result.filter = nil
    return result
  }

  /// The aggregate of rows each of which stands for so many as its FILTER holds for, and the count of these; nil where it has none,
  /// or cannot take a row for many.
  var weighed: (rest: AggregateCall, count: AggregateCall)? {
    guard let filter, filter.isDecidable, let rest = withoutFilter, rest.takesWeights
    else { return nil }
    var count = Self.rowCount
    count.filter = filter
    return (rest, count)
  }

  /// The number of rows.
  static var rowCount: AggregateCall {
    AggregateCall(name: "count", arguments: [], type: .bigint, isStrict: false) { _, _ in
      CountAccumulator()
    }
  }
}

extension LogicalPlan {
  /// The inputs of the joins of a plan, which are no joins themselves, and which of them a column is read from.
  struct Leaves {
    private(set) var plans: [LogicalPlan] = []
    private var origins: [ColumnID: Set<Int>] = [:]
    private var chosen = 0

    init(_ plan: LogicalPlan) { add(plan) }

    var indices: Range<Int> { plans.indices }

    /// The same with one of the inputs chosen.
    func choosing(_ index: Int) -> Leaves {
      var result = self
      result.chosen = index
      return result
    }

    /// Whether all columns are read from the input chosen.
    func holds(_ columns: ColumnSet) -> Bool {
      columns.allSatisfy { origins[$0]?.isSubset(of: [chosen]) ?? false }
    }

    /// Whether there are columns, none of which has to do with the input chosen.
    func holdsNone(of columns: ColumnSet) -> Bool {
      !columns.isEmpty && columns.allSatisfy { origins[$0]?.contains(chosen) == false }
    }

    private mutating func add(_ plan: LogicalPlan) {
      if case .filter(let input, _) = plan {
        add(input)
      } else if case .project(let input, let list) = plan {
        add(input)
        for item in list {
          origins[item.column.id] = item.expression.columns.reduce(into: []) {
            $0.formUnion(origins[$1] ?? [])
          }
        }
      } else if case .join(let join) = plan, !join.isLateral {
        add(join.left)
        add(join.right)
      } else {
        for column in plan.outputs { origins[column.id] = [plans.count] }
        plans.append(plan)
      }
    }
  }
}

extension BoundExpression {
  /// Whether it can be asked of any row, as often as one likes.
  fileprivate var isDecidable: Bool { cannotFail && isRepeatable }
}
