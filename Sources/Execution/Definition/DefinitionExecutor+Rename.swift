import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Renames and moves; stored expressions and views follow.
extension DefinitionExecutor {
  mutating func rename(_ original: TableDefinition, to name: Identifier) throws(SQLError) {
    var table = original
    table.name.name = name.name
    try checkFree(table.name)
    let old = original.name
    for index in table.checks.indices {
      table.checks[index].expression = Self.renamingTable(
        old.name, to: name.name, in: table.checks[index].expression)
    }
    transaction.catalog.put(table)
    renameInViews(original.id, old, to: table.name)
    renameLabelInViews(old.name, to: name.name, of: original.id)
  }

  func checkFree(_ name: ObjectName) throws(SQLError) {
    if catalog.isRelationNameTaken(name) {
      throw SQLError(.duplicateTable, "relation \"\(name.name)\" already exists")
    }
  }

  private static func renamingTable(
    _ old: String, to new: String, in expression: Expression
  ) -> Expression {
    TreeMapper(column: { name in
      guard name.parts.count > 1, name.qualifier == old else { return name }
      var copy = name
      copy.parts[copy.parts.count - 2].name = new
      return copy
    }).map(expression)
  }

  /// Lets views that read a relation find it under its new name, while their columns stay qualified as
  /// they were: the old name becomes an alias.
  func renameInViews(_ id: ObjectID, _ old: ObjectName, to new: ObjectName) {
    func renamed(_ name: QualifiedName) -> QualifiedName? {
      guard name.name == old.name, name.qualifier ?? old.schema == old.schema else { return nil }
      var parts = [Identifier(new.name, at: name.range)]
      if new.schema != "public" || name.qualifier != nil {
        parts.insert(Identifier(new.schema), at: 0)
      }
      return QualifiedName(parts, at: name.range)
    }
    let mapper = TreeMapper(
      table: { named in
        guard let name = renamed(named.name) else { return named }
        var copy = named
        copy.name = name
        if copy.alias == nil, new.name != old.name {
          copy.alias = TableAlias(Identifier(old.name))
        }
        return copy
      },
      graph: { table in
        var copy = table
        copy.graph = table.graph.map { renamed($0) ?? $0 }
        return copy
      })
    rewriteViews(on: id) { mapper.map($0) }
  }

  /// Rewrites the queries of the views, materialized or not, that depend on an object.
  func rewriteViews(on id: ObjectID, _ change: (SelectStatement) -> SelectStatement) {
    for view in views(on: id) {
      var copy = view
      copy.query = change(view.query)
      transaction.catalog.put(copy)
    }
    for table in materialized(on: id) {
      var copy = table
      guard let query = table.materialized?.query else { continue }
      copy.materialized?.query = change(query)
      transaction.catalog.put(copy)
    }
  }

  mutating func move(_ original: TableDefinition, to schema: Identifier) throws(SQLError) {
    guard catalog.schemas.contains(schema.name) else {
      throw SQLError(.invalidSchemaName, "schema \"\(schema.name)\" does not exist")
    }
    if original.name.schema == schema.name { return }
    var table = original
    table.name.schema = schema.name
    if catalog.isRelationNameTaken(table.name) {
      throw SQLError(
        .duplicateTable,
        "relation \"\(table.name.name)\" already exists in schema \"\(schema.name)\"")
    }
    transaction.catalog.put(table)
    for sequence in catalog.sequences.values where sequence.owner?.table == table.id {
      var moved = sequence
      moved.name.schema = schema.name
      transaction.catalog.put(moved)
    }
    renameInViews(original.id, original.name, to: table.name)
  }

  mutating func renameColumn(
    _ name: Identifier, to new: Identifier, of original: TableDefinition
  ) throws(SQLError) {
    var table = original
    guard let index = table.column(named: name.name) else {
      throw SQLError(.undefinedColumn, "column \"\(name.name)\" does not exist")
    }
    guard table.column(named: new.name) == nil else {
      throw SQLError(
        .duplicateColumn,
        "column \"\(new.name)\" of relation \"\(table.name.name)\" already exists")
    }
    table.columns[index].name = new.name
    let mapper = TreeMapper(column: { Self.renaming($0, name.name, to: new.name) })
    for check in table.checks.indices {
      table.checks[check].expression = mapper.map(table.checks[check].expression)
    }
    for column in table.columns.indices {
      table.columns[column].generated = table.columns[column].generated.map { mapper.map($0) }
    }
    for position in table.indexes.indices {
      table.indexes[position].predicate = table.indexes[position].predicate.map { mapper.map($0) }
      table.indexes[position].keys = table.indexes[position].keys.map { key in
        guard case .expression(let expression, let isDescending) = key else { return key }
        return .expression(mapper.map(expression), isDescending: isDescending)
      }
    }
    transaction.catalog.put(table)
    renameColumnInGraphs(name.name, to: new.name, of: table.id)
    renamePropertyInViews(name.name, to: new.name, of: table)
    let renaming = ViewColumnRenaming(
      table: original, old: name.name, new: new.name, catalog: catalog)
    rewriteViews(on: table.id) { renaming.map($0) }
  }

