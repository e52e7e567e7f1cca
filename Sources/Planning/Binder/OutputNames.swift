import SQLSyntax

/// The name of a result column without alias, as PostgreSQL makes it.
func outputName(of expression: Expression) -> String {
  figureName(expression)?.name ?? "?column?"
}

/// A name, and whether it is a good one: a cast's type name gives way to a better one inside.
private func figureName(_ expression: Expression) -> (name: String, isStrong: Bool)? {
  switch expression.kind {
  case .column(let name): return (name.name, true)
  case .allColumns(let name): return (name.name, true)
  case .field(_, let name): return (name.name, true)
  case .subscripted(let operand, _): return figureName(operand)
  case .function(let call): return (functionName(call), true)
  case .conditional(let function, _): return (function.rawValue.lowercased(), true)
  case .cast(let operand, let type):
    if let inner = figureName(operand), inner.isStrong { return inner }
    return (type.name.name, false)
  case .typedLiteral(let type, _): return (type.name.name, false)
  case .collate(let operand, _): return figureName(operand)
  case .caseWhen(let expression):
    if let otherwise = expression.otherwise, let inner = figureName(otherwise), inner.isStrong {
      return inner
    }
    return ("case", false)
  case .array, .arraySubquery: return ("array", true)
  case .row: return ("row", true)
  case .exists: return ("exists", true)
  case .grouping: return ("grouping", true)
  case .sessionValue(let value, _): return (value.rawValue.lowercased(), true)
  case .subquery(let query): return subqueryName(query)
  case .literal, .parameter, .unary, .binary, .and, .or, .not, .isTest, .isDistinct, .between,
    .inList, .inSubquery, .pattern, .quantified, .allFields, .defaultValue, .currentOf:
    return nil
  }
}

private func functionName(_ call: FunctionCall) -> String {
  call.notation == .normalize ? "normalize" : call.name.name
}

/// A scalar subquery is named as its one column.
private func subqueryName(_ query: SelectStatement) -> (name: String, isStrong: Bool)? {
  var body = query.body
  while true {
    switch body {
    case .select(let core):
      guard let item = core.items.first else { return nil }
      if let alias = item.alias { return (alias.name, true) }
      if case .expression(let expression) = item.kind {
        return figureName(expression) ?? ("?column?", true)
      }
      return nil
    case .values(let list):
      return list.rows.first?.isEmpty == false ? ("column1", true) : nil
    case .setOperation(let operation): body = operation.left
    case .parenthesised(let inner): body = inner.body
    case .table: return nil
    }
  }
}
