import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// What completing a table's parts has added to it, by index.
struct AddedConstraints {
  var keys: Range<Int>
  var foreignKeys: [(index: Int, isNotValid: Bool)]
  var checks: [(index: Int, isNotValid: Bool)]
  var cardinalities: Range<Int>
}

extension DefinitionExecutor {
  /// Gives every pending constraint its name and puts it into the table.
  ///
  /// - Throws: 42710, 42P07 for names; the errors of binding and of foreign keys.
  func complete(_ building: inout TableBuilding) throws(SQLError) -> AddedConstraints {
    let firstKey = building.table.keys.count
    let firstCardinality = building.table.cardinalities.count
    var added = AddedConstraints(
      keys: firstKey..<firstKey, foreignKeys: [], checks: [],
      cardinalities: firstCardinality..<firstCardinality)
    let pending = building.checks
    for check in pending {
      added.checks.append((try completeCheck(check, &building.table), check.isNotValid))
    }
    building.checks = []
    let keys = building.keys.filter(\.isPrimary) + building.keys.filter { !$0.isPrimary }
    for key in keys { try completeKey(key, &building.table) }
    building.keys = []
    added.keys = firstKey..<building.table.keys.count
    for column in building.table.columns {
      guard let generated = column.generated else { continue }
      _ = try environment.bind(
        generated,
        as: .generated(building.table, column: column.name, column.columnType), in: catalog)
    }
    for key in building.foreignKeys {
      let index = try completeForeignKey(key, &building.table)
      added.foreignKeys.append((index, key.isNotValid))
    }
    building.foreignKeys = []
    for cardinality in building.cardinalities {
      try completeCardinality(cardinality, &building.table)
    }
    building.cardinalities = []
    added.cardinalities = firstCardinality..<building.table.cardinalities.count
    return added
  }

  private func completeCheck(
    _ check: TableBuilding.PendingCheck, _ table: inout TableDefinition
  ) throws(SQLError) -> Int {
    _ = try environment.bind(check.expression, as: .check(table), in: catalog)
    let name: String
    if let given = check.name {
      if table.checks.contains(where: { $0.name == given }) {
        throw SQLError(.duplicateObject, "check constraint \"\(given)\" already exists")
      }
      try checkConstraintName(given, table)
      name = given
    } else {
      let columns = table.columns.map(\.name)
      let used = Set(check.expression.columnNames.map(\.name)).filter(columns.contains)
      let table = table
      name = GeneratedNames.choose(
        table.name.name, used.count == 1 ? used.first : nil, "check"
      ) { candidate in
        table.constraintNames.contains(candidate)
          || isConstraintNameTaken(candidate, schema: table.name.schema)
      }
    }
    table.checks.append(CheckConstraint(name: name, expression: check.expression))
    return table.checks.count - 1
  }

  /// - Throws: 42710 if the table has a constraint of this name.
  func checkConstraintName(_ name: String, _ table: TableDefinition) throws(SQLError) {
    if table.constraintNames.contains(name) {
      throw SQLError(
        .duplicateObject,
        "constraint \"\(name)\" for relation \"\(table.name.name)\" already exists")
    }
  }

  private func completeKey(
    _ key: TableBuilding.PendingKey, _ table: inout TableDefinition
  ) throws(SQLError) {
    let name: String
    let known = table
    let isTaken = { (candidate: String) in
      known.name.name == candidate || known.indexNames.contains(candidate)
        || known.constraintNames.contains(candidate)
        || self.catalog.isRelationNameTaken(ObjectName(schema: known.name.schema, candidate))
        || self.isConstraintNameTaken(candidate, schema: known.name.schema)
    }
    if let given = key.name {
      if known.constraintNames.contains(given) {
        try checkConstraintName(given, table)
      }
      if known.name.name == given || known.indexNames.contains(given)
        || catalog.isRelationNameTaken(ObjectName(schema: known.name.schema, given))
      {
        throw SQLError(.duplicateTable, "relation \"\(given)\" already exists")
      }
      name = given
    } else if key.isPrimary {
      name = GeneratedNames.choose(known.name.name, nil, "pkey", isTaken: isTaken)
    } else {
      let part = GeneratedNames.columnPart(key.columns.map { known.columns[$0].name })
      name = GeneratedNames.choose(known.name.name, part, "key", isTaken: isTaken)
    }
    if key.isPrimary {
      for column in key.columns { table.columns[column].isNotNull = true }
    }
    table.keys.append(
      KeyConstraint(
        name: name, columns: key.columns, isPrimary: key.isPrimary,
        nullsNotDistinct: key.nullsNotDistinct, deferral: key.deferral))
  }

