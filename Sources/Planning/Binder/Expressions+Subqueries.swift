import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// The forms of expression that hold a query.
  func bindSubqueryExpression(
    _ expression: Expression, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let range = expression.range
    if case .exists(let query) = expression.kind {
      let bound = try bindSubquery(query, in: scope)
      return .subquery(
        BoundSubquery(kind: .exists(negated: false), plan: bound.plan, type: .boolean))
    } else if case .subquery(let query) = expression.kind {
      let bound = try bindSubquery(query, in: scope)
      let column = try singleColumn(of: bound, at: range)
      return .subquery(BoundSubquery(kind: .scalar, plan: bound.plan, type: column.type))
    } else if case .arraySubquery(let query) = expression.kind {
      let bound = try bindSubquery(query, in: scope)
      let column = try singleColumn(of: bound, at: range)
      if case .array = column.type {
        throw SQLError.unsupported("an array of arrays", at: range)
      }
      return .subquery(
        BoundSubquery(kind: .array, plan: bound.plan, type: .array(column.type)))
    } else if case .inSubquery(let operand, let query, let negated) = expression.kind {
      return try bindQuantifiedQuery(
        operand, Operator(negated ? "<>" : "=", at: range), isAll: negated, query, in: scope)
    } else if case .quantified(let comparison) = expression.kind {
      switch comparison.source {
      case .subquery(let query):
        return try bindQuantifiedQuery(
          comparison.operand, comparison.comparison, isAll: comparison.isAll, query, in: scope)
      case .array(let array):
        return try bindQuantifiedArray(comparison, array, in: scope)
      }
    } else {
      throw SQLError.internal("no subquery in a subquery expression")
    }
  }

  /// A query within an expression of `scope`.
  func bindSubquery(
    _ query: SelectStatement, in scope: Scope
  ) throws(SQLError) -> BoundQuery {
    // The rules of the clause end at the subquery, and begin again after it.
    let conditional = scope.conditionalName
    scope.conditionalName = nil
    defer { scope.conditionalName = conditional }
    return try refusing("a subquery", in: scope) { () throws(SQLError) in
      let bound = try bindQuery(query, outer: scope)
      makeCollationsImplicit(of: bound.columns)
      return bound
    }
  }

  private func singleColumn(
    of query: BoundQuery, at range: SourceRange
  ) throws(SQLError) -> PlanColumn {
    guard query.columns.count == 1, let column = query.columns.first else {
      throw SQLError(.syntaxError, "subquery must return only one column", at: range)
    }
    return column
  }

  private func bindQuantifiedQuery(
    _ operand: Expression, _ op: Operator, isAll: Bool, _ query: SelectStatement, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var left: [Placed] = []
    if case .row(let items, _) = operand.kind {
      for item in items { left.append((try bind(item, in: scope), item.range)) }
    } else {
      left = [(try bind(operand, in: scope), operand.range)]
    }
    let bound = try bindSubquery(query, in: scope)
    if left.count == 1, bound.columns.count == 1,
      ComparisonOperator(rawValue: op.name) == nil
    {
      return try quantifyOverArray(op, left[0], of: bound, isAll: isAll)
    }
    guard left.count == bound.columns.count else {
      let what = left.count < bound.columns.count ? "many" : "few"
      throw SQLError(
        .syntaxError, "subquery has too \(what) columns", at: op.range)
    }
    guard let comparison = ComparisonOperator(rawValue: op.name) else {
      throw SQLError(
        .undefinedFunction, "operator does not exist: record \(op.name) record", at: op.range)
    }
    if left.count > 1, comparison != .equal, comparison != .notEqual {
      throw SQLError.unsupported("row comparison by \(op.name) with a subquery", at: op.range)
    }
    let (values, plan) = try matchTypes(left, of: bound, op, comparison)
    return .subquery(
      BoundSubquery(
        kind: isAll ? .all(values, comparison) : .any(values, comparison), plan: plan,
        type: .boolean))
  }

  /// Both the left operands and the query's columns as values of the types in which they are compared; for a comparison by
  /// order, as what orders them.
  private func matchTypes(
    _ left: [Placed], of query: BoundQuery, _ op: Operator, _ comparison: ComparisonOperator
  ) throws(SQLError) -> ([BoundExpression], LogicalPlan) {
    var values: [BoundExpression] = []
    var columns: [ProjectedColumn] = []
    var differs = query.plan.outputs.map(\.id) != query.columns.map(\.id)
    for (operand, column) in zip(left, query.columns) {
      let other: Placed = (.column(column.id, column.type), op.range)
      var (first, second) = try comparable(op, operand, other)
      let collation = try collation(of: [operand, other])
      if comparison == .equal || comparison == .notEqual {
        first = uncollated(first)
      } else {
        (first, second) = (ordered(first, by: collation), ordered(second, by: collation))
      }
      values.append(first)
      if case .column = second {
        columns.append(ProjectedColumn(column, second))
      } else {
        differs = true
        columns.append(ProjectedColumn(makeColumn(column.name, for: second), second))
      }
    }
    return (values, differs ? .project(query.plan, columns) : query.plan)
  }

  /// `x LIKE ANY (SELECT …)`: an operator that is no comparison goes over the query's values as an array.
  private func quantifyOverArray(
    _ op: Operator, _ left: Placed, of query: BoundQuery, isAll: Bool
  ) throws(SQLError) -> BoundExpression {
    let array = BoundExpression.subquery(
      BoundSubquery(kind: .array, plan: query.plan, type: .array(query.columns[0].type)))
    return try quantify(op, left, over: (array, op.range), isAll: isAll)
  }

  private func bindQuantifiedArray(
    _ comparison: QuantifiedComparison, _ array: Expression, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let left: Placed = (try bind(comparison.operand, in: scope), comparison.operand.range)
    let right: Placed = (try bind(array, in: scope), array.range)
    return try quantify(comparison.comparison, left, over: right, isAll: comparison.isAll)
  }

  /// `left op ANY/ALL (array)`.
  private func quantify(
    _ op: Operator, _ left: Placed, over right: Placed, isAll: Bool
  ) throws(SQLError) -> BoundExpression {
    var left = left
    var right = right
    if right.expression.type == .unknown {
      // The array is of what stands on the left.
      if left.expression.type == .unknown {
        left.expression = try settled(left.expression, at: left.range)
      }
      guard
        let array = try coerce(
          right.expression, to: ColumnType(.array(left.expression.type)), at: right.range)
      else { throw SQLError.internal("no array of a scalar's type") }
      right.expression = array
    }
    guard let element = right.expression.type.element else {
      throw SQLError(
        .wrongObjectType, "op ANY/ALL (array) requires array on right side", at: op.range)
    }
    if let comparison = ComparisonOperator(rawValue: op.name) {
      guard let type = comparisonType(left.expression.type, element),
        let first = try coerce(left.expression, to: ColumnType(type), at: left.range),
        let second = try coerceArray(right.expression, to: type, at: right.range)
      else { throw missingOperator(op, left.expression.type, element) }
      let collation = try collation(of: [left, right])
      if comparison == .equal || comparison == .notEqual {
        return .quantified(comparison, uncollated(first), array: second, isAll: isAll)
      }
      return .quantified(
        comparison, ordered(first, by: collation), array: ordered(second, by: collation),
        isAll: isAll)
    }
    let placeholder = BoundExpression.column(ColumnID(0), element)
    let resolved = try resolveOperator(
      op, left: left, right: (placeholder, right.range), at: op.range)
    guard case .call(let call) = resolved, call.arguments.count == 2,
      let array = try coerceArray(
        right.expression, to: call.arguments[1].type, at: right.range)
    else { throw SQLError.unsupported("operator \(op.name) with ANY or ALL", at: op.range) }
    guard call.type == .boolean else {
      throw SQLError(
        .wrongObjectType, "op ANY/ALL (array) requires operator to yield boolean", at: op.range)
    }
    var shell = call
    let first = call.arguments[0]
    shell.arguments = []
    return .quantifiedCall(shell, element: first, array: array, isAll: isAll)
  }

  /// An array as an array of another type of elements.
  private func coerceArray(
    _ array: BoundExpression, to element: LogicalType, at range: SourceRange
  ) throws(SQLError) -> BoundExpression? {
    if case .array(let list, _) = array {
      var items: [BoundExpression] = []
      for item in list {
        guard let coerced = try coerce(item, to: ColumnType(element), at: range) else {
          return nil
        }
        items.append(coerced)
      }
      return .array(items, .array(element))
    }
    return try coerce(array, to: ColumnType(.array(element)), .explicit, at: range)
  }

  /// `(a, b) op (SELECT c, d)`: the query gives at most one row.
  func compareRowToSubquery(
    _ comparison: ComparisonOperator, _ op: Operator, _ left: [Expression],
    _ query: SelectStatement, _ queryRange: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var values: [Placed] = []
    for item in left { values.append((try bind(item, in: scope), item.range)) }
    let bound = try bindSubquery(query, in: scope)
    if bound.columns.count == 1, case .record(let record) = bound.columns[0].type {
      guard record.fields.count == values.count else {
        throw SQLError(
          .syntaxError, "unequal number of entries in row expressions", at: op.range)
      }
    } else if bound.columns.count != values.count {
      let what = values.count < bound.columns.count ? "many" : "few"
      throw SQLError(.syntaxError, "subquery has too \(what) columns", at: op.range)
    }
    let row = rowSubquery(bound)
    guard case .record(let record) = row.type else {
      return try compare(comparison, op, values[0], (row, queryRange))
    }
    let fields = record.fields.enumerated().map {
      (BoundExpression.field(row, $0, $1.type), queryRange)
    }
    return try compareFields(comparison, op, values, fields)
  }

  /// A query's one row as a value.
  func rowSubquery(_ query: BoundQuery) -> BoundExpression {
    if query.columns.count == 1 {
      return .subquery(
        BoundSubquery(kind: .scalar, plan: query.plan, type: query.columns[0].type))
    }
    let record = RecordType(
      name: nil, fields: query.columns.map { RecordType.Field($0.name, $0.type) })
    let row = BoundExpression.row(query.columns.map { .column($0.id, $0.type) }, record)
    let column = makeColumn("row", .record(record))
    return .subquery(
      BoundSubquery(
        kind: .scalar, plan: .project(query.plan, [ProjectedColumn(column, row)]),
        type: .record(record)))
  }
}
