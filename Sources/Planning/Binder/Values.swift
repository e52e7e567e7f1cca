import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// VALUES as a query, each column of the type that all of its values can become.
  ///
  /// - Complexity: O(values).
  func bindValues(
    _ values: ValuesList, outer: Scope, keepsUnknown: Bool = false
  ) throws(SQLError) -> BoundQuery {
    let scope = Scope(parent: outer)
    scope.clause = .values
    let width = values.rows.first?.count ?? 0
    var rows: [[BoundExpression]] = []
    rows.reserveCapacity(values.rows.count)
    for row in values.rows {
      guard row.count == width else {
        throw SQLError(
          .syntaxError, "VALUES lists must all be the same length",
          at: row.first?.range ?? values.range)
      }
      rows.append(try bindAll(row, in: scope))
    }
    var columns: [PlanColumn] = []
    for index in 0..<width {
      let type = try unifyColumn(index, of: &rows, values)
      let column = makeColumn("column\(index + 1)", type, columnModifier(index, of: rows))
      note(try columnCollation(index, of: rows, values), of: column)
      columns.append(column)
    }
    try requireNoLeftovers(of: scope)
    return BoundQuery(
      plan: .values(rows: rows, columns: columns), columns: columns,
      ranges: values.rows.first?.map(\.range) ?? [])
  }

  private func unifyColumn(
    _ index: Int, of rows: inout [[BoundExpression]], _ values: ValuesList
  ) throws(SQLError) -> LogicalType {
    // Most lists have one type in a column: then there is nothing to choose.
    var types: [LogicalType] = []
    var ranges: [SourceRange] = []
    for (row, syntax) in zip(rows, values.rows) {
      let type = row[index].type
      if !types.contains(type) {
        types.append(type)
        ranges.append(syntax[index].range)
      }
    }
    let type = try commonType(of: types, for: "VALUES", at: ranges)
    for row in rows.indices where rows[row][index].type != type {
      rows[row][index] = try coerceToCommon(
        rows[row][index], type, for: "VALUES", at: values.rows[row][index].range)
    }
    return type
  }

  private func columnCollation(
    _ index: Int, of rows: [[BoundExpression]], _ values: ValuesList
  ) throws(SQLError) -> StatedCollation? {
    guard hasCollations else { return nil }
    var found: StatedCollation?
    for (row, syntax) in zip(rows, values.rows) {
      let range = syntax[index].range
      guard let own = try statedCollation(of: row[index], at: range) else { return nil }
      found = try found?.merged(with: own, at: range) ?? own
    }
    return found?.implicit
  }

  private func columnModifier(_ index: Int, of rows: [[BoundExpression]]) -> TypeModifier {
    guard let first = rows.first else { return .none }
    let wanted = modifier(of: first[index])
    if wanted == .none { return .none }
    return rows.allSatisfy { modifier(of: $0[index]) == wanted } ? wanted : .none
  }

  /// Set-returning calls have no place in VALUES, and nothing would compute them.
  func requireNoLeftovers(of scope: Scope) throws(SQLError) {
    if !scope.setCalls.isEmpty || !scope.setQueries.isEmpty {
      throw SQLError(
        .featureNotSupported,
        "set-returning functions are not allowed in \(scope.clause.rawValue)")
    }
  }
}
