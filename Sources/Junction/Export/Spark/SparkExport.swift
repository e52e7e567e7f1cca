import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax
import Translation

extension Session {
  /// Writes a folder from which Spark gets the tables, the queries in its words, and what answers they have.
  ///
  /// - Parameters:
  ///   - path: The folder, which must not be there.
  ///   - queries: Queries, separated by semicolons.
  /// - Returns: What was written, and what could not be translated, as lines to be told.
  /// - Throws: 58P02 if there is something of the name, 22003 and 22008 for values that parquet has not, and what the system says.
  ///   Then nothing is left.
  func exportSpark(to path: String, queries: String) throws(SQLError) -> ExportAccount {
    try inSnapshot { (version, check) throws(SQLError) in
      try NewFolder.create(path, on: disk) { (folder) throws(SQLError) in
        let export = SQLExport(version, state.sequences)
        let files = TableFiles(version: version, isText: Self.isTextInSpark, check: check)
        try folder.makeFolder("tables")
        var written: [ExportedTable] = []
        for table in export.order.tables {
          try check()
          written.append(try files.write(table, to: folder, under: "tables/"))
        }
        let tables = SparkTables(written, version.catalog)
        var lines = written.map(Self.line)
        try folder.write(Self.list(of: written, tables), to: "tables.json")
        let schema = try folder.makeFile("schema.sql")
        try export.writeDefinitions { (piece) throws(SQLError) in try schema.write(piece) }
        try schema.close()
        lines += try writeChecks(export.order.tables, tables, to: folder)
        lines += try writeQueries(queries, for: .spark, to: folder, check) { tables.choose($0, $1) }
        try folder.write(RunnerText.spark, to: "run", isProgram: true)
        return ExportAccount(lines)
      }
    }
  }

  /// Whether Spark cannot read values of a type from a parquet file.
  private static func isTextInSpark(_ type: LogicalType) -> Bool {
    switch type {
    case .uuid, .time, .timetz, .interval, .bit, .varbit, .record: true
    case .array(let element): isTextInSpark(element)
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .timestamp, .timestamptz, .json, .jsonb, .oid,
      .enumeration, .unknown, .void:
      false
    }
  }

  /// The tables as the program that loads them reads of them.
  private static func list(of written: [ExportedTable], _ tables: SparkTables) -> String {
    var list = JSONWriter()
    list.open("{")
    list.member("buckets", tables.bucketCount)
    list.key("tables")
    list.open("[")
    for exported in written {
      for copy in tables.copies(of: exported.table) {
        list.separate()
        list.open("{")
        list.member("name", copy.name)
        list.member("file", "tables/\(exported.fileName).parquet")
        list.key("by")
        list.open("[")
        for column in copy.buckets {
          list.separate()
          list.value(column)
        }
        list.close("]")
        list.member("rows", exported.rowCount)
        list.close("}")
      }
    }
    list.close("]")
    list.close("}")
    return String(decoding: list.bytes, as: UTF8.self) + "\n"
  }

  /// Runs `body` over one state of the database, also where it runs queries of its own.
  func inSnapshot<Result>(
    _ body: (DatabaseVersion, @escaping () throws(SQLError) -> Void) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    if transaction != nil { return try inExport(body) }
    func run(_ text: String) throws(SQLError) {
      for statement in try parseStatements(text) { _ = try self.run(statement) }
    }
    try run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    do throws(SQLError) {
      let result = try inExport(body)
      try run("ROLLBACK")
      return result
    } catch {
      try? run("ROLLBACK")
      throw error
    }
  }

  /// Translates queries and writes them with Junction's answers; what was said of each that is left out.
  func writeQueries(
    _ text: String, for dialect: SQLDialect, to folder: NewFolder,
    _ check: () throws(SQLError) -> Void, choosing choose: @escaping TableChooser
  ) throws(SQLError) -> [String] {
    var queries = try QueryFolder(folder)
    for query in ExportedQuery.all(of: text) {
      try check()
      let plan: TranslatablePlan
      let translation: TranslatedText
      let answer: ResultSet
      do throws(SQLError) {
        plan = try translatablePlan(of: query.text)
        try requireLasting(plan)
        translation = try translated(query.text, plan, for: dialect, choosing: choose)
        let result = try runPlanned(try queryStatement(query.text))
        answer = result.rows ?? ResultSet(columns: [], chunks: [])
      } catch {
        if error.state == .queryCanceled { throw error }
        queries.refuse(query, error)
        continue
      }
      try queries.add(
        query, translation.statement, rounds: translation.rounds, answer: answer,
        AnswerOrder(plan.plan), gathersInAnyOrder: translation.gathersInAnyOrder)
    }
    try queries.finish()
    return queries.lines
  }

  // MARK: Constraints

  /// Writes a query for each constraint, which must give 0; what was said of each that has none.
  private func writeChecks(
    _ tables: [TableDefinition], _ copies: SparkTables, to folder: NewFolder
  ) throws(SQLError) -> [String] {
    var list = JSONWriter()
    var lines: [String] = []
    list.open("[")
    for constraint in ConstraintQueries(state.current.catalog, tables).all {
      do throws(SQLError) {
        let plan = try translatablePlan(of: constraint.text)
        let query = try translated(constraint.text, plan, for: .spark) { copies.choose($0, $1) }
        list.separate()
        list.open("{")
        list.member("name", constraint.name)
        list.member("sql", query.statement)
        list.close("}")
      } catch {
        if error.state == .queryCanceled { throw error }
        lines.append("constraint \(constraint.name) not checked there: \(error.message)")
      }
    }
    list.close("]")
    try folder.write(String(decoding: list.bytes, as: UTF8.self) + "\n", to: "checks.json")
    return lines
  }
}
