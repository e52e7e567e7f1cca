import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// The arguments of a call as written.
struct CallArguments {
  var values: [Placed]
  /// The names of `name => value`, nil for arguments by position.
  var names: [Identifier?]
  /// Whether VARIADIC stood before the last one.
  var isVariadic: Bool

  var types: [LogicalType] { values.map(\.expression.type) }
}

extension BindingSession {
  /// A call in an expression.
  func bindCall(
    _ call: FunctionCall, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if let value = try bindGraphCall(call, at: range, in: scope) { return value }
    if call.over != nil || isAggregate(call) { try refuseNames(call, at: range, in: scope) }
    if let over = call.over {
      return try bindWindowCall(call, over: over, at: range, in: scope)
    }
    if isAggregate(call) {
      return try bindAggregate(call, at: range, in: scope)
    }
    if call.name.parts.count == 1, Self.windowFunctions[call.name.name] != nil {
      throw SQLError(
        .wrongObjectType, "window function \(call.name.name) requires an OVER clause", at: range)
    }
    let arguments = try bindArguments(call, in: scope)
    if let word = aggregateWord(of: call), try functionExists(call, in: scope) {
      throw SQLError(
        .wrongObjectType,
        "\(word) specified, but \(call.name.joined) is not an aggregate function", at: range)
    }
    if let name = try collationName(call, arguments.values, at: range) { return name }
    return try resolveCall(call, arguments, at: range, in: scope)
  }

  /// - Throws: 42883 if a call names arguments of an aggregate or window function, which have no names.
  private func refuseNames(
    _ call: FunctionCall, at range: SourceRange, in scope: Scope
  ) throws(SQLError) {
    guard call.arguments.contains(where: { $0.name != nil }) else { return }
    throw missingFunction(call.name, try bindArguments(call, in: scope), at: range)
  }

  /// What only an aggregate can have, if the call has it.
  private func aggregateWord(of call: FunctionCall) -> String? {
    if call.isStar { return "\(call.name.joined)(*)" }
    if call.isDistinct { return "DISTINCT" }
    if call.isWithinGroup { return "WITHIN GROUP" }
    if !call.orderBy.isEmpty { return "ORDER BY" }
    if call.filter != nil { return "FILTER" }
    return nil
  }

  /// The arguments of a call.
  func bindArguments(_ call: FunctionCall, in scope: Scope) throws(SQLError) -> CallArguments {
    var result = CallArguments(values: [], names: [], isVariadic: false)
    var hasNames = false
    for argument in call.arguments {
      if let name = argument.name {
        if result.names.contains(where: { $0?.name == name.name }) {
          throw SQLError(
            .syntaxError, "argument name \"\(name.name)\" used more than once", at: name.range)
        }
        hasNames = true
      } else if hasNames {
        throw SQLError(
          .syntaxError, "positional argument cannot follow named argument",
          at: argument.value.range)
      }
      result.values.append((try bind(argument.value, in: scope), argument.value.range))
      result.names.append(argument.name)
      if argument.isVariadic { result.isVariadic = true }
    }
    return result
  }

  /// The value of a call whose arguments are bound.
  ///
  /// - Throws: 42883, 42725.
  func resolveCall(
    _ call: FunctionCall, _ arguments: CallArguments, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if let value = try bindSessionCall(call, arguments, at: range, in: scope) { return value }
    if let value = try resolveUserFunction(call.name, arguments, at: range, in: scope) {
      return value
    }
    if let value = try resolveBuiltin(call, arguments, at: range, in: scope) { return value }
    if arguments.values.count == 1, let argument = arguments.values.first,
      arguments.names[0] == nil
    {
      if let value = try callAsCast(call.name, argument) { return value }
      if case .record(let record) = argument.expression.type, call.name.parts.count == 1,
        record.fields.contains(where: { $0.name == call.name.name })
      {
        return try selectField(
          Identifier(call.name.name, at: range), of: argument.expression, in: scope)
      }
    }
    throw missingFunction(call.name, arguments, at: range)
  }

  /// `date(x)`: a type's name used as a function.
  private func callAsCast(
    _ name: QualifiedName, _ argument: Placed
  ) throws(SQLError) -> BoundExpression? {
    guard name.parts.count == 1 else { return nil }
    if name.name == "regclass" {
      return try relationName(argument.expression, at: argument.range)
    }
    guard let target = try? columnType(TypeName(name)), target.modifier == .none else {
      return nil
    }
    return try coerce(argument.expression, to: target, .explicit, at: argument.range)
  }

  /// A function of the system by name, for notations that stand for one.
  func callBuiltin(
    _ name: String, _ arguments: [Placed], at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    let call = FunctionCall(QualifiedName(Identifier(name, at: range)))
    let list = CallArguments(
      values: arguments, names: arguments.map { _ in nil }, isVariadic: false)
    if let value = try resolveBuiltin(call, list, at: range, in: Scope(parent: nil)) {
      return value
    }
    throw missingFunction(call.name, list, at: range)
  }

