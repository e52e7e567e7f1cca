extension TextsAsCodes.Coded {
  /// The expression with values decoded of which there are only codes, and codes compared rather than values.
  func value(of expression: BoundExpression) -> BoundExpression {
    if hidden.isEmpty { return expression }
    let decoded = expression.changed { part in
      switch part {
      case .column(let id, let type):
        guard hidden.contains(id), let code = codes[id] else { return nil }
        return .decoded(code.column.reference, code.source, type)
      case .comparison(let comparison, let left, let right):
        guard let (one, two) = sameCodes(left, right) else { return nil }
        return .comparison(comparison, one, two)
      case .distinct(let left, let right, let negated):
        guard let (one, two) = sameCodes(left, right) else { return nil }
        return .distinct(one, two, negated: negated)
      case .isNull(.decoded(let code, _, _), let negated): return .isNull(code, negated: negated)
      case .constant, .parameter, .call, .cast, .and, .or, .not, .isNull, .isBoolean, .caseWhen,
        .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field, .shared,
        .decoded, .local, .session, .subquery, .aggregate, .window:
        return nil
      }
    }
    return decoded ?? expression
  }

  /// The code of a column that has no value; any other expression as it is.
  func shown(_ expression: BoundExpression) -> BoundExpression {
    guard let column = expression.asColumn, hidden.contains(column), let code = codes[column] else {
      return expression
    }
    return code.column.reference
  }

  /// The codes of two expressions of one column's values; nil if a value is at hand for both, or one has no code.
  private func sameCodes(
    _ left: BoundExpression, _ right: BoundExpression
  ) -> (BoundExpression, BoundExpression)? {
    guard left.isDecoded || right.isDecoded, let one = code(of: left), let two = code(of: right),
      one.source == two.source
    else { return nil }
    return (one.code, two.code)
  }

  private func code(of expression: BoundExpression) -> (code: BoundExpression, source: CodedColumn)?
  {
    if case .decoded(let code, let source, _) = expression { return (code, source) }
    return expression.asColumn.flatMap { codes[$0] }.map { ($0.column.reference, $0.source) }
  }
}

extension BoundExpression {
  fileprivate var isDecoded: Bool {
    if case .decoded = self { return true }
    return false
  }
}
