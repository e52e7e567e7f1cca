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
    notices += listing.notices
    if let schema = listing.schema { try run(schema, from: "schema.sql") }
    let inference = SchemaInference(session: session)
    var sheets: [Sheet] = []
    for file in listing.files { sheets.append(try Sheet(file)) }
    for index in sheets.indices {
      do throws(SQLError) { try inference.makeTable(for: &sheets[index]) } catch {
        var located = error
        located.context = "loading \(sheets[index].file.path)"
        throw located
      }
    }
    let rejects = try rejectsPath.map { (path) throws(SQLError) in
      try RejectsFile(path, besides: sheets.map(\.file.path))
    }
    var reports: [LoadReport]?
    while reports == nil { reports = try loadOnce(&sheets, inference, rejects) }
    for (report, sheet) in zip(reports ?? [], sheets) {
      notices.append(Notice("\(report.proof) (\(sheet.dialect.summary))", severity: .info))
      notices += sheet.notices + inference.noticesOfMixedTimes(in: sheet)
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

  /// Loads all files in one transaction; nil if types were wider than they had looked, so that all has to be read
  /// again.
  private func loadOnce(
    _ sheets: inout [Sheet], _ inference: SchemaInference, _ rejects: RejectsFile?
  ) throws(SQLError) -> [LoadReport]? {
    let evaluation = session.makeEvaluation()
    let transaction = Transaction(session.state)
    defer { transaction.rollBack() }
    try transaction.beginStatement(writes: true, context: evaluation)
    var loads: [TableLoad] = []
    for sheet in sheets { loads.append(try load(of: sheet, in: transaction.catalog)) }
    let byteCount = sheets.reduce(0) { $0 + $1.file.byteCount }
    let attempt = try LoadAttempt.run(
      &loads, for: session, transaction, evaluation,
      progress: { [progress] in
        progress(LoadProgress(bytesRead: $0.bytesRead, bytesInAll: byteCount, rows: $0.rows))
      },
      isLast: { rejects == nil || inference.hasMisfits(sheets, $0.reports) })
    if inference.hasMisfits(sheets, attempt.reports) {
      // Tables are made anew outside of this transaction.
      transaction.rollBack()
      try inference.widen(&sheets, attempt.reports)
      return nil
    }
    if rejects == nil, let error = error(of: attempt.reports, sheets) { throw error }
    try rejects?.write(attempt.reports)
    try transaction.endStatement()
    try transaction.commit()
    return attempt.reports
  }

  private func load(
    of sheet: Sheet, in catalog: CatalogSnapshot
  ) throws(SQLError) -> TableLoad {
    var options = CopyOptions()
    options.format = sheet.dialect.format
    return TableLoad(
      table: try sheet.definition(in: catalog), fields: sheet.fields,
      origin: .file(path: sheet.file.path), name: sheet.file.path, options: options,
      hasGuessedTypes: sheet.isInferred, dataStart: sheet.dialect.dataStart,
      numbers: TakenNumbers(from: session.state.sequences))
  }

  /// The error of a load with bad rows: the first bad file's, and the numbers of the others.
  private func error(of reports: [LoadReport], _ sheets: [Sheet]) -> SQLError? {
    let bad = zip(reports, sheets).filter { !$0.0.rejects.isEmpty }
    guard let (report, sheet) = bad.first, var error = report.error(copying: sheet.file.table)
    else { return nil }
    let others = bad.dropFirst().map { "\($0.0.name): \($0.0.rejects.count) bad records" }
    error.detail = ([error.detail].compactMap { $0 } + others).joined(separator: "\n")
    error.hint = "Mend the records, or open the folder with --rejects FILE to load the others."
    error.context = "loading \(report.name)" + (error.context.map { "\n\($0)" } ?? "")
    return error
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
