import Catalog
import Columnar
import Planning

/// How many rows a plan is asked for, the first by a column: a sort above wants no others, and tells scans of their bound.
///
/// Where a table's rows stand in about that order, few of them are read. What costs something for each row is then cheap, and what
/// has to be put together first, such as a table of keys, is not.
struct RowGoal {
  let column: ColumnID
  let count: Double

  /// nil where all rows are wanted, or nothing tells early which are.
  init?(_ order: [SortKey], _ limit: LimitPlan) {
    guard let column = order.first?.expression.asColumn else { return nil }
    self.init(column: column, count: limit.lastRow.map { Double($0) } ?? Self.unknownCount)
  }

  /// What is wanted where a parameter says how much.
  private static let unknownCount = 1000.0

  private init(column: ColumnID, count: Double) {
    self.column = column
    self.count = count
  }

  /// The same of what a projection hands up.
  func below(_ columns: [ProjectedColumn]) -> RowGoal? {
    columns.first { $0.column.id == column }?.expression.asColumn.map {
      RowGoal(column: $0, count: count)
    }
  }
}

extension LogicalPlan {
  /// Whether a goal of the plan may be one of an input.
  var handsGoalsOn: Bool {
    if case .filter = self { return true }
    if case .project = self { return true }
    if case .join = self { return true }
    return false
  }
}

extension PhysicalPlanner {
  /// The planner of an input of which other rows are asked for.
  func aiming(at goal: RowGoal?) -> PhysicalPlanner {
    var other = self
    other.rowGoal = goal
    return other
  }

  /// The planner of one side of a join: what is asked of the join is asked of the side that has the column.
  func aimingAtSide(_ side: LogicalPlan, of join: JoinPlan, isLeft: Bool) -> PhysicalPlanner {
    guard let goal = rowGoal else { return self }
    let isKept = isLeft ? join.kind.keepsLeft : join.kind.isInner
    return isKept && side.outputIDs.contains(goal.column) ? self : aiming(at: nil)
  }

  /// The share of a join's input that is asked for, if as many of its rows lead to one that comes out as do on average.
  func askedShare(of side: PlannedOperator, for result: RelationProfile) -> Double {
    guard let goal = rowGoal, side.profile.rows > Self.leastRows, side.plan.gives(goal.column),
      case .scan(let column)? = side.plan.boundTarget(of: goal.column),
      isStoredInOrder(column, in: side.plan)
    else { return 1 }
    let asked = goal.count * side.profile.rows / max(1, result.rows)
    return min(1, (asked * Self.reserve + Self.leastRows) / side.profile.rows)
  }

  /// So many times as many rows are expected to be read as are enough on average.
  private static let reserve = 4.0
  /// A page is read whole.
  private static let leastRows = 2048.0

  /// Whether the rows of a scan stand in about the order of a column, or in the opposite one.
  private func isStoredInOrder(_ column: ColumnID, in plan: PhysicalPlan) -> Bool {
    if case .scan(let scan) = plan.node {
      guard let index = scan.columns.first(where: { $0.column.id == column })?.index else {
        return false
      }
      return statistics(scan.table.id)?.column(index)?.isInOrder() ?? false
    }
    return plan.inputs.contains { isStoredInOrder(column, in: $0) }
  }
}
