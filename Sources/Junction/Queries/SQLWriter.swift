import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Writes SQL with its values, whose parameters are numbered as they come.
struct SQLWriter {
  private(set) var sql = SQL(raw: "")

  /// Text as it stands.
  mutating func write(_ text: String) { sql.write(text) }

  /// A value, as a parameter.
  mutating func bind(_ value: SQLValue) { sql.bind(value) }

  /// Values with commas between.
  mutating func bind(_ values: [SQLValue]) {
    for (index, value) in values.enumerated() {
      if index > 0 { write(", ") }
      bind(value)
    }
  }

  /// Another statement's part, with its values.
  mutating func write(_ part: SQL) { sql = sql + part }

  /// Columns, as one value: a row of several.
  mutating func writeRow(_ columns: [String]) {
    write(columns.count == 1 ? columns[0] : "(" + columns.joined(separator: ", ") + ")")
  }

  /// A value for each of some columns, as one value.
  mutating func bindRow(_ values: [SQLValue]) {
    if values.count == 1 { return bind(values[0]) }
    write("(")
    bind(values)
    write(")")
  }
}

extension TableDefinition {
  /// The table's name as it is written in SQL.
  var spelledName: String {
    SQLPrinter.quoted(name.schema) + "." + SQLPrinter.quoted(name.name)
  }

  /// Names of columns as they are written in SQL, behind the name of their table.
  func spelled(_ columns: [Int], of alias: String = "") -> [String] {
    columns.map { (alias.isEmpty ? "" : alias + ".") + SQLPrinter.quoted(self.columns[$0].name) }
  }

  /// The name of a column's type, as a cast has it.
  func typeName(ofColumn index: Int) -> String { columns[index].columnType.type.name }
}
