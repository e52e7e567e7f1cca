import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import SQLSyntax

extension Session {
  /// DESCRIBE, SUMMARIZE and SHOW TABLES.
  func runDescribe(_ statement: DescribeStatement) throws(SQLError) -> StatementResult {
    let tag = statement.isSummary ? "SUMMARIZE" : "DESCRIBE"
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: false, command: tag, evaluation) {
        (_, version) throws(SQLError) in
        let query: SelectStatement
        var table: TableDefinition?
        switch statement.subject {
        case .tables: return tables(in: version.catalog)
        case .query(let written): query = written
        case .relation(let relation):
          query = SelectStatement(body: .table(relation), at: relation.range)
          if !relation.isFile,
            case .table(let found)? = version.catalog.relation(
              schema: relation.name.qualifier, relation.name.name, searchPath: settings.searchPath)
          {
            table = found
          }
        }
        if statement.isSummary {
          return try summary(of: query, version, evaluation)
        }
        if let table { return Self.description(of: table, in: version.catalog) }
        let columns = try columns(of: query, version, evaluation)
        return Self.description(columns.map { Described($0.name, $0.columnType.name) })
      }
    }
  }

  private func columns(
    of query: SelectStatement, _ version: DatabaseVersion, _ evaluation: EvaluationContext
  ) throws(SQLError) -> [Planning.ResultColumn] {
    try planned(.select(query), version.catalog, version, types: [], evaluation).bound.columns
  }

  // MARK: Columns

  /// What DESCRIBE says of a column.
  private struct Described {
    var name: String
    var type: String
    var isNullable = true
    var key = ""
    var defaultText: String?

    init(_ name: String, _ type: String) {
      self.name = name
      self.type = type
    }
  }

  private static func description(
    of table: TableDefinition, in catalog: CatalogSnapshot
  ) -> StatementResult {
    let text = DefinitionText(catalog, leavingOutSchemas: true)
    return description(
      table.columns.enumerated().map { index, column in
        var described = Described(column.name, text.type(column.columnType, domain: column.domain))
        described.isNullable = !column.isNotNull
        described.defaultText = text.defaultText(of: column)
        if table.primaryKey?.columns.contains(index) == true {
          described.key = "PRI"
        } else if table.isKey([index]) {
          described.key = "UNI"
        }
        for key in table.foreignKeys where key.columns.contains(index) {
          guard let parent = catalog.tables[key.parent] else { continue }
          described.key += (described.key.isEmpty ? "" : ", ") + "→ \(text.shortName(parent.name))"
        }
        return described
      })
  }

  private static func description(_ columns: [Described]) -> StatementResult {
    textTable(
      [
        ("column_name", columns.map(\.name)), ("column_type", columns.map(\.type)),
        ("null", columns.map { $0.isNullable ? "YES" : "NO" }), ("key", columns.map(\.key)),
        ("default", columns.map(\.defaultText)),
      ], tag: "DESCRIBE")
  }

  private func tables(in catalog: CatalogSnapshot) -> StatementResult {
    var names: [(ObjectName, String)] = []
    names += catalog.tables.values.map {
      ($0.name, $0.materialized == nil ? "table" : "materialized view")
    }
    names += catalog.views.values.map { ($0.name, "view") }
    names.sort { ($0.0.schema, $0.0.name) < ($1.0.schema, $1.0.name) }
    return Self.textTable(
      [
        ("schema", names.map(\.0.schema)), ("name", names.map(\.0.name)), ("type", names.map(\.1)),
      ], tag: "SHOW")
  }

  private static func textTable(
    _ columns: [(name: String, values: [String?])], tag: String
  ) -> StatementResult {
    let count = columns.first?.values.count ?? 0
    let vectors = columns.map { Vector(.text, $0.values.map { $0.map(Value.string) ?? .null }) }
    return StatementResult(
      commandTag: tag,
      rows: ResultSet(
        columns: columns.map { ResultColumn(name: $0.name, columnType: ColumnType(.text)) },
        chunks: count > 0 ? [DataChunk(vectors, count: count)] : []))
  }

  // MARK: Summaries

  private func summary(
    of query: SelectStatement, _ version: DatabaseVersion, _ evaluation: EvaluationContext
  ) throws(SQLError) -> StatementResult {
    let columns = try columns(of: query, version, evaluation)
    guard !columns.isEmpty else {
      throw SQLError(.syntaxError, "there are no columns to summarize", at: query.range)
    }
    let summary = ColumnSummaries(columns, of: query)
    func rows(_ text: String) throws(SQLError) -> ResultSet? {
      guard let statement = try parseStatements(text).first?.statement else { return nil }
      let plan = try plan(statement, version.catalog, version, types: [], evaluation)
      return try run(plan, nil, version, [], evaluation).rows
    }
    guard let found = try rows(summary.text) else { throw .internal("a summary gives no rows") }
    var histograms = [String?](repeating: nil, count: columns.count)
    if let text = summary.histogramText(found), let counts = try rows(text) {
      histograms = summary.histograms(counts)
    }
    // The first column is for the order alone.
    let all = try DataChunk.concatenate(found.chunks, types: found.columns.map(\.type))
    let drawn = Vector(.text, histograms.map { $0.map(Value.string) ?? .null })
    let histogram = ResultColumn(name: "histogram", columnType: ColumnType(.text))
    return StatementResult(
      commandTag: "SUMMARIZE",
      rows: found.changed(
        columns: found.columns.dropFirst() + [histogram],
        chunks: [DataChunk(all.columns.dropFirst() + [drawn], count: all.count)]))
  }
}
