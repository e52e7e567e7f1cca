import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution

/// Loads the files of sheets into the tables that they have.
struct SheetLoader {
  let session: Session
  let evaluation: EvaluationContext
  let inference: SchemaInference
  /// Where bad records go; without it one bad record is an error.
  var rejects: RejectsFile?
  var progress: (LoadProgress) -> Void = { _ in }

  /// What became of the sheets' records.
  struct Outcome {
    var reports: [LoadReport]
    /// Whether values do not fit the types that were guessed, and nothing stays.
    var isDisproved: Bool
  }

  /// Loads all files in one transaction, each in the encoding that it turns out to have.
  ///
  /// - Throws: as `load`.
  func loadConverting(_ sheets: inout [Sheet]) throws(SQLError) -> Outcome {
    while true {
      do throws(SQLError) { return try load(sheets) } catch {
        guard error.state == .characterNotInRepertoire else { throw error }
        var isConverted = false
        for index in sheets.indices where try sheets[index].changeEncoding() { isConverted = true }
        if !isConverted { throw error }
      }
    }
  }

  /// Loads all files in one transaction.
  ///
  /// - Throws: the error of the first bad record, with all others in its detail, unless bad ones are put aside.
  func load(_ sheets: [Sheet]) throws(SQLError) -> Outcome {
    let transaction = OpenTransaction(session.state)
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
    // Tables are made anew outside of this transaction.
    if inference.hasMisfits(sheets, attempt.reports) {
      return Outcome(reports: attempt.reports, isDisproved: true)
    }
    if rejects == nil, let error = error(of: attempt.reports, sheets) { throw error }
    try rejects?.write(attempt.reports)
    try transaction.endStatement()
    try transaction.commit()
    return Outcome(reports: attempt.reports, isDisproved: false)
  }

  private func load(of sheet: Sheet, in catalog: CatalogSnapshot) throws(SQLError) -> TableLoad {
    var options = CopyOptions()
    options.format = sheet.dialect.format
    return TableLoad(
      table: try sheet.definition(in: catalog), fields: sheet.fields,
      origin: sheet.file.origin, name: sheet.file.path, options: options,
      hasGuessedTypes: sheet.isInferred, spellings: sheet.spellings,
      openFields: inference.openColumns(of: sheet),
      dataStart: sheet.dialect.dataStart,
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
}
