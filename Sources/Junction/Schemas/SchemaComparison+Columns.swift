import Catalog
import SQLSyntax

/// Columns.
extension SchemaComparison {
  mutating func compare(_ column: SchemaColumn, _ table: SchemaTable, _ actual: TableDefinition) {
    let name = SchemaNames.quoted(table.name)
    guard let index = actual.column(named: column.name) else {
      let isKey = table.key.contains(column.name)
      let statement =
        "ALTER TABLE \(name) ADD COLUMN \(SchemaStatements.column(column, isKey: isKey));"
      let words =
        "table \"\(table.name)\" lacks column \"\(column.name)\"\(of(table)): add it as \(column.type.name)"
      let needsValue = column.isNullable == false && column.source == .none
      note(
        words + (needsValue ? ", with a DEFAULT if the table has rows" : ""), statement)
      return
    }
    let found = actual.columns[index]
    let alter = "ALTER TABLE \(name) ALTER COLUMN \(SQLPrinter.quoted(column.name))"
    if !column.type.fits(found, view.catalog) {
      let type = SchemaStatements.type(column.type)
      note(
        "column \"\(column.name)\" of table \"\(table.name)\" is of type \(text.type(found.columnType, domain: found.domain)): make it \(column.type.name)\(of(table))",
        "\(alter) TYPE \(type) USING \(SQLPrinter.quoted(column.name))::\(type);")
    }
    compareNullability(column, table, actual, index, alter)
    compareSource(column, table, found, alter)
  }

  private func of(_ table: SchemaTable) -> String {
    table.record.map { " of record \($0)" } ?? ""
  }

  private mutating func compareNullability(
    _ column: SchemaColumn, _ table: SchemaTable, _ actual: TableDefinition, _ index: Int,
    _ alter: String
  ) {
    let found = actual.columns[index]
    let isKey = actual.primaryKey?.columns.contains(index) ?? false
    guard let isNullable = column.isNullable, found.generated == nil else { return }
    let words = "column \"\(column.name)\" of table \"\(table.name)\""
    if !isNullable, !found.isNotNull, !isKey {
      note(
        "\(words) takes NULL, which its property does not: make it NOT NULL",
        "\(alter) SET NOT NULL;")
    } else if isNullable, found.isNotNull, !isKey, found.defaultValue == nil {
      note(
        "\(words) takes no NULL, but its property may be nil: let it be NULL",
        "\(alter) DROP NOT NULL;")
    }
  }

  /// A default that nil, or nothing, stands for.
  private mutating func compareSource(
    _ column: SchemaColumn, _ table: SchemaTable, _ found: TableColumn, _ alter: String
  ) {
    guard column.source != .none, found.defaultValue == nil, found.generated == nil else { return }
    let words =
      "column \"\(column.name)\" of table \"\(table.name)\" has no default, so that each row has to bring its own value"
    switch column.source {
    case .none: return
    case .expression(let expression):
      note("\(words): give it one", "\(alter) SET DEFAULT \(expression);")
    case .serial, .identity:
      let kind = column.source == .identity ? "ALWAYS" : "BY DEFAULT"
      let sequence =
        "pg_get_serial_sequence(\(SQLPrinter.quotedString(SchemaNames.quoted(table.name))), \(SQLPrinter.quotedString(column.name)))"
      let quoted = SQLPrinter.quoted(column.name)
      var statements = ["\(alter) ADD GENERATED \(kind) AS IDENTITY;"]
      // An identity takes no NULL.
      if !found.isNotNull { statements.insert("\(alter) SET NOT NULL;", at: 0) }
      statements.append(
        "SELECT setval(\(sequence), max(\(quoted))) FROM \(SchemaNames.quoted(table.name)) HAVING max(\(quoted)) > 0;"
      )
      note("\(words): let the database number them", statements)
    }
  }
}
