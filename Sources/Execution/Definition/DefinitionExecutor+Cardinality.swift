import Catalog
import Diagnostics
import SQLSyntax

/// CARDINALITY constraints, and what may be said of when a constraint holds.
extension DefinitionExecutor {
  /// - Throws: 42703 and 42830 for the columns, 22023 for the bounds, 42710 for the name.
  func completeCardinality(
    _ pending: TableBuilding.PendingCardinality, _ table: inout TableDefinition
  ) throws(SQLError) {
    let clause = pending.clause
    let key = try foreignKey(over: clause.columns, of: table)
    guard let low = Int(exactly: clause.low), let high = Int(exactly: clause.high), low >= 0,
      high >= low
    else {
      throw SQLError(
        .invalidParameterValue,
        clause.low < 0
          ? "the lower bound of a cardinality constraint must not be negative"
          : "the upper bound of a cardinality constraint must not be less than the lower one",
        at: clause.boundsRange)
    }
    let name: String
    if let given = pending.name {
      try checkConstraintName(given, table)
      name = given
    } else {
      let table = table
      let part = GeneratedNames.columnPart(key.columns.map { table.columns[$0].name })
      name = GeneratedNames.choose(table.name.name, part, "cardinality") { candidate in
        table.constraintNames.contains(candidate)
          || isConstraintNameTaken(candidate, schema: table.name.schema)
      }
    }
    table.cardinalities.append(
      CardinalityConstraint(name: name, columns: key.columns, bounds: low...high))
  }

  /// The foreign key whose rows are counted.
  private func foreignKey(
    over names: [Identifier], of table: TableDefinition
  ) throws(SQLError) -> ForeignKeyConstraint {
    var columns: [Int] = []
    for name in names {
      guard let column = table.column(named: name.name) else {
        throw SQLError(
          .undefinedColumn,
          "column \"\(name.name)\" named in cardinality constraint does not exist",
          at: name.range)
      }
      columns.append(column)
    }
    if Set(columns).count == columns.count, let index = table.foreignKey(over: columns) {
      return table.foreignKeys[index]
    }
    let list = names.map { SQLPrinter.quoted($0.name) }.joined(separator: ", ")
    if let other = table.foreignKeys.first(where: { Set($0.columns) == Set(columns) }) {
      throw SQLError(
        .invalidForeignKey,
        "rows cannot be counted by foreign key \"\(other.name)\", which is not "
          + (other.isEnforced ? "validated" : "enforced"), at: names.first?.range ?? .none,
        hint: "ALTER TABLE \(SQLPrinter.quoted(table.name.name)) "
          + (other.isEnforced ? "VALIDATE CONSTRAINT " : "ALTER CONSTRAINT ")
          + SQLPrinter.quoted(other.name) + (other.isEnforced ? "" : " ENFORCED")
          + " makes it so.")
    }
    throw SQLError(
      .invalidForeignKey,
      "there is no foreign key over the columns (\(list)) of table \"\(table.name.name)\"",
      at: names.first?.range ?? .none,
      hint: "A cardinality constraint counts the rows that refer to a row of another table: add"
        + " FOREIGN KEY (\(list)) REFERENCES that table, or name the columns of a foreign key.")
  }

  /// - Throws: 0A000 for NOT ENFORCED of anything but a foreign key.
  static func checkEnforced(_ constraint: TableConstraint) throws(SQLError) {
    switch constraint.kind {
    case .foreignKey, .cardinality: return
    case .check, .primaryKey, .unique, .exclude:
      try checkEnforced(constraint.timing, at: constraint.range)
    }
  }

  /// - Throws: 0A000 for NOT ENFORCED of anything but a foreign key.
  static func checkEnforced(_ constraint: ColumnConstraint) throws(SQLError) {
    switch constraint.kind {
    case .references: return
    case .notNull, .null, .defaultValue, .check, .primaryKey, .unique, .generated, .identity:
      try checkEnforced(constraint.timing, at: constraint.range)
    }
  }

  private static func checkEnforced(
    _ timing: ConstraintTiming, at range: SourceRange
  ) throws(SQLError) {
    if timing.isEnforced == false {
      throw SQLError(
        .featureNotSupported, "only foreign keys can be marked NOT ENFORCED", at: range)
    }
  }

  /// - Throws: 0A000 for a cardinality constraint that was to be looked at sooner than at commit, or not at all.
  static func checkTiming(_ timing: ConstraintTiming, at range: SourceRange) throws(SQLError) {
    let fault =
      if timing.isNotValid {
        "cardinality constraints cannot be marked NOT VALID"
      } else if timing.isEnforced == false {
        "cardinality constraints cannot be marked NOT ENFORCED"
      } else if timing.isDeferrable && !timing.isInitiallyDeferred {
        "cardinality constraints cannot be marked INITIALLY IMMEDIATE"
      } else {
        ""
      }
    if !fault.isEmpty { throw SQLError(.featureNotSupported, fault, at: range) }
  }

  /// The cardinality constraints that need a foreign key, as no other is over its columns.
  func addCounters(of name: String, _ table: TableDefinition, add: (DroppedObject) -> Void) {
    guard table.foreignKeys.contains(where: { $0.name == name }) else { return }
    var bare = table
    bare.foreignKeys.removeAll { $0.name == name }
    for cardinality in table.cardinalities where bare.foreignKey(of: cardinality) == nil {
      add(.constraint(table: table.id, name: cardinality.name))
    }
  }
}
