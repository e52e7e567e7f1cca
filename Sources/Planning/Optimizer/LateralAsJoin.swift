import Columnar
import Diagnostics

/// A correlated right side taken apart: a plan that may be free of correlation, conditions that are
/// not, and columns computed
/// above the join.
struct PulledUp {
  var plan: LogicalPlan
  var conditions: [BoundExpression] = []
  /// Columns of the right side that are computed from the left's, by what computes them.
  var deferred: ColumnMap<BoundExpression> = [:]
}

extension Unnesting {
  /// A lateral join as a plain join, by the first way that works of the following.
  ///
  /// 1. it stays lateral where each run ends early (`+Loops`);
  /// 2. a right side of one row computed from left columns is a projection; one whose row is an
  ///    aggregate becomes groups
  ///    (`+ScalarAggregate`);
  /// 3. set-returning functions take the left side as their input;
  /// 4. correlated conditions are pulled up into the join's condition;
  /// 5. the right side is computed for all different values of the columns it uses at once, and
  ///    joined with them (`+Domain`);
  /// 6. it stays lateral.
  ///
  /// A right side whose rows may differ from one evaluation to the next stays lateral from the start, also where it
  /// uses nothing of this left side but of one further out: it is to be run for each left row.
  mutating func decorrelated(_ lateral: JoinPlan) throws(SQLError) -> LogicalPlan {
    var join = lateral
    let free = join.right.freeColumns
    let outer = free.intersection(join.left.outputIDs)
    let isVolatile = !free.isEmpty && join.right.isVolatile
    if outer.isEmpty, !isVolatile {
      join.isLateral = false
      return .join(join)
    }
    join.isLateral = true
    if isVolatile { return asTableFunction(join, outer) ?? .join(join) }
    guard rules.contains(.unnesting) else { return .join(join) }
    join.right = strippedRight(of: join)
    if endsEarly(join.right, outer) { return .join(join) }
    if let plan = asOneRow(join, outer) { return plan }
    if let plan = asTableFunction(join, outer) { return plan }
    if let plan = byPullingUp(join, outer) { return plan }
    if let plan = byDomain(join, outer) { return plan }
    return .join(join)
  }

  /// The right side without what cannot change the answer: order, and for semi-, anti- and mark
  /// joins repetition.
  private func strippedRight(of join: JoinPlan) -> LogicalPlan {
    var plan = join.right
    let used = join.conditions.reduce(into: ColumnSet()) { $1.collectColumns(into: &$0) }
    let isExistence = join.kind.onlyLooksForMatch && used.isDisjoint(with: plan.outputIDs)
    while true {
      switch plan {
      case .sort(let input, _): plan = input
      case .distinct(let input, on: nil) where join.kind.onlyLooksForMatch: plan = input
      case .project(let input, let columns)
      where isExistence && !columns.contains(where: \.expression.isVolatile):
        plan = input
      case .distinct(let input, on: _) where isExistence: plan = input
      case .window(let input, _) where isExistence: plan = input
      case .limit(let input, let limit) where isExistence && limit.keepsARow: plan = input
      case .aggregate(let aggregate)
      where isExistence && !aggregate.keys.isEmpty && aggregate.groupingSets == nil:
        plan = aggregate.input
      case .scan, .values, .filter, .project, .projectSet, .join, .path, .aggregate, .window,
        .limit, .distinct, .setOperation, .recursive, .workingTable, .withCommon, .commonReference,
        .tableFunction, .modify:
        return plan
      }
    }
  }

  // MARK: Set-returning functions

  /// A lateral function call: the function then takes the left side as its input.
  private func asTableFunction(_ join: JoinPlan, _ outer: ColumnSet) -> LogicalPlan? {
    guard case .tableFunction(var function) = join.right, function.input == nil else {
      // Projections and filters over it commute with an inner lateral join.
      guard case .inner = join.kind else { return nil }
      if case .project(let input, let columns) = join.right {
        var inner = join
        inner.right = input
        inner.conditions = []
        guard input.hasTableFunctionAtBottom, let below = asTableFunction(inner, outer) else {
          return nil
        }
        let kept = join.left.outputs.map { ProjectedColumn($0, $0.reference) }
        return LogicalPlan.project(below, kept + columns).filtered(join.conditions)
      }
      if case .filter(let input, let conditions) = join.right {
        var inner = join
        inner.right = input
        inner.conditions = []
        guard input.hasTableFunctionAtBottom, let below = asTableFunction(inner, outer) else {
          return nil
        }
        return below.filtered(conditions + join.conditions)
      }
      return nil
    }
    function.input = join.left
    switch join.kind {
    case .inner: return LogicalPlan.tableFunction(function).filtered(join.conditions)
    case .left where join.conditions.isEmpty:
      function.isOuter = true
      return .tableFunction(function)
    case .left, .right, .full, .semi, .anti, .mark, .single: return nil
    }
  }

  // MARK: Pulling conditions up

