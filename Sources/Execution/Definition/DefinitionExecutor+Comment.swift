import Catalog
import Diagnostics
import SQLSyntax

extension DefinitionExecutor {
  mutating func comment(_ statement: CommentStatement) throws(SQLError) -> String {
    let name = statement.object.name
    let text = statement.text?.isEmpty == true ? nil : statement.text
    switch statement.kind {
    case .table, .view, .sequence, .propertyGraph:
      try comment(onRelation: name, statement.kind, text)
    case .column: try comment(onColumn: name, text)
    case .function, .procedure, .routine:
      guard var function = try function(statement.object) else {
        throw SQLError(
          .undefinedFunction, "could not find a function named \"\(name.joined)\"")
      }
      function.comment = text
      transaction.catalog.put(function)
    case .schema:
      guard catalog.schemas.contains(name.name) else {
        throw SQLError(.invalidSchemaName, "schema \"\(name.name)\" does not exist")
      }
      let key = CommentKey(kind: "SCHEMA", name: ObjectName(schema: "", name.name))
      transaction.catalog.setComment(text, on: key)
    case .type, .domain:
      guard
        let type = catalog.type(
          schema: name.qualifier, named: name.name, searchPath: environment.searchPath)
      else {
        throw SQLError(.undefinedObject, "type \"\(name.joined)\" does not exist")
      }
      transaction.catalog.setComment(text, on: CommentKey(kind: "TYPE", name: type.name))
    case .constraint:
      guard let tableName = statement.object.table else { break }
      let table = try table(tableName)
      guard table.constraintNames.contains(name.name) else {
        throw SQLError(
          .undefinedObject,
          "constraint \"\(name.name)\" for table \"\(table.name.name)\" does not exist")
      }
      transaction.catalog.setComment(
        text, on: CommentKey(kind: "CONSTRAINT", name: table.name, part: name.name))
    case .index:
      let schema = name.qualifier ?? environment.creationSchema
      let full = ObjectName(schema: schema, name.name)
      guard catalog.indexTables[full] != nil else {
        throw SQLError(.undefinedTable, "relation \"\(name.joined)\" does not exist")
      }
      transaction.catalog.setComment(text, on: CommentKey(kind: "INDEX", name: full))
    case .database: break
    case .materializedView, .foreignTable, .aggregate, .operator, .cast, .collation, .conversion,
      .eventTrigger, .extension, .language, .policy, .publication, .role, .rule, .server,
      .statistics, .subscription, .tablespace, .textSearchConfiguration, .textSearchDictionary,
      .transform, .trigger, .accessMethod:
      throw .unsupported("COMMENT ON \(statement.kind.rawValue)", at: statement.range)
    }
    return "COMMENT"
  }

  private func comment(
    onRelation name: QualifiedName, _ kind: ObjectKind, _ text: String?
  ) throws(SQLError) {
    switch (relation(name), kind) {
    case (.table(var table), .table):
      table.comment = text
      transaction.catalog.put(table)
    case (.view(var view), .view):
      view.comment = text
      transaction.catalog.put(view)
    case (.sequence(let sequence), .sequence):
      transaction.catalog.setComment(text, on: CommentKey(kind: "SEQUENCE", name: sequence.name))
    case (.graph(var graph), .propertyGraph):
      graph.comment = text
      transaction.catalog.put(graph)
    case (nil, _): throw missingRelation(name).located(at: .none)
    case (.table, _), (.view, _), (.sequence, _), (.graph, _):
      throw SQLError(
        .wrongObjectType, "\"\(name.name)\" is not a \(kind.rawValue.lowercased())")
    }
  }

  private func comment(onColumn name: QualifiedName, _ text: String?) throws(SQLError) {
    guard name.parts.count > 1 else {
      throw SQLError(.syntaxError, "column name must be qualified", at: name.range)
    }
    let owner = QualifiedName(Array(name.parts.dropLast()), at: name.range)
    switch relation(owner) {
    case .table(var table):
      let index = try columnIndex(Identifier(name.name), of: table)
      table.columns[index].comment = text
      transaction.catalog.put(table)
    case .view(let view):
      guard view.columnNames.contains(name.name) else {
        throw SQLError(
          .undefinedColumn,
          "column \"\(name.name)\" of relation \"\(view.name.name)\" does not exist")
      }
      transaction.catalog.setComment(
        text, on: CommentKey(kind: "COLUMN", name: view.name, part: name.name))
    case .sequence:
      throw SQLError(
        .wrongObjectType, "cannot set comment on relation \"\(owner.name)\"",
        detail: "This operation is not supported for sequences.")
    case .graph:
      throw SQLError(
        .wrongObjectType, "cannot set comment on relation \"\(owner.name)\"",
        detail: "This operation is not supported for property graphs.")
    case nil: throw missingRelation(owner).located(at: .none)
    }
  }

  // MARK: TRUNCATE

  mutating func truncate(_ statement: TruncateStatement) throws(SQLError) -> String {
    var tables: [TableDefinition] = []
    for named in statement.tables {
      let table = try table(named.name)
      let all = named.isOnly ? [table] : [table] + catalog.descendants(of: table.id)
      for one in all where !tables.contains(where: { $0.id == one.id }) { tables.append(one) }
    }
    var next = 0
    while next < tables.count {
      for entry in catalog.foreignKeys(to: tables[next].id)
      where entry.key.isEnforced && !tables.contains(where: { $0.id == entry.child.id }) {
        guard statement.isCascade else {
          throw SQLError(
            .featureNotSupported, "cannot truncate a table referenced in a foreign key constraint",
            detail: "Table \"\(entry.child.name.name)\" references \"\(tables[next].name.name)\".",
            hint: "Truncate table \"\(entry.child.name.name)\" at the same time, or use TRUNCATE"
              + " ... CASCADE.")
        }
        notice("truncate cascades to table \"\(entry.child.name.name)\"")
        tables.append(entry.child)
      }
      next += 1
    }
    for table in tables {
      try transaction.truncate(table)
      guard statement.restartsIdentity else { continue }
      for sequence in catalog.sequences.values where sequence.owner?.table == table.id {
        transaction.setSequence(
          sequence.id, SequencePosition(value: sequence.start, isCalled: false))
      }
    }
    return "TRUNCATE TABLE"
  }
}
