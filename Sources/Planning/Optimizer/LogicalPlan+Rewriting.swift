extension LogicalPlan {
  /// The identities of the columns handed up.
  package var outputIDs: ColumnSet {
    var ids: ColumnSet = []
    collectOutputIDs(into: &ids)
    return ids
  }

  /// The identities alone: rules ask for them at every operator, and columns have names and types to be copied.
  private func collectOutputIDs(into ids: inout ColumnSet) {
    switch self {
    case .scan(let scan): for column in scan.columns { ids.insert(column.column.id) }
    case .project(_, let columns): for column in columns { ids.insert(column.column.id) }
    case .filter(let input, _), .sort(let input, _), .limit(let input, _),
      .distinct(let input, on: _):
      input.collectOutputIDs(into: &ids)
    case .window(let input, let calls):
      input.collectOutputIDs(into: &ids)
      for call in calls { ids.insert(call.column.id) }
    case .join(let join):
      join.left.collectOutputIDs(into: &ids)
      switch join.kind {
      case .inner, .left, .right, .full, .single: join.right.collectOutputIDs(into: &ids)
      case .semi, .anti: break
      case .mark(let column): ids.insert(column.id)
      }
    case .values, .projectSet, .path, .aggregate, .setOperation, .recursive, .workingTable,
      .commonReference, .withCommon, .tableFunction, .modify:
      for column in outputs { ids.insert(column.id) }
    }
  }

  /// The same plan with columns from outside replaced, throughout.
  package func replacing(_ replacements: ColumnMap<BoundExpression>) -> LogicalPlan {
    if replacements.isEmpty { return self }
    return mapInputs { $0.replacing(replacements) }
      .mapExpressions { $0.replacing(replacements) }
  }

  /// The plan with exactly these columns in this order.
  package func restricted(to columns: [PlanColumn]) -> LogicalPlan {
    if hasOutputs(columns) { return self }
    return .project(self, columns.map { ProjectedColumn($0, .column($0.id, $0.type)) })
  }

  /// Whether the columns handed up are these in their order.
  private func hasOutputs(_ columns: [PlanColumn]) -> Bool {
    switch self {
    case .filter(let input, _), .sort(let input, _), .limit(let input, _),
      .distinct(let input, on: _), .withCommon(_, _, let input):
      input.hasOutputs(columns)
    case .scan(let scan): scan.columns.elementsEqual(columns) { $0.column.id == $1.id }
    case .project(_, let list): list.elementsEqual(columns) { $0.column.id == $1.id }
    case .values, .projectSet, .join, .path, .aggregate, .window, .setOperation, .recursive,
      .workingTable, .commonReference, .tableFunction, .modify:
      outputs.elementsEqual(columns) { $0.id == $1.id }
    }
  }

  /// The plan with a filter on top, unless there is nothing to filter.
  package func filtered(_ conditions: [BoundExpression]) -> LogicalPlan {
    if conditions.isEmpty { return self }
    if case .filter(let input, let inner) = self { return .filter(input, inner + conditions) }
    return .filter(self, conditions)
  }

  /// Whether running the plan twice may give different rows, or do something.
  package var isVolatile: Bool {
    if case .modify = self { return true }
    return containsExpression(where: \.isVolatile) || containsInput(where: \.isVolatile)
  }

  /// Whether some operator of the plan, this one included, meets `predicate`.
  package func contains(where predicate: (LogicalPlan) -> Bool) -> Bool {
    predicate(self) || containsInput { $0.contains(where: predicate) }
  }

  /// The number of scans in the plan.
  var scanCount: Int {
    if case .scan = self { return 1 }
    var count = 0
    forEachInput { count += $0.scanCount }
    return count
  }

  /// The greatest number used for a common table expression or a recursion, subqueries included.
  package var greatestCommonID: Int {
    var greatest =
      switch self {
      case .withCommon(let id, _, _), .commonReference(let id, _), .workingTable(let id, _): id
      case .recursive(let plan): plan.id
      case .scan, .values, .filter, .project, .projectSet, .join, .path, .aggregate, .window, .sort,
        .limit, .distinct, .setOperation, .tableFunction, .modify:
        0
      }
    for input in inputs { greatest = max(greatest, input.greatestCommonID) }
    for expression in expressions {
      _ = expression.contains { part in
        if case .subquery(let subquery) = part {
          greatest = max(greatest, subquery.plan.greatestCommonID)
        }
        return false
      }
    }
    return greatest
  }

  /// The greatest identity of a column in the plan, subqueries included.
  package var greatestColumn: ColumnID {
    var greatest = outputs.map(\.id).max() ?? ColumnID(0)
    if case .modify(let plan) = self {
      for column in plan.row { greatest = max(greatest, column.id) }
      if case .insert(let conflict?) = plan.action, let update = conflict.update {
        for column in update.existing + update.excluded { greatest = max(greatest, column.id) }
      }
    }
    for input in inputs { greatest = max(greatest, input.greatestColumn) }
    for expression in expressions {
      _ = expression.contains { part in
        if case .column(let id, _) = part {
          greatest = max(greatest, id)
        } else if case .subquery(let subquery) = part {
          greatest = max(greatest, subquery.plan.greatestColumn)
        }
        return false
      }
    }
    return greatest
  }

  /// One row without columns.
  package static var oneRow: LogicalPlan { .values(rows: [[]], columns: []) }
}

extension PlanColumn {
  /// The column as an expression.
  package var reference: BoundExpression { .column(id, type) }
}
