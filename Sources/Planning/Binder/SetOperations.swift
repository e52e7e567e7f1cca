import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// UNION, INTERSECT or EXCEPT of two queries.
  func bindSetOperation(
    _ operation: SetOperation, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    let isIntersection = operation.kind == .intersect && operation.isAll
    let left = try bindSide(
      operation.left, refusedIn: isIntersection ? "INTERSECT" : nil, outer: outer)
    let refusal: String? = isIntersection ? "INTERSECT" : operation.kind == .except ? "EXCEPT" : nil
    let right = try bindSide(operation.right, refusedIn: refusal, outer: outer)
    return try combine(operation.kind, isAll: operation.isAll, left, right)
  }

  private func bindSide(
    _ body: QueryBody, refusedIn place: String?, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    guard let place else { return try bindOperand(body, outer: outer) }
    return try refusing(place, in: outer) { () throws(SQLError) in
      try bindOperand(body, outer: outer)
    }
  }

  /// One side of a set operation.
  func bindOperand(_ body: QueryBody, outer: Scope) throws(SQLError) -> BoundQuery {
    if case .setOperation(let inner) = body {
      return try bindSetOperation(inner, outer: outer)
    }
    return try bindQuery(SelectStatement(body: body), outer: outer, keepsUnknown: true)
  }

  /// Both sides with the same types.
  func combine(
    _ kind: SetOperation.Kind, isAll: Bool, _ left: BoundQuery, _ right: BoundQuery
  ) throws(SQLError) -> BoundQuery {
    let name = kind.rawValue
    guard left.columns.count == right.columns.count else {
      throw SQLError(
        .syntaxError, "each \(name) query must have the same number of columns",
        at: right.range(0))
    }
    var types: [LogicalType] = []
    var columns: [PlanColumn] = []
    for (index, (first, second)) in zip(left.columns, right.columns).enumerated() {
      let type = try commonType(
        of: [first.type, second.type], for: name, at: [left.range(index), right.range(index)])
      if !(isAll && kind == .union), !isComparable(type) {
        throw SQLError(
          .undefinedFunction, "could not identify an equality operator for type \(type.name)",
          at: left.range(index))
      }
      types.append(type)
      let modifier = modifiers[first.id] ?? .none
      let same = first.type == second.type && modifier == (modifiers[second.id] ?? .none)
      let column = makeColumn(first.name, type, same ? modifier : .none)
      note(
        try commonCollation(
          of: [(first, left.range(index)), (second, right.range(index))],
          mayDiffer: isAll && kind == .union), of: column)
      columns.append(column)
    }
    let planKind: SetOperationPlan.Kind =
      switch kind {
      case .union: .union
      case .intersect: .intersect
      case .except: .except
      }
    let plan = SetOperationPlan(
      planKind, isAll: isAll, try coerceOutputs(left, to: types, for: name).plan,
      try coerceOutputs(right, to: types, for: name).plan, columns: columns)
    return BoundQuery(plan: .setOperation(plan), columns: columns, ranges: left.ranges)
  }

  /// A query whose columns are of `types`; constants of unknown type are read as such.
  func coerceOutputs(
    _ query: BoundQuery, to types: [LogicalType], for construct: String
  ) throws(SQLError) -> BoundQuery {
    let isExact = query.plan.outputs.map(\.id) == query.columns.map(\.id)
    guard !isExact || zip(query.columns, types).contains(where: { $0.type != $1 }) else {
      return query
    }
    var query = query
    if case .project(let input, var projected) = query.plan, isExact {
      // The expressions of the select list themselves are converted: a constant is read as what it should be.
      for index in projected.indices where projected[index].column.type != types[index] {
        let value = try coerceToCommon(
          projected[index].expression, types[index], for: construct, at: query.range(index))
        projected[index] = ProjectedColumn(
          makeColumn(projected[index].column.name, for: value), value)
      }
      query.plan = .project(input, projected)
      query.columns = projected.map(\.column)
      return query
    }
    var projected: [ProjectedColumn] = []
    for (index, column) in query.columns.enumerated() {
      let value = try coerceToCommon(
        .column(column.id, column.type), types[index], for: construct, at: query.range(index))
      if case .column = value {
        projected.append(ProjectedColumn(column, value))
      } else {
        projected.append(ProjectedColumn(makeColumn(column.name, for: value), value))
      }
    }
    query.plan = .project(query.plan, projected)
    query.columns = projected.map(\.column)
    return query
  }
}
