import Columnar
import Diagnostics

extension Unnesting {
  /// A lateral join computed for all values of the left columns it uses at once.
  func byDomain(_ join: JoinPlan, _ outer: ColumnSet) -> LogicalPlan? {
    switch join.kind {
    case .right, .full: return nil
    case .inner, .left, .semi, .anti, .mark, .single: break
    }
    var pushing = DomainPushing(self, outer: outer, left: join.left)
    guard let right = pushing.pushed(join.right) else { return nil }
    var result = join
    result.isLateral = false
    result.left = pushing.leftSide
    result.right = right.plan
    let isMark =
      if case .mark = join.kind { true } else { false }
    let notNull = join.left.notNullColumns
    for column in pushing.domain {
      guard let value = right.values[column.id] else { return nil }
      result.conditions.append(
        !isMark && (right.isFromEquality || notNull.contains(column.id))
          ? .comparison(.equal, column.reference, value)
          : .distinct(column.reference, value, negated: true))
    }
    return pushing.wrapped(.join(result))
  }
}

/// A plan computed for many values of the outer columns at once, each row with the values it is
/// for.
struct PushedPlan {
  var plan: LogicalPlan
  /// For each outer column the column of the plan that has its value.
  var values: ColumnMap<BoundExpression>
  /// Whether the values come from an equality inside the plan, so that NULL is not among them.
  var isFromEquality = false
}

/// Moves the dependence on outer columns down a plan until nothing depends on them any more.
///
/// The different values of the outer columns, the domain, stand in a common table expression over
/// the left side. Each operator then
/// works for all of them at once, with the domain's columns among its keys. Where the plan holds
/// every outer column equal
/// to a column of its own, that column takes the domain's place, which then is not computed at all.
struct DomainPushing {
  let unnesting: Unnesting
  private let outer: ColumnSet
  private let left: LogicalPlan
  /// The outer columns that are never NULL, so that plain equality compares them.
  private let notNull: ColumnSet
  /// The outer columns, in a fixed order.
  let domain: [PlanColumn]
  private let leftID: Int
  private let domainID: Int
  private var usesDomain = false
  /// Common table expressions and recursions that have become dependent: the places of the domain's
  /// columns.
  var extended: Set<Int> = []

  init(_ unnesting: Unnesting, outer: ColumnSet, left: LogicalPlan) {
    self.unnesting = unnesting
    self.outer = outer
    self.left = left
    notNull = left.notNullColumns.intersection(outer)
    domain = left.outputs.filter { outer.contains($0.id) }
    leftID = unnesting.commons.next()
    domainID = unnesting.commons.next()
  }

  /// The left side: a reference to its definition once the domain is used, which is computed from
  /// it too.
  var leftSide: LogicalPlan {
    usesDomain ? .commonReference(id: leftID, columns: left.outputs) : left
  }

  /// The plan of the whole join, below the definitions of the left side and the domain if they are
  /// used.
  func wrapped(_ plan: LogicalPlan) -> LogicalPlan {
    guard usesDomain else { return plan }
    let columns = left.outputs
    let seen = columns.map(unnesting.fresh)
    let values = LogicalPlan.project(
      .commonReference(id: leftID, columns: seen),
      domain.map { column in
        let place = columns.firstIndex { $0.id == column.id } ?? 0
        return ProjectedColumn(unnesting.fresh(column), seen[place].reference)
      })
    let distinct =
      left.isUnique(on: outer) ? values : LogicalPlan.distinct(values, on: nil)
    return .withCommon(
      id: leftID, definition: left,
      body: .withCommon(
        id: domainID, definition: distinct, body: plan))
  }

  /// The domain, each time with columns of its own.
  private mutating func domainPlan() -> PushedPlan {
    usesDomain = true
    let columns = domain.map(unnesting.fresh)
    var values: ColumnMap<BoundExpression> = [:]
    for (column, own) in zip(domain, columns) { values[column.id] = own.reference }
    return PushedPlan(plan: .commonReference(id: domainID, columns: columns), values: values)
  }

