import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension DefinitionExecutor {
  mutating func createFunction(_ statement: CreateFunctionStatement) throws(SQLError) -> String {
    let tag = statement.isProcedure ? "CREATE PROCEDURE" : "CREATE FUNCTION"
    if statement.isProcedure { throw .unsupported("CREATE PROCEDURE", at: statement.range) }
    if statement.isWindow { throw .unsupported("a WINDOW function", at: statement.range) }
    let name = try newName(statement.name)
    let language = statement.language ?? defaultLanguage(statement)
    guard let language else {
      throw SQLError(.invalidFunctionDefinition, "no language specified")
    }
    guard language == "sql" || language == "plpgsql" else {
      throw .unsupported("LANGUAGE \(language)", at: statement.range)
    }
    let parameters = try inputParameters(statement)
    let result = try functionResult(statement)
    let (body, source) = try functionBody(statement, language)
    let types = parameters.map(\.type.type)
    let old = catalog.functions(schema: name.schema, named: name.name).first {
      $0.parameters.map(\.type.type) == types
    }
    var function = FunctionDefinition(
      id: old?.id ?? transaction.makeID(), name: name, parameters: parameters, result: result,
      body: body, isStrict: statement.isStrict,
      isVolatile: (statement.volatility ?? .volatile) == .volatile, language: language,
      source: source)
    if case .atomic(_, let text) = statement.body { function.atomicBody = text }
    if let old {
      guard statement.orReplace else {
        throw SQLError(
          .duplicateFunction,
          "function \"\(name.name)\" already exists with same argument types")
      }
      try checkReplacement(of: old, by: function)
      function.comment = old.comment
    }
    try environment.check(function, in: catalog)
    transaction.catalog.put(function)
    return tag
  }

  private func defaultLanguage(_ statement: CreateFunctionStatement) -> String? {
    switch statement.body {
    case .returnExpression, .atomic: "sql"
    case .text, .object, nil: nil
    }
  }

  private func inputParameters(
    _ statement: CreateFunctionStatement
  ) throws(SQLError) -> [FunctionDefinition.Parameter] {
    var parameters: [FunctionDefinition.Parameter] = []
    var names: Set<String> = []
    for parameter in statement.parameters {
      let isTable = parameter.mode == .table
      if let name = parameter.name?.name, !names.insert(name).inserted {
        throw SQLError(
          .invalidFunctionDefinition, "parameter name \"\(name)\" used more than once",
          at: parameter.range)
      }
      if isTable || parameter.mode == .out { continue }
      let type = try environment.type(parameter.type, in: catalog)
      if parameter.mode == .variadic, type.type.element == nil {
        throw SQLError(
          .invalidFunctionDefinition, "VARIADIC parameter must be an array",
          at: parameter.range)
      }
      if let value = parameter.defaultValue {
        _ = try environment.bind(
          value, as: .defaultValue(column: parameter.name?.name ?? "", type), in: catalog)
      } else if parameters.last?.defaultValue != nil, parameter.mode != .variadic {
        throw SQLError(
          .invalidFunctionDefinition,
          "input parameters after one with a default value must also have defaults",
          at: parameter.range)
      }
      parameters.append(
        FunctionDefinition.Parameter(
          name: parameter.name?.name, type: type, defaultValue: parameter.defaultValue,
          isVariadic: parameter.mode == .variadic))
    }
    guard parameters.count <= 100 else {
      throw SQLError(.tooManyArguments, "functions cannot have more than 100 arguments")
    }
    return parameters
  }

  private func functionResult(
    _ statement: CreateFunctionStatement
  ) throws(SQLError) -> FunctionDefinition.Result {
    let outputs = statement.parameters.filter {
      $0.mode == .out || $0.mode == .inOut || $0.mode == .table
    }
    var fields: [RecordType.Field] = []
    for (index, output) in outputs.enumerated() {
      let type = try environment.type(output.type, in: catalog).type
      fields.append(RecordType.Field(output.name?.name ?? "column\(index + 1)", type))
    }
    if statement.returnsTable {
      return .table(RecordType(name: nil, fields: fields), isSet: true)
    }
    guard let returns = statement.returns else {
      switch fields.count {
      case 0:
        throw SQLError(
          .invalidFunctionDefinition, "function result type must be specified")
      case 1 where outputs[0].name == nil: return .scalar(ColumnType(fields[0].type))
      default: return .table(RecordType(name: nil, fields: fields), isSet: false)
      }
    }
    let isRecord = returns.name.name == "record" && returns.name.parts.count == 1
    if isRecord, fields.count > 1 {
      return .table(RecordType(name: nil, fields: fields), isSet: returns.isSetOf)
    }
    if returns.name.name == "trigger" {
      throw .unsupported("a trigger function", at: returns.range)
    }
    if returns.name.name == "void", returns.name.parts.count == 1 { return .void }
    let type = try environment.type(returns, in: catalog)
    if fields.count == 1, fields[0].type != type.type {
      throw SQLError(
        .invalidFunctionDefinition,
        "function result type must be \(fields[0].type.name) because of OUT parameters",
        at: returns.range)
    }
    if fields.count > 1 {
      throw SQLError(
        .invalidFunctionDefinition,
        "function result type must be record because of OUT parameters", at: returns.range)
    }
    if fields.count == 1, outputs[0].name != nil {
      return .table(RecordType(name: nil, fields: fields), isSet: returns.isSetOf)
    }
    if case .record(let record) = type.type, !record.fields.isEmpty {
      return .table(record, isSet: returns.isSetOf)
    }
    return returns.isSetOf ? .set(type) : .scalar(type)
  }

  private func functionBody(
    _ statement: CreateFunctionStatement, _ language: String
  ) throws(SQLError) -> ([Statement], String) {
    switch statement.body {
    case .text(let text, _): return (try environment.parse(text, language: language), text)
    case .returnExpression(let expression):
      let core = SelectCore(items: [SelectItem(.expression(expression))])
      return ([.select(SelectStatement(body: .select(core)))], "")
    case .atomic(let statements, _): return (statements, "")
    case .object:
      throw SQLError(
        .invalidFunctionDefinition,
        "only one AS item needed for language \"\(language)\"")
    case nil:
      throw SQLError(.invalidFunctionDefinition, "no function body specified")
    }
  }

  private func checkReplacement(
    of old: FunctionDefinition, by new: FunctionDefinition
  ) throws(SQLError) {
    let arguments = signature(of: old)
    guard Self.isSame(Self.valueResult(of: old), Self.valueResult(of: new)) else {
      throw SQLError(
        .invalidFunctionDefinition, "cannot change return type of existing function",
        hint: "Use DROP FUNCTION \(arguments) first.")
    }
    for (before, after) in zip(old.parameters, new.parameters) {
      if let name = before.name, name != after.name {
        throw SQLError(
          .invalidFunctionDefinition, "cannot change name of input parameter \"\(name)\"",
          hint: "Use DROP FUNCTION \(arguments) first.")
      }
      if before.defaultValue != nil, after.defaultValue == nil {
        throw SQLError(
          .invalidFunctionDefinition,
          "cannot remove parameter defaults from existing function",
          hint: "Use DROP FUNCTION \(arguments) first.")
      }
    }
  }

  /// The result with the value of a sole OUT parameter as what it is, whatever its name.
  private static func valueResult(of function: FunctionDefinition) -> FunctionDefinition.Result {
    guard let output = function.soleOutput, case .table(_, let isSet) = function.result else {
      return function.result
    }
    return isSet ? .set(ColumnType(output.type)) : .scalar(ColumnType(output.type))
  }

  private static func isSame(
    _ left: FunctionDefinition.Result, _ right: FunctionDefinition.Result
  ) -> Bool {
    switch (left, right) {
    case (.scalar(let a), .scalar(let b)), (.set(let a), .set(let b)): a.type == b.type
    case (.table(let a, let x), .table(let b, let y)): a == b && x == y
    case (.void, .void): true
    case (.scalar, _), (.set, _), (.table, _), (.void, _): false
    }
  }
}
