import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// An aggregate call; the value is a column of the grouping of the query that it belongs to.
  func bindAggregate(
    _ call: FunctionCall, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    adjustDepth(of: scope, by: 1)
    defer { adjustDepth(of: scope, by: -1) }
    let setCount = scope.setCalls.reduce(0) { $0 + $1.count }
    let made = try makeAggregate(call, at: range, in: scope)
    let (bound, isOfKeys) = try orderedExtreme(made, at: range)
    if scope.setCalls.reduce(0, { $0 + $1.count }) > setCount {
      throw SQLError(
        .featureNotSupported,
        "aggregate function calls cannot contain set-returning function calls",
        at: range,
        hint: "You might be able to move the set-returning function into a LATERAL FROM item.")
    }
    let level = try level(of: bound, at: range, in: scope)
    try checkPlace(of: level, at: range)
    let column: PlanColumn
    let stated = try statedCollation(of: made.arguments, giving: made.type, at: range)
    if let known = level.aggregates.first(where: { isSame($0.call, bound) }) {
      column = known.column
    } else {
      column = makeColumn(bound.name, bound.type)
      note(stated, of: column)
      level.aggregates.append(AggregatePlan.Item(column, bound))
      owners[column.id] = level
    }
    let value = BoundExpression.column(column.id, column.type)
    return isOfKeys ? text(ofKey: value, made.type) : value
  }

  /// Aggregates that give one of the values of their last argument, or some of them, by its order.
  private static let choosing: Set<String> = ["min", "max", "mode", "percentile_disc"]

  /// An aggregate that chooses a text by a collation, as one that chooses among sort keys.
  func orderedExtreme(
    _ call: AggregateCall, at range: SourceRange
  ) throws(SQLError) -> (call: AggregateCall, isOfKeys: Bool) {
    guard Self.choosing.contains(call.name), let last = call.arguments.last,
      let collation = try collation(of: [(last, range)])
    else { return (call, false) }
    var keyed = call
    let key = ordered(last, by: collation)
    keyed.arguments[call.arguments.count - 1] = key
    if call.isWithinGroup, call.orderBy.count == 1 { keyed.orderBy[0].expression = key }
    return (keyed, true)
  }

  private func adjustDepth(of scope: Scope, by amount: Int) {
    var next: Scope? = scope
    while let current = next {
      current.aggregateDepth += amount
      next = current.parent
    }
  }

  /// The innermost query whose columns the aggregate uses: the one that computes it.
  private func level(
    of call: AggregateCall, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> Scope {
    var used: ColumnSet = []
    for child in BoundExpression.aggregate(call).children {
      used.formUnion(child.columnsWithSubqueries)
    }
    var next: Scope? = scope
    var level: Scope?
    while let current = next {
      if used.contains(where: { owners[$0] === current }) {
        level = current
        break
      }
      next = current.parent
    }
    let found = level ?? queryScope(of: scope)
    if used.contains(where: { id in found.aggregates.contains { $0.column.id == id } }) {
      throw SQLError(
        .groupingError, "aggregate function calls cannot be nested", at: range)
    }
    if used.contains(where: { id in found.windowCalls.contains { $0.column.id == id } }) {
      throw SQLError(
        .groupingError, "aggregate function calls cannot contain window function calls", at: range)
    }
    return found
  }

  /// The scope that is a query's own, not one made for a clause of it.
  private func queryScope(of scope: Scope) -> Scope { scope }

  /// - Throws: 42803 where no aggregate may stand.
  private func checkPlace(of scope: Scope, at range: SourceRange) throws(SQLError) {
    switch scope.clause {
    case .selectList, .having, .orderBy, .distinctOn, .windowPartition, .windowOrder: return
    case .other: return
    case .from:
      throw SQLError(
        .groupingError,
        "aggregate functions are not allowed in FROM clause of their own query level", at: range)
    case .function, .on, .filter, .groupBy, .limit, .offset, .values, .returning, .update,
      .aggregateFilter, .windowRange, .windowRows, .windowGroups, .check, .columnDefault,
      .generated, .graphProperty, .index, .indexPredicate, .copyFilter, .mergeWhen, .graphColumns,
      .pathCost:
      throw SQLError(
        .groupingError, "aggregate functions are not allowed in \(scope.clause.rawValue)",
        at: range)
    }
  }

  private func isSame(_ left: AggregateCall, _ right: AggregateCall) -> Bool {
    guard left.name == right.name, left.type == right.type, left.isDistinct == right.isDistinct,
      left.arguments.count == right.arguments.count, left.orderBy.count == right.orderBy.count,
      zip(left.arguments, right.arguments).allSatisfy({ Planning.isSame($0, $1) })
    else { return false }
    let isSameOrder = zip(left.orderBy, right.orderBy).allSatisfy {
      $0.isDescending == $1.isDescending && $0.nullsFirst == $1.nullsFirst
        && Planning.isSame($0.expression, $1.expression)
    }
    guard isSameOrder else { return false }
    guard let one = left.filter, let other = right.filter else {
      return left.filter == nil && right.filter == nil
    }
    return Planning.isSame(one, other)
  }

  /// The call with its arguments, order and filter bound.
  func makeAggregate(
    _ call: FunctionCall, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> AggregateCall {
    var arguments = try bindArguments(call, in: scope).values
    var orderBy: [SortKey] = []
    var sorted: [BoundExpression] = []
    for item in call.orderBy {
      let value = try settled(try bind(item.expression, in: scope), at: item.expression.range)
      guard let key = try sortKey(item, value) else { continue }
      orderBy.append(key)
      sorted.append(value)
    }
    if call.isWithinGroup {
      if call.isDistinct {
        throw SQLError(.syntaxError, "cannot use DISTINCT with WITHIN GROUP", at: range)
      }
      for (value, item) in zip(sorted, call.orderBy) {
        arguments.append((value, item.expression.range))
      }
    }
    var filter: BoundExpression?
    if let syntax = call.filter {
      let outer = scope.clause
      scope.clause = .aggregateFilter
      defer { scope.clause = outer }
      filter = try bindBoolean(syntax, for: "FILTER", in: scope)
    }
    let resolved = try resolveAggregate(call, arguments, at: range)
    if call.isDistinct {
      for (argument, place) in zip(resolved.arguments, arguments) {
        try checkEquality(argument, at: place.range)
      }
      if let key = sorted.indices.first(where: { index in
        !resolved.arguments.contains { isSame($0, orNarrower: sorted[index]) }
      }) {
        throw SQLError(
          .invalidColumnReference,
          "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
          at: call.orderBy[key].expression.range)
      }
    }
    if call.isDistinct, resolved.isOrderSensitive {
      orderBy += try distinctOrder(of: resolved, arguments, beside: sorted)
    }
    if call.isWithinGroup, let last = resolved.arguments.last, orderBy.count == 1 {
      orderBy[0].expression = last
    }
    return AggregateCall(
      name: resolved.name, arguments: resolved.arguments, isDistinct: call.isDistinct,
      orderBy: orderBy, filter: filter, type: resolved.type, isStrict: resolved.isStrict,
      isOrderSensitive: resolved.isOrderSensitive, isWithinGroup: call.isWithinGroup,
      factory: resolved.factory)
  }

  /// Different values come in their order, which that of bytes need not be said to be.
  private func distinctOrder(
    of aggregate: ResolvedAggregate, _ places: [Placed], beside sorted: [BoundExpression]
  ) throws(SQLError) -> [SortKey] {
    let rest = zip(aggregate.arguments, places).filter { argument, _ in
      !sorted.contains { isSame(argument, orNarrower: $0) }
    }
    var keys: [SortKey] = []
    var isByCollation = false
    for (argument, place) in rest {
      let collation = try keyCollation(of: (argument, place.range))
      isByCollation = isByCollation || collation != nil
      keys.append(
        SortKey(ordered(argument, by: collation), isDescending: false, nullsFirst: false))
    }
    return isByCollation ? keys : []
  }

  /// Whether an argument is the ordering expression, or that under an implicit conversion.
  private func isSame(_ argument: BoundExpression, orNarrower other: BoundExpression) -> Bool {
    if case .cast(let cast) = argument, Planning.isSame(cast.operand, other) { return true }
    return Planning.isSame(argument, other)
  }
}

/// An aggregate chosen for its arguments.
struct ResolvedAggregate {
  var name: String
  var arguments: [BoundExpression]
  var type: LogicalType
  var isStrict: Bool
  var isOrderSensitive: Bool
  var factory: AggregateFactory
}

extension BoundExpression {
  /// The columns used, those that subqueries take from outside included.
  var columnsWithSubqueries: ColumnSet {
    var found: ColumnSet = []
    collectWithSubqueries(into: &found)
    return found
  }

  private func collectWithSubqueries(into found: inout ColumnSet) {
    if case .column(let id, _) = self { found.insert(id) }
    if case .subquery(let subquery) = self { found.formUnion(subquery.plan.freeColumns) }
    for child in children { child.collectWithSubqueries(into: &found) }
  }
}