  func isDependent(_ plan: LogicalPlan) -> Bool {
    if !plan.freeColumns.isDisjoint(with: outer) { return true }
    if extended.isEmpty { return false }
    return plan.contains { part in
      switch part {
      case .commonReference(let id, _), .workingTable(let id, _): extended.contains(id)
      case .scan, .values, .filter, .project, .projectSet, .join, .path, .aggregate, .window, .sort,
        .limit, .distinct, .setOperation, .recursive, .withCommon, .tableFunction, .modify:
        false
      }
    }
  }

  private func isDependent(_ expression: BoundExpression) -> Bool {
    !expression.columns.isDisjoint(with: outer)
  }

  // MARK: Operators

  /// The plan for all values of the domain; nil where some operator cannot be computed that way.
  mutating func pushed(_ plan: LogicalPlan) -> PushedPlan? {
    guard isDependent(plan) else {
      let domain = domainPlan()
      return PushedPlan(
        plan: .join(JoinPlan(.inner, domain.plan, plan, on: [])), values: domain.values)
    }
    switch plan {
    case .filter(let input, let conditions):
      return pushedFilter(input, conditions.flatMap(\.conjuncts))
    case .project(let input, let columns):
      guard let below = pushed(input) else { return nil }
      let projected = columns.map {
        ProjectedColumn($0.column, $0.expression.replacing(below.values))
      }
      return passing(below) { .project($0, projected + $1) }
    case .projectSet(let input, let columns, let calls):
      guard let below = pushed(input) else { return nil }
      let projected = columns.map {
        ProjectedColumn($0.column, $0.expression.replacing(below.values))
      }
      var mapped = calls
      for index in mapped.indices {
        mapped[index].arguments = calls[index].arguments.map { $0.replacing(below.values) }
      }
      return passing(below) { .projectSet($0, projected + $1, mapped) }
    case .join(let join): return pushedJoin(join)
    case .path(var path):
      let others = [path.target] + path.conditions + path.links + path.costs
      guard others.allSatisfy({ $0.freeColumns.isDisjoint(with: outer) }),
        plan.expressions.allSatisfy({ !isDependent($0) }), var below = pushed(path.input)
      else { return nil }
      path.input = below.plan
      below.plan = .path(path)
      return below
    case .aggregate(let aggregate): return pushedAggregate(aggregate)
    case .window(let input, let calls): return pushedWindow(input, calls)
    case .sort(let input, let keys):
      guard var below = pushed(input) else { return nil }
      below.plan = .sort(below.plan, keys.map { $0.replacing(below.values) })
      return below
    case .limit(let input, let limit): return pushedLimit(input, limit)
    case .distinct(let input, let on): return pushedDistinct(input, on)
    case .setOperation(let operation): return pushedSetOperation(operation)
    case .tableFunction(let function): return pushedFunction(function)
    case .values(let rows, let columns):
      guard rows.count == 1, let row = rows.first else { return nil }
      let below = domainPlan()
      let projected = zip(columns, row).map {
        ProjectedColumn($0, $1.replacing(below.values))
      }
      return passing(below) { .project($0, projected + $1) }
    case .withCommon(let id, let definition, let body):
      return pushedCommon(id, definition, body)
    case .commonReference(let id, let columns):
      let own = domain.map(unnesting.fresh)
      return PushedPlan(
        plan: .commonReference(id: id, columns: columns + own), values: values(own))
    case .workingTable(let id, let columns):
      let own = domain.map(unnesting.fresh)
      return PushedPlan(plan: .workingTable(id: id, columns: columns + own), values: values(own))
    case .recursive(let recursion): return pushedRecursion(recursion)
    case .scan, .modify: return nil
    }
  }

  private mutating func pushedWindow(
    _ input: LogicalPlan, _ calls: [(column: PlanColumn, call: WindowCall)]
  ) -> PushedPlan? {
    guard let below = pushed(input) else { return nil }
    var mapped = calls
    for index in mapped.indices {
      mapped[index].call = calls[index].call.mapOperands { $0.replacing(below.values) }
      mapped[index].call.partitionBy += values(of: below)
    }
    return PushedPlan(
      plan: .window(below.plan, mapped), values: below.values,
      isFromEquality: below.isFromEquality)
  }

