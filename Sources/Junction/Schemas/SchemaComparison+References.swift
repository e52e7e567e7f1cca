import Catalog
import SQLSyntax

/// Foreign keys, their delete rules, and counts.
extension SchemaComparison {
  /// Looks at a foreign key of a table; nil for one that is made before.
  mutating func compare(
    _ reference: SchemaReference, _ table: SchemaTable, _ actual: TableDefinition?
  ) {
    let name = SchemaNames.quoted(table.name)
    let list = SchemaNames.list(reference.columns)
    guard let actual, let key = found(reference, actual) else {
      var statements = [
        "ALTER TABLE \(name) ADD \(SchemaStatements.foreignKey(reference, table));"
      ]
      if let count = reference.count {
        statements.append(
          "ALTER TABLE \(name) ADD \(SchemaStatements.count(count.value, reference));")
      }
      return note(
        "table \"\(table.name)\" has no foreign key (\(list)) to table \"\(reference.parent)\": add it",
        statements)
    }
    let counts = actual.cardinalities.filter { Set($0.columns) == Set(key.columns) }
    var isReplaced = false
    if let rule = reference.rule, !SchemaStatements.keeps(rule.value, key, isLink: reference.isLink)
    {
      isReplaced = true
      replace(key, reference, rule, table, counts)
    }
    guard let count = reference.count, !counts.contains(where: { $0.bounds == count.value }) else {
      return
    }
    let dropped = isReplaced ? [] : counts
    note(
      "\(count.by) says that \(SchemaStatements.words(count.value)) rows of table \"\(table.name)\" refer by (\(list)) to each row of \"\(reference.parent)\": \(counts.isEmpty ? "nothing counts them" : "another count is kept"), so add a constraint",
      dropped.map { "ALTER TABLE \(name) DROP CONSTRAINT \(SQLPrinter.quoted($0.name));" }
        + ["ALTER TABLE \(name) ADD \(SchemaStatements.count(count.value, reference));"])
  }

  private func found(
    _ reference: SchemaReference, _ actual: TableDefinition
  ) -> ForeignKeyConstraint? {
    guard let parent = design.existing(reference.parent) else { return nil }
    let columns = reference.columns.compactMap { actual.column(named: $0) }
    return actual.foreignKeys.first { $0.parent == parent.id && Set($0.columns) == Set(columns) }
  }

  /// Puts a foreign key with another rule in the place of one; counts by it go, and come back where nothing else is said.
  private mutating func replace(
    _ key: ForeignKeyConstraint, _ reference: SchemaReference,
    _ rule: SchemaReference.Said<DeleteRule>, _ table: SchemaTable,
    _ counts: [CardinalityConstraint]
  ) {
    let name = SchemaNames.quoted(table.name)
    let quoted = SQLPrinter.quoted(key.name)
    func drop(_ constraint: String) -> String {
      "ALTER TABLE \(name) DROP CONSTRAINT \(constraint);"
    }
    var statements = counts.map { drop(SQLPrinter.quoted($0.name)) }
    statements.append(drop(quoted))
    statements.append(
      "ALTER TABLE \(name) ADD CONSTRAINT \(quoted) \(SchemaStatements.foreignKey(reference, table));"
    )
    if reference.count == nil, rule.value != .noAction {
      for count in counts {
        statements.append(
          "ALTER TABLE \(name) ADD CONSTRAINT \(SQLPrinter.quoted(count.name)) "
            + SchemaStatements.count(count.bounds, reference) + ";")
      }
    }
    note(
      "foreign key \"\(key.name)\" of table \"\(table.name)\" has another delete rule than \(rule.by), which says \(rule.value): replace it",
      statements)
  }
}
