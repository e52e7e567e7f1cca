import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension DefinitionExecutor {
  mutating func addConstraint(
    _ constraint: TableConstraint, to table: TableDefinition
  ) throws(SQLError) {
    var building = TableBuilding(table: table)
    try add(constraint, to: &building)
    let added = try complete(&building)
    for key in added.keys where building.table.keys[key].isPrimary {
      for column in building.table.keys[key].columns where !table.columns[column].isNotNull {
        try checkNoNulls(table, column)
      }
    }
    try install(building.table, added)
  }

  /// Puts a definition with new constraints in place, once the rows are seen to meet them.
  ///
  /// - Throws: 23505, 23503, 23514 for the first row that does not.
  mutating func install(
    _ table: TableDefinition, _ added: AddedConstraints
  ) throws(SQLError) {
    for key in added.keys { try transaction.checkUnique(table, table.keys[key]) }
    var table = table
    for (index, isNotValid) in added.foreignKeys where isNotValid {
      table.foreignKeys[index].isValidated = false
    }
    try transaction.setDefinition(table)
    for (index, isNotValid) in added.checks where !isNotValid {
      try validate(table.checks[index], of: table)
    }
    for (index, isNotValid) in added.foreignKeys where !isNotValid {
      try transaction.checkForeignKey(table, index)
    }
    for index in added.cardinalities {
      try transaction.checkAllParents(table.cardinalities[index], of: table)
    }
  }

  /// - Throws: 23514 if some row does not meet the check.
  func validate(_ check: CheckConstraint, of table: TableDefinition) throws(SQLError) {
    let bound = try environment.bind(check.expression, as: .check(table), in: catalog)
    for chunk in try transaction.chunks(of: table.id) {
      let result = try environment.evaluate(
        bound.expression, columns: bound.columns, over: chunk, in: transaction)
      for row in 0..<chunk.count {
        if case .boolean(false) = result.value(at: row) {
          throw SQLError(
            .checkViolation,
            "check constraint \"\(check.name)\" of relation \"\(table.name.name)\" is violated by"
              + " some row"
          ).about(table.errorObject(constraint: check.name))
        }
      }
    }
  }

  /// - Throws: 23502 if a row has NULL in the column.
  func checkNoNulls(_ table: TableDefinition, _ column: Int) throws(SQLError) {
    for chunk in try transaction.chunks(of: table.id) {
      let vector = chunk.columns[column]
      guard vector.mayHaveNulls else { continue }
      for row in 0..<chunk.count where !vector.isValid(row) {
        throw SQLError(
          .notNullViolation,
          "column \"\(table.columns[column].name)\" of relation \"\(table.name.name)\" contains"
            + " null values"
        ).about(table.errorObject(column: table.columns[column].name))
      }
    }
  }

  mutating func dropConstraint(
    _ name: Identifier, ifExists: Bool, _ behavior: DropBehavior, from table: TableDefinition
  ) throws(SQLError) {
    guard table.constraintNames.contains(name.name) else {
      let message =
        "constraint \"\(name.name)\" of relation \"\(table.name.name)\" does not exist"
      guard ifExists else { throw SQLError(.undefinedObject, message) }
      notice(message + ", skipping")
      return
    }
    try drop([.constraint(table: table.id, name: name.name)], behavior: behavior)
  }

  func removeConstraint(_ name: String, from original: TableDefinition) throws(SQLError) {
    var table = original
    table.keys.removeAll { $0.name == name }
    table.foreignKeys.removeAll { $0.name == name }
    table.checks.removeAll { $0.name == name }
    table.cardinalities.removeAll { $0.name == name }
    table.removeLoneCardinalities()
    try transaction.setDefinition(table)
  }

  mutating func alterConstraint(
    _ name: Identifier, _ timing: ConstraintTiming, of original: TableDefinition
  ) throws(SQLError) {
    var table = original
    guard let index = table.foreignKeys.firstIndex(where: { $0.name == name.name }) else {
      if table.constraintNames.contains(name.name) {
        throw SQLError(
          .wrongObjectType,
          "constraint \"\(name.name)\" of relation \"\(table.name.name)\" is not a foreign key"
            + " constraint")
      }
      throw SQLError(
        .undefinedObject,
        "constraint \"\(name.name)\" of relation \"\(table.name.name)\" does not exist")
    }
    if let isEnforced = timing.isEnforced {
      try setEnforced(isEnforced, index, of: table)
      guard timing.isDeferrable, let changed = catalog.tables[table.id] else { return }
      table = changed
    }
    table.foreignKeys[index].deferral = ConstraintDeferral(
      isDeferrable: timing.isDeferrable, isInitiallyDeferred: timing.isInitiallyDeferred)
    // Rows that may be without a parent for a while make no junction.
    try transaction.setDefinition(table)
  }

  /// ALTER CONSTRAINT … [NOT] ENFORCED of a foreign key.
  ///
  /// - Throws: 23503 for a row without a parent, 2BP01 where rows are counted by the key.
  private mutating func setEnforced(
    _ isEnforced: Bool, _ index: Int, of table: TableDefinition
  ) throws(SQLError) {
    var table = table
    let name = table.foreignKeys[index].name
    if table.foreignKeys[index].isEnforced == isEnforced { return }
    table.foreignKeys[index].isEnforced = isEnforced
    table.foreignKeys[index].isValidated = isEnforced
    if let counted = table.cardinalities.first(where: { table.foreignKey(of: $0) == nil }) {
      throw SQLError(
        .dependentObjectsStillExist,
        "cannot leave constraint \"\(name)\" unenforced, as constraint \"\(counted.name)\" counts rows by it",
        hint: "Drop constraint \"\(counted.name)\" first.")
    }
    try transaction.checkForeignKey(table, index)
    try rebuild(index, of: table)
  }

  /// Finds the parents of all rows by a foreign key anew.
  private func rebuild(_ index: Int, of table: TableDefinition) throws(SQLError) {
    var without = table
    without.foreignKeys.remove(at: index)
    without.removeLoneCardinalities()
    try transaction.setDefinition(without)
    try transaction.setDefinition(table)
  }

  mutating func validateConstraint(
    _ name: Identifier, of table: TableDefinition
  ) throws(SQLError) {
    if let check = table.checks.first(where: { $0.name == name.name }) {
      try validate(check, of: table)
    } else if let index = table.foreignKeys.firstIndex(where: { $0.name == name.name }) {
      if !table.foreignKeys[index].isEnforced {
        throw SQLError(
          .wrongObjectType, "cannot validate NOT ENFORCED constraint \"\(name.name)\"")
      }
      try transaction.checkForeignKey(table, index)
      if !table.foreignKeys[index].isValidated {
        // Parents may have come since, which their children do not know: the key is built anew.
        var table = table
        table.foreignKeys[index].isValidated = true
        try rebuild(index, of: table)
      }
    } else if !table.constraintNames.contains(name.name) {
      throw SQLError(
        .undefinedObject,
        "constraint \"\(name.name)\" of relation \"\(table.name.name)\" does not exist")
    }
  }

  mutating func renameConstraint(
    _ name: Identifier, to new: Identifier, of original: TableDefinition
  ) throws(SQLError) {
    var table = original
    guard table.constraintNames.contains(name.name) else {
      throw SQLError(
        .undefinedObject,
        "constraint \"\(name.name)\" for table \"\(table.name.name)\" does not exist")
    }
    try checkConstraintName(new.name, table)
    if table.keys.contains(where: { $0.name == name.name }),
      catalog.isRelationNameTaken(ObjectName(schema: table.name.schema, new.name))
    {
      throw SQLError(.duplicateTable, "relation \"\(new.name)\" already exists")
    }
    for index in table.keys.indices where table.keys[index].name == name.name {
      table.keys[index].name = new.name
    }
    for index in table.foreignKeys.indices where table.foreignKeys[index].name == name.name {
      table.foreignKeys[index].name = new.name
    }
    for index in table.checks.indices where table.checks[index].name == name.name {
      table.checks[index].name = new.name
    }
    for index in table.cardinalities.indices where table.cardinalities[index].name == name.name {
      table.cardinalities[index].name = new.name
    }
    transaction.catalog.put(table)
    renameLabelInViews(name.name, to: new.name, of: table.id)
  }
}
