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
    let path: String? = if case .file(let path) = statement.endpoint { path } else { nil }
    if case .program = statement.endpoint { throw .unsupported("COPY FROM PROGRAM") }
    let evaluation = makeEvaluation()
    let report = try cancellable(evaluation) { () throws(SQLError) in
      try loadUntilClean(options.rejectsPath) { (excluded) throws(SQLError) in
        try inTransaction(writes: true, command: "COPY FROM", evaluation) {
          (transaction, version) throws(SQLError) in
          let table = try copyTarget(name, version.catalog)
          var columns: [Int] = []
          for column in names { columns.append(try Self.index(of: column, in: table)) }
          let source: any ByteSource
          if let path {
            source = try FileSource(path: path)
          } else if let input = streams.input {
            source = input
          } else {
            throw SQLError(
              .featureNotSupported, "COPY FROM STDIN needs data",
              hint: "Use copyIn of a connection, or \\copy in the shell.")
          }
          let job = CopyJob(
            table: table, columns: columns, options: options, filter: statement.filter,
            name: path ?? "STDIN")
          return try run(job, source, excluded, transaction, evaluation)
        }
      }
    }
    if let path = options.rejectsPath {
      let file = try FileSink(path: path)
      try file.write(report.rejectsFile())
      try file.close()
    }
    return StatementResult(
      commandTag: "COPY \(report.loadedCount)",
      notices: [Notice(report.proof, severity: .info)])
  }

  /// One load of a file into a table.
  struct CopyJob {
    var table: TableDefinition
    /// The columns that were named; none means all, or those of the header.
    var columns: [Int]
    var options: CopyOptions
    var filter: SQLSyntax.Expression?
    var name: String
  }

  /// A load that found bad rows; the statement is taken back with it.
  struct BadRows: Error {
    let report: LoadReport
    /// Stored rows that broke a rule, by number among those that parsed.
    let numbers: Set<Int>
  }

  /// Loads once; and again without the rows that broke a rule of the table, where rejects are wanted.
  ///
  /// Taking out rows can only make rows bad that refer to them, so that the attempts come to an end.
  private func loadUntilClean(
    _ rejectsPath: String?,
    _ attempt: (Set<Int>) throws(SQLError) -> Result<LoadReport, BadRows>
  ) throws(SQLError) -> LoadReport {
    var excluded: Set<Int> = []
    var found: [RejectedRecord] = []
    while true {
      switch try attempt(excluded) {
      case .success(var report):
        report.rejects = (report.rejects + found).sorted { $0.offset < $1.offset }
        return report
      case .failure(let bad):
        excluded.formUnion(bad.numbers)
        found += bad.report.rejects
      }
    }
  }

  /// Loads; gives the bad rows, with the statement's work already undone, where rejects are wanted.
  private func run(
    _ job: CopyJob, _ source: any ByteSource, _ excluded: Set<Int>, _ transaction: Transaction,
    _ evaluation: EvaluationContext
  ) throws(SQLError) -> Result<LoadReport, BadRows> {
    let reader = BlockReader(source, format: job.options.format)
    let loader: TableLoader
    var first = try reader.next()
    var start = 0
    var fields = job.columns.isEmpty ? Array(job.table.columns.indices) : job.columns
    if let block = first {
      if job.options.format.hasHeader {
        let header = DialectSniffer.header(of: block, format: job.options.format)
        start = header.byteCount
        if job.options.headerMustMatch {
          try Self.check(header.fields, fields, job.table)
        }
      }
      if start >= block.count { first = try reader.next() }
      if start >= block.count { start = 0 }
    }
    fields = fields.filter { job.table.columns[$0].generated == nil }
    loader = try makeLoader(job, fields.map { $0 }, transaction, evaluation)
    loader.excluded = excluded
    let run = executionContext(transaction, evaluation)
    let bulk = try BulkInsert(job.table, in: transaction, context: run)
    if let first {
      try loader.load(reader, first: first, start: start, into: bulk) { [loadProgress] count in
        loadProgress?(
          LoadProgress(bytesRead: reader.bytesRead, bytesInAll: source.byteCount, rows: count))
      }
    }
    let violations = try bulk.finish()
    try evaluation.checkCancellation()
    var numbers: Set<Int> = []
    var broken: [RejectedRecord] = []
    for violation in violations {
      guard let (record, number) = loader.reject(violation) else { continue }
      if numbers.insert(number).inserted { broken.append(record) }
    }
    let rejects = loader.rejects + broken
    let report = LoadReport(
      name: job.name, recordCount: loader.recordCount,
      loadedCount: loader.recordCount - loader.rejects.count - excluded.count - broken.count,
      rejects: rejects)
    if job.options.rejectsPath == nil, let error = report.error(copying: job.table.name.name) {
      throw error
    }
    if broken.isEmpty { return .success(report) }
    transaction.abandonStatement()
    try transaction.beginStatement(writes: true, context: evaluation)
    return .failure(
      BadRows(
        report: LoadReport(name: job.name, recordCount: 0, loadedCount: 0, rejects: broken),
        numbers: numbers))
  }

  func makeLoader(
    _ job: CopyJob, _ fields: [Int?], _ transaction: Transaction, _ evaluation: EvaluationContext
  ) throws(SQLError) -> TableLoader {
    let catalog = transaction.catalog
    let binder = Binder(catalog: catalog, settings: binderSettings(evaluation))
    var filter: RowFilter?
    if let condition = job.filter {
      let factory = ColumnFactory()
      let columns = job.table.columns.map { factory.make($0.name, $0.type) }
      let bound = try binder.bindExpression(
        condition, over: columns, tableName: job.table.name.name, for: .copyFilter)
      filter = RowFilter(condition: bound.expression, columns: columns)
    }
    let fills = try ColumnFills(
      job.table, without: Set(fields.compactMap { $0 }), binder, catalog, state.sequences)
    let loader = TableLoader(
      job.table, name: job.name, format: job.options.format, fields: fields, fills: fills,
      filter: filter, run: executionContext(transaction, evaluation))
    let named = Set(fields.compactMap { $0 })
    for (option, columns) in [
      ("FORCE_NULL", job.options.forceNull), ("FORCE_NOT_NULL", job.options.forceNotNull),
    ] {
      for name in columns {
        guard let index = job.table.column(named: name) else {
          throw SQLError(
            .undefinedColumn,
            "column \"\(name)\" of relation \"\(job.table.name.name)\" does not exist")
        }
        guard named.contains(index) else {
          throw SQLError(
            .invalidColumnReference, "\(option) column \"\(name)\" not referenced by COPY")
        }
      }
    }
    loader.forceNull = Set(job.options.forceNull)
    loader.forceNotNull = Set(job.options.forceNotNull)
    return loader
  }

  func executionContext(
    _ transaction: Transaction, _ evaluation: EvaluationContext
  ) -> ExecutionContext {
    ExecutionContext(
      evaluation: evaluation, tables: transaction.version,
      session: SessionFunctionTable(self, transaction),
      workerLimit: settings.workerLimit)
  }

  private func copyTarget(
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

  private static func check(
    _ header: [String?], _ fields: [Int], _ table: TableDefinition
  ) throws(SQLError) {
    guard header.count == fields.count else {
      throw SQLError(
        .badCopyFileFormat,
        "wrong number of fields in header line: got \(header.count), expected \(fields.count)")
    }
    for (place, (name, field)) in zip(header, fields).enumerated()
    where name != table.columns[field].name {
      throw SQLError(
        .badCopyFileFormat,
        "column name mismatch in header line field \(place + 1): got \"\(name ?? "")\", expected "
          + "\"\(table.columns[field].name)\"")
    }
  }
}