  private mutating func pushedDistinct(
    _ input: LogicalPlan, _ on: [BoundExpression]?
  ) -> PushedPlan? {
    guard var below = pushed(input) else { return nil }
    if let on {
      below.plan = .distinct(
        below.plan, on: on.map { $0.replacing(below.values) } + values(of: below))
    } else {
      let wanted = input.outputs.map { ProjectedColumn($0, $0.reference) }
      below = passing(below) { .project($0, wanted + $1) }
      below.plan = .distinct(below.plan, on: nil)
    }
    return below
  }

  private mutating func pushedFunction(_ plan: TableFunctionPlan) -> PushedPlan? {
    var function = plan
    guard let below = plan.input == nil ? domainPlan() : plan.input.flatMap({ pushed($0) }) else {
      return nil
    }
    function.input = below.plan
    for index in function.calls.indices {
      function.calls[index].arguments = plan.calls[index].arguments.map {
        $0.replacing(below.values)
      }
    }
    return PushedPlan(
      plan: .tableFunction(function), values: below.values, isFromEquality: below.isFromEquality)
  }

  private func values(of plan: PushedPlan) -> [BoundExpression] {
    domain.compactMap { plan.values[$0.id] }
  }

  func values(_ columns: [PlanColumn]) -> ColumnMap<BoundExpression> {
    var result: ColumnMap<BoundExpression> = [:]
    for (column, own) in zip(domain, columns) { result[column.id] = own.reference }
    return result
  }

  /// A projection made by `operator` that also hands up the columns that the domain's values stand
  /// in.
  func passing(
    _ below: PushedPlan, _ make: (LogicalPlan, [ProjectedColumn]) -> LogicalPlan
  ) -> PushedPlan {
    let columns = domain.map(unnesting.fresh)
    var kept: [ProjectedColumn] = []
    for (column, own) in zip(domain, columns) {
      if let value = below.values[column.id] { kept.append(ProjectedColumn(own, value)) }
    }
    return PushedPlan(
      plan: make(below.plan, kept), values: values(columns), isFromEquality: below.isFromEquality)
  }

  private mutating func pushedFilter(
    _ input: LogicalPlan, _ conditions: [BoundExpression]
  ) -> PushedPlan? {
    if let equated = equated(input, conditions) { return equated }
    guard var below = pushed(input) else { return nil }
    below.plan = below.plan.filtered(conditions.map { $0.replacing(below.values) })
    return below
  }

  /// A filter that holds every outer column equal to something of an independent input.
  private func equated(_ input: LogicalPlan, _ conditions: [BoundExpression]) -> PushedPlan? {
    guard !isDependent(input) else { return nil }
    let own = input.outputIDs
    var values: ColumnMap<BoundExpression> = [:]
    var rest: [BoundExpression] = []
    for condition in conditions {
      var isUsed = false
      if case .comparison(.equal, let first, let second) = condition {
        for (one, two) in [(first, second), (second, first)] where !isUsed {
          if let column = one.asColumn, outer.contains(column), values[column] == nil,
            two.type == one.type, two.type.equalsOnlyItself, !two.columns.isEmpty,
            two.columns.isSubset(of: own),
            !two.isVolatile
          {
            values[column] = two
            isUsed = true
          }
        }
      }
      if !isUsed { rest.append(condition) }
    }
    guard values.count == domain.count else { return nil }
    rest = rest.map { $0.replacing(values) }
    let known = input.notNullColumns
    for value in domain.compactMap({ values[$0.id] })
    where !(value.asColumn.map(known.contains) ?? false) {
      // What is equal to nothing is not to meet a NULL that the values are compared with later.
      rest.append(.isNull(value, negated: true))
    }
    let plan = input.filtered(rest)
    if values.values.allSatisfy({ $0.asColumn != nil }) {
      return PushedPlan(
        plan: plan, values: values, isFromEquality: true)
    }
    let kept = input.outputs.map { ProjectedColumn($0, $0.reference) }
    return passing(PushedPlan(plan: plan, values: values, isFromEquality: true)) {
      .project($0, kept + $1)
    }
  }

