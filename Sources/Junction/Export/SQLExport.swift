import Catalog
import Columnar
import DelimitedText
import Diagnostics
import SQLSyntax
import Storage

/// Writes a database as a script that `psql` loads into PostgreSQL 15, and the shell into Junction.
///
/// What other things are made of comes first: schemas, types, sequences, functions, tables; then rows, then what is
/// checked or built over all rows at once, then views, and remarks at the end. The script of a database that a
/// script was loaded into is the same script, byte by byte.
///
/// What PostgreSQL 15 does not have (property graphs, cardinality constraints, foreign keys that are not enforced)
/// stands between `\if` and `\endif` on a variable that only the shell of Junction sets. What is temporary is left
/// out.
struct SQLExport {
  let version: DatabaseVersion
  let sequences: SequenceCounters
  let text: DefinitionText
  let order: ExportOrder

  init(_ version: DatabaseVersion, _ sequences: SequenceCounters) {
    self.version = version
    self.sequences = sequences
    text = DefinitionText(version.catalog)
    order = ExportOrder(version.catalog, text)
  }

  private var catalog: CatalogSnapshot { version.catalog }

  /// Writes everything.
  ///
  /// - Throws: what the sink throws.
  func write(to sink: ExportSink) throws(SQLError) { try write(to: sink, withRows: true) }

  /// Writes everything but the rows of tables.
  ///
  /// - Throws: what the sink throws.
  func writeDefinitions(to sink: ExportSink) throws(SQLError) {
    try write(to: sink, withRows: false)
  }

  private func write(to sink: ExportSink, withRows: Bool) throws(SQLError) {
    func put(_ statement: String) throws(SQLError) { try sink(Array((statement + "\n").utf8)) }
    for line in preamble { try put(line) }
    for statement in definitions { try put(statement) }
    for table in order.tables where withRows && table.materialized == nil {
      try writeRows(of: table, to: sink)
    }
    for sequence in order.allSequences { try put(position(of: sequence)) }
    for statement in constraints { try put(statement) }
    try write(order.late, put)
    let comments = ExportComments(catalog, text, order)
    for statement in comments.statements { try put(statement) }
    let graphs = catalog.graphs.values.filter { !$0.isTemporary && $0.name.schema != "pg_temp" }
    let own = order.tables.flatMap(text.ownConstraints)
    if graphs.isEmpty && order.own.isEmpty && own.isEmpty { return }
    try put("\\if :{?JUNCTION}")
    for statement in own { try put(statement) }
    for graph in graphs.sorted(by: { $0.id < $1.id }) { try put(text.source(of: graph) + ";") }
    try write(order.own, put)
    for statement in comments.ownStatements { try put(statement) }
    try put("\\endif")
  }

  /// Views and what else is made of others, with the indexes and rows of those that keep some.
  func write(
    _ objects: [LateObject], _ put: (String) throws(SQLError) -> Void
  ) throws(SQLError) {
    for object in objects { try put(text.statement(of: object)) }
    let tables = objects.compactMap(\.table)
    for table in tables {
      for key in table.keys { try put(text.statement(of: key, table)) }
      for index in table.indexes { try put(text.statement(of: index, table)) }
    }
    // In the order in which they were made, as one may be of another's rows.
    for table in tables where table.materialized?.isPopulated == true {
      try put("REFRESH MATERIALIZED VIEW \(text.name(table.name));")
    }
  }

  /// What makes every reader take the statements alike.
  var preamble: [String] {
    let path = ["public"] + order.schemas
    return [
      "-- Database exported by Junction; load it with psql, or with \\i in Junction's shell.",
      "SET client_encoding = 'UTF8';", "SET standard_conforming_strings = on;",
      "SET check_function_bodies = off;", "SET client_min_messages = warning;",
      "SET timezone = 'UTC';", "SET datestyle = 'ISO, MDY';", "SET intervalstyle = 'postgres';",
    ] + order.schemas.map { "CREATE SCHEMA \(SQLPrinter.quoted($0));" }
      + ["SET search_path = \(path.map(SQLPrinter.quoted).joined(separator: ", "));"]
  }

  var definitions: [String] {
    order.types.map(text.statement) + order.freeSequences.map(text.statement)
      + order.earlyFunctions.map(text.statement)
      + order.tables.filter { $0.materialized == nil }.map(text.statement)
      + order.freeSequences.compactMap(text.ownership)
  }

  // MARK: Rows

  /// `COPY table (columns) FROM stdin;`, the rows, and `\.`.
  private func writeRows(of table: TableDefinition, to sink: ExportSink) throws(SQLError) {
    guard let store = version.tables[table.id], store.liveRowCount > 0 else { return }
    let columns = table.columns.indices.filter { table.columns[$0].generated == nil }
    let names = columns.map { SQLPrinter.quoted(table.columns[$0].name) }.joined(separator: ", ")
    let list = columns.isEmpty ? "" : " (\(names))"
    try sink(Array("COPY \(text.name(table.name))\(list) FROM stdin;\n".utf8))
    var options = CopyOptions()
    options.isText = true
    options.format.null = Array("\\N".utf8)
    options.format.delimiter = 9
    let writer = CopyWriter(
      options,
      columns.map {
        ResultColumn(name: table.columns[$0].name, columnType: table.columns[$0].columnType)
      })
    for page in 0..<store.pageCount {
      let lines = writer.lines(store.scan(page: page, columns: columns))
      if !lines.isEmpty { try sink(lines) }
    }
    try sink(Array("\\.\n".utf8))
  }

  func position(of sequence: SequenceDefinition) -> String {
    let position = sequences.position(of: sequence)
    let name = SQLPrinter.quotedString(text.name(sequence.name))
    return "SELECT pg_catalog.setval(\(name), \(position.value), \(position.isCalled));"
  }

  // MARK: Behind the rows

  /// Keys and indexes of all tables, and then what refers to keys.
  private var constraints: [String] {
    let tables = order.tables.filter { $0.materialized == nil }
    return tables.flatMap { table in
      table.keys.map { text.statement(of: $0, table) }
        + table.indexes.map { text.statement(of: $0, table) }
    }
      + tables.flatMap { table in
        table.foreignKeys.filter(\.isEnforced).map { text.statement(of: $0, table) }
      }
  }
}
