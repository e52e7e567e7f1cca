import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// One bound entry of FROM: its rows, and the names that it offers.
struct FromItem {
  var plan: LogicalPlan
  var entries: [RangeEntry]
}

extension BindingSession {
  /// The rows of FROM; `scope.entries` holds the names that it offers afterwards.
  func bindFrom(
    _ references: [TableReference], in scope: Scope
  ) throws(SQLError) -> LogicalPlan {
    scope.clause = .from
    var plan: LogicalPlan?
    var entries: [RangeEntry] = []
    for reference in references {
      scope.entries = entries
      let item = try bindReference(reference, in: scope)
      try checkConflicts(entries, item.entries, at: reference.range)
      entries += item.entries
      if let left = plan {
        plan = join(.inner, left, item.plan, on: [], isLateral: mayBeLateral(reference))
      } else {
        plan = item.plan
      }
    }
    scope.entries = entries
    return plan ?? .values(rows: [[]], columns: [])
  }

  /// One entry of FROM; `scope.entries` is what stands to its left.
  func bindReference(
    _ reference: TableReference, in scope: Scope
  ) throws(SQLError) -> FromItem {
    switch reference {
    case .table(let table): return try bindNamedTable(table, in: scope)
    case .subquery(let table): return try bindDerivedTable(table, in: scope)
    case .function(let function): return try bindTableFunction(function, in: scope)
    case .join(let join): return try bindJoin(join, in: scope)
    case .graph(let table): return try bindGraphTable(table, in: scope)
    }
  }

  /// Whether the entry can refer to what stands to its left, judged by its form alone.
  func mayBeLateral(_ reference: TableReference) -> Bool {
    switch reference {
    case .table: false
    case .subquery(let table): table.isLateral
    case .function, .graph: true
    case .join(let join): mayBeLateral(join.left) || mayBeLateral(join.right)
    }
  }

  /// A join, lateral only if the right side does use the left.
  func join(
    _ kind: JoinPlan.Kind, _ left: LogicalPlan, _ right: LogicalPlan,
    on conditions: [BoundExpression], isLateral: Bool
  ) -> LogicalPlan {
    var usesLeft = false
    if isLateral {
      let free = right.freeColumns
      usesLeft = !free.isEmpty && left.outputs.contains { free.contains($0.id) }
    }
    return .join(JoinPlan(kind, left, right, on: conditions, isLateral: usesLeft))
  }

  /// - Throws: 42712 if both sides have an entry of the same name.
  func checkConflicts(
    _ left: [RangeEntry], _ right: [RangeEntry], at range: SourceRange
  ) throws(SQLError) {
    for entry in right where entry.isRelationVisible {
      guard let name = entry.name else { continue }
      for other in left where other.isRelationVisible && other.name == name {
        if let first = other.schema, let second = entry.schema, first != second { continue }
        throw SQLError(
          SQLState("42712"), "table name \"\(name)\" specified more than once", at: range)
      }
    }
  }

  /// The entry under its alias.
  func register(_ entry: RangeEntry, in scope: Scope) -> RangeEntry {
    scope.registered.append(entry)
    return entry
  }

  /// New names for the first columns.
  ///
  /// - Throws: 42P10 if there are more names than columns.
  func renamed(
    _ columns: [RangeColumn], _ alias: TableAlias?, table: String, at range: SourceRange
  ) throws(SQLError) -> [RangeColumn] {
    guard let alias, !alias.columns.isEmpty else { return columns }
    guard alias.columns.count <= columns.count else {
      throw SQLError(
        .invalidColumnReference,
        "table \"\(alias.name.name)\" has \(columns.count) columns available but"
          + " \(alias.columns.count) columns specified", at: range)
    }
    var result = columns
    for (index, name) in alias.columns.enumerated() { result[index].name = name.name }
    return result
  }

