import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// A user's function chosen for a call, its arguments in the order of its parameters.
struct UserCall {
  var definition: FunctionDefinition
  var arguments: [BoundExpression]
}

extension BindingSession {
  /// A call of a user's function as a value; nil if there is none of the name that fits.
  func resolveUserFunction(
    _ name: QualifiedName, _ arguments: CallArguments, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard let call = try chooseUserFunction(name, arguments, at: range) else { return nil }
    let definition = call.definition
    let query = try inline(call, at: range)
    switch definition.result {
    case .scalar, .void:
      if case .project(.values(let rows, let columns), let projected) = query.plan,
        rows.count == 1, columns.isEmpty, projected.count == 1, !definition.isStrict
      {
        return projected[0].expression
      }
      guard let column = query.columns.first else {
        throw SQLError.unsupported("a function without a result", at: range)
      }
      return .subquery(
        BoundSubquery(kind: .scalar, plan: query.plan, type: column.type))
    case .table(_, isSet: false) where definition.soleOutput != nil:
      return .subquery(
        BoundSubquery(kind: .scalar, plan: query.plan, type: query.columns[0].type))
    case .table(let record, isSet: false):
      let row = rowSubquery(query)
      if case .subquery(var subquery) = row, query.columns.count > 1 {
        if case .project(let input, let projected) = subquery.plan,
          case .row(let fields, _)? = projected.first?.expression
        {
          let column = makeColumn("row", .record(record))
          subquery.plan = .project(input, [ProjectedColumn(column, .row(fields, record))])
          subquery.type = .record(record)
        }
        return .subquery(subquery)
      }
      return row
    case .set, .table:
      try checkSetPlace(at: range, in: scope)
      guard scope.setCalls.isEmpty, scope.setQueries.isEmpty else {
        throw SQLError.unsupported(
          "a set-returning SQL function beside another one in a select list", at: range)
      }
      scope.setQueries.append(query)
      for column in query.columns { owners[column.id] = scope }
      if case .table(let record, _) = definition.result, definition.soleOutput == nil {
        return .row(query.columns.map { .column($0.id, $0.type) }, record)
      }
      let column = query.columns[0]
      return .column(column.id, column.type)
    }
  }

  /// A user's function in FROM; nil if there is none of the name that fits.
  func resolveUserSource(
    _ call: FunctionCall, _ arguments: CallArguments, at range: SourceRange
  ) throws(SQLError) -> FunctionSource? {
    guard let chosen = try chooseUserFunction(call.name, arguments, at: range) else { return nil }
    var query = try inline(chosen, at: range)
    let isScalar: Bool
    var rowType: RecordType?
    var isSet = true
    switch chosen.definition.result {
    case .scalar, .void: (isScalar, isSet) = (true, false)
    case .set: isScalar = true
    case .table(_, let set) where chosen.definition.soleOutput != nil:
      (isScalar, isSet) = (true, set)
    case .table(let record, let set): (isScalar, rowType, isSet) = (false, record, set)
    }
    let hasOwnName = chosen.definition.soleOutput != nil
    if isScalar, !hasOwnName, !query.columns.isEmpty {
      query.columns[0].name = chosen.definition.name.name
    }
    if !isSet {
      // Without a row in the body there is one of NULLs.
      query.plan = .join(
        JoinPlan(.left, .values(rows: [[]], columns: []), exact(query), on: []))
    }
    return FunctionSource(
      name: chosen.definition.name.name, kind: .query(query), columns: query.columns,
      isScalar: isScalar, hasOwnName: hasOwnName, rowType: rowType)
  }

  /// The function that a call means.
  ///
  /// - Throws: 42725 if several fit equally.
  private func chooseUserFunction(
    _ name: QualifiedName, _ arguments: CallArguments, at range: SourceRange
  ) throws(SQLError) -> UserCall? {
    let definitions = catalog.functions(
      schema: name.qualifier, named: name.name, searchPath: settings.searchPath)
    if definitions.isEmpty { return nil }
    var fitting: [(definition: FunctionDefinition, order: [Int?])] = []
    var shapes: [CandidateShape] = []
    for definition in definitions {
      guard let order = match(arguments, to: definition) else { continue }
      fitting.append((definition, order))
      shapes.append(
        CandidateShape(
          parameters: order.enumerated().filter { $1 != nil }
            .sorted { ($0.element ?? 0) < ($1.element ?? 0) }
            .map { .exact(definition.parameters[$0.offset].type.type) }))
    }
    switch choose(among: shapes, for: arguments.types) {
    case .none: return nil
    case .ambiguous: throw ambiguousFunction(name, arguments, at: range)
    case .one(let index):
      let (definition, order) = fitting[index]
      var values: [BoundExpression] = []
      for (parameter, position) in zip(definition.parameters, order) {
        let value: BoundExpression
        let place: SourceRange
        if let position {
          (value, place) = arguments.values[position]
        } else if let syntax = parameter.defaultValue {
          let defaults = Scope(parent: nil)
          defaults.clause = .columnDefault
          (value, place) = (try bind(syntax, in: defaults), range)
        } else {
          return nil
        }
        guard let coerced = try coerce(value, to: ColumnType(parameter.type.type), at: place)
        else { return nil }
        values.append(coerced)
      }
      dependencies.insert(definition.id)
      return UserCall(definition: definition, arguments: values)
    }
  }

