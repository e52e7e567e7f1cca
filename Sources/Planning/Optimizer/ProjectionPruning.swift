import Columnar

/// Takes away what nobody uses: columns of scans and projections, aggregates, window calls, whole
/// joins (`JoinRemoval`).
///
/// An operator may hand up more than is needed; where columns count by number, they are restricted.
struct ProjectionPruning {
  let rules: OptimizerRules
  private let uses = CommonUses()

  init(rules: OptimizerRules) { self.rules = rules }

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    pruned(plan, plan.outputIDs).restricted(to: plan.outputs)
  }

  /// The plan with all of its own columns, pruned below.
  private func whole(_ plan: LogicalPlan) -> LogicalPlan { applied(plan) }

  private func pruned(_ plan: LogicalPlan, _ needed: ColumnSet) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan }
    switch plan {
    case .scan(var scan):
      let used = needed.union(scan.filters.columns)
      if scan.columnIDs.isSubset(of: used) { return plan }
      scan.columns.removeAll { !used.contains($0.column.id) }
      return .scan(scan)
    case .filter(let input, let conditions):
      return .filter(pruned(input, needed.union(conditions.columns)), conditions)
    case .project(let input, let columns): return pruned(input, columns, needed)
    case .projectSet(let input, let columns, let calls):
      let kept = columns.filter { needed.contains($0.column.id) || $0.expression.isVolatile }
      let used = kept.map(\.expression).columns.union(calls.flatMap(\.arguments).columns)
      return .projectSet(pruned(input, used), kept, calls)
    case .join(let join): return pruned(join, needed)
    case .path(var path):
      path.outputs.removeAll { !needed.contains($0.column.id) }
      path.input = pruned(path.input, needed.union([path.start]))
      path.target = pruned(path.target, needed.union([path.end]))
      path.conditions = path.conditions.map(whole)
      path.links = path.links.map(whole)
      path.costs = path.costs.map(whole)
      return .path(path)
    case .aggregate(let aggregate): return pruned(aggregate, needed)
    case .window(let input, let calls):
      let kept = calls.filter { needed.contains($0.column.id) }
      var used = needed
      for (_, call) in kept { used.formUnion(BoundExpression.window(call).columns) }
      let below = pruned(input, used)
      return kept.isEmpty ? below : .window(below, kept)
    case .sort(let input, let keys):
      return .sort(pruned(input, needed.union(keys.map(\.expression).columns)), keys)
    case .limit(let input, let limit):
      let ties = limit.ties?.map(\.expression).columns ?? []
      return .limit(pruned(input, needed.union(ties)), limit)
    case .distinct(let input, on: nil): return .distinct(whole(input), on: nil)
    case .distinct(let input, let on?):
      return .distinct(pruned(input, needed.union(on.columns)), on: on)
    case .setOperation(let operation): return pruned(operation, needed)
    case .recursive(var recursion):
      recursion.anchor = whole(recursion.anchor)
      recursion.step = whole(recursion.step)
      return .recursive(recursion)
    case .withCommon(let id, let definition, let body):
      return prunedCommon(id, definition, pruned(body, needed))
    case .tableFunction(var function):
      if let input = function.input {
        function.input = pruned(
          input, needed.union(function.calls.flatMap(\.arguments).columns))
      }
      for index in function.calls.indices {
        let columns = function.calls[index].columns
        function.calls[index].graph?.unused = Set(
          columns.indices.filter { !needed.contains(columns[$0].id) })
      }
      return .tableFunction(function.mapGraphPlans { whole($0) })
    case .modify(var modify):
      modify.input = whole(modify.input)
      return .modify(modify)
    case .commonReference(let id, let columns):
      uses.add(id, columns.indices.filter { needed.contains(columns[$0].id) })
      return plan
    case .values, .workingTable: return plan
    }
  }

  /// A common table expression without the columns that no reference in its (pruned) body uses.
  private func prunedCommon(
    _ id: Int, _ definition: LogicalPlan, _ body: LogicalPlan
  ) -> LogicalPlan {
    let columns = definition.outputs
    let used = uses.places(id)
    if case .modify = definition {
      return .withCommon(id: id, definition: whole(definition), body: body)
    }
    // One column stays, so that what is kept has something to stand in.
    let kept = used.isEmpty ? Array(columns.indices.prefix(1)) : used
    if kept.count == columns.count {
      return .withCommon(id: id, definition: whole(definition), body: body)
    }
    let wanted = kept.map { columns[$0] }
    return .withCommon(
      id: id,
      definition: pruned(definition, wanted.ids).restricted(to: wanted),
      body: body.keepingColumns(kept, ofReferencesTo: id))
  }

  // MARK: Projections

  private func pruned(
    _ input: LogicalPlan, _ columns: [ProjectedColumn], _ needed: ColumnSet
  ) -> LogicalPlan {
    let kept = columns.filter { needed.contains($0.column.id) || $0.expression.isVolatile }
    // Nothing is computed: what is below can be handed up as it is.
    if kept.allSatisfy({ $0.expression.asColumn == $0.column.id }) {
      return pruned(input, ColumnSet(kept.map(\.column.id)))
    }
    if case .project(let source, let inner) = input,
      let merged = merged(kept, over: inner)
    {
      return pruned(source, merged, needed)
    }
    return .project(pruned(input, kept.map(\.expression).columns), kept)
  }

  /// Two projections as one, unless something dear or volatile would then be computed more than
  /// once.
  private func merged(
    _ outer: [ProjectedColumn], over inner: [ProjectedColumn]
  ) -> [ProjectedColumn]? {
    var uses: ColumnMap<Int> = [:]
    for column in outer {
      _ = column.expression.contains { part in
        if let id = part.asColumn { uses[id, default: 0] += 1 }
        return false
      }
    }
    var expressions: ColumnMap<BoundExpression> = [:]
    for column in inner {
      if column.expression.isVolatile { return nil }
      let isFree = column.expression.asColumn != nil || column.expression.asConstant != nil
      if !isFree, uses[column.column.id, default: 0] > 1 { return nil }
      expressions[column.column.id] = column.expression
    }
    return outer.map { ProjectedColumn($0.column, $0.expression.replacing(expressions)) }
  }

  // MARK: Joins

  private func pruned(_ plan: JoinPlan, _ needed: ColumnSet) -> LogicalPlan {
    var join = plan
    if rules.contains(.joinRemoval), JoinRemoval.isUseless(join, needed) {
      return pruned(join.left, needed)
    }
    var used = needed.union(join.conditions.columns)
    if join.isLateral { used.formUnion(join.right.freeColumns) }
    join.left = pruned(join.left, used)
    join.right = pruned(join.right, used)
    return .join(join.withoutNewNames)
  }

  private func pruned(_ plan: AggregatePlan, _ needed: ColumnSet) -> LogicalPlan {
    var aggregate = plan
    aggregate.aggregates.removeAll { !needed.contains($0.column.id) }
    // An aggregate of nothing has one row without columns.
    if aggregate.keys.isEmpty, aggregate.aggregates.isEmpty, aggregate.groupings.isEmpty,
      aggregate.groupingSets == nil
    {
      return .oneRow
    }
    var used = aggregate.keys.map(\.expression).columns
    for item in aggregate.aggregates {
      used.formUnion(item.call.columns)
    }
    aggregate.input = pruned(aggregate.input, used)
    return .aggregate(aggregate)
  }

  private func pruned(_ plan: SetOperationPlan, _ needed: ColumnSet) -> LogicalPlan {
    var operation = plan
    guard plan.kind == .union, plan.isAll else {
      operation.left = whole(plan.left)
      operation.right = whole(plan.right)
      return .setOperation(operation)
    }
    let places = plan.columns.indices.filter { needed.contains(plan.columns[$0].id) }
    func side(_ input: LogicalPlan) -> LogicalPlan {
      let columns = input.outputs
      let kept = places.map { columns[$0] }
      return pruned(input, kept.ids).restricted(to: kept)
    }
    operation.left = side(plan.left)
    operation.right = side(plan.right)
    operation.columns = places.map { plan.columns[$0] }
    return .setOperation(operation)
  }
}

