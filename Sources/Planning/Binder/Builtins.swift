import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  private func kind(_ argument: ArgumentType) -> ParameterKind {
    switch argument {
    case .exact(let type): .exact(type)
    case .any: .any
    case .anyElement: .anyElement
    case .anyArray: .anyArray
    case .anyNonArray: .anyNonArray
    case .anyEnum: .anyEnum
    case .anyRecord: .anyRecord
    }
  }

  private func shape(_ arguments: [ArgumentType], isVariadic: Bool = false) -> CandidateShape {
    CandidateShape(parameters: arguments.map(kind), isVariadic: isVariadic)
  }

  /// The result's type where the polymorphic arguments have become `targets`.
  private func type(
    of result: ResultType, _ shape: CandidateShape, _ targets: [LogicalType]
  ) -> LogicalType {
    if case .exact(let type) = result { return type }
    var element: LogicalType = .text
    for (parameter, target) in zip(shape.expanded(to: targets.count) ?? [], targets) {
      switch parameter {
      case .anyElement, .anyNonArray, .anyEnum, .any: element = target
      case .anyArray: element = target.element ?? target
      case .exact, .anyCompatible, .anyCompatibleArray, .anyRecord: continue
      }
      if parameter != .any { break }
    }
    if case .anyArray = result { return .array(element) }
    return element
  }

  // MARK: - Operators

  /// An operator other than a comparison with its operands converted to what it takes.
  ///
  /// - Throws: 42883, 42725.
  func resolveOperator(
    _ op: Operator, left: Placed?, right: Placed, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    if let left, let comparison = ComparisonOperator(rawValue: op.name) {
      return try compare(comparison, op, left, right)
    }
    let operands = (left.map { [$0] } ?? []) + [right]
    var types = operands.map(\.expression.type)
    let all = Builtins.shared.operators(op.name)
    var candidates: [OperatorFunction] = []
    // Exact types end the search, and most operators have many forms.
    if let exact = all.firstIndex(where: {
      ($0.left == nil) == (left == nil) && $0.takesExactly(types)
    }) {
      candidates = [all[exact]]
    } else {
      candidates = all.filter { ($0.left == nil) == (left == nil) }
      if op.name == "||", !types.contains(where: { $0.element != nil }) {
        // A constant beside a scalar is text to be joined, not an array to be extended.
        candidates = candidates.filter { $0.left != .anyArray && $0.right != .anyArray }
      }
    }
    let shapes = candidates.map { shape(($0.left.map { [$0] } ?? []) + [$0.right]) }
    // A constant without a type beside a value of a type is first taken to be of that type.
    if types.count == 2, types.contains(.unknown),
      let known = types.first(where: { $0 != .unknown })
    {
      // That of an array is an array too, and no element.
      let exact =
        shapes.contains { $0.parameters.allSatisfy { $0.type == known } }
        || known.element != nil
          && candidates.contains { $0.left == .anyArray && $0.right == .anyArray }
      if exact { types = [known, known] }
    }
    switch choose(among: shapes, for: types) {
    case .one(let index):
      guard let parameters = shapes[index].expanded(to: types.count),
        let targets = settle(parameters, types),
        let values = try coerceArguments(operands, to: targets)
      else { throw missingOperator(op, left?.expression.type, right.expression.type) }
      let chosen = candidates[index]
      // Only what is joined is brought to a common type; arrays are compared as they are.
      if op.name != "||", chosen.left == .anyArray, chosen.right == .anyArray,
        !types.contains(.unknown), types[0] != types[1]
      {
        throw missingOperator(op, left?.expression.type, right.expression.type)
      }
      let result = type(of: chosen.result, shapes[index], targets)
      return .call(
        BoundCall(
          name: op.name, arguments: values, type: result, isStrict: chosen.isStrict,
          volatility: chosen.volatility, isOperator: true,
          kernel: try chosen.makeKernel(targets, result)))
    case .ambiguous:
      if op.name == "||", let left { return try concatenate(op, left, right) }
      throw SQLError(
        .ambiguousFunction,
        "operator is not unique: \(types.map(\.name).joined(separator: " \(op.name) "))",
        at: op.range,
        hint: "Could not choose a best candidate operator."
          + " You might need to add explicit type casts.")
    case .none:
      if op.name == "||", let left { return try concatenate(op, left, right) }
      throw missingOperator(op, left?.expression.type, right.expression.type)
    }
  }

  /// `text || anything`.
  private func concatenate(
    _ op: Operator, _ left: Placed, _ right: Placed
  ) throws(SQLError) -> BoundExpression {
    let types = [left.expression.type, right.expression.type]
    guard types.contains(where: { $0.isString || $0 == .unknown }),
      !types.contains(where: { $0.element != nil })
    else { throw missingOperator(op, types[0], types[1]) }
    var values: [Placed] = []
    for operand in [left, right] {
      guard
        let value = try coerce(
          operand.expression, to: ColumnType(.text), .explicit, at: operand.range)
      else { throw missingOperator(op, types[0], types[1]) }
      values.append((value, operand.range))
    }
    let exact = Builtins.shared.operators("||").first {
      $0.left == .exact(.text) && $0.right == .exact(.text)
    }
    guard let exact else { throw missingOperator(op, types[0], types[1]) }
    return .call(
      BoundCall(
        name: op.name, arguments: values.map(\.expression), type: .text, isStrict: exact.isStrict,
        volatility: exact.volatility, isOperator: true,
        kernel: try exact.makeKernel([.text, .text], .text)))
  }

  // MARK: - Functions

  /// Whether a qualified name can mean a function of the system.
  private func isSystemName(_ name: QualifiedName) -> Bool {
    name.parts.count == 1 || name.qualifier == "pg_catalog"
  }

  /// The arguments of a built-in function in the order of its parameters, with defaults for those that are left out
  /// before others; nil if the names do not fit.
  private func positional(_ arguments: CallArguments, of name: String) -> CallArguments? {
    guard arguments.names.contains(where: { $0 != nil }) else { return arguments }
    let parameters = Builtins.parameters(of: name)
    guard !arguments.isVariadic, arguments.values.count <= parameters.count else { return nil }
    var order: [Int?] = Array(repeating: nil, count: parameters.count)
    for (position, name) in arguments.names.enumerated() {
      guard
        let place = name.map({ name in parameters.firstIndex { $0.name == name.name } })
          ?? position, order[place] == nil
      else { return nil }
      order[place] = position
    }
    let last = order.lastIndex { $0 != nil } ?? 0
    var values: [Placed] = []
    for (parameter, position) in zip(parameters, order[...last]) {
      if let position {
        values.append(arguments.values[position])
      } else if let text = parameter.defaultValue {
        values.append((.constant(.string(text), .unknown), .none))
      } else {
        return nil
      }
    }
    return CallArguments(
      values: values, names: values.map { _ in nil }, isVariadic: false)
  }

  /// A built-in function, set-returning ones included; nil if none fits.
  ///
  /// - Throws: 42725.
  func resolveBuiltin(
    _ call: FunctionCall, _ arguments: CallArguments, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard isSystemName(call.name) else { return nil }
    let name = call.name.name
    let candidates = Builtins.shared.functions(named: name)
    if arguments.isVariadic, !candidates.isEmpty {
      throw SQLError.unsupported("VARIADIC with a built-in function", at: range)
    }
    guard let arguments = positional(arguments, of: name) else { return nil }
    let shapes = candidates.map { shape($0.arguments, isVariadic: $0.isVariadic) }
    switch choose(among: shapes, for: arguments.types) {
    case .one(let index):
      guard let parameters = shapes[index].expanded(to: arguments.values.count),
        let targets = settle(parameters, arguments.types),
        let values = try coerceArguments(arguments.values, to: targets)
      else { return nil }
      let chosen = candidates[index]
      let result = type(of: chosen.result, shapes[index], targets)
      return .call(
        BoundCall(
          name: name, arguments: values, type: result, isStrict: chosen.isStrict,
          volatility: chosen.volatility, kernel: try chosen.makeKernel(targets, result)))
    case .ambiguous: throw ambiguousFunction(call.name, arguments, at: range)
    case .none:
      guard let set = try resolveSetReturning(call, arguments, columns: nil, at: range) else {
        return nil
      }
      return try addSetCall(set, at: range, in: scope)
    }
  }

  /// A built-in set-returning function; nil if none fits.
  func resolveSetReturning(
    _ call: FunctionCall, _ arguments: CallArguments, columns: [PlanColumn]?, at range: SourceRange
  ) throws(SQLError) -> TableFunctionCall? {
    guard isSystemName(call.name), let arguments = positional(arguments, of: call.name.name) else {
      return nil
    }
    let candidates = Builtins.shared.setReturning(named: call.name.name)
    let shapes = candidates.map { shape($0.arguments, isVariadic: $0.isVariadic) }
    switch choose(among: shapes, for: arguments.types) {
    case .none: return nil
    case .ambiguous: throw ambiguousFunction(call.name, arguments, at: range)
    case .one(let index):
      guard let parameters = shapes[index].expanded(to: arguments.values.count),
        let targets = settle(parameters, arguments.types),
        let values = try coerceArguments(arguments.values, to: targets)
      else { return nil }
      let chosen = candidates[index]
      if columns != nil, !chosen.columns.isEmpty {
        throw SQLError(
          .syntaxError,
          "a column definition list is only allowed for functions returning \"record\"",
          at: range)
      }
      if columns == nil, chosen.columns.isEmpty {
        throw SQLError(
          .syntaxError,
          "a column definition list is required for functions returning \"record\"", at: range)
      }
      let made =
        columns
        ?? chosen.columns.map { makeColumn($0.name, type(of: $0.type, shapes[index], targets)) }
      for column in made {
        note(
          try statedCollation(of: values, giving: column.type, at: range)?.implicit, of: column)
      }
      return TableFunctionCall(
        name: call.name.name, arguments: values, columns: made, isStrict: chosen.isStrict,
        isVolatile: chosen.volatility == .volatile || values.contains(where: \.isVolatile),
        kernel: try chosen.makeKernel(targets))
    }
  }

  /// A function in FROM that gives rows; nil if the name means a scalar function.
  func resolveTableFunction(
    _ call: FunctionCall, _ arguments: CallArguments, columns: [PlanColumn]?,
    at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> FunctionSource? {
    if let source = try resolveUserSource(call, arguments, at: range) { return source }
    guard let set = try resolveSetReturning(call, arguments, columns: columns, at: range) else {
      return nil
    }
    // The unnested elements of an array of rows are the columns of those rows.
    if set.columns.count == 1, case .record(let record) = set.columns[0].type {
      let whole = set.columns[0]
      let fields = record.fields.enumerated().map { index, field in
        ProjectedColumn(
          makeColumn(field.name, field.type),
          .field(.column(whole.id, whole.type), index, field.type))
      }
      let plan = LogicalPlan.project(.tableFunction(TableFunctionPlan(calls: [set])), fields)
      return FunctionSource(
        name: call.name.name,
        kind: .query(BoundQuery(plan: plan, columns: fields.map(\.column), ranges: [])),
        columns: fields.map(\.column), isScalar: false, rowType: record)
    }
    let isScalar = set.columns.count == 1 && columns == nil
    return FunctionSource(
      name: call.name.name, kind: .call(set), columns: set.columns, isScalar: isScalar,
      hasOwnName: isScalar && set.columns[0].name != call.name.name, rowType: nil)
  }

  var builtinFunctionNames: Set<String> { Set(Builtins.shared.names) }

  /// Whether some function goes by the name of the call, whatever its arguments.
  func functionExists(_ call: FunctionCall, in scope: Scope) throws(SQLError) -> Bool {
    let name = call.name.name
    return !Builtins.shared.functions(named: name).isEmpty
      || !Builtins.shared.setReturning(named: name).isEmpty
      || !catalog.functions(
        schema: call.name.qualifier, named: name, searchPath: settings.searchPath
      ).isEmpty
  }

  // MARK: - Aggregates

  /// Whether the call's name is that of an aggregate.
  func isAggregate(_ call: FunctionCall) -> Bool {
    isSystemName(call.name) && !Builtins.shared.aggregates(named: call.name.name).isEmpty
  }

  /// The aggregate that fits the arguments.
  ///
  /// - Throws: 42883, 42725, 42809.
  func resolveAggregate(
    _ call: FunctionCall, _ arguments: [Placed], at range: SourceRange
  ) throws(SQLError) -> ResolvedAggregate {
    let name = call.name.name
    let candidates = Builtins.shared.aggregates(named: name)
    if let first = candidates.first, first.isOrderedSet != call.isWithinGroup {
      throw SQLError(
        .wrongObjectType,
        first.isOrderedSet
          ? "WITHIN GROUP is required for ordered-set aggregate \(name)"
          : "\(name) is not an ordered-set aggregate, so it cannot have WITHIN GROUP", at: range)
    }
    if arguments.isEmpty, !call.isStar, candidates.contains(where: { $0.arguments.isEmpty }) {
      throw SQLError(
        .wrongObjectType,
        "\(name)(*) must be used to call a parameterless aggregate function", at: range)
    }
    let types = arguments.map(\.expression.type)
    let shapes = candidates.map { shape($0.arguments, isVariadic: $0.isVariadic) }
    let list = CallArguments(
      values: arguments, names: arguments.map { _ in nil }, isVariadic: false)
    switch choose(among: shapes, for: types) {
    case .ambiguous: throw ambiguousFunction(call.name, list, at: range)
    case .none:
      if call.isStar {
        throw SQLError(
          .undefinedFunction, "function \(call.name.joined)() does not exist", at: range,
          hint: "No function matches the given name and argument types."
            + " You might need to add explicit type casts.")
      }
      throw missingFunction(call.name, list, at: range)
    case .one(let index):
      guard let parameters = shapes[index].expanded(to: types.count),
        let targets = settle(parameters, types),
        let values = try coerceArguments(arguments, to: targets)
      else { throw missingFunction(call.name, list, at: range) }
      let chosen = candidates[index]
      return ResolvedAggregate(
        name: name, arguments: values, type: type(of: chosen.result, shapes[index], targets),
        isStrict: chosen.isStrict, isOrderSensitive: chosen.isOrderSensitive,
        factory: chosen.makeAccumulator)
    }
  }
}

extension OperatorFunction {
  /// Whether operands of just these types are what the operator is made for.
  fileprivate func takesExactly(_ types: [LogicalType]) -> Bool {
    guard let last = types.last, last != .unknown, right == .exact(last) else { return false }
    guard types.count == 2 else { return left == nil }
    return types[0] != .unknown && left == .exact(types[0])
  }
}