  /// A join whose condition takes in the correlated conditions of the right side.
  private func byPullingUp(_ join: JoinPlan, _ outer: ColumnSet) -> LogicalPlan? {
    guard let pulled = pulledUp(join.right, outer, kind: join.kind) else { return nil }
    var result = join
    result.isLateral = false
    result.right = pulled.plan
    switch join.kind {
    case .inner:
      result.conditions =
        join.conditions.map { $0.replacing(pulled.deferred) }
        + pulled.conditions.map { $0.replacing(pulled.deferred) }
      let plan = LogicalPlan.join(result)
      if pulled.deferred.isEmpty { return plan }
      let columns = (join.left.outputs + join.right.outputs).map { column in
        ProjectedColumn(column, pulled.deferred[column.id] ?? column.reference)
      }
      return .project(plan, columns)
    case .semi, .anti:
      result.conditions = (join.conditions + pulled.conditions).map {
        $0.replacing(pulled.deferred)
      }
    case .mark:
      // A correlated condition that is NULL leaves its row out, and so must not make the mark NULL.
      result.conditions =
        join.conditions.map { $0.replacing(pulled.deferred) }
        + pulled.conditions.map {
          BoundExpression.isBoolean($0.replacing(pulled.deferred), true, negated: false)
        }
    case .left, .single:
      guard pulled.deferred.isEmpty else { return nil }
      result.conditions = join.conditions + pulled.conditions
    case .right, .full: return nil
    }
    return .join(result)
  }

  /// The plan with its correlated conditions taken out, or nil where one is below something that it
  /// cannot pass.
  private func pulledUp(
    _ plan: LogicalPlan, _ outer: ColumnSet, kind: JoinPlan.Kind
  ) -> PulledUp? {
    if plan.freeColumns.isDisjoint(with: outer) { return PulledUp(plan: plan) }
    if case .filter(let input, let conditions) = plan {
      guard var pulled = pulledUp(input, outer, kind: kind) else { return nil }
      var kept: [BoundExpression] = []
      for condition in conditions.flatMap(\.conjuncts) {
        let replaced = condition.replacing(pulled.deferred)
        if replaced.columns.isDisjoint(with: outer) {
          kept.append(replaced)
        } else {
          if replaced.isVolatile { return nil }
          pulled.conditions.append(replaced)
        }
      }
      pulled.plan = pulled.plan.filtered(kept)
      return pulled
    }
    if case .project(let input, let columns) = plan {
      guard let pulled = pulledUp(input, outer, kind: kind) else { return nil }
      return projecting(pulled, columns, outer)
    }
    if case .join(let join) = plan { return pulledUp(join, outer, kind: kind) }
    if case .sort(let input, _) = plan { return pulledUp(input, outer, kind: kind) }
    return nil
  }

  /// The projection over a plan that was taken apart: columns that conditions need pass through it,
  /// correlated ones are deferred.
  private func projecting(
    _ pulled: PulledUp, _ columns: [ProjectedColumn], _ outer: ColumnSet
  ) -> PulledUp? {
    var result = pulled
    var needed: ColumnSet = []
    for condition in pulled.conditions { condition.collectColumns(into: &needed) }
    var kept: [ProjectedColumn] = []
    var deferred: ColumnMap<BoundExpression> = [:]
    for column in columns {
      let expression = column.expression.replacing(pulled.deferred)
      if !expression.uses(outer) {
        kept.append(ProjectedColumn(column.column, expression))
      } else {
        if expression.isVolatile { return nil }
        deferred[column.column.id] = expression
        expression.collectColumns(into: &needed)
      }
    }
    let present = ColumnSet(kept.map(\.column.id))
    for column in pulled.plan.outputs where needed.contains(column.id) {
      if !present.contains(column.id) { kept.append(ProjectedColumn(column, column.reference)) }
    }
    result.deferred = deferred
    result.plan = .project(pulled.plan, kept)
    return result
  }

  private func pulledUp(
    _ plan: JoinPlan, _ outer: ColumnSet, kind: JoinPlan.Kind
  ) -> PulledUp? {
    guard !plan.isLateral else { return nil }
    var join = plan
    switch plan.kind {
    case .inner:
      guard let left = pulledUp(plan.left, outer, kind: kind),
        let right = pulledUp(plan.right, outer, kind: kind)
      else { return nil }
      var pulled = PulledUp(plan: plan.left, conditions: left.conditions + right.conditions)
      pulled.deferred = left.deferred.merging(right.deferred) { first, _ in first }
      join.left = left.plan
      join.right = right.plan
      join.conditions = []
      for condition in plan.conditions {
        let replaced = condition.replacing(pulled.deferred)
        if replaced.columns.isDisjoint(with: outer) {
          join.conditions.append(replaced)
        } else {
          pulled.conditions.append(replaced)
        }
      }
      pulled.plan = .join(join)
      return pulled
    case .left, .semi, .anti, .mark, .single:
      guard plan.right.freeColumns.isDisjoint(with: outer),
        plan.conditions.allSatisfy({ !$0.uses(outer) }),
        var left = pulledUp(plan.left, outer, kind: kind), left.deferred.isEmpty
      else { return nil }
      join.left = left.plan
      left.plan = .join(join)
      return left
    case .right, .full: return nil
    }
  }
}

extension JoinPlan.Kind {
  /// Whether only the existence of a match counts, not the number.
  package var onlyLooksForMatch: Bool {
    switch self {
    case .semi, .anti, .mark: true
    case .inner, .left, .right, .full, .single: false
    }
  }
}

extension LimitPlan {
  /// Whether a row is certain to pass if there is one.
  var keepsARow: Bool {
    if offset != nil { return false }
    guard let count else { return true }
    switch count.asConstant {
    case .int64(let rows): return rows >= 1
    case .int32(let rows): return rows >= 1
    case .null: return true
    case .boolean, .int16, .float, .double, .numeric, .interval, .uuid, .text, .list, .record, nil:
      return false
    }
  }
}

extension LogicalPlan {
  /// Whether projections and filters end in a function call without input.
  fileprivate var hasTableFunctionAtBottom: Bool {
    switch self {
    case .tableFunction(let function): function.input == nil
    case .project(let input, _), .filter(let input, _): input.hasTableFunctionAtBottom
    case .scan, .values, .projectSet, .join, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .withCommon, .commonReference, .modify:
      false
    }
  }
}
