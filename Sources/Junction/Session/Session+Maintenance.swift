import Catalog
import Diagnostics
import Planning
import SQLSyntax

/// VACUUM, ANALYZE, REINDEX, CLUSTER and LOCK: there is nothing to be done, but what they name has to be there.
extension Session {
  func runMaintenance(_ statement: MaintenanceStatement) throws(SQLError) -> StatementResult {
    if statement.kind == .vacuum, transaction != nil {
      throw SQLError(.activeTransaction, "VACUUM cannot run inside a transaction block")
    }
    return try lookingAtCatalog(statement.kind.rawValue) { (catalog) throws(SQLError) in
      for target in statement.tables {
        switch statement.scope {
        case .index: try self.requireIndex(target.name, catalog)
        case .schema: try Self.requireSchema(target.name, catalog)
        case .database: try self.requireDatabase(target.name)
        case .table: try self.requireTable(target, of: statement, catalog)
        }
      }
    }
  }

  func runLock(_ statement: LockStatement) throws(SQLError) -> StatementResult {
    guard transaction != nil else {
      throw SQLError(
        .noActiveTransaction, "LOCK TABLE can only be used in transaction blocks")
    }
    return try lookingAtCatalog("LOCK TABLE") { (catalog) throws(SQLError) in
      for table in statement.tables { _ = try self.relation(table.name, catalog) }
    }
  }

  private func lookingAtCatalog(
    _ tag: String, _ check: (CatalogSnapshot) throws(SQLError) -> Void
  ) throws(SQLError) -> StatementResult {
    try inTransaction(writes: false, command: tag, makeEvaluation()) {
      (_, version) throws(SQLError) in
      try check(version.catalog)
      return StatementResult(commandTag: tag)
    }
  }

  private func relation(
    _ name: QualifiedName, _ catalog: CatalogSnapshot
  ) throws(SQLError) -> CatalogSnapshot.Relation {
    guard
      let found = catalog.relation(
        schema: name.qualifier, name.name, searchPath: settings.searchPath)
    else {
      throw SQLError(
        .undefinedTable, "relation \"\(name.joined)\" does not exist", at: name.range)
    }
    return found
  }

  private func isIndex(_ name: QualifiedName, _ catalog: CatalogSnapshot) -> Bool {
    let schemas = name.qualifier.map { [$0] } ?? settings.searchPath
    return schemas.contains { catalog.indexTables[ObjectName(schema: $0, name.name)] != nil }
  }

  private func requireIndex(
    _ name: QualifiedName, _ catalog: CatalogSnapshot
  ) throws(SQLError) {
    if isIndex(name, catalog) { return }
    _ = try relation(name, catalog)
    throw SQLError(.wrongObjectType, "\"\(name.name)\" is not an index", at: name.range)
  }

  private static func requireSchema(
    _ name: QualifiedName, _ catalog: CatalogSnapshot
  ) throws(SQLError) {
    guard !catalog.schemas.contains(name.name) else { return }
    throw SQLError(
      .invalidSchemaName, "schema \"\(name.name)\" does not exist", at: name.range)
  }

  private func requireDatabase(_ name: QualifiedName) throws(SQLError) {
    guard name.name != binderSettings(makeEvaluation()).databaseName else { return }
    throw SQLError(
      .featureNotSupported, "can only reindex the currently open database", at: name.range)
  }

  private func requireTable(
    _ target: MaintenanceStatement.Target, of statement: MaintenanceStatement,
    _ catalog: CatalogSnapshot
  ) throws(SQLError) {
    let name = target.name
    let isOfTablesOnly = statement.kind == .reindex || statement.kind == .cluster
    if isOfTablesOnly, isIndex(name, catalog) { throw notTable(name) }
    guard case .table(let table) = try relation(name, catalog) else {
      if isOfTablesOnly { throw notTable(name) }
      return
    }
    var seen: Set<String> = []
    for column in target.columns {
      guard table.column(named: column.name) != nil else {
        throw SQLError(
          .undefinedColumn,
          "column \"\(column.name)\" of relation \"\(table.name.name)\" does not exist",
          at: column.range)
      }
      guard seen.insert(column.name).inserted else {
        throw SQLError(
          .duplicateColumn,
          "column \"\(column.name)\" of relation \"\(table.name.name)\" appears more than once",
          at: column.range)
      }
    }
  }

  private func notTable(_ name: QualifiedName) -> SQLError {
    SQLError(
      .wrongObjectType, "\"\(name.name)\" is not a table or materialized view", at: name.range)
  }
}
