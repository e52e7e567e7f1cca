package import Catalog
package import Diagnostics
package import SQLSyntax

/// Carries out the statements that define objects, each wholly or not at all.
///
/// It changes the catalog and the tables of a transaction inside a statement of it; the caller ends the statement
/// or takes it back.
package struct DefinitionExecutor {
  let environment: any DefinitionEnvironment
  let transaction: OpenTransaction
  var notices: [Notice] = []

  package init(environment: any DefinitionEnvironment, transaction: OpenTransaction) {
    self.environment = environment
    self.transaction = transaction
  }

  /// Whether a statement is one that `execute` takes.
  package static func handles(_ statement: Statement) -> Bool {
    switch statement {
    case .createTable, .createIndex, .createView, .createMaterializedView, .refresh,
      .createSequence, .createSchema, .createType, .createDomain, .createFunction,
      .createPropertyGraph, .alterPropertyGraph, .alterTable, .alterSequence, .alterType,
      .alterDomain, .alterObject, .drop, .comment, .truncate:
      true
    case .select, .insert, .update, .delete, .merge, .copy, .call, .transaction, .setting,
      .setConstraints, .explain, .prepare, .execute, .deallocate, .declareCursor, .fetch,
      .closeCursor, .doBlock, .lock, .maintenance, .checkpoint, .backup, .export, .verify,
      .describe, .discard, .listen, .notify, .unlisten, .privileges, .unsupported:
      false
    }
  }

  /// Runs one statement inside the transaction's current statement.
  ///
  /// - Throws: PostgreSQL's error; the caller then takes the statement back.
  package static func execute(
    _ statement: Statement, in transaction: OpenTransaction, environment: any DefinitionEnvironment
  ) throws(SQLError) -> DefinitionResult {
    var executor = DefinitionExecutor(environment: environment, transaction: transaction)
    let tag = try executor.run(statement)
    return DefinitionResult(tag, executor.notices)
  }

  mutating func run(_ statement: Statement) throws(SQLError) -> String {
    switch statement {
    case .createTable(let statement): return try createTable(statement)
    case .createIndex(let statement): return try createIndex(statement)
    case .createView(let statement): return try createView(statement)
    case .createMaterializedView(let statement): return try createMaterializedView(statement)
    case .refresh(let statement): return try refresh(statement)
    case .createSequence(let statement): return try createSequence(statement)
    case .createSchema(let statement): return try createSchema(statement)
    case .createType(let statement): return try createType(statement)
    case .createDomain(let statement): return try createDomain(statement)
    case .createFunction(let statement): return try createFunction(statement)
    case .createPropertyGraph(let statement): return try createPropertyGraph(statement)
    case .alterPropertyGraph(let statement): return try alterPropertyGraph(statement)
    case .alterTable(let statement): return try alterTable(statement)
    case .alterSequence(let statement): return try alterSequence(statement)
    case .alterType(let statement): return try alterType(statement)
    case .alterDomain(let statement): throw .unsupported("ALTER DOMAIN", at: statement.range)
    case .alterObject(let statement): return try alterObject(statement)
    case .drop(let statement): return try drop(statement)
    case .comment(let statement): return try comment(statement)
    case .truncate(let statement): return try truncate(statement)
    case .select, .insert, .update, .delete, .merge, .copy, .call, .transaction, .setting,
      .setConstraints, .explain, .prepare, .execute, .deallocate, .declareCursor, .fetch,
      .closeCursor, .doBlock, .lock, .maintenance, .checkpoint, .backup, .export, .verify,
      .describe, .discard, .listen, .notify, .unlisten, .privileges, .unsupported:
      throw .internal("a statement that defines nothing came to the definition executor")
    }
  }

  // MARK: What all statements share

  var catalog: CatalogSnapshot { transaction.catalog }

  mutating func notice(
    _ message: String, state: SQLState = SQLState("00000"), detail: String? = nil
  ) {
    notices.append(Notice(message, state: state, detail: detail))
  }

  /// The full name that a new object gets.
  ///
  /// - Throws: 3F000 if there is no such schema.
  func newName(_ name: QualifiedName, isTemporary: Bool = false) throws(SQLError) -> ObjectName {
    guard let schema = name.qualifier else {
      return ObjectName(
        schema: isTemporary ? Self.temporarySchema : environment.creationSchema, name.name)
    }
    if isTemporary && schema != Self.temporarySchema {
      throw SQLError(
        .invalidTableDefinition, "cannot create temporary relation in non-temporary schema",
        at: name.range)
    }
    guard catalog.schemas.contains(schema) || schema == Self.temporarySchema else {
      throw SQLError(
        .invalidSchemaName, "schema \"\(schema)\" does not exist", at: name.range)
    }
    if schema == "pg_catalog" || schema == "information_schema" {
      throw SQLError(
        SQLState("42501"), "permission denied to create \"\(name.joined)\"", at: name.range,
        detail: "System catalog modifications are currently disallowed.")
    }
    return ObjectName(schema: schema, name.name)
  }

  static let temporarySchema = "pg_temp"

  func relation(_ name: QualifiedName) -> CatalogSnapshot.Relation? {
    catalog.relation(schema: name.qualifier, name.name, searchPath: environment.searchPath)
  }

  /// The table of this name.
  ///
  /// - Throws: 42P01, and 42809 if it is something else.
  func table(_ name: QualifiedName) throws(SQLError) -> TableDefinition {
    switch relation(name) {
    case .table(let table) where table.materialized == nil: return table
    case .some:
      throw SQLError(.wrongObjectType, "\"\(name.name)\" is not a table", at: name.range)
    case nil: throw missingRelation(name)
    }
  }

  func missingRelation(_ name: QualifiedName) -> SQLError {
    if let schema = name.qualifier, !catalog.schemas.contains(schema),
      schema != Self.temporarySchema
    {
      return SQLError(
        .undefinedTable, "relation \"\(name.joined)\" does not exist", at: name.range)
    }
    return SQLError(.undefinedTable, "relation \"\(name.joined)\" does not exist", at: name.range)
  }

  /// A relation's name as messages show it: with the schema if it is not on the search path.
  func shown(_ name: ObjectName) -> String {
    environment.searchPath.contains(name.schema) || name.schema == Self.temporarySchema
      ? name.name : "\(name.schema).\(name.name)"
  }
}
