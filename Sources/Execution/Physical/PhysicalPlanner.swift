package import Catalog
import Columnar
package import Diagnostics
package import Planning

/// Chooses how each operator of an optimised logical plan is carried out.
///
/// Access paths and join algorithms are chosen by a simple price in row visits, from the profiles
/// that
/// the optimiser makes too. A path through an index from constant keys is always preferred to a
/// scan, so that the
/// plan of a point query does not depend on the size of its tables.
package struct PhysicalPlanner {
  let tables: [ObjectID: TableDefinition]
  let statistics: StatisticsSource
  let rules: OptimizerRules
  /// Whether a walk along an index is taken wherever there is one.
  var prefersWalks = false
  /// Profiles of the common table expressions and recursions around what is being planned.
  var commons: [Int: RelationProfile] = [:]
  /// How many of the first rows are wanted of what is being planned.
  var rowGoal: RowGoal?

  package init(
    catalog: CatalogSnapshot, statistics: StatisticsSource, rules: OptimizerRules = .all
  ) {
    tables = catalog.tables
    self.statistics = statistics
    self.rules = rules
  }

  /// The physical plan; its outputs are those of the logical plan, in their order.
  ///
  /// - Throws: XX000 where the logical plan breaks its own rules.
  package func plan(_ plan: LogicalPlan) throws(SQLError) -> PhysicalPlan {
    var result = try planned(plan).exactly(plan.outputs).plan.pruned
    if rules.contains(.indexAccess) { result = withWalks(result) }
    return decided(rules.contains(.firstMatch) ? result.matchingOnce : result)
  }

  /// A physical plan with the profile of its rows; the columns may come in another order than the
  /// logical plan's.
  func planned(_ plan: LogicalPlan) throws(SQLError) -> PlannedOperator {
    try RunningStatement.check()
    if rowGoal != nil && !plan.handsGoalsOn { return try aiming(at: nil).planned(plan) }
    switch plan {
    case .scan(let scan): return planned(scan)
    case .values(let rows, let columns):
      return finish(plan, .values(rows: rows), columns, [])
    case .filter(let input, let conditions):
      let below: PlannedOperator
      if let leading = try leadingRows(of: input, where: conditions) {
        below = leading
      } else {
        below = try planned(input)
      }
      return finish(plan, .filter(below.plan, conditions.cheapFirst), below.plan.outputs, [below])
    case .project(let input, let columns):
      let below = try aiming(at: rowGoal?.below(columns)).planned(input)
      if below.plan.outputs.map(\.id) == columns.map(\.column.id),
        columns.allSatisfy({ $0.expression.asColumn == $0.column.id })
      {
        return below
      }
      return finish(
        plan, .project(below.plan, columns.map(\.expression)), columns.map(\.column), [below])
    case .projectSet(let input, let columns, let calls):
      let below = try planned(input)
      return finish(plan, .projectSet(below.plan, columns, calls), plan.outputs, [below])
    case .join(let join): return try planned(join)
    case .path(let path): return try planned(plan, path)
    case .aggregate(let aggregate): return try planned(aggregate)
    case .window(let input, let calls):
      let below = try planned(input)
      return finish(
        plan, .window(below.plan, calls), below.plan.outputs + calls.map(\.column), [below])
    case .sort(let input, let keys):
      let below = try planned(input)
      return finish(plan, .sort(below.plan, keys), below.plan.outputs, [below])
    case .limit(let input, let limit): return try planned(plan, input, limit)
    case .distinct(let input, let on):
      if on == nil, let pairs = try differentPairs(input) { return pairs }
      var below = try planned(input)
      if on == nil { below = below.exactly(input.outputs) }
      if let on, let leading = leadingRows(of: below, distinctOn: on) { below = leading }
      return finish(plan, .distinct(below.plan, on: on), below.plan.outputs, [below])
        .partitioned(over: below.profile)
    case .setOperation(let operation): return try planned(plan, operation)
    case .recursive, .workingTable, .withCommon, .commonReference: return try plannedCommon(plan)
    case .tableFunction(let function):
      let below = try function.input.map { (input) throws(SQLError) in try planned(input) }
      let graphPlans = try function.graphPlans.map { (plan) throws(SQLError) in
        try planned(plan).exactly(plan.outputs).plan
      }
      let node = TableFunctionNode(
        input: below?.plan, calls: function.calls, ordinality: function.ordinality,
        isOuter: function.isOuter, graphPlans: graphPlans)
      let added = function.calls.flatMap(\.columns) + (function.ordinality.map { [$0] } ?? [])
      return finish(
        plan, .tableFunction(node), (below?.plan.outputs ?? []) + added, below.map { [$0] } ?? [])
    case .modify(let modify):
      let below = try planned(modify.input).exactly(modify.input.outputs)
      var own = modify
      // The executor reads the physical input; a second copy of the plan would only keep memory.
      own.input = .values(rows: [], columns: modify.input.outputs)
      return finish(plan, .modify(own, input: below.plan), plan.outputs, [below])
    }
  }

  /// An operator over planned inputs, with the profile that the logical operator's rows have.
  func finish(
    _ logical: LogicalPlan, _ node: PhysicalPlan.Node, _ outputs: [PlanColumn],
    _ inputs: [PlannedOperator]
  ) -> PlannedOperator {
    let profile = RelationProfile.of(
      logical, inputs: inputs.map(\.profile), commons: commons, statistics: statistics)
    return PlannedOperator(node, outputs: outputs, profile: profile)
  }

  // MARK: Leading rows

  /// A window of whose rows only those are asked for that come first in their partitions; nil for anything else.
  private func leadingRows(
    of plan: LogicalPlan, where conditions: [BoundExpression]
  ) throws(SQLError) -> PlannedOperator? {
    guard rules.contains(.topN), case .window(let input, let calls) = plan,
      let rows = LeadingRows(calls, where: conditions)
    else { return nil }
    let below = try aiming(at: nil).planned(input)
    let leading = leadingRows(rows, of: below) ?? below
    return finish(
      plan, .window(leading.plan, calls), below.plan.outputs + calls.map(\.column), [below])
  }

  /// Sorted rows of which DISTINCT ON keeps one of each group, without most of the others; nil where that does not pay, or the
  /// order is one that a table may keep.
  private func leadingRows(
    of sorted: PlannedOperator, distinctOn keys: [BoundExpression]
  ) -> PlannedOperator? {
    guard rules.contains(.topN), case .sort(let input, let order) = sorted.plan.node,
      storedOrder(input, order, limit: nil) == nil,
      let rows = LeadingRows(distinctOn: keys, sortedBy: order),
      let leading = leadingRows(
        rows, of: PlannedOperator(input.node, outputs: input.outputs, profile: sorted.profile))
    else { return nil }
    var result = sorted
    result.plan.node = .sort(leading.plan, order)
    return result
  }

  private func leadingRows(_ rows: LeadingRows, of input: PlannedOperator) -> PlannedOperator? {
    let columns = rows.keys.compactMap(\.asColumn)
    let groups =
      columns.count == rows.keys.count
      ? rows.keys.isEmpty ? 1 : input.profile.groupCount(columns) : input.profile.rows / 100
    guard rows.pays(rows: input.profile.rows, groups: groups) else { return nil }
    return PlannedOperator(
      .leadingRows(input.plan, rows), outputs: input.plan.outputs, profile: input.profile)
  }

  // MARK: Limits, set operations, common table expressions

  private func planned(
    _ plan: LogicalPlan, _ input: LogicalPlan, _ limit: LimitPlan
  ) throws(SQLError) -> PlannedOperator {
    if rules.contains(.topN), limit.count != nil,
      case .sort(let below, let keys) = input
    {
      let sorted = try aiming(at: RowGoal(keys, limit)).planned(below)
      return finish(plan, .topN(sorted.plan, keys, limit), sorted.plan.outputs, [sorted])
    }
    let below = try planned(input)
    return finish(plan, .limit(below.plan, limit), below.plan.outputs, [below])
  }

  private func planned(
    _ plan: LogicalPlan, _ operation: SetOperationPlan
  ) throws(SQLError) -> PlannedOperator {
    guard operation.kind == .union else {
      let left = try planned(operation.left).exactly(operation.left.outputs)
      let right = try planned(operation.right).exactly(operation.right.outputs)
      return finish(
        plan, .setOperation(operation.kind, isAll: operation.isAll, left.plan, right.plan),
        operation.columns, [left, right])
    }
    var parts: [PlannedOperator] = []
    try collectUnion(operation, into: &parts)
    let profile = RelationProfile.united(
      parts.map { ($0.profile, $0.plan.outputs) }, as: operation.columns)
    let append = PlannedOperator(
      .append(parts.map(\.plan)), outputs: operation.columns, profile: profile)
    if operation.isAll { return append }
    let count = profile.groupCount(operation.columns.map(\.id))
    return PlannedOperator(
      .distinct(append.plan, on: nil), outputs: operation.columns,
      profile: profile.different(count)
    ).partitioned(over: profile)
  }

  /// The inputs of nested unions that can be appended in one go: all of them if repetition is kept
  /// or removed above anyway.
  private func collectUnion(
    _ operation: SetOperationPlan, into parts: inout [PlannedOperator]
  ) throws(SQLError) {
    for input in [operation.left, operation.right] {
      if case .setOperation(let inner) = input, inner.kind == .union,
        inner.isAll || !operation.isAll
      {
        try collectUnion(inner, into: &parts)
      } else {
        parts.append(try planned(input).exactly(input.outputs))
      }
    }
  }

  private func plannedCommon(_ plan: LogicalPlan) throws(SQLError) -> PlannedOperator {
    if case .withCommon(let id, let definition, let body) = plan {
      let shared = try planned(definition).exactly(definition.outputs)
      var inner = self
      inner.commons[id] = shared.profile.shared(as: definition.outputs)
      let below = try inner.planned(body)
      return PlannedOperator(
        .withCommon(id: id, definition: shared.plan, body: below.plan),
        outputs: below.plan.outputs, profile: below.profile)
    }
    if case .recursive(let recursion) = plan {
      let anchor = try planned(recursion.anchor).exactly(recursion.anchor.outputs)
      var inner = self
      inner.commons[recursion.id] = anchor.profile
      // A step that only walks on from the last rows needs no table of its own, however many rows it starts from.
      inner.prefersWalks = recursion.step.onlyWalks(from: recursion.id)
      let step = try inner.planned(recursion.step).exactly(recursion.step.outputs)
      return finish(
        plan,
        .recursive(
          id: recursion.id, anchor: anchor.plan, step: step.plan, isAll: recursion.isAll),
        recursion.columns, [anchor, step])
    }
    if case .workingTable(let id, let columns) = plan {
      return finish(plan, .workingTable(id: id), columns, [])
    }
    if case .commonReference(let id, let columns) = plan {
      return finish(plan, .commonReference(id: id), columns, [])
    }
    throw SQLError.internal("no common table expression")
  }
}