  /// The error for a call that no function fits.
  func missingFunction(
    _ name: QualifiedName, _ arguments: CallArguments, at range: SourceRange
  ) -> SQLError {
    let types = zip(arguments.names, arguments.types).map { name, type in
      name.map { "\($0.name) => \(type.name)" } ?? type.name
    }
    let signature = "\(name.joined)(\(types.joined(separator: ", ")))"
    var hint =
      "No function matches the given name and argument types."
      + " You might need to add explicit type casts."
    let known = Set(catalog.functionNames.keys.map(\.name)).union(builtinFunctionNames)
    if !known.contains(name.name), let near = nearest(to: name.name, among: known) {
      hint = "Perhaps you meant the function \"\(near)\"."
    }
    return SQLError(
      .undefinedFunction, "function \(signature) does not exist", at: range, hint: hint)
  }

  /// The error for a call that several functions fit equally.
  func ambiguousFunction(
    _ name: QualifiedName, _ arguments: CallArguments, at range: SourceRange
  ) -> SQLError {
    let types = arguments.types.map(\.name).joined(separator: ", ")
    return SQLError(
      .ambiguousFunction, "function \(name.joined)(\(types)) is not unique", at: range,
      hint: "Could not choose a best candidate function."
        + " You might need to add explicit type casts.")
  }

  /// The error for an operator that does not take these types.
  func missingOperator(
    _ op: Operator, _ left: LogicalType?, _ right: LogicalType
  ) -> SQLError {
    let name = op.schema.map { "\($0).\(op.name)" } ?? op.name
    guard let left else {
      return SQLError(
        .undefinedFunction, "operator does not exist: \(name) \(right.name)", at: op.range,
        hint: "No operator matches the given name and argument type."
          + " You might need to add an explicit type cast.")
    }
    return SQLError(
      .undefinedFunction, "operator does not exist: \(left.name) \(name) \(right.name)",
      at: op.range,
      hint: "No operator matches the given name and argument types."
        + " You might need to add explicit type casts.")
  }

  /// `row.name` as `name(row)`; nil if there is no such function.
  func functionOfRow(
    _ name: String, argument: BoundExpression, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard case .record(let record) = argument.type, record.name != nil else { return nil }
    let list = CallArguments(values: [(argument, range)], names: [nil], isVariadic: false)
    return try resolveUserFunction(
      QualifiedName(Identifier(name, at: range)), list, at: range, in: scope)
  }

  /// A set-returning call in an expression: its columns come from a `projectSet` below.
  func addSetCall(
    _ call: TableFunctionCall, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    try checkSetPlace(at: range, in: scope)
    if let known = sameSetCall(as: call, in: scope) { return value(of: known) }
    // A call over the result of another one is computed after it.
    var used: ColumnSet = []
    for argument in call.arguments { used.formUnion(argument.columnsWithSubqueries) }
    var level = 0
    for (index, calls) in scope.setCalls.enumerated()
    where calls.contains(where: { $0.columns.contains { used.contains($0.id) } }) {
      level = index + 1
    }
    while scope.setCalls.count <= level { scope.setCalls.append([]) }
    scope.setCalls[level].append(call)
    for column in call.columns { owners[column.id] = scope }
    return value(of: call)
  }

  /// A call of the same function with the same arguments: both give their rows side by side, so one is enough, and
  /// is the other where GROUP BY asks.
  private func sameSetCall(
    as call: TableFunctionCall, in scope: Scope
  ) -> TableFunctionCall? {
    guard !call.isVolatile else { return nil }
    return scope.setCalls.joined().first { other in
      other.name == call.name && !other.isVolatile
        && other.columns.map(\.type) == call.columns.map(\.type)
        && other.arguments.count == call.arguments.count
        && zip(other.arguments, call.arguments).allSatisfy { isSame($0, $1) }
    }
  }

  private func value(of call: TableFunctionCall) -> BoundExpression {
    if call.columns.count == 1, let column = call.columns.first {
      return .column(column.id, column.type)
    }
    let record = RecordType(
      name: nil, fields: call.columns.map { RecordType.Field($0.name, $0.type) })
    return .row(call.columns.map { .column($0.id, $0.type) }, record)
  }

  /// - Throws: 0A000 where no set of rows can be.
  func checkSetPlace(at range: SourceRange, in scope: Scope) throws(SQLError) {
    let hint = "You might be able to move the set-returning function into a LATERAL FROM item."
    if let name = scope.conditionalName {
      throw SQLError(
        .featureNotSupported, "set-returning functions are not allowed in \(name)", at: range,
        hint: hint)
    }
    switch scope.clause {
    case .selectList, .orderBy, .distinctOn, .groupBy, .windowPartition, .windowOrder, .other:
      return
    case .function:
      throw SQLError(
        .featureNotSupported,
        "set-returning functions must appear at top level of FROM", at: range)
    case .from, .on, .filter, .having, .limit, .offset, .values, .returning, .update,
      .aggregateFilter, .windowRange, .windowRows, .windowGroups, .check, .columnDefault,
      .generated, .graphProperty, .index, .indexPredicate, .copyFilter, .mergeWhen, .graphColumns,
      .pathCost:
      throw SQLError(
        .featureNotSupported,
        "set-returning functions are not allowed in \(scope.clause.rawValue)", at: range)
    }
  }
}
