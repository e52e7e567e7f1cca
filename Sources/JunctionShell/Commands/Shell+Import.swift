import Catalog
import Columnar
import Diagnostics
import Junction
import SQLSyntax

extension Shell {
  /// `\import FILE [TABLE]`: loads a file into a table, which is made if it is not there; without a table the file is
  /// opened as a database.
  ///
  /// - Throws: what the file or the table says.
  func importFile(_ command: MetaCommand) throws(SQLError) {
    let path = Self.expandedPath(try command.required(0))
    guard let word = command[1] else { return try connect(command) }
    let name = RelationshipChoices.spelled(word)
    let pattern = NamePattern(word)
    if connection.catalog.relations.keys.contains(where: { pattern.matches($0) }) {
      let header = command[2] == "header" ? " HEADER" : ""
      run("COPY \(name) FROM \(SQLPrinter.quotedString(path)) CSV\(header)")
      return
    }
    guard TextFile.isReadable(path), !TextFile.isFolder(path) else {
      throw SQLError(
        .undefinedFile,
        "\(path): \(TextFile.isFolder(path) ? "is a folder" : SystemError.current)",
        hint: TextFile.isFolder(path) ? "\\open opens a folder as a database." : nil)
    }
    try makeTable(name, from: path)
  }

  /// Makes a table of what a file without a schema looks like, and fills it.
  ///
  /// - Throws: what the file says; nothing of the table stays then.
  private func makeTable(_ name: String, from path: String) throws(SQLError) {
    let source = try load([path], path)
    for notice in source.notices where !isQuiet || notice.severity != .info { report(notice) }
    guard let table = source.connect().catalog.tables.values.first else {
      throw SQLError(.undefinedTable, "\(path): there is no table in it")
    }
    let isOwn = connection.transactionStatus == .idle
    if isOwn { try connection.execute("BEGIN") }
    do throws(SQLError) {
      try connection.execute(Self.definition(of: table, as: name))
      let count = try fill(name, from: source.connect(), quotedName(table.name.name))
      if isOwn { try connection.execute("COMMIT") }
      say(count)
    } catch {
      if isOwn { try connection.execute("ROLLBACK") }
      throw error
    }
  }

  /// The statement that makes a table like another, with its keys.
  private static func definition(of table: TableDefinition, as name: String) -> String {
    let columns = table.columns.map { column in
      "\(quotedName(column.name)) \(column.columnType.name)" + (column.isNotNull ? " NOT NULL" : "")
    }
    let keys = table.keys.map { key in
      (key.isPrimary ? "PRIMARY KEY" : "UNIQUE") + " (\(columnList(table, key.columns)))"
    }
    return "CREATE TABLE \(name) (\((columns + keys).joined(separator: ", ")))"
  }

  /// Hands the rows of a table from one database to the other, and gives the tag of what was done.
  private func fill(
    _ name: String, from source: Connection, _ table: String
  ) throws(SQLError) -> String {
    var pieces: [[UInt8]] = []
    _ = try source.copyOut("COPY \(table) TO STDOUT") { pieces.append($0) }
    var rest = pieces[...]
    return try connection.copyIn("COPY \(name) FROM STDIN") { rest.popFirst() }.commandTag
  }
}