  private func bindNamedTable(
    _ table: NamedTable, in scope: Scope
  ) throws(SQLError) -> FromItem {
    if let sample = table.sample { throw SQLError.unsupported("TABLESAMPLE", at: sample.range) }
    if table.isFile { return try bindScan(try findFile(table), table, in: scope) }
    if table.name.parts.count == 1,
      let query = try bindCommonReference(table, in: scope)
    {
      return try named(query, table.alias ?? TableAlias(table.name.parts[0]), table, in: scope)
    }
    switch try findRelation(table.name, in: scope) {
    case .table(let definition): return try bindScan(definition, table, in: scope)
    case .view(let view):
      let query = try expanding(at: table.range) { () throws(SQLError) in
        try bindView(view, at: table.range)
      }
      let rowType = RecordType(
        name: view.name.name, fields: query.columns.map { RecordType.Field($0.name, $0.type) })
      var item = try named(
        query, table.alias ?? TableAlias(Identifier(view.name.name)), table, rowType: rowType,
        in: scope)
      if table.alias == nil {
        for index in item.entries.indices { item.entries[index].schema = view.name.schema }
      }
      return item
    case .virtual(let relation):
      return try bindVirtual(relation, table, in: scope)
    }
  }

  /// The table that a file is read into.
  private func findFile(_ table: NamedTable) throws(SQLError) -> TableDefinition {
    guard let provider = settings.files else {
      throw SQLError.unsupported("reading a file here", at: table.range).hinted(
        "Load it first: CREATE TABLE … AS FROM \(SQLPrinter.quotedString(table.name.name)).")
    }
    do throws(SQLError) {
      // What a view or a function names is not in the statement's own text, nor is what an alias renames.
      let renames = table.alias.map { !$0.columns.isEmpty } ?? false
      let definition = try provider(table, expansionDepth > 0 || renames)
      if !files.contains(where: { $0.id == definition.id }) { files.append(definition) }
      return definition
    } catch {
      throw error.located(at: table.range)
    }
  }

  private enum FoundRelation {
    case table(TableDefinition)
    case view(ViewDefinition)
    case virtual(VirtualRelation)
  }

  private func findRelation(
    _ name: QualifiedName, in scope: Scope?
  ) throws(SQLError) -> FoundRelation {
    if name.parts.count > 3 {
      throw SQLError(
        .syntaxError, "improper qualified name (too many dotted names): \(name.joined)",
        at: name.range)
    }
    if name.parts.count == 3, name.parts[0].name != settings.databaseName {
      throw SQLError(
        .featureNotSupported, "cross-database references are not implemented: \"\(name.joined)\"",
        at: name.range)
    }
    switch catalog.relation(
      schema: name.qualifier, name.name, searchPath: settings.searchPath)
    {
    case .table(let table):
      dependencies.insert(table.id)
      return .table(table)
    case .view(let view):
      dependencies.insert(view.id)
      return .view(view)
    case .sequence(let sequence):
      throw SQLError.unsupported("reading a sequence", at: name.range).hinted(
        "Use currval('\(sequence.name.name)').")
    case .graph(let graph):
      throw SQLError(
        .wrongObjectType, "cannot read property graph \"\(graph.name.name)\" as a table",
        at: name.range,
        hint: "Use GRAPH_TABLE (\(SQLPrinter.quoted(graph.name.name)) MATCH … COLUMNS (…)).")
    case nil:
      if let relation = settings.virtualRelations?(catalog, name.qualifier, name.name) {
        return .virtual(relation)
      }
      throw missingRelation(name, in: scope)
    }
  }

  private func bindView(_ view: ViewDefinition, at range: SourceRange) throws(SQLError)
    -> BoundQuery
  {
    var query: BoundQuery
    do throws(SQLError) {
      query = try bindQuery(view.query, outer: Scope(parent: nil))
    } catch {
      // The place is one in the view's own text.
      var moved = error
      moved.range = range
      throw moved
    }
    for (index, name) in view.columnNames.enumerated() where index < query.columns.count {
      query.columns[index].name = name
    }
    makeCollationsImplicit(of: query.columns)
    return query
  }