  static func renaming(_ name: QualifiedName, _ old: String, to new: String) -> QualifiedName {
    guard name.name == old else { return name }
    var copy = name
    copy.parts[copy.parts.count - 1].name = new
    return copy
  }

  // MARK: Views and sequences

  mutating func alter(view id: ObjectID, _ action: AlterTableAction) throws(SQLError) {
    guard var view = catalog.views[id] else { return }
    switch action.kind {
    case .renameTo(let name):
      let old = view.name
      view.name.name = name.name
      try checkFree(view.name)
      transaction.catalog.put(view)
      renameInViews(id, old, to: view.name)
    case .renameColumn(let name, let new):
      guard let index = view.columnNames.firstIndex(of: name.name) else {
        throw SQLError(.undefinedColumn, "column \"\(name.name)\" does not exist")
      }
      if view.columnNames.contains(new.name) {
        throw SQLError(
          .duplicateColumn,
          "column \"\(new.name)\" of relation \"\(view.name.name)\" already exists")
      }
      view.columnNames[index] = new.name
      transaction.catalog.put(view)
    case .setSchema(let schema):
      guard catalog.schemas.contains(schema.name) else {
        throw SQLError(.invalidSchemaName, "schema \"\(schema.name)\" does not exist")
      }
      let old = view.name
      view.name.schema = schema.name
      try checkFree(view.name)
      transaction.catalog.put(view)
      renameInViews(id, old, to: view.name)
    case .options(let options, column: nil, let isReset):
      guard options.contains(where: { $0.name == "check_option" }) else { return }
      view.checkOption = isReset ? nil : try Self.checkOption(among: options)
      if view.checkOption != nil { try checkUpdatable(view) }
      transaction.catalog.put(view)
    case .setDefault(let name, let expression):
      let index = try columnIndex(name, of: view)
      let column = TableColumn(
        name: view.columnNames[index], columnType: view.columnTypes[index])
      _ = try columnDefault(expression, column)
      view.columnDefaults[index] = expression
      transaction.catalog.put(view)
    case .dropDefault(let name):
      view.columnDefaults[try columnIndex(name, of: view)] = nil
      transaction.catalog.put(view)
    case .ownerTo, .options: break
    case .addColumn, .dropColumn, .setType, .setNotNull, .dropNotNull, .dropExpression,
      .addIdentity, .setIdentity, .dropIdentity, .addConstraint, .alterConstraint,
      .validateConstraint, .dropConstraint, .renameConstraint, .inherit, .other:
      throw SQLError(
        .wrongObjectType, "ALTER action cannot be performed on relation \"\(view.name.name)\"",
        detail: "This operation is not supported for views.")
    }
  }

  private func columnIndex(_ name: Identifier, of view: ViewDefinition) throws(SQLError) -> Int {
    if let index = view.columnNames.firstIndex(of: name.name) { return index }
    throw SQLError(
      .undefinedColumn,
      "column \"\(name.name)\" of relation \"\(view.name.name)\" does not exist")
  }

  mutating func alter(
    sequence: SequenceDefinition, _ action: AlterTableAction
  ) throws(SQLError) {
    var sequence = sequence
    switch action.kind {
    case .renameTo(let name):
      sequence.name.name = name.name
      try checkFree(sequence.name)
    case .setSchema(let schema):
      guard catalog.schemas.contains(schema.name) else {
        throw SQLError(.invalidSchemaName, "schema \"\(schema.name)\" does not exist")
      }
      sequence.name.schema = schema.name
      try checkFree(sequence.name)
    case .ownerTo, .options: return
    case .addColumn, .dropColumn, .setType, .setDefault, .dropDefault, .setNotNull, .dropNotNull,
      .dropExpression, .addIdentity, .setIdentity, .dropIdentity, .addConstraint, .alterConstraint,
      .validateConstraint, .dropConstraint, .renameColumn, .renameConstraint, .inherit, .other:
      throw SQLError(
        .wrongObjectType, "ALTER action cannot be performed on relation \"\(sequence.name.name)\"",
        detail: "This operation is not supported for sequences.")
    }
    transaction.catalog.put(sequence)
  }

  // MARK: Other objects

  mutating func alterObject(_ statement: AlterObjectStatement) throws(SQLError) -> String {
    let tag = "ALTER \(statement.kind.rawValue)"
    let name = statement.object.name
    switch statement.kind {
    case .schema: try alterSchema(name.name, statement.action)
    case .type, .domain: try alterNamedType(name, statement.action)
    case .function, .procedure, .routine: try alterFunction(statement)
    case .propertyGraph: try alterGraph(statement)
    case .table, .view, .materializedView, .foreignTable, .index, .sequence, .aggregate, .operator,
      .cast, .collation, .conversion, .column, .constraint, .database, .eventTrigger, .extension,
      .language, .policy, .publication, .role, .rule, .server, .statistics, .subscription,
      .tablespace, .textSearchConfiguration, .textSearchDictionary, .transform, .trigger,
      .accessMethod:
      if case .ownerTo = statement.action { return tag }
      throw .unsupported(tag, at: statement.range)
    }
    return tag
  }