  /// For each parameter the argument that is meant for it; nil if the arguments do not fit by name and number.
  private func match(
    _ arguments: CallArguments, to definition: FunctionDefinition
  ) -> [Int?]? {
    guard arguments.values.count <= definition.parameters.count else { return nil }
    var order: [Int?] = Array(repeating: nil, count: definition.parameters.count)
    for (position, name) in arguments.names.enumerated() {
      var index = position
      if let name {
        guard let found = definition.parameters.firstIndex(where: { $0.name == name.name }) else {
          return nil
        }
        index = found
      }
      guard order[index] == nil else { return nil }
      order[index] = position
    }
    for (parameter, position) in zip(definition.parameters, order)
    where position == nil && parameter.defaultValue == nil {
      return nil
    }
    return order
  }

  /// The body of a function with the arguments in place of its parameters.
  func inline(_ call: UserCall, at range: SourceRange) throws(SQLError) -> BoundQuery {
    try expanding(at: range) { () throws(SQLError) in
      do throws(SQLError) {
        return try inlineBody(call)
      } catch {
        var moved = error
        moved.range = range
        if moved.context == nil {
          moved.context = "SQL function \"\(call.definition.name.name)\""
        }
        throw moved
      }
    }
  }

  private func inlineBody(_ call: UserCall) throws(SQLError) -> BoundQuery {
    let definition = call.definition
    var computed: [ProjectedColumn] = []
    var arguments: [BoundExpression] = []
    for (index, argument) in call.arguments.enumerated() {
      if mayRepeat(argument) {
        arguments.append(argument)
      } else {
        let column = makeColumn(definition.parameters[index].name ?? "argument", for: argument)
        computed.append(ProjectedColumn(column, argument))
        arguments.append(.column(column.id, column.type))
      }
    }
    var parameters = zip(definition.parameters, arguments).map { ($0.name, $1) }
    let isProcedural = definition.language == "plpgsql"
    if isProcedural, case .table(let record, _) = definition.result, record.name == nil {
      parameters += record.fields.map { ($0.name, .constant(.null, $0.type)) }
    }
    let scope = Scope(parent: nil)
    scope.parameters = ParameterScope(
      functionName: definition.name.name, parameters: parameters.map { (name: $0, expression: $1) },
      argumentCount: arguments.count, isProcedural: isProcedural)
    guard let last = definition.body.last, definition.body.dropLast().allSatisfy(isQuery),
      case .select(let query) = last
    else {
      throw SQLError.unsupported("a function that changes data, called within a query")
    }
    var bound = try bindQuery(query, outer: scope, keepsUnknown: true)
    bound = try shape(bound, as: definition)
    if definition.isStrict, !arguments.isEmpty {
      bound.plan = .filter(bound.plan, arguments.map { .isNull($0, negated: true) })
    }
    switch definition.result {
    case .scalar, .void, .table(_, isSet: false):
      if case .project(.values, _) = bound.plan {
      } else {
        bound.plan = .limit(
          bound.plan, LimitPlan(count: .constant(.int64(1), .bigint), offset: nil))
      }
    case .set, .table: break
    }
    if !computed.isEmpty {
      let inputs = LogicalPlan.project(.values(rows: [[]], columns: []), computed)
      bound.plan = .project(
        .join(JoinPlan(.inner, inputs, bound.plan, on: [], isLateral: true)),
        bound.columns.map { ProjectedColumn($0, .column($0.id, $0.type)) })
    }
    return bound
  }

  private func isQuery(_ statement: Statement) -> Bool {
    if case .select = statement { return true }
    return false
  }

  /// Whether an argument can stand in several places of a body and mean the same, without bodies in bodies growing
  /// with the power of their depth.
  private func mayRepeat(_ argument: BoundExpression) -> Bool {
    if argument.isLarge { return false }
    return !argument.contains { part in
      switch part {
      case .call(let call): call.volatility == .volatile
      case .session, .subquery: true
      case .column, .constant, .parameter, .cast, .and, .or, .not, .comparison, .distinct, .isNull,
        .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array,
        .row, .field, .shared, .decoded, .local, .aggregate, .window:
        false
      }
    }
  }

