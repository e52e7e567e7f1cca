import Catalog
import Columnar
import Diagnostics
import Durability
import Execution
import SQLSyntax

/// BACKUP, EXPORT and VERIFY.
extension Session {
  /// Where the files go that statements name.
  var disk: any Disk { (state.log as? DurableStore)?.disk ?? PosixDisk() }

  func runBackup(to path: String) throws(SQLError) -> StatementResult {
    try state.backUp(to: path, on: disk)
    return StatementResult(commandTag: "BACKUP")
  }

  /// EXPORT: the database as its session sees it, as a script.
  func runExport(to path: String?) throws(SQLError) -> StatementResult {
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: false, command: "EXPORT", evaluation) {
        (_, version) throws(SQLError) in
        let export = SQLExport(version, state.sequences)
        guard let path else { return try Self.pieces(of: export, evaluation) }
        try NewFile.create(path, on: disk) { (file, _) throws(SQLError) in
          try export.write { piece throws(SQLError) in
            try evaluation.checkCancellation()
            try state.damage?.check()
            try file.append(piece.span)
          }
        }
        return StatementResult(commandTag: "EXPORT")
      }
    }
  }

  /// Writes a file that is not there yet, all of it or none.
  func writeNewFile(_ path: String, _ bytes: [UInt8]) throws(SQLError) {
    try NewFile.create(path, on: disk) { (file, _) throws(SQLError) in
      try file.append(bytes.span)
    }
  }

  /// Hands the script on piece by piece.
  func export(_ sink: ExportSink) throws(SQLError) {
    let evaluation = makeEvaluation()
    try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: false, command: "EXPORT", evaluation) {
        (_, version) throws(SQLError) in
        try SQLExport(version, state.sequences).write { piece throws(SQLError) in
          try evaluation.checkCancellation()
          try state.damage?.check()
          try sink(piece)
        }
      }
    }
  }

  /// A row for each statement, and for each stretch of data behind a `COPY`.
  private static func pieces(
    of export: SQLExport, _ evaluation: EvaluationContext
  ) throws(SQLError) -> StatementResult {
    var rows: [Value] = []
    try export.write { piece throws(SQLError) in
      try evaluation.checkCancellation()
      // A line's end comes from whoever prints the row.
      rows.append(.text(piece.last == 10 ? piece.dropLast() : piece))
    }
    let columns = [ResultColumn(name: "sql", columnType: ColumnType(.text))]
    let chunks = stride(from: 0, to: rows.count, by: Vector.chunkCapacity).map { start in
      let some = Array(rows[start..<min(rows.count, start + Vector.chunkCapacity)])
      return DataChunk([Vector(.text, some)], count: some.count)
    }
    return StatementResult(
      commandTag: "EXPORT", rows: ResultSet(columns: columns, chunks: chunks))
  }

  /// VERIFY: files, catalog, rows, constraints and indexes, as a table of what was looked at.
  func runVerify() throws(SQLError) -> StatementResult {
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: false, command: "VERIFY", evaluation) {
        (_, version) throws(SQLError) in
        var verifier = Verifier(version, evaluation, evaluation.memory) { query throws(SQLError) in
          try self.count(query, in: version, evaluation)
        }
        for file in verifiedFiles {
          verifier.add(file: file.path, file.byteCount, file.error)
        }
        try verifier.run(state.sequences)
        return StatementResult(commandTag: "VERIFY", rows: verifier.report.rows)
      }
    }
  }

  private var verifiedFiles: [VerifiedFile] {
    if let store = state.log as? DurableStore { return store.verifyFiles() }
    if let backup = state.log as? BackupLog { return [backup.verifyFile()] }
    return []
  }

  /// The one number that a query gives.
  private func count(
    _ query: String, in version: DatabaseVersion, _ evaluation: EvaluationContext
  ) throws(SQLError) -> Int {
    guard let statement = try parseStatements(query).first?.statement else { return 0 }
    let plan = try plan(statement, version.catalog, version, types: [], evaluation)
    let rows = try run(plan, nil, version, [], evaluation).rows
    guard let rows, rows.count == 1, case .integer(let number) = rows.value(row: 0, column: 0)
    else { return 0 }
    return Int(number)
  }
}