  private func completeForeignKey(
    _ key: TableBuilding.PendingForeignKey, _ table: inout TableDefinition
  ) throws(SQLError) -> Int {
    let clause = key.clause
    let parent = try parentTable(clause.table, child: table)
    let columns = try foreignColumns(key.columns, of: table)
    let parentColumns = try referencedColumns(clause, parent)
    guard columns.count == parentColumns.count else {
      throw SQLError(
        .invalidForeignKey,
        "number of referencing and referenced columns for foreign key disagree",
        at: clause.range)
    }
    let named = parent.keys.filter { Set($0.columns) == Set(parentColumns) }
    guard !named.isEmpty else {
      throw SQLError(
        .invalidForeignKey,
        "there is no unique constraint matching given keys for referenced table"
          + " \"\(parent.name.name)\"")
    }
    if named.allSatisfy(\.deferral.isDeferrable) {
      throw SQLError(
        .objectNotInPrerequisiteState,
        "cannot use a deferrable unique constraint for referenced table \"\(parent.name.name)\"")
    }
    let name = try foreignKeyName(key, columns, table)
    for (column, parentColumn) in zip(columns, parentColumns) {
      let child = table.columns[column]
      let referenced = parent.columns[parentColumn]
      guard Self.areComparable(child.type, referenced.type) else {
        throw SQLError(
          .datatypeMismatch, "foreign key constraint \"\(name)\" cannot be implemented",
          detail: "Key columns \"\(child.name)\" and \"\(referenced.name)\" are of incompatible"
            + " types: \(child.columnType.type.name) and \(referenced.columnType.type.name).")
      }
    }
    if clause.match == .partial {
      throw SQLError(
        .featureNotSupported, "MATCH PARTIAL not yet implemented", at: clause.range)
    }
    var constraint = ForeignKeyConstraint(
      name: name, columns: columns, parent: parent.id, parentColumns: parentColumns,
      onDelete: try action(clause.onDelete, columns, table),
      onUpdate: try action(clause.onUpdate, columns, table),
      isMatchFull: clause.match == .full, deferral: key.deferral)
    constraint.isEnforced = key.isEnforced
    // Nothing was looked at, as PostgreSQL says of such a key too.
    if !key.isEnforced { constraint.isValidated = false }
    table.foreignKeys.append(constraint)
    return table.foreignKeys.count - 1
  }

  private func parentTable(
    _ name: QualifiedName, child: TableDefinition
  ) throws(SQLError) -> TableDefinition {
    let isItself =
      name.name == child.name.name
      && (name.qualifier == nil || name.qualifier == child.name.schema)
    if isItself, case .none = relation(name) { return child }
    switch relation(name) {
    case .table(let parent):
      if parent.id == child.id || (isItself && parent.name == child.name) { return child }
      if child.isTemporary != parent.isTemporary {
        throw SQLError(
          .invalidTableDefinition,
          child.isTemporary
            ? "constraints on temporary tables may reference only temporary tables"
            : "constraints on permanent tables may reference only permanent tables")
      }
      return parent
    case .some:
      throw SQLError(
        .wrongObjectType, "referenced relation \"\(name.name)\" is not a table")
    case nil: throw missingRelation(name).located(at: .none)
    }
  }

  private func foreignColumns(
    _ names: [Identifier], of table: TableDefinition
  ) throws(SQLError) -> [Int] {
    var columns: [Int] = []
    for name in names {
      guard let index = table.column(named: name.name) else {
        throw SQLError(
          .undefinedColumn,
          "column \"\(name.name)\" referenced in foreign key constraint does not exist")
      }
      columns.append(index)
    }
    return columns
  }

  private func referencedColumns(
    _ clause: ReferencesClause, _ parent: TableDefinition
  ) throws(SQLError) -> [Int] {
    if !clause.columns.isEmpty { return try foreignColumns(clause.columns, of: parent) }
    guard let primary = parent.primaryKey else {
      throw SQLError(
        .undefinedObject,
        "there is no primary key for referenced table \"\(parent.name.name)\"")
    }
    return primary.columns
  }

  private func foreignKeyName(
    _ key: TableBuilding.PendingForeignKey, _ columns: [Int], _ table: TableDefinition
  ) throws(SQLError) -> String {
    if let given = key.name {
      try checkConstraintName(given, table)
      return given
    }
    let part = GeneratedNames.columnPart(columns.map { table.columns[$0].name })
    return GeneratedNames.choose(table.name.name, part, "fkey") { candidate in
      table.constraintNames.contains(candidate)
        || isConstraintNameTaken(candidate, schema: table.name.schema)
    }
  }

  /// Whether there is an equality between a column and the one that it refers to.
  static func areComparable(_ child: LogicalType, _ parent: LogicalType) -> Bool {
    if child == parent || (child.isString && parent.isString) { return true }
    if child.isNumeric && parent.isNumeric {
      // The referencing value becomes one of the referenced type, so that must not lose anything.
      return !(parent.isInteger && (child == .numeric || child == .real || child == .double))
        && !(parent == .numeric && (child == .real || child == .double))
    }
    let dates: [LogicalType] = [.date, .timestamp, .timestamptz]
    return dates.contains(child) && dates.contains(parent)
  }

  private func action(
    _ action: ReferencesClause.Action, _ columns: [Int], _ table: TableDefinition
  ) throws(SQLError) -> ReferentialAction {
    func chosen(_ names: [Identifier]) throws(SQLError) -> [Int] {
      if names.isEmpty { return columns }
      var result: [Int] = []
      for name in names {
        guard let index = table.column(named: name.name) else {
          throw SQLError(
            .undefinedColumn,
            "column \"\(name.name)\" referenced in foreign key constraint does not exist")
        }
        guard columns.contains(index) else {
          throw SQLError(
            .invalidColumnReference,
            "column \"\(name.name)\" referenced in ON DELETE SET action must be part of foreign key"
          )
        }
        result.append(index)
      }
      return result
    }
    switch action {
    case .noAction: return .noAction
    case .restrict: return .restrict
    case .cascade: return .cascade
    case .setNull(let names): return .setNull(try chosen(names))
    case .setDefault(let names): return .setDefault(try chosen(names))
    }
  }
}
