import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension DefinitionExecutor {
  mutating func createView(_ statement: CreateViewStatement) throws(SQLError) -> String {
    if statement.checkOption != nil {
      throw .unsupported("WITH CHECK OPTION", at: statement.range)
    }
    let query = try viewQuery(statement)
    let description = try environment.describe(.select(query), in: catalog)
    let isTemporary =
      statement.persistence == .temporary
      || description.dependencies.contains { id in
        catalog.tables[id]?.isTemporary == true || catalog.views[id]?.isTemporary == true
      }
    let name = try newName(statement.name, isTemporary: isTemporary)
    if isTemporary && statement.persistence != .temporary {
      notice("view \"\(name.name)\" will be a temporary view")
    }
    var names = description.names
    if statement.columnNames.count > names.count {
      throw SQLError(
        .syntaxError, "CREATE VIEW specifies more column names than columns")
    }
    for (index, given) in statement.columnNames.enumerated() { names[index] = given.name }
    for (index, column) in names.enumerated() where names[..<index].contains(column) {
      throw SQLError(.duplicateColumn, "column \"\(column)\" specified more than once")
    }
    let types = description.types.map { $0.type == .unknown ? ColumnType(.text) : $0 }
    for (column, type) in zip(names, types) { try checkColumnType(type.type, of: column) }
    let old = try replacedView(name, statement)
    if let old { try checkReplacement(of: old, names, types) }
    transaction.catalog.put(
      ViewDefinition(
        id: old?.id ?? transaction.makeID(), name: name, columnNames: names, columnTypes: types,
        query: query, dependencies: direct(description.dependencies, of: query),
        isTemporary: isTemporary,
        comment: old?.comment))
    return "CREATE VIEW"
  }

  /// The query of the view, with `*` written out, so that columns added later do not appear in it.
  private func viewQuery(_ statement: CreateViewStatement) throws(SQLError) -> SelectStatement {
    guard statement.isRecursive else {
      return try StarExpansion(environment: environment, catalog: catalog)
        .expand(statement.query)
    }
    // CREATE RECURSIVE VIEW v (a) AS q is WITH RECURSIVE v (a) AS (q) SELECT a FROM v.
    let name = Identifier(statement.name.name)
    let common = CommonTableExpression(
      name: name, columnNames: statement.columnNames, statement: .select(statement.query),
      range: statement.range)
    let items = statement.columnNames.map {
      SelectItem(.expression(Expression(.column(QualifiedName($0)))))
    }
    let core = SelectCore(
      items: items, from: [.table(NamedTable(QualifiedName(name)))])
    return SelectStatement(
      with: WithClause(isRecursive: true, expressions: [common], range: statement.range),
      body: .select(core), at: statement.range)
  }

  /// Of what the binder has seen, what the query itself names: relations and functions inside of other views
  /// are those views' matter.
  private func direct(_ all: Set<ObjectID>, of query: SelectStatement) -> Set<ObjectID> {
    let relations = Set(query.tableNames.compactMap { relationID($0) })
    let functions = Set(query.functionNames.map(\.name))
    return all.filter { id in
      if catalog.tables[id] != nil || catalog.views[id] != nil { return relations.contains(id) }
      if let function = catalog.functions[id] { return functions.contains(function.name.name) }
      return true
    }
  }

  private func relationID(_ name: QualifiedName) -> ObjectID? {
    switch relation(name) {
    case .table(let table): table.id
    case .view(let view): view.id
    case .sequence(let sequence): sequence.id
    case nil: nil
    }
  }

  /// The view that is replaced; nil if there is nothing of that name.
  private func replacedView(
    _ name: ObjectName, _ statement: CreateViewStatement
  ) throws(SQLError) -> ViewDefinition? {
    guard catalog.isRelationNameTaken(name) else { return nil }
    guard statement.orReplace else {
      throw SQLError(.duplicateTable, "relation \"\(name.name)\" already exists")
    }
    guard case .view(let view)? = catalog.relation(at: name) else {
      throw SQLError(.wrongObjectType, "\"\(name.name)\" is not a view")
    }
    return view
  }

  /// - Throws: 42P16 unless the new columns are the old ones, and perhaps more behind them.
  private func checkReplacement(
    of old: ViewDefinition, _ names: [String], _ types: [ColumnType]
  ) throws(SQLError) {
    guard names.count >= old.columnNames.count else {
      throw SQLError(.invalidTableDefinition, "cannot drop columns from view")
    }
    for index in old.columnNames.indices {
      if names[index] != old.columnNames[index] {
        throw SQLError(
          .invalidTableDefinition,
          "cannot change name of view column \"\(old.columnNames[index])\" to \"\(names[index])\"",
          hint: "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.")
      }
      if types[index] != old.columnTypes[index] {
        throw SQLError(
          .invalidTableDefinition,
          "cannot change data type of view column \"\(old.columnNames[index])\" from"
            + " \(old.columnTypes[index].name) to \(types[index].name)")
      }
    }
  }
}

