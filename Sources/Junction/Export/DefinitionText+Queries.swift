import Catalog
import Columnar
import SQLSyntax

/// Views and functions.
extension DefinitionText {
  func statement(of object: LateObject) -> String {
    switch object {
    case .view(let view): statement(of: view)
    case .materialized(let table): materialized(table)
    case .function(let function): statement(of: function)
    }
  }

  /// Whether PostgreSQL 15 cannot read what makes an object.
  func isOwn(_ object: LateObject) -> Bool {
    if case .function(let function) = object, !function.source.isEmpty { return false }
    let text = statement(of: object)
    return StatementWords.contains("GRAPH_TABLE", in: text)
      || StatementWords.contains("ANTI", "JOIN", in: text)
      || StatementWords.contains("SEMI", "JOIN", in: text)
  }

  private func statement(of view: ViewDefinition) -> String {
    let names = view.columnNames.map(SQLPrinter.quoted).joined(separator: ", ")
    let list = names.isEmpty ? "" : " (\(names))"
    var text =
      "CREATE VIEW \(name(view.name))\(list) AS\n  \(SQLPrinter.text(of: view.query))"
    if let option = view.checkOption { text += "\n  WITH \(option.rawValue) CHECK OPTION" }
    text += ";"
    for (column, value) in view.columnDefaults.sorted(by: { $0.key < $1.key }) {
      text += "\nALTER VIEW \(name(view.name)) ALTER COLUMN "
      text += "\(SQLPrinter.quoted(view.columnNames[column])) SET DEFAULT "
      text += SQLPrinter.text(of: value) + ";"
    }
    return text
  }

  private func materialized(_ table: TableDefinition) -> String {
    guard let query = table.materialized?.query else { return "" }
    let names = table.columns.map { SQLPrinter.quoted($0.name) }.joined(separator: ", ")
    return "CREATE MATERIALIZED VIEW \(name(table.name)) (\(names)) AS\n"
      + "  \(SQLPrinter.text(of: query))\n  WITH NO DATA;"
  }

  // MARK: Functions

  /// The types of what a function takes, by which it is told from others of its name.
  func signature(of function: FunctionDefinition) -> String {
    "\(name(function.name))(\(function.parameters.map { type($0.type) }.joined(separator: ", ")))"
  }

  func statement(of function: FunctionDefinition) -> String {
    let marks =
      (function.isVolatile ? "" : isIndexed(function) ? " IMMUTABLE" : " STABLE")
      + (function.isStrict ? " STRICT" : "")
    return "CREATE FUNCTION \(name(function.name))(\(parameters(of: function)))"
      + "\n  RETURNS \(result(of: function)) LANGUAGE \(function.language)\(marks)"
      + "\n  \(body(of: function));"
  }

  /// Whether an index or a generated column calls a function, which for PostgreSQL must be immutable then.
  private func isIndexed(_ function: FunctionDefinition) -> Bool {
    catalog.tables.values.contains { table in
      table.indexes.contains { statement(of: $0, table).contains(function.name.name) }
        || table.columns.contains { column in
          column.generated.map { SQLPrinter.text(of: $0).contains(function.name.name) } ?? false
        }
    }
  }

  private func parameters(of function: FunctionDefinition) -> String {
    let inputs = function.parameters.map { parameter in
      (parameter.isVariadic ? "VARIADIC " : isOutput(parameter, of: function) ? "INOUT " : "")
        + (parameter.name.map { SQLPrinter.quoted($0) + " " } ?? "") + type(parameter.type)
        + (parameter.defaultValue.map { " DEFAULT \(SQLPrinter.text(of: $0))" } ?? "")
    }
    let outputs = outputs(of: function)
      .filter { field in !function.parameters.contains { $0.name == field.name } }
      .map { "OUT \(SQLPrinter.quoted($0.name)) \(type(ColumnType($0.type)))" }
    return (inputs + outputs).joined(separator: ", ")
  }

  private func isOutput(
    _ parameter: FunctionDefinition.Parameter, of function: FunctionDefinition
  ) -> Bool {
    outputs(of: function).contains { $0.name == parameter.name }
  }

  /// The fields that OUT parameters give.
  private func outputs(of function: FunctionDefinition) -> [RecordType.Field] {
    guard case .table(let record, let isSet) = function.result, record.name == nil, !isSet else {
      return []
    }
    return record.fields
  }

  private func result(of function: FunctionDefinition) -> String {
    switch function.result {
    case .scalar(let type): return self.type(type)
    case .set(let type): return "SETOF \(self.type(type))"
    case .void: return "void"
    case .table(let record, let isSet):
      if record.name != nil {
        return (isSet ? "SETOF " : "") + type(ColumnType(.record(record)))
      }
      if !isSet { return function.soleOutput.map { type(ColumnType($0.type)) } ?? "record" }
      let fields = record.fields.map {
        "\(SQLPrinter.quoted($0.name)) \(type(ColumnType($0.type)))"
      }
      return "TABLE(\(fields.joined(separator: ", ")))"
    }
  }

  private func body(of function: FunctionDefinition) -> String {
    if let body = function.atomicBody { return body }
    if function.source.isEmpty, case .select(let query)? = function.body.first,
      case .select(let core) = query.body, case .expression(let value)? = core.items.first?.kind
    {
      return "RETURN \(SQLPrinter.text(of: value))"
    }
    var tag = "$function$"
    while function.source.contains(tag) { tag = "$_" + tag.dropFirst() }
    return "AS \(tag)\(function.source)\(tag)"
  }
}
