import Catalog
import Columnar
import SQLSyntax

/// One row, by its key: a place to be while relationships are explored.
struct RowPlace: Equatable {
  let table: ObjectName
  /// The columns that tell the row apart.
  let columns: [String]
  /// Their values as texts; nil for NULL.
  let values: [String?]
  /// The relationship that led here; nil for a place that was gone to by its name.
  var way: String?

  /// The place in words: `course 2`.
  var title: String {
    ([displayName(table)] + values.map { Self.word($0) }).joined(separator: " ")
  }

  /// A value as a command takes it: in quotes where it is not one word.
  static func word(_ value: String?) -> String {
    guard let value else { return "NULL" }
    let isPlain =
      !value.isEmpty && value.allSatisfy { !$0.isWhitespace && !"'\"\\:;".contains($0) }
    return isPlain
      ? DisplayWidth.visible(value) : SQLPrinter.quotedString(DisplayWidth.visible(value))
  }

  /// The condition in SQL that only this row meets.
  func condition(alias: String? = nil) -> String {
    Self.condition(zip(columns, values).map { ($0, $1) }, alias: alias)
  }

  /// `a = '1' AND b IS NULL`: constants of unknown type, which take that of the column.
  static func condition(_ pairs: [(column: String, value: String?)], alias: String? = nil) -> String
  {
    pairs.map { column, value in
      (alias.map { $0 + "." } ?? "") + quotedName(column)
        + (value.map { " = " + SQLPrinter.quotedString($0) } ?? " IS NULL")
    }.joined(separator: " AND ")
  }
}

extension TableDefinition {
  /// The columns that tell a row apart: those of the primary key, or of another key without NULLs, or else all that
  /// can be compared.
  var identity: [Int] {
    if let primary = primaryKey { return primary.columns }
    let other = keys.first { key in key.columns.allSatisfy { columns[$0].isNotNull } }
    if let other { return other.columns }
    return columns.indices.filter { columns[$0].type != .json }
  }

  /// The name as a statement needs it, whatever the search path.
  var qualifiedName: String { "\(quotedName(name.schema)).\(quotedName(name.name))" }
}
