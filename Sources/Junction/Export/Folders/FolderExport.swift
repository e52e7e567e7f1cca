import Catalog
import Columnar
import Diagnostics
import Durability
import SQLSyntax

/// What an export has written, as lines to be told.
public struct ExportAccount: Sendable {
  /// One line a table, then what could not be taken along and why.
  public let lines: [String]

  init(_ lines: [String]) { self.lines = lines }
}

extension Session {
  /// Writes a folder with each table as a parquet file, and the definitions as SQL.
  ///
  /// - Throws: 58P02 if there is something of the name, 22003 and 22008 for values that parquet has not, and what the system says.
  ///   Then nothing is left.
  func exportParquet(to path: String) throws(SQLError) -> ExportAccount {
    try inExport { (version, check) throws(SQLError) in
      try NewFolder.create(path, on: disk) { (folder) throws(SQLError) in
        let export = SQLExport(version, state.sequences)
        let files = TableFiles(version: version, check: check)
        var lines: [String] = []
        for table in export.order.tables {
          try check()
          let written = try files.write(table, to: folder, under: "")
          lines.append(Self.line(of: written))
        }
        let file = try folder.makeFile("schema.sql")
        try export.writeDefinitions { (piece) throws(SQLError) in try file.write(piece) }
        try file.close()
        for view in export.order.late where view.table == nil {
          if case .view(let view) = view {
            lines.append("view \(view.name.name): its definition, in schema.sql")
          }
        }
        return ExportAccount(lines)
      }
    }
  }

  static func line(of written: ExportedTable) -> String {
    let rows = written.rowCount == 1 ? "1 row" : "\(written.rowCount) rows"
    return "table \(written.table.name.name): \(rows)"
  }

  /// Runs `body` over the database as the session sees it; what it is given looks whether the statement is to end, or damage was found.
  func inExport<Result>(
    _ body: (DatabaseVersion, @escaping () throws(SQLError) -> Void) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: false, command: "EXPORT", evaluation) {
        (_, version) throws(SQLError) in
        let result = try body(version) { () throws(SQLError) in
          try evaluation.checkCancellation()
          try self.state.damage?.check()
        }
        try state.damage?.check()
        return result
      }
    }
  }
}
