import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Casts to domains.
extension BindingSession {
  /// The value with a look at what the domain of that name asks of it, if the name means a domain.
  func checked(_ value: BoundExpression, as name: TypeName) throws(SQLError) -> BoundExpression {
    guard !name.isStandard, name.arrayBounds.isEmpty,
      let type = catalog.type(
        schema: name.name.qualifier, named: name.name.name, searchPath: settings.searchPath),
      let domain = Domain(type), domain.isNotNull || !domain.checks.isEmpty
    else { return value }
    var arguments = [value]
    for check in domain.checks {
      let scope = Scope(parent: nil)
      scope.clause = .check
      scope.entries = [
        RangeEntry(name: nil, columns: [RangeColumn(name: "value", expression: value)])
      ]
      scope.registered = scope.entries
      arguments.append(try bindBoolean(check.expression, for: "CHECK", in: scope))
    }
    let names = domain.checks.map(\.name)
    let shown = type.name.name
    let refusesNull = domain.isNotNull
    return .call(
      BoundCall(
        name: shown, arguments: arguments, type: value.type, isStrict: false,
        volatility: .immutable
      ) { (arguments, count, _) throws(SQLError) in
        for row in 0..<count {
          if refusesNull, !arguments[0].isValid(row) {
            throw SQLError(
              .notNullViolation, "domain \(shown) does not allow null values"
            ).about(SQLError.Object(schema: type.name.schema, dataType: shown))
          }
          for (check, name) in zip(arguments.dropFirst(), names) {
            guard case .boolean(false) = check.value(at: row) else { continue }
            throw SQLError(
              .checkViolation,
              "value for domain \(shown) violates check constraint \"\(name)\""
            ).about(
              SQLError.Object(schema: type.name.schema, dataType: shown, constraint: name))
          }
        }
        return arguments[0]
      })
  }

  /// The domain of a value that is cast to it, or of a table's column; nil for any other, as what is computed of the
  /// values of a domain has the type below it.
  func domainName(_ syntax: Expression, _ value: BoundExpression, in scope: Scope) -> String? {
    switch syntax.kind {
    case .cast(_, let name), .typedLiteral(let name, _):
      guard !name.isStandard, name.arrayBounds.isEmpty,
        let type = catalog.type(
          schema: name.name.qualifier, named: name.name.name, searchPath: settings.searchPath)
      else { return nil }
      return shownName(type)
    case .literal, .parameter, .column, .allColumns, .unary, .binary, .and, .or, .not, .isTest,
      .isDistinct, .between, .inList, .inSubquery, .pattern, .quantified, .exists, .subquery,
      .array, .arraySubquery, .row, .caseWhen, .collate, .function, .conditional, .sessionValue,
      .grouping, .subscripted, .field, .allFields, .defaultValue, .currentOf:
      guard case .column(let id, _) = value else { return nil }
      var outer: Scope? = scope
      while let current = outer {
        for entry in current.registered {
          guard let source = entry.source, let table = source.table,
            let place = source.outputs.firstIndex(of: id), place < table.columns.count
          else { continue }
          return table.columns[place].domain.flatMap { catalog.types[$0] }.flatMap(shownName)
        }
        outer = current.parent
      }
      return nil
    }
  }

  private func shownName(_ type: TypeDefinition) -> String? {
    guard case .domain = type.kind else { return nil }
    dependencies.insert(type.id)
    let visible = catalog.type(
      schema: nil, named: type.name.name, searchPath: settings.searchPath)
    let schema = visible?.id == type.id ? "" : SQLPrinter.quoted(type.name.schema) + "."
    return schema + SQLPrinter.quoted(type.name.name)
  }
}
