import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// The operators of a SELECT above its filter or grouping, in the order that SQL prescribes.
  func assemble(
    _ parts: SelectParts, _ query: SelectStatement, in scope: Scope
  ) throws(SQLError) -> BoundQuery {
    var plan = addMarkers(of: scope, to: parts.input)
    if !scope.windowCalls.isEmpty { plan = .window(plan, scope.windowCalls) }
    for calls in scope.setCalls where !calls.isEmpty {
      let passed = plan.outputs.map { ProjectedColumn($0, .column($0.id, $0.type)) }
      plan = .projectSet(plan, passed, calls)
    }

    for query in scope.setQueries {
      plan = join(.inner, plan, query.plan, on: [], isLateral: true)
    }
    let visible = project(parts.items + parts.hidden, over: plan)
    plan = .project(plan, visible)
    let columns = visible.prefix(parts.items.count).map(\.column)
    let keys = parts.sort.map { item, key in
      let column = visible[item].column
      return SortKey(
        .column(column.id, column.type), isDescending: key.isDescending,
        nullsFirst: key.nullsFirst)
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

  /// The outputs as columns; one that is passed on keeps its identity, the first time it is listed.
  func project(_ items: [OutputItem], over input: LogicalPlan) -> [ProjectedColumn] {
    var available = Set(input.outputs.map(\.id))
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
    default: return self
    }
  }
}
