import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// The column, whole row or parameter that a name of one to four parts means.
  ///
  /// - Throws: 42703, 42702, 42P01, 42P09.
  func resolve(
    _ name: QualifiedName, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    switch name.parts.count {
    case 1: return try resolveUnqualified(name.name, at: range, in: scope)
    case 2: return try resolveQualified(name, schema: nil, at: range, in: scope)
    case 3:
      return try resolveQualified(name, schema: name.parts[0].name, at: range, in: scope)
    case 4 where name.parts[0].name == settings.databaseName:
      return try resolveQualified(name, schema: name.parts[1].name, at: range, in: scope)
    case 4:
      throw SQLError(
        .featureNotSupported, "cross-database references are not implemented: \(name.joined)",
        at: range)
    default:
      throw SQLError(
        .syntaxError, "improper qualified name (too many dotted names): \(name.joined)", at: range)
    }
  }

  /// The column of this name that the innermost query with such a column offers.
  func findColumn(
    _ name: String, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> (BoundExpression, Scope)? {
    var level: Scope? = scope
    while let current = level {
      var found: (entry: Int, column: Int)?
      for entry in current.entries.indices where current.entries[entry].areColumnsVisible {
        let columns = current.entries[entry].columns
        // By place, so that only names are looked at.
        for column in columns.indices where columns[column].name == name {
          if found != nil {
            throw SQLError(
              .ambiguousColumn, "column reference \"\(name)\" is ambiguous", at: range)
          }
          found = (entry, column)
        }
      }
      if let found {
        let entry = current.entries[found.entry]
        try checkLateral(entry, name, at: range)
        return (entry.columns[found.column].expression, current)
      }
      level = current.parent
    }
    return nil
  }

  private func resolveUnqualified(
    _ name: String, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let parameter = scope.parameters?.parameters.first { $0.name == name }?.expression
    if let (expression, owner) = try findColumn(name, at: range, in: scope) {
      if parameter != nil, scope.parameters?.isProcedural == true {
        throw SQLError(
          .ambiguousColumn, "column reference \"\(name)\" is ambiguous", at: range,
          detail: "It could refer to either a PL/pgSQL variable or a table column.")
      }
      return note(expression, of: owner, at: range)
    }
    if let parameter { return parameter }
    if let (entry, owner) = try findEntry(name, schema: nil, at: range, in: scope) {
      return note(wholeRow(of: entry), of: owner, at: range)
    }
    if Self.systemColumns.contains(name), scope.entries.contains(where: { $0.source?.table != nil })
    {
      throw SQLError.unsupported("system column \"\(name)\"", at: range)
    }
    throw missingColumn(name, qualifier: nil, at: range, in: scope)
  }

  private func resolveQualified(
    _ name: QualifiedName, schema: String?, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let qualifier = name.qualifier ?? ""
    let column = name.name
    guard let (entry, owner) = try findEntry(qualifier, schema: schema, at: range, in: scope)
    else {
      if schema == nil, let parameters = scope.parameters {
        if parameters.functionName == qualifier,
          let found = parameters.parameters.first(where: { $0.name == column })
        {
          return found.expression
        }
        if let record = parameters.parameters.first(where: { $0.name == qualifier }),
          case .record = record.expression.type
        {
          return try selectField(Identifier(column, at: range), of: record.expression, in: scope)
        }
      }
      throw missingEntry(qualifier, schema: schema, at: range, in: scope)
    }
    var found: BoundExpression?
    for place in entry.columns.indices where entry.columns[place].name == column {
      if found != nil {
        throw SQLError(
          .ambiguousColumn, "column reference \"\(column)\" is ambiguous", at: range)
      }
      found = entry.columns[place].expression
    }
    if let found {
      try checkLateral(entry, qualifier, at: range)
      return note(found, of: owner, at: range)
    }
    if Self.systemColumns.contains(column), entry.source?.table != nil {
      throw SQLError.unsupported("system column \"\(column)\"", at: range)
    }
    // `t.f` may be `f(t)`, as for a composite value.
    let row = wholeRow(of: entry)
    if case .record = row.type,
      let call = try functionOfRow(column, argument: row, at: range, in: scope)
    {
      return note(call, of: owner, at: range)
    }
    throw missingColumn(column, qualifier: qualifier, at: range, in: scope)
  }

  /// The entry of FROM that goes by this name, in the innermost query that has one.
  ///
  /// - Throws: 42P09 if two do.
  func findEntry(
    _ name: String, schema: String?, at range: SourceRange, in scope: Scope
  ) throws(SQLError) -> (RangeEntry, Scope)? {
    var level: Scope? = scope
    while let current = level {
      var found: RangeEntry?
      for entry in current.entries
      where entry.isRelationVisible && entry.name == name
        && (schema == nil || entry.schema == schema)
      {
        if found != nil {
          throw SQLError(
            SQLState("42P09"), "table reference \"\(name)\" is ambiguous", at: range)
        }
        found = entry
      }
      if let found {
        try checkLateral(found, name, at: range)
        return (found, current)
      }
      level = current.parent
    }
    return nil
  }

  private func checkLateral(
    _ entry: RangeEntry, _ name: String, at range: SourceRange
  ) throws(SQLError) {
    if !entry.allowsLateral {
      throw SQLError(
        .undefinedTable,
        "invalid reference to FROM-clause entry for table \"\(entry.name ?? name)\"", at: range,
        detail: "The combining JOIN type must be INNER or LEFT for a LATERAL reference.")
    }
  }

  /// Remembers whose columns `expression` uses, and where, for the rules of grouping.
  func note(
    _ expression: BoundExpression, of owner: Scope, at range: SourceRange
  ) -> BoundExpression {
    for id in expression.columns {
      owners[id] = owner
      if owner.aggregateDepth == 0 {
        owner.references.append(ColumnReference(column: id, range: range))
      }
    }
    return expression
  }

  /// All of an entry's columns as one value; NULL where an outer join has added NULLs for it.
  func wholeRow(of entry: RangeEntry) -> BoundExpression {
    if let source = entry.source, source.isScalarFunction, let column = entry.columns.first {
      return column.expression
    }
    let fields = entry.columns.map { RecordType.Field($0.name, $0.expression.type) }
    var type = RecordType(name: nil, fields: fields)
    if let named = entry.source?.rowType, named.fields.map(\.type) == fields.map(\.type) {
      // An alias with column names renames the fields, but it stays a row of the table.
      type = RecordType(name: named.name, fields: fields)
    }
    let row = BoundExpression.row(entry.columns.map(\.expression), type)
    guard let source = entry.source, source.isNullable else { return row }
    let marker = source.marker ?? makeColumn("present", .boolean)
    source.marker = marker
    return .caseWhen(
      [
        BoundBranch(
          condition: .isNull(.column(marker.id, marker.type), negated: false),
          result: .constant(.null, .record(type)))
      ], otherwise: row, .record(type))
  }

  static let systemColumns: Set<String> = ["ctid", "tableoid", "xmin", "xmax", "cmin", "cmax"]
}
