import Catalog
import Columnar
import SQLSyntax

/// The tables of a database as a script for a person to edit, with what was found out about them as remarks.
///
/// Beside the files, as `schema.sql`, it is run in the place of a guess.
struct SchemaScript {
  let catalog: CatalogSnapshot
  let report: InferenceReport

  var text: String {
    let tables = ordered
    var written: Set<ObjectID> = []
    var late: [String] = []
    var parts = [
      "-- The schema of these files, as Junction found it. Beside them, as schema.sql, it is run in the place\n"
        + "-- of a guess: edit what is wrong, and open the folder again."
    ]
    for table in tables {
      written.insert(table.id)
      let isEarly = { (key: ForeignKeyConstraint) in written.contains(key.parent) }
      parts.append(statement(of: table, table.foreignKeys.filter(isEarly)))
      for key in table.foreignKeys where !isEarly(key) {
        late.append("ALTER TABLE \(name(table)) ADD \(text(of: key, table));")
      }
    }
    if !late.isEmpty { parts.append(late.joined(separator: "\n")) }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// Tables behind those that they refer to, as far as they go round in no circle.
  private var ordered: [TableDefinition] {
    var rest = catalog.tables.values.filter { !$0.isTemporary && $0.materialized == nil }
      .sorted { $0.name.name < $1.name.name }
    var ordered: [TableDefinition] = []
    var known: Set<ObjectID> = []
    while !rest.isEmpty {
      let place =
        rest.firstIndex { table in
          table.foreignKeys.allSatisfy { known.contains($0.parent) || $0.parent == table.id }
        } ?? 0
      let table = rest.remove(at: place)
      known.insert(table.id)
      ordered.append(table)
    }
    return ordered
  }

  private func name(_ table: TableDefinition) -> String { SQLPrinter.quoted(table.name.name) }

  private func list(_ columns: [Int], _ table: TableDefinition) -> String {
    columns.map { SQLPrinter.quoted(table.columns[$0].name) }.joined(separator: ", ")
  }

  private func text(of key: ForeignKeyConstraint, _ table: TableDefinition) -> String {
    guard let parent = catalog.tables[key.parent] else { return "" }
    return "FOREIGN KEY (\(list(key.columns, table))) REFERENCES \(name(parent)) "
      + "(\(list(key.parentColumns, parent)))"
  }

  private func statement(
    of table: TableDefinition, _ references: [ForeignKeyConstraint]
  ) -> String {
    var lines: [(text: String, remark: String?)] = []
    for (place, column) in table.columns.enumerated() {
      var line = "\(SQLPrinter.quoted(column.name)) \(column.columnType.name)"
      if table.primaryKey?.columns == [place] {
        line += " PRIMARY KEY"
      } else if column.isNotNull, table.primaryKey?.columns.contains(place) != true {
        line += " NOT NULL"
      }
      lines.append((line, remark(on: column, table)))
    }
    for key in table.keys where !(key.isPrimary && key.columns.count == 1) {
      lines.append(
        ("\(key.isPrimary ? "PRIMARY KEY" : "UNIQUE") (\(list(key.columns, table)))", nil))
    }
    for key in references { lines.append((text(of: key, table), nil)) }
    let body = lines.enumerated().map { index, line in
      "    " + line.text + (index + 1 < lines.count ? "," : "")
        + (line.remark.map { "  -- \(Self.oneLine($0))" } ?? "")
    }
    let remarks = report.findings.filter {
      $0.table == table.name.name && $0.kind != .type && !$0.isTaken
    }.map { "-- not taken: \($0.kind.rawValue) \(Self.oneLine("\($0.subject): \($0.reason)"))" }
    return (remarks + ["CREATE TABLE \(name(table)) ("] + body + [");"]).joined(separator: "\n")
  }

  /// How the values of a column are spelled, where that is worth a word.
  private func remark(on column: TableColumn, _ table: TableDefinition) -> String? {
    let found = report.findings.first {
      $0.table == table.name.name && $0.kind == .type
        && $0.subject == "\(column.name) \(column.columnType.name)"
    }
    return found?.remark
  }

  /// A text that ends no comment.
  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
