import Catalog
import Columnar
import SQLSyntax

/// A query for each constraint that counts what breaks it.
struct ConstraintQueries {
  private let text: DefinitionText
  private let tables: [TableDefinition]

  init(_ catalog: CatalogSnapshot, _ tables: [TableDefinition]) {
    text = DefinitionText(catalog)
    self.tables = tables
  }

  /// The constraints by name, each with its query.
  var all: [(name: String, text: String)] { tables.flatMap(queries) }

  private func queries(of table: TableDefinition) -> [(name: String, text: String)] {
    let name = text.name(table.name)
    var list: [(name: String, text: String)] = []
    let notNull = table.columns.filter(\.isNotNull)
    if !notNull.isEmpty {
      // A row of NULLs alone IS NULL, and yet no NULL.
      let condition = notNull.map { column in
        let isRow = column.type.physical == .record
        return SQLPrinter.quoted(column.name) + (isRow ? " IS NOT DISTINCT FROM NULL" : " IS NULL")
      }.joined(separator: " OR ")
      list.append(
        ("\(table.name.name) NOT NULL", "SELECT count(*) FROM ONLY \(name) WHERE \(condition)"))
    }
    for key in table.keys { list.append((key.name, repeats(key, name, table))) }
    // Of one that was added as NOT VALID nothing is promised.
    for key in table.foreignKeys where key.isValidated {
      if let query = orphans(key, name, table) { list.append((key.name, query)) }
    }
    for check in table.checks {
      list.append(
        (
          check.name,
          "SELECT count(*) FROM ONLY \(name) WHERE NOT (\(SQLPrinter.text(of: check.expression)))"
        ))
    }
    for cardinality in table.cardinalities {
      if let query = miscounts(cardinality, name, table) { list.append((cardinality.name, query)) }
    }
    return list
  }

  /// The rows of a parent to which too many or too few rows refer.
  func miscounts(
    _ cardinality: CardinalityConstraint, _ name: String, _ table: TableDefinition
  ) -> String? {
    guard let index = table.foreignKey(of: cardinality),
      let parent = text.catalog.tables[table.foreignKeys[index].parent]
    else { return nil }
    let key = table.foreignKeys[index]
    let child = key.columns.map { "child.\(SQLPrinter.quoted(table.columns[$0].name))" }
    let other = key.parentColumns.map { "parent.\(SQLPrinter.quoted(parent.columns[$0].name))" }
    let match = zip(child, other).map { "\($0) = \($1)" }.joined(separator: " AND ")
    return "SELECT count(*) FROM ONLY \(text.name(parent.name)) AS parent WHERE"
      + " (SELECT count(*) FROM ONLY \(name) AS child WHERE \(match))"
      + " NOT \(cardinality.boundsText)"
  }

  /// The values of a key that come more than once.
  func repeats(_ key: KeyConstraint, _ name: String, _ table: TableDefinition) -> String {
    let columns = key.columns.map { SQLPrinter.quoted(table.columns[$0].name) }
    let present =
      key.nullsNotDistinct
      ? "" : " WHERE " + columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let list = columns.joined(separator: ", ")
    return "SELECT count(*) FROM (SELECT \(list) FROM ONLY \(name)\(present) GROUP BY \(list)"
      + " HAVING count(*) > 1) AS repeated"
  }

  /// The rows whose parent is not there.
  func orphans(_ key: ForeignKeyConstraint, _ name: String, _ table: TableDefinition) -> String? {
    guard let parent = text.catalog.tables[key.parent] else { return nil }
    let child = key.columns.map { "child.\(SQLPrinter.quoted(table.columns[$0].name))" }
    let other = key.parentColumns.map { "parent.\(SQLPrinter.quoted(parent.columns[$0].name))" }
    let match = zip(child, other).map { "\($0) = \($1)" }.joined(separator: " AND ")
    let present = child.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    return "SELECT count(*) FROM ONLY \(name) AS child WHERE \(present) AND NOT EXISTS"
      + " (SELECT 1 FROM \(text.name(parent.name)) AS parent WHERE \(match))"
  }
}