/// Which columns of common table expressions are used, gathered while what refers to them is
/// pruned.
private final class CommonUses {
  private var byID: [Int: Set<Int>] = [:]

  func add(_ id: Int, _ places: [Int]) { byID[id, default: []].formUnion(places) }

  func places(_ id: Int) -> [Int] { (byID[id] ?? []).sorted() }
}

extension LogicalPlan {
  /// The same plan with references to a common table expression reduced to some of its columns.
  fileprivate func keepingColumns(_ kept: [Int], ofReferencesTo id: Int) -> LogicalPlan {
    if case .commonReference(id, let columns) = self {
      return .commonReference(id: id, columns: kept.map { columns[$0] })
    }
    return mapInputs { $0.keepingColumns(kept, ofReferencesTo: id) }
  }
}

extension [BoundExpression] {
  /// The columns that the expressions use.
  package var columns: ColumnSet {
    var found: ColumnSet = []
    for expression in self { expression.collectColumns(into: &found) }
    return found
  }
}

extension JoinPlan {
  /// The same over the right side's own columns, where nothing of that side comes out and all that is done to it is to name its
  /// columns anew: a table is then seen as one.
  fileprivate var withoutNewNames: JoinPlan {
    guard kind.onlyLooksForMatch, !isLateral, case .project(let input, let list) = right,
      list.allSatisfy({ $0.expression.asColumn != nil }),
      left.outputIDs.isDisjoint(with: input.outputIDs)
    else { return self }
    var names: ColumnMap<BoundExpression> = [:]
    for column in list { names[column.column.id] = column.expression }
    var result = self
    result.right = input
    result.conditions = conditions.map { $0.replacing(names) }
    return result
  }
}
