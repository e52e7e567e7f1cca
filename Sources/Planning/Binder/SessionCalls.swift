import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// Functions that look at the session, the catalog or a type rather than at values; nil for others.
  func bindSessionCall(
    _ call: FunctionCall, _ arguments: CallArguments, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard call.name.parts.count == 1 || call.name.qualifier == "pg_catalog",
      arguments.names.allSatisfy({ $0 == nil })
    else { return nil }
    let values = arguments.values
    switch (call.name.name, values.count) {
    case ("nextval", 1): return .session(.nextval, [try sequence(values[0])], .bigint)
    case ("currval", 1): return .session(.currval, [try sequence(values[0])], .bigint)
    case ("lastval", 0): return .session(.lastval, [], .bigint)
    case ("setval", 2), ("setval", 3):
      let types: [LogicalType] = values.count == 2 ? [.bigint] : [.bigint, .boolean]
      guard let rest = try coerceArguments(Array(values.dropFirst()), to: types) else { return nil }
      return .session(.setval, [try sequence(values[0])] + rest, .bigint)
    case ("current_setting", 1):
      return try session(.currentSetting, values, [.text], .text)
    case ("current_setting", 2):
      return try session(.currentSetting, values, [.text, .boolean], .text)
    case ("set_config", 3):
      return try session(.setConfig, values, [.text, .text, .boolean], .text)
    case ("pg_get_serial_sequence", 2):
      return try session(.serialSequence, values, [.text, .text], .text)
    case ("pg_get_viewdef", 1), ("pg_get_viewdef", 2):
      guard let name = try coerce(values[0].expression, to: ColumnType(.text), .explicit, at: range)
      else { return nil }
      return .session(.viewDefinition, [name], .text)
    case ("txid_current", 0), ("pg_current_xact_id", 0):
      return .session(.transactionID, [], .bigint)
    case ("pg_sleep", 1): return try session(.sleep, values, [.double], .void)
    case ("pg_typeof", 1):
      let domain = domainName(call.arguments[0].value, values[0].expression, in: scope)
      return .constant(.string(domain ?? values[0].expression.type.name), .text)
    case ("current_database", 0), ("current_catalog", 0):
      return .constant(.string(settings.databaseName), .name)
    case ("current_schema", 0):
      return try bindSessionValue(.currentSchema, precision: nil, at: range, in: scope)
    case ("version", 0):
      return .constant(.string("PostgreSQL 15.0 (Junction)"), .text)
    default: return nil
    }
  }

  private func session(
    _ function: SessionFunction, _ values: [Placed], _ types: [LogicalType], _ result: LogicalType
  ) throws(SQLError) -> BoundExpression? {
    guard let arguments = try coerceArguments(values, to: types) else { return nil }
    return .session(function, arguments, result)
  }

  /// A sequence as its identity where the name is a constant, else as text.
  ///
  /// - Throws: 42P01; 42809 if the name is that of something else.
  private func sequence(_ argument: Placed) throws(SQLError) -> BoundExpression {
    guard case .constant(.text(let bytes), let type) = argument.expression,
      type == .unknown || type == .text
    else {
      return try coerce(argument.expression, to: ColumnType(.text), .explicit, at: argument.range)
        ?? argument.expression
    }
    let spelled = String(decoding: bytes, as: UTF8.self)
    let parts = CatalogSnapshot.nameParts(of: spelled)
    switch catalog.relation(spelled: spelled, searchPath: settings.searchPath) {
    case .sequence(let sequence):
      dependencies.insert(sequence.id)
      return .constant(.int64(Int64(sequence.id.number)), .oid)
    case .table, .view, .graph:
      throw SQLError(.wrongObjectType, "\"\(parts.last ?? "")\" is not a sequence")
    case nil:
      throw SQLError(
        .undefinedTable, "relation \"\(parts.joined(separator: "."))\" does not exist",
        at: argument.range)
    }
  }
}