  private mutating func pushedJoin(_ plan: JoinPlan) -> PushedPlan? {
    guard !plan.isLateral else { return nil }
    var join = plan
    let inRight = isDependent(plan.right)
    let inConditions = plan.conditions.contains(where: isDependent)
    switch plan.kind {
    case .inner:
      if inConditions {
        var plain = plan
        plain.conditions = plan.conditions.filter { !isDependent($0) }
        return pushedFilter(.join(plain), plan.conditions.filter(isDependent))
      }
      if !inRight {
        guard let below = pushed(plan.left) else { return nil }
        join.left = below.plan
        return PushedPlan(
          plan: .join(join), values: below.values, isFromEquality: below.isFromEquality)
      }
      if !isDependent(plan.left) {
        guard let below = pushed(plan.right) else { return nil }
        join.right = below.plan
        return PushedPlan(
          plan: .join(join), values: below.values, isFromEquality: below.isFromEquality)
      }
      return pushedBoth(join)
    case .left, .semi, .anti, .mark, .single:
      if inRight { return pushedBoth(join) }
      guard let below = pushed(plan.left) else { return nil }
      join.left = below.plan
      join.conditions = plan.conditions.map { $0.replacing(below.values) }
      return PushedPlan(
        plan: .join(join), values: below.values, isFromEquality: below.isFromEquality)
    case .right, .full: return nil
    }
  }

  /// Both sides for the domain, joined on its values besides their own conditions.
  private mutating func pushedBoth(_ plan: JoinPlan) -> PushedPlan? {
    guard let left = pushed(plan.left), let right = pushed(plan.right) else { return nil }
    var join = plan
    join.left = left.plan
    join.right = right.plan
    join.conditions = plan.conditions.map { $0.replacing(left.values) }
    let isMark =
      if case .mark = plan.kind { true } else { false }
    for column in domain {
      guard let one = left.values[column.id], let two = right.values[column.id] else { return nil }
      join.conditions.append(
        notNull.contains(column.id) && !isMark
          ? .comparison(.equal, one, two) : .distinct(one, two, negated: true))
    }
    return PushedPlan(
      plan: .join(join), values: left.values, isFromEquality: left.isFromEquality)
  }

  private mutating func pushedAggregate(_ plan: AggregatePlan) -> PushedPlan? {
    if plan.groupingSets != nil { return nil }
    if plan.keys.isEmpty {
      // Groups without rows count too: they come from the domain.
      let all = domainPlan()
      var renamed: ColumnMap<BoundExpression> = [:]
      guard let below = pushed(plan.input),
        let joined = joined(all.plan, plan, over: below, keyedBy: all.values, renamed: &renamed)
      else { return nil }
      let columns = plan.aggregates.map {
        ProjectedColumn($0.column, renamed[$0.column.id] ?? $0.column.reference)
      }
      return passing(PushedPlan(plan: joined, values: all.values)) { .project($0, columns + $1) }
    }
    guard let below = pushed(plan.input) else { return nil }
    let grouped = grouped(plan, over: below)
    return PushedPlan(
      plan: .aggregate(grouped.0), values: grouped.1, isFromEquality: below.isFromEquality)
  }

  /// The aggregate over a pushed input, with the domain's values behind its keys.
  private func grouped(
    _ plan: AggregatePlan, over below: PushedPlan
  ) -> (AggregatePlan, ColumnMap<BoundExpression>) {
    var aggregate = plan
    aggregate.input = below.plan
    aggregate.keys = plan.keys.map {
      ProjectedColumn($0.column, $0.expression.replacing(below.values))
    }
    let columns = domain.map(unnesting.fresh)
    for (column, own) in zip(domain, columns) {
      if let value = below.values[column.id] { aggregate.keys.append(ProjectedColumn(own, value)) }
    }
    for index in aggregate.aggregates.indices {
      let call = BoundExpression.aggregate(plan.aggregates[index].call)
      if case .aggregate(let mapped) = call.replacing(below.values) {
        aggregate.aggregates[index].call = mapped
      }
    }
    return (aggregate, values(columns))
  }

  /// A left join of the left side with an aggregate without keys, and by what its columns are to be
  /// replaced.
  mutating func joined(
    _ aggregate: AggregatePlan
  ) -> (LogicalPlan, ColumnMap<BoundExpression>)? {
    if !isDependent(.aggregate(aggregate)) {
      return (.join(JoinPlan(.inner, left, .aggregate(aggregate), on: [])), [:])
    }
    var keys: ColumnMap<BoundExpression> = [:]
    for column in domain { keys[column.id] = column.reference }
    var renamed: ColumnMap<BoundExpression> = [:]
    guard let below = pushed(aggregate.input),
      let plan = joined(leftSide, aggregate, over: below, keyedBy: keys, renamed: &renamed)
    else { return nil }
    return (plan, renamed)
  }

