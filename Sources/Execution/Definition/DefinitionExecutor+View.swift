import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

extension DefinitionExecutor {
  mutating func createView(_ statement: CreateViewStatement) throws(SQLError) -> String {
    let option = try Self.checkOption(among: statement.options)
    let checkOption = statement.checkOption ?? option
    let written = viewQuery(statement)
    let description = try environment.describe(.select(written), in: catalog)
    // Columns that tables get later do not appear in the view.
    let query = TreeMapper(description.expansions).map(written)
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
    var view = ViewDefinition(
      id: old?.id ?? transaction.makeID(), name: name, columnNames: names, columnTypes: types,
      query: query, dependencies: direct(description.dependencies, of: query),
      isTemporary: isTemporary,
      comment: old?.comment)
    view.checkOption = checkOption
    view.columnDefaults = old?.columnDefaults ?? [:]
    if checkOption != nil { try checkUpdatable(view) }
    transaction.catalog.put(view)
    return "CREATE VIEW"
  }

  /// The check option among the options in parentheses.
  ///
  /// - Throws: 22023 for another word than `local` and `cascaded`.
  static func checkOption(
    among options: [DefinitionOption]
  ) throws(SQLError) -> CreateViewStatement.CheckOption? {
    guard let option = options.last(where: { $0.name == "check_option" }) else { return nil }
    switch option.value {
    case .word("local"), .string("local"): return .local
    case .word("cascaded"), .string("cascaded"): return .cascaded
    case let value:
      var text = ""
      if case .word(let word)? = value { text = word }
      if case .string(let string)? = value { text = string }
      throw SQLError(
        .invalidParameterValue,
        "invalid value for enum option \"check_option\": \(text)",
        detail: "Valid values are \"local\" and \"cascaded\".")
    }
  }

  /// - Throws: 0A000 if rows cannot be written through a view WITH CHECK OPTION.
  func checkUpdatable(_ view: ViewDefinition) throws(SQLError) {
    var catalog = transaction.catalog
    catalog.put(view)
    let name = QualifiedName([Identifier(view.name.schema), Identifier(view.name.name)])
    do throws(SQLError) {
      _ = try environment.describe(.delete(DeleteStatement(from: NamedTable(name))), in: catalog)
    } catch {
      guard error.state == .objectNotInPrerequisiteState else { throw error }
      throw SQLError(
        .featureNotSupported,
        "WITH CHECK OPTION is supported only on automatically updatable views",
        hint: error.detail)
    }
  }

  /// The query of the view as it was written.
  private func viewQuery(_ statement: CreateViewStatement) -> SelectStatement {
    guard statement.isRecursive else { return statement.query }
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
  func direct(_ all: Set<ObjectID>, of query: SelectStatement) -> Set<ObjectID> {
    let relations = Set(query.tableNames.compactMap { relationID($0) })
    let functions = Set(query.functionNames.map(\.name))
    var own = relations
    if query.readsAllRelationships {
      let tables = all.filter { catalog.tables[$0] != nil && !relations.contains($0) }
      own.formUnion(needed(tables, by: query))
    }
    return all.filter { id in
      if catalog.tables[id] != nil || catalog.views[id] != nil || catalog.graphs[id] != nil {
        return own.contains(id)
      }
      if let function = catalog.functions[id] { return functions.contains(function.name.name) }
      return true
    }
  }

  private func relationID(_ name: QualifiedName) -> ObjectID? {
    switch relation(name) {
    case .table(let table): table.id
    case .view(let view): view.id
    case .sequence(let sequence): sequence.id
    case .graph(let graph): graph.id
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
      let (new, known) = (types[index], old.columnTypes[index])
      guard new.isSameBeforeCollation(known) else {
        throw SQLError(
          .invalidTableDefinition,
          "cannot change data type of view column \"\(old.columnNames[index])\" from"
            + " \(known.name) to \(new.name)")
      }
      if new.collation != known.collation {
        let names = [known, new].map { "\"\(($0.collation ?? .standard).name)\"" }
        throw SQLError(
          .invalidTableDefinition,
          "cannot change collation of view column \"\(old.columnNames[index])\" from"
            + " \(names.joined(separator: " to "))")
      }
    }
  }
}

extension TreeMapper {
  /// Writes out what the short forms of a query stand for.
  init(_ expansions: StatementExpansions) {
    func columns(_ range: SourceRange) -> [SelectItem]? {
      expansions.stars[range]?.map { SelectItem(.expression(Expression(.column($0)))) }
    }
    item = { item in
      switch item.kind {
      case .all, .allColumns: columns(item.range) ?? [item]
      case .allFields, .expression: [item]
      }
    }
    body = { body in
      guard case .table(let named) = body, let items = columns(named.range) else { return body }
      return .select(SelectCore(items: items, from: [.table(named)], at: named.range))
    }
    join = { join in
      guard case .natural = join.condition, let names = expansions.naturalJoins[join.range] else {
        return join
      }
      var copy = join
      copy.condition =
        names.isEmpty
        ? .on(Expression(.literal(.boolean(true)))) : .using(names, alias: nil)
      return copy
    }
  }
}
