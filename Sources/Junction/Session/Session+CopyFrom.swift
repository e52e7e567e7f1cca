import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution
import Planning
import SQLSyntax

extension Session {
  /// COPY FROM: a file, or the data that a caller gives, into one table.
  func copyFrom(
    _ statement: CopyStatement, _ options: CopyOptions, _ streams: CopyStreams
  ) throws(SQLError) -> StatementResult {
    guard case .table(let name, let names) = statement.subject else {
      throw SQLError(.syntaxError, "COPY FROM takes a table", at: statement.range)
    }
    if options.rows != .delimited { return try copyRows(from: statement, into: name, names) }
    let evaluation = makeEvaluation()
    let report = try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: true, command: "COPY FROM", evaluation) {
        (transaction, version) throws(SQLError) in
        let table = try copyTarget(name, version.catalog)
        let fields = try Self.fields(named: names, of: table)
        let rejects = try options.rejectsPath.map { (path) throws(SQLError) in
          try RejectsFile(path, besides: [statement.endpoint.name])
        }
        let source = try Self.source(of: statement, streams)
        // A load that may keep good rows without the bad ones may have to read twice.
        let origin = TableLoad.Origin.source(rejects == nil ? source : source.repeatable)
        var loads = [
          TableLoad(
            table: table, fields: fields,
            origin: options.encoding.map { .encoded(origin, $0) } ?? origin,
            name: statement.endpoint.name, options: options, filter: statement.filter,
            numbers: TakenNumbers(from: state.sequences))
        ]
        let attempt = try LoadAttempt.run(
          &loads, for: self, transaction, evaluation, progress: loadProgress
        ) { _ in rejects == nil }
        let report = attempt.reports[0]
        if rejects == nil, let error = report.error(copying: table.name.name) { throw error }
        try rejects?.write([report])
        return report
      }
    }
    return StatementResult(
      commandTag: "COPY \(report.loadedCount)",
      notices: [Notice(report.proof, severity: .info)])
  }

  /// What COPY FROM reads.
  private static func source(
    of statement: CopyStatement, _ streams: CopyStreams
  ) throws(SQLError) -> any ByteSource {
    switch statement.endpoint {
    case .file(let path): return try TextFile.open(path)
    case .program: throw .unsupported("COPY FROM PROGRAM")
    case .standardStream:
      if let input = streams.input { return input }
      throw SQLError(
        .featureNotSupported, "COPY FROM STDIN needs data",
        hint: "Use copyIn of a connection, or \\copy in the shell.")
    }
  }

  /// The columns that COPY reads or writes: those that were named, or all that are not generated.
  static func fields(
    named names: [Identifier], of table: TableDefinition
  ) throws(SQLError) -> [Int] {
    if names.isEmpty { return table.columns.indices.filter { table.columns[$0].generated == nil } }
    var fields: [Int] = []
    for name in names {
      let index = try index(of: name, in: table)
      if fields.contains(index) {
        throw SQLError(
          .duplicateColumn, "column \"\(name.name)\" specified more than once", at: name.range)
      }
      fields.append(index)
    }
    return fields
  }

  func executionContext(
    _ transaction: OpenTransaction, _ evaluation: EvaluationContext
  ) -> ExecutionContext {
    ExecutionContext(
      evaluation: evaluation, tables: transaction.version,
      session: SessionFunctionTable(self, transaction),
      workerLimit: settings.workerLimit)
  }

  func copyTarget(
    _ name: QualifiedName, _ catalog: CatalogSnapshot
  ) throws(SQLError) -> TableDefinition {
    switch catalog.relation(
      schema: name.qualifier, name.name, searchPath: settings.searchPath)
    {
    case .table(let table):
      if table.materialized != nil {
        throw SQLError(
          .wrongObjectType, "cannot copy to materialized view \"\(name.name)\"", at: name.range)
      }
      return table
    case .view:
      throw SQLError(
        .wrongObjectType, "cannot copy to view \"\(name.name)\"", at: name.range,
        hint: "To enable copying to a view, provide an INSTEAD OF INSERT trigger.")
    case .sequence:
      throw SQLError(.wrongObjectType, "cannot copy to sequence \"\(name.name)\"", at: name.range)
    case .graph:
      throw SQLError(
        .wrongObjectType, "cannot copy to property graph \"\(name.name)\"", at: name.range)
    case nil:
      throw SQLError(.undefinedTable, "relation \"\(name.joined)\" does not exist", at: name.range)
    }
  }

  private static func index(
    of column: Identifier, in table: TableDefinition
  ) throws(SQLError) -> Int {
    guard let index = table.column(named: column.name) else {
      throw SQLError(
        .undefinedColumn,
        "column \"\(column.name)\" of relation \"\(table.name.name)\" does not exist",
        at: column.range)
    }
    if table.columns[index].generated != nil {
      throw SQLError(
        .invalidColumnReference, "column \"\(column.name)\" is a generated column",
        detail: "Generated columns cannot be used in COPY.")
    }
    return index
  }
}

extension CopyStatement.Endpoint {
  /// What messages call the other end of a COPY.
  fileprivate var name: String { if case .file(let path) = self { path } else { "STDIN" } }
}
