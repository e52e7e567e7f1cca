import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// The value expression with its names and types settled.
  ///
  /// A string constant or parameter whose type nothing has settled keeps the type unknown; whoever uses
  /// the value decides.
  func bind(_ expression: Expression, in scope: Scope) throws(SQLError) -> BoundExpression {
    try RunningStatement.check()
    expressionDepth += 1
    defer { expressionDepth -= 1 }
    let value = try deepening { () throws(SQLError) in try bindNode(expression, in: scope) }
    // Clauses that contradict each other are wrong also where nobody asks for an order.
    if hasCollationClauses { _ = try statedCollation(of: value, at: expression.range) }
    return value
  }

  private func bindNode(
    _ expression: Expression, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let range = expression.range
    switch expression.kind {
    case .literal(let literal): return try bindLiteral(literal, at: range)
    case .parameter(let number): return try bindParameter(number, at: range, in: scope)
    case .column(let name): return try resolve(name, at: range, in: scope)
    case .allColumns(let name): return try bindWholeRow(name, at: range, in: scope)
    case .unary(let op, let operand):
      return try bindUnary(op, operand, at: range, in: scope)
    case .binary(let op, let left, let right):
      return try bindBinary(op, left, right, at: range, in: scope)
    case .and(let list): return .and(try bindConditions(list, for: "AND", in: scope))
    case .or(let list): return .or(try bindConditions(list, for: "OR", in: scope))
    case .not(let operand):
      return .not(try bindBoolean(operand, for: "NOT", in: scope))
    case .isTest(let operand, let test, let negated):
      return try bindTest(operand, test, negated: negated, at: range, in: scope)
    case .isDistinct(let left, let right, let negated):
      return try bindDistinct(left, right, negated: negated, at: range, in: scope)
    case .between(let between): return try bindBetween(between, at: range, in: scope)
    case .inList(let operand, let list, let negated):
      return try bindInList(operand, list, negated: negated, at: range, in: scope)
    case .pattern(let match): return try bindPattern(match, at: range, in: scope)
    case .inSubquery, .quantified, .exists, .subquery, .arraySubquery:
      return try bindSubqueryExpression(expression, in: scope)
    case .array(let list): return try bindArray(list, element: nil, at: range, in: scope)
    case .row(let list, _): return try bindRow(list, in: scope)
    case .caseWhen(let expression): return try bindCase(expression, at: range, in: scope)
    case .cast(let operand, let type):
      return try bindCast(operand, type, at: range, in: scope)
    case .typedLiteral(let type, let text):
      return try bindTypedLiteral(type, text, at: range, in: scope)
    case .collate(let operand, let name):
      return try bindCollation(operand, name, at: range, in: scope)
    case .function(let call): return try bindCall(call, at: range, in: scope)
    case .conditional(let function, let list):
      return try bindConditional(function, list, at: range, in: scope)
    case .sessionValue(let value, let precision):
      return try bindSessionValue(value, precision: precision, at: range, in: scope)
    case .grouping(let list): return try bindGrouping(list, at: range, in: scope)
    case .subscripted(let operand, let subscripts):
      return try bindSubscripts(operand, subscripts, at: range, in: scope)
    case .field(let operand, let name):
      return try selectField(name, of: try bind(operand, in: scope), in: scope)
    case .allFields:
      throw SQLError(
        .featureNotSupported, "row expansion via \"*\" is not supported here", at: range)
    case .defaultValue:
      throw SQLError(.syntaxError, "DEFAULT is not allowed in this context", at: range)
    case .currentOf: throw SQLError.unsupported("WHERE CURRENT OF", at: range)
    }
  }

  /// All of `list`, in order.
  func bindAll(_ list: [Expression], in scope: Scope) throws(SQLError) -> [BoundExpression] {
    var result: [BoundExpression] = []
    result.reserveCapacity(list.count)
    for item in list {
      // `row(t.*)` and `f(t.*)` take a whole row; only ROW spreads it, and does so itself.
      result.append(try bind(item, in: scope))
    }
    return result
  }

  /// A condition.
  func bindBoolean(
    _ expression: Expression, for clause: String, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    try coerceToBoolean(try bind(expression, in: scope), for: clause, at: expression.range)
  }

  private func bindConditions(
    _ list: [Expression], for clause: String, in scope: Scope
  ) throws(SQLError) -> [BoundExpression] {
    var result: [BoundExpression] = []
    for item in list { result.append(try bindBoolean(item, for: clause, in: scope)) }
    return result
  }

  /// A constant.
  func bindLiteral(_ literal: Literal, at range: SourceRange) throws(SQLError) -> BoundExpression {
    switch literal {
    case .integer(let value):
      if let small = Int32(exactly: value) { return .constant(.int32(small), .integer) }
      return .constant(.int64(value), .bigint)
    case .decimal(let text):
      let bytes = Array(text.utf8)
      do throws(SQLError) {
        let value = try readLiteral(bytes, as: ColumnType(.numeric), at: range)
        guard case .numeric(let number) = value, number.isZero,
          text.prefix(while: { $0 != "e" && $0 != "E" }).contains(where: { "1"..."9" ~= $0 })
        else { return .constant(value, .numeric) }
      } catch {
        guard error.state == .numericOutOfRange else { throw error }
      }
      // What has no place among exact numbers still has one among the others.
      return .constant(try readLiteral(bytes, as: ColumnType(.double), at: range), .double)
    case .string(let text): return .constant(.string(text), .unknown)
    case .bitString(let digits, let isHexadecimal):
      do throws(SQLError) {
        let bits = try BitStrings.literal(digits, isHexadecimal: isHexadecimal)
        return .constant(.text(bits), .bit)
      } catch {
        throw error.located(at: range)
      }
    case .boolean(let value): return .constant(.boolean(value), .boolean)
    case .null: return .constant(.null, .unknown)
    }
  }

  private func bindParameter(
    _ number: Int, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if let parameters = scope.parameters {
      guard number >= 1, number <= parameters.argumentCount else {
        throw SQLError(.undefinedParameter, "there is no parameter $\(number)", at: range)
      }
      return parameters.parameters[number - 1].expression
    }
    guard number >= 1, number <= 65535 else {
      throw SQLError(.undefinedParameter, "there is no parameter $\(number)", at: range)
    }
    while parameterTypes.count < number { parameterTypes.append(nil) }
    return .parameter(number - 1, parameterTypes[number - 1] ?? .unknown)
  }

  private func bindWholeRow(
    _ name: QualifiedName, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let schema = name.parts.count > 1 ? name.qualifier : nil
    guard let (entry, owner) = try findEntry(name.name, schema: schema, at: range, in: scope)
    else {
      throw missingEntry(name.name, schema: schema, at: range, in: scope)
    }
    return note(wholeRow(of: entry), of: owner, at: range)
  }

  private func bindUnary(
    _ op: Operator, _ operand: Expression, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if case .literal(let literal) = operand.kind, op.name == "-" || op.name == "+" {
      // PostgreSQL's grammar folds the sign of a number, so that -2147483648 is an integer.
      switch literal {
      case .integer(let value) where value != .min:
        return try bindLiteral(.integer(op.name == "-" ? -value : value), at: range)
      case .decimal(let text) where op.name == "-":
        if text.utf8.first != UInt8(ascii: "-") {
          if text == "9223372036854775808" {
            return .constant(.int64(.min), .bigint)
          }
          return try bindLiteral(.decimal("-" + text), at: range)
        }
      case .integer, .decimal, .string, .bitString, .boolean, .null: break
      }
    }
    let value = try bind(operand, in: scope)
    return try resolveOperator(op, left: nil, right: (value, operand.range), at: op.range)
  }

  private func bindBinary(
    _ op: Operator, _ left: Expression, _ right: Expression, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if let comparison = ComparisonOperator(rawValue: op.name) {
      return try bindComparison(comparison, op, left, right, in: scope)
    }
    let (first, second) = try bindOperands(left, right, in: scope)
    return try resolveOperator(
      op, left: (first, left.range), right: (second, right.range), at: op.range)
  }

  private func bindRow(
    _ list: [Expression], in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var values: [BoundExpression] = []
    for item in list {
      let value = try bind(item, in: scope)
      // `ROW(t.*)` spreads the columns of t.
      if case .allColumns = item.kind, case .row(let fields, _) = value {
        values += fields
      } else {
        values.append(try settled(value, at: item.range))
      }
    }
    let fields = values.enumerated().map { RecordType.Field("f\($0 + 1)", $1.type) }
    return .row(values, RecordType(name: nil, fields: fields))
  }

  private func bindCase(
    _ expression: CaseExpression, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let outerName = scope.conditionalName
    scope.conditionalName = "CASE"
    defer { scope.conditionalName = outerName }
    var operand: BoundExpression?
    if let syntax = expression.operand {
      operand = try settled(try bind(syntax, in: scope), at: syntax.range)
    }
    return try sharing(operand.map { [$0] } ?? [], for: .oneEvaluation) {
      (shared) throws(SQLError) in
      try bindBranches(expression, comparing: shared.first, at: range, in: scope)
    }
  }

  /// The branches of a CASE whose operand, if it has one, is bound.
  private func bindBranches(
    _ expression: CaseExpression, comparing operand: BoundExpression?, at range: SourceRange,
    in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var conditions: [BoundExpression] = []
    var results: [BoundExpression] = []
    var ranges: [SourceRange] = []
    for branch in expression.branches {
      if let operand {
        let value = try bind(branch.condition, in: scope)
        conditions.append(
          try compare(
            .equal, Operator("=", at: branch.condition.range),
            (operand, expression.operand?.range ?? range), (value, branch.condition.range)))
      } else {
        conditions.append(try bindBoolean(branch.condition, for: "CASE/WHEN", in: scope))
      }
      results.append(try bind(branch.result, in: scope))
      ranges.append(branch.result.range)
    }
    let otherwise: BoundExpression
    if let syntax = expression.otherwise {
      otherwise = try bind(syntax, in: scope)
      ranges.append(syntax.range)
    } else {
      otherwise = .constant(.null, .unknown)
      ranges.append(.none)
    }
    // PostgreSQL looks at ELSE first.
    let order = [otherwise.type] + results.map(\.type)
    let type = try commonType(
      of: order, for: "CASE", at: [ranges[ranges.count - 1]] + ranges.dropLast())
    var branches: [BoundBranch] = []
    for index in conditions.indices {
      let result = try coerceToCommon(results[index], type, for: "CASE/WHEN", at: ranges[index])
      branches.append(BoundBranch(condition: conditions[index], result: result))
    }
    let last = try coerceToCommon(
      otherwise, type, for: "CASE/ELSE", at: ranges[ranges.count - 1])
    return .caseWhen(branches, otherwise: last, type)
  }

  private func bindConditional(
    _ function: ConditionalFunction, _ list: [Expression], at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let outerName = scope.conditionalName
    if function == .coalesce { scope.conditionalName = "COALESCE" }
    defer { scope.conditionalName = outerName }
    let values = try bindAll(list, in: scope)
    let ranges = list.map(\.range)
    switch function {
    case .coalesce:
      let (unified, type) = try unify(values, for: "COALESCE", at: ranges)
      return .coalesce(unified, type)
    case .greatest, .least:
      let (unified, type) = try unify(values, for: function.rawValue, at: ranges)
      guard isComparable(type) else {
        throw SQLError(
          .undefinedFunction, "could not identify a comparison function for type \(type.name)",
          at: range)
      }
      let placed = zip(unified, ranges).map { ($0, $1) }
      if let collation = try collation(of: placed) {
        let keys = unified.map { ordered($0, by: collation) }
        return text(ofKey: .extreme(keys, isGreatest: function == .greatest, .text), type)
      }
      return .extreme(unified, isGreatest: function == .greatest, type)
    case .nullIf:
      guard values.count == 2 else {
        throw SQLError(.syntaxError, "NULLIF requires two arguments", at: range)
      }
      return try sharing([values[0]], for: .oneEvaluation) { (shared) throws(SQLError) in
        var result = shared[0]
        let equal = try compare(
          .equal, Operator("=", at: range), (result, ranges[0]), (values[1], ranges[1]))
        if result.type == .unknown, case .comparison(_, let left, _) = equal { result = left }
        return .caseWhen(
          [BoundBranch(condition: equal, result: .constant(.null, result.type))],
          otherwise: result, result.type)
      }
    }
  }
}