  /// A stored table: all of its columns; the optimiser drops those that nothing uses.
  private func bindScan(
    _ definition: TableDefinition, _ table: NamedTable, in scope: Scope
  ) throws(SQLError) -> FromItem {
    if definition.materialized?.isPopulated == false {
      throw SQLError(
        .objectNotInPrerequisiteState,
        "materialized view \"\(definition.name.name)\" has not been populated",
        hint: "Use the REFRESH MATERIALIZED VIEW command.")
    }
    if !table.isOnly {
      let children = catalog.descendants(of: definition.id)
      if !children.isEmpty { return try bindFamily(definition, children, table, in: scope) }
    }
    let (scan, columns) = makeScan(definition, alias: table.alias?.name.name)
    let alias = table.alias?.name.name ?? definition.name.name
    let source = RangeSource(table: definition, outputs: columns.map(\.id))
    let entry = RangeEntry(
      name: alias, schema: table.alias == nil ? definition.name.schema : nil,
      columns: try renamed(rangeColumns(columns), table.alias, table: alias, at: table.range),
      relationName: table.alias == nil ? nil : definition.name.name, source: source)
    return FromItem(plan: .scan(scan), entries: [register(entry, in: scope)])
  }

  /// A scan of all columns.
  func makeScan(
    _ definition: TableDefinition, alias: String?
  ) -> (ScanPlan, [PlanColumn]) {
    let columns = definition.columns.map { makeColumn($0.name, $0.columnType) }
    let scan = ScanPlan(
      table: definition, alias: alias ?? definition.name.name,
      columns: columns.enumerated().map { ScanPlan.Column($1, index: $0) })
    return (scan, columns)
  }

  func rangeColumns(_ columns: [PlanColumn]) -> [RangeColumn] {
    columns.map { RangeColumn($0) }
  }

  private func bindVirtual(
    _ relation: VirtualRelation, _ table: NamedTable, in scope: Scope
  ) throws(SQLError) -> FromItem {
    let columns = relation.columns.map { makeColumn($0.name, $0.type) }
    let rows = relation.rows.map { row in
      zip(row, columns).map { BoundExpression.constant($0, $1.type) }
    }
    let query = BoundQuery(
      plan: .values(rows: rows, columns: columns), columns: columns, ranges: [])
    var item = try named(
      query, table.alias ?? TableAlias(Identifier(table.name.name)), table, in: scope)
    if table.alias == nil {
      for index in item.entries.indices { item.entries[index].schema = relation.schema }
    }
    return item
  }

  /// A query as an entry of FROM.
  private func named(
    _ query: BoundQuery, _ alias: TableAlias, _ table: NamedTable, rowType: RecordType? = nil,
    in scope: Scope
  ) throws(SQLError) -> FromItem {
    let source = RangeSource(rowType: rowType, outputs: query.columns.map(\.id))
    let entry = RangeEntry(
      name: alias.name.name,
      columns: try renamed(
        rangeColumns(query.columns), alias, table: alias.name.name, at: table.range),
      relationName: table.alias == nil ? nil : table.name.name, source: source)
    return FromItem(plan: query.plan, entries: [register(entry, in: scope)])
  }

  private func bindDerivedTable(
    _ table: DerivedTable, in scope: Scope
  ) throws(SQLError) -> FromItem {
    let siblings = scope.entries
    if !table.isLateral { scope.entries = [] }
    defer { scope.entries = siblings }
    let query = try bindQuery(table.query, outer: scope)
    makeCollationsImplicit(of: query.columns)
    let source = RangeSource(outputs: query.columns.map(\.id))
    let alias = table.alias?.name.name
    let entry = RangeEntry(
      name: alias,
      columns: try renamed(
        rangeColumns(query.columns), table.alias, table: alias ?? "", at: table.range),
      isRelationVisible: alias != nil, source: source)
    return FromItem(plan: query.plan, entries: [register(entry, in: scope)])
  }
}

extension SQLError {
  /// The same error with a hint.
  func hinted(_ hint: String) -> SQLError {
    var copy = self
    copy.hint = hint
    return copy
  }
}
