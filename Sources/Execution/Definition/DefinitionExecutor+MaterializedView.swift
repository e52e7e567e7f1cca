import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// Materialized views: tables that a query fills, and that nothing else changes.
extension DefinitionExecutor {
  mutating func createMaterializedView(
    _ statement: CreateMaterializedViewStatement
  ) throws(SQLError) -> String {
    let name = try newName(statement.name)
    if catalog.isRelationNameTaken(name) {
      guard statement.ifNotExists else {
        throw SQLError(.duplicateTable, "relation \"\(name.name)\" already exists")
      }
      notice("relation \"\(name.name)\" already exists, skipping", state: .duplicateTable)
      return "CREATE MATERIALIZED VIEW"
    }
    let description = try environment.describe(.select(statement.query), in: catalog)
    let query = TreeMapper(description.expansions).map(statement.query)
    for id in description.dependencies where catalog.tables[id]?.isTemporary == true {
      throw SQLError(
        .featureNotSupported,
        "materialized views must not use temporary tables or views")
    }
    var names = description.names
    if statement.columnNames.count > names.count {
      throw SQLError(.syntaxError, "too many column names were specified")
    }
    for (index, given) in statement.columnNames.enumerated() { names[index] = given.name }
    var columns: [TableColumn] = []
    for (column, type) in zip(names, description.types) {
      if columns.contains(where: { $0.name == column }) {
        throw SQLError(.duplicateColumn, "column \"\(column)\" specified more than once")
      }
      let settled = type.type == .unknown ? ColumnType(.text) : type
      try checkColumnType(settled.type, of: column)
      columns.append(TableColumn(name: column, columnType: settled))
    }
    let chunks =
      statement.withData ? try environment.run(.select(query), in: transaction) : []
    var table = TableDefinition(id: transaction.makeID(), name: name, columns: columns)
    table.materialized = MaterializedQuery(
      query: query, dependencies: direct(description.dependencies, of: query),
      isPopulated: statement.withData)
    try transaction.createTable(table)
    let count = try fill(table, with: chunks)
    return statement.withData ? "SELECT \(count)" : "CREATE MATERIALIZED VIEW"
  }

  mutating func refresh(_ statement: RefreshStatement) throws(SQLError) -> String {
    guard let found = relation(statement.name) else { throw missingRelation(statement.name) }
    guard case .table(var table) = found, var materialized = table.materialized else {
      throw SQLError(
        .wrongObjectType, "\"\(statement.name.name)\" is not a materialized view")
    }
    if statement.isConcurrent {
      if !statement.withData {
        throw SQLError(
          .syntaxError, "REFRESH options CONCURRENTLY and WITH NO DATA cannot be used together")
      }
      guard table.keys.contains(where: \.isIndexOnly) else {
        throw SQLError(
          .objectNotInPrerequisiteState,
          "cannot refresh materialized view \"\(table.name.schema).\(table.name.name)\""
            + " concurrently",
          hint: "Create a unique index with no WHERE clause on one or more columns of the"
            + " materialized view.")
      }
    }
    let chunks =
      statement.withData
      ? try environment.run(.select(materialized.query), in: transaction) : []
    try transaction.truncate(table)
    _ = try fill(table, with: chunks)
    if materialized.isPopulated != statement.withData {
      materialized.isPopulated = statement.withData
      table.materialized = materialized
      transaction.catalog.put(table)
    }
    return "REFRESH MATERIALIZED VIEW"
  }

  /// Appends the rows of a query, whose columns are the table's.
  private func fill(
    _ table: TableDefinition, with chunks: [DataChunk]
  ) throws(SQLError) -> Int {
    var count = 0
    for chunk in chunks {
      count += chunk.count
      let columns = zip(chunk.columns, table.columns).map { vector, column in
        vector.type == column.type || vector.type.physical != column.type.physical
          ? vector : vector.retyped(column.type)
      }
      try transaction.append(DataChunk(columns, count: chunk.count), to: table)
    }
    return count
  }
}
