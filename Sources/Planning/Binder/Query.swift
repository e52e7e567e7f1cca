import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// A whole query; `outer` is what its names can refer to beyond its own FROM.
  ///
  /// With `keepsUnknown` string constants in the select list keep their unknown type, for a caller that
  /// knows what they should be.
  func bindQuery(
    _ query: SelectStatement, outer: Scope, keepsUnknown: Bool = false
  ) throws(SQLError) -> BoundQuery {
    try RunningStatement.check()
    return try deepening(by: 4) { () throws(SQLError) in
      try bindWithBody(query, outer: outer, keepsUnknown: keepsUnknown)
    }
  }

  private func bindWithBody(
    _ query: SelectStatement, outer: Scope, keepsUnknown: Bool
  ) throws(SQLError) -> BoundQuery {
    guard let with = query.with else {
      return try bindBody(query, outer: outer, keepsUnknown: keepsUnknown)
    }
    let scope = Scope(parent: outer)
    let definitions = try bindWith(with, in: scope)
    var body = query
    body.with = nil
    var bound = try bindBody(body, outer: scope, keepsUnknown: keepsUnknown)
    bound.plan = try attach(definitions, to: bound.plan, at: with.range)
    return bound
  }

  private func bindBody(
    _ query: SelectStatement, outer: Scope, keepsUnknown: Bool
  ) throws(SQLError) -> BoundQuery {
    switch query.body {
    case .select(let core):
      return try bindSelect(core, query, outer: outer, keepsUnknown: keepsUnknown)
    case .table(let table):
      let core = SelectCore(
        items: [SelectItem(.all, at: table.range)], from: [.table(table)], at: table.range)
      return try bindSelect(core, query, outer: outer, keepsUnknown: keepsUnknown)
    case .values(let values):
      let rows = try bindValues(values, outer: outer, keepsUnknown: keepsUnknown)
      return try order(rows, by: query, outer: outer)
    case .setOperation(let operation):
      for clause in query.locking {
        throw SQLError(
          .featureNotSupported,
          "FOR \(clause.strength.rawValue) is not allowed with UNION/INTERSECT/EXCEPT",
          at: clause.range)
      }
      let rows = try bindSetOperation(operation, outer: outer)
      return try order(rows, by: query, outer: outer)
    case .parenthesised(let inner):
      return try bindParenthesised(inner, query, outer: outer, keepsUnknown: keepsUnknown)
    }
  }

  /// `(query) ORDER BY …`: the clauses outside go to the query inside.
  private func bindParenthesised(
    _ inner: SelectStatement, _ query: SelectStatement, outer: Scope, keepsUnknown: Bool
  ) throws(SQLError) -> BoundQuery {
    var merged = inner
    if !query.orderBy.isEmpty {
      guard inner.orderBy.isEmpty else {
        throw SQLError(
          .syntaxError, "multiple ORDER BY clauses not allowed", at: query.orderBy[0].range)
      }
      merged.orderBy = query.orderBy
    }
    if let limit = query.limit {
      guard inner.limit == nil else {
        throw SQLError(.syntaxError, "multiple LIMIT clauses not allowed", at: limit.range)
      }
      merged.limit = limit
      merged.isWithTies = query.isWithTies
    }
    if let offset = query.offset {
      guard inner.offset == nil else {
        throw SQLError(.syntaxError, "multiple OFFSET clauses not allowed", at: offset.range)
      }
      merged.offset = offset
    }
    return try bindQuery(merged, outer: outer, keepsUnknown: keepsUnknown)
  }

  /// ORDER BY and LIMIT over a result whose columns are all that can be referred to.
  func order(
    _ rows: BoundQuery, by query: SelectStatement, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    var result = rows
    var keys: [SortKey] = []
    if !query.orderBy.isEmpty {
      let scope = Scope(parent: outer)
      scope.clause = .orderBy
      scope.entries = [RangeEntry(name: nil, columns: rangeColumns(rows.columns))]
      scope.registered = scope.entries
      let items = rows.columns.enumerated().map {
        OutputItem(
          expression: .column($1.id, $1.type), name: $1.name, range: rows.range($0))
      }
      for item in query.orderBy {
        let expression: BoundExpression
        if let index = try outputPosition(of: item.expression, among: items, for: "ORDER BY") {
          expression = items[index].expression
        } else {
          expression = try bind(item.expression, in: scope)
        }
        guard case .column(let id, _) = expression, rows.columns.contains(where: { $0.id == id })
        else {
          throw SQLError(
            .featureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
            at: item.expression.range,
            detail: "Only result column names can be used, not expressions or functions.",
            hint: "Add the expression/function to every SELECT,"
              + " or move the UNION into a FROM clause.")
        }
        if let key = try sortKey(item, expression), !isListed(key, in: keys) { keys.append(key) }
      }
      if !keys.isEmpty { result.plan = .sort(result.plan, keys) }
    }
    result.plan = try limit(result.plan, by: query, keys: keys, outer: outer)
    return result
  }

  func isListed(_ key: SortKey, in keys: [SortKey]) -> Bool {
    keys.contains { isSame($0.expression, key.expression) }
  }

  /// One key to sort by.
  ///
  /// - Throws: 42883 for a type without order.
  func sortKey(_ item: SortItem, _ expression: BoundExpression) throws(SQLError) -> SortKey? {
    guard isComparable(expression.type) else {
      throw SQLError(
        .undefinedFunction,
        "could not identify an ordering operator for type \(expression.type.name)",
        at: item.expression.range,
        hint: "Use an explicit ordering operator or modify the query.")
    }
    var isDescending = item.isDescending
    if let op = item.usingOperator {
      guard op.name == "<" || op.name == ">" else {
        throw SQLError(
          .wrongObjectType, "operator \(op.name) is not a valid ordering operator", at: op.range,
          hint: "Ordering operators must be \"<\" or \">\" members of btree operator families.")
      }
      isDescending = op.name == ">"
    }
    let nullsFirst = item.nulls.map { $0 == .first } ?? isDescending
    return SortKey(
      try ordered((expression, item.expression.range)), isDescending: isDescending,
      nullsFirst: nullsFirst)
  }

  /// LIMIT, OFFSET and FETCH FIRST.
  func limit(
    _ plan: LogicalPlan, by query: SelectStatement, keys: [SortKey], outer: Scope
  ) throws(SQLError) -> LogicalPlan {
    if query.isWithTies, query.orderBy.isEmpty {
      throw SQLError(
        .syntaxError, "WITH TIES cannot be specified without ORDER BY clause",
        at: query.limit?.range ?? query.range)
    }
    if query.isWithTies, let clause = query.locking.first(where: { $0.wait == .skipLocked }) {
      throw SQLError(
        .syntaxError, "SKIP LOCKED and WITH TIES options cannot be used together",
        at: clause.range)
    }
    let offset = try bindLimit(query.offset, .offset, outer: outer)
    let count = try bindLimit(query.limit, .limit, outer: outer)
    if query.isWithTies, count == nil, query.limit != nil {
      throw SQLError(
        .invalidRowCountInLimit, "row count cannot be null in FETCH FIRST ... WITH TIES clause",
        at: query.limit?.range ?? .none)
    }
    if offset == nil, count == nil { return plan }
    return .limit(
      plan, LimitPlan(count: count, offset: offset, ties: query.isWithTies ? keys : nil))
  }

  private func bindLimit(
    _ expression: Expression?, _ clause: Scope.Clause, outer: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard let expression else { return nil }
    let scope = Scope(parent: outer)
    scope.clause = clause
    let value = try bind(expression, in: scope)
    if case .constant(.null, _) = value { return nil }
    let count = try coerceToInteger(
      value, as: .bigint, for: clause.rawValue, at: expression.range)
    if count.columns.contains(where: { owners[$0] === outer }) {
      throw SQLError(
        .invalidColumnReference, "argument of \(clause.rawValue) must not contain variables",
        at: expression.range)
    }
    return count
  }
}