/// Writes out the `*` of a view's outermost select list.
///
/// Only where each source of FROM has a name of its own and no join merges columns; other queries stay as they
/// are.
private struct StarExpansion {
  let environment: any DefinitionEnvironment
  let catalog: CatalogSnapshot

  func expand(_ query: SelectStatement) throws(SQLError) -> SelectStatement {
    guard case .select(var core) = query.body else { return query }
    guard core.items.contains(where: { Self.isStar($0) }) else { return query }
    var sources: [TableReference] = []
    for reference in core.from where !Self.collect(reference, into: &sources) { return query }
    var items: [SelectItem] = []
    for item in core.items {
      switch item.kind {
      case .all:
        for source in sources {
          guard let columns = try columns(of: source, query) else { return query }
          items += columns
        }
      case .allColumns(let name):
        guard name.parts.count == 1,
          let source = sources.first(where: { Self.name(of: $0) == name.name }),
          let columns = try columns(of: source, query)
        else { return query }
        items += columns
      case .allFields, .expression: items.append(item)
      }
    }
    core.items = items
    var copy = query
    copy.body = .select(core)
    return copy
  }

  private static func isStar(_ item: SelectItem) -> Bool {
    switch item.kind {
    case .all, .allColumns: true
    case .allFields, .expression: false
    }
  }

  /// The sources of FROM from left to right; false if a join merges columns.
  private static func collect(
    _ reference: TableReference, into sources: inout [TableReference]
  ) -> Bool {
    guard case .join(let join) = reference else {
      sources.append(reference)
      return true
    }
    switch join.condition {
    case .using, .natural: return false
    case .none, .on: break
    }
    if join.alias != nil { return false }
    return collect(join.left, into: &sources) && collect(join.right, into: &sources)
  }

  private static func name(of reference: TableReference) -> String? {
    switch reference {
    case .table(let named): named.alias?.name.name ?? named.name.name
    case .subquery(let derived): derived.alias?.name.name
    case .function(let function): function.alias?.name.name
    case .join: nil
    }
  }

  private func columns(
    of source: TableReference, _ query: SelectStatement
  ) throws(SQLError) -> [SelectItem]? {
    guard let qualifier = Self.name(of: source) else { return nil }
    if case .subquery(let derived) = source, derived.isLateral { return nil }
    if case .function = source { return nil }
    let core = SelectCore(items: [SelectItem(.all)], from: [source])
    let description = try environment.describe(
      .select(SelectStatement(with: query.with, body: .select(core))), in: catalog)
    guard Set(description.names).count == description.names.count else { return nil }
    return description.names.map { name in
      SelectItem(
        .expression(
          Expression(.column(QualifiedName([Identifier(qualifier), Identifier(name)])))))
    }
  }
}