  /// The body's rows with the names and types that the function declares.
  private func shape(
    _ query: BoundQuery, as definition: FunctionDefinition
  ) throws(SQLError) -> BoundQuery {
    var query = query
    let targets: [(name: String, type: ColumnType)]
    switch definition.result {
    case .void:
      return BoundQuery(
        plan: .project(
          query.plan, [ProjectedColumn(makeColumn("void", .void), .constant(.null, .void))]),
        columns: [makeColumn("void", .void)], ranges: [])
    case .scalar(let type), .set(let type): targets = [(definition.name.name, type)]
    case .table(let record, _):
      targets = record.fields.map { ($0.name, ColumnType($0.type)) }
      if query.columns.count == 1,
        record.fields.count != 1 || query.columns[0].type == .record(record),
        case .record(let inner) = query.columns[0].type,
        inner.fields.count == record.fields.count
      {
        let whole = query.columns[0]
        let fields = inner.fields.enumerated().map { index, field in
          ProjectedColumn(
            makeColumn(field.name, field.type),
            .field(.column(whole.id, whole.type), index, field.type))
        }
        query = BoundQuery(
          plan: .project(query.plan, fields), columns: fields.map(\.column), ranges: [])
      }
    }
    guard query.columns.count == targets.count else {
      throw wrongResult(of: definition, columnCount: query.columns.count, targets)
    }
    return try assignOutputs(query, to: targets, of: definition)
  }

  /// The error of a body that gives too many or too few columns.
  private func wrongResult(
    of definition: FunctionDefinition, columnCount: Int,
    _ targets: [(name: String, type: ColumnType)]
  ) -> SQLError {
    guard definition.language == "sql" else {
      return SQLError(
        .datatypeMismatch, "structure of query does not match function result type",
        detail: "Number of returned columns (\(columnCount)) does not match"
          + " expected column count (\(targets.count)).")
    }
    if case .table = definition.result, definition.soleOutput == nil {
      let isMore = columnCount > targets.count
      return wrongResult(
        of: definition, "Final statement returns too \(isMore ? "many" : "few") columns.")
    }
    return wrongResult(of: definition, "Final statement must return exactly one column.")
  }

  /// The error of a body that gives a column of another type.
  private func wrongResult(
    of definition: FunctionDefinition, _ actual: LogicalType, _ expected: LogicalType, column: Int
  ) -> SQLError {
    guard definition.language == "sql" else {
      return SQLError(
        .datatypeMismatch, "structure of query does not match function result type",
        detail: "Returned type \(actual.name) does not match expected type"
          + " \(expected.name) in column \(column).")
    }
    if case .table = definition.result, definition.soleOutput == nil {
      return wrongResult(
        of: definition,
        "Final statement returns \(actual.name) instead of \(expected.name) at column \(column).")
    }
    return wrongResult(of: definition, "Actual return type is \(actual.name).")
  }

  private func wrongResult(of definition: FunctionDefinition, _ detail: String) -> SQLError {
    let type =
      switch definition.result {
      case .scalar(let type), .set(let type): type.type.name
      case .void: "void"
      case .table(let record, _): definition.soleOutput?.type.name ?? record.name ?? "record"
      }
    return SQLError(
      .invalidFunctionDefinition, "return type mismatch in function declared to return \(type)",
      detail: detail)
  }

  private func assignOutputs(
    _ query: BoundQuery, to targets: [(name: String, type: ColumnType)],
    of definition: FunctionDefinition
  ) throws(SQLError) -> BoundQuery {
    let settled = try coerceOutputs(
      query,
      to: zip(query.columns, targets).map { $0.type == .unknown ? $1.type.type : $0.type },
      for: "RETURN")
    var projected: [ProjectedColumn] = []
    var direct: (input: LogicalPlan, columns: [ProjectedColumn])?
    if case .project(let input, let columns) = settled.plan,
      columns.map(\.column.id) == settled.columns.map(\.id)
    {
      direct = (input, columns)
    }
    var differs = settled.plan.outputs.map(\.id) != settled.columns.map(\.id)
    for (index, (column, target)) in zip(settled.columns, targets).enumerated() {
      let source = direct?.columns[index].expression ?? .column(column.id, column.type)
      guard let value = try coerce(source, to: target.type, .assignment, at: .none) else {
        throw wrongResult(of: definition, column.type, target.type.type, column: index + 1)
      }
      if value.type == column.type, modifier(of: value) == modifier(of: source),
        modifier(of: value) == target.type.modifier
      {
        projected.append(
          ProjectedColumn(PlanColumn(column.id, target.name, column.type), value))
      } else {
        differs = true
        let column = makeColumn(target.name, target.type)
        projected.append(ProjectedColumn(column, value))
      }
    }
    let input = direct?.input ?? settled.plan
    return BoundQuery(
      plan: differs ? .project(input, projected) : settled.plan,
      columns: projected.map(\.column), ranges: [])
  }
}