  private func alterSchema(
    _ name: String, _ action: AlterObjectStatement.Action
  ) throws(SQLError) {
    guard catalog.schemas.contains(name) else {
      throw SQLError(.invalidSchemaName, "schema \"\(name)\" does not exist")
    }
    guard case .renameTo(let new) = action else { return }
    if catalog.schemas.contains(new.name) {
      throw SQLError(.duplicateSchema, "schema \"\(new.name)\" already exists")
    }
    transaction.catalog.addSchema(new.name)
    for table in catalog.tables.values where table.name.schema == name {
      var moved = table
      moved.name.schema = new.name
      transaction.catalog.put(moved)
      renameInViews(table.id, table.name, to: moved.name)
    }
    for view in catalog.views.values where view.name.schema == name {
      var moved = view
      moved.name.schema = new.name
      transaction.catalog.put(moved)
      renameInViews(view.id, view.name, to: moved.name)
    }
    for graph in catalog.graphs.values where graph.name.schema == name {
      var moved = graph
      moved.name.schema = new.name
      transaction.catalog.put(moved)
      renameInViews(graph.id, graph.name, to: moved.name)
    }
    for sequence in catalog.sequences.values where sequence.name.schema == name {
      var moved = sequence
      moved.name.schema = new.name
      transaction.catalog.put(moved)
    }
    for function in catalog.functions.values where function.name.schema == name {
      var moved = function
      moved.name.schema = new.name
      transaction.catalog.put(moved)
    }
    for type in catalog.types.values where type.name.schema == name {
      var moved = type
      moved.name.schema = new.name
      transaction.catalog.put(moved)
    }
    transaction.catalog.removeSchema(name)
  }

  private func alterFunction(_ statement: AlterObjectStatement) throws(SQLError) {
    guard var function = try function(statement.object) else {
      throw SQLError(
        .undefinedFunction,
        "could not find a function named \"\(statement.object.name.joined)\"")
    }
    switch statement.action {
    case .renameTo(let name): function.name.name = name.name
    case .setSchema(let schema):
      guard catalog.schemas.contains(schema.name) else {
        throw SQLError(.invalidSchemaName, "schema \"\(schema.name)\" does not exist")
      }
      function.name.schema = schema.name
    case .ownerTo: return
    }
    let types = function.parameters.map { $0.type.type.name }
    let others = catalog.functions(schema: function.name.schema, named: function.name.name)
    if others.contains(where: { $0.parameters.map { $0.type.type.name } == types }) {
      throw SQLError(
        .duplicateFunction,
        "function \(signature(of: function)) already exists in schema"
          + " \"\(function.name.schema)\"")
    }
    transaction.catalog.put(function)
  }
}

/// Lets a view's query follow the rename of a column of a table that it reads.
///
/// A qualified name is renamed if its qualifier stands for the table; an unqualified one if the table is
/// read somewhere in the query and no other table read there has a column of the old name.
struct ViewColumnRenaming {
  let table: TableDefinition
  let old: String
  let new: String
  let catalog: CatalogSnapshot

  func map(_ query: SelectStatement) -> SelectStatement {
    let found = FoundTables()
    _ = TreeMapper(table: { named in
      found.tables.append(named)
      return named
    }).map(query)
    let own = found.tables.filter { isOwn($0) }
    if own.isEmpty { return query }
    let qualifiers = Set(own.map { $0.alias?.name.name ?? $0.name.name })
    let isAmbiguous = found.tables.contains { named in
      guard !isOwn(named),
        case .table(let other)? = catalog.relation(
          schema: named.name.qualifier, named.name.name)
      else { return false }
      return other.column(named: old) != nil
    }
    return TreeMapper(column: { name in
      guard name.name == old else { return name }
      if let qualifier = name.qualifier {
        return qualifiers.contains(qualifier)
          ? DefinitionExecutor.renaming(name, old, to: new) : name
      }
      return isAmbiguous ? name : DefinitionExecutor.renaming(name, old, to: new)
    }).map(keepingNames(query))
  }

  private func isOwn(_ named: NamedTable) -> Bool {
    named.name.name == table.name.name
      && (named.name.qualifier ?? table.name.schema) == table.name.schema
  }

  /// Gives the outermost select items that are the column itself its old name, for the columns of derived
  /// tables inside are known by it.
  private func keepingNames(_ query: SelectStatement) -> SelectStatement {
    var copy = query
    guard case .select(var core) = copy.body else { return copy }
    for index in core.items.indices where core.items[index].alias == nil {
      if case .expression(let expression) = core.items[index].kind,
        case .column(let name) = expression.kind, name.name == old
      {
        core.items[index].alias = Identifier(old)
      }
    }
    copy.body = .select(core)
    return copy
  }

  private final class FoundTables {
    var tables: [NamedTable] = []
  }
}
