import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// Values.
extension QueryTranslator {
  /// A value over the columns of a block.
  func piece(
    _ expression: BoundExpression, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> Piece {
    let kept = (weight, hasSubquery, isInexact)
    (weight, hasSubquery, isInexact) = (0, false, false)
    defer { (weight, hasSubquery, isInexact) = kept }
    let value = try write(expression, columns)
    return Piece(
      value, weight: weight, hasSubquery: hasSubquery,
      isInexact: isInexact && expression.type == .numeric)
  }

  func writeAll(
    _ list: [BoundExpression], _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> [SQLSyntax.Expression] {
    try list.map { (value) throws(Refusal) in try write(value, columns) }
  }

  private func write(
    _ expression: BoundExpression, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.Expression {
    weight += 1
    switch expression {
    case .column(let id, _):
      let piece = try lookUp(id, columns)
      weight += piece.weight - 1
      hasSubquery = hasSubquery || piece.hasSubquery
      isInexact = isInexact || piece.isInexact
      return piece.expression
    case .constant(let value, let type): return try constant(value, type)
    case .parameter(let number, _):
      throw Refusal("a parameter has no value here", about: .symbol("$\(number + 1)"))
    case .call(let call): return try write(call, columns)
    case .cast(let conversion): return try write(conversion, columns)
    case .and(let list): return Expression(.and(try writeAll(list, columns)))
    case .or(let list): return Expression(.or(try writeAll(list, columns)))
    case .not(let operand): return Expression(.not(try write(operand, columns)))
    case .comparison, .distinct, .isNull, .isBoolean, .inList, .quantified, .quantifiedCall:
      return try writePredicate(expression, columns)
    case .caseWhen(let branches, let otherwise, let type):
      let list = try branches.map { (branch) throws(Refusal) in
        (try write(branch.condition, columns), try write(branch.result, columns))
      }
      if case .constant(.null, _) = otherwise {
        let allNull = branches.allSatisfy {
          if case .constant(.null, _) = $0.result { true } else { false }
        }
        return .cases(list, otherwise: allNull ? typed(.null, type) : nil)
      }
      return .cases(list, otherwise: try write(otherwise, columns))
    case .coalesce(let list, _):
      return Expression(.conditional(.coalesce, try writeAll(list, columns)))
    case .extreme(let list, let isGreatest, let type):
      if dialect == .spark { try requireOrder(type, isGreatest ? "greatest" : "least") }
      return Expression(
        .conditional(isGreatest ? .greatest : .least, try writeAll(list, columns)))
    case .shared(let values, let body):
      let kept = locals
      locals.append(try writeAll(values, columns))
      defer { locals = kept }
      return try write(body, columns)
    case .local(let place, _):
      guard let last = locals.last, last.indices.contains(place) else {
        throw Refusal("a value that is shared by others")
      }
      return last[place]
    case .array, .row, .field: return try writeParts(expression, columns)
    case .session(let function, _, _):
      throw Refusal("a function of the session", about: .function(function.rawValue))
    case .decoded, .subquery, .aggregate, .window:
      throw Refusal("a part of the query that stands where it has no translation")
    }
  }

  private func writePredicate(
    _ expression: BoundExpression, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.Expression {
    switch expression {
    case .comparison(let comparison, let left, let right):
      let (one, other) = (try piece(left, columns), try piece(right, columns))
      weight += one.weight + other.weight
      hasSubquery = hasSubquery || one.hasSubquery || other.hasSubquery
      return try compared(
        comparison, settled(one), left.type, settled(other), right.type)
    case .distinct(let left, let right, let negated):
      if dialect == .spark {
        try requireComparable(left.type, "IS DISTINCT FROM", .word("distinct"))
      }
      let one = padded(try write(left, columns), left.type)
      return Expression(
        .isDistinct(one, padded(try write(right, columns), right.type), negated: negated))
    case .isNull(let operand, let negated):
      if dialect == .spark, case .record = operand.type {
        throw Refusal("IS NULL of a row", about: .word("is"))
      }
      return try write(operand, columns).isNull(negated: negated)
    case .isBoolean(let operand, let value, let negated):
      return Expression(
        .isTest(try write(operand, columns), value ? .isTrue : .isFalse, negated: negated))
    case .inList(let operand, let list, let negated):
      if dialect == .spark { try requireComparable(operand.type, "IN", .word("in")) }
      let values = try writeAll(list, columns).map { padded($0, operand.type) }
      return Expression(
        .inList(padded(try write(operand, columns), operand.type), values, negated: negated))
    case .quantified(let comparison, let operand, let array, let isAll):
      return try writeQuantified(comparison, operand, array, isAll, columns)
    case .quantifiedCall(let call, _, _, _):
      throw Refusal("an operator over an array", about: .symbol(call.name))
    case .column, .constant, .parameter, .call, .cast, .and, .or, .not, .caseWhen, .coalesce,
      .extreme, .array, .row, .field, .shared, .local, .decoded, .session, .subquery, .aggregate,
      .window:
      throw Refusal("no predicate")
    }
  }

  /// A number as it is where the last digits count: a quotient of decimals is a double in Spark, whose last digits are not those
  /// of the decimal.
  func settled(_ piece: Piece) -> SQLSyntax.Expression {
    dialect == .spark && piece.isInexact
      ? .call("round", piece.expression, .number(12)) : piece.expression
  }

  func compared(
    _ comparison: ComparisonOperator, _ left: SQLSyntax.Expression, _ leftType: LogicalType,
    _ right: SQLSyntax.Expression, _ rightType: LogicalType
  ) throws(Refusal) -> SQLSyntax.Expression {
    if dialect == .postgres { return .infix(left, comparison.rawValue, right) }
    if comparison == .equal || comparison == .notEqual {
      try requireComparable(leftType, "a comparison", .symbol(comparison.rawValue))
      return .infix(padded(left, leftType), comparison.rawValue, padded(right, rightType))
    }
    return .infix(
      try orderable(left, leftType), comparison.rawValue, try orderable(right, rightType))
  }

  private func writeQuantified(
    _ comparison: ComparisonOperator, _ operand: BoundExpression, _ array: BoundExpression,
    _ isAll: Bool, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.Expression {
    let value = try write(operand, columns)
    if dialect == .postgres {
      return Expression(
        .quantified(
          QuantifiedComparison(
            operand: value, comparison: Operator(comparison.rawValue), isAll: isAll,
            source: .array(try write(array, columns)))))
    }
    var elements: [SQLSyntax.Expression]?
    let type = array.type.element ?? operand.type
    if case .array(let list, _) = array { elements = try writeAll(list, columns) }
    if case .constant(.list(let list), _) = array {
      elements = try list.map { (element) throws(Refusal) in try constant(element, type) }
    }
    if let elements {
      let parts = try elements.map { (element) throws(Refusal) in
        try compared(comparison, value, operand.type, element, type)
      }
      if parts.isEmpty { return .boolean(isAll) }
      return parts.count == 1 ? parts[0] : Expression(isAll ? .and(parts) : .or(parts))
    }
    guard comparison == (isAll ? .notEqual : .equal) else {
      throw Refusal("this comparison with an array", about: .symbol(comparison.rawValue))
    }
    try requireComparable(operand.type, "a comparison", .symbol(comparison.rawValue))
    let list = try write(array, columns)
    let contains = SQLSyntax.Expression.cases(
      [(.infix(.call("size", list), "=", .number(0)), .boolean(false))],
      otherwise: .call("array_contains", list, value))
    return isAll ? contains.negation : contains
  }

  private func writeParts(
    _ expression: BoundExpression, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.Expression {
    switch expression {
    case .array(let list, let type):
      let values = try writeAll(list, columns)
      if dialect == .postgres { return cast(Expression(.array(values)), type) }
      let array = SQLSyntax.Expression.call("array", values)
      return list.isEmpty ? cast(array, type) : array
    case .row(let list, let record):
      let values = try writeAll(list, columns)
      if dialect == .postgres { return Expression(.row(values, isExplicit: true)) }
      var arguments: [SQLSyntax.Expression] = []
      for (field, value) in zip(record.fields, values) {
        arguments += [.string(field.name), value]
      }
      return .call("named_struct", arguments)
    case .field(let base, let index, _):
      guard case .record(let record) = base.type, record.fields.indices.contains(index) else {
        throw Refusal("a field of a row")
      }
      return Expression(
        .field(try write(base, columns), Identifier(record.fields[index].name)))
    case .column, .constant, .parameter, .call, .cast, .and, .or, .not, .comparison, .distinct,
      .isNull, .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall,
      .shared, .local, .decoded, .session, .subquery, .aggregate, .window:
      throw Refusal("no part of a value")
    }
  }

  private func write(
    _ call: BoundCall, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.Expression {
    let isRounding = ["round", "floor", "ceil", "ceiling", "trunc", "sign"].contains(call.name)
    var arguments: [SQLSyntax.Expression] = []
    for argument in call.arguments {
      if dialect == .spark, case .constant(.interval, _) = argument {
        // Not a value there: whoever takes one writes it as a part of the operator.
        arguments.append(.null)
        continue
      }
      let piece = try piece(argument, columns)
      weight += piece.weight
      hasSubquery = hasSubquery || piece.hasSubquery
      isInexact = isInexact || piece.isInexact
      arguments.append(isRounding ? settled(piece) : piece.expression)
    }
    if dialect == .spark { return try sparkCall(call, arguments) }
    if call.name == "array_subscript", arguments.count == 2 {
      return Expression(.subscripted(arguments[0], [.index(arguments[1])]))
    }
    guard call.isOperator else { return .call(call.name, arguments) }
    if arguments.count == 1 { return Expression(.unary(Operator(call.name), arguments[0])) }
    return .infix(arguments[0], call.name, arguments[1])
  }

  private func write(
    _ conversion: BoundCast, _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> SQLSyntax.Expression {
    let piece = try piece(conversion.operand, columns)
    weight += piece.weight
    hasSubquery = hasSubquery || piece.hasSubquery
    isInexact = isInexact || piece.isInexact
    let operand =
      conversion.target.type.isInteger || conversion.target.modifier != .none
      ? settled(piece) : piece.expression
    if dialect == .spark { return try sparkCast(conversion, operand) }
    if case .interval = conversion.target.modifier {
      throw Refusal("an interval of some fields only", about: .word("interval"))
    }
    return Expression(.cast(operand, Self.typeName(conversion.target)))
  }

  // MARK: Constants and types

  func typed(_ value: SQLSyntax.Expression, _ type: LogicalType) -> SQLSyntax.Expression {
    type == .unknown || type == .void ? value : cast(value, type)
  }

  func cast(_ value: SQLSyntax.Expression, _ type: LogicalType) -> SQLSyntax.Expression {
    Expression(.cast(value, Self.typeName(ColumnType(type))))
  }

  func constant(_ value: Value, _ type: LogicalType) throws(Refusal) -> SQLSyntax.Expression {
    if value.isNull { return typed(.null, type) }
    if dialect == .spark { return try sparkConstant(value, type) }
    switch value {
    case .boolean(let value): return .boolean(value)
    case .int32(let number) where type == .integer: return .number(Int(number))
    case .null, .int16, .int32, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list,
      .record:
      let text = SQLSyntax.Expression.string(value.text(of: type))
      return type == .text ? text : typed(text, type)
    }
  }

  private static let typeNames: [LogicalType: String] = [
    .boolean: "bool", .smallint: "int2", .integer: "int4", .bigint: "int8", .real: "float4",
    .double: "float8", .numeric: "numeric", .varchar: "varchar", .character: "bpchar",
    .time: "time", .timetz: "timetz", .timestamp: "timestamp", .timestamptz: "timestamptz",
    .interval: "interval", .bit: "bit", .varbit: "varbit",
  ]

  /// A type as the syntax tree names it.
  static func typeName(_ type: ColumnType) -> TypeName {
    if case .array(let element) = type.type {
      var name = typeName(ColumnType(element, type.modifier))
      name.arrayBounds.append(nil)
      return name
    }
    let name = typeNames[type.type]
    var modifiers: [SQLSyntax.Expression] = []
    switch type.modifier {
    case .none, .interval: break
    case .length(let length): modifiers = [.number(Int(length))]
    case .precision(let digits): modifiers = [.number(Int(digits))]
    case .numeric(let precision, let scale):
      modifiers = [.number(Int(precision)), .number(Int(scale))]
    }
    return TypeName(
      QualifiedName(Identifier(name ?? type.type.name)), modifiers: modifiers,
      isStandard: name != nil)
  }
}