extension LogicalPlan {
  /// Whether the plan is the join of a recursion's last rows with one table.
  fileprivate func onlyWalks(from id: Int) -> Bool {
    if case .project(let input, let list) = self {
      return list.allSatisfy { $0.expression.asColumn != nil || $0.expression.isCounting }
        && input.onlyWalks(from: id)
    } else if case .join(let join) = self {
      guard join.kind.isInner, !join.isLateral, join.conditions.count == 1 else { return false }
      if case .scan = join.right { return join.left.isWorking(id) }
      if case .scan = join.left { return join.right.isWorking(id) }
      return false
    } else {
      return false
    }
  }

  /// Whether the plan gives a recursion's last rows, perhaps under conditions.
  private func isWorking(_ id: Int) -> Bool {
    if case .filter(let input, _) = self { return input.isWorking(id) }
    if case .workingTable(id, _) = self { return true }
    return false
  }
}

/// A physical operator and what is guessed of its rows.
struct PlannedOperator {
  var plan: PhysicalPlan
  var profile: RelationProfile

  init(_ node: PhysicalPlan.Node, outputs: [PlanColumn], profile: RelationProfile) {
    plan = PhysicalPlan(node, outputs: outputs, estimatedRows: profile.rows)
    self.profile = profile
  }

  /// The same rows with exactly these columns in this order.
  func exactly(_ columns: [PlanColumn]) -> PlannedOperator {
    if plan.outputs.elementsEqual(columns, by: { $0.id == $1.id }) { return self }
    return PlannedOperator(
      .project(plan, columns.map(\.reference)), outputs: columns, profile: profile)
  }
}
