import Catalog
import Columnar
import DelimitedText
import Diagnostics
import SQLSyntax

/// Loads a file of JSON as several tables: one for its records, and one for each array in them.
struct UnnestedLoad {
  private let session: Session
  private let log: InferenceLog

  init(_ session: Session, _ log: InferenceLog) {
    self.session = session
    self.log = log
  }

  /// Makes the tables of a file, or fills those that a schema has.
  ///
  /// - Throws: what is wrong with the file, and with rows that break rules of a schema.
  func load(
    _ file: FolderListing.File, tell: (Notice) -> Void
  ) throws(SQLError) -> [LoadedTable] {
    do throws(SQLError) {
      var records = JSONRecords { _ in true }
      try records.read(try file.origin.opened(), name: file.path)
      guard !records.columns.isEmpty else {
        throw SQLError(
          .badCopyFileFormat, "\"\(file.path)\" holds no records, so nobody knows its columns")
      }
      let unnesting = try JSONUnnesting(records, named: file.table)
      tell(
        Notice(
          "\(file.path): \(records.count) rows read = \(records.count) loaded + 0 rejected (json, "
            + "\(unnesting.tables.count) tables)", severity: .info))
      for remark in records.remarks { tell(Notice(remark, severity: .info)) }
      var loaded: [LoadedTable] = []
      for table in unnesting.tables { loaded.append(try load(table, records.remarks, tell)) }
      return loaded
    } catch {
      throw error.located(loading: file)
    }
  }

  private func load(
    _ table: JSONUnnesting.Table, _ told: [String], _ tell: (Notice) -> Void
  ) throws(SQLError) -> LoadedTable {
    for remark in table.records.remarks where !told.contains(remark) {
      tell(Notice(remark, severity: .info))
    }
    if let reference = table.reference {
      tell(
        Notice(
          "\(table.name): \(table.records.count) elements of arrays in \(reference.parent), by "
            + "\(reference.column)", severity: .info))
    }
    let evaluation = session.makeEvaluation()
    let known = session.state.current.catalog.relation(schema: nil, table.name)
    if case .table(let definition)? = known {
      try fill(definition, from: table)
      return LoadedTable(
        name: table.name, columns: definition.columns.map(\.name), isInferred: false)
    }
    let definition = try JSONColumns.load(table.records, into: table.name, of: session, evaluation)
    for column in definition.columns {
      log.add(
        .init(
          table: table.name, kind: .type, subject: "\(column.name) \(column.columnType.name)",
          isTaken: true, reason: "\(table.records.count) rows of json"))
    }
    try addKeys(to: table)
    return LoadedTable(
      name: table.name, columns: definition.columns.map(\.name), isInferred: true)
  }

  /// Puts the rows into a table that is there.
  private func fill(
    _ definition: TableDefinition, from table: JSONUnnesting.Table
  ) throws(SQLError) {
    let passing = "\(HeaderNames.cut(table.name, to: 40)) (unnested)"
    let made = try JSONColumns.load(
      table.records, into: passing, of: session, session.makeEvaluation())
    let columns = made.columns.map { SQLPrinter.quoted($0.name) }.joined(separator: ", ")
    let source = SQLPrinter.quoted(passing)
    let statements = [
      "INSERT INTO \(SQLPrinter.quoted(definition.name.name)) (\(columns)) SELECT \(columns) FROM \(source)",
      "DROP TABLE \(source)",
    ]
    for text in statements {
      for statement in try parseStatements(text) { _ = try session.run(statement) }
    }
  }

  /// Adds the keys by which tables that were in one another hang together.
  private func addKeys(to table: JSONUnnesting.Table) throws(SQLError) {
    let values = ColumnQueries(session: session)
    var added: [String] = []
    if let reference = table.reference {
      if let key = try values.keyColumn(of: reference.parent),
        try values.definition(of: table.name).columns.first?.columnType != key.columnType
      {
        _ = values.alter(
          table.name,
          "ALTER \(SQLPrinter.quoted(reference.column)) TYPE \(key.columnType.name)")
      }
      added.append(
        "FOREIGN KEY (\(SQLPrinter.quoted(reference.column))) REFERENCES "
          + "\(SQLPrinter.quoted(reference.parent)) (\(SQLPrinter.quoted(reference.key)))")
      log.add(
        .init(
          table: table.name, kind: .reference,
          subject: "\(reference.column) → \(reference.parent).\(reference.key)", isTaken: true,
          reason: "arrays stood in rows of \(reference.parent)"))
    }
    let columns = table.records.columns.prefix(2).map(\.name)
    let key = table.key.map { [$0] } ?? (table.reference == nil ? [] : Array(columns))
    if !key.isEmpty {
      added.append("PRIMARY KEY (\(key.map(SQLPrinter.quoted).joined(separator: ", ")))")
      log.add(
        .init(
          table: table.name, kind: .key, subject: "(\(key.joined(separator: ", ")))", isTaken: true,
          reason: table.key == nil
            ? "the place of an element in its array" : "what elements refer to"))
    }
    for constraint in added where !values.add(constraint, to: table.name) {
      throw .internal("\(table.name) cannot have \(constraint)")
    }
  }
}
