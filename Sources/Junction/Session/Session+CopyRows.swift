import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution
import Parquet
import Planning
import SQLSyntax

extension Session {
  /// COPY FROM a file that names its columns: they go to the table's columns of the same names.
  func copyRows(
    from statement: CopyStatement, into name: QualifiedName, _ names: [Identifier]
  ) throws(SQLError) -> StatementResult {
    guard case .file(let path) = statement.endpoint else {
      throw SQLError(
        .featureNotSupported, "COPY FROM STDIN reads text and CSV", at: statement.range,
        hint: "Write the data to a file first.")
    }
    let table = try copyTarget(name, transaction?.catalog ?? state.current.catalog)
    let fields = try Self.fields(named: names, of: table)
    if let count = try copyStored(path, statement, into: name, fields) {
      return Self.copied(count, from: path)
    }
    let columns = fields.map { SQLPrinter.quoted(table.columns[$0].name) }
    let values = fields.map { index in
      "\(SQLPrinter.quoted(table.columns[index].name))::\(table.columns[index].type.name)"
    }
    let target =
      "\(SQLPrinter.quoted(table.name.schema)).\(SQLPrinter.quoted(table.name.name))"
    let filter = statement.filter.map { " WHERE \(SQLPrinter.text(of: $0))" } ?? ""
    let text =
      "INSERT INTO \(target) (\(columns.joined(separator: ", "))) SELECT "
      + "\(values.joined(separator: ", ")) FROM \(SQLPrinter.quotedString(path))\(filter)"
    do throws(SQLError) {
      guard let insert = try parseStatements(text).first?.statement else {
        throw SQLError.internal("COPY makes no statement")
      }
      let result = try runPlanned(insert)
      let count = result.commandTag.split(separator: " ").last.flatMap { Int($0) } ?? 0
      return Self.copied(count, from: statement.filter == nil ? path : nil)
    } catch {
      // The place is one in a text that nobody wrote.
      var moved = error
      moved.range = statement.range
      moved.context = [error.context, "COPY \(table.name.name), from \(path)"]
        .compactMap { $0 }.joined(separator: "\n")
      throw moved
    }
  }

  private static func copied(_ count: Int, from path: String?) -> StatementResult {
    let proof = path.map { "\($0): \(count) rows read = \(count) loaded + 0 rejected" }
    return StatementResult(
      commandTag: "COPY \(count)",
      notices: proof.map { [Notice($0, severity: .info)] } ?? [])
  }

  /// COPY FROM a parquet file that has all columns of a table as the table has them: they go there as they are decoded.
  ///
  /// - Returns: the number of rows; nil for a file that has others.
  private func copyStored(
    _ path: String, _ statement: CopyStatement, into name: QualifiedName, _ fields: [Int]
  ) throws(SQLError) -> Int? {
    guard FileFormat(path) == .parquet, statement.filter == nil else { return nil }
    var files: [ParquetFile] = []
    for file in try FilePaths(path).files { files.append(try ParquetFile(path: file.path)) }
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: true, command: "COPY FROM", evaluation) {
        (transaction, version) throws(SQLError) in
        let table = try copyTarget(name, version.catalog)
        guard fields == Array(table.columns.indices),
          let rows = try ParquetRows(files, like: table.columns)
        else { return nil }
        let insert = try BulkInsert(
          table, in: transaction, context: executionContext(transaction, evaluation))
        try rows.read(loadProgress) { (chunks) throws(SQLError) in
          try insert.append(chunks)
        }
        if let violation = try BulkInsert.finish([insert])[0].first {
          var located = violation.error
          located.context = "COPY \(table.name.name), row \(violation.row + 1) of \(path)"
          throw located
        }
        return insert.rowCount
      }
    }
  }
}
