import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// The operators of a SELECT above its filter or grouping, in the order that SQL prescribes.
  func assemble(
    _ parts: SelectParts, _ query: SelectStatement, in scope: Scope
  ) throws(SQLError) -> BoundQuery {
    var plan = addMarkers(of: scope, to: parts.input)
    if !scope.windowCalls.isEmpty {
      let keys = scope.windowCalls.flatMap {
        $0.call.partitionBy + $0.call.orderBy.map(\.expression)
      }
      plan = addSetCalls(usedBy: keys, to: plan, in: scope)
      plan = .window(plan, scope.windowCalls)
    }
    if sortsBeforeSets(parts, in: scope) {
      return try assembleSorted(parts, query, over: plan, in: scope)
    }
    for calls in scope.setCalls where !calls.isEmpty { plan = addSetCalls(calls, to: plan) }

    for query in scope.setQueries {
      plan = join(.inner, plan, query.plan, on: [], isLateral: true)
    }
    let visible = project(parts.items + parts.hidden, over: plan)
    plan = .project(plan, visible)
    let columns = visible.prefix(parts.items.count).map(\.column)
    var keys: [SortKey] = []
    for (item, key) in parts.sort {
      let column = visible[item].column
      keys.append(
        SortKey(
          try ordered(.column(column.id, column.type), as: parts.output(item)),
          isDescending: key.isDescending, nullsFirst: key.nullsFirst))
    }
    if let on = parts.distinctOn, on.isEmpty { plan = .distinct(plan, on: nil) }
    if !keys.isEmpty { plan = .sort(plan, keys) }
    if let on = parts.distinctOn, !on.isEmpty {
      plan = .distinct(plan, on: on.map { .column(visible[$0].column.id, visible[$0].column.type) })
    }
    plan = try limit(plan, by: query, keys: keys, outer: scope)
    if !parts.hidden.isEmpty {
      plan = .project(plan, columns.map { ProjectedColumn($0, .column($0.id, $0.type)) })
    }
    return BoundQuery(plan: plan, columns: Array(columns), ranges: parts.items.map(\.range))
  }

  /// A column of a value as what orders it.
  private func ordered(
    _ column: BoundExpression, as item: OutputItem
  ) throws(SQLError) -> BoundExpression {
    ordered(column, by: try keyCollation(of: (item.expression, item.range)))
  }

  /// Whether rows are sorted before set-returning calls multiply them: where there is an order in which these have
  /// no part.
  private func sortsBeforeSets(_ parts: SelectParts, in scope: Scope) -> Bool {
    let calls = scope.setCalls.joined()
    guard !parts.sort.isEmpty, !calls.isEmpty, scope.setQueries.isEmpty,
      parts.distinctOn?.isEmpty != true
    else { return false }
    let made = ColumnSet(calls.flatMap { $0.columns.map(\.id) })
    let keys = parts.sort.map(\.item) + (parts.distinctOn ?? [])
    return keys.allSatisfy { item in
      parts.output(item).expression.columnsWithSubqueries.isDisjoint(with: made)
    }
  }

  private func assembleSorted(
    _ parts: SelectParts, _ query: SelectStatement, over input: LogicalPlan, in scope: Scope
  ) throws(SQLError) -> BoundQuery {
    var passed = input.outputs.map { ProjectedColumn($0, .column($0.id, $0.type)) }
    func key(_ item: Int) -> BoundExpression {
      let expression = parts.output(item).expression
      if case .column = expression { return expression }
      let column = makeColumn("key", for: expression)
      passed.append(ProjectedColumn(column, expression))
      return .column(column.id, column.type)
    }
    var keys: [SortKey] = []
    for (item, sort) in parts.sort {
      keys.append(
        SortKey(
          try ordered(key(item), as: parts.output(item)), isDescending: sort.isDescending,
          nullsFirst: sort.nullsFirst))
    }
    let distinct = parts.distinctOn?.map(key)
    var plan = LogicalPlan.sort(.project(input, passed), keys)
    if let distinct { plan = .distinct(plan, on: distinct) }
    for calls in scope.setCalls where !calls.isEmpty { plan = addSetCalls(calls, to: plan) }
    let visible = project(parts.items, over: plan)
    plan = try limit(.project(plan, visible), by: query, keys: keys, outer: scope)
    return BoundQuery(
      plan: plan, columns: visible.map(\.column), ranges: parts.items.map(\.range))
  }

  private func addSetCalls(_ calls: [TableFunctionCall], to plan: LogicalPlan) -> LogicalPlan {
    let passed = plan.outputs.map { ProjectedColumn($0, .column($0.id, $0.type)) }
    return .projectSet(plan, passed, calls)
  }

  /// Puts the set-returning calls that keys of groups or windows are made of under them; the others come later.
  func addSetCalls(
    usedBy keys: [BoundExpression], to plan: LogicalPlan, in scope: Scope
  ) -> LogicalPlan {
    var wanted: ColumnSet = []
    for key in keys { wanted.formUnion(key.columnsWithSubqueries) }
    var taken: [[TableFunctionCall]] = []
    // A call may use columns of one of a level below.
    for level in scope.setCalls.indices.reversed() {
      let used = scope.setCalls[level].filter { call in
        call.columns.contains { wanted.contains($0.id) }
      }
      guard !used.isEmpty else { continue }
      scope.setCalls[level].removeAll { call in
        call.columns.contains { wanted.contains($0.id) }
      }
      for call in used {
        for argument in call.arguments { wanted.formUnion(argument.columnsWithSubqueries) }
      }
      taken.append(used)
    }
    return taken.reversed().reduce(plan) { addSetCalls($1, to: $0) }
  }

  /// The outputs as columns; one that is passed on keeps its identity, the first time it is listed.
  func project(_ items: [OutputItem], over input: LogicalPlan) -> [ProjectedColumn] {
    var available = input.outputIDs
    return items.map { item in
      if case .column(let id, let type) = item.expression, available.remove(id) != nil {
        return ProjectedColumn(PlanColumn(id, item.name, type), item.expression)
      }
      return ProjectedColumn(makeColumn(item.name, for: item.expression), item.expression)
    }
  }

  /// Adds to the entries of FROM the columns that tell whether an outer join has added NULLs for them.
  func addMarkers(of scope: Scope, to plan: LogicalPlan) -> LogicalPlan {
    var wanted: [[ColumnID]: PlanColumn] = [:]
    for entry in scope.registered {
      if let source = entry.source, let marker = source.marker { wanted[source.outputs] = marker }
    }
    guard !wanted.isEmpty else { return plan }
    return plan.addingMarkers(wanted)
  }
}

extension LogicalPlan {
  /// The same plan with a constant column beside each operator whose columns are one of the keys.
  fileprivate func addingMarkers(_ wanted: [[ColumnID]: PlanColumn]) -> LogicalPlan {
    let outputs = self.outputs
    if let marker = wanted[outputs.map(\.id)] {
      var columns = outputs.map { ProjectedColumn($0, .column($0.id, $0.type)) }
      columns.append(ProjectedColumn(marker, .constant(.boolean(true), .boolean)))
      return .project(self, columns)
    }
    switch self {
    case .join, .filter, .aggregate, .window, .tableFunction:
      return mapInputs { $0.addingMarkers(wanted) }
    case .scan, .values, .project, .projectSet, .path, .sort, .limit, .distinct, .setOperation,
      .recursive, .workingTable, .withCommon, .commonReference, .modify:
      return self
    }
  }
}
