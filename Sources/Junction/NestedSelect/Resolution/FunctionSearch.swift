import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Finds the function that a call by name means.
struct FunctionSearch {
  let catalog: CatalogSnapshot
  let searchPath: [String]

  /// A function with its arguments.
  struct Found {
    let call: Expression
    /// The rows that it gives; nil if it gives values.
    let table: ReadTable?
    /// Whether it gives a set.
    let isSet: Bool
    /// A query of one column: what it gives as JSON.
    let values: SelectStatement
  }

  /// The function that takes parameters of these names.
  ///
  /// - Throws: PGRST202 if there is none, PGRST203 if there are several, 42804 and 22021 for a value that is none of its
  ///   parameter.
  func find(_ name: String, _ body: RestBody?) throws(NestedSelectError) -> Found {
    let arguments = try body?.encoded()
    var members: [(key: String, value: JSONTextEncoder.Part)] = []
    if let content = arguments?.content, case .object(let found) = content { members = found }
    let named = functions(named: name)
    var fitting = named.filter { $0.takes(members.map(\.key)) }
    if fitting.isEmpty, let arguments,
      let function = named.first(where: { $0.takesAnyJSON })
    {
      return found(
        function, [FunctionCall.Argument(try arguments.constant(.json, name))])
    }
    if fitting.count > 1, let exact = fitting.first(where: { $0.parameters.count == members.count })
    {
      fitting = fitting.filter { $0.parameters.count == exact.parameters.count }
    }
    guard let function = fitting.first else { throw unknown(name, members.map(\.key)) }
    if fitting.count > 1 { throw ambiguous(fitting) }
    var given: [FunctionCall.Argument] = []
    for (key, value) in members {
      guard let parameter = function.parameter(matching: key) else { continue }
      given.append(
        FunctionCall.Argument(
          try value.constant(parameter.type.type, key),
          name: parameter.name.map { Identifier($0) }, isVariadic: parameter.isVariadic))
    }
    return found(function, given)
  }

  private func functions(named name: String) -> [FunctionDefinition] {
    let found = catalog.functions(schema: nil, named: name, searchPath: searchPath)
    guard found.isEmpty, let dot = name.firstIndex(of: ".") else { return found }
    return catalog.functions(
      schema: String(name[..<dot]), named: String(name[name.index(after: dot)...]))
  }

  private func found(
    _ function: FunctionDefinition, _ arguments: [FunctionCall.Argument]
  ) -> Found {
    let name = [Identifier(function.name.schema), Identifier(function.name.name)]
    let call = Expression(.function(FunctionCall(QualifiedName(name), arguments)))
    switch function.result {
    case .table(let record, let isSet):
      return Found(
        call: call, table: table(record, function), isSet: isSet,
        values: json(of: call, isSet: isSet))
    case .set:
      return Found(call: call, table: nil, isSet: true, values: json(of: call, isSet: true))
    case .scalar:
      return Found(call: call, table: nil, isSet: false, values: json(of: call, isSet: false))
    case .void:
      return Found(call: call, table: nil, isSet: false, values: nothing(of: call))
    }
  }

  /// The table whose rows a function gives, or what stands for one.
  private func table(_ record: RecordType, _ function: FunctionDefinition) -> ReadTable {
    if let name = record.name,
      case .table(let table)? = catalog.relation(schema: nil, name, searchPath: searchPath)
    {
      return ReadTable(table)
    }
    return ReadTable(
      id: function.id, name: function.name,
      columns: record.fields.map { ReadTable.Column(name: $0.name, type: $0.type) })
  }

  private func json(of call: Expression, isSet: Bool) -> SelectStatement {
    guard isSet else {
      return SelectStatement(
        body: .select(SelectCore(items: [SelectItem(.call("to_json", [call]), as: "row")])))
    }
    let (table, column) = ("called", "value")
    return SelectStatement(
      body: .select(
        SelectCore(
          items: [SelectItem(.call("to_json", [.column(table, column)]), as: "row")],
          from: [.call(call, as: table, columns: [column])])))
  }

  /// The same for a function that gives nothing.
  private func nothing(of call: Expression) -> SelectStatement {
    SelectStatement(
      body: .select(
        SelectCore(
          items: [SelectItem(Expression(.literal(.null)), as: "row")],
          from: [.call(call, as: "called", columns: ["value"])])))
  }

  // MARK: Errors

  private func unknown(_ name: String, _ parameters: [String]) -> NestedSelectError {
    let schema = searchPath.first { $0 != "pg_temp" && $0 != "pg_catalog" } ?? "public"
    let list = parameters.joined(separator: ", ")
    let with =
      switch parameters.count {
      case 0: "without parameters"
      case 1: "with parameter \(list)"
      case _: "with parameters \(list)"
      }
    let known = catalog.functions.values.filter { searchPath.contains($0.name.schema) }
    let nearest = nearestNames(
      to: name, among: Set(known.map(\.name.name)).sorted(), limit: 1
    ).first
    return NestedSelectError(
      "PGRST202",
      "Could not find the function \(schema).\(name)"
        + (parameters.isEmpty ? " without parameters" : "(\(list))") + " in the schema cache",
      details: "Searched for the function \(schema).\(name) \(with) or with a single unnamed "
        + "json/jsonb parameter, but no matches were found in the schema cache.",
      hint: nearest.flatMap { near in known.first { $0.name.name == near } }
        .map { "Perhaps you meant to call the function \($0.signature)" })
  }

  private func ambiguous(_ functions: [FunctionDefinition]) -> NestedSelectError {
    NestedSelectError(
      "PGRST203",
      "Could not choose the best candidate function between: "
        + functions.map(\.typedSignature).joined(separator: ", "),
      hint: "Try renaming the parameters or the function itself in the database so function "
        + "overloading can be resolved")
  }
}

extension FunctionDefinition {
  /// The parameter of exactly a name, else that of its snake case.
  fileprivate func parameter(matching name: String) -> Parameter? {
    parameters.first { $0.name == name }
      ?? parameters.first { $0.name == ColumnNames.snakeCase(name) }
  }

  /// Whether it can be called with parameters of these names and no others.
  fileprivate func takes(_ names: [String]) -> Bool {
    var given: Set<String> = []
    for name in names {
      guard let parameter = parameter(matching: name)?.name else { return false }
      given.insert(parameter)
    }
    return given.count == names.count
      && parameters.allSatisfy { parameter in
        parameter.defaultValue != nil || parameter.name.map(given.contains) == true
      }
  }

  /// Whether its only parameter is JSON without a name, which takes all that is given.
  fileprivate var takesAnyJSON: Bool {
    guard parameters.count == 1, parameters[0].name == nil else { return false }
    return parameters[0].type.type == .json || parameters[0].type.type == .jsonb
  }

  fileprivate var signature: String {
    "\(name.schema).\(name.name)(\(parameters.map { $0.name ?? "" }.joined(separator: ", ")))"
  }

  fileprivate var typedSignature: String {
    let list = parameters.map { "\($0.name ?? "") => \($0.type.name)" }
    return "\(name.schema).\(name.name)(\(list.joined(separator: ", ")))"
  }
}