  private func joined(
    _ rows: LogicalPlan, _ plan: AggregatePlan, over below: PushedPlan,
    keyedBy keys: ColumnMap<BoundExpression>, renamed: inout ColumnMap<BoundExpression>
  ) -> LogicalPlan? {
    let (aggregate, values) = grouped(plan, over: below)
    var conditions: [BoundExpression] = []
    for column in domain {
      guard let key = keys[column.id], let value = values[column.id] else { return nil }
      conditions.append(
        below.isFromEquality || notNull.contains(column.id)
          ? .comparison(.equal, key, value) : .distinct(key, value, negated: true))
    }
    for item in plan.aggregates where Self.givesZero(item.call) {
      renamed[item.column.id] = .coalesce(
        [item.column.reference, .constant(.int64(0), item.call.type)], item.call.type)
    }
    return .join(JoinPlan(.left, rows, .aggregate(aggregate), on: conditions))
  }

  /// Whether the aggregate of no rows is 0 and not NULL.
  private static func givesZero(_ call: AggregateCall) -> Bool {
    call.name == "count" || call.name == "regr_count"
  }

  /// LIMIT for each value of the domain: rows numbered in their order.
  private mutating func pushedLimit(_ input: LogicalPlan, _ limit: LimitPlan) -> PushedPlan? {
    guard limit.ties == nil, let below = pushed(input.withoutSort) else { return nil }
    var keys: [SortKey] = []
    if let own = input.sortKeys { keys = own.map { $0.replacing(below.values) } }
    let number = unnesting.factory.make("row_number", .bigint)
    let call = Unnesting.rowNumber(partitionBy: values(of: below), orderBy: keys)
    var conditions: [BoundExpression] = []
    if let offset = limit.offset {
      guard offset.type == .bigint, offset.asConstant != nil else { return nil }
      if !(offset.asConstant?.isNull ?? true) {
        conditions.append(.comparison(.greater, number.reference, offset))
      }
    }
    if let count = limit.count {
      guard count.type == .bigint, case .int64(let rows)? = count.asConstant else { return nil }
      var first: Int64 = 0
      if case .int64(let skipped)? = limit.offset?.asConstant { first = max(0, skipped) }
      let (last, overflow) = first.addingReportingOverflow(max(0, rows))
      if !overflow {
        conditions.append(
          .comparison(.lessOrEqual, number.reference, .constant(.int64(last), .bigint)))
      }
    }
    return PushedPlan(
      plan: LogicalPlan.window(below.plan, [(number, call)]).filtered(conditions),
      values: below.values, isFromEquality: below.isFromEquality)
  }
}

extension SortKey {
  fileprivate func replacing(_ values: ColumnMap<BoundExpression>) -> SortKey {
    SortKey(expression.replacing(values), isDescending: isDescending, nullsFirst: nullsFirst)
  }
}

extension LogicalPlan {
  /// The keys by which the rows come sorted, looking through projections that pass them on.
  fileprivate var sortKeys: [SortKey]? {
    if case .sort(_, let keys) = self { return keys }
    if case .project(let input, let columns) = self {
      guard let keys = input.sortKeys else { return nil }
      var renamed: ColumnMap<BoundExpression> = [:]
      for column in columns {
        if let source = column.expression.asColumn { renamed[source] = column.column.reference }
      }
      // Keys that the projection drops are put back by `withoutSort`.
      return keys.map { $0.replacing(renamed) }
    }
    return nil
  }

  /// The same rows with the sort on top taken away; columns that it sorts by are passed through
  /// projections.
  fileprivate var withoutSort: LogicalPlan {
    if case .sort(let input, _) = self { return input }
    if case .project(let input, let columns) = self {
      guard let keys = input.sortKeys else { return self }
      var needed: ColumnSet = []
      for key in keys { key.expression.collectColumns(into: &needed) }
      for column in columns {
        if let source = column.expression.asColumn { needed.remove(source) }
      }
      let below = input.withoutSort
      let added = below.outputs.filter { needed.contains($0.id) }
      return .project(below, columns + added.map { ProjectedColumn($0, $0.reference) })
    }
    return self
  }
}
