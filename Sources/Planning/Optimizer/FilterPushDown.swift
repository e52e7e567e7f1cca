import Columnar

/// Moves conditions as near to the tables as they can go.
///
/// On its way a condition may make an outer join an inner or an anti-join (`OuterJoinAsInner`), and
/// conditions of the form
/// column = constant are passed on along equalities (`EqualityTransitivity`). A volatile condition
/// stays where it was written.
struct FilterPushDown {
  let rules: OptimizerRules
  /// Whether a join somewhere in the plan may add NULLs.
  private(set) var mayAddNulls = true

  init(rules: OptimizerRules) { self.rules = rules }

  func pushed(_ plan: LogicalPlan) -> LogicalPlan {
    var pushDown = self
    pushDown.mayAddNulls = plan.contains(where: \.addsNulls)
    return pushDown.push([], into: plan)
  }

  /// The rows of `plan` that meet `conditions`.
  func push(_ conditions: [BoundExpression], into plan: LogicalPlan) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan.filtered(conditions) }
    if conditions.contains(where: \.isNeverTrue), !plan.contains(where: \.changesData) {
      return .values(rows: [], columns: plan.outputs)
    }
    switch plan {
    case .filter(let input, let own):
      let parts = own.flatMap(\.conjuncts)
      let fixed = parts.filter(\.isVolatile)
      if fixed.isEmpty { return push(conditions + parts, into: input) }
      // What is volatile is evaluated for the rows that all else has let through.
      let moving = (conditions + parts).filter { !$0.isVolatile }
      return push(moving, into: input).filtered(fixed)
    case .scan(var scan):
      let own = scan.filters
      let all = (own + conditions).withoutRepetition
      if all.count != own.count || !conditions.isEmpty { scan.filters = all }
      return emptied(.scan(scan), by: all)
    case .project(let input, let columns):
      let (moving, staying) = split(conditions, through: columns)
      return LogicalPlan.project(push(moving, into: input), columns).filtered(staying)
    case .projectSet(let input, let columns, let calls):
      let made = ColumnSet(calls.flatMap(\.columns).map(\.id))
      let fixed = conditions.filter { $0.uses(made) }
      let (moving, staying) = split(
        conditions.filter { !$0.uses(made) }, through: columns)
      return LogicalPlan.projectSet(push(moving, into: input), columns, calls)
        .filtered(staying + fixed)
    case .join(let join): return pushed(join, conditions)
    case .path(let path): return pushed(path, conditions)
    case .aggregate(let aggregate): return pushed(aggregate, conditions)
    case .window(let input, let calls): return pushed(input, calls, conditions)
    case .sort(let input, let keys): return .sort(push(conditions, into: input), keys)
    case .distinct(let input, on: nil):
      return .distinct(
        push(conditions, into: input).restricted(to: input.outputs), on: nil)
    case .distinct(let input, let on?):
      let keys = ColumnSet(on.compactMap(\.asColumn))
      let moving = conditions.filter { $0.usesOnly(keys) && !$0.columns.isEmpty }
      let staying = conditions.filter { !$0.usesOnly(keys) || $0.columns.isEmpty }
      return LogicalPlan.distinct(push(moving, into: input), on: on).filtered(staying)
    case .setOperation(let operation): return pushed(operation, conditions)
    case .withCommon(let id, let definition, let body):
      return .withCommon(
        id: id, definition: push([], into: definition).restricted(to: definition.outputs),
        body: push(conditions, into: body))
    case .recursive(var recursion):
      recursion.anchor = push([], into: recursion.anchor).restricted(to: recursion.anchor.outputs)
      recursion.step = push([], into: recursion.step).restricted(to: recursion.step.outputs)
      return LogicalPlan.recursive(recursion).filtered(conditions)
    case .tableFunction(var function):
      function = function.mapGraphPlans { push([], into: $0).restricted(to: $0.outputs) }
      guard let input = function.input else {
        return LogicalPlan.tableFunction(function).filtered(conditions)
      }
      let own = input.outputIDs
      let moving = conditions.filter { $0.usesOnly(own) && !$0.columns.isEmpty }
      let staying = conditions.filter { !$0.usesOnly(own) || $0.columns.isEmpty }
      function.input = push(moving, into: input)
      return LogicalPlan.tableFunction(function).filtered(staying)
    case .limit(let input, let limit):
      return LogicalPlan.limit(push([], into: input), limit).filtered(conditions)
    case .modify(var modify):
      modify.input = push([], into: modify.input).restricted(to: modify.input.outputs)
      return LogicalPlan.modify(modify).filtered(conditions)
    case .values, .workingTable, .commonReference:
      return emptied(plan.filtered(conditions.withoutRepetition), by: conditions)
    }
  }

  /// No rows at all where a condition is the constant FALSE.
  func emptied(_ plan: LogicalPlan, by conditions: [BoundExpression]) -> LogicalPlan {
    conditions.contains(where: \.isNeverTrue) ? .values(rows: [], columns: plan.outputs) : plan
  }

  /// The conditions over the input of a projection, and those that need a column that cannot be
  /// computed twice.
  private func split(
    _ conditions: [BoundExpression], through columns: [ProjectedColumn]
  ) -> (moving: [BoundExpression], staying: [BoundExpression]) {
    var expressions: ColumnMap<BoundExpression> = [:]
    var fixed: ColumnSet = []
    for column in columns {
      if column.expression.isVolatile || column.expression.evaluationCost > Self.costLimit {
        fixed.insert(column.column.id)
      }
      expressions[column.column.id] = column.expression
    }
    var moving: [BoundExpression] = []
    var staying: [BoundExpression] = []
    for condition in conditions {
      if !condition.uses(fixed) {
        moving.append(condition.replacing(expressions))
      } else {
        staying.append(condition)
      }
    }
    return (moving, staying)
  }

  /// What an expression may cost to be computed once in a condition and once more in the projection
  /// above it.
  private static let costLimit = 200.0

  /// A condition on one side of a path is one on its first or last vertex: no path between other vertices can meet it,
  /// and which paths are chosen between two vertices does not depend on it.
  private func pushed(_ plan: PathPlan, _ conditions: [BoundExpression]) -> LogicalPlan {
    var path = plan
    let (input, target) = (plan.input.outputIDs, plan.target.outputIDs)
    var (first, last, staying) = ([BoundExpression](), [BoundExpression](), [BoundExpression]())
    for condition in conditions {
      let columns = condition.columns
      if columns.isSubset(of: input), !columns.isEmpty {
        first.append(condition)
      } else if columns.isSubset(of: target), !columns.isEmpty {
        last.append(condition)
      } else {
        staying.append(condition)
      }
    }
    path.input = push(first, into: plan.input)
    path.target = push(last, into: plan.target)
    path.conditions = plan.conditions.map { push([], into: $0).restricted(to: $0.outputs) }
    path.links = plan.links.map { push([], into: $0).restricted(to: $0.outputs) }
    path.costs = plan.costs.map { push([], into: $0).restricted(to: $0.outputs) }
    return LogicalPlan.path(path).filtered(staying)
  }

  // MARK: Operators over groups of rows

  private func pushed(
    _ aggregate: AggregatePlan, _ conditions: [BoundExpression]
  ) -> LogicalPlan {
    var result = aggregate
    guard aggregate.groupingSets == nil, !aggregate.keys.isEmpty else {
      result.input = push([], into: aggregate.input)
      return emptied(
        LogicalPlan.aggregate(result).filtered(conditions), by: conditions)
    }
    var conditions = conditions
    var ofRows: [BoundExpression] = []
    if rules.contains(.groupsOfMatches) {
      ofRows = GroupsOfMatches.narrow(&result.input, of: aggregate, by: &conditions)
    }
    let keys = ColumnSet(aggregate.keys.map(\.column.id))
    let ofOthers = conditions.filter { !$0.usesOnly(keys) }
    // What an alternative says of the keys alone drops groups before they are made; it is asked in full above them.
    let implied = ofOthers.flatMap { ImpliedDisjunction.derived($0, keys) }
    let (moving, staying) = split(
      conditions.filter { $0.usesOnly(keys) } + implied, through: aggregate.keys)
    result.input = push(moving + ofRows, into: result.input)
    return LogicalPlan.aggregate(result).filtered(staying + ofOthers)
  }

  private func pushed(
    _ input: LogicalPlan, _ calls: [(column: PlanColumn, call: WindowCall)],
    _ conditions: [BoundExpression]
  ) -> LogicalPlan {
    // A condition on what every call partitions by takes away whole partitions.
    var shared = input.outputIDs
    for (_, call) in calls { shared.formIntersection(call.partitionBy.compactMap(\.asColumn)) }
    let moving = conditions.filter { $0.usesOnly(shared) && !$0.columns.isEmpty }
    let staying = conditions.filter { !$0.usesOnly(shared) || $0.columns.isEmpty }
    return LogicalPlan.window(push(moving, into: input), calls).filtered(staying)
  }

  private func pushed(
    _ operation: SetOperationPlan, _ conditions: [BoundExpression]
  ) -> LogicalPlan {
    var result = operation
    func side(_ input: LogicalPlan) -> LogicalPlan {
      var columns: ColumnMap<BoundExpression> = [:]
      for (column, own) in zip(operation.columns, input.outputs) {
        columns[column.id] = own.reference
      }
      return push(conditions.map { $0.replacing(columns) }, into: input)
        .restricted(to: input.outputs)
    }
    result.left = side(operation.left)
    result.right = side(operation.right)
    return .setOperation(result)
  }
}

extension BoundExpression {
  /// Whether the condition is the constant FALSE or NULL.
  var isNeverTrue: Bool {
    switch asConstant {
    case .boolean(false), .null: true
    case .boolean, .int16, .int32, .int64, .float, .double, .numeric, .interval, .uuid, .text,
      .list, .record, nil:
      false
    }
  }
}

extension LogicalPlan {
  /// Whether this is a change of data.
  var changesData: Bool {
    if case .modify = self { return true }
    return false
  }
}
