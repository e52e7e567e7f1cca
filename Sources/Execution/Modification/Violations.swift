import Catalog
import Columnar
import Diagnostics

/// The errors of constraints, in PostgreSQL's words.
enum Violations {
  /// A value in a detail is cut to this many bytes.
  private static let fieldByteLimit = 64

  static func notNull(
    _ column: Int, of table: TableDefinition, row: Int, in columns: [Vector]
  ) -> SQLError {
    SQLError(
      .notNullViolation,
      "null value in column \"\(table.columns[column].name)\" of relation"
        + " \"\(table.name.name)\" violates not-null constraint",
      detail: failingRow(row, columns)
    ).about(table.errorObject(column: table.columns[column].name))
  }

  static func check(
    _ name: String, of table: TableDefinition, row: Int, in columns: [Vector]
  ) -> SQLError {
    SQLError(
      .checkViolation,
      "new row for relation \"\(table.name.name)\" violates check constraint \"\(name)\"",
      detail: failingRow(row, columns)
    ).about(table.errorObject(constraint: name))
  }

  static func viewCheck(_ view: String, row: Int, in columns: [Vector]) -> SQLError {
    SQLError(
      .withCheckOptionViolation, "new row violates check option for view \"\(view)\"",
      detail: failingRow(row, columns))
  }

  static func unique(
    _ key: KeyConstraint, of table: TableDefinition, row: Int, in values: [Vector]
  ) -> SQLError {
    SQLError(
      .uniqueViolation,
      "duplicate key value violates unique constraint \"\(key.name)\"",
      detail: "Key \(keyText(key.columns, of: table, row, values)) already exists."
    ).about(table.errorObject(constraint: key.name), breaking: .unique)
  }

  /// For an index that is made over rows which are there already.
  static func notUnique(
    _ key: KeyConstraint, of table: TableDefinition, row: Int, in values: [Vector]
  ) -> SQLError {
    SQLError(
      .uniqueViolation, "could not create unique index \"\(key.name)\"",
      detail: "Key \(keyText(key.columns, of: table, row, values)) is duplicated."
    ).about(table.errorObject(constraint: key.name), breaking: .unique)
  }

  static func missingParent(
    _ key: ForeignKeyConstraint, of table: TableDefinition, parent: TableDefinition, row: Int,
    in values: [Vector]
  ) -> SQLError {
    SQLError(
      .foreignKeyViolation,
      "insert or update on table \"\(table.name.name)\" violates foreign key constraint"
        + " \"\(key.name)\"",
      detail: "Key \(keyText(key.columns, of: table, row, values)) is not present in table"
        + " \"\(parent.name.name)\"."
    ).about(table.errorObject(constraint: key.name), breaking: .reference)
  }

  static func mixedNulls(
    _ key: ForeignKeyConstraint, of table: TableDefinition
  ) -> SQLError {
    SQLError(
      .foreignKeyViolation,
      "insert or update on table \"\(table.name.name)\" violates foreign key constraint"
        + " \"\(key.name)\"",
      detail: "MATCH FULL does not allow mixing of null and nonnull key values."
    ).about(table.errorObject(constraint: key.name), breaking: .reference)
  }

  static func stillReferenced(
    _ key: ForeignKeyConstraint, of child: TableDefinition, parent: TableDefinition, row: Int,
    in values: [Vector]
  ) -> SQLError {
    SQLError(
      .foreignKeyViolation,
      "update or delete on table \"\(parent.name.name)\" violates foreign key constraint"
        + " \"\(key.name)\" on table \"\(child.name.name)\"",
      detail: "Key \(keyText(key.parentColumns, of: parent, row, values)) is still referenced from"
        + " table \"\(child.name.name)\"."
    ).about(child.errorObject(constraint: key.name), breaking: .deny)
  }

  static var secondConflictUpdate: SQLError {
    SQLError(
      .cardinalityViolation,
      "ON CONFLICT DO UPDATE command cannot affect row a second time",
      hint: "Ensure that no rows proposed for insertion within the same command have duplicate"
        + " constrained values.")
  }

  static var secondMerge: SQLError {
    SQLError(
      .cardinalityViolation, "MERGE command cannot affect row a second time",
      hint: "Ensure that not more than one source row matches any one target row.")
  }

  /// `(a, b)=(1, 2)`.
  static func keyText(
    _ columns: [Int], of table: TableDefinition, _ row: Int, _ values: [Vector]
  ) -> String {
    let names = columns.map { table.columns[$0].name }.joined(separator: ", ")
    let shown = values.map { text($0, row) }.joined(separator: ", ")
    return "(\(names))=(\(shown))"
  }

  static func failingRow(_ row: Int, _ columns: [Vector]) -> String {
    let shown = columns.map { column -> String in
      guard column.isValid(row) else { return "null" }
      return clipped(text(column, row))
    }
    return "Failing row contains (\(shown.joined(separator: ", ")))."
  }

  /// One value as its type's output shows it.
  static func text(_ column: Vector, _ row: Int) -> String {
    RowText.string(column, row)
  }

  /// The text cut after a whole character, with dots to show it.
  private static func clipped(_ text: String) -> String {
    guard text.utf8.count > fieldByteLimit else { return text }
    var kept = ""
    var length = 0
    for scalar in text.unicodeScalars {
      length += UTF8.width(scalar)
      if length > fieldByteLimit { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept + "..."
  }
}

extension TableDefinition {
  /// The table, and a column or a constraint of it, as what an error is about.
  func errorObject(column: String? = nil, constraint: String? = nil) -> SQLError.Object {
    SQLError.Object(
      schema: name.schema, table: name.name, column: column, constraint: constraint)
  }
}

/// The first violation in the order in which PostgreSQL would come upon it: by row, then by constraint.
struct FirstViolation {
  private(set) var row = Int.max
  private(set) var error: SQLError?

  /// Notes a violation in `row`, unless an earlier row has one already.
  mutating func note(row: Int, _ makeError: () -> SQLError) {
    guard row < self.row else { return }
    self.row = row
    error = makeError()
  }

  func check() throws(SQLError) {
    if let error { throw error }
  }
}
