import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// INHERITS: a table that has the columns and checks of others, and whose rows are read with theirs.
extension DefinitionExecutor {
  /// Gives a new table what its parents have.
  mutating func inherit(
    from names: [QualifiedName], into building: inout TableBuilding
  ) throws(SQLError) {
    for name in names {
      let parent = try table(name)
      if building.table.parents.contains(parent.id) {
        throw SQLError(
          .duplicateTable,
          "relation \"\(parent.name.name)\" would be inherited from more than once")
      }
      if parent.isTemporary, !building.table.isTemporary {
        throw SQLError(
          .wrongObjectType,
          "cannot inherit from temporary relation \"\(parent.name.name)\"")
      }
      building.table.parents.append(parent.id)
      for column in parent.columns { try inherit(column, into: &building) }
      for check in parent.checks
      where !building.table.checks.contains(where: { $0.name == check.name }) {
        building.table.checks.append(check)
      }
    }
  }

  private mutating func inherit(
    _ column: TableColumn, into building: inout TableBuilding
  ) throws(SQLError) {
    guard let index = building.table.column(named: column.name) else {
      var copy = column
      copy.identity = nil
      if column.identity != nil { copy.defaultValue = nil }
      building.table.columns.append(copy)
      building.inherited.insert(column.name)
      return
    }
    notice("merging multiple inherited definitions of column \"\(column.name)\"")
    let known = building.table.columns[index]
    try checkConflict(known.columnType, column.columnType, "inherited column \"\(column.name)\"")
    if column.isNotNull { building.table.columns[index].isNotNull = true }
  }

  /// - Throws: 42804, 42P21 where a column cannot be of both types.
  private func checkConflict(
    _ known: ColumnType, _ other: ColumnType, _ subject: String
  ) throws(SQLError) {
    guard known.isSameBeforeCollation(other) else {
      throw SQLError(
        .datatypeMismatch, "\(subject) has a type conflict",
        detail: "\(known.name) versus \(other.name)")
    }
    if known.collation != other.collation {
      let names = [known, other].map { "\"\(($0.collation ?? .standard).name)\"" }
      throw SQLError(
        .collationMismatch, "\(subject) has a collation conflict",
        detail: names.joined(separator: " versus "))
    }
  }

  /// A type with the collation that is written behind it.
  ///
  /// - Throws: 42704 for one that does not exist, 42804 for a type whose values are no texts.
  func collated(_ type: ColumnType, _ name: QualifiedName?) throws(SQLError) -> ColumnType {
    guard let name else { return type }
    let collation = try Collation.found(name)
    guard type.type.isCollatable else {
      throw SQLError(
        .datatypeMismatch, "collations are not supported by type \(type.type.name)",
        at: name.range)
    }
    var type = type
    let isOwn = type.type == .name ? collation == .bytes : collation == .standard
    if !isOwn || type.collation != nil { type.collation = collation }
    return type
  }

  /// A column of the statement that a parent has too: default and constraints are added to the inherited one.
  mutating func merge(
    _ column: ColumnDefinition, into building: inout TableBuilding
  ) throws(SQLError) {
    guard let index = building.table.column(named: column.name.name) else { return }
    building.inherited.remove(column.name.name)
    notice("merging column \"\(column.name.name)\" with inherited definition")
    let inherited = building.table.columns[index]
    let type = try collated(try environment.type(column.type, in: catalog), column.collation)
    try checkConflict(inherited.columnType, type, "column \"\(column.name.name)\"")
    try addConstraints(of: column, at: index, to: &building)
  }

  /// INHERIT and NO INHERIT of ALTER TABLE.
  mutating func setParent(
    _ name: QualifiedName, of table: TableDefinition, isAdded: Bool
  ) throws(SQLError) {
    let parent = try self.table(name)
    var table = table
    guard isAdded else {
      guard table.parents.contains(parent.id) else {
        throw SQLError(
          .undefinedTable,
          "relation \"\(parent.name.name)\" is not a parent of relation \"\(table.name.name)\"")
      }
      table.parents.removeAll { $0 == parent.id }
      transaction.catalog.put(table)
      return
    }
    if table.parents.contains(parent.id) {
      throw SQLError(
        .duplicateTable,
        "relation \"\(parent.name.name)\" would be inherited from more than once")
    }
    if table.id == parent.id
      || catalog.descendants(of: table.id).contains(where: { $0.id == parent.id })
    {
      throw SQLError(
        .duplicateTable, "circular inheritance not allowed",
        detail: "\"\(parent.name.name)\" is already a child of \"\(table.name.name)\".")
    }
    for column in parent.columns {
      guard let index = table.column(named: column.name) else {
        throw SQLError(
          .datatypeMismatch, "child table is missing column \"\(column.name)\"")
      }
      let (own, theirs) = (table.columns[index].columnType, column.columnType)
      guard own.isSameBeforeCollation(theirs) else {
        throw SQLError(
          .datatypeMismatch,
          "child table \"\(table.name.name)\" has different type for column \"\(column.name)\"")
      }
      if own.collation != theirs.collation {
        throw SQLError(
          .collationMismatch,
          "child table \"\(table.name.name)\" has different collation for column"
            + " \"\(column.name)\"")
      }
      if column.isNotNull, !table.columns[index].isNotNull {
        throw SQLError(
          .datatypeMismatch,
          "column \"\(column.name)\" in child table must be marked NOT NULL")
      }
    }
    for check in parent.checks
    where !table.checks.contains(where: { $0.name == check.name }) {
      throw SQLError(
        .datatypeMismatch, "child table is missing constraint \"\(check.name)\"")
    }
    table.parents.append(parent.id)
    transaction.catalog.put(table)
  }
}
