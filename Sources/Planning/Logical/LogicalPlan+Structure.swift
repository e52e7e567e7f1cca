extension LogicalPlan {
  /// The columns that the operator hands up, in order.
  package var outputs: [PlanColumn] {
    switch self {
    case .scan(let scan): scan.columns.map(\.column)
    case .values(_, let columns): columns
    case .filter(let input, _), .sort(let input, _), .limit(let input, _),
      .distinct(let input, on: _):
      input.outputs
    case .project(_, let columns): columns.map(\.column)
    case .projectSet(_, let columns, let calls):
      columns.map(\.column) + calls.flatMap(\.columns)
    case .join: joinedOutputs
    case .path(let path):
      path.input.outputs + path.target.outputs + path.outputs.map(\.column)
    case .aggregate(let plan):
      plan.keys.map(\.column) + plan.aggregates.map(\.column) + plan.groupings.map(\.column)
    case .window(let input, let calls): input.outputs + calls.map(\.column)
    case .setOperation(let plan): plan.columns
    case .recursive(let plan): plan.columns
    case .workingTable(_, let columns), .commonReference(_, let columns): columns
    case .withCommon(_, _, let body): body.outputs
    case .tableFunction(let plan):
      (plan.input?.outputs ?? []) + plan.calls.flatMap(\.columns)
        + (plan.ordinality.map { [$0] } ?? [])
    case .modify(let plan): plan.columnsReturned
    }
  }

  /// The outputs of joins, also of those one above another, put together once.
  private var joinedOutputs: [PlanColumn] {
    var columns: [PlanColumn] = []
    appendOutputs(to: &columns)
    return columns
  }

  private func appendOutputs(to columns: inout [PlanColumn]) {
    switch self {
    case .join(let join):
      join.left.appendOutputs(to: &columns)
      switch join.kind {
      case .inner, .left, .right, .full, .single: join.right.appendOutputs(to: &columns)
      case .semi, .anti: break
      case .mark(let column): columns.append(column)
      }
    case .filter(let input, _), .sort(let input, _), .limit(let input, _),
      .distinct(let input, on: _):
      input.appendOutputs(to: &columns)
    case .scan, .values, .project, .projectSet, .path, .aggregate, .window, .setOperation,
      .recursive, .workingTable, .withCommon, .commonReference, .tableFunction, .modify:
      columns += outputs
    }
  }

  /// The inputs, in the order in which `mapInputs` gives them to its closure.
  package var inputs: [LogicalPlan] {
    var found: [LogicalPlan] = []
    forEachInput { found.append($0) }
    return found
  }

  /// Gives the inputs one after another.
  package func forEachInput(_ body: (LogicalPlan) -> Void) {
    _ = containsInput { input in
      body(input)
      return false
    }
  }

  /// Whether an input meets `predicate`; the first that does ends the search.
  package func containsInput(where predicate: (LogicalPlan) -> Bool) -> Bool {
    switch self {
    case .scan, .values, .workingTable, .commonReference: false
    case .filter(let input, _), .project(let input, _), .projectSet(let input, _, _),
      .window(let input, _), .sort(let input, _), .limit(let input, _), .distinct(let input, _):
      predicate(input)
    case .join(let join): predicate(join.left) || predicate(join.right)
    case .path(let path):
      predicate(path.input) || predicate(path.target) || path.conditions.contains(where: predicate)
        || path.links.contains(where: predicate) || path.costs.contains(where: predicate)
    case .aggregate(let plan): predicate(plan.input)
    case .setOperation(let plan): predicate(plan.left) || predicate(plan.right)
    case .recursive(let plan): predicate(plan.anchor) || predicate(plan.step)
    case .withCommon(_, let definition, let body): predicate(definition) || predicate(body)
    case .tableFunction(let plan):
      plan.input.map(predicate) ?? false || plan.graphPlans.contains(where: predicate)
    case .modify(let plan): predicate(plan.input)
    }
  }

  /// The same operator with those inputs replaced of which `change` makes another; nil if it does of none.
  package func changingInputs(_ change: (LogicalPlan) -> LogicalPlan?) -> LogicalPlan? {
    var changes = Changes<LogicalPlan>()
    forEachInput { changes.note(change($0)) }
    return changes.isEmpty ? nil : mapInputs { changes.next(of: $0) }
  }

  /// The same operator with those of its own expressions replaced of which `change` makes another; nil if it does of none.
  package func changingExpressions(
    _ change: (BoundExpression) -> BoundExpression?
  ) -> LogicalPlan? {
    var changes = Changes<BoundExpression>()
    _ = containsExpression { expression in
      changes.note(change(expression))
      return false
    }
    return changes.isEmpty ? nil : mapExpressions { changes.next(of: $0) }
  }

  /// The same plan with every operator of which `change` makes another replaced, from the leaves up; nil if it does of none.
  package func changed(_ change: (LogicalPlan) -> LogicalPlan?) -> LogicalPlan? {
    let inner = changingInputs { $0.changed(change) }
    return change(inner ?? self) ?? inner
  }

  /// The same operator with each input replaced by what `transform` makes of it.
  package func mapInputs<Failure: Error>(
    _ transform: (LogicalPlan) throws(Failure) -> LogicalPlan
  ) throws(Failure) -> LogicalPlan {
    switch self {
    case .scan, .values, .workingTable, .commonReference: return self
    case .filter(let input, let conditions): return .filter(try transform(input), conditions)
    case .project(let input, let columns): return .project(try transform(input), columns)
    case .projectSet(let input, let columns, let calls):
      return .projectSet(try transform(input), columns, calls)
    case .join(var join):
      join.left = try transform(join.left)
      join.right = try transform(join.right)
      return .join(join)
    case .path(var path):
      path.input = try transform(path.input)
      path.target = try transform(path.target)
      for index in path.conditions.indices {
        path.conditions[index] = try transform(path.conditions[index])
      }
      for index in path.links.indices { path.links[index] = try transform(path.links[index]) }
      for index in path.costs.indices { path.costs[index] = try transform(path.costs[index]) }
      return .path(path)
    case .aggregate(var plan):
      plan.input = try transform(plan.input)
      return .aggregate(plan)
    case .window(let input, let calls): return .window(try transform(input), calls)
    case .sort(let input, let keys): return .sort(try transform(input), keys)
    case .limit(let input, let limit): return .limit(try transform(input), limit)
    case .distinct(let input, let on): return .distinct(try transform(input), on: on)
    case .setOperation(var plan):
      plan.left = try transform(plan.left)
      plan.right = try transform(plan.right)
      return .setOperation(plan)
    case .recursive(var plan):
      plan.anchor = try transform(plan.anchor)
      plan.step = try transform(plan.step)
      return .recursive(plan)
    case .withCommon(let id, let definition, let body):
      return .withCommon(id: id, definition: try transform(definition), body: try transform(body))
    case .tableFunction(var plan):
      if let input = plan.input { plan.input = try transform(input) }
      return .tableFunction(try plan.mapGraphPlans(transform))
    case .modify(var plan):
      plan.input = try transform(plan.input)
      return .modify(plan)
    }
  }

  /// The same operator with each of its own expressions replaced by what `transform` makes of it.
  package func mapExpressions<Failure: Error>(
    _ transform: (BoundExpression) throws(Failure) -> BoundExpression
  ) throws(Failure) -> LogicalPlan {
    func projected(_ list: [ProjectedColumn]) throws(Failure) -> [ProjectedColumn] {
      var result: [ProjectedColumn] = []
      for item in list {
        result.append(ProjectedColumn(item.column, try transform(item.expression)))
      }
      return result
    }
    func keys(_ list: [SortKey]) throws(Failure) -> [SortKey] {
      var result = list
      for index in result.indices {
        result[index].expression = try transform(list[index].expression)
      }
      return result
    }
    func calls(_ list: [TableFunctionCall]) throws(Failure) -> [TableFunctionCall] {
      var result = list
      for index in result.indices {
        result[index].arguments = try Self.mapAll(list[index].arguments, transform)
      }
      return result
    }
    switch self {
    case .scan(var scan):
      scan.filters = try Self.mapAll(scan.filters, transform)
      return .scan(scan)
    case .values(let rows, let columns):
      let mapped = try rows.map { (row) throws(Failure) in try Self.mapAll(row, transform) }
      return .values(rows: mapped, columns: columns)
    case .filter(let input, let conditions):
      return .filter(input, try Self.mapAll(conditions, transform))
    case .project(let input, let columns): return .project(input, try projected(columns))
    case .projectSet(let input, let columns, let functions):
      return .projectSet(input, try projected(columns), try calls(functions))
    case .join(var join):
      join.conditions = try Self.mapAll(join.conditions, transform)
      return .join(join)
    case .aggregate(var plan):
      plan.keys = try projected(plan.keys)
      for index in plan.aggregates.indices {
        let call = BoundExpression.aggregate(plan.aggregates[index].call)
        if case .aggregate(let mapped) = try call.mapChildren(transform) {
          plan.aggregates[index].call = mapped
        }
      }
      return .aggregate(plan)
    case .window(let input, var list):
      for index in list.indices { list[index].call = try list[index].call.mapOperands(transform) }
      return .window(input, list)
    case .sort(let input, let list): return .sort(input, try keys(list))
    case .limit(let input, var limit):
      if let count = limit.count { limit.count = try transform(count) }
      if let offset = limit.offset { limit.offset = try transform(offset) }
      if let ties = limit.ties { limit.ties = try keys(ties) }
      return .limit(input, limit)
    case .distinct(let input, let on?): return .distinct(input, on: try Self.mapAll(on, transform))
    case .tableFunction(var plan):
      plan.calls = try calls(plan.calls)
      return .tableFunction(plan)
    case .modify(var plan):
      if let returning = plan.returning { plan.returning = try projected(returning) }
      return .modify(plan)
    case .path(let path): return .path(try path.mappingConditions(transform))
    case .distinct(_, on: nil), .setOperation, .recursive, .workingTable, .withCommon,
      .commonReference:
      return self
    }
  }

  private static func mapAll<Failure: Error>(
    _ list: [BoundExpression],
    _ transform: (BoundExpression) throws(Failure) -> BoundExpression
  ) throws(Failure) -> [BoundExpression] {
    var result: [BoundExpression] = []
    result.reserveCapacity(list.count)
    for item in list { result.append(try transform(item)) }
    return result
  }

  /// The operator's own expressions.
  package var expressions: [BoundExpression] {
    var found: [BoundExpression] = []
    _ = containsExpression { expression in
      found.append(expression)
      return false
    }
    return found
  }

  /// Whether one of the operator's own expressions meets `predicate`; the first that does ends the search.
  package func containsExpression(where predicate: (BoundExpression) -> Bool) -> Bool {
    func projected(_ list: [ProjectedColumn]) -> Bool { list.contains { predicate($0.expression) } }
    func keys(_ list: [SortKey]) -> Bool { list.contains { predicate($0.expression) } }
    func calls(_ list: [TableFunctionCall]) -> Bool {
      list.contains { $0.arguments.contains(where: predicate) }
    }
    switch self {
    case .scan(let scan): return scan.filters.contains(where: predicate)
    case .values(let rows, _): return rows.contains { $0.contains(where: predicate) }
    case .filter(_, let conditions): return conditions.contains(where: predicate)
    case .project(_, let columns): return projected(columns)
    case .projectSet(_, let columns, let functions):
      return projected(columns) || calls(functions)
    case .join(let join): return join.conditions.contains(where: predicate)
    case .aggregate(let plan):
      return projected(plan.keys)
        || plan.aggregates.contains {
          BoundExpression.aggregate($0.call).containsChild(where: predicate)
        }
    case .window(_, let list):
      return list.contains { BoundExpression.window($0.call).containsChild(where: predicate) }
    case .sort(_, let list): return keys(list)
    case .limit(_, let limit):
      return limit.count.map(predicate) ?? false || limit.offset.map(predicate) ?? false
        || limit.ties.map(keys) ?? false
    case .distinct(_, let on?): return on.contains(where: predicate)
    case .tableFunction(let plan): return calls(plan.calls)
    case .modify(let plan): return plan.returning.map(projected) ?? false
    case .path(let path):
      return path.pattern.segments.contains { segment in
        segment.conditions.contains { $0.variants.contains { predicate($0.expression) } }
      }
    case .distinct(_, on: nil), .setOperation, .recursive, .workingTable, .withCommon,
      .commonReference:
      return false
    }
  }

  /// The columns that the plan uses and does not produce: those of a query around it.
  ///
  /// - Complexity: O(size of the plan), subqueries included.
  package var freeColumns: ColumnSet {
    var used: ColumnSet = []
    var produced: ColumnSet = []
    collect(used: &used, produced: &produced)
    return used.subtracting(produced)
  }

  private func collect(used: inout ColumnSet, produced: inout ColumnSet) {
    for column in outputs { produced.insert(column.id) }
    if case .modify(let plan) = self {
      for column in plan.row { produced.insert(column.id) }
    }
    if case .path(let path) = self { produced.formUnion(path.elementColumns) }
    _ = containsExpression { expression in
      expression.collectAll(used: &used, produced: &produced)
      return false
    }
    forEachInput { $0.collect(used: &used, produced: &produced) }
  }
}

extension BoundExpression {
  fileprivate func collectAll(used: inout ColumnSet, produced: inout ColumnSet) {
    if case .column(let id, _) = self { used.insert(id) }
    if case .subquery(let subquery) = self {
      used.formUnion(subquery.plan.freeColumns)
    }
    forEachChild { $0.collectAll(used: &used, produced: &produced) }
  }
}
