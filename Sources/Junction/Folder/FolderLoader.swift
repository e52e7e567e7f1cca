import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution
import SQLSyntax

/// Makes a database of a folder: schema, files, keys.
final class FolderLoader {
  private let session: Session
  private let folder: String
  private let rejectsPath: String?
  private let progress: (LoadProgress) -> Void
  private var notices: [Notice] = []

  init(
    session: Session, folder: String, rejectsPath: String?,
    progress: @escaping (LoadProgress) -> Void
  ) {
    self.session = session
    self.folder = folder
    self.rejectsPath = rejectsPath
    self.progress = progress
  }

  /// Loads everything and gives what there is to say of it.
  ///
  /// - Throws: the first error; the database is then of no use.
  func load() throws(SQLError) -> [Notice] {
    let listing = try FolderListing(folder)
    if let schema = listing.schema { try run(schema, from: "schema.sql") }
    let inference = SchemaInference(session: session)
    var sheets: [Sheet] = []
    for file in listing.files { sheets.append(try Sheet(file)) }
    for index in sheets.indices { try inference.makeTable(for: &sheets[index]) }
    var excluded = sheets.map { _ in Set<Int>() }
    var rejects: [[RejectedRecord]] = sheets.map { _ in [] }
    while true {
      let attempt = try loadOnce(sheets, excluded)
      if try inference.widen(&sheets, attempt.reports.map(\.rejects)) { continue }
      let isBad = attempt.reports.contains { !$0.rejects.isEmpty }
      if isBad && rejectsPath == nil { throw error(of: attempt.reports, sheets) }
      if attempt.isCommitted {
        finish(attempt.reports, rejects, sheets)
        break
      }
      for index in sheets.indices {
        excluded[index].formUnion(attempt.broken[index].map(\.number))
        rejects[index] += attempt.broken[index].map(\.record)
      }
    }
    notices += inference.inferKeys(of: sheets)
    try advanceSequences(sheets)
    return notices
  }

  private func run(_ script: String, from name: String) throws(SQLError) {
    do throws(SQLError) {
      for statement in try parseStatements(script) { _ = try session.run(statement) }
    } catch {
      var located = error
      located.context = [error.context, "\(folder)/\(name)"].compactMap { $0 }.joined(
        separator: "\n")
      throw located
    }
  }

  // MARK: Rows

  private struct Attempt {
    var reports: [LoadReport]
    /// Stored rows that broke a rule of their table.
    var broken: [[(record: RejectedRecord, number: Int)]]
    var isCommitted: Bool
  }

  /// Loads all files in one transaction, and commits it if no row breaks a rule.
  private func loadOnce(_ sheets: [Sheet], _ excluded: [Set<Int>]) throws(SQLError) -> Attempt {
    let evaluation = session.makeEvaluation()
    let transaction = Transaction(session.state)
    defer { transaction.rollBack() }
    try transaction.beginStatement(writes: true, context: evaluation)
    let total = sheets.reduce(0) { $0 + $1.file.byteCount }
    var done = 0
    var rows = 0
    var loads: [BulkInsert] = []
    var loaders: [TableLoader] = []
    for (index, sheet) in sheets.enumerated() {
      let table = try sheet.definition(in: transaction.catalog)
      var options = CopyOptions()
      options.format = sheet.dialect.format
      let job = Session.CopyJob(
        table: table, columns: [], options: options, filter: nil, name: sheet.file.path)
      let loader = try session.makeLoader(job, sheet.fields, transaction, evaluation)
      loader.excluded = excluded[index]
      let bulk = try BulkInsert(
        table, in: transaction, context: session.executionContext(transaction, evaluation))
      let reader = BlockReader(
        try FileSource(path: sheet.file.path), format: sheet.dialect.format)
      if let first = try reader.next() {
        let before = rows
        try loader.load(
          reader, first: first, start: max(sheet.dialect.headerLength, sheet.dialect.markLength),
          into: bulk
        ) { [progress] count in
          rows = before + count
          progress(
            LoadProgress(bytesRead: done + reader.bytesRead, bytesInAll: total, rows: rows))
        }
      }
      done += sheet.file.byteCount
      loads.append(bulk)
      loaders.append(loader)
    }
    let violations = try BulkInsert.finish(loads)
    var attempt = Attempt(reports: [], broken: [], isCommitted: false)
    for (loader, found) in zip(loaders, violations) {
      var numbers: Set<Int> = []
      let broken = found.compactMap(loader.reject).filter { numbers.insert($0.number).inserted }
      attempt.broken.append(broken)
      attempt.reports.append(
        LoadReport(
          name: loader.name, recordCount: loader.recordCount,
          loadedCount: loader.recordCount - loader.rejects.count - loader.excluded.count
            - broken.count,
          rejects: loader.rejects + broken.map(\.record)))
    }
    if attempt.broken.allSatisfy(\.isEmpty)
      && (rejectsPath != nil || attempt.reports.allSatisfy { $0.rejects.isEmpty })
    {
      try transaction.endStatement()
      try transaction.commit()
      attempt.isCommitted = true
    }
    return attempt
  }

  /// The error of a load with bad rows: the first bad file's, and the numbers of the others.
  private func error(of reports: [LoadReport], _ sheets: [Sheet]) -> SQLError {
    let bad = zip(reports, sheets).filter { !$0.0.rejects.isEmpty }
    guard let (report, sheet) = bad.first, var error = report.error(copying: sheet.file.table)
    else { return .internal("a load failed without a bad row") }
    let others = bad.dropFirst().map { "\($0.0.name): \($0.0.rejects.count) bad records" }
    error.detail = ([error.detail].compactMap { $0 } + others).joined(separator: "\n")
    error.hint = "Mend the records, or open the folder with --rejects FILE to load the others."
    error.context = "loading \(report.name)" + (error.context.map { "\n\($0)" } ?? "")
    return error
  }

  private func finish(
    _ reports: [LoadReport], _ earlier: [[RejectedRecord]], _ sheets: [Sheet]
  ) {
    var file: [UInt8] = []
    for (index, report) in reports.enumerated() {
      var whole = report
      whole.rejects = (report.rejects + earlier[index]).sorted { $0.offset < $1.offset }
      notices.append(
        Notice(whole.proof + " (\(sheets[index].dialect.summary))", severity: .info))
      let lines = whole.rejectsFile()
      // One header is enough for all files.
      file += file.isEmpty ? lines[...] : lines[((lines.firstIndex(of: 10) ?? -1) + 1)...]
    }
    guard let rejectsPath else { return }
    do throws(SQLError) {
      let sink = try FileSink(path: rejectsPath)
      try sink.write(file)
      try sink.close()
    } catch {
      notices.append(Notice(error.message, severity: .warning))
    }
  }

  /// Lets serial and identity columns go on behind the values that were loaded.
  private func advanceSequences(_ sheets: [Sheet]) throws(SQLError) {
    let catalog = session.state.current.catalog
    for sheet in sheets {
      let table = try sheet.definition(in: catalog)
      for field in sheet.fields {
        guard let field, case .sequence(let id)? = table.columns[field].defaultValue,
          let sequence = catalog.sequences[id]
        else { continue }
        let column = SQLPrinter.quoted(table.columns[field].name)
        let name = SQLPrinter.quoted(table.name.name)
        let query = try parseStatements("SELECT max(\(column))::bigint FROM \(name)")
        guard let statement = query.first else { continue }
        if let rows = try session.run(statement).rows, rows.count == 1,
          case .integer(let greatest) = rows.value(row: 0, column: 0)
        {
          session.state.sequences.advance(sequence, past: greatest)
        }
      }
    }
  }
}
